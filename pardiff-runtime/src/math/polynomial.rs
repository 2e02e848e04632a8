//! Polynomials with constant coefficients.

/// `c0 + x (c1 + x (c2 + …))`, by Horner's rule.
macro_rules! polynomial {
    ($real:ident, $x:expr; $last:expr $(,)?) => { $real::splat($last) };
    ($real:ident, $x:expr; $first:expr, $($rest:expr),+ $(,)?) => {
        polynomial!($real, $x; $($rest),+).mul_add_fast($x, $real::splat($first))
    };
}
pub(super) use polynomial;
