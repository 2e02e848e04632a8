use pardiff::differentiate;

#[differentiate]
mod kernels {
    static mut SCALE: f64 = 2.0;

    pub fn f(x: f64) -> f64 {
        x * SCALE
    }
}

fn main() {}
