use pardiff::differentiate;

#[differentiate]
fn first(x: &mut Box<[f64]>) -> f64 {
    x[0] * x[0]
}

#[differentiate]
fn one(x: &mut Box<f64>) -> f64 {
    **x * **x
}

fn main() {}
