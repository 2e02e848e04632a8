//! Matrix products by the crate `gemm`, each task a part of the target.
//!
//! The parts follow from the sizes alone, and each is one call on one thread; so the bits do not depend on the number of
//! threads.

use crate::{Disjoint, tasks};
use std::ops::{AddAssign, Mul};

/// What matrices are made of.
pub trait Factor: Copy + Send + Sync + AddAssign + Mul<Output = Self> + 'static {
    /// One.
    const ONE: Self;
}

impl Factor for f32 {
    const ONE: f32 = 1.0;
}

impl Factor for f64 {
    const ONE: f64 = 1.0;
}

/// A task has at least so many multiplications, about 0.2 ms.
const GRAIN: usize = 1 << 22;
/// The most tasks of a product.
const MOST_TASKS: usize = 64;
/// A part of the target is not cut into narrower ones than this.
const NARROW: usize = 64;
/// Parts are multiples of it: of a register tile of any level.
const TILE: usize = 16;

/// `target[i, j] += scale * Σ left[i, k] * right[k, j]`, for `i`, `j` and `k` below the three sizes. Of target, left and
/// right the places say where element `[0, 0]` is, and by what the next row and the next column differ.
///
/// # Panics
///
/// Panics if an element is not there.
pub fn product<T: Factor>(
    [rows, columns, depth]: [usize; 3],
    scale: T,
    target: &mut [T],
    [left, right]: [&[T]; 2],
    places: [[usize; 3]; 3],
) {
    if rows == 0 || columns == 0 || depth == 0 {
        return;
    }
    let [of_target, of_left, of_right] = places;
    let target_at = Matrix::new(target.len(), [rows, columns], of_target);
    let left_at = Matrix::new(left.len(), [rows, depth], of_left);
    let right_at = Matrix::new(right.len(), [depth, columns], of_right);
    if cfg!(miri) || !target_at.is_distinct() {
        for row in 0..rows {
            for column in 0..columns {
                for term in 0..depth {
                    let factors = left[left_at.at(row, term)] * right[right_at.at(term, column)];
                    target[target_at.at(row, column)] += scale * factors;
                }
            }
        }
        return;
    }
    let shared = Disjoint::new(target);
    let [height, width] = part(rows, columns, depth);
    let across = columns.div_ceil(width);
    tasks(rows.div_ceil(height) * across, &|task| {
        let (row, column) = (task / across * height, task % across * width);
        let (height, width) = (height.min(rows - row), width.min(columns - column));
        // Safety: `Matrix::new` has checked that the last element of each matrix, and so every one, is in its slice; the
        // elements of the target differ, and each belongs to one task; the target is borrowed alone
        unsafe {
            gemm::gemm(
                height,
                width,
                depth,
                shared.as_ptr().add(target_at.at(row, column)),
                target_at.steps[1] as isize,
                target_at.steps[0] as isize,
                true,
                left.as_ptr().add(left_at.at(row, 0)),
                left_at.steps[1] as isize,
                left_at.steps[0] as isize,
                right.as_ptr().add(right_at.at(0, column)),
                right_at.steps[1] as isize,
                right_at.steps[0] as isize,
                T::ONE,
                scale,
                false,
                false,
                false,
                gemm::Parallelism::None,
            );
        }
    });
}

/// Rows and columns of the part of a task: as many parts as the work is worth, as square as powers of two make them.
fn part(rows: usize, columns: usize, depth: usize) -> [usize; 2] {
    let work = rows.saturating_mul(columns).saturating_mul(depth);
    let wanted = (work / GRAIN).clamp(1, MOST_TASKS);
    let (mut down, mut across) = (1, 1);
    while 2 * down * across <= wanted {
        let (height, width) = (rows / (2 * down), columns / (2 * across));
        if height >= width && height >= NARROW {
            down *= 2;
        } else if width >= NARROW {
            across *= 2;
        } else if height >= NARROW {
            down *= 2;
        } else {
            break;
        }
    }
    [rows.div_ceil(down), columns.div_ceil(across)].map(|size| size.next_multiple_of(TILE))
}

/// The places of a matrix in a slice that has all its elements.
#[derive(Clone, Copy)]
struct Matrix {
    first: usize,
    sizes: [usize; 2],
    steps: [usize; 2],
}

impl Matrix {
    /// The sizes are not zero.
    fn new(len: usize, sizes: [usize; 2], [first, rows, columns]: [usize; 3]) -> Matrix {
        // the step of a dimension of one element is none
        let step = |size: usize, step: usize| if size > 1 { step } else { 1 };
        let steps = [step(sizes[0], rows), step(sizes[1], columns)];
        let along = |dim: usize| {
            if sizes[dim] > 1 { (sizes[dim] - 1).checked_mul(steps[dim]) } else { Some(0) }
        };
        let last = || first.checked_add(along(0)?)?.checked_add(along(1)?);
        assert!(
            last().is_some_and(|last| last < len),
            "a matrix product outside of an array of length {len}"
        );
        Matrix { first, sizes, steps }
    }

