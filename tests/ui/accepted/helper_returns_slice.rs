use pardiff::differentiate;

#[differentiate]
fn last_row(x: &[f64], n: usize, d: usize) -> f64 {
    fn row(x: &[f64], i: usize, d: usize) -> &[f64] {
        &x[i * d..(i + 1) * d]
    }
    row(x, n - 1, d).iter().map(|v| v * v).sum()
}

pub fn main() {
    let (value, g) = last_row::gradient(&[1.0, 2.0, 3.0, 4.0], 2, 2);
    assert!(value == 25.0 && g.x == [0.0, 0.0, 6.0, 8.0]);
}
