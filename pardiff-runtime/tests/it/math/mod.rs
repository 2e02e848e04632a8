//! Accuracy and special values of the elementary functions, at every level, in double and single precision.

mod binary;
mod powers;
mod unary;

/// The same bits, or NaN both.
pub fn same(a: f64, b: f64) -> bool {
    a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan())
}

/// Pseudorandom bits.
pub struct Random(pub u64);

impl Random {
    pub fn bits(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// Between 0 and 1.
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * 2f64.powi(-53)
    }
}

/// More where the compiler optimises.
pub const SAMPLES: usize = if cfg!(debug_assertions) { 4_000 } else { 40_000 };

/// Zeros, infinities, NaN, the extremes, and numbers where something changes.
pub const SPECIAL: [f64; 44] = [
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
    710.4758600739439,
    710.475860073944,
    1.0000000000000004,
    1.152921504606847e18,
];

/// The same, or within an ulp where std's result is itself rounded.
pub fn close64(y: f64, std: f64) -> bool {
    same(y, std) || (y != 0.0 && (y - std).abs() <= std.abs() * f64::EPSILON)
}

/// The same for singles.
pub fn close32(y: f32, std: f32) -> bool {
    same(y.into(), std.into()) || (y - std).abs() <= std.abs() * f32::EPSILON
}
