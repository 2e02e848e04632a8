use pardiff::differentiate;

#[differentiate]
fn extended(x: &[f64]) -> f64 {
    let mut y = vec![1.0];
    y.extend_from_slice(x);
    y.extend(x.iter().map(|v| v * v));
    y.iter().sum()
}

pub fn main() {
    let (value, g) = extended::gradient(&[1.0, 2.0]);
    assert!(value == 9.0 && g.x == [3.0, 5.0]);
}
