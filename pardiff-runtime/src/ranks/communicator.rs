//! Ranks with the names, the arguments and the results that the crate `mpi` has for them.

use super::data::{Buffer, BufferMut, Number, Op, Received};
use super::message::Message;
use super::partition::{self, PartitionedBuffer, PartitionedBufferMut};
use super::request::{self, Request, Scope};
use super::threads::{Rank, Traffic};
use std::marker::PhantomData;

/// All ranks, as one of them sees them. It stays on the thread of its rank.
pub struct SimpleCommunicator {
    rank: Rank,
    own: PhantomData<*const ()>,
}

impl SimpleCommunicator {
    pub(super) fn new(rank: Rank) -> SimpleCommunicator {
        SimpleCommunicator { rank, own: PhantomData }
    }

    /// How many messages and bytes there were up to now, of all ranks.
    pub fn traffic(&self) -> Traffic {
        self.rank.traffic()
    }

    pub(super) fn run<T: Number>(&self, message: Message, send: Option<&[T]>, receive: Option<&mut [T]>) {
        self.rank.run(message, send, receive, "");
    }

    pub(super) fn own(&self) -> &Rank {
        &self.rank
    }
}

/// A rank of a communicator.
#[derive(Clone, Copy)]
pub struct Process<'a> {
    of: &'a SimpleCommunicator,
    rank: i32,
}

/// What is known of a message that was received.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Status {
    source: i32,
    tag: i32,
}

impl Status {
    pub(super) fn new(source: i32, tag: i32) -> Status {
        Status { source, tag }
    }

    /// Who sent it.
    pub fn source_rank(&self) -> i32 {
        self.source
    }

    /// Its tag.
    pub fn tag(&self) -> i32 {
        self.tag
    }
}

/// How the numbers of all ranks become one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SystemOperation(Op);

impl SystemOperation {
    /// The sum, in the order of ranks.
    pub fn sum() -> SystemOperation {
        SystemOperation(Op::Sum)
    }

    /// The smallest.
    pub fn min() -> SystemOperation {
        SystemOperation(Op::Min)
    }

    /// The largest.
    pub fn max() -> SystemOperation {
        SystemOperation(Op::Max)
    }
}

/// Ranks that exchange messages.
pub trait Communicator {
    /// The communicator itself.
    fn as_simple(&self) -> &SimpleCommunicator;

    /// The number of ranks.
    fn size(&self) -> i32 {
        self.as_simple().own().size()
    }

    /// This rank.
    fn rank(&self) -> i32 {
        self.as_simple().own().rank()
    }

    /// A rank by its number.
    ///
    /// # Panics
    ///
    /// Where there is none.
    fn process_at_rank(&self, rank: i32) -> Process<'_> {
        let size = self.size();
        assert!((0..size).contains(&rank), "rank {}: there is no rank {rank} among {size}", self.rank());
        Process { of: self.as_simple(), rank }
    }

    /// This rank.
    fn this_process(&self) -> Process<'_> {
        self.process_at_rank(self.rank())
    }
}

impl Communicator for SimpleCommunicator {
    fn as_simple(&self) -> &SimpleCommunicator {
        self
    }
}

/// What all ranks of a communicator do together.
pub trait CommunicatorCollectives: Communicator {
    /// Waits for all.
    fn barrier(&self) {
        self.as_simple().run::<f64>(Message::Barrier, None, None);
    }

    /// The numbers of all ranks, reduced one by one.
    fn all_reduce_into<S, R>(&self, send: &S, receive: &mut R, op: SystemOperation)
    where
        S: Buffer + ?Sized,
        R: BufferMut<Scalar = S::Scalar> + ?Sized,
    {
        self.as_simple().run(Message::AllReduce(op.0), Some(send.scalars()), Some(receive.scalars_mut()));
    }

    /// The numbers of all ranks, in the order of ranks.
    fn all_gather_into<S, R>(&self, send: &S, receive: &mut R)
    where
        S: Buffer + ?Sized,
        R: BufferMut<Scalar = S::Scalar> + ?Sized,
    {
        self.as_simple().run(Message::AllGather, Some(send.scalars()), Some(receive.scalars_mut()));
    }

    /// The part of this rank of the sum of what all ranks send.
    ///
    /// # Panics
    ///
    /// With another operation than the sum.
    fn reduce_scatter_block_into<S, R>(&self, send: &S, receive: &mut R, op: SystemOperation)
    where
        S: Buffer + ?Sized,
        R: BufferMut<Scalar = S::Scalar> + ?Sized,
    {
        assert_eq!(op.0, Op::Sum, "blocks are scattered of sums alone");
        self.as_simple().run(Message::ReduceScatter, Some(send.scalars()), Some(receive.scalars_mut()));
    }

