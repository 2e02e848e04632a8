use pardiff::differentiate;

#[differentiate]
mod model {
    pub struct Model {
        pub scale: f64,
    }

    impl Model {
        pub fn rows(&self, x: &[f64]) -> Vec<Vec<f64>> {
            x.iter().map(|x| vec![self.scale * x]).collect()
        }
    }
}

fn main() {}
