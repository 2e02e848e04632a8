//! Matrix products as one statement.

use super::{BufferId, Expr, Place};

/// `target[i, j] += scale * Σ left[i, k] * right[k, j]`, for `i` below `rows`, `j` below `columns`, `k` below `depth`.
/// The call that it belongs to reads left, right and target, and writes the target, in this order; the target is none of
/// the other two.
#[derive(Clone, PartialEq, Debug)]
pub struct Product {
    /// Rows and columns of the target and the depth of the sum, each a `usize`.
    pub sizes: [Expr; 3],
    /// Of the type of the target's elements.
    pub scale: Expr,
    /// Along rows and columns.
    pub target: Matrix,
    /// Along rows and depth.
    pub left: Matrix,
    /// Along depth and columns.
    pub right: Matrix,
}

/// Elements of a row-major buffer: the logical index of element `(i, j)` is `first + i * steps[0] + j * steps[1]`.
#[derive(Clone, PartialEq, Debug)]
pub struct Matrix {
    /// The logical index of the first element.
    pub first: Vec<Expr>,
    /// By what it differs from one row to the next, and from one column to the next.
    pub steps: [Vec<Expr>; 2],
}

impl Product {
    /// The matrices with their buffers, the target first, for the buffers that the call reads.
    pub fn matrices<'a>(&'a self, reads: &[BufferId]) -> Option<[(BufferId, &'a Matrix); 3]> {
        let [left, right, target] = *reads else { return None };
        Some([(target, &self.target), (left, &self.left), (right, &self.right)])
    }

    /// All expressions: sizes, scale, and those of the matrices.
    pub fn exprs(&self) -> Vec<&Expr> {
        let matrices = [&self.target, &self.left, &self.right];
        let indices = matrices.into_iter().flat_map(|it| it.first.iter().chain(it.steps.iter().flatten()));
        self.sizes.iter().chain([&self.scale]).chain(indices).collect()
    }

    /// The same expressions, to be changed.
    pub fn exprs_mut(&mut self) -> Vec<&mut Expr> {
        let matrices = [&mut self.target, &mut self.left, &mut self.right];
        let indices =
            matrices.into_iter().flat_map(|it| it.first.iter_mut().chain(it.steps.iter_mut().flatten()));
        self.sizes.iter_mut().chain([&mut self.scale]).chain(indices).collect()
    }
}

impl Matrix {
    /// The first element.
    pub fn start(&self, buffer: BufferId) -> Place {
        Place::new(buffer, self.first.clone())
    }

    /// A step as the index of an element.
    pub fn step(&self, along: usize, buffer: BufferId) -> Place {
        Place::new(buffer, self.steps[along].clone())
    }
}
