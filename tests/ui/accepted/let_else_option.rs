use pardiff::differentiate;

#[differentiate]
fn first(x: &[f64]) -> f64 {
    let Some(v) = x.first() else { return 0.0 };
    v * v
}

pub fn main() {
    let (value, g) = first::gradient(&[3.0]);
    assert!(value == 9.0 && g.x == [6.0]);
}
