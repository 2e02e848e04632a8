use pardiff::differentiate;

#[differentiate]
fn squares(x: &[f64]) -> f64 {
    let squares = std::array::from_fn(|i| x[i] * x[i]);
    squares.iter().sum()
}

fn main() {}
