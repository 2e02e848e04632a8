//! Ranges with a step, over every integer type.

/// A machine integer.
pub trait Integer: Copy + PartialOrd {
    /// `hi - self` in the unsigned type of most bits, for `self <= hi`.
    fn distance(self, hi: Self) -> u128;

    /// `self + steps * step`, which is known to be in range.
    fn advance(self, steps: u128, step: usize) -> Self;
}

macro_rules! integers {
    ($($int:ident)*) => {
        $(impl Integer for $int {
            #[inline]
            fn distance(self, hi: $int) -> u128 {
                hi.abs_diff(self) as u128
            }

            #[inline]
            fn advance(self, steps: u128, step: usize) -> $int {
                // exact modulo the type's width, and the result is known to fit
                self.wrapping_add(steps.wrapping_mul(step as u128) as $int)
            }
        })*
    };
}

integers! { i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize }

/// How often `for _ in (lo..hi).step_by(step)` iterates; saturates.
#[inline]
pub fn trip_count<T: Integer>(lo: T, hi: T, step: usize) -> usize {
    if lo < hi {
        usize::try_from(lo.distance(hi).div_ceil(step.max(1) as u128)).unwrap_or(usize::MAX)
    } else {
        0
    }
}

/// The values `lo, lo + step, …`, from the last to the first.
#[derive(Clone, Debug)]
pub struct Strided<T> {
    lo: T,
    step: usize,
    /// How many values are left; the next one is number `left - 1`, counted from `lo`.
    left: u128,
    /// A whole 128-bit type has one value more than `left` can count: then its last value comes before the others.
    extra: bool,
}

/// The values of `(lo..hi).step_by(step)`, from the last to the first.
#[inline]
pub fn strided_down<T: Integer>(lo: T, hi: T, step: usize) -> Strided<T> {
    let left = if lo < hi { lo.distance(hi).div_ceil(step.max(1) as u128) } else { 0 };
    Strided { lo, step: step.max(1), left, extra: false }
}

/// The values of `(lo..=hi).step_by(step)`, from the last to the first.
#[inline]
pub fn strided_down_inclusive<T: Integer>(lo: T, hi: T, step: usize) -> Strided<T> {
    let step = step.max(1);
    let (left, extra) =
        if lo <= hi { (lo.distance(hi) / step as u128).overflowing_add(1) } else { (0, false) };
    if extra { Strided { lo, step, left: u128::MAX, extra } } else { Strided { lo, step, left, extra } }
}

impl<T: Integer> Iterator for Strided<T> {
    type Item = T;

    #[inline]
    fn next(&mut self) -> Option<T> {
        if self.extra {
            self.extra = false;
            return Some(self.lo.advance(u128::MAX, self.step));
        }
        self.left = self.left.checked_sub(1)?;
        Some(self.lo.advance(self.left, self.step))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strided_is_the_reverse_of_step_by() {
        for (lo, hi) in [(0u64, 0), (0, 1), (3, 11), (u64::MAX - 5, u64::MAX), (7, 2)] {
            for step in 1..5 {
                let mut up: Vec<u64> = (lo..hi).step_by(step).collect();
                assert_eq!(trip_count(lo, hi, step), up.len());
                up.reverse();
                assert_eq!(strided_down(lo, hi, step).collect::<Vec<_>>(), up);
                let mut up: Vec<u64> = (lo..=hi).step_by(step).collect();
                up.reverse();
                assert_eq!(strided_down_inclusive(lo, hi, step).collect::<Vec<_>>(), up);
            }
        }
    }

    #[test]
    fn the_whole_of_a_type() {
        let mut up: Vec<i8> = (i8::MIN..=i8::MAX).step_by(100).collect();
        up.reverse();
        assert_eq!(strided_down_inclusive(i8::MIN, i8::MAX, 100).collect::<Vec<_>>(), up);
        let mut down = strided_down_inclusive(u128::MIN, u128::MAX, 1);
        assert_eq!((down.next(), down.next()), (Some(u128::MAX), Some(u128::MAX - 1)));
        assert_eq!(trip_count(i128::MIN, i128::MAX, 1), usize::MAX);
        assert_eq!(trip_count(-128i8, 127, 1), 255);
    }
}