    /// A part from each rank, in the order of ranks: that which it has for this one.
    fn all_to_all_into<S, R>(&self, send: &S, receive: &mut R)
    where
        S: Buffer + ?Sized,
        R: BufferMut<Scalar = S::Scalar> + ?Sized,
    {
        self.as_simple().run(Message::AllToAll, Some(send.scalars()), Some(receive.scalars_mut()));
    }

    /// The sum of what the ranks up to this one send.
    ///
    /// # Panics
    ///
    /// With another operation than the sum.
    fn scan_into<S, R>(&self, send: &S, receive: &mut R, op: SystemOperation)
    where
        S: Buffer + ?Sized,
        R: BufferMut<Scalar = S::Scalar> + ?Sized,
    {
        assert_eq!(op.0, Op::Sum, "scans are of sums alone");
        let scan = Message::Scan { inclusive: true, reversed: false };
        self.as_simple().run(scan, Some(send.scalars()), Some(receive.scalars_mut()));
    }

    /// The sum of what the ranks before this one send; the first rank receives nothing.
    ///
    /// # Panics
    ///
    /// With another operation than the sum.
    fn exclusive_scan_into<S, R>(&self, send: &S, receive: &mut R, op: SystemOperation)
    where
        S: Buffer + ?Sized,
        R: BufferMut<Scalar = S::Scalar> + ?Sized,
    {
        assert_eq!(op.0, Op::Sum, "scans are of sums alone");
        let scan = Message::Scan { inclusive: false, reversed: false };
        let before = receive.scalars_mut().to_vec();
        self.as_simple().run(scan, Some(send.scalars()), Some(receive.scalars_mut()));
        if self.rank() == 0 {
            receive.scalars_mut().copy_from_slice(&before);
        }
    }

    /// What each rank sends goes to its part on all ranks.
    fn all_gather_varcount_into<S, R>(&self, send: &S, receive: &mut R)
    where
        S: Buffer + ?Sized,
        R: PartitionedBufferMut<Scalar = S::Scalar> + ?Sized,
    {
        partition::all_gather(self.as_simple(), send.scalars(), receive);
    }

    /// Each rank gets the parts that the others have for it.
    fn all_to_all_varcount_into<S, R>(&self, send: &S, receive: &mut R)
    where
        S: PartitionedBuffer + ?Sized,
        R: PartitionedBufferMut<Scalar = S::Scalar> + ?Sized,
    {
        partition::all_to_all(self.as_simple(), send, receive);
    }
}

impl<C: Communicator + ?Sized> CommunicatorCollectives for C {}

/// To whom a message goes.
pub trait Destination {
    /// The rank itself.
    fn as_process(&self) -> Process<'_>;

    /// Sends with tag 0.
    fn send<S: Buffer + ?Sized>(&self, send: &S) {
        self.send_with_tag(send, 0);
    }

    /// Sends with a tag.
    fn send_with_tag<S: Buffer + ?Sized>(&self, send: &S, tag: i32) {
        let Process { of, rank } = self.as_process();
        of.run(Message::Send { to: rank, tag }, Some(send.scalars()), None);
    }

    /// Begins to send with tag 0.
    fn immediate_send<'a, S, B>(&self, scope: S, send: &'a B) -> Request<'a, B, S>
    where
        S: Scope<'a>,
        B: Buffer + ?Sized,
    {
        self.immediate_send_with_tag(scope, send, 0)
    }

    /// Begins to send with a tag.
    fn immediate_send_with_tag<'a, S, B>(&self, scope: S, send: &'a B, tag: i32) -> Request<'a, B, S>
    where
        S: Scope<'a>,
        B: Buffer + ?Sized,
    {
        let Process { of, rank } = self.as_process();
        request::send(of.own(), scope, send, rank, tag)
    }
}

/// From whom a message comes.
pub trait Source {
    /// The rank itself.
    fn as_process(&self) -> Process<'_>;

    /// Receives a message with tag 0.
    fn receive_into<R: BufferMut + ?Sized>(&self, receive: &mut R) -> Status {
        self.receive_into_with_tag(receive, 0)
    }

    /// Receives one value, with tag 0.
    fn receive<R: BufferMut + Received>(&self) -> (R, Status) {
        self.receive_with_tag(0)
    }

