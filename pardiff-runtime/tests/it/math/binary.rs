//! Functions of two arguments but powers.

use super::{Random, SAMPLES, SPECIAL, close32, close64, same};
use crate::at_level::{Job, at, levels};
use crate::reference::{self as exact, Wide, ulps32, ulps64};
use pardiff_runtime::math::{self, Real};
use pardiff_runtime::simd::{Isa, LANES, Lane, Vector};

/// A function under test.
struct Function {
    name: &'static str,
    exact: fn(f64, f64) -> Wide,
    std: fn(f64, f64) -> f64,
    std32: fn(f32, f32) -> f32,
    /// Where the reference is good.
    known: fn(f64, f64) -> bool,
    /// Documented bounds in ulp, double and single.
    bounds: [f64; 2],
}

const FUNCTIONS: [Function; 3] = [
    Function {
        name: "atan2",
        exact: exact::atan2,
        std: f64::atan2,
        std32: f32::atan2,
        // quotients and products of the reference keep their low parts
        known: |y, x| [y, x].iter().all(|z| (1e-120..1e120).contains(&z.abs())),
        bounds: [1.4, 0.51],
    },
    Function {
        name: "hypot",
        exact: exact::hypot,
        std: f64::hypot,
        std32: f32::hypot,
        known: |x, y| [x, y].iter().all(|z| z.is_finite()) && x.abs().max(y.abs()) > 1e-270,
        bounds: [1.2, 0.51],
    },
    Function {
        name: "log",
        exact: |x, base| exact::ln(x.into()) / exact::ln(base.into()),
        std: f64::log,
        std32: f32::log,
        known: |x, base| [x, base].iter().all(|z| z.is_finite() && *z > 0.0) && base != 1.0,
        bounds: [1.2, 0.51],
    },
];

/// The function of this name.
#[inline(always)]
fn apply<R: Real>(name: &str, x: R, y: R) -> R {
    match name {
        "atan2" => math::atan2(x, y),
        "hypot" => math::hypot(x, y),
        "log" => math::log(x, y),
        other => panic!("no function {other}"),
    }
}

/// A function of pairs, whose number is a multiple of eight.
struct Pairs<'a> {
    name: &'static str,
    x: &'a [f64],
    y: &'a [f64],
}

impl Job for Pairs<'_> {
    type Output = (Vec<f64>, Vec<f32>);

    #[inline(always)]
    fn run<S: Isa>(self) -> Self::Output {
        let (mut double, mut single) = (Vec::new(), Vec::new());
        for (x, y) in self.x.chunks_exact(LANES).zip(self.y.chunks_exact(LANES)) {
            let [x, y]: [[f64; LANES]; 2] = [x, y].map(|z| std::array::from_fn(|l| z[l]));
            let values = apply(self.name, S::F64::from_array(x), S::F64::from_array(y)).to_array();
            double.extend(values);
            let narrow = |z: [f64; LANES]| S::F32::from_array(z.map(|z| z as f32));
            single.extend(apply(self.name, narrow(x), narrow(y)).to_array());
            for l in 0..LANES {
                let lane = apply(self.name, Lane::<S, f64>::new(x[l]), Lane::new(y[l])).value();
                assert!(
                    same(lane, values[l]),
                    "{}({:e}, {:e}): a lane gives {lane:e}",
                    self.name,
                    x[l],
                    y[l]
                );
            }
        }
        (double, single)
    }
}

/// Pairs of special values, of all magnitudes, of similar ones, and near 1.
fn samples() -> (Vec<f64>, Vec<f64>) {
    let pairs = SPECIAL.iter().flat_map(|&x| SPECIAL.iter().map(move |&y| (x, y)));
    let (mut x, mut y): (Vec<f64>, Vec<f64>) = pairs.unzip();
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    while x.len() < SAMPLES + SPECIAL.len() * SPECIAL.len() {
        let first = f64::from_bits(random.bits());
        let (a, b) = match random.bits() % 4 {
            0 => (first, f64::from_bits(random.bits())),
            1 => (first, first * (random.unit() - 0.5) * 8.0),
            2 => ((random.unit() - 0.5) * 4.0, (random.unit() - 0.5) * 4.0),
            _ => (1.0 + (random.unit() - 0.5) * 0.01, random.unit() * 20.0),
        };
        x.push(a);
        y.push(b);
    }
    let len = x.len() / LANES * LANES;
    x.truncate(len);
    y.truncate(len);
    (x, y)
}

#[test]
#[cfg_attr(miri, ignore = "Miri's own errors of std's functions are what would be found")]
fn functions_of_two_arguments_are_within_their_bounds() {
    let (x, y) = samples();
    for Function { name, exact, std, std32, known, bounds } in FUNCTIONS {
        for level in levels() {
            let mut worst = [(0.0, [0.0; 2]); 2];
            let mut compared = [0; 2];
            let (double, single) = at(level, Pairs { name, x: &x, y: &y });
            for (k, (&x, &y)) in x.iter().zip(&y).enumerate() {
                if known(x, y) {
                    let error = ulps64(double[k], exact(x, y));
                    compared[0] += 1;
                    if error > worst[0].0 {
                        worst[0] = (error, [x, y]);
                    }
                } else {
                    let std = std(x, y);
                    assert!(
                        close64(double[k], std),
                        "{level:?} {name}({x:e}, {y:e}): {:e}, std {std:e}",
                        double[k]
                    );
                }
                let (x, y) = (x as f32, y as f32);
                if known(x.into(), y.into()) {
                    let error = ulps32(single[k], exact(x.into(), y.into()));
                    compared[1] += 1;
                    if error > worst[1].0 {
                        worst[1] = (error, [x.into(), y.into()]);
                    }
                } else {
                    let std = std32(x, y);
                    assert!(
                        close32(single[k], std),
                        "{level:?} {name}({x:e}, {y:e}): {:e}, std {std:e}",
                        single[k]
                    );
                }
            }
            let [(double, at), (single, at32)] = worst;
            println!("{level:?} {name}: {double:.3} ulp at {at:?}; single {single:.3} ulp at {at32:?}");
            assert!(compared.iter().all(|&compared| compared > SAMPLES / 4), "{name}: {compared:?} compared");
            assert!(double <= bounds[0], "{level:?} {name}({at:?}) is off by {double} ulp");
            assert!(single <= bounds[1], "{level:?} {name}({at32:?}) is off by {single} ulp");
        }
    }
}
