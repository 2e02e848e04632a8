use pardiff::differentiate;

const LIMIT: f64 = 2.0;

#[differentiate]
fn at_the_limit(x: &[f64]) -> f64 {
    if let Some(LIMIT) = x.iter().copied().reduce(f64::max) { x[0] } else { x[0] * x[0] }
}

#[differentiate]
#[allow(non_snake_case)]
fn variable(x: &[f64]) -> f64 {
    let Some(R) = x.first() else { return 0.0 };
    R * R
}

#[differentiate]
#[allow(non_snake_case)]
fn of_a_slice(x: &[f64]) -> f64 {
    let [A, b] = x else { return 0.0 };
    A * b
}

fn main() {}
