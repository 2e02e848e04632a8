//! Generic functions in bodies, where a module does not see what is beside it; lengths that are constants beside them.

use num_traits::Float;
use pardiff::differentiate;

#[test]
fn a_generic_function_in_a_body() {
    const N: usize = 2;
    #[differentiate(check)]
    fn product<T: Float>(x: &[T; N], y: &[T]) -> T {
        x[0] * x[1] * y[0]
    }
    #[differentiate(check)]
    fn doubled<T: Float, U: Float + Into<f64>>(x: T, y: U) -> (T, f64) {
        (x + x, y.into())
    }
    product::check(&[3.0, 4.0], &[5.0_f32]).expect("right derivatives");
    let (value, gradient) = product::gradient(&[3.0, 4.0], &[5.0]);
    assert_eq!((value, gradient.x, gradient.y), (60.0, [20.0, 15.0], vec![12.0]));
    let single: product_of_f32::Gradient = product::gradient(&[3.0, 4.0], &[5.0_f32]).1;
    assert_eq!(single.x, [20.0, 15.0]);
    doubled::check(3.0, 4.0_f32).expect("right derivatives");
}

/// What is named by the function is beside it.
mod beside {
    use super::*;

    const N: usize = 3;

    #[derive(Debug, PartialEq)]
    pub struct Singular;

    #[differentiate]
    pub fn inverse<T: Float>(x: &[T; N]) -> Result<T, Singular> {
        let sum = x[0] + x[1] * x[2];
        if sum.is_zero() { Err(Singular) } else { Ok(sum.recip()) }
    }
}

#[test]
fn lengths_and_errors_beside_a_generic_function() {
    let (value, gradient) = beside::inverse::gradient(&[1.0_f32, 2.0, 0.5]).expect("a value");
    assert_eq!((value, gradient.x), (0.5, [-0.25, -0.125, -0.5]));
    assert_eq!(beside::inverse_of_f64::gradient(&[0.0, 2.0, 0.0]), Err(beside::Singular));
}
