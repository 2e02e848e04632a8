use pardiff::differentiate;

#[differentiate]
fn pairs(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y.iter().filter(|v| **v > 0.0)).map(|(a, b)| a * b).sum()
}

fn main() {}
