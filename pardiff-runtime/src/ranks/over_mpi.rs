//! Communicators of MPI: the crate `mpi`, and the crate `mpi-rs`, which has the same names without a library in C.

/// What a crate with the names of `mpi` has of [`Engine`](super::Engine).
macro_rules! engine {
    ($mpi:ident, $engine:ident) => {
        use super::super::data::{Data, DataMut, Number, Op, typed};
        use super::super::engine::{Engine, Pending};
        use super::super::message::{Message, scanned};
        use $mpi::collective::SystemOperation;
        use $mpi::point_to_point::{Status, send_receive_into_with_tags};
        use $mpi::request::{Request, StaticScope};
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

            fn start_send<'c>(&'c self, to: i32, tag: i32, send: Data<'_>, at: &str) -> Box<dyn Pending + 'c> {
                check_rank(self, to, at);
                let process = self.process_at_rank(to);
                typed!(Some(send), None, |send, _nothing| Box::new(start(
                    send.unwrap_or_default().into(),
                    |data| process.immediate_send_with_tag(StaticScope, &*data, tag),
                )))
            }

            fn start_receive<'c>(
                &'c self,
                from: i32,
                tag: i32,
                len: usize,
                of: Data<'_>,
                at: &str,
            ) -> Box<dyn Pending + 'c> {
                check_rank(self, from, at);
                let process = self.process_at_rank(from);
                typed!(Some(of), None, |of, _nothing| Box::new(start(room(of, len), |data| {
                    process.immediate_receive_into_with_tag(StaticScope, data, tag)
                })))
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

        /// A message that has begun, with its buffer, which nobody touches before it has ended.
        struct Begun<T: Number> {
            request: Option<Request<'static, [T], StaticScope>>,
            buffer: *mut [T],
            /// Once it has been waited for.
            status: Option<Status>,
        }

        /// Room for so many numbers of the type of those.
        fn room<T: Number>(_of: Option<&[T]>, len: usize) -> Box<[T]> {
            vec![T::ZERO; len].into()
        }

        fn start<T: Number>(
            buffer: Box<[T]>,
            start: impl FnOnce(&'static mut [T]) -> Request<'static, [T], StaticScope>,
        ) -> Begun<T> {
            let buffer = Box::into_raw(buffer);
            // SAFETY: the buffer is freed when the message has ended, or never; until then `request` alone refers
            // to it
            let request = start(unsafe { &mut *buffer });
            Begun { request: Some(request), buffer, status: None }
        }

        impl<T: Number + Equivalence> Pending for Begun<T> {
            fn arrive(&mut self) {
                if let Some(request) = self.request.take() {
                    self.status = Some(request.wait());
                }
            }

            fn finish(mut self: Box<Self>, receive: Option<DataMut<'_>>, at: &str) {
                self.arrive();
                let Some(status) = self.status.take() else { return };
                // SAFETY: it comes from a box, and the message, which was all that referred to it, has ended
                let buffer = unsafe { Box::from_raw(self.buffer) };
                let Some(receive) = receive else { return };
                let (from, tag) = (status.source_rank(), status.tag());
                let count = status.count(T::equivalent_datatype());
                let wanted = receive.len();
                if usize::try_from(count) != Ok(wanted) || wanted != buffer.len() {
                    let name = T::NAME;
                    panic!(
                        "{at}: the message of rank {from} with tag {tag} has {count} numbers of `{name}`, \
                         and {wanted} are received"
                    );
                }
                receive.copy_from(T::data(&buffer));
            }
        }

        impl<T: Number> Drop for Begun<T> {
            fn drop(&mut self) {
                // in a panic, which ends the process: MPI may still write to the buffer, which is not freed
                std::mem::forget(self.request.take());
            }
        }

        fn check_rank<C: Communicator + ?Sized>(on: &C, of: i32, at: &str) {
            let (rank, size) = (on.rank(), on.size());
            assert!((0..size).contains(&of), "{at} on rank {rank}: there is no rank {of} among {size}");
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
            let rank = on.rank();
            let fail = |what: String| -> ! { panic!("{at} on rank {rank}: {what}") };
            let process = |of: i32| {
                check_rank(on, of, at);
                on.process_at_rank(of)
            };
            let sent = send.unwrap_or_default();
            let gives = receive.is_some();
            let mut empty: [T; 0] = [];
            let received = receive.unwrap_or(&mut empty);
            let arrived = |status: Status, from: i32, tag: i32, wanted: usize| {
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
                // the crates below check no lengths of these
                Message::AllToAll | Message::Scan { .. } if sent.len() != received.len() => {
                    fail(format!("{} numbers arrive where {} are received", sent.len(), received.len()));
                }
                Message::AllToAll if !sent.len().is_multiple_of(on.size() as usize) => {
                    fail(format!("{} numbers are not {} equal parts", sent.len(), on.size()));
                }
                Message::AllToAll => on.all_to_all_into(sent, received),
                Message::Scan { inclusive: true, reversed: false } => {
                    on.scan_into(sent, received, SystemOperation::sum());
                }
                Message::Scan { inclusive: false, reversed: false } => {
                    on.exclusive_scan_into(sent, received, SystemOperation::sum());
                    if rank == 0 {
                        received.fill(T::ZERO);
                    }
                }
                Message::Scan { inclusive, reversed: true } => {
                    let mut all = vec![T::ZERO; sent.len() * on.size() as usize];
                    on.all_gather_into(sent, &mut all[..]);
                    let all: Vec<&[T]> = all.chunks(sent.len().max(1)).collect();
                    if !all.is_empty() {
                        received.copy_from_slice(&scanned(&all, rank as usize, inclusive, true));
                    }
                }
                Message::Barrier => on.barrier(),
                Message::Owners(_)
                | Message::Number { .. }
                | Message::StartSend(_)
                | Message::StartReceive(..)
                | Message::FinishSend(_)
                | Message::FinishReceive(_) => panic!("it consists of other operations"),
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
