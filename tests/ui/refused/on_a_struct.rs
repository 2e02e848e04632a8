use pardiff::differentiate;

#[differentiate]
struct Model {
    weights: Vec<f64>,
}

fn main() {}
