use pardiff::differentiate;

#[differentiate]
mod kernels {
    pub enum Norm {
        One,
        Two,
    }

    pub fn norm(x: f64, norm: &Norm) -> f64 {
        match norm {
            Norm::One => x.abs(),
            Norm::Two => x * x,
        }
    }
}

fn main() {}