    /// Receives one value, with a tag.
    fn receive_with_tag<R: BufferMut + Received>(&self, tag: i32) -> (R, Status) {
        let mut received = R::ZERO;
        let status = self.receive_into_with_tag(&mut received, tag);
        (received, status)
    }

    /// Receives a message with a tag; it is as long as the buffer.
    fn receive_into_with_tag<R: BufferMut + ?Sized>(&self, receive: &mut R, tag: i32) -> Status {
        let Process { of, rank } = self.as_process();
        of.run(Message::Receive { from: rank, tag }, None, Some(receive.scalars_mut()));
        Status { source: rank, tag }
    }

    /// Begins to receive a message with tag 0.
    fn immediate_receive_into<'a, S, B>(&self, scope: S, receive: &'a mut B) -> Request<'a, B, S>
    where
        S: Scope<'a>,
        B: BufferMut + ?Sized,
    {
        self.immediate_receive_into_with_tag(scope, receive, 0)
    }

    /// Begins to receive a message with a tag; it is as long as the buffer.
    fn immediate_receive_into_with_tag<'a, S, B>(
        &self,
        scope: S,
        receive: &'a mut B,
        tag: i32,
    ) -> Request<'a, B, S>
    where
        S: Scope<'a>,
        B: BufferMut + ?Sized,
    {
        let Process { of, rank } = self.as_process();
        request::receive(of.own(), scope, receive, rank, tag)
    }
}

/// The rank that gives or gets what the others do not.
pub trait Root {
    /// The rank itself.
    fn as_process(&self) -> Process<'_>;

    /// Gives all ranks what this one has.
    fn broadcast_into<B: BufferMut + ?Sized>(&self, buffer: &mut B) {
        let Process { of, rank } = self.as_process();
        let own = buffer.scalars().to_vec();
        of.run(Message::Broadcast(rank), Some(&own[..]), Some(buffer.scalars_mut()));
    }

    /// The numbers of all ranks reduced, of those that are not the root.
    fn reduce_into<S: Buffer + ?Sized>(&self, send: &S, op: SystemOperation) {
        let Process { of, rank } = self.as_process();
        of.run(Message::Reduce(op.0, rank), Some(send.scalars()), None);
    }

    /// The numbers of all ranks reduced, of the root.
    fn reduce_into_root<S, R>(&self, send: &S, receive: &mut R, op: SystemOperation)
    where
        S: Buffer + ?Sized,
        R: BufferMut<Scalar = S::Scalar> + ?Sized,
    {
        let Process { of, rank } = self.as_process();
        of.run(Message::Reduce(op.0, rank), Some(send.scalars()), Some(receive.scalars_mut()));
    }

    /// The numbers of all ranks one after the other, of those that are not the root.
    fn gather_into<S: Buffer + ?Sized>(&self, send: &S) {
        let Process { of, rank } = self.as_process();
        of.run(Message::Gather(rank), Some(send.scalars()), None);
    }

    /// The numbers of all ranks one after the other, of the root.
    fn gather_into_root<S, R>(&self, send: &S, receive: &mut R)
    where
        S: Buffer + ?Sized,
        R: BufferMut<Scalar = S::Scalar> + ?Sized,
    {
        let Process { of, rank } = self.as_process();
        of.run(Message::Gather(rank), Some(send.scalars()), Some(receive.scalars_mut()));
    }

    /// A part for each rank, of those that are not the root.
    fn scatter_into<R: BufferMut + ?Sized>(&self, receive: &mut R) {
        let Process { of, rank } = self.as_process();
        of.run(Message::Scatter(rank), None, Some(receive.scalars_mut()));
    }

    /// A part for each rank, of the root.
    fn scatter_into_root<S, R>(&self, send: &S, receive: &mut R)
    where
        S: Buffer + ?Sized,
        R: BufferMut<Scalar = S::Scalar> + ?Sized,
    {
        let Process { of, rank } = self.as_process();
        of.run(Message::Scatter(rank), Some(send.scalars()), Some(receive.scalars_mut()));
    }

    /// Sends the part of this rank, of those that are not the root.
    fn gather_varcount_into<S: Buffer + ?Sized>(&self, send: &S) {
        let Process { of, rank } = self.as_process();
        partition::send_part(of, rank, send.scalars());
    }

    /// What each rank sends goes to its part, of the root.
    fn gather_varcount_into_root<S, R>(&self, send: &S, receive: &mut R)
    where
        S: Buffer + ?Sized,
        R: PartitionedBufferMut<Scalar = S::Scalar> + ?Sized,
    {
        partition::gather(self.as_process().of, send.scalars(), receive);
    }

