//! `atan`, `atan2`.

use crate::math::polynomial::polynomial;
use crate::math::{Double, Real};

/// An eighth turn: rounded to a double, which has so few bits that multiples up to four are exact, and the rest.
const EIGHTH: [f64; 2] = [std::f64::consts::FRAC_PI_4, 3.061616997868383e-17];

/// `(atan(q) / q - 1) / z` for `z = q^2 <= 1/4`; the error is 2^-57.
#[inline(always)]
fn rest<D: Double>(z: D) -> D {
    let w = z * z;
    let even = polynomial!(D, w;
        -0.3333333333333298, -0.14285714276390235, -0.09090896248503234, -0.06663811108812916,
        -0.05122018224446558, -0.027435432171202277);
    let odd = polynomial!(D, w;
        0.19999999999903165, 0.11111110659804646, 0.07692073965646509, 0.05858301956859884,
        0.04186536605499298, 0.010117163687929174);
    odd.mul_add_fast(z, even)
}

/// An angle as so many eighth turns and `atan(q)` of a small `q`.
pub(crate) struct Eighths<D> {
    eighths: D,
    q: D,
}

/// The angle whose tangent is `above / below`, of which neither is negative nor both zero or infinite; a half turn
/// less that angle where `beyond`.
///
/// With `t` the quotient or its inverse, whichever is at most one: `atan(t)` where `t <= 1/2`, else an eighth turn and
/// `atan((t - 1) / (t + 1))`, whose difference is exact; the one division is of what is left.
#[inline(always)]
fn eighths<D: Double>(above: D, below: D, beyond: D::Mask) -> Eighths<D> {
    let steep = Real::gt(above, below);
    let small = D::select(steep, below, above);
    let large = D::select(steep, above, below);
    let middle = Real::gt(small + small, large);
    let q = D::select(middle, small - large, small) / D::select(middle, small + large, large);
    let odd = D::select(beyond, D::splat(3.0), D::splat(1.0));
    let even = D::select(beyond, D::splat(4.0), D::splat(0.0));
    let eighths = D::select(middle, odd, D::select(steep, D::splat(2.0), even));
    // taken from a quarter turn, or from a half turn; from both it is added
    Eighths { eighths, q: D::select(steep ^ beyond, -q, q) }
}

#[inline(always)]
pub(crate) fn of_tangent<D: Double>(x: D) -> Eighths<D> {
    let one = D::splat(1.0);
    eighths(x.abs(), one, Real::lt(one, one))
}

#[inline(always)]
pub(crate) fn of_point<D: Double>(y: D, x: D) -> Eighths<D> {
    let (zero, one) = (D::splat(0.0), D::splat(1.0));
    let (above, below) = (y.abs(), x.abs());
    let larger = above.greater(below);
    // sums stay finite
    let scale = D::select(Real::gt(larger, D::splat(8.98846567431158e307)), D::splat(0.25), one);
    // both infinite: as if both were one; both zero: as if the abscissa were one
    let both = Real::eq(above.lesser(below), D::splat(f64::INFINITY));
    let above = D::select(both, one, above * scale);
    let below = D::select(both | Real::eq(larger, zero), one, below * scale);
    let Eighths { eighths, q } = eighths(above, below, Real::lt(one.copysign(x), zero));
    // NaN, which comparisons lose
    Eighths { eighths, q: D::select(Real::ne(x, x) | Real::ne(y, y), x + y, q) }
}

impl<D: Double> Eighths<D> {
    /// The angle with that sign, for a polynomial such as `rest`; eighth turns are added in two parts.
    #[inline(always)]
    pub(crate) fn angle(self, rest: D, sign: D) -> D {
        let Eighths { eighths, q } = self;
        let low = (q * self.square()).mul_add_fast(rest, eighths * D::splat(EIGHTH[1]));
        let high = eighths * D::splat(EIGHTH[0]);
        // the first is zero or larger
        let sum = high + q;
        (sum + (((high - sum) + q) + low)).copysign(sign)
    }

    /// Of what `rest` is a polynomial.
    #[inline(always)]
    pub(crate) fn square(&self) -> D {
        self.q * self.q
    }
}

#[inline(always)]
pub(crate) fn atan<D: Double>(x: D) -> D {
    let parts = of_tangent(x);
    let rest = rest(parts.square());
    parts.angle(rest, x)
}

#[inline(always)]
pub(crate) fn atan2<D: Double>(y: D, x: D) -> D {
    let parts = of_point(y, x);
    let rest = rest(parts.square());
    parts.angle(rest, y)
}
