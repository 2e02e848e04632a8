use pardiff::differentiate;

#[differentiate]
fn squares(x: &[f64]) -> f64 {
    let (square, scale) = (|v: f64| v * v, 2.0);
    square(x[0]) * scale
}

fn main() {}
