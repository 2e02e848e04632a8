use pardiff::differentiate;

pub trait Real: Copy {
    fn sqrt(self) -> Self;
}

impl Real for f64 {
    fn sqrt(self) -> f64 {
        f64::sqrt(self) + 1.0
    }
}

#[differentiate]
mod kernels {
    use super::Real;

    fn root<T: Real>(x: T) -> T {
        x.sqrt()
    }

    pub fn f(x: f64) -> f64 {
        root(x)
    }
}

fn offset(x: f64) -> f64 {
    x + 1.0
}

#[differentiate]
fn shifted(x: f64) -> f64 {
    offset(x)
}

fn main() {}
