use pardiff::differentiate;

#[differentiate]
fn norms(a: &[f64], b: &[f64]) -> f64 {
    [a, b].iter().map(|v| v[0] * v[0]).sum()
}

fn main() {}
