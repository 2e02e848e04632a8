use pardiff::differentiate;

#[differentiate]
mod kernels {
    pub struct Model<const N: usize> {
        pub weights: [f64; N],
    }

    pub fn inferred(model: &Model<3>, x: f64) -> f64 {
        let shorter = Model { weights: [x, 2.0 * x] };
        model.weights[0] * shorter.weights[1]
    }

    pub fn two(model: &Model<3>, other: &Model<2>, x: f64) -> f64 {
        (model.weights[0] + other.weights[1]) * x
    }

    pub fn made(x: f64) -> f64 {
        let model = Model { weights: [x, 2.0 * x] };
        model.weights[0] * x
    }
}

fn main() {}
