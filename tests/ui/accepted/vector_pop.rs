use pardiff::differentiate;

#[differentiate]
fn popped(x: &[f64]) -> f64 {
    let mut y = x.to_vec();
    y.pop().unwrap()
}

pub fn main() {
    let (value, g) = popped::gradient(&[1.0, 2.0]);
    assert!(value == 2.0 && g.x == [0.0, 1.0]);
}
