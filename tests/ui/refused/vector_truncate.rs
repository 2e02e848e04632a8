use pardiff::differentiate;

#[differentiate]
fn cut(x: &[f64]) -> f64 {
    let mut y = x.to_vec();
    y.truncate(2);
    y[0] * y[1]
}

fn main() {}
