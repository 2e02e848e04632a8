//! Elementary functions in twice the precision of a double, to hold those of the runtime against: slow, plain series.

use std::f64::consts::LN_2;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// The sum of two doubles, of which the second is at most half an ulp of the first: 106 bits.
#[derive(Clone, Copy, Debug)]
pub struct Wide {
    pub high: f64,
    pub low: f64,
}

fn sum(a: f64, b: f64) -> Wide {
    let high = a + b;
    let part = high - a;
    Wide { high, low: (a - (high - part)) + (b - part) }
}

fn wide(high: f64, low: f64) -> Wide {
    let high_and_low = high + low;
    Wide { high: high_and_low, low: (high - high_and_low) + low }
}

impl From<f64> for Wide {
    fn from(high: f64) -> Wide {
        Wide { high, low: 0.0 }
    }
}

impl Neg for Wide {
    type Output = Wide;

    fn neg(self) -> Wide {
        Wide { high: -self.high, low: -self.low }
    }
}

impl Add for Wide {
    type Output = Wide;

    fn add(self, other: Wide) -> Wide {
        let (highs, lows) = (sum(self.high, other.high), sum(self.low, other.low));
        let part = wide(highs.high, highs.low + lows.high);
        wide(part.high, part.low + lows.low)
    }
}

impl Sub for Wide {
    type Output = Wide;

    fn sub(self, other: Wide) -> Wide {
        self + -other
    }
}

impl Mul for Wide {
    type Output = Wide;

    fn mul(self, other: Wide) -> Wide {
        let high = self.high * other.high;
        let error = self.high.mul_add(other.high, -high);
        wide(high, error + (self.high * other.low + self.low * other.high))
    }
}

impl Div for Wide {
    type Output = Wide;

    fn div(self, other: Wide) -> Wide {
        let first = self.high / other.high;
        let rest = self - other * first.into();
        let second = rest.high / other.high;
        let rest = rest - other * second.into();
        wide(first, second) + (rest.high / other.high).into()
    }
}

const LN_2_WIDE: Wide = Wide { high: LN_2, low: 2.3190468138462996e-17 };
const LN_10_WIDE: Wide = Wide { high: std::f64::consts::LN_10, low: -2.1707562233822494e-16 };
/// pi / 2 in 212 bits.
const HALF_PI: [f64; 4] =
    [std::f64::consts::FRAC_PI_2, 6.123233995736766e-17, -1.4973849048591698e-33, 5.562271104316826e-50];

impl Wide {
    /// `self * 2^n`; what is subnormal is rounded.
    fn scale(self, n: i32) -> Wide {
        let factors = [n / 3, (n - n / 3) / 2, n - n / 3 - (n - n / 3) / 2].map(|n| 2f64.powi(n));
        let value = self.high + self.low;
        let scaled = factors.iter().fold(value, |value, factor| value * factor);
        if scaled.is_infinite() || scaled.abs() < f64::MIN_POSITIVE {
            return scaled.into();
        }
        factors
            .iter()
            .fold(self, |value, &factor| Wide { high: value.high * factor, low: value.low * factor })
    }

    /// `exp(self) - 1` by its series.
    fn exponential_series(self) -> Wide {
        let (mut term, mut total) = (self, self);
        for k in 2..40 {
            term = term * self / f64::from(k).into();
            total = total + term;
        }
        total
    }

    /// `2 artanh(self)` by its series.
    fn twice_artanh(self) -> Wide {
        let (mut power, mut total) = (self, self);
        for k in 1..60 {
            power = power * self * self;
            total = total + power / f64::from(2 * k + 1).into();
        }
        total + total
    }
}

pub fn exp(x: Wide) -> Wide {
    if x.high.abs() > 800.0 {
        return Wide::from(if x.high > 0.0 { f64::INFINITY } else { 0.0 });
    }
    let n = (x.high / LN_2).round();
    let mut power = ((x - LN_2_WIDE * n.into()) * Wide::from(1.0 / 256.0)).exponential_series() + 1.0.into();
    for _ in 0..8 {
        power = power * power;
    }
    power.scale(n as i32)
}

