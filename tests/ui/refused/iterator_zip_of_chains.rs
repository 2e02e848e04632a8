use pardiff::differentiate;

#[differentiate]
fn product(x: &[f64], y: &[f64]) -> f64 {
    x.iter().chain(y).zip(y.iter().chain(x)).map(|(a, b)| a * b).sum()
}

fn main() {}
