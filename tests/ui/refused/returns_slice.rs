use pardiff::differentiate;

#[differentiate]
fn scaled(x: &[f64]) -> Vec<f64> {
    let mut y = x.to_vec();
    y[0] = y[0] * 2.0;
    y
}

fn main() {}
