use pardiff::differentiate;

#[differentiate(forward)]
fn square(x: &[f64]) -> f64 {
    x[0] * x[0]
}

fn main() {}
