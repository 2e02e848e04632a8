use pardiff::differentiate;

#[differentiate]
mod kernels {
    fn f(x: f64) -> f64 {
        x * x
    }

    pub fn count(n: usize) -> usize {
        n
    }
}

fn main() {}
