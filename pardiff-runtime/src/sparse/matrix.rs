//! A sparse matrix: a pattern with values.

use super::pattern::{Pattern, Real};
use std::sync::Arc;

/// A sparse matrix, row by row.
#[derive(Clone, PartialEq, Debug)]
pub struct Matrix<T> {
    pub(super) pattern: Arc<Pattern>,
    pub(super) values: Vec<T>,
}

impl<T: Real> Matrix<T> {
    /// Zeros.
    pub fn zeros(pattern: Arc<Pattern>) -> Matrix<T> {
        let values = vec![T::default(); pattern.entries()];
        Matrix { pattern, values }
    }

    /// Which entries it has.
    pub fn pattern(&self) -> &Pattern {
        &self.pattern
    }

    /// The values of all entries, in the order of the pattern.
    pub fn values(&self) -> &[T] {
        &self.values
    }

    /// The columns and values of the entries of a row.
    pub fn row(&self, row: usize) -> impl Iterator<Item = (usize, T)> + '_ {
        let values = &self.values[self.pattern.positions(row)];
        self.pattern.row(row).iter().copied().zip(values.iter().copied())
    }

    /// An entry, or zero where the pattern has none.
    pub fn get(&self, row: usize, column: usize) -> T {
        self.pattern.position(row, column).map_or(T::default(), |at| self.values[at])
    }

    /// The product with a vector.
    ///
    /// # Panics
    ///
    /// If the vector does not have as many elements as the matrix has columns.
    pub fn times(&self, x: &[T]) -> Vec<T> {
        let columns = self.pattern.columns();
        assert_eq!(x.len(), columns, "a matrix of {columns} columns times a vector");
        let row = |i: usize| {
            let mut sum = T::default();
            self.row(i).for_each(|(j, value)| sum += value * x[j]);
            sum
        };
        (0..self.pattern.rows()).map(row).collect()
    }

    /// The product of the transpose with a vector.
    ///
    /// # Panics
    ///
    /// If the vector does not have as many elements as the matrix has rows.
    pub fn transposed_times(&self, y: &[T]) -> Vec<T> {
        let rows = self.pattern.rows();
        assert_eq!(y.len(), rows, "the transpose of a matrix of {rows} rows times a vector");
        let mut product = vec![T::default(); self.pattern.columns()];
        for (i, &by) in y.iter().enumerate() {
            self.row(i).for_each(|(j, value)| product[j] += value * by);
        }
        product
    }
}
