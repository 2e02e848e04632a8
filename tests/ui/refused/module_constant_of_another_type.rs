use pardiff::differentiate;

#[differentiate]
mod kernels {
    const PAUSES: [std::time::Duration; 2] = [std::time::Duration::ZERO; 2];
    const LIMITS: (f64, f64) = (0.0, 1.0);

    pub fn f(x: f64) -> f64 {
        x + PAUSES.len() as f64 + LIMITS.1
    }
}

fn main() {}
