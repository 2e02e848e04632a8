//! What is known of a program: affine forms, integer sets, accesses, dependences.
//!
//! *Comes in*: a program that the verifier accepts. *Goes out*: an [`Analysis`] of it, which lists its accesses and
//! loops and answers questions about pairs of them. *Guarantees*: an answer other than [`Answer::Unknown`] is a proof,
//! in Rust's integers on machines of 32 and 64 bits, with overflow checks or without, of every run that comes to its
//! end (what a run did before it panicked, nobody reads). *Never*: changes a program, or believes what is neither proved
//! nor checked in the program itself.
//!
//! Accesses are named by [`AccessId`]; [`Analysis::at`] finds that of a load or target by the identity of its node.

mod access;
mod affine;
mod analysis;
mod convert;
mod counted;
mod coverage;
mod delinearise;
mod dependence;
mod express;
mod facts;
mod history;
mod memo;
mod parallel;
mod range;
mod scale;
mod set;
mod solver;
mod structure;
#[cfg(test)]
mod tests;
mod wrap;

pub use access::{Access, AccessId, AccessKind, Loop, PointId};
pub use affine::{Affine, Operation, Sym, SymKind, Symbol, Symbols};
pub use analysis::Analysis;
pub use delinearise::Strides;
pub use dependence::{Carried, Reason, Verdict};
pub use express::elements_of;
pub use facts::{Distinct, Fact, Fits, Rows};
pub use parallel::{BufferDependence, Proof};
pub use scale::Scale;
pub use set::{Answer, Constraint, Set};
pub use structure::{Lifetime, NestId, StmtId};
