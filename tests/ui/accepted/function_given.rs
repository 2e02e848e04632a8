use pardiff::differentiate;

#[differentiate(export)]
fn square(x: f64) -> f64 {
    x * x
}

#[differentiate(uses(square), with(F = square))]
fn bounded<F: Fn(f64) -> f64>(f: F, x: f64) -> f64 {
    f(x) * 2.0
}

#[differentiate(uses(square), with(f = square))]
fn apply(x: &[f64], f: fn(f64) -> f64) -> Vec<f64> {
    x.iter().map(|x| f(*x)).collect()
}

pub fn main() {
    let mut d_x = 0.0;
    assert_eq!(bounded::grad(3.0, &mut d_x), bounded(square, 3.0));
    assert_eq!(d_x, 12.0);
    assert_eq!(apply::value(&[3.0]), apply(&[3.0], square));
}
