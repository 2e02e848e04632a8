// A helper of two functions is refused once, where it stands.
use pardiff::differentiate;

#[differentiate]
mod kernels {
    fn helper(x: f64) -> f64 {
        x.to_bits() as f64
    }

    pub fn f(x: f64) -> f64 {
        helper(x)
    }

    pub fn g(x: f64) -> f64 {
        2.0 * helper(x)
    }
}

fn main() {}
