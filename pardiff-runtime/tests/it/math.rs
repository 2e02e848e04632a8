//! Accuracy and special values of the elementary functions, at every level, in double and single precision.

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

const FUNCTIONS: [Function; 12] = [
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
        bounds: [1.2, 0.51],
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

/// The same bits, or NaN both.
fn same(a: f64, b: f64) -> bool {
    a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan())
}

/// Pseudorandom bits.
struct Random(u64);

impl Random {
    fn bits(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// Between 0 and 1.
    fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * 2f64.powi(-53)
    }
}

/// More where the compiler optimises.
const SAMPLES: usize = if cfg!(debug_assertions) { 4_000 } else { 40_000 };

/// Zeros, infinities, NaN, the extremes, and numbers where something changes.
const SPECIAL: [f64; 40] = [
    0.0,
    -0.0,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
    f64::MAX,
    f64::MIN,
    f64::MIN_POSITIVE,
    -f64::MIN_POSITIVE,
    5e-324,
    -5e-324,
    1e-310,
    1.0,
    -1.0,
    0.5,
    -0.5,
    2.0,
    -2.0,
    0.9999999999999999,
    1.0000000000000002,
    1e-20,
    -1e-20,
    709.782712893384,
    709.7827128933841,
    -708.3964185322641,
    -745.1332191019411,
    -745.1332191019412,
    1023.9999999999999,
    1024.0,
    -1022.0,
    -1074.0,
    -1075.0,
    std::f64::consts::SQRT_2,
    std::f64::consts::FRAC_1_SQRT_2,
    0.625,
    1e6,
    1000000.0000000001,
    -1e22,
    1e300,
    22.0,
];

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
    let angle = matches!(name, "sin" | "cos" | "tan" | "sin of sin_cos" | "cos of sin_cos");
    let logarithm = matches!(name, "ln" | "log2" | "log10");
    let inside = if angle {
        x.abs() < 1e6
    } else if logarithm {
        x > 0.0
    } else if name == "ln_1p" {
        x > -1.0
    } else {
        true
    };
    // products of the reference lose their low parts
    let tiny = x.abs() < 1e-280 && !logarithm && name != "recip";
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
                let close = same(y.into(), std.into()) || (y - std).abs() <= std.abs() * f32::EPSILON;
                assert!(close, "{level:?} {name}({x:e}): {y:e}, std {std:e}");
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

/// The same, or within an ulp where std's result is itself rounded.
fn close64(y: f64, std: f64) -> bool {
    same(y, std) || (y != 0.0 && (y - std).abs() <= std.abs() * f64::EPSILON)
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

/// Powers of each pair of some doubles, whose number is a multiple of eight.
struct Powers<'a> {
    x: &'a [f64],
    y: &'a [f64],
}

impl Job for Powers<'_> {
    type Output = (Vec<f64>, Vec<f32>);

    #[inline(always)]
    fn run<S: Isa>(self) -> Self::Output {
        let mut double = vec![0.0; self.x.len()];
        let mut single = vec![0.0; self.x.len()];
        for first in (0..self.x.len()).step_by(LANES) {
            let [x, y]: [[f64; LANES]; 2] = [self.x, self.y].map(|z| std::array::from_fn(|l| z[first + l]));
            let powers = math::pow(S::F64::from_array(x), S::F64::from_array(y)).to_array();
            double[first..first + LANES].copy_from_slice(&powers);
            let narrow =
                math::pow(S::F32::from_array(x.map(|x| x as f32)), S::F32::from_array(y.map(|y| y as f32)));
            single[first..first + LANES].copy_from_slice(&narrow.to_array());
            for l in 0..LANES {
                let lane = math::pow(Lane::<S, f64>::new(x[l]), Lane::new(y[l])).value();
                assert!(same(lane, powers[l]), "pow({:e}, {:e}): a lane gives {lane:e}", x[l], y[l]);
            }
        }
        (double, single)
    }
}

#[test]
#[cfg_attr(miri, ignore = "Miri's own errors of std's functions are what would be found")]
fn powers_are_within_their_bounds_and_special_ones_are_those_of_std() {
    let (mut x, mut y) = (Vec::new(), Vec::new());
    let more = [3.0, -3.0, 4.0, 9007199254740991.0, -9007199254740993.0, 1e19, 0.3, -2.5, 1.0 / 3.0, 1e-300];
    for a in SPECIAL.into_iter().chain(more) {
        for b in SPECIAL.into_iter().chain(more) {
            x.push(a);
            y.push(b);
        }
    }
    let special = x.len();
    let mut random = Random(88172645463325252);
    for _ in 0..SAMPLES {
        // any result, results near 1, small integer powers
        let base = f64::from_bits(random.bits() >> 1);
        let (base, power) = match random.bits() % 4 {
            0 => (base, (random.unit() - 0.5) * 2200.0 / base.log2().abs()),
            1 => (0.7 + random.unit(), (random.unit() - 0.5) * 3000.0),
            2 => ((random.unit() - 0.5) * 20.0, (random.bits() % 41) as f64 - 20.0),
            _ => (random.unit() * 100.0, (random.unit() - 0.5) * 20.0),
        };
        x.push(base);
        y.push(power);
    }
    let len = x.len() / LANES * LANES;
    x.truncate(len);
    y.truncate(len);
    for level in levels() {
        let mut worst = [(0.0, [0.0; 2]); 2];
        let (double, single) = at(level, Powers { x: &x, y: &y });
        for k in 0..len {
            let ([x, y], std) = ([x[k], y[k]], x[k].powf(y[k]));
            let ([x32, y32], std32) = ([x as f32, y as f32], (x as f32).powf(y as f32));
            if k < special || x <= 0.0 || !x.is_finite() {
                assert!(close64(double[k], std), "{level:?} pow({x:e}, {y:e}): {:e}, std {std:e}", double[k]);
                let near = same(single[k].into(), std32.into())
                    || (single[k] - std32).abs() <= std32.abs() * f32::EPSILON;
                assert!(near, "{level:?} pow({x32:e}, {y32:e}): {:e}, std {std32:e}", single[k]);
                continue;
            }
            let error = ulps64(double[k], exact::pow(x, y));
            if error > worst[0].0 {
                worst[0] = (error, [x, y]);
            }
            if x32.is_finite() && x32 > 0.0 && y32.is_finite() {
                let error = ulps32(single[k], exact::pow(x32.into(), y32.into()));
                if error > worst[1].0 {
                    worst[1] = (error, [x32.into(), y32.into()]);
                }
            }
        }
        let [(double, at), (single, at32)] = worst;
        println!("{level:?} pow: {double:.3} ulp at {at:?}; single {single:.3} ulp at {at32:?}");
        assert!(double <= 1.1, "{level:?} pow({at:?}) is off by {double} ulp");
        assert!(single <= 1.0, "{level:?} pow({at32:?}) is off by {single} ulp");
    }
}
