use pardiff::differentiate;

#[differentiate]
fn neighbours(x: &[f64; 4]) -> f64 {
    let products: [f64; 4] = std::array::from_fn(|i| x[i] * x[(i + 1) % 4]);
    products.iter().sum()
}

fn main() {}
