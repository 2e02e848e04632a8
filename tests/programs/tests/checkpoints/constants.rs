//! Lengths of segments by constants.

use crate::close;
use pardiff::differentiate;
use pardiff_programs::random;

/// Bytes, of the crate.
pub mod limits {
    /// A thousand bytes.
    pub const KILOBYTE: usize = 1000;
}

/// So many states.
const STATES: usize = 2 + 2;

/// So many bytes, as others count them.
const BYTES: u64 = 2_000;

#[differentiate]
mod rods {
    const ROWS: usize = 3;
    const EVERY: usize = super::STATES - 1;

    fn step(u: &mut [f64], rate: &[f64]) {
        for i in 1..u.len() {
            u[i] += rate[i] * (u[i - 1] * u[i]).sin();
        }
    }

    pub fn plain(u: &mut [f64], rate: &[f64], steps: usize) {
        for _ in 0..steps {
            step(u, rate);
        }
    }

    pub fn by_product(u: &mut [f64], rate: &[f64], steps: usize) {
        #[checkpoint(memory = ROWS * super::limits::KILOBYTE)]
        for _ in 0..steps {
            step(u, rate);
        }
    }

    pub fn by_literals(u: &mut [f64], rate: &[f64], steps: usize) {
        #[checkpoint(memory = (512 * 1024) << ROWS)]
        for _ in 0..steps {
            step(u, rate);
        }
    }

    pub fn by_cast(u: &mut [f64], rate: &[f64], steps: usize) {
        const HALF: usize = 2;
        #[checkpoint(memory = super::BYTES as usize / HALF, levels = 2)]
        for _ in 0..steps {
            step(u, rate);
        }
    }

    pub fn by_every(u: &mut [f64], rate: &[f64], steps: usize) {
        #[checkpoint(every = EVERY)]
        for _ in 0..steps {
            step(u, rate);
        }
    }

    pub fn by_states(u: &mut [f64], rate: &[f64], steps: usize) {
        #[checkpoint(states = crate::constants::STATES)]
        for _ in 0..steps {
            step(u, rate);
        }
    }

    pub fn by_binomial(u: &mut [f64], rate: &[f64], steps: usize) {
        #[checkpoint(binomial = super::STATES)]
        for _ in 0..steps {
            step(u, rate);
        }
    }

    pub fn by_parameter<const N: usize>(u: &mut [f64], rate: &[f64; N], steps: usize) {
        #[checkpoint(states = N)]
        for _ in 0..steps {
            step(u, rate);
        }
    }

    pub fn until(u: &mut [f64], rate: &[f64], steps: usize) {
        let mut left = steps;
        #[checkpoint(states = super::STATES)]
        while left > 0 {
            step(u, rate);
            left -= 1;
        }
    }
}

#[test]
fn lengths_by_constants() {
    const N: usize = 9;
    let (start, d, rate) = (random(1, N), random(2, N), random(3, N));
    for steps in [0, 1, 5, 40] {
        macro_rules! run {
            ($name:ident, $rate:expr) => {{
                let (mut u, mut d_u, mut d_rate) = (start.clone(), d.clone(), [0.0; N]);
                rods::$name::vjp(&mut u, &mut d_u, $rate, &mut d_rate, steps);
                [u, d_u, d_rate.to_vec()].concat()
            }};
        }
        let plain = run!(plain, &rate);
        close("by_product", &plain, &run!(by_product, &rate));
        close("by_literals", &plain, &run!(by_literals, &rate));
        close("by_cast", &plain, &run!(by_cast, &rate));
        close("by_every", &plain, &run!(by_every, &rate));
        close("by_states", &plain, &run!(by_states, &rate));
        close("by_binomial", &plain, &run!(by_binomial, &rate));
        close("until", &plain, &run!(until, &rate));
        let fixed: &[f64; N] = rate.as_slice().try_into().expect("nine numbers");
        close("by_parameter", &plain, &run!(by_parameter, fixed));
    }
}

#[test]
fn the_plan_names_them() {
    let has = |plan: &str, text: &str| assert!(plan.contains(text), "{text}: {plan}");
    has(rods::by_product::DECISIONS, "KILOBYTE");
    has(rods::by_literals::DECISIONS, "4194304 bytes");
    has(rods::by_states::DECISIONS, "STATES");
}
