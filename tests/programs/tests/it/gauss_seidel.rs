//! Gauss-Seidel sweeps: each unknown is overwritten from all the others.

use pardiff::differentiate;
use pardiff_programs::{assert_near, check, random};

#[differentiate]
pub fn relax(a: &[f64], b: &[f64], n: usize, sweeps: usize) -> f64 {
    let mut x = vec![0.0; n];
    let mut res = 0.0;
    for s in 0..sweeps {
        for i in 0..n {
            let mut r = b[i];
            for j in 0..n {
                if j != i {
                    r -= a[i * n + j] * x[j];
                }
            }
            x[i] = r / a[i * n + i];
        }
        if s + 1 == sweeps {
            for i in 0..n {
                res += x[i] * x[i];
            }
        }
    }
    res
}

#[test]
fn gradient() {
    let (mut a, b) = (random(2, 9), random(5, 3));
    (0..3).for_each(|i| a[i * 4] += 4.0);
    let (value, gradient) = relax::gradient(&a, &b, 3, 4);
    assert_near(&[value], &[relax(&a, &b, 3, 4)]);
    check(|v| relax(&v[0], &v[1], 3, 4), &[&a, &b], &[&gradient.a, &gradient.b]);
}
