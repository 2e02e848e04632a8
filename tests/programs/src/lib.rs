//! What the programs of this crate's tests are checked with: central differences, extrapolated.

/// Checks a gradient: `value` is differentiated along every coordinate of `inputs` and compared with `gradients`,
/// which has the same shape.
///
/// # Panics
///
/// If a coordinate is wrong, with its position.
#[track_caller]
pub fn check(value: impl Fn(&[Vec<f64>]) -> f64, inputs: &[&[f64]], gradients: &[&[f64]]) {
    check_within(1e-7, 2e-3, value, inputs, gradients);
}

/// The same for functions that compute in `f32`: wider steps, less to expect.
#[track_caller]
pub fn check_single(value: impl Fn(&[Vec<f64>]) -> f64, inputs: &[&[f64]], gradients: &[&[f64]]) {
    check_within(5e-3, 0.1, value, inputs, gradients);
}

#[track_caller]
fn check_within(
    tolerance: f64,
    step: f64,
    value: impl Fn(&[Vec<f64>]) -> f64,
    inputs: &[&[f64]],
    gradients: &[&[f64]],
) {
    assert_eq!(inputs.len(), gradients.len(), "as many gradients as inputs");
    let mut at: Vec<Vec<f64>> = inputs.iter().map(|input| input.to_vec()).collect();
    for (k, gradient) in gradients.iter().enumerate() {
        assert_eq!(at[k].len(), gradient.len(), "input {k} has a gradient of another length");
        for i in 0..gradient.len() {
            let x = at[k][i];
            let expected = derivative(
                step,
                |moved| {
                    at[k][i] = moved;
                    value(&at)
                },
                x,
            );
            at[k][i] = x;
            let error = (gradient[i] - expected).abs();
            assert!(
                error <= tolerance * (1.0 + expected.abs()),
                "input {k}, element {i}: {} instead of {expected}, error {error:e}",
                gradient[i]
            );
        }
    }
}

/// The derivative at `x` by Ridders' extrapolation of central differences, from `step` down.
fn derivative(step: f64, mut value: impl FnMut(f64) -> f64, x: f64) -> f64 {
    let mut step = step;
    let mut previous: Vec<f64> = Vec::new();
    let (mut best, mut error) = (f64::NAN, f64::INFINITY);
    for _ in 0..5 {
        let (up, down) = (x + step, x - step);
        let mut row = vec![(value(up) - value(down)) / (up - down)];
        let mut factor = 1.0;
        for (k, last) in previous.iter().enumerate() {
            factor *= 4.0;
            let better = (factor * row[k] - last) / (factor - 1.0);
            let change = (better - row[k]).abs().max((better - last).abs());
            if change <= error {
                (best, error) = (better, change);
            }
            row.push(better);
        }
        previous = row;
        step /= 2.0;
    }
    best
}

/// `len` numbers between -1 and 1, the same for the same seed.
pub fn random(seed: u64, len: usize) -> Vec<f64> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x2545_f491_4f6c_dd1d;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    };
    let _: f64 = (0..4).map(|_| next()).sum();
    (0..len).map(|_| next()).collect()
}

/// Numbers between 0.5 and 1.5.
pub fn positive(seed: u64, len: usize) -> Vec<f64> {
    random(seed, len).iter().map(|x| 1.0 + 0.5 * x).collect()
}

/// `Σ a[i] b[i]`, as a seed meets an output.
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Whether two lists agree to rounding.
#[track_caller]
pub fn assert_near(found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len());
    for (i, (a, b)) in found.iter().zip(expected).enumerate() {
        assert!((a - b).abs() <= 1e-12 * (1.0 + b.abs()), "element {i}: {a} instead of {b}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_right_gradient_passes() {
        check(|v| v[0][0] * v[0][1].sin(), &[&[2.0, 0.3]], &[&[0.3f64.sin(), 2.0 * 0.3f64.cos()]]);
    }

    #[test]
    #[should_panic(expected = "input 0, element 1")]
    fn a_wrong_gradient_is_found() {
        check(|v| v[0][0] * v[0][1].sin(), &[&[2.0, 0.3]], &[&[0.3f64.sin(), 2.0 * 0.3f64.cos() + 1e-5]]);
    }
}
