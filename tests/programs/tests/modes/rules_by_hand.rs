//! Functions whose derivative is given by hand, `custom(partials = …)`.

use pardiff::differentiate;
use pardiff_programs::{check, check_single, positive, random};
use std::sync::atomic::{AtomicUsize, Ordering};

#[differentiate]
mod special {
    use std::collections::BTreeMap;
    use std::f64::consts::FRAC_2_SQRT_PI;

    #[differentiate(custom(partials = slope_of_error))]
    pub fn error(x: f64) -> f64 {
        libm::erf(x)
    }

    fn slope_of_error(x: f64) -> f64 {
        FRAC_2_SQRT_PI * (-x * x).exp()
    }

    /// `w e^w = x` by Newton's method.
    #[differentiate(custom(partials = slope_of_lambert))]
    fn lambert(x: f64) -> f64 {
        let mut seen = BTreeMap::new();
        let mut w = 0.5f64;
        while seen.insert(w.to_bits(), ()).is_none() {
            w -= (w * w.exp() - x) / ((w + 1.0) * w.exp());
        }
        w
    }

    /// The rule calls the function that it belongs to.
    fn slope_of_lambert(x: f64) -> f64 {
        let w = lambert(x);
        w / (x * (1.0 + w))
    }

    /// Two rules that call each other's function.
    #[differentiate(custom(partials = slope_of_zeroth))]
    fn zeroth(x: f64) -> f64 {
        libm::jn(0, x)
    }

    fn slope_of_zeroth(x: f64) -> f64 {
        -first(x)
    }

    #[differentiate(custom(partials = slope_of_first))]
    fn first(x: f64) -> f64 {
        libm::jn(1, x)
    }

    fn slope_of_first(x: f64) -> f64 {
        zeroth(x) - first(x) / x
    }

    /// Several operands, an integer among them; the derivatives are an array.
    #[differentiate(custom(partials = slopes_of_power))]
    fn power(x: f64, n: i32, by: f64) -> f64 {
        assert!(x > 0.0, "`power` of {x}");
        x.powi(n) * by
    }

    fn slopes_of_power(x: f64, n: i32, by: f64) -> [f64; 2] {
        [f64::from(n) * x.powi(n - 1) * by, x.powi(n)]
    }

    /// The derivatives are a tuple, of singles.
    #[differentiate(custom(partials = slopes_of_length))]
    fn length(x: f32, y: f32) -> f32 {
        x.hypot(y)
    }

    fn slopes_of_length(x: f32, y: f32) -> (f32, f32) {
        let r = x.hypot(y);
        (x / r, y / r)
    }

    pub fn in_lanes(x: &[f64], y: &[f64]) -> f64 {
        let mut total = 0.0;
        for i in 0..x.len() {
            total += error(x[i]) * y[i] + lambert(y[i]) * x[i] + zeroth(y[i]) * first(y[i] + 1.0);
        }
        total
    }

    /// Only where the function has a value is it called.
    pub fn under_conditions(x: &[f64], y: &[f64]) -> f64 {
        let mut total = 0.0;
        for i in 0..x.len() {
            if x[i] > 0.1 {
                total += power(x[i] * x[i], 3, y[i]);
            } else {
                total -= y[i] * x[i];
            }
        }
        total
    }

    /// The values that the rule needs are overwritten.
    pub fn over_time(x: &[f64], rate: f64, steps: usize) -> f64 {
        let mut u = x.to_vec();
        for _ in 0..steps {
            for i in 0..u.len() {
                u[i] = error(u[i] * rate) + 0.5 * u[i];
            }
        }
        u.iter().map(|u| u * u).sum()
    }

    pub fn of_singles(x: &[f32], y: &[f32]) -> f32 {
        x.iter().zip(y).map(|(&x, &y)| length(x, y + 2.0)).sum()
    }

    pub fn in_parallel(x: &[f64], y: &mut [f64]) {
        use rayon::prelude::*;
        y.par_iter_mut().zip(x).for_each(|(y, &x)| *y += error(x) * *y);
    }

    pub fn of_positive_numbers(x: &[f64]) -> f64 {
        x.iter().map(|&x| power(x, 2, 1.0)).sum()
    }

    /// Nobody asks for its derivative.
    pub fn of_constants(x: &[f64], k: usize) -> f64 {
        let scale = lambert(k as f64 + 1.0);
        x.iter().map(|x| scale * x).sum()
    }
}