pub fn exp_m1(x: Wide) -> Wide {
    match x.high {
        high if high.abs() < 0.5 => x.exponential_series(),
        high if high > 100.0 => exp(x),
        _ => exp(x) - 1.0.into(),
    }
}

/// The logarithm of `1 + x`, given both.
fn ln_near_one(x: Wide, one_plus_x: Wide) -> Wide {
    (x / (one_plus_x + 1.0.into())).twice_artanh()
}

pub fn ln(x: Wide) -> Wide {
    let (x, shift) = if x.high < 1e-290 { (x.scale(200), -200.0) } else { (x, 0.0) };
    let k = (x.high / std::f64::consts::SQRT_2).log2().ceil();
    let m = x.scale(-k as i32);
    ln_near_one(m - 1.0.into(), m) + LN_2_WIDE * (k + shift).into()
}

pub fn ln_1p(x: Wide) -> Wide {
    if x.high.abs() < 0.4 { ln_near_one(x, x + 1.0.into()) } else { ln(x + 1.0.into()) }
}

pub fn exp2(x: Wide) -> Wide {
    exp(x * LN_2_WIDE)
}

pub fn log2(x: Wide) -> Wide {
    ln(x) / LN_2_WIDE
}

pub fn log10(x: Wide) -> Wide {
    ln(x) / LN_10_WIDE
}

/// Quarter turns modulo 4, and the rest, of an argument below 2^30.
fn reduce(x: f64) -> (i64, Wide) {
    let n = (x / HALF_PI[0]).round();
    let rest = HALF_PI.iter().fold(Wide::from(x), |rest, &part| {
        let high = n * part;
        rest - Wide { high, low: n.mul_add(part, -high) }
    });
    (n as i64 & 3, rest)
}

/// Sine and cosine of at most an eighth turn.
fn eighth_turn(r: Wide) -> (Wide, Wide) {
    let (mut sin, mut cos, mut term) = (r, Wide::from(1.0), r);
    for k in 2..40 {
        term = term * r / f64::from(k).into();
        match k % 4 {
            0 => cos = cos + term,
            1 => sin = sin + term,
            2 => cos = cos - term,
            _ => sin = sin - term,
        }
    }
    (sin, cos)
}

pub fn sin(x: f64) -> Wide {
    let (quarters, rest) = reduce(x);
    let (sin, cos) = eighth_turn(rest);
    [sin, cos, -sin, -cos][quarters as usize]
}

pub fn cos(x: f64) -> Wide {
    let (quarters, rest) = reduce(x);
    let (sin, cos) = eighth_turn(rest);
    [cos, -sin, -cos, sin][quarters as usize]
}

pub fn tan(x: f64) -> Wide {
    sin(x) / cos(x)
}

pub fn tanh(x: Wide) -> Wide {
    if x.high.abs() > 40.0 {
        return x.high.signum().into();
    }
    let power = exp_m1(x + x);
    power / (power + 2.0.into())
}

/// `x^y` for positive `x`.
pub fn pow(x: f64, y: f64) -> Wide {
    exp(ln(x.into()) * y.into())
}

impl Wide {
    /// The square root of a number that is not negative.
    fn sqrt(self) -> Wide {
        let root = self.high.sqrt();
        if root == 0.0 {
            self
        } else {
            wide(root, (self - Wide::from(root) * root.into()).high / (2.0 * root))
        }
    }

    /// The value with another sign.
    fn signed(self, negative: bool) -> Wide {
        if negative { -self } else { self }
    }
}

const HALF_PI_WIDE: Wide = Wide { high: HALF_PI[0], low: HALF_PI[1] };
const PI_WIDE: Wide = Wide { high: 2.0 * HALF_PI[0], low: 2.0 * HALF_PI[1] };

pub fn atan(x: Wide) -> Wide {
    if x.high.abs() > 1.0 {
        return HALF_PI_WIDE.signed(x.high < 0.0) - atan(Wide::from(1.0) / x);
    }
    // half the angle, four times, and the series
    let mut x = x;
    for _ in 0..4 {
        x = x / (Wide::from(1.0) + (Wide::from(1.0) + x * x).sqrt());
    }
    let (mut power, mut total) = (x, x);
    for k in 1..30 {
        power = -(power * x * x);
        total = total + power / f64::from(2 * k + 1).into();
    }
    total * 16.0.into()
}

