use pardiff::differentiate;

#[differentiate(wrt(weights))]
fn square(w: &[f64], x: &[f64]) -> f64 {
    w[0] * x[0]
}

fn main() {}
