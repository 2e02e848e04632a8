//! Which entries of a matrix may differ from zero.

/// A float: `f32` or `f64`.
pub trait Real: Copy + Default + PartialEq + std::ops::AddAssign + std::ops::Mul<Output = Self> {
    /// One.
    const ONE: Self;
    /// What every sum and product with it is, also that with zero.
    const NAN: Self;

    /// Whether it is [`Real::NAN`].
    fn is_nan(self) -> bool;
}

macro_rules! real {
    ($($ty:ident)*) => {
        $(impl Real for $ty {
            const ONE: $ty = 1.0;
            const NAN: $ty = $ty::NAN;

            fn is_nan(self) -> bool {
                self.is_nan()
            }
        })*
    };
}

real! { f32 f64 }

/// Which entries of a matrix may differ from zero, row by row.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pattern {
    columns: usize,
    /// Where each row begins in `column`, and where the last one ends.
    start: Vec<usize>,
    /// Ascending in each row.
    column: Vec<usize>,
}

impl Pattern {
    /// The pattern of these entries, `(row, column)`, in any order; one may be named several times.
    ///
    /// # Panics
    ///
    /// If an entry is outside of the matrix.
    pub fn new(rows: usize, columns: usize, entries: impl IntoIterator<Item = (usize, usize)>) -> Pattern {
        let mut all: Vec<(usize, usize)> = entries.into_iter().collect();
        for &(i, j) in &all {
            assert!(
                i < rows && j < columns,
                "the entry ({i}, {j}) is outside of a matrix of {rows} by {columns}"
            );
        }
        all.sort_unstable();
        all.dedup();
        let mut start = vec![0; rows + 1];
        all.iter().for_each(|&(i, _)| start[i + 1] += 1);
        for i in 0..rows {
            start[i + 1] += start[i];
        }
        Pattern { columns, start, column: all.into_iter().map(|(_, j)| j).collect() }
    }

    /// The pattern of a matrix that is known by its product with a direction, `product(direction, result)`, such as
    /// a closure that calls `f::jvp` or `f::hvp`. The direction has `columns` elements, the result `rows`, which
    /// are zero before.
    ///
    /// An entry is there if the result of its row depends on the direction of its column, along the statements that
    /// run: each direction is not a number in one element, which every sum and product with it becomes as well,
    /// also one with a zero. That takes `columns` products. Where other arguments lead to other branches the
    /// pattern may be another one.
    pub fn found<T: Real>(rows: usize, columns: usize, mut product: impl FnMut(&[T], &mut [T])) -> Pattern {
        Pattern::found_batch::<T, 1>(rows, columns, |directions, results| {
            product(directions.as_flattened(), results.as_flattened_mut());
        })
    }

    /// The same by products with `W` directions, such as `f::jvp_batch`.
    pub fn found_batch<T: Real, const W: usize>(
        rows: usize,
        columns: usize,
        mut product: impl FnMut(&[[T; W]], &mut [[T; W]]),
    ) -> Pattern {
        const { assert!(W > 0, "a batch has one direction at least") }
        let (mut directions, mut results) = (vec![[T::default(); W]; columns], vec![[T::default(); W]; rows]);
        let mut entries = Vec::new();
        for first in (0..columns).step_by(W) {
            let width = W.min(columns - first);
            (0..width).for_each(|w| directions[first + w][w] = T::NAN);
            results.fill([T::default(); W]);
            product(&directions, &mut results);
            (0..width).for_each(|w| directions[first + w][w] = T::default());
            for (i, result) in results.iter().enumerate() {
                entries.extend((0..width).filter(|&w| result[w].is_nan()).map(|w| (i, first + w)));
            }
        }
        Pattern::new(rows, columns, entries)
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.start.len() - 1
    }

    /// The number of columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// The number of entries.
    pub fn entries(&self) -> usize {
        self.column.len()
    }

    /// The columns of the entries of a row, ascending.
    pub fn row(&self, row: usize) -> &[usize] {
        &self.column[self.positions(row)]
    }

    /// Where the entries of a row are among all.
    pub fn positions(&self, row: usize) -> std::ops::Range<usize> {
        self.start[row]..self.start[row + 1]
    }

    /// Where the entry is among all, if it is one.
    pub fn position(&self, row: usize, column: usize) -> Option<usize> {
        self.row(row).binary_search(&column).ok().map(|at| self.start[row] + at)
    }

    /// All entries, `(row, column)`, in order.
    pub fn iter(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        (0..self.rows()).flat_map(|i| self.row(i).iter().map(move |&j| (i, j)))
    }

    /// The pattern with rows and columns exchanged.
    pub fn transposed(&self) -> Pattern {
        let mut start = vec![0; self.columns + 1];
        self.column.iter().for_each(|&j| start[j + 1] += 1);
        for j in 0..self.columns {
            start[j + 1] += start[j];
        }
        let (mut next, mut column) = (start.clone(), vec![0; self.column.len()]);
        for (i, j) in self.iter() {
            column[next[j]] = i;
            next[j] += 1;
        }
        Pattern { columns: self.rows(), start, column }
    }
}
