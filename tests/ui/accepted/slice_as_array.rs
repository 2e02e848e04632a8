use pardiff::differentiate;

#[differentiate]
fn norms(x: &[f64]) -> f64 {
    let mut total = 0.0;
    for c in x.chunks_exact(2) {
        let [a, b]: [f64; 2] = c.try_into().unwrap();
        total += a * b;
    }
    total
}

pub fn main() {
    let (value, g) = norms::gradient(&[1.0, 2.0, 3.0, 4.0]);
    assert!(value == 14.0 && g.x == [2.0, 1.0, 4.0, 3.0]);
}
