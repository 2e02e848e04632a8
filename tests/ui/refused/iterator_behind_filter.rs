use pardiff::differentiate;

#[differentiate]
fn all_but_one(x: &[f64]) -> f64 {
    x.iter().filter(|v| **v > 0.0).skip(1).sum()
}

fn main() {}
