//! The derivative of every function over its whole range, through the real macro: loops that run in lanes, in both float types.

#[path = "../../../../pardiff-compiler/tests/it/derivative_table.rs"]
mod table;

use pardiff::differentiate;
use table::{points, wrong};

/// A kernel that sums functions of one operand, each over an array of its name, and the test of its gradient.
macro_rules! of_one {
    ($test:ident, $kernel:ident, $float:ident, $single:literal, $($x:ident $call:expr;)*) => {
        #[differentiate]
        fn $kernel($($x: &[$float]),*) -> $float {
            let mut total = 0.0;
            $(for at in $x { total += ($call)(*at); })*
            total
        }

        #[test]
        fn $test() {
            $(let $x: Vec<$float> =
                points(stringify!($x), 1, $single).iter().map(|point| point.operands[0] as $float).collect();)*
            let gradient = $kernel::gradient($(&$x),*).1;
            let mut all = String::new();
            $(for (point, found) in points(stringify!($x), 1, $single).iter().zip(&gradient.$x) {
                all.extend(wrong(stringify!($x), point, &[*found as f64], $single));
            })*
            assert!(all.is_empty(), "\n{all}");
        }
    };
}

/// The same for functions of two operands.
macro_rules! of_two {
    ($test:ident, $kernel:ident, $float:ident, $single:literal, $($x:ident $y:ident)*) => {
        #[differentiate]
        fn $kernel($($x: &[$float], $y: &[$float]),*) -> $float {
            let mut total = 0.0;
            $(for i in 0..$x.len() { total += $x[i].$x($y[i]); })*
            total
        }

        #[test]
        fn $test() {
            $(let [$x, $y]: [Vec<$float>; 2] = [0, 1].map(|k| {
                points(stringify!($x), 2, $single).iter().map(|point| point.operands[k] as $float).collect()
            });)*
            let gradient = $kernel::gradient($(&$x, &$y),*).1;
            let mut all = String::new();
            $(for (i, point) in points(stringify!($x), 2, $single).iter().enumerate() {
                let found = [gradient.$x[i] as f64, gradient.$y[i] as f64];
                all.extend(wrong(stringify!($x), point, &found, $single));
            })*
            assert!(all.is_empty(), "\n{all}");
        }
    };
}

macro_rules! in_type {
    ($float:ident, $single:literal) => {
        use super::*;

        of_one! { exponentials, of_exponentials, $float, $single,
            exp |x: $float| x.exp(); exp2 |x: $float| x.exp2(); exp_m1 |x: $float| x.exp_m1(); ln |x: $float| x.ln();
            ln_1p |x: $float| x.ln_1p(); log2 |x: $float| x.log2(); log10 |x: $float| x.log10();
            sqrt |x: $float| x.sqrt(); cbrt |x: $float| x.cbrt(); recip |x: $float| x.recip();
        }
        of_one! { angles, of_angles, $float, $single,
            sin |x: $float| x.sin(); cos |x: $float| x.cos(); tan |x: $float| x.tan(); asin |x: $float| x.asin();
            acos |x: $float| x.acos(); atan |x: $float| x.atan();
        }
        of_one! { hyperbolic, of_hyperbolic, $float, $single,
            sinh |x: $float| x.sinh(); cosh |x: $float| x.cosh(); tanh |x: $float| x.tanh();
            asinh |x: $float| x.asinh(); acosh |x: $float| x.acosh(); atanh |x: $float| x.atanh();
        }
        of_one! { special, of_special, $float, $single,
            erf |x: $float| pardiff::math::erf(x); erfc |x: $float| pardiff::math::erfc(x);
            gamma |x: $float| pardiff::math::gamma(x); ln_gamma |x: $float| pardiff::math::ln_gamma(x);
            digamma |x: $float| pardiff::math::digamma(x); j0 |x: $float| pardiff::math::j0(x);
            j1 |x: $float| pardiff::math::j1(x);
        }
        of_two! { two_operands, of_two_operands, $float, $single,
            atan2 atan2_y hypot hypot_y powf powf_y log log_y rem_euclid rem_euclid_y
        }
    };
}

mod doubles {
    in_type!(f64, false);
}

mod singles {
    in_type!(f32, true);
}
