use pardiff::differentiate;

#[differentiate]
fn squares(x: &[f64]) -> f64 {
    x.iter().map(|v| v * v).sum()
}

fn main() {}
