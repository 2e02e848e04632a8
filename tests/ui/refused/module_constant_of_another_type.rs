use pardiff::differentiate;

#[differentiate]
mod kernels {
    const NAMES: [&str; 2] = ["a", "b"];
    const LIMITS: (f64, f64) = (0.0, 1.0);

    pub fn f(x: f64) -> f64 {
        x + NAMES.len() as f64 + LIMITS.1
    }
}

fn main() {}
