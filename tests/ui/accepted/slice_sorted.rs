use pardiff::differentiate;

#[differentiate]
fn median(x: &[f64]) -> f64 {
    let mut y = x.to_vec();
    y.sort_by(|a, b| a.total_cmp(b));
    y[y.len() / 2]
}

pub fn main() {
    let (value, gradient) = median::gradient(&[3.0, 1.0, 2.0]);
    assert_eq!((value, gradient.x), (2.0, vec![0.0, 0.0, 1.0]));
}
