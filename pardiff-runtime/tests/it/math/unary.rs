//! Functions of one argument.

use super::{Random, SAMPLES, SPECIAL, close32, close64, same};
use crate::at_level::{Job, at, levels};
use crate::reference::{self as exact, Wide, ulps32, ulps64};
use pardiff_runtime::math::{self, Real};
use pardiff_runtime::simd::{Isa, LANES, Lane, Vector};

/// A function under test.
#[derive(Clone, Copy)]
struct Function {
    name: &'static str,
    exact: fn(f64) -> Wide,
    std: fn(f64) -> f64,
    std32: fn(f32) -> f32,
    /// Where most samples are taken.
    range: [f64; 2],
    /// Documented bounds in ulp, double and single.
    bounds: [f64; 2],
}

const FUNCTIONS: [Function; 21] = [
    Function {
        name: "exp",
        exact: |x| exact::exp(x.into()),
        std: f64::exp,
        std32: f32::exp,
        range: [-750.0, 712.0],
        bounds: [1.1, 0.51],
    },
    Function {
        name: "exp2",
        exact: |x| exact::exp2(x.into()),
        std: f64::exp2,
        std32: f32::exp2,
        range: [-1080.0, 1026.0],
        bounds: [1.1, 0.51],
    },
    Function {
        name: "exp_m1",
        exact: |x| exact::exp_m1(x.into()),
        std: f64::exp_m1,
        std32: f32::exp_m1,
        range: [-40.0, 40.0],
        bounds: [1.2, 0.51],
    },
    Function {
        name: "ln",
        exact: |x| exact::ln(x.into()),
        std: f64::ln,
        std32: f32::ln,
        range: [0.0, 4.0],
        bounds: [0.9, 0.51],
    },
    Function {
        name: "ln_1p",
        exact: |x| exact::ln_1p(x.into()),
        std: f64::ln_1p,
        std32: f32::ln_1p,
        range: [-1.0, 3.0],
        bounds: [0.9, 0.51],
    },
    Function {
        name: "log2",
        exact: |x| exact::log2(x.into()),
        std: f64::log2,
        std32: f32::log2,
        range: [0.0, 4.0],
        bounds: [0.9, 0.51],
    },
    Function {
        name: "log10",
        exact: |x| exact::log10(x.into()),
        std: f64::log10,
        std32: f32::log10,
        range: [0.0, 4.0],
        bounds: [0.8, 0.51],
    },
    Function {
        name: "sin",
        exact: exact::sin,
        std: f64::sin,
        std32: f32::sin,
        range: [-20.0, 20.0],
        bounds: [0.9, 0.51],
    },
    Function {
        name: "cos",
        exact: exact::cos,
        std: f64::cos,
        std32: f32::cos,
        range: [-20.0, 20.0],
        bounds: [0.9, 0.51],
    },
    Function {
        name: "tan",
        exact: exact::tan,
        std: f64::tan,
        std32: f32::tan,
        range: [-20.0, 20.0],
        bounds: [1.0, 0.51],
    },
    Function {
        name: "tanh",
        exact: |x| exact::tanh(x.into()),
        std: f64::tanh,
        std32: f32::tanh,
        range: [-22.0, 22.0],
        // of `e / (e + 2)`: 0.9 of `e`, which counts once, and a half for each of the sum and the quotient
        bounds: [2.0, 0.51],
    },
    Function {
        name: "asin",
        exact: |x| exact::asin(x.into()),
        std: f64::asin,
        std32: f32::asin,
        range: [-1.0, 1.0],
        bounds: [1.1, 0.51],
    },
    Function {
        name: "acos",
        exact: |x| exact::acos(x.into()),
        std: f64::acos,
        std32: f32::acos,
        range: [-1.0, 1.0],
        bounds: [1.1, 0.51],
    },
    Function {
        name: "atan",
        exact: |x| exact::atan(x.into()),
        std: f64::atan,
        std32: f32::atan,
        range: [-4.0, 4.0],
        bounds: [1.0, 0.51],
    },
    Function {
        name: "sinh",
        exact: exact::sinh,
        std: f64::sinh,
        std32: f32::sinh,
        range: [-3.0, 3.0],
        bounds: [0.9, 0.51],
    },
    Function {
        name: "cosh",
        exact: exact::cosh,
        std: f64::cosh,
        std32: f32::cosh,
        range: [-3.0, 3.0],
        bounds: [0.8, 0.51],
    },
    Function {
        name: "asinh",
        exact: exact::asinh,
        std: f64::asinh,
        std32: f32::asinh,
        range: [-4.0, 4.0],
        bounds: [1.2, 0.51],
    },
    Function {
        name: "acosh",
        exact: exact::acosh,
        std: f64::acosh,
        std32: f32::acosh,
        range: [1.0, 5.0],
        bounds: [1.6, 0.51],
    },
    Function {
        name: "atanh",
        exact: exact::atanh,
        std: f64::atanh,
        std32: f32::atanh,
        range: [-1.0, 1.0],
        bounds: [1.5, 0.51],
    },
    Function {
        name: "cbrt",
        exact: exact::cbrt,
        std: f64::cbrt,
        std32: f32::cbrt,
        range: [-8.0, 8.0],
        bounds: [0.9, 0.51],
    },
    Function {
        name: "recip",
        exact: |x| Wide::from(1.0) / x.into(),
        std: f64::recip,
        std32: f32::recip,
        range: [-4.0, 4.0],
        bounds: [0.5, 0.5],
    },
];

