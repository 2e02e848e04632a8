//! Options of what is written to, as parameters.

use pardiff::differentiate;

/// The sum of squares, and its gradient where that is asked for.
#[differentiate(wrt(x))]
pub fn squares(x: &[f64], mut gradient: Option<&mut [f64]>) -> f64 {
    fn doubled(x: &[f64], gradient: Option<&mut [f64]>) {
        if let Some(g) = gradient {
            for (g, x) in g.iter_mut().zip(x) {
                *g = 2.0 * x;
            }
        }
    }
    let sum = x.iter().map(|v| v * v).sum();
    if let Some(g) = gradient.as_mut() {
        g[0] = x[0];
    }
    if let Some(g) = gradient.as_deref_mut() {
        g[0] *= 3.0;
    }
    if gradient.is_none() {
        return 2.0 * sum;
    }
    doubled(x, gradient);
    sum
}

#[test]
fn a_slice_that_may_be_there() {
    let (x, mut g, mut d_g, mut d_x) = ([1.5, -2.0], [0.0; 2], [1.0, 0.5], [0.0; 2]);
    assert_eq!(squares::grad(&x, &mut d_x, Some(&mut g), &mut d_g), 6.25);
    // the derivative of x0² + x1² + 2 x0 + 0.5 · 2 x1
    assert_eq!((g, d_g, d_x), ([3.0, -4.0], [0.0; 2], [3.0 + 2.0, -4.0 + 1.0]));
    let mut d_x = [0.0; 2];
    assert_eq!(squares::grad(&x, &mut d_x, None, &mut []), 12.5);
    assert_eq!(d_x, [6.0, -8.0]);
}

/// Two slices that may be there, of a function that may fail.
#[allow(clippy::single_match, reason = "what people write")]
#[differentiate(check)]
pub fn parts(x: f64, slopes: Option<&mut [f64]>, powers: Option<&mut [[f64; 2]]>) -> Option<f64> {
    if let Some(slopes) = slopes {
        slopes[0] *= x.cos();
    }
    match powers {
        Some(powers) => {
            powers[0][0] += x * x;
            powers[0][1] = powers[0][0] * x;
        }
        None => {}
    }
    (x > 0.0).then_some(x.sin())
}

#[test]
fn functions_with_options_of_slices_may_fail() {
    let (mut slope, mut powers) = ([0.5], [[0.25, 0.0]]);
    parts::check(0.7, Some(&mut slope), Some(&mut powers)).unwrap();
    parts::check(0.7, None, Some(&mut powers)).unwrap();
    parts::check(0.7, None, None).unwrap();
    let (mut d_x, mut slope, mut d_slope) = (0.0, [2.0], [1.0]);
    assert_eq!(
        parts::grad(0.7, &mut d_x, Some(&mut slope), &mut d_slope, None, &mut []),
        Some(0.7_f64.sin())
    );
    assert_eq!((slope[0], d_slope[0]), (2.0 * 0.7_f64.cos(), 0.7_f64.cos()));
    assert!((d_x - (0.7_f64.cos() - 2.0 * 0.7_f64.sin())).abs() < 1e-15);
    assert_eq!(parts::grad(-0.7, &mut d_x, None, &mut [], None, &mut []), None);
}
