// Rows do not grow by themselves.
use pardiff::differentiate;

#[differentiate]
fn extended(x: &[f64]) -> f64 {
    let mut rows = vec![vec![0.0; 2]; 3];
    rows[1].extend_from_slice(x);
    rows[1][2]
}

fn main() {}
