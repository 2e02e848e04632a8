use pardiff::differentiate;

#[differentiate]
mod kernels {
    pub fn powers(x: f64, n: usize) -> f64 {
        std::iter::successors(Some(1.0), |v| Some(v * x)).take(n).sum()
    }
}

fn main() {}
