//! The functions of doubles.

use super::Double;

macro_rules! by_lane {
    ($($name:ident)*) => {
        $(#[inline(always)]
        pub(crate) fn $name<D: Double>(x: D) -> D {
            x.map(f64::$name)
        })*
    };
}

by_lane! { exp exp2 exp_m1 ln ln_1p log2 log10 sin cos tan tanh }

#[inline(always)]
pub(crate) fn sin_cos<D: Double>(x: D) -> (D, D) {
    (sin(x), cos(x))
}

#[inline(always)]
pub(crate) fn pow<D: Double>(x: D, y: D) -> D {
    x.map2(y, f64::powf)
}
