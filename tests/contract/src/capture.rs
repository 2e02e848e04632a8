//! Generated names capture nothing of the user's, and paths mean the same in the generated code.

use pardiff::differentiate;

/// Found by `super::SCALE` from below.
pub const SCALE: f64 = 3.0;

/// The generated module has a function of this name as well.
pub fn value() -> f64 {
    11.0
}

/// A constant table.
pub const WEIGHTS: [f64; 3] = [1.0, 10.0, 100.0];

/// A table of rows behind a `static`.
pub static ROWS: [[f64; 2]; 2] = [[1.0, 2.0], [3.0, 4.0]];

/// Constants of this module and of the one above.
pub mod inner {
    use pardiff::differentiate;

    /// Shadows the outer one here.
    pub const SCALE: f64 = 5.0;

    /// The constant that `super` means from here, and the one of this module.
    #[differentiate]
    pub fn scaled(x: f64) -> f64 {
        let outer: f64 = super::SCALE;
        let own: f64 = self::SCALE;
        outer * x + own * x * x
    }
}

/// A length that only this module knows.
const LEN: usize = 4;

/// The signatures need the module's constants.
#[differentiate]
pub fn fixed(x: &[f64; LEN], rows: &[[f64; self::LEN]]) -> [f64; LEN] {
    let mut out = [0.0; LEN];
    for i in 0..LEN {
        out[i] = x[i] * x[i];
        for k in 0..rows.len() {
            out[i] += rows[k][i] * x[i];
        }
    }
    out
}

/// Tables and a constant whose name the generated code uses in lower case.
#[differentiate]
pub fn weighted(x: &[f64; 3], scale: f64) -> f64 {
    let factor: f64 = SCALE;
    let mut sum = 0.0;
    for i in 0..3 {
        sum += WEIGHTS[i] * x[i] * scale * factor;
    }
    for i in 0..2 {
        for j in 0..2 {
            sum += ROWS[i][j] * x[i] * x[j];
        }
    }
    sum
}

/// A table behind a reference.
const OFFSETS: &[f64] = &[0.5, 1.5];

/// Rows behind a reference, more than one way.
const PAIRS: &[[i32; 2]] = &[[0, 1], [1, 0]];

/// Tables behind references, their lengths, and a configuration.
#[differentiate]
pub fn referenced(x: &[f64; 2]) -> f64 {
    let mut sum = 0.0;
    for i in 0..OFFSETS.len() {
        sum += OFFSETS[i] * x[i];
    }
    for p in 0..PAIRS.len() {
        let first: i32 = PAIRS[p][0];
        sum += x[first as usize] * x[PAIRS[p][1] as usize];
    }
    if cfg!(any()) {
        sum *= 2.0;
    }
    #[allow(clippy::approx_constant)]
    let about: f64 = 3.14159;
    sum * std::f64::consts::PI / about * about + sum.log10() * 0.0
}

macro_rules! powers {
    ($name:ident, $of:ident, $ty:ty, $power:literal, $factor:expr) => {
        /// From a macro; local names of the macro are its own.
        #[differentiate]
        pub fn $name($of: $ty) -> $ty {
            let mut product = 1.0;
            for _k in 0..$power {
                product = product * $of * $factor;
            }
            product
        }
    };
}

powers!(cube, product, f64, 3, 2.0);
powers!(square, x, f32, 2, 1.0);
