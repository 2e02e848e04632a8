use pardiff::differentiate;

#[differentiate]
fn weighted(x: &[f64]) -> f64 {
    x.iter().filter(|v| **v > 0.0).enumerate().map(|(i, v)| v * i as f64).sum()
}

fn main() {}
