use pardiff::differentiate;

#[differentiate(wrt(x), module = other, parallel(i))]
mod kernels {
    pub fn f(x: &[f64], y: &[f64]) -> f64 {
        x[0] * y[0]
    }
}

fn main() {}
