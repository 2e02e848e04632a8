use pardiff::differentiate;

#[differentiate]
fn both(x: &[f64], y: &[f64]) -> f64 {
    x.iter().chain(y).map(|v| v * v).sum()
}

pub fn main() {
    let (value, g) = both::gradient(&[1.0], &[2.0]);
    assert!(value == 5.0 && g.x == [2.0] && g.y == [4.0]);
}
