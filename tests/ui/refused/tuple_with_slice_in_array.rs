use pardiff::differentiate;

#[differentiate]
fn parts(x: &[f64]) -> f64 {
    let parts = [(&x[..2], 1), (&x[2..], 2)];
    let (part, k) = parts[1];
    part[k]
}

fn main() {}
