//! What the kernels need beside arithmetic: the bits of doubles, and doubles in place of singles.

use super::Real;

/// The bits of a double, or of each of eight.
pub trait Bits: Copy {
    /// The same bits everywhere.
    fn splat(bits: u64) -> Self;

    /// The sum modulo 2^64.
    fn plus(self, other: Self) -> Self;

    /// The difference modulo 2^64.
    fn minus(self, other: Self) -> Self;

    /// Bitwise and.
    fn and(self, other: Self) -> Self;

    /// Bitwise or.
    fn or(self, other: Self) -> Self;

    /// Bitwise exclusive or.
    fn xor(self, other: Self) -> Self;

    /// Shifted to the left.
    fn left<const N: u32>(self) -> Self;

    /// Shifted to the right; zeros come in.
    fn right<const N: u32>(self) -> Self;
}

/// A double, or eight.
pub trait Double: Real<Scalar = f64> {
    /// Its bits.
    type Bits: Bits;

    /// The bits.
    fn to_bits(self) -> Self::Bits;

    /// The double of these bits.
    fn from_bits(bits: Self::Bits) -> Self;

    /// `self` if it is smaller than `other`, else (so also where one is NaN) `other`.
    fn lesser(self, other: Self) -> Self;

    /// `self` if it is larger than `other`, else (so also where one is NaN) `other`.
    fn greater(self, other: Self) -> Self;

    /// Whether the lowest bit is set.
    fn odd(bits: Self::Bits) -> Self::Mask;

    /// `2^self` for an integer from -1022 to 1023.
    #[inline(always)]
    fn power_of_two(self) -> Self {
        power_of_two(self + Self::splat(INTEGER_MAGIC))
    }

    /// `self * 2^n`, rounded once, for an integer `n` of at most 2098 in magnitude and `self` near 1.
    #[inline(always)]
    fn scale(self, n: Self) -> Self {
        // the first factor keeps `self` normal, so that the second product alone rounds
        let magic = Self::splat(INTEGER_MAGIC);
        let half = n.mul_add_fast(Self::splat(0.5), magic);
        let rest = (n - (half - magic)) + magic;
        self * power_of_two(half) * power_of_two(rest)
    }
}

/// Added to a double below 2^51 in magnitude, it leaves the rounded integer in the low bits of the sum.
pub(super) const INTEGER_MAGIC: f64 = 6755399441055744.0; // 1.5 * 2^52

/// `2^n` for an integer from -1022 to 1023 that is given as `n + INTEGER_MAGIC`.
#[inline(always)]
fn power_of_two<D: Double>(n: D) -> D {
    D::from_bits(n.to_bits().left::<52>().plus(D::Bits::splat(1023 << 52)))
}

/// A single, or eight. Its functions are computed in double: their rounding to single is then the only error that counts.
pub trait Single: Real<Scalar = f32> {
    /// As many doubles.
    type Wide: Double;

    /// Exact.
    fn widen(self) -> Self::Wide;

    /// Rounded to nearest.
    fn narrow(wide: Self::Wide) -> Self;
}

/// The bits of one double.
#[derive(Clone, Copy, Debug)]
pub struct Word(pub(crate) u64);

impl Bits for Word {
    #[inline(always)]
    fn splat(bits: u64) -> Word {
        Word(bits)
    }

    #[inline(always)]
    fn plus(self, other: Word) -> Word {
        Word(self.0.wrapping_add(other.0))
    }

    #[inline(always)]
    fn minus(self, other: Word) -> Word {
        Word(self.0.wrapping_sub(other.0))
    }

    #[inline(always)]
    fn and(self, other: Word) -> Word {
        Word(self.0 & other.0)
    }

    #[inline(always)]
    fn or(self, other: Word) -> Word {
        Word(self.0 | other.0)
    }

    #[inline(always)]
    fn xor(self, other: Word) -> Word {
        Word(self.0 ^ other.0)
    }

    #[inline(always)]
    fn left<const N: u32>(self) -> Word {
        Word(self.0 << N)
    }

    #[inline(always)]
    fn right<const N: u32>(self) -> Word {
        Word(self.0 >> N)
    }
}

impl Double for f64 {
    type Bits = Word;

    #[inline(always)]
    fn to_bits(self) -> Word {
        Word(f64::to_bits(self))
    }

    #[inline(always)]
    fn from_bits(bits: Word) -> f64 {
        f64::from_bits(bits.0)
    }

    #[inline(always)]
    fn odd(bits: Word) -> bool {
        bits.0 & 1 != 0
    }

    #[inline(always)]
    fn lesser(self, other: f64) -> f64 {
        if self < other { self } else { other }
    }

    #[inline(always)]
    fn greater(self, other: f64) -> f64 {
        if self > other { self } else { other }
    }
}

impl Single for f32 {
    type Wide = f64;

    #[inline(always)]
    fn widen(self) -> f64 {
        f64::from(self)
    }

    #[inline(always)]
    fn narrow(wide: f64) -> f32 {
        wide as f32
    }
}
