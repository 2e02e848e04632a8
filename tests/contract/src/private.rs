//! Private functions: neither they nor what is generated for them is dead code when one of the two is used.

use pardiff::differentiate;

#[differentiate]
fn only_its_gradient_is_called(x: f64) -> f64 {
    x * x
}

#[differentiate]
fn only_itself_is_called<const N: usize>(x: &[f64; N]) -> f64 {
    let mut sum = 0.0;
    for i in 0..N {
        sum += x[i];
    }
    sum
}

mod hidden {
    use pardiff::differentiate;

    #[differentiate]
    pub(super) fn seen_above(x: &[f64], n: usize) -> f64 {
        let mut last = 0.0;
        for i in 0..n {
            last = x[i] * x[i];
        }
        last
    }

    #[differentiate]
    pub(crate) fn seen_in_the_crate<const N: usize>(x: [f64; N]) -> f64 {
        let unused_by_the_gradient = x[0];
        let mut mutable_and_read = unused_by_the_gradient;
        mutable_and_read += 1.0;
        mutable_and_read
    }
}

/// Uses them.
pub fn uses() -> (f64, f64, f64, f64) {
    let mut d_x = 0.0;
    let first = only_its_gradient_is_called::grad(3.0, &mut d_x);
    let third = hidden::seen_above::grad(&[4.0], &mut [0.0], 1);
    (first + d_x, only_itself_is_called(&[1.0, 2.0]), third, hidden::seen_in_the_crate([1.0]))
}
