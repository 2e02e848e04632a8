//! Prefix sums and sorted numbers: what generated host code asks for beside its own kernels; see `text/order.cuh`.
//!
//! Numbers are sorted digit by digit, from the last one on, each time without a change of the order of equal digits. No addition is
//! atomic, so that there is one result; and the time does not depend on how often a number occurs.

use super::call::Call;
use super::device::{Kernel, Module};
use super::{Buffer, Error};

/// Threads of a block.
const BLOCK: u32 = 128;
/// Elements that a block works on at a time.
const TILE: u64 = 2048;
/// Blocks, at most: they take one tile after the other beyond that.
const MOST_BLOCKS: u64 = 8192;
/// Bits of a digit.
const DIGIT: u32 = 5;

const SUMS: usize = 0;
const SCAN_SUMS: usize = 1;
const SCAN: usize = 2;
const COUNT: usize = 3;
const PLACE: usize = 4;
const TILE_AT_ONCE: usize = 5;

static ORDER: Module = Module {
    text: include_str!("text/order.cuh"),
    kernels: &[
        Kernel { name: "pd_order_sums", words: 4 },
        Kernel { name: "pd_order_scan_sums", words: 2 },
        Kernel { name: "pd_order_scan", words: 4 },
        Kernel { name: "pd_order_count", words: 5 },
        Kernel { name: "pd_order_place", words: 8 },
        Kernel { name: "pd_order_tile", words: 4 },
    ],
};

impl Call<'_> {
    /// Each element of an array of 64 bits becomes the sum of those in front of it; sums saturate.
    ///
    /// # Safety
    ///
    /// The address is that of an array of at least `len` elements of this device.
    pub unsafe fn scan(&self, array: u64, len: usize) -> Result<(), Error> {
        if len == 0 {
            return Ok(());
        }
        self.gpu().load(&ORDER)?;
        let len = len as u64;
        let tiles = len.div_ceil(TILE);
        let sums: Buffer<u64> = self.scratch(usize::try_from(tiles).ok())?;
        let sums = self.address(&sums, "sums")?;
        // Safety: the array is the caller's; each tile has a sum.
        unsafe {
            self.order(SUMS, tiles, &[array, len, tiles, sums])?;
            self.order(SCAN_SUMS, 1, &[tiles, sums])?;
            self.order(SCAN, tiles, &[array, len, tiles, sums])
        }
    }

    /// Sorts `len` numbers of 32 bits, none of which is above `greatest`; `order` becomes the place that each of them had.
    ///
    /// # Safety
    ///
    /// The addresses are those of two arrays of at least `len` elements of 32 bits of this device.
    pub unsafe fn sort(&self, [keys, order]: [u64; 2], len: usize, greatest: usize) -> Result<(), Error> {
        if len == 0 {
            return Ok(());
        }
        if u32::try_from(len).is_err() {
            return Err(Error::OutOfMemory { bytes: usize::MAX });
        }
        self.gpu().load(&ORDER)?;
        let bits = (usize::BITS - greatest.leading_zeros()).min(u32::BITS);
        let passes = bits.div_ceil(DIGIT).max(1);
        let tiles = (len as u64).div_ceil(TILE);
        if tiles == 1 {
            // Safety: the arrays are as long as the kernel takes them for.
            return unsafe { self.order(TILE_AT_ONCE, 1, &[keys, len as u64, u64::from(passes), order]) };
        }
        let counters = usize::try_from(tiles << DIGIT).ok();
        let counts: Buffer<u64> = self.scratch(counters)?;
        let others: [Buffer<u32>; 2] = [self.scratch(Some(len))?, self.scratch(Some(len))?];
        let counts_at = self.address(&counts, "counts")?;
        let others = [self.address(&others[0], "keys")?, self.address(&others[1], "order")?];
        let (mut from, mut to) = ([keys, order], others);
        for pass in 0..passes {
            let shift = u64::from(pass * DIGIT);
            let numbers = if pass == 0 { 0 } else { from[1] };
            // Safety: the arrays are as long as the kernels take them for, and `from` and `to` differ.
            unsafe {
                self.order(COUNT, tiles, &[from[0], len as u64, shift, tiles, counts_at])?;
                self.scan(counts_at, counts.len())?;
                let words = [from[0], len as u64, shift, tiles, counts_at, numbers, to[0], to[1]];
                self.order(PLACE, tiles, &words)?;
            }
            std::mem::swap(&mut from, &mut to);
        }
        if from != [keys, order] {
            let bytes = len * size_of::<u32>();
            // Safety: all of these have so many bytes.
            unsafe {
                self.gpu().device().copy(keys, from[0], bytes)?;
                self.gpu().device().copy(order, from[1], bytes)?;
            }
        }
        Ok(())
    }

    /// Starts a kernel of this module, with a block for each of so many tiles.
    ///
    /// # Safety
    ///
    /// The words are those that the kernel takes.
    unsafe fn order(&self, kernel: usize, tiles: u64, words: &[u64]) -> Result<(), Error> {
        let grid = tiles.min(MOST_BLOCKS) as u32;
        // Safety: the caller's.
        unsafe { self.gpu().device().launch(&ORDER, kernel, grid, BLOCK, words) }
    }
}
