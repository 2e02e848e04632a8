use pardiff::differentiate;

#[differentiate]
fn some(x: &[f64], y: &[f64]) -> f64 {
    x.iter().chain(y).step_by(2).sum()
}

fn main() {}
