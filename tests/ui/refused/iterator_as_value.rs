use pardiff::differentiate;

#[differentiate]
fn squares(x: &[f64]) -> f64 {
    let squared = x.iter().map(|v| v * v);
    squared.sum()
}

fn main() {}
