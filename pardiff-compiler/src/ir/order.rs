//! What the device of a kernel does with whole arrays, as one statement each: prefix sums, and putting numbers in order.

use super::Expr;

/// `keys[k]`, for `k` below `len`, in ascending order, those that are equal as they were; `order[k]` is the place that key `k` had.
/// The call that it belongs to reads the keys, and writes keys and order, in this order: different row-major arrays of one
/// dimension, of numbers of 32 bits.
#[derive(Clone, PartialEq, Debug)]
pub struct Sort {
    /// How many keys there are, a `usize`.
    pub len: Expr,
    /// No key is greater, a `usize`.
    pub greatest: Expr,
}

impl Sort {
    /// Both expressions.
    pub fn exprs(&self) -> [&Expr; 2] {
        [&self.len, &self.greatest]
    }

    /// The same, to be changed.
    pub fn exprs_mut(&mut self) -> [&mut Expr; 2] {
        [&mut self.len, &mut self.greatest]
    }
}