    /// Receives the part of this rank, of those that are not the root.
    fn scatter_varcount_into<R: BufferMut + ?Sized>(&self, receive: &mut R) {
        let Process { of, rank } = self.as_process();
        partition::receive_part(of, rank, receive.scalars_mut());
    }

    /// Each rank gets its part, of the root.
    fn scatter_varcount_into_root<S, R>(&self, send: &S, receive: &mut R)
    where
        S: PartitionedBuffer + ?Sized,
        R: BufferMut<Scalar = S::Scalar> + ?Sized,
    {
        partition::scatter(self.as_process().of, send, receive.scalars_mut());
    }
}

impl Process<'_> {
    /// Its number.
    pub fn rank(&self) -> i32 {
        self.rank
    }
}

impl Destination for Process<'_> {
    fn as_process(&self) -> Process<'_> {
        *self
    }
}

impl Source for Process<'_> {
    fn as_process(&self) -> Process<'_> {
        *self
    }
}

impl Root for Process<'_> {
    fn as_process(&self) -> Process<'_> {
        *self
    }
}

/// Messages between two ranks.
pub mod point_to_point {
    use super::{Buffer, BufferMut, Destination, Message, Received, Source, Status};

    /// Sends to one rank, and receives one value from one, with tag 0.
    pub fn send_receive<R, S, D, O>(send: &S, to: &D, from: &O) -> (R, Status)
    where
        R: BufferMut<Scalar = S::Scalar> + Received,
        S: Buffer + ?Sized,
        D: Destination,
        O: Source,
    {
        send_receive_with_tags(send, to, 0, from, 0)
    }

    /// The same with tags.
    pub fn send_receive_with_tags<R, S, D, O>(
        send: &S,
        to: &D,
        send_tag: i32,
        from: &O,
        receive_tag: i32,
    ) -> (R, Status)
    where
        R: BufferMut<Scalar = S::Scalar> + Received,
        S: Buffer + ?Sized,
        D: Destination,
        O: Source,
    {
        let mut received = R::ZERO;
        let status = send_receive_into_with_tags(send, to, send_tag, &mut received, from, receive_tag);
        (received, status)
    }

    /// Sends to one rank, and receives from one in its place, with tag 0.
    pub fn send_receive_replace_into<B, D, O>(buffer: &mut B, to: &D, from: &O) -> Status
    where
        B: BufferMut + ?Sized,
        D: Destination,
        O: Source,
    {
        send_receive_replace_into_with_tags(buffer, to, 0, from, 0)
    }

    /// The same with tags.
    pub fn send_receive_replace_into_with_tags<B, D, O>(
        buffer: &mut B,
        to: &D,
        send_tag: i32,
        from: &O,
        receive_tag: i32,
    ) -> Status
    where
        B: BufferMut + ?Sized,
        D: Destination,
        O: Source,
    {
        let sent = buffer.scalars().to_vec();
        let (to, from) = (to.as_process(), from.as_process());
        let message = Message::Exchange { to: to.rank, send_tag, from: from.rank, receive_tag };
        to.of.run(message, Some(&sent[..]), Some(buffer.scalars_mut()));
        Status { source: from.rank, tag: receive_tag }
    }

    /// Sends to one rank and receives from one, with tag 0: neither waits for the other to begin.
    pub fn send_receive_into<S, D, R, O>(send: &S, to: &D, receive: &mut R, from: &O) -> Status
    where
        S: Buffer + ?Sized,
        D: Destination,
        R: BufferMut<Scalar = S::Scalar> + ?Sized,
        O: Source,
    {
        send_receive_into_with_tags(send, to, 0, receive, from, 0)
    }

    /// The same with tags.
    pub fn send_receive_into_with_tags<S, D, R, O>(
        send: &S,
        to: &D,
        send_tag: i32,
        receive: &mut R,
        from: &O,
        receive_tag: i32,
    ) -> Status
    where
        S: Buffer + ?Sized,
        D: Destination,
        R: BufferMut<Scalar = S::Scalar> + ?Sized,
        O: Source,
    {
        let (to, from) = (to.as_process(), from.as_process());
        let message = Message::Exchange { to: to.rank, send_tag, from: from.rank, receive_tag };
        to.of.run(message, Some(send.scalars()), Some(receive.scalars_mut()));
        Status { source: from.rank, tag: receive_tag }
    }
}
