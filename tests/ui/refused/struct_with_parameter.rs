use pardiff::differentiate;

#[differentiate]
mod kernels {
    pub struct Model<const N: usize> {
        pub weights: [f64; N],
    }

    pub fn f(model: &Model<3>, x: f64) -> f64 {
        model.weights[0] * x
    }
}

fn main() {}
