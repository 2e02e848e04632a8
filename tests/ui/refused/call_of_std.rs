use pardiff::differentiate;

#[differentiate]
mod kernels {
    pub fn repeated(x: &[f64], n: usize) -> f64 {
        let ones: Vec<f64> = std::iter::repeat(1.0).take(n).collect();
        ones[0] * x[0]
    }

    pub fn powers(x: f64, n: usize) -> f64 {
        std::iter::successors(Some(1.0), |v| Some(v * x)).take(n).sum()
    }

    pub fn zero(x: f64) -> f64 {
        let start: f64 = Default::default();
        start + x + f64::default()
    }
}

fn main() {}
