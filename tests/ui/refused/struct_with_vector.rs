use pardiff::differentiate;

#[differentiate]
mod kernels {
    pub struct Model {
        pub weights: Vec<f64>,
    }

    pub fn f(model: &Model) -> f64 {
        model.weights[0]
    }
}

fn main() {}
