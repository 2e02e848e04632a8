use pardiff::differentiate;

#[differentiate]
fn pairs(x: &[f64]) -> f64 {
    let pairs: Vec<(&f64, f64)> = x.iter().map(|v| (v, v * v)).collect();
    pairs[0].1
}

fn main() {}
