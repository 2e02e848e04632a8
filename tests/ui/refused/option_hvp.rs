use pardiff::differentiate;

#[differentiate(hvp)]
fn square(x: &[f64]) -> f64 {
    x[0] * x[0]
}

fn main() {}
