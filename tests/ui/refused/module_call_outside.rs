use pardiff::differentiate;

fn square(x: f64) -> f64 {
    x * x
}

#[differentiate]
mod kernels {
    use super::square;

    mod inner {
        pub fn cube(x: f64) -> f64 {
            x * x * x
        }
    }

    pub fn f(x: f64) -> f64 {
        square(x) + inner::cube(x)
    }
}

fn main() {}
