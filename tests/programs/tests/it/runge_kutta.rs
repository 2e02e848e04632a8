//! A Runge-Kutta method: a helper that returns a tuple, called four times a step.

use pardiff::differentiate;
use pardiff_programs::{check, random};

#[differentiate]
pub fn integrate(y0: &[f64], steps: usize) -> f64 {
    fn f(a: f64, b: f64) -> (f64, f64) {
        (b, -a.sin() - 0.1 * b * b.abs())
    }
    let (mut a, mut b) = (y0[0], y0[1]);
    let h = 0.1;
    for _ in 0..steps {
        let (k1, l1) = f(a, b);
        let (k2, l2) = f(a + 0.5 * h * k1, b + 0.5 * h * l1);
        let (k3, l3) = f(a + 0.5 * h * k2, b + 0.5 * h * l2);
        let (k4, l4) = f(a + h * k3, b + h * l3);
        a += h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
        b += h / 6.0 * (l1 + 2.0 * l2 + 2.0 * l3 + l4);
    }
    a * b
}

#[test]
fn gradient() {
    let x = random(2, 2);
    let mut d_x = vec![0.0; x.len()];
    let value = integrate::grad(&x, &mut d_x, 7);
    assert_eq!(value, integrate(&x, 7));
    check(|v| integrate(&v[0], 7), &[&x], &[&d_x]);
}
