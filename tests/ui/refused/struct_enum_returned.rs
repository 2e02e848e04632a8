use pardiff::differentiate;

#[differentiate]
mod kernels {
    #[derive(Clone, Copy)]
    pub enum Sign {
        Minus,
        Plus,
    }

    pub enum Found {
        Nothing,
        At(f64),
    }

    pub fn both(x: f64) -> (f64, [Sign; 2]) {
        (x.abs(), [if x < 0.0 { Sign::Minus } else { Sign::Plus }; 2])
    }

    pub fn found(x: f64) -> Found {
        if x < 0.0 { Found::Nothing } else { Found::At(x * x) }
    }

    pub fn beside(x: &[f64]) -> (Vec<f64>, Sign) {
        (x.to_vec(), Sign::Plus)
    }
}

fn main() {}
