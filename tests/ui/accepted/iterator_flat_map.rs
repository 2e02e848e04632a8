use pardiff::differentiate;

#[differentiate]
fn all(x: &[[f64; 3]]) -> f64 {
    x.iter().flat_map(|row| row.iter()).sum()
}

pub fn main() {
    let (value, g) = all::gradient(&[[1.0, 2.0, 3.0]]);
    assert!(value == 6.0 && g.x == [[1.0; 3]]);
}
