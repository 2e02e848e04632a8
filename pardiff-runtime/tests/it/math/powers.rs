//! Powers.

use super::{Random, SAMPLES, SPECIAL, close32, close64, same};
use crate::at_level::{Job, Vectors, at, levels};
use crate::reference::{self as exact, ulps32, ulps64};
use pardiff_runtime::math;
use pardiff_runtime::simd::{Isa, LANES, Lane, Level, Vector};

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
                assert!(
                    close32(single[k], std32),
                    "{level:?} pow({x32:e}, {y32:e}): {:e}, std {std32:e}",
                    single[k]
                );
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

/// One integer power of each of some doubles, whose number is a multiple of eight.
struct IntegerPowers<'a> {
    x: &'a [f64],
    n: i32,
}

impl Job for IntegerPowers<'_> {
    type Output = (Vec<f64>, Vec<f32>);

    #[inline(always)]
    fn run<S: Isa>(self) -> Self::Output {
        let (mut double, mut single) = (Vec::new(), Vec::new());
        for x in self.x.chunks_exact(LANES) {
            let x: [f64; LANES] = std::array::from_fn(|l| x[l]);
            let powers = math::powi(S::F64::from_array(x), self.n).to_array();
            double.extend(powers);
            single.extend(math::powi(S::F32::from_array(x.map(|x| x as f32)), self.n).to_array());
            for l in 0..LANES {
                let lane = math::powi(Lane::<S, f64>::new(x[l]), self.n).value();
                assert!(same(lane, powers[l]), "powi({:e}, {}): a lane gives {lane:e}", x[l], self.n);
            }
        }
        (double, single)
    }
}

/// The exact power of a number of any sign.
fn exact_power(x: f64, n: i32) -> exact::Wide {
    let power = exact::pow(x.abs(), n.into());
    if x < 0.0 && n % 2 != 0 { -power } else { power }
}

#[test]
#[cfg_attr(miri, ignore = "Miri's own errors of std's functions are what would be found")]
fn integer_powers_are_within_their_bounds_and_special_ones_are_those_of_std() {
    let exponents = [
        0,
        1,
        2,
        3,
        4,
        5,
        6,
        7,
        10,
        12,
        31,
        64,
        100,
        1000,
        1023,
        12345,
        1 << 20,
        1_048_575,
        i32::MAX,
        -1,
        -2,
        -3,
        -4,
        -7,
        -12,
        -100,
        -1023,
        -1_048_577,
        i32::MIN,
    ];
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    // a level that fuses nothing has small powers multiplied plainly, as std does: those are the last
    let mut worst = [(0.0, 0.0, 0); 3];
    for n in exponents {
        let mut x: Vec<f64> = SPECIAL.to_vec();
        // any result, and those near 1
        let spread = 700.0 / f64::from(n).abs().max(1.0);
        x.extend((0..SAMPLES / 20).map(|_| ((random.unit() - 0.5) * 2.0 * spread).exp()));
        x.extend((0..SAMPLES / 40).map(|_| -1.0 + (random.unit() - 0.5) * (spread / 350.0).min(1.0)));
        x.truncate(x.len() / LANES * LANES);
        for level in levels() {
            let (double, single) = at(level, IntegerPowers { x: &x, n });
            for (&x, (&double, &single)) in x.iter().zip(double.iter().zip(&single)) {
                if x == 0.0 || !x.is_finite() || n == 0 {
                    let std = x.powi(n);
                    assert!(same(double, std), "{level:?} powi({x:e}, {n}): {double:e}, std {std:e}");
                } else {
                    let error = ulps64(double, exact_power(x, n));
                    let fused = matches!(level, Vectors::Of(Level::Avx2 | Level::Avx512));
                    let plain = !fused && (4..=8).contains(&n);
                    let worst = if plain { &mut worst[2] } else { &mut worst[0] };
                    if error > worst.0 {
                        *worst = (error, x, n);
                    }
                }
                let x = x as f32;
                if x == 0.0 || !x.is_finite() || n == 0 {
                    let std = x.powi(n);
                    assert!(
                        same(single.into(), std.into()),
                        "{level:?} powi({x:e}, {n}): {single:e}, std {std:e}"
                    );
                } else {
                    let error = ulps32(single, exact_power(x.into(), n));
                    if error > worst[1].0 {
                        worst[1] = (error, x.into(), n);
                    }
                }
            }
        }
    }
    for ((error, x, n), bound) in worst.into_iter().zip([1.3, 0.51, 3.6]) {
        println!("powi: {error:.3} ulp at {x:e}^{n}");
        assert!(error <= bound, "powi({x:e}, {n}) is off by {error} ulp");
    }
}
