use pardiff::differentiate;

#[differentiate]
mod kernels {
    #[cfg(target_os = "linux")]
    fn helper(x: f64) -> f64 {
        x * x
    }

    pub fn f(x: f64) -> f64 {
        helper(x)
    }
}

fn main() {}
