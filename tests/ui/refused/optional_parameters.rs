use pardiff::differentiate;

#[differentiate]
fn written(x: f64, y: &mut Option<f64>) {
    *y = Some(x * x);
}

#[differentiate]
fn weighted(x: &[f64], weights: Option<&[f64]>) -> f64 {
    weights.map_or(x[0], |w| w[0] * x[0])
}

#[differentiate(batch(4))]
fn batched(x: f64, scale: Option<f64>) -> f64 {
    x * scale.unwrap_or(1.0)
}

#[differentiate]
mod m {
    #[derive(Clone, Copy)]
    pub enum Kind {
        Call,
        Put,
    }

    #[differentiate]
    pub fn payoff(x: f64, kind: Option<Kind>) -> f64 {
        if let Some(Kind::Put) = kind { 1.0 - x } else { x - 1.0 }
    }

    pub struct State {
        pub last: Option<f64>,
        pub sum: f64,
    }

    impl State {
        pub fn update(&mut self, x: f64) {
            self.sum += x - self.last.unwrap_or(0.0);
            self.last = Some(x);
        }
    }
}

fn main() {}