/// The function of this name.
#[inline(always)]
fn apply<R: Real>(name: &str, x: R) -> R {
    match name {
        "exp" => math::exp(x),
        "exp2" => math::exp2(x),
        "exp_m1" => math::exp_m1(x),
        "ln" => math::ln(x),
        "ln_1p" => math::ln_1p(x),
        "log2" => math::log2(x),
        "log10" => math::log10(x),
        "sin" => math::sin(x),
        "cos" => math::cos(x),
        "tan" => math::tan(x),
        "tanh" => math::tanh(x),
        "asin" => math::asin(x),
        "acos" => math::acos(x),
        "atan" => math::atan(x),
        "sinh" => math::sinh(x),
        "cosh" => math::cosh(x),
        "asinh" => math::asinh(x),
        "acosh" => math::acosh(x),
        "atanh" => math::atanh(x),
        "cbrt" => math::cbrt(x),
        "recip" => math::recip(x),
        "sin of sin_cos" => math::sin_cos(x).0,
        "cos of sin_cos" => math::sin_cos(x).1,
        other => panic!("no function {other}"),
    }
}

/// A function of each of some doubles, whose number is a multiple of eight.
struct Doubles<'a> {
    name: &'static str,
    x: &'a [f64],
}

impl Job for Doubles<'_> {
    type Output = Vec<f64>;

    #[inline(always)]
    fn run<S: Isa>(self) -> Vec<f64> {
        let mut result = vec![0.0; self.x.len()];
        for (x, y) in self.x.chunks_exact(LANES).zip(result.chunks_exact_mut(LANES)) {
            // Safety: a chunk has eight elements
            unsafe { apply(self.name, S::F64::load(x.as_ptr())).store(y.as_mut_ptr()) }
            for (&x, &y) in x.iter().zip(&*y) {
                let lane = apply(self.name, Lane::<S, f64>::new(x)).value();
                assert!(same(lane, y), "{}({x:e}): a lane gives {lane:e}, a vector {y:e}", self.name);
            }
        }
        result
    }
}

/// A function of each of some singles, whose number is a multiple of eight.
struct Singles<'a> {
    name: &'static str,
    x: &'a [f32],
}

impl Job for Singles<'_> {
    type Output = Vec<f32>;

    #[inline(always)]
    fn run<S: Isa>(self) -> Vec<f32> {
        let mut result = vec![0.0; self.x.len()];
        for (x, y) in self.x.chunks_exact(LANES).zip(result.chunks_exact_mut(LANES)) {
            // Safety: a chunk has eight elements
            unsafe { apply(self.name, S::F32::load(x.as_ptr())).store(y.as_mut_ptr()) }
            for (&x, &y) in x.iter().zip(&*y) {
                let lane = apply(self.name, Lane::<S, f32>::new(x)).value();
                assert!(same(lane.into(), y.into()), "{}({x:e}): a lane gives {lane:e}", self.name);
            }
        }
        result
    }
}

