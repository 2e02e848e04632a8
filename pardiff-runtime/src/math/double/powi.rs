//! `powi`.

use super::pairs::Pair;
use crate::math::{Bits, Double, Real};

/// From here on the second parts may grow so large that the square of one counts.
const MANY: u32 = 1 << 20;

/// Up to this power, a level that fuses nothing multiplies plainly: exact products take fifteen times as long.
const PLAIN: i32 = 8;

/// By repeated squaring. From the fourth power on, the factors are sums of two, so that only the last sum rounds: the
/// error of plain products grows with the exponent.
#[inline(always)]
pub(crate) fn powi<D: Double>(x: D, n: i32) -> D {
    match n {
        0 => return D::splat(1.0),
        1 => return x,
        2 => return x * x,
        3 => return x * x * x,
        -1 => return D::splat(1.0) / x,
        _ => {}
    }
    if !D::FMA && (0..=PLAIN).contains(&n) {
        return plain(x, n.unsigned_abs());
    }
    let mut base = Pair { high: x, low: D::splat(0.0) };
    if n < 0 {
        // first, not last: a positive power may overflow where the negative one does not underflow
        base.high = D::splat(1.0) / x;
        let Pair { high, low } = product(base.high, x);
        base.low = ((D::splat(1.0) - high) - low) * base.high;
    }
    let mut power = Pair { high: D::splat(1.0), low: D::splat(0.0) };
    let mut first = true;
    let mut left = n.unsigned_abs();
    loop {
        if left & 1 == 1 {
            power = if first { base } else { times(power, base) };
            first = false;
        }
        left >>= 1;
        if left == 0 {
            return total(power);
        }
        base = square(base);
        if n.unsigned_abs() >= MANY {
            base = normal(base);
            power = normal(power);
        }
    }
}

/// Products without their errors; the exponent is not zero.
#[inline(always)]
pub(crate) fn plain<D: Double>(x: D, n: u32) -> D {
    let (mut base, mut power, mut left) = (x, D::splat(1.0), n);
    let mut first = true;
    loop {
        if left & 1 == 1 {
            power = if first { base } else { power * base };
            first = false;
        }
        left >>= 1;
        if left == 0 {
            return power;
        }
        base = base * base;
    }
}

/// The sum; what is infinite has no error that could be added, and zero keeps its sign.
#[inline(always)]
fn total<D: Double>(Pair { high, low }: Pair<D>) -> D {
    D::select(Real::lt(low.abs(), D::splat(f64::INFINITY)), high + low, high).copysign(high)
}

/// The same number with the least second part.
#[inline(always)]
fn normal<D: Double>(pair: Pair<D>) -> Pair<D> {
    let sum = total(pair);
    Pair { high: sum, low: (pair.high - sum) + pair.low }
}

#[inline(always)]
fn times<D: Double>(a: Pair<D>, b: Pair<D>) -> Pair<D> {
    let Pair { high, low } = product(a.high, b.high);
    Pair { high, low: a.high.mul_add_fast(b.low, a.low.mul_add_fast(b.high, low)) }
}

#[inline(always)]
fn square<D: Double>(a: Pair<D>) -> Pair<D> {
    let Pair { high, low } = product(a.high, a.high);
    Pair { high, low: (a.high + a.high).mul_add_fast(a.low, low) }
}

/// `a * b` with its error: exact where the level fuses, else to 2^-106, by halves of the factors.
#[inline(always)]
fn product<D: Double>(a: D, b: D) -> Pair<D> {
    let high = a * b;
    if D::FMA {
        return Pair { high, low: a.mul_add_fast(b, -high) };
    }
    let ([a, a_low], [b, b_low]) = (halves(a), halves(b));
    Pair { high, low: (((a * b - high) + a * b_low) + a_low * b) + a_low * b_low }
}

/// The leading 26 bits, and the others.
#[inline(always)]
fn halves<D: Double>(x: D) -> [D; 2] {
    let leading = D::from_bits(x.to_bits().and(D::Bits::splat(0xffff_ffff_f800_0000)));
    [leading, x - leading]
}
