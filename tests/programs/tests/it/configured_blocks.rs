//! Blocks of which one is compiled, and statements under a condition.

use pardiff::differentiate;

#[differentiate(check)]
pub fn chosen(x: f64) -> f64 {
    let mut y = x;
    #[cfg(debug_assertions)]
    {
        y *= 1.0;
    }
    #[cfg(not(any()))]
    for _ in 0..2 {
        y += x * core::f64::consts::PI;
    }
    #[cfg(any())]
    {
        y.exp()
    }
    #[cfg(not(any()))]
    {
        y * y.sin()
    }
}

#[test]
fn what_is_compiled_is_differentiated() {
    let y = 0.3 * (1.0 + 2.0 * std::f64::consts::PI);
    assert!((chosen::value(0.3) - y * y.sin()).abs() < 1e-14);
    chosen::check(0.3).unwrap();
}

/// Two helpers, of which one is there.
#[pardiff::differentiate(check)]
mod helpers {
    #[inline(always)]
    #[cfg(any(target_feature = "fma", test))]
    fn product(a: f64, b: f64, c: f64) -> f64 {
        a.mul_add(b, c)
    }

    #[inline(always)]
    #[cfg(not(any(target_feature = "fma", test)))]
    fn product(a: f64, b: f64, c: f64) -> f64 {
        a * b + c
    }

    pub fn sum(x: f64, y: f64) -> f64 {
        product(x, y, y * y)
    }
}

#[test]
fn the_helper_that_is_there_is_differentiated() {
    assert_eq!(helpers::sum::value(0.3, 0.7), helpers::sum(0.3, 0.7));
    helpers::sum::check(0.3, 0.7).unwrap();
}
