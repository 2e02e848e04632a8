use pardiff::differentiate;

pub struct Model {
    pub scale: f64,
}

impl Model {
    #[differentiate]
    fn loss(&self, x: &[f64]) -> f64 {
        self.scale * x[0]
    }
}

fn main() {}
