use pardiff::differentiate;

#[differentiate(sequential)]
mod kernels {
    #[differentiate(wrt(w), module = gradient_of_f)]
    pub fn f(w: &[f64; 2], x: f64) -> f64 {
        w[0] * x + w[1]
    }

    /// Private, and asked for by its own attribute.
    #[differentiate]
    fn g(x: f64) -> f64 {
        x * x
    }

    #[cfg(test)]
    mod tests {}

    pub(super) mod outside {
        pub fn slope(x: f64) -> f64 {
            super::g::gradient(x).1.x
        }
    }
}

pub fn main() {
    let mut d_w = [0.0; 2];
    kernels::gradient_of_f::grad(&[1.0, 2.0], &mut d_w, 3.0);
    assert_eq!(d_w, [3.0, 1.0]);
    assert_eq!(kernels::outside::slope(3.0), 6.0);
}
