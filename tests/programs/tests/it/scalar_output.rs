//! A `&mut` scalar that is read, updated and overwritten.

use pardiff::differentiate;
use pardiff_programs::check;

#[differentiate]
pub fn newton(x: &mut f64, a: f64, steps: usize) {
    for _ in 0..steps {
        *x = 0.5 * (*x + a / *x);
    }
}

#[differentiate]
pub fn two(s: &mut f64, t: &mut f64, a: f64) {
    *s *= a;
    *t = *s + a;
    *s += 1.0;
}

#[test]
fn square_root_by_newton() {
    let (mut x, mut d_x, mut d_a) = (1.2, 1.0, 0.0);
    newton::vjp(&mut x, &mut d_x, 2.0, &mut d_a, 6);
    assert!((x - 2f64.sqrt()).abs() < 1e-14);
    // the limit depends on `a` alone
    assert!((d_a - 0.5 / 2f64.sqrt()).abs() < 1e-14 && d_x.abs() < 1e-14);
    let (mut x, mut d_x, mut d_a) = (1.2, 1.0, 0.0);
    newton::vjp(&mut x, &mut d_x, 2.0, &mut d_a, 2);
    let run = |v: &[Vec<f64>]| {
        let mut x = v[0][0];
        newton(&mut x, v[0][1], 2);
        x
    };
    check(run, &[&[1.2, 2.0]], &[&[d_x, d_a]]);
}

#[test]
fn adjoints_before_and_after() {
    let (mut s, mut t, mut d_s, mut d_t, mut d_a) = (2.0, 5.0, 3.0, 7.0, 0.0);
    two::vjp(&mut s, &mut d_s, &mut t, &mut d_t, 4.0, &mut d_a);
    assert_eq!((s, t), (9.0, 12.0));
    // s a + 1 and s a + a
    assert_eq!((d_s, d_t, d_a), (40.0, 0.0, 27.0));
}
