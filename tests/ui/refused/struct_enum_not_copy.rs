use pardiff::differentiate;

#[differentiate]
mod kernels {
    pub enum Norm {
        One = 1,
        Two = 2,
    }

    pub fn norm(x: f64, norm: &Norm) -> f64 {
        match norm {
            Norm::One => x.abs(),
            Norm::Two => x * x,
        }
    }
}

fn main() {}