pub fn asin(x: Wide) -> Wide {
    let cosine = ((Wide::from(1.0) - x) * (Wide::from(1.0) + x)).sqrt();
    if cosine.high == 0.0 { HALF_PI_WIDE.signed(x.high < 0.0) } else { atan(x / cosine) }
}

pub fn acos(x: Wide) -> Wide {
    if x.high < 0.5 {
        return HALF_PI_WIDE - asin(x);
    }
    let half = asin(((Wide::from(1.0) - x) * 0.5.into()).sqrt());
    half + half
}

/// Neither may be zero.
pub fn atan2(y: f64, x: f64) -> Wide {
    let (above, below) = (Wide::from(y.abs()), Wide::from(x.abs()));
    let angle = if y.abs() <= x.abs() { atan(above / below) } else { HALF_PI_WIDE - atan(below / above) };
    (if x < 0.0 { PI_WIDE - angle } else { angle }).signed(y < 0.0)
}

/// Half the exponential function, which overflows later.
fn half_exp(x: f64) -> Wide {
    exp(Wide::from(x) - LN_2_WIDE)
}

pub fn sinh(x: f64) -> Wide {
    if x.abs() > 50.0 {
        return half_exp(x.abs()).signed(x < 0.0);
    }
    let power = exp_m1(x.abs().into());
    ((power + power / (power + 1.0.into())) * 0.5.into()).signed(x < 0.0)
}

pub fn cosh(x: f64) -> Wide {
    let power = half_exp(x.abs());
    if x.abs() > 50.0 { power } else { power + Wide::from(0.25) / power }
}

pub fn asinh(x: f64) -> Wide {
    let (magnitude, one) = (Wide::from(x.abs()), Wide::from(1.0));
    let result = if x.abs() > 1e60 {
        ln(magnitude) + LN_2_WIDE
    } else {
        let square = magnitude * magnitude;
        ln_1p(magnitude + square / (one + (one + square).sqrt()))
    };
    result.signed(x < 0.0)
}

pub fn acosh(x: f64) -> Wide {
    let (x, one) = (Wide::from(x), Wide::from(1.0));
    if x.high > 1e60 { ln(x) + LN_2_WIDE } else { ln_1p((x - one) + ((x - one) * (x + one)).sqrt()) }
}

pub fn atanh(x: f64) -> Wide {
    let x = Wide::from(x);
    if x.high.abs() < 0.4 {
        return x.twice_artanh() * 0.5.into();
    }
    ln((Wide::from(1.0) + x) / (Wide::from(1.0) - x)) * 0.5.into()
}

pub fn cbrt(x: f64) -> Wide {
    // far from underflow and overflow
    let shift = if x.abs() < 1e-200 {
        600
    } else if x.abs() > 1e200 {
        -600
    } else {
        0
    };
    let x = Wide::from(x).scale(shift);
    let root = x.high.cbrt();
    let square = Wide::from(root) * root.into();
    let correction = (x - square * root.into()) / (square * 3.0.into());
    (Wide::from(root) + correction).scale(-shift / 3)
}

pub fn hypot(x: f64, y: f64) -> Wide {
    let (x, y) = (x.abs().max(y.abs()), x.abs().min(y.abs()));
    let exponent = exponent_of(x);
    let [x, y] = [x, y].map(|z| Wide::from(z).scale(-exponent));
    (x * x + y * y).sqrt().scale(exponent)
}