/// Of all magnitudes, in the range, near 1, near multiples of pi / 2, and special ones.
fn samples(range: [f64; 2]) -> Vec<f64> {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut x: Vec<f64> = SPECIAL.to_vec();
    for _ in 0..SAMPLES / 4 {
        x.push(f64::from_bits(random.bits()));
        x.push(range[0] + (range[1] - range[0]) * random.unit());
        x.push(1.0 + (random.unit() - 0.5) * 2f64.powi(-((random.bits() % 50) as i32)));
        let quarters = (random.bits() % 600_000) as f64;
        x.push(quarters * std::f64::consts::FRAC_PI_2 * if random.bits() & 1 == 0 { 1.0 } else { -1.0 });
    }
    x.truncate(x.len() / LANES * LANES);
    x
}

/// What the reference is good for: it does not know special values, nor large angles, where std is the authority.
fn has_reference(name: &str, x: f64) -> bool {
    let inside = match name {
        "sin" | "cos" | "tan" | "sin of sin_cos" | "cos of sin_cos" => x.abs() < 1e6,
        "ln" | "log2" | "log10" => x > 0.0,
        "ln_1p" => x > -1.0,
        "asin" | "acos" => x.abs() <= 1.0,
        "atanh" => x.abs() < 1.0,
        "acosh" => x >= 1.0,
        _ => true,
    };
    // products of the reference lose their low parts
    let tiny = x.abs() < 1e-280 && !matches!(name, "ln" | "log2" | "log10" | "cbrt" | "recip");
    let inverse_is_normal = name != "recip" || (1e-290..1e290).contains(&x.abs());
    x.is_finite() && inside && !tiny && x != 0.0 && inverse_is_normal
}

fn check(function: &Function, name: &'static str) {
    let x = samples(function.range);
    let narrow: Vec<f32> = x.iter().map(|&x| x as f32).collect();
    for level in levels() {
        let mut worst = [(0.0, 0.0); 2];
        for (&x, y) in x.iter().zip(at(level, Doubles { name, x: &x })) {
            if !has_reference(name, x) {
                let std = (function.std)(x);
                assert!(close64(y, std), "{level:?} {name}({x:e}): {y:e}, std {std:e}");
                continue;
            }
            let error = ulps64(y, (function.exact)(x));
            if error > worst[0].0 {
                worst[0] = (error, x);
            }
        }
        for (&x, y) in narrow.iter().zip(at(level, Singles { name, x: &narrow })) {
            if !has_reference(name, x.into()) {
                let std = (function.std32)(x);
                assert!(close32(y, std), "{level:?} {name}({x:e}): {y:e}, std {std:e}");
                continue;
            }
            let error = ulps32(y, (function.exact)(x.into()));
            if error > worst[1].0 {
                worst[1] = (error, x.into());
            }
        }
        let [(double, at), (single, at32)] = worst;
        println!("{level:?} {name}: {double:.3} ulp at {at:e}; single {single:.3} ulp at {at32:e}");
        assert!(double <= function.bounds[0], "{level:?} {name}({at:e}) is off by {double} ulp");
        assert!(single <= function.bounds[1], "{level:?} {name}({at32:e}f32) is off by {single} ulp");
    }
}

#[test]
#[cfg_attr(miri, ignore = "Miri's own errors of std's functions are what would be found")]
fn functions_of_one_argument_are_within_their_bounds() {
    for function in &FUNCTIONS {
        check(function, function.name);
    }
}

#[test]
#[cfg_attr(miri, ignore = "Miri's own errors of std's functions are what would be found")]
fn sine_and_cosine_together_are_as_exact_as_alone() {
    for function in &FUNCTIONS {
        match function.name {
            "sin" => check(function, "sin of sin_cos"),
            "cos" => check(function, "cos of sin_cos"),
            _ => {}
        }
    }
}
