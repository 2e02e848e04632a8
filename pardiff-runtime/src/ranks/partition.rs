//! Buffers in parts, one for each rank, and the operations of all ranks whose parts differ in length.
//!
//! These consist of others: of broadcasts where all ranks get all parts, otherwise of messages from rank to rank.

use super::Count;
use super::communicator::{Communicator, SimpleCommunicator};
use super::data::{Buffer, BufferMut, Number};
use super::message::Message;
use std::borrow::Borrow;
use std::ops::Range;

/// The tag of these messages: the last one below those of derivatives.
const TAG: i32 = (1 << 14) - 1;

/// A buffer in parts: how long they are, and where they begin.
pub trait Partitioned {
    /// How many numbers each part has.
    fn counts(&self) -> &[Count];
    /// Where each part begins.
    fn displs(&self) -> &[Count];

    /// The part of a rank.
    fn part(&self, rank: usize) -> Range<usize> {
        let [from, len] = [self.displs(), self.counts()].map(|of| of[rank] as usize);
        from..from + len
    }
}

/// One that is sent.
pub trait PartitionedBuffer: Partitioned {
    /// The numbers in it.
    type Scalar: Number;
    /// All of them.
    fn scalars(&self) -> &[Self::Scalar];
}

/// One that is received into.
pub trait PartitionedBufferMut: Partitioned {
    /// The numbers in it.
    type Scalar: Number;
    /// All of them.
    fn scalars_mut(&mut self) -> &mut [Self::Scalar];
}

/// A buffer in parts that is sent.
pub struct Partition<'b, B: ?Sized, C, D> {
    buffer: &'b B,
    counts: C,
    displs: D,
}

/// A buffer in parts that is received into.
pub struct PartitionMut<'b, B: ?Sized, C, D> {
    buffer: &'b mut B,
    counts: C,
    displs: D,
}

impl<'b, B: Buffer + ?Sized, C: Borrow<[Count]>, D: Borrow<[Count]>> Partition<'b, B, C, D> {
    /// Parts of so many numbers, which begin there.
    ///
    /// # Panics
    ///
    /// Where a part goes beyond the buffer.
    pub fn new(buffer: &'b B, counts: C, displs: D) -> Partition<'b, B, C, D> {
        check(buffer.scalars().len(), counts.borrow(), displs.borrow());
        Partition { buffer, counts, displs }
    }
}

impl<'b, B: BufferMut + ?Sized, C: Borrow<[Count]>, D: Borrow<[Count]>> PartitionMut<'b, B, C, D> {
    /// Parts of so many numbers, which begin there.
    ///
    /// # Panics
    ///
    /// Where a part goes beyond the buffer.
    pub fn new(buffer: &'b mut B, counts: C, displs: D) -> PartitionMut<'b, B, C, D> {
        check(buffer.scalars().len(), counts.borrow(), displs.borrow());
        PartitionMut { buffer, counts, displs }
    }
}

fn check(len: usize, counts: &[Count], displs: &[Count]) {
    for (rank, (&count, &from)) in counts.iter().zip(displs).enumerate() {
        let fits = count >= 0
            && from >= 0
            && (from as usize).checked_add(count as usize).is_some_and(|end| end <= len);
        assert!(fits, "the part of rank {rank}, {count} numbers from {from} on, is not in a buffer of {len}");
    }
}

impl<B: ?Sized, C: Borrow<[Count]>, D: Borrow<[Count]>> Partitioned for Partition<'_, B, C, D> {
    fn counts(&self) -> &[Count] {
        self.counts.borrow()
    }

    fn displs(&self) -> &[Count] {
        self.displs.borrow()
    }
}

impl<B: ?Sized, C: Borrow<[Count]>, D: Borrow<[Count]>> Partitioned for PartitionMut<'_, B, C, D> {
    fn counts(&self) -> &[Count] {
        self.counts.borrow()
    }

    fn displs(&self) -> &[Count] {
        self.displs.borrow()
    }
}

impl<B: Buffer + ?Sized, C: Borrow<[Count]>, D: Borrow<[Count]>> PartitionedBuffer
    for Partition<'_, B, C, D>
{
    type Scalar = B::Scalar;

    fn scalars(&self) -> &[B::Scalar] {
        self.buffer.scalars()
    }
}

impl<B: BufferMut + ?Sized, C: Borrow<[Count]>, D: Borrow<[Count]>> PartitionedBufferMut
    for PartitionMut<'_, B, C, D>
{
    type Scalar = B::Scalar;

    fn scalars_mut(&mut self) -> &mut [B::Scalar] {
        self.buffer.scalars_mut()
    }
}

pub(super) fn all_gather<R: PartitionedBufferMut + ?Sized>(
    world: &SimpleCommunicator,
    own: &[R::Scalar],
    to: &mut R,
) {
    for rank in 0..world.size() {
        let part = to.part(rank as usize);
        let sent = (rank == world.rank()).then_some(own);
        world.run(
            Message::Broadcast(rank),
            Some(sent.unwrap_or_default()),
            Some(&mut to.scalars_mut()[part]),
        );
    }
}

pub(super) fn all_to_all<S, R>(world: &SimpleCommunicator, from: &S, to: &mut R)
where
    S: PartitionedBuffer + ?Sized,
    R: PartitionedBufferMut<Scalar = S::Scalar> + ?Sized,
{
    let (own, size) = (world.rank(), world.size());
    for distance in 0..size {
        let (next, last) = ((own + distance) % size, (own + size - distance) % size);
        let message = Message::Exchange { to: next, send_tag: TAG, from: last, receive_tag: TAG };
        let sent = &from.scalars()[from.part(next as usize)];
        let part = to.part(last as usize);
        world.run(message, Some(sent), Some(&mut to.scalars_mut()[part]));
    }
}

pub(super) fn send_part<T: Number>(world: &SimpleCommunicator, to: i32, own: &[T]) {
    world.run(Message::Send { to, tag: TAG }, Some(own), None);
}

pub(super) fn receive_part<T: Number>(world: &SimpleCommunicator, from: i32, to: &mut [T]) {
    world.run(Message::Receive { from, tag: TAG }, None, Some(to));
}

pub(super) fn gather<R: PartitionedBufferMut + ?Sized>(
    world: &SimpleCommunicator,
    own: &[R::Scalar],
    to: &mut R,
) {
    for rank in 0..world.size() {
        let part = to.part(rank as usize);
        let to = &mut to.scalars_mut()[part];
        match rank == world.rank() {
            true => to.copy_from_slice(own),
            false => receive_part(world, rank, to),
        }
    }
}

pub(super) fn scatter<S: PartitionedBuffer + ?Sized>(
    world: &SimpleCommunicator,
    from: &S,
    own: &mut [S::Scalar],
) {
    for rank in 0..world.size() {
        let part = &from.scalars()[from.part(rank as usize)];
        match rank == world.rank() {
            true => own.copy_from_slice(part),
            false => send_part(world, rank, part),
        }
    }
}
