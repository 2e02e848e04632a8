use pardiff::differentiate;

#[differentiate(wrt(x), module = other, parallel(i))]
mod kernels {
    pub fn f(x: &[f64], y: &[f64]) -> f64 {
        x[0] * y[0]
    }
}

#[differentiate(with(F = scaled))]
mod named {
    fn scaled(x: f64) -> f64 {
        2.0 * x
    }

    pub fn g(x: f64) -> f64 {
        scaled(x)
    }
}

fn main() {}