/// The error of `value` in units in the last place of the exact result, for a format of `digits` bits whose smallest
/// normal number is `2^lowest`; infinite where one of the two is infinite and the other is not, or one is NaN.
pub fn ulps(value: f64, exact: Wide, digits: i32, lowest: i32, largest: f64) -> f64 {
    if value.is_nan() || exact.high.is_nan() {
        return if value.is_nan() && exact.high.is_nan() { 0.0 } else { f64::INFINITY };
    }
    if value.is_infinite() || exact.high.is_infinite() {
        // what rounds to infinity is within one unit of the largest number
        let near = |x: f64| x.abs() >= largest * (1.0 - 2f64.powi(1 - digits));
        let same = value.is_sign_positive() == exact.high.is_sign_positive();
        return if same && near(value) && near(exact.high) { 0.5 } else { f64::INFINITY };
    }
    let exponent = if exact.high == 0.0 { lowest } else { (exponent_of(exact.high)).max(lowest) };
    let difference = ((value - exact.high) - exact.low).abs();
    // in two steps: the unit may be too small for a double
    let up = (digits - 1 - exponent) / 2;
    difference * 2f64.powi(up) * 2f64.powi(digits - 1 - exponent - up)
}

/// The exponent of a finite number that is not zero.
fn exponent_of(x: f64) -> i32 {
    let biased = (x.to_bits() >> 52 & 0x7ff) as i32;
    if biased == 0 { exponent_of(x * 18014398509481984.0) - 54 } else { biased - 1023 }
}

/// [`ulps`] of a double.
pub fn ulps64(value: f64, exact: Wide) -> f64 {
    ulps(value, exact, 53, -1022, f64::MAX)
}

/// [`ulps`] of a single.
pub fn ulps32(value: f32, exact: Wide) -> f64 {
    ulps(value.into(), exact, 24, -126, f32::MAX.into())
}

#[test]
#[cfg_attr(miri, ignore = "Miri has powers of two rounded")]
fn the_reference_agrees_with_published_digits() {
    // as a double, and what is left
    let close = |value: Wide, high: f64, low: f64| {
        assert_eq!(value.high, high);
        assert!((value.low - low).abs() <= 1e-10 * low.abs(), "{value:?} {high:e} {low:e}");
    };
    close(exp(1.0.into()), std::f64::consts::E, 1.4456468917292502e-16);
    close(exp((-600.3).into()), 1.9634620584977012e-261, 9.153447526726684e-279);
    close(exp2(0.3.into()), 1.2311444133449163, -3.572339831433251e-17);
    close(exp_m1(1e-5.into()), 1.0000050000166668e-5, -3.111926571619883e-22);
    close(ln(10.0.into()), LN_10_WIDE.high, LN_10_WIDE.low);
    close(ln_1p((-0.3).into()), -0.35667494393873234, -2.6895094047056423e-17);
    close(log2(7.0.into()), 2.807354922057604, -6.661516337822047e-17);
    close(log10(7.0.into()), 0.8450980400142568, 1.7965820250441286e-17);
    close(sin(1.0), 0.8414709848078965, 1.776845092935536e-18);
    close(sin(52174.0), -0.9999999999848337, 1.38980217144312e-17);
    close(cos(1e5), -0.9993608074382124, -2.3447088905187402e-17);
    close(tan(22.0), 0.00885165604168446, -8.754331321583125e-20);
    close(tanh(0.3.into()), 0.2913126124515909, -6.4602656586469586e-18);
    close(atan(0.7.into()), 0.6107259643892086, 2.2418914462967458e-17);
    close(atan((-41.3).into()), -1.5465879818946593, 5.405133774169614e-17);
    close(asin(0.93.into()), 1.1944128444771684, 6.202943957078764e-17);
    close(acos(0.999.into()), 0.044725087168733454, -3.3530251181836818e-18);
    close(acos((-0.4).into()), 1.9823131728623846, 4.245572403404127e-17);
    close(atan2(1.3, -2.1), 2.587285157388242, -3.9333560937996535e-17);
    close(sinh(0.3), 0.3045202934471426, 9.177343117072388e-18);
    close(cosh(-2.7), 7.473468618806293, 3.805567894883038e-16);
    close(asinh(1.9), 1.3979983651114343, 4.4969633529293536e-17);
    close(acosh(1.0625), 0.3517373900432606, -2.065441199493589e-17);
    close(atanh(-0.77), -1.0203277583223398, 2.5835116514225317e-17);
    close(cbrt(10.0), 2.154434690031884, -9.273902111110189e-17);
    close(hypot(1.1, 2.7), 2.9154759474226504, 6.218910377648925e-17);
    close(pow(1.7, 33.3), 47200769.82952171, -2.485293320117473e-9);
}
