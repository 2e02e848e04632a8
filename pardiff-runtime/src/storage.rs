//! Storage of local buffers.

/// Scalars, and arrays of them, that have a zero: what unspecified content is initialised to.
pub trait Zero: Copy {
    /// The zero.
    const ZERO: Self;
}

impl<T: ?Sized> Zero for core::marker::PhantomData<T> {
    const ZERO: Self = core::marker::PhantomData;
}

macro_rules! zeros {
    ($($ty:ident $zero:literal)*) => { $(impl Zero for $ty { const ZERO: $ty = $zero; })* };
}

zeros! {
    f32 0.0 f64 0.0 bool false
    i8 0 i16 0 i32 0 i64 0 i128 0 isize 0
    u8 0 u16 0 u32 0 u64 0 u128 0 usize 0
}

impl<T: Zero, const N: usize> Zero for [T; N] {
    const ZERO: [T; N] = [T::ZERO; N];
}

/// The length of the rows of an array of arrays, which may be empty.
#[inline]
pub fn inner_len<T, const M: usize>(_: &[[T; M]]) -> usize {
    M
}

/// The length of the innermost arrays of an array of arrays of arrays, which may be empty.
#[inline]
pub fn innermost_len<T, const K: usize, const M: usize>(_: &[[[T; K]; M]]) -> usize {
    K
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_of_rows_come_from_the_type() {
        let empty: [[f64; 3]; 0] = Zero::ZERO;
        assert_eq!(inner_len(&empty), 3);
        let deep: [[[bool; 5]; 4]; 2] = Zero::ZERO;
        assert_eq!((inner_len(&deep), innermost_len(&deep)), (4, 5));
    }
}
