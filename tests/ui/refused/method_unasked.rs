use pardiff::differentiate;

#[differentiate]
mod model {
    #[derive(Clone)]
    pub struct Model {
        pub scale: f64,
    }

    impl Model {
        pub fn loss(&self, x: f64) -> f64 {
            self.scale * x
        }

        pub fn read(&self, text: &str) -> f64 {
            self.scale * text.parse::<f64>().unwrap_or(1.0)
        }

        #[differentiate]
        pub fn asked(&self, text: &str) -> f64 {
            self.read(text)
        }

        pub fn rows(&self, x: &[f64]) -> Vec<Vec<f64>> {
            x.iter().map(|x| vec![self.scale * x]).collect()
        }
    }
}

fn main() {
    let of = model::Model { scale: 2.0 };
    let (_, good) = model::model::loss::gradient(&of, 3.0);
    let mut d_of = good.this.clone();
    let value: f64 = model::model::read::grad(&of, &mut d_of, "2.0");
    let (_, gradient) = model::model::read::gradient(&of, "2.0");
    model::model::rows::vjp(&of, &mut d_of, &[value], &mut [0.0], &[vec![gradient.this.scale]]);
}
