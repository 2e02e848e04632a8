//! A module inside a function: what it imports, it imports by itself.

use pardiff::differentiate;

pub fn main() {
    #[differentiate]
    mod kernels {
        use std::f64::consts::{PI, TAU as TURN};

        const N: usize = 2;

        fn wave<const K: usize>(x: &[f64; K]) -> f64 {
            let mut sum = 0.0;
            for k in 0..K {
                sum += (PI * x[k]).sin() / TURN;
            }
            sum
        }

        pub fn f(x: &[f64; N]) -> f64 {
            2.0 * wave(x)
        }
    }
    let (value, gradient) = kernels::f::gradient(&[0.5, 0.0]);
    assert!((value - 1.0 / std::f64::consts::PI).abs() < 1e-15);
    assert!((gradient.x[1] - 1.0).abs() < 1e-15);
}
