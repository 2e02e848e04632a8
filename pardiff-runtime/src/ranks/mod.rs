//! Ranks that exchange messages: threads of one process, with the names that the crate `mpi` has for them.
//!
//! The same source runs on one machine without MPI and on many with it: `use pardiff::ranks::traits::*` in place of
//! `use mpi::traits::*`.
//!
//! ```
//! # use pardiff_runtime::ranks;
//! use ranks::{SystemOperation, traits::*};
//!
//! let totals = ranks::run(4, |world| {
//!     let mut total = 0.0;
//!     world.all_reduce_into(&f64::from(world.rank()), &mut total, SystemOperation::sum());
//!     total
//! });
//! assert_eq!(totals, [6.0; 4]);
//! ```
//!
//! *Guarantees*: the same bits in every run. Where lengths differ, a rank does not exist, all ranks wait, or one of
//! them panics, all end, and the panic says who waited for whom. *Never*: hangs.

mod communicator;
mod data;
mod engine;
mod message;
#[cfg(any(feature = "mpi", feature = "mpi-rs"))]
mod over_mpi;
mod partition;
mod replicated;
pub mod request;
mod requests;
#[cfg(test)]
mod tests;
mod threads;

pub use communicator::{Process, SimpleCommunicator, Status, SystemOperation, point_to_point};
pub use data::{Buffer, BufferMut, Data, DataMut, Equivalence, Number, Op, Received};
pub use engine::{Adapted, Engine, Pending, SaysWhoseResultItIs, Threads, adapted};
pub use message::{Line, Message, Messages, data, data_mut};
pub use replicated::{Replicated, replicated};
pub use threads::Traffic;

/// The traits of communicators and of their ranks.
pub mod traits {
    pub use super::communicator::{Communicator, CommunicatorCollectives, Destination, Root, Source};
    pub use super::data::{Buffer, BufferMut, Equivalence};
    pub use super::partition::{Partitioned, PartitionedBuffer, PartitionedBufferMut};
}

/// Where `mpi` has the names of parts of buffers.
pub mod datatype {
    pub use super::partition::{
        Partition, PartitionMut, Partitioned, PartitionedBuffer, PartitionedBufferMut,
    };
}

/// The number of a rank.
pub type Rank = i32;

/// The tag of a message.
pub type Tag = i32;

/// How many numbers a part has.
pub type Count = i32;

/// Where `mpi` has the names of topologies.
pub mod topology {
    pub use super::communicator::{Communicator, Process, SimpleCommunicator};
}

/// Where `mpi` has the names of operations of all ranks.
pub mod collective {
    pub use super::communicator::{CommunicatorCollectives, Root, SystemOperation};
}

/// How many ranks there are, and how they send.
#[derive(Clone, Copy, Debug)]
pub struct World {
    size: usize,
    rendezvous: bool,
}

/// So many ranks.
pub fn world(size: usize) -> World {
    World { size, rendezvous: false }
}

/// Runs a function on each of so many ranks; what it returns, in the order of ranks.
///
/// # Panics
///
/// Where a rank panics, with its panic, and where all ranks wait for each other.
pub fn run<R: Send>(size: usize, of: impl Fn(&SimpleCommunicator) -> R + Sync) -> Vec<R> {
    world(size).run(of).0
}

impl World {
    /// A send ends when its message is received, as MPI may have it.
    #[must_use]
    pub fn rendezvous(self) -> World {
        World { rendezvous: true, ..self }
    }

    /// As [`run`], with the number of messages and bytes of all ranks.
    pub fn run<R: Send>(self, of: impl Fn(&SimpleCommunicator) -> R + Sync) -> (Vec<R>, Traffic) {
        threads::run(self.size, self.rendezvous, |rank| of(&SimpleCommunicator::new(rank)))
    }
}
