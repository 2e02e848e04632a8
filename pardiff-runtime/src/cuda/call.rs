//! One call of a generated function.

use super::device::Module;
use super::{Buffer, Element, Error, Gpu};

/// Threads of a block of every kernel that has more than one thread.
const BLOCK: u64 = 128;
/// Blocks of a kernel, at most: threads take one iteration after the other beyond that.
const MOST_BLOCKS: u64 = 8192;
/// Blocks of a kernel that have memory of their own, at most: as many as a large device runs at a time.
const FULL_BLOCKS: u64 = 1024;
/// Elements of the threads' own arrays, at most: kernels that need more have fewer threads.
const MOST_PRIVATE: u64 = 1 << 24;

/// The checks of the function that failed on the device: the first one's number, from 1, and its three operands.
type Failed = [u64; 4];

/// A call: launches in order, and memory that lives as long.
#[derive(Debug)]
pub struct Call<'a> {
    gpu: &'a Gpu,
    module: &'static Module,
    failed: Buffer<u64>,
}

impl<'a> Call<'a> {
    /// Begins a call; the kernels are compiled if they were not before.
    pub fn new(gpu: &'a Gpu, module: &'static Module) -> Result<Call<'a>, Error> {
        gpu.load(module)?;
        Ok(Call { gpu, module, failed: gpu.zeros(size_of::<Failed>() / 8)? })
    }

    pub(super) fn gpu(&self) -> &Gpu {
        self.gpu
    }

    /// Memory of so many elements; `None` is more than any machine has.
    pub fn scratch<T: Element>(&self, len: Option<usize>) -> Result<Buffer<T>, Error> {
        Buffer::unspecified(self.gpu, len.ok_or(Error::OutOfMemory { bytes: usize::MAX })?)
    }

    /// So many zeros.
    pub fn zeros<T: Element>(&self, len: Option<usize>) -> Result<Buffer<T>, Error> {
        self.gpu.zeros(len.ok_or(Error::OutOfMemory { bytes: usize::MAX })?)
    }

    /// An array with these elements.
    pub fn upload<T: Element>(&self, elements: &[T]) -> Result<Buffer<T>, Error> {
        self.gpu.upload(elements)
    }

    /// The record of failed checks, as a kernel takes it.
    pub fn failed(&self) -> u64 {
        self.failed.address_on(self.gpu).unwrap_or(0)
    }

    /// A buffer as a kernel takes it.
    pub fn address<T: Element>(&self, buffer: &Buffer<T>, argument: &'static str) -> Result<u64, Error> {
        buffer.address_on(self.gpu).ok_or(Error::OtherDevice { argument })
    }

    /// One element, when everything before is done.
    pub fn scalar<T: Element>(&self, buffer: &Buffer<T>, at: usize) -> Result<T, Error> {
        buffer.element(at)
    }

    /// How many threads run `iterations`, each with so many elements of its own; whole blocks, or none.
    pub fn threads(iterations: u64, private: Option<u64>) -> u64 {
        let most = match private.unwrap_or(u64::MAX) {
            0 => BLOCK * MOST_BLOCKS,
            private => (MOST_PRIVATE / private).max(1).next_multiple_of(BLOCK),
        };
        iterations.min(most).next_multiple_of(BLOCK).min(BLOCK * MOST_BLOCKS)
    }

    /// Threads of a block an iteration; see [`Call::threads`].
    pub fn of_blocks(iterations: u64, private: Option<u64>) -> u64 {
        let most = match private.unwrap_or(u64::MAX) {
            0 => MOST_BLOCKS,
            private => (MOST_PRIVATE / private / BLOCK).clamp(1, FULL_BLOCKS),
        };
        iterations.min(most) * BLOCK
    }

    /// How many elements a thread has of its own, with its part of what its block has: arrays of these lengths.
    pub fn private(of_thread: &[Option<usize>], of_block: &[Option<usize>]) -> Option<u64> {
        let all =
            |lens: &[Option<usize>]| lens.iter().try_fold(0_u64, |all, len| all.checked_add((*len)? as u64));
        all(of_thread)?.checked_add(all(of_block)?.div_ceil(BLOCK))
    }

    /// Threads for a block an element.
    pub fn block_each(elements: u64) -> u64 {
        elements.min(MOST_BLOCKS) * BLOCK
    }

    /// The number of elements of an array whose rows are padded to a multiple; `None` is more than any machine has.
    pub fn padded(extents: &[usize], multiple: usize) -> Option<usize> {
        let (last, outer) = extents.split_last()?;
        let row = last.checked_next_multiple_of(multiple.max(1))?;
        outer.iter().try_fold(row, |product, extent| product.checked_mul(*extent))
    }

    /// The number of elements of an array that holds the lower triangle of its last two dimensions.
    pub fn triangles(extents: &[usize]) -> Option<usize> {
        let [outer @ .., rows, _] = extents else { return None };
        let triangle = rows.checked_mul(rows.checked_add(1)?)? / 2;
        outer.iter().try_fold(triangle, |product, extent| product.checked_mul(*extent))
    }

    /// How many blocks these threads are.
    pub fn blocks(threads: u64) -> u64 {
        threads / BLOCK
    }

    /// Starts a kernel with so many threads, if there are any.
    ///
    /// # Safety
    ///
    /// The words are those that the kernel takes.
    pub unsafe fn launch(&self, kernel: usize, threads: u64, words: &[u64]) -> Result<(), Error> {
        if threads == 0 {
            return Ok(());
        }
        let (grid, block) = if threads == 1 { (1, 1) } else { (threads.div_ceil(BLOCK), BLOCK) };
        // Safety: the caller's; the numbers of threads are within the limits of every device.
        unsafe { self.gpu.device().launch(self.module, kernel, grid as u32, block as u32, words) }
    }

    /// Ends the call: the failed check, if there is one. Its number counts from 0.
    pub fn finish(&self) -> Result<Option<(u64, [u64; 3])>, Error> {
        let mut failed: Failed = [0; 4];
        self.failed.read(&mut failed)?;
        let [number, a, b, c] = failed;
        Ok(number.checked_sub(1).map(|number| (number, [a, b, c])))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_are_whole_blocks_and_few_where_each_needs_much() {
        assert_eq!(Call::threads(0, Some(0)), 0);
        assert_eq!(Call::threads(1, Some(0)), BLOCK);
        assert_eq!(Call::threads(1 << 40, Some(0)), BLOCK * MOST_BLOCKS);
        assert_eq!(Call::threads(1 << 40, Some(800)), (MOST_PRIVATE / 800).next_multiple_of(BLOCK));
        assert_eq!(Call::threads(1 << 40, Some(u64::MAX)), BLOCK);
        assert_eq!(Call::threads(1 << 40, None), BLOCK);
        assert_eq!(Call::of_blocks(0, Some(0)), 0);
        assert_eq!(Call::of_blocks(5, Some(0)), 5 * BLOCK);
        assert_eq!(Call::of_blocks(1 << 40, Some(1)), FULL_BLOCKS * BLOCK);
        assert_eq!(Call::of_blocks(1 << 40, None), BLOCK);
        assert_eq!(Call::private(&[Some(3)], &[Some(129), Some(1)]), Some(3 + 2));
        assert_eq!(Call::private(&[Some(3), None], &[]), None);
    }
}
