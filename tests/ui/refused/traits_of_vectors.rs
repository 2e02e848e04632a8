use pardiff::differentiate;

#[differentiate]
mod norms {
    pub trait Norm {
        fn norm(&self) -> f64;
    }

    impl Norm for Vec<f64> {
        fn norm(&self) -> f64 {
            self.iter().map(|x| x.abs()).sum()
        }
    }

    impl Norm for [f64] {
        fn norm(&self) -> f64 {
            self.iter().map(|x| x * x).sum()
        }
    }

    pub fn length(x: &[f64]) -> f64 {
        x.norm()
    }

    pub fn single(x: &[f32]) -> f32 {
        x[0] * x.norm()
    }
}

fn main() {}
