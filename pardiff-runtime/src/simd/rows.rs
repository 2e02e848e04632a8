//! Short rows behind an index: eight rows of memory become one vector for each of their elements, and back.
//!
//! Lane `l` owns the row at `base + offsets[l]`. Rows are read and written as rows, eight elements at a time, and
//! transposed in registers: element-wise gathers would take as many accesses as there are elements.
//!
//! Loops over lanes count, here and in `access`: LLVM unrolls all of them, in every function that calls these, and needs a multiple
//! of the time to take iterators of arrays apart first.

use super::{LANES, Mask, Vector, map1};
use crate::storage::Zero;
use std::hint::black_box;
use std::ops::Add;

/// The first active lane whose row `offsets[l] .. offsets[l] + row` does not lie in `0..len`.
#[cfg_attr(not(unoptimised), inline(always))]
pub fn first_outside<M: Mask>(offsets: [usize; LANES], row: usize, len: usize, mask: M) -> Option<usize> {
    // an array has at most `isize::MAX` elements
    let beyond = (len + 1).saturating_sub(row);
    let outside = mask & !M::less(offsets, [beyond; LANES]);
    outside.any().then(|| outside.first_active())
}

/// The rows at `base + offsets[l]` of `R` elements each: lane `l` of result `k` is element `k` of row `l`. `base` may be
/// any number of elements away from the array, modulo the width of `usize`.
///
/// # Safety
///
/// `base + offsets[l] .. base + offsets[l] + R` is readable and initialised for every lane `l`.
#[cfg_attr(not(unoptimised), inline(always))]
pub unsafe fn load_rows<T: Copy, V: Vector<T>, const R: usize>(
    base: *const T,
    offsets: [usize; LANES],
) -> [V; R] {
    // Safety: the caller's promise
    unsafe { V::load_rows(map1(offsets, |offset| base.wrapping_add(offset))) }
}

/// Adds lane `l` of `columns[k]` to element `k` of the row at `base + offsets[l]`, lane after lane: rows may overlap. Lanes that are
/// not active add nothing to theirs.
///
/// It does not branch on which lanes are active, as that is often not to be predicted.
///
/// # Safety
///
/// `base + offsets[l] .. base + offsets[l] + R` is readable, initialised and writable for every lane `l`.
#[cfg_attr(not(unoptimised), inline(always))]
pub unsafe fn scatter_add_rows<T: Zero + Add<Output = T>, V: Vector<T>, const R: usize>(
    base: *mut T,
    offsets: [usize; LANES],
    columns: [V; R],
    mask: V::Mask,
) {
    let nothing = -V::splat(T::ZERO);
    if R < LANES {
        // no closure: it would not have the features of the code around it
        let mut memory = [[T::ZERO; LANES]; R];
        let mut k = 0;
        while k < R {
            memory[k] = V::select(mask, columns[k], nothing).to_array();
            k += 1;
        }
        // taken out of registers, each element would wait for two shuffles, of which a core does one or two at a time;
        // out of memory it is an operand. What the compiler cannot see through stays there.
        let memory = black_box(memory);
        let mut lane = 0;
        while lane < LANES {
            let row = base.wrapping_add(offsets[lane]);
            let mut k = 0;
            while k < R {
                // Safety: the caller's promise, for `k < R`
                unsafe { row.add(k).write(row.add(k).read() + memory[k][lane]) };
                k += 1;
            }
            lane += 1;
        }
        return;
    }
    let mut first = 0;
    while first < R {
        let width = if R - first < LANES { R - first } else { LANES };
        let mut part = [nothing; LANES];
        let mut k = 0;
        while k < width {
            part[k] = V::select(mask, columns[first + k], nothing);
            k += 1;
        }
        let rows = V::transpose(part);
        let mut lane = 0;
        while lane < LANES {
            // Safety: the caller's promise, and `first + width <= R`
            unsafe {
                let p = base.wrapping_add(offsets[lane]).wrapping_add(first);
                if width == LANES {
                    (V::load(p) + rows[lane]).store(p);
                } else {
                    // element by element (the compiler joins what it can): rows of lanes that follow each other are
                    // often the same one, and what is stored under a mask is slow to load again
                    let row = rows[lane].to_array();
                    let mut k = 0;
                    while k < width {
                        p.add(k).write(p.add(k).read() + row[k]);
                        k += 1;
                    }
                }
            }
            lane += 1;
        }
        first += LANES;
    }
}

/// Sets element `k` of the row at `base + offsets[l]` to lane `l` of `columns[k]`, for active lanes; the rows of others are not
/// touched. Where rows overlap, an element has the value of one of them.
///
/// # Safety
///
/// `base + offsets[l] .. base + offsets[l] + R` is writable for every active lane `l`.
#[cfg_attr(not(unoptimised), inline(always))]
pub unsafe fn scatter_rows<T: Zero, V: Vector<T>, const R: usize>(
    base: *mut T,
    offsets: [usize; LANES],
    columns: [V; R],
    mask: V::Mask,
) {
    let mut first = 0;
    while first < R {
        let width = if R - first < LANES { R - first } else { LANES };
        let mut part = [V::splat(T::ZERO); LANES];
        part[..width].copy_from_slice(&columns[first..first + width]);
        let rows = V::transpose(part);
        let mut lane = 0;
        while lane < LANES {
            if mask.get(lane) {
                // Safety: the row of an active lane is writable, and `first + width <= R`
                unsafe {
                    let p = base.wrapping_add(offsets[lane]).wrapping_add(first);
                    rows[lane].store_first(p, width);
                }
            }
            lane += 1;
        }
        first += LANES;
    }
}
