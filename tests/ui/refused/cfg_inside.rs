use pardiff::differentiate;

#[differentiate]
mod kernels {
    macro_rules! scaled {
        ($x:expr) => {{
            let y = $x;
            #[cfg(debug_assertions)]
            let y = y * 2.0;
            y
        }};
    }

    pub fn square(x: f64) -> f64 {
        scaled!(x) * x
    }
}

fn main() {}
