//! What the functions of the crate compute, and how they refuse wrong arguments.

mod arrays;
mod capture;
mod interface;
mod methods;
mod modules;
mod outputs;
mod panics;
mod scopes;

/// Asserts that the numbers are equal to about ten digits.
#[track_caller]
fn close(a: f64, b: f64) {
    assert!((a - b).abs() <= 1e-10 * a.abs().max(b.abs()).max(1.0), "{a} is not {b}");
}

/// The derivative of `f` at `x` by central differences, good to about nine digits for smooth functions of size one.
fn slope(f: impl Fn(f64) -> f64, x: f64) -> f64 {
    let at = |h: f64| (f(x + h) - f(x - h)) / (2.0 * h);
    // one step of extrapolation
    (4.0 * at(5e-4) - at(1e-3)) / 3.0
}

/// Asserts that a derivative agrees with differences.
#[track_caller]
fn agrees(derivative: f64, f: impl Fn(f64) -> f64, x: f64) {
    let slope = slope(f, x);
    assert!((derivative - slope).abs() <= 1e-7 * slope.abs().max(1.0), "{derivative} is not {slope}");
}
