use pardiff::differentiate;

pub struct Model {
    pub weights: Vec<f64>,
}

#[differentiate]
fn loss(model: &Model, x: &[f64]) -> f64 {
    model.weights[0] * x[0]
}

fn main() {}
