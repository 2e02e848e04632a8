use pardiff::differentiate;

#[differentiate]
mod kernels {
    #[derive(Clone, Copy)]
    pub enum Norm {
        One,
        Two,
    }

    pub fn norm(x: f64, norm: Norm) -> f64 {
        match norm {
            Norm::One => x.abs(),
            Norm::Three => x * x,
            _ => 0.0,
        }
    }
}

fn main() {}
