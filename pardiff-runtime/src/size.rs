//! Sizes of local buffers in checked arithmetic: what does not fit panics with its formula.

use crate::panic::too_large;
use std::ops::{Add, Mul, Sub};

/// A size that remembers whether its arithmetic overflowed.
#[derive(Clone, Copy, Debug)]
pub struct Size(Option<usize>);

impl Size {
    /// A size that is known.
    #[inline]
    pub fn new(size: usize) -> Size {
        Size(Some(size))
    }

    /// The size, or a panic with the formula that overflowed.
    #[inline]
    #[track_caller]
    pub fn get(self, function: &str, buffer: &str, formula: &str) -> usize {
        match self.0 {
            Some(size) => size,
            None => too_large(function, buffer, formula),
        }
    }
}

macro_rules! operators {
    ($($operator:ident $method:ident $checked:ident)*) => {
        $(impl $operator for Size {
            type Output = Size;

            #[inline]
            fn $method(self, other: Size) -> Size {
                Size(self.0.zip(other.0).and_then(|(a, b)| a.$checked(b)))
            }
        })*
    };
}

operators! { Add add checked_add  Sub sub checked_sub  Mul mul checked_mul }

/// The number of elements of a row-major buffer of `T`, checked against what one allocation may hold.
#[inline]
#[track_caller]
pub fn row_major<T>(function: &str, buffer: &str, formula: &str, extents: &[usize]) -> usize {
    let product = extents.iter().fold(Size::new(1), |product, &extent| product * Size::new(extent));
    // an empty dimension empties the buffer, however large the others are
    let product = if extents.contains(&0) { Size::new(0) } else { product };
    bounded::<T>(product).get(function, buffer, formula)
}

/// The number of elements of a buffer of `T` that holds, for each outer index, the lower triangle of `n` rows.
#[inline]
#[track_caller]
pub fn triangle<T>(function: &str, buffer: &str, formula: &str, outer: &[usize], n: usize) -> usize {
    let (a, b) = if n.is_multiple_of(2) { (n / 2, n.checked_add(1)) } else { (n, Some(n / 2 + 1)) };
    let packed = Size::new(a) * Size(b);
    let product = outer.iter().fold(packed, |product, &extent| product * Size::new(extent));
    let product = if n == 0 || outer.contains(&0) { Size::new(0) } else { product };
    bounded::<T>(product).get(function, buffer, formula)
}

/// No allocation is larger than `isize::MAX` bytes.
fn bounded<T>(elements: Size) -> Size {
    let most = isize::MAX as usize / size_of::<T>().max(1);
    Size(elements.0.filter(|&elements| elements <= most))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_products() {
        assert_eq!(row_major::<f64>("f", "t", "2 * 3 * 4", &[2, 3, 4]), 24);
        assert_eq!(row_major::<f64>("f", "t", "1", &[]), 1);
        assert_eq!(row_major::<f64>("f", "t", "n * n * 0", &[usize::MAX, usize::MAX, 0]), 0);
        for n in 0..9 {
            assert_eq!(triangle::<f64>("f", "t", "2 * n", &[2], n), n * (n + 1));
        }
        assert_eq!((Size::new(3) * Size::new(4) + Size::new(1) - Size::new(2)).get("f", "t", ""), 11);
    }

    #[test]
    #[should_panic(expected = "f: the size of `t_tape`, n * m elements, is too large")]
    fn overflow_panics_with_the_formula() {
        row_major::<f64>("f", "t_tape", "n * m", &[usize::MAX, 2]);
    }

    #[test]
    #[should_panic(expected = "n elements")]
    fn more_bytes_than_an_allocation_holds_panics() {
        row_major::<f64>("f", "t", "n", &[usize::MAX / 8]);
    }

    #[test]
    #[should_panic(expected = "n - m elements")]
    fn underflow_panics_with_the_formula() {
        (Size::new(1) - Size::new(2)).get("f", "t", "n - m");
    }
}
