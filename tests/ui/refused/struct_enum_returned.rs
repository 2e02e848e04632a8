use pardiff::differentiate;

#[differentiate]
mod kernels {
    #[derive(Clone, Copy)]
    pub enum Sign {
        Minus,
        Plus,
    }

    pub fn split(x: f64) -> (f64, Sign) {
        (x.abs(), if x < 0.0 { Sign::Minus } else { Sign::Plus })
    }
}

fn main() {}
