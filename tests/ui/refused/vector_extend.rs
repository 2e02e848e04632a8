use pardiff::differentiate;

#[differentiate]
fn doubled(x: &[f64]) -> f64 {
    let mut y = x.to_vec();
    y.extend_from_slice(x);
    y[0] * y[1]
}

fn main() {}
