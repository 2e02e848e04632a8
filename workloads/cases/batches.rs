//! Batches of arguments as parts of flat vectors: the elements of the outermost array are arrays, one entry a member.

use super::WIDTH;
use super::shapes::{Array, Matrices, Matrix, Number, Rows, Shape, Slice};

/// How several of an argument lie in a flat vector.
pub(super) trait Batch: Shape {
    /// Several of the argument.
    type Values<'a>;
    /// Several adjoints.
    type Adjoints<'a>;
    /// The numbers that are next to each other in a member: an element of the outermost array.
    const ELEMENT: usize;

    fn values(flat: &[f64]) -> Self::Values<'_>;
    fn adjoints(flat: &mut [f64]) -> Self::Adjoints<'_>;

    /// Where number `k` of a member lies.
    fn place(k: usize, member: usize) -> usize {
        (k / Self::ELEMENT * WIDTH + member) * Self::ELEMENT + k % Self::ELEMENT
    }
}

impl Batch for Number {
    type Values<'a> = [f64; WIDTH];
    type Adjoints<'a> = &'a mut [f64; WIDTH];
    const ELEMENT: usize = 1;

    fn values(flat: &[f64]) -> [f64; WIDTH] {
        flat.as_chunks().0[0]
    }

    fn adjoints(flat: &mut [f64]) -> &mut [f64; WIDTH] {
        &mut flat.as_chunks_mut().0[0]
    }
}

impl Batch for Slice {
    type Values<'a> = &'a [[f64; WIDTH]];
    type Adjoints<'a> = &'a mut [[f64; WIDTH]];
    const ELEMENT: usize = 1;

    fn values(flat: &[f64]) -> &[[f64; WIDTH]] {
        flat.as_chunks().0
    }

    fn adjoints(flat: &mut [f64]) -> &mut [[f64; WIDTH]] {
        flat.as_chunks_mut().0
    }
}

impl<const N: usize> Batch for Rows<N> {
    type Values<'a> = &'a [[[f64; N]; WIDTH]];
    type Adjoints<'a> = &'a mut [[[f64; N]; WIDTH]];
    const ELEMENT: usize = N;

    fn values(flat: &[f64]) -> &[[[f64; N]; WIDTH]] {
        flat.as_chunks().0.as_chunks().0
    }

    fn adjoints(flat: &mut [f64]) -> &mut [[[f64; N]; WIDTH]] {
        flat.as_chunks_mut().0.as_chunks_mut().0
    }
}

impl<const M: usize, const N: usize> Batch for Matrices<M, N> {
    type Values<'a> = &'a [[[[f64; N]; M]; WIDTH]];
    type Adjoints<'a> = &'a mut [[[[f64; N]; M]; WIDTH]];
    const ELEMENT: usize = M * N;

    fn values(flat: &[f64]) -> &[[[[f64; N]; M]; WIDTH]] {
        flat.as_chunks().0.as_chunks().0.as_chunks().0
    }

    fn adjoints(flat: &mut [f64]) -> &mut [[[[f64; N]; M]; WIDTH]] {
        flat.as_chunks_mut().0.as_chunks_mut().0.as_chunks_mut().0
    }
}

impl<const N: usize> Batch for Array<N> {
    type Values<'a> = &'a [[f64; WIDTH]; N];
    type Adjoints<'a> = &'a mut [[f64; WIDTH]; N];
    const ELEMENT: usize = 1;

    fn values(flat: &[f64]) -> &[[f64; WIDTH]; N] {
        &flat.as_chunks().0.as_chunks().0[0]
    }

    fn adjoints(flat: &mut [f64]) -> &mut [[f64; WIDTH]; N] {
        &mut flat.as_chunks_mut().0.as_chunks_mut().0[0]
    }
}

impl<const M: usize, const N: usize> Batch for Matrix<M, N> {
    type Values<'a> = &'a [[[f64; N]; WIDTH]; M];
    type Adjoints<'a> = &'a mut [[[f64; N]; WIDTH]; M];
    const ELEMENT: usize = N;

    fn values(flat: &[f64]) -> &[[[f64; N]; WIDTH]; M] {
        &flat.as_chunks().0.as_chunks().0.as_chunks().0[0]
    }

    fn adjoints(flat: &mut [f64]) -> &mut [[[f64; N]; WIDTH]; M] {
        &mut flat.as_chunks_mut().0.as_chunks_mut().0.as_chunks_mut().0[0]
    }
}
