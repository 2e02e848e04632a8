//! The arguments of kernels as parts of flat vectors.

/// How an argument lies in a flat vector: its types, and those of a batch of it.
pub(super) trait Shape {
    /// The argument.
    type Value<'a>;
    /// Its adjoint.
    type Adjoint<'a>;

    fn value(flat: &[f64]) -> Self::Value<'_>;
    fn adjoint(flat: &mut [f64]) -> Self::Adjoint<'_>;
}

/// `f64`
pub(super) struct Number;
/// `&[f64]`
pub(super) struct Slice;
/// `&[[f64; N]]`
pub(super) struct Rows<const N: usize>;
/// `&[[[f64; N]; M]]`
pub(super) struct Matrices<const M: usize, const N: usize>;
/// `&[f64; N]`
pub(super) struct Array<const N: usize>;
/// `&[[f64; N]; M]`
pub(super) struct Matrix<const M: usize, const N: usize>;

impl Shape for Number {
    type Value<'a> = f64;
    type Adjoint<'a> = &'a mut f64;

    fn value(flat: &[f64]) -> f64 {
        flat[0]
    }

    fn adjoint(flat: &mut [f64]) -> &mut f64 {
        &mut flat[0]
    }
}

impl Shape for Slice {
    type Value<'a> = &'a [f64];
    type Adjoint<'a> = &'a mut [f64];

    fn value(flat: &[f64]) -> &[f64] {
        flat
    }

    fn adjoint(flat: &mut [f64]) -> &mut [f64] {
        flat
    }
}

impl<const N: usize> Shape for Rows<N> {
    type Value<'a> = &'a [[f64; N]];
    type Adjoint<'a> = &'a mut [[f64; N]];

    fn value(flat: &[f64]) -> &[[f64; N]] {
        flat.as_chunks().0
    }

    fn adjoint(flat: &mut [f64]) -> &mut [[f64; N]] {
        flat.as_chunks_mut().0
    }
}

impl<const M: usize, const N: usize> Shape for Matrices<M, N> {
    type Value<'a> = &'a [[[f64; N]; M]];
    type Adjoint<'a> = &'a mut [[[f64; N]; M]];

    fn value(flat: &[f64]) -> &[[[f64; N]; M]] {
        flat.as_chunks().0.as_chunks().0
    }

    fn adjoint(flat: &mut [f64]) -> &mut [[[f64; N]; M]] {
        flat.as_chunks_mut().0.as_chunks_mut().0
    }
}

impl<const N: usize> Shape for Array<N> {
    type Value<'a> = &'a [f64; N];
    type Adjoint<'a> = &'a mut [f64; N];

    fn value(flat: &[f64]) -> &[f64; N] {
        &flat.as_chunks().0[0]
    }

    fn adjoint(flat: &mut [f64]) -> &mut [f64; N] {
        &mut flat.as_chunks_mut().0[0]
    }
}

impl<const M: usize, const N: usize> Shape for Matrix<M, N> {
    type Value<'a> = &'a [[f64; N]; M];
    type Adjoint<'a> = &'a mut [[f64; N]; M];

    fn value(flat: &[f64]) -> &[[f64; N]; M] {
        &flat.as_chunks().0.as_chunks().0[0]
    }

    fn adjoint(flat: &mut [f64]) -> &mut [[f64; N]; M] {
        &mut flat.as_chunks_mut().0.as_chunks_mut().0[0]
    }
}
