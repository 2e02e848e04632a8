use pardiff::differentiate;

#[differentiate(with_respect_to(x))]
fn square(x: &[f64]) -> f64 {
    x[0] * x[0]
}

fn main() {}
