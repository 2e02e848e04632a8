//! Accumulators of loops with so many sums of all lanes that a vector for each would not fit the registers.

use super::Vector;
use std::ops::Add;

/// The sum of all lanes of vectors, in a single register: a level whose vectors are wider adds one part after the other.
///
/// Eight sums of two registers each would fill all sixteen registers of AVX2, so that some wait on the stack: what is
/// added to them is loaded, added and stored, and each addition waits for the store of the one before.
pub trait Sum<V: Vector<f64>>: Copy + Add<Output = Self> {
    /// Of nothing: `-0`, to which any number may be added.
    fn zero() -> Self;

    /// `self + x`
    fn plus(self, x: V) -> Self;

    /// `self + a * b`, fused where the machine does that in one instruction.
    fn plus_product(self, a: V, b: V) -> Self;

    /// The sum of the lanes, added in their order.
    fn total(self) -> f64;

    /// The sums of some, each with the bits of [`Sum::total`].
    fn totals<const N: usize>(sums: [Self; N]) -> [f64; N];
}

impl<V: Vector<f64>> Sum<V> for V {
    #[inline(always)]
    fn zero() -> V {
        V::splat(-0.0)
    }

    #[inline(always)]
    fn plus(self, x: V) -> V {
        self + x
    }

    #[inline(always)]
    fn plus_product(self, a: V, b: V) -> V {
        crate::math::mul_add(a, b, self)
    }

    #[inline(always)]
    fn total(self) -> f64 {
        Vector::sum(self)
    }

    #[inline(always)]
    fn totals<const N: usize>(sums: [V; N]) -> [f64; N] {
        Vector::sums(sums)
    }
}
