use pardiff::differentiate;

#[differentiate]
fn largest(x: &[f64]) -> f64 {
    x.iter().copied().max_by(|a, b| a.total_cmp(b)).unwrap()
}

fn main() {}