#[test]
fn gradients_are_right() {
    let (x, y) = (random(1, 37), positive(2, 37));
    let g = special::in_lanes::gradient(&x, &y).1;
    check(|v| special::in_lanes(&v[0], &v[1]), &[&x, &y], &[&g.x, &g.y]);
    let g = special::under_conditions::gradient(&x, &y).1;
    check(|v| special::under_conditions(&v[0], &v[1]), &[&x, &y], &[&g.x, &g.y]);
    for steps in [0, 1, 7] {
        let g = special::over_time::gradient(&x, 0.7, steps).1;
        check(|v| special::over_time(&v[0], v[1][0], steps), &[&x, &[0.7]], &[&g.x, &[g.rate]]);
    }
    let g = special::of_constants::gradient(&x, 3).1;
    check(|v| special::of_constants(&v[0], 3), &[&x], &[&g.x]);
}

#[test]
fn gradients_of_singles_are_right() {
    let (x, y) = (random(3, 19), random(4, 19));
    let narrow = |v: &[f64]| -> Vec<f32> { v.iter().map(|x| *x as f32).collect() };
    let wide = |v: &[f32]| -> Vec<f64> { v.iter().map(|x| f64::from(*x)).collect() };
    let g = special::of_singles::gradient(&narrow(&x), &narrow(&y)).1;
    let value = |v: &[Vec<f64>]| f64::from(special::of_singles(&narrow(&v[0]), &narrow(&v[1])));
    check_single(value, &[&x, &y], &[&wide(&g.x), &wide(&g.y)]);
}

#[test]
fn outputs_have_adjoints() {
    let (x, y, d) = (random(5, 21), random(6, 21), random(7, 21));
    let (mut out, mut d_x, mut d_y) = (y.clone(), vec![0.0; 21], d.clone());
    special::in_parallel::vjp(&x, &mut d_x, &mut out, &mut d_y);
    let value = |v: &[Vec<f64>]| {
        let mut y = v[1].clone();
        special::in_parallel(&v[0], &mut y);
        pardiff_programs::dot(&y, &d)
    };
    check(value, &[&x, &y], &[&d_x, &d_y]);
}

#[test]
fn a_visible_function_with_a_rule_has_a_gradient_itself() {
    let (value, gradient) = special::error::gradient(0.3);
    assert_eq!(value, libm::erf(0.3));
    check(|v| libm::erf(v[0][0]), &[&[0.3]], &[&[gradient.x]]);
}

/// How often the function below ran.
static CALLS: AtomicUsize = AtomicUsize::new(0);

#[differentiate]
mod counted {
    #[differentiate(custom(partials = slope))]
    fn square(x: f64) -> f64 {
        super::CALLS.fetch_add(1, super::Ordering::Relaxed);
        x * x
    }

    fn slope(x: f64) -> f64 {
        2.0 * x
    }

    /// A rule that needs the function's value.
    #[differentiate(custom(partials = slope_of_exponential))]
    fn exponential(x: f64) -> f64 {
        super::CALLS.fetch_add(1, super::Ordering::Relaxed);
        x.exp()
    }

    fn slope_of_exponential(x: f64) -> f64 {
        exponential(x)
    }

    pub fn over_time(x: &[f64], steps: usize) -> f64 {
        let mut u = x.to_vec();
        for _ in 0..steps {
            for u in u.iter_mut() {
                *u = square(*u) + 0.5 * *u;
            }
        }
        u.iter().sum()
    }

    pub fn exponentials(x: &[f64]) -> f64 {
        x.iter().map(|&x| exponential(x)).sum()
    }
}

#[test]
fn a_function_with_a_rule_runs_as_often_as_it_is_called() {
    let x = random(8, 50);
    let count = |run: &dyn Fn()| {
        let before = CALLS.load(Ordering::Relaxed);
        run();
        CALLS.load(Ordering::Relaxed) - before
    };
    assert_eq!(count(&|| _ = counted::over_time(&x, 4)), 200);
    assert_eq!(count(&|| _ = counted::over_time::value(&x, 4)), 200);
    assert_eq!(count(&|| _ = counted::over_time::gradient(&x, 4)), 200);
    assert_eq!(count(&|| _ = counted::exponentials::value(&x)), 50);
    // once for the value, once in the rule
    assert_eq!(count(&|| _ = counted::exponentials::gradient(&x)), 100);
}

#[test]
fn a_panic_of_the_function_is_one_of_the_gradient() {
    let gradient = |x: &[f64]| std::panic::catch_unwind(|| special::of_positive_numbers::gradient(x));
    let mut x = positive(9, 37);
    assert!(gradient(&x).is_ok());
    x[11] = -0.25;
    let message = gradient(&x).expect_err("it panics");
    let text = message.downcast_ref::<String>().map(String::as_str);
    assert_eq!(text, Some("`power` of -0.25"));
}
