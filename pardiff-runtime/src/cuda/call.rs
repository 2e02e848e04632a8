//! One call of a generated function.

use super::device::Module;
use super::{Buffer, Element, Error, Gpu};

/// Threads of a block, at most, and of every one whose threads are iterations of the kernel.
const BLOCK: u64 = 128;
/// Threads that exchange values without a barrier: blocks are whole warps.
const WARP: u64 = 32;
/// Of a large device.
const MULTIPROCESSORS: u64 = 132;
/// Blocks of a kernel, at most: threads take one iteration after the other beyond that.
const MOST_BLOCKS: u64 = 8192;
/// Threads of blocks that have memory of their own, at most: as many as a large device runs at a time.
const FULL_THREADS: u64 = 1024 * BLOCK;
/// Elements of the threads' own arrays, at most: kernels that need more have fewer threads.
const MOST_PRIVATE: u64 = 1 << 24;

/// Elements whose copies a block merges at a time: they fill two sectors of memory.
const COLUMNS_OF_A_MERGE: u64 = 8;
/// Copies that a thread merges, at most, before what threads have is merged in turn.
const COPIES_OF_A_THREAD: u64 = 32;

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
    /// Threads of a block whose threads are iterations of the kernel.
    pub const BLOCK: u64 = BLOCK;

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

    /// How many blocks of `width` threads run `iterations`, one after the other each; see [`Call::threads`].
    pub fn of_blocks(iterations: u64, private: Option<u64>, width: u64) -> u64 {
        let most = match private.unwrap_or(u64::MAX) {
            0 => MOST_BLOCKS,
            private => (MOST_PRIVATE / private / BLOCK).clamp(1, FULL_THREADS / width),
        };
        iterations.min(most)
    }

    /// How many threads a block has that shares out loops of so many iterations: no more than the longest needs.
    pub fn width(columns: &[usize]) -> u64 {
        let longest = columns.iter().max().map_or(BLOCK, |&longest| longest as u64);
        longest.clamp(1, BLOCK).next_multiple_of(WARP)
    }

    /// How many threads a block has each of which runs an iteration: few where there are few iterations, so that all
    /// multiprocessors have some.
    pub fn spread(iterations: u64) -> u64 {
        (iterations / MULTIPROCESSORS).clamp(WARP, BLOCK).next_power_of_two().min(BLOCK)
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

    /// Starts a kernel with so many threads, if there are any.
    ///
    /// # Safety
    ///
    /// The words are those that the kernel takes.
    pub unsafe fn launch(&self, kernel: usize, threads: u64, words: &[u64]) -> Result<(), Error> {
        let (blocks, width) = if threads == 1 { (1, 1) } else { (threads.div_ceil(BLOCK), BLOCK) };
        // Safety: the caller's.
        unsafe { self.launch_blocks(kernel, blocks, width, words) }
    }

    /// Starts a kernel with so many blocks of `width` threads, if there are any.
    ///
    /// # Safety
    ///
    /// The words are those that the kernel takes.
    pub unsafe fn launch_blocks(
        &self,
        kernel: usize,
        blocks: u64,
        width: u64,
        words: &[u64],
    ) -> Result<(), Error> {
        if blocks == 0 {
            return Ok(());
        }
        // Safety: the caller's; the numbers of blocks and threads are within the limits of every device.
        unsafe { self.gpu.device().launch(self.module, kernel, blocks as u32, width as u32, words) }
    }

    /// Merges so many copies of an array of `len` elements into it, `[copies, array]`: copies of blocks lie one behind the other,
    /// those of threads side by side, element by element. The order of each sum depends on these numbers alone.
    ///
    /// # Safety
    ///
    /// The kernel is one of `pd_merge` for elements of this type, and the addresses are those of so many of these.
    pub unsafe fn merge<T: Element>(
        &self,
        kernel: usize,
        [copies, array]: [u64; 2],
        len: Option<usize>,
        many: u64,
        of_blocks: bool,
    ) -> Result<(), Error> {
        let len = len.unwrap_or(0) as u64;
        let columns =
            |of_blocks: bool| if of_blocks { len.next_power_of_two().min(COLUMNS_OF_A_MERGE) } else { 1 };
        let chunk = |of_blocks: bool| BLOCK / columns(of_blocks) * COPIES_OF_A_THREAD;
        let words = |from, to, many: u64, of_blocks: bool, chunk: u64, is_last: bool| {
            let (by_element, by_copy) = if of_blocks { (1, len) } else { (many, 1) };
            [from, to, len, many, by_element, by_copy, columns(of_blocks), chunk, u64::from(is_last)]
        };
        let blocks = |of_blocks, chunks: u64| len.div_ceil(columns(of_blocks)).saturating_mul(chunks);
        let chunks = many.div_ceil(chunk(of_blocks));
        if chunks <= 1 {
            // Safety: the caller's.
            return unsafe {
                let words = words(copies, array, many, of_blocks, many.max(1), true);
                self.launch(kernel, Call::block_each(blocks(of_blocks, 1)), &words)
            };
        }
        let parts = len.checked_mul(chunks).and_then(|all| usize::try_from(all).ok());
        let parts: Buffer<T> = self.scratch(parts)?;
        let parts = self.address(&parts, "parts")?;
        // Safety: the caller's; each chunk of copies has a part of `len` elements.
        unsafe {
            let first = words(copies, parts, many, of_blocks, chunk(of_blocks), false);
            self.launch(kernel, Call::block_each(blocks(of_blocks, chunks)), &first)?;
            self.launch(
                kernel,
                Call::block_each(blocks(true, 1)),
                &words(parts, array, chunks, true, chunks, true),
            )
        }
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
        assert_eq!(Call::of_blocks(0, Some(0), BLOCK), 0);
        assert_eq!(Call::of_blocks(5, Some(0), BLOCK), 5);
        assert_eq!(Call::of_blocks(1 << 40, Some(1), BLOCK), FULL_THREADS / BLOCK);
        assert_eq!(Call::of_blocks(1 << 40, Some(1), WARP), FULL_THREADS / WARP);
        assert_eq!(Call::of_blocks(1 << 40, None, BLOCK), 1);
        assert_eq!(
            [Call::width(&[]), Call::width(&[7, 33]), Call::width(&[0]), Call::width(&[1000])],
            [128, 64, 32, 128]
        );
        assert_eq!([0, 1000, 5000, 10_000, 1 << 40].map(Call::spread), [32, 32, 64, 128, 128]);
        assert_eq!(Call::private(&[Some(3)], &[Some(129), Some(1)]), Some(3 + 2));
        assert_eq!(Call::private(&[Some(3), None], &[]), None);
    }
}
