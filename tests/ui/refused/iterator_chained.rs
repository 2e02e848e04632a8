use pardiff::differentiate;

#[differentiate]
fn both(x: &[f64], y: &[f64]) -> f64 {
    x.iter().chain(y).map(|v| v * v).sum()
}

fn main() {}
