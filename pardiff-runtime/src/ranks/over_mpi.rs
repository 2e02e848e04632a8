//! Communicators of MPI: the crate `mpi`, and the crate `mpi-rs`, which has the same names without a library in C.

/// What a crate with the names of `mpi` has of [`Engine`](super::Engine).
macro_rules! engine {
    ($mpi:ident, $engine:ident) => {
        use super::super::data::{Data, DataMut, Number, Op, typed};
        use super::super::engine::Engine;
        use super::super::message::Message;
        use $mpi::collective::SystemOperation;
        use $mpi::point_to_point::send_receive_into_with_tags;
        use $mpi::traits::{
            Communicator, CommunicatorCollectives as _, Destination as _, Equivalence, Root as _, Source as _,
        };

        /// The engine of processes of MPI.
        pub enum $engine {}

        impl<C: Communicator + ?Sized> Engine<$engine> for C {
            fn carry_out(
                &self,
                message: Message,
                send: Option<Data<'_>>,
                receive: Option<DataMut<'_>>,
                at: &str,
            ) {
                typed!(send, receive, |send, receive| run(self, message, send, receive, at));
            }

            fn own_rank(&self) -> i32 {
                self.rank()
            }

            fn ranks(&self) -> i32 {
                self.size()
            }

            fn panics(&self) {
                // the others would wait for messages of this rank
                self.abort(101);
            }
        }

        fn operation(op: Op) -> SystemOperation {
            match op {
                Op::Sum => SystemOperation::sum(),
                Op::Min => SystemOperation::min(),
                Op::Max => SystemOperation::max(),
            }
        }

        fn run<C: Communicator + ?Sized, T: Number + Equivalence>(
            on: &C,
            message: Message,
            send: Option<&[T]>,
            receive: Option<&mut [T]>,
            at: &str,
        ) {
            let (rank, size) = (on.rank(), on.size());
            let fail = |what: String| -> ! { panic!("{at} on rank {rank}: {what}") };
            let process = |of: i32| match (0..size).contains(&of) {
                true => on.process_at_rank(of),
                false => fail(format!("there is no rank {of} among {size}")),
            };
            let sent = send.unwrap_or_default();
            let gives = receive.is_some();
            let mut empty: [T; 0] = [];
            let received = receive.unwrap_or(&mut empty);
            let arrived = |status: $mpi::point_to_point::Status, from: i32, tag: i32, wanted: usize| {
                let count = status.count(T::equivalent_datatype());
                if usize::try_from(count) != Ok(wanted) {
                    let name = T::NAME;
                    fail(format!(
                        "the message of rank {from} with tag {tag} has {count} numbers of `{name}`, and {wanted} are received"
                    ));
                }
            };
            match message {
                Message::Send { to, tag } => process(to).send_with_tag(sent, tag),
                Message::Receive { from, tag } => {
                    let status = process(from).receive_into_with_tag(received, tag);
                    arrived(status, from, tag, received.len());
                }
                Message::Exchange { to, send_tag, from, receive_tag } => {
                    let (to, source) = (process(to), process(from));
                    let status =
                        send_receive_into_with_tags(sent, &to, send_tag, received, &source, receive_tag);
                    arrived(status, from, receive_tag, received.len());
                }
                Message::AllReduce(op) => on.all_reduce_into(sent, received, operation(op)),
                Message::Reduce(op, root) if rank == root && gives => {
                    process(root).reduce_into_root(sent, received, operation(op));
                }
                Message::Reduce(op, root) => {
                    process(root).reduce_into(sent, operation(op));
                    received.fill(T::ZERO);
                }
                Message::Broadcast(root) => {
                    let mut all = if rank == root { sent.to_vec() } else { received.to_vec() };
                    process(root).broadcast_into(&mut all[..]);
                    if gives {
                        received.copy_from_slice(&all);
                    }
                }
                Message::Gather(root) if rank == root && gives => {
                    process(root).gather_into_root(sent, received);
                }
                Message::Gather(root) => {
                    process(root).gather_into(sent);
                    received.fill(T::ZERO);
                }
                Message::Scatter(root) if rank == root => process(root).scatter_into_root(sent, received),
                Message::Scatter(root) => process(root).scatter_into(received),
                Message::AllGather => on.all_gather_into(sent, received),
                Message::ReduceScatter => {
                    on.reduce_scatter_block_into(sent, received, SystemOperation::sum());
                }
                Message::Barrier => on.barrier(),
                Message::Owners(_) => panic!("owners are found by other operations"),
            }
        }
    };
}

/// Over the crate `mpi`.
#[cfg(feature = "mpi")]
pub mod native {
    engine!(mpi, Mpi);
}

/// Over the crate `mpi-rs`.
#[cfg(feature = "mpi-rs")]
pub mod pure {
    engine!(mpi_rs, Mpi);
}
