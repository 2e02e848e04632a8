//! Rows of a flat array; the last chunk is shorter.

use pardiff::differentiate;

#[differentiate]
fn f(x: &[f64]) -> f64 {
    let rows: f64 = x.chunks_exact(2).map(|row| row[0] * row[1]).product();
    rows + x.chunks(2).map(|part| part.len() as f64 * part[0]).sum::<f64>()
}

pub fn main() {
    let (value, gradient) = f::gradient(&[1.0, 2.0, 3.0]);
    assert_eq!((value, gradient.x), (7.0, vec![4.0, 1.0, 1.0]));
}