    fn at(self, row: usize, column: usize) -> usize {
        let along = |at: usize, step: usize| if at > 0 { at * step } else { 0 };
        self.first + along(row, self.steps[0]) + along(column, self.steps[1])
    }

    /// Whether no two elements share a place: one row ends before the next one begins, or one column.
    fn is_distinct(self) -> bool {
        let apart = |inner: usize, outer: usize| {
            let extent = (self.sizes[inner] - 1) * self.steps[inner];
            self.steps[inner] > 0 && (self.sizes[outer] == 1 || self.steps[outer] > extent)
        };
        apart(1, 0) || apart(0, 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(count: usize) -> Vec<f64> {
        (0..count).map(|k| (k * 7 % 11) as f64 - 5.0).collect()
    }

    /// Small integers, whose products are exact in any order.
    fn expect([m, n, k]: [usize; 3], places: [[usize; 3]; 3], lens: [usize; 3]) {
        let [mut target, left, right] = lens.map(numbers);
        let mut wanted = target.clone();
        let at = |[first, row, column]: [usize; 3], i: usize, j: usize| first + i * row + j * column;
        for i in 0..m {
            for j in 0..n {
                for l in 0..k {
                    wanted[at(places[0], i, j)] +=
                        2.0 * left[at(places[1], i, l)] * right[at(places[2], l, j)];
                }
            }
        }
        product([m, n, k], 2.0, &mut target, [&left, &right], places);
        assert_eq!(target, wanted, "{m} {n} {k} {places:?}");
    }

    #[test]
    fn every_order_of_rows_and_columns() {
        let (m, n, k) = if cfg!(miri) { (3, 4, 5) } else { (70, 90, 33) };
        let orders = |rows: usize, columns: usize| [[0, columns, 1], [0, 1, rows]];
        for target in orders(m, n) {
            for left in orders(m, k) {
                for right in orders(k, n) {
                    expect([m, n, k], [target, left, right], [m * n, m * k, k * n]);
                }
            }
        }
    }

    #[test]
    fn parts_and_gaps() {
        if cfg!(miri) {
            return;
        }
        // in parts
        expect([300, 500, 200], [[0, 500, 1], [0, 200, 1], [0, 500, 1]], [150_000, 60_000, 100_000]);
        // a window of a larger array, and every second element
        expect([20, 30, 40], [[5, 100, 2], [7, 50, 1], [1, 33, 1]], [2000, 1100, 1500]);
        // one row, one column, one term
        expect([1, 30, 40], [[0, 0, 1], [0, 0, 1], [0, 30, 1]], [30, 40, 1200]);
        expect([30, 1, 40], [[0, 1, 0], [0, 40, 1], [0, 1, 0]], [30, 1200, 40]);
        expect([30, 20, 1], [[0, 20, 1], [0, 1, 0], [0, 0, 1]], [600, 30, 20]);
    }

    #[test]
    fn overlapping_rows_of_the_target_are_added_up() {
        expect([9, 8, 7], [[0, 3, 1], [0, 7, 1], [0, 8, 1]], [40, 63, 56]);
        expect([9, 8, 7], [[0, 0, 1], [0, 7, 1], [0, 8, 1]], [40, 63, 56]);
    }

    #[test]
    fn nothing_is_done_for_a_size_of_zero() {
        product([0, 3, 3], 1.0, &mut [0.0_f32; 0], [&[], &[]], [[9; 3]; 3]);
    }

    #[test]
    #[should_panic(expected = "a matrix product outside of an array of length 5")]
    fn every_element_is_there() {
        product([2, 3, 1], 1.0, &mut [0.0; 5], [&[1.0; 2], &[1.0; 3]], [[0, 3, 1], [0, 1, 1], [0, 1, 1]]);
    }

    #[test]
    #[should_panic(expected = "a matrix product outside of an array")]
    fn places_do_not_overflow() {
        let far = [usize::MAX / 2, usize::MAX / 2, usize::MAX / 2];
        product([3, 3, 1], 1.0, &mut [0.0; 9], [&[1.0; 3], &[1.0; 3]], [[0, 3, 1], far, [0, 1, 1]]);
    }

    #[test]
    fn parts_are_large_and_cover_the_target() {
        assert_eq!(part(64, 64, 1 << 30), [64, 64]);
        assert_eq!(part(1024, 256, 256), [128, 128]);
        assert_eq!(part(5, 3, 2), [16, 16]);
        assert_eq!(part(1 << 20, 64, 64), [1 << 14, 64]);
    }
}
