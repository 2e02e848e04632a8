use pardiff::differentiate;

pub struct Far(pub f64);

#[differentiate]
mod model {
    use super::Far;

    pub struct Layer<const N: usize> {
        pub weights: [f64; N],
    }

    #[differentiate]
    impl<const N: usize> Layer<N> {
        pub fn forward(&self, x: &[f64; N]) -> f64 {
            self.weights[0] * x[0]
        }
    }

    #[differentiate]
    impl Far {
        pub fn scaled(&self, by: f64) -> f64 {
            self.0 * by
        }
    }

    pub trait Norm {
        fn norm(&self, x: f64) -> f64;
    }

    impl Norm for [f64; 3] {
        #[differentiate]
        fn norm(&self, x: f64) -> f64 {
            self[0] * x
        }
    }
}

fn main() {}
