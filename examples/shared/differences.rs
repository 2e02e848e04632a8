//! The check of a gradient that needs no other tool: slopes along random directions against differences of the primal.

const DIRECTIONS: usize = 4;
const TOLERANCE: f64 = 1e-6;

/// Compares a gradient at `p` with differences of `value`, prints the errors, and fails if one is too large. `step` is how far
/// the differences go, relative to the norm of a direction of unit entries.
pub fn check(value: impl Fn(&[f64]) -> f64, p: &[f64], gradient: &[f64], step: f64) -> Result<(), String> {
    println!("check against differences along {DIRECTIONS} random directions");
    let mut state = 1u64;
    for number in 1..=DIRECTIONS {
        let direction: Vec<f64> = p.iter().map(|_| uniform(&mut state)).collect();
        let at = |h: f64| {
            let moved: Vec<f64> = p.iter().zip(&direction).map(|(p, v)| p + h * v).collect();
            value(&moved)
        };
        let slope = (8.0 * (at(step) - at(-step)) - (at(2.0 * step) - at(-2.0 * step))) / (12.0 * step);
        let expected: f64 = gradient.iter().zip(&direction).map(|(g, v)| g * v).sum();
        let error = (slope - expected).abs() / expected.abs();
        println!("  slope along direction {number}  relative error {error:.1e}");
        // an error that is not a number is one, too
        if error.is_nan() || error > TOLERANCE {
            return Err(format!(
                "the slope {expected} of the gradient differs from {slope} by more than {TOLERANCE:e} relative"
            ));
        }
    }
    Ok(())
}

/// The next number of a linear congruential generator, in [-1, 1).
fn uniform(state: &mut u64) -> f64 {
    *state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
    (*state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}
