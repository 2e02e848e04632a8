use pardiff::differentiate;

#[differentiate]
fn weighted(x: &[f64], w: &[f64]) -> f64 {
    x.iter().filter(|v| **v > 0.0).zip(w).map(|(v, w)| v * w).sum()
}

fn main() {}
