//! A soft minimum over paths in a table: each cell from three others, a two-dimensional recurrence.

use pardiff::differentiate;
use pardiff_programs::{check, random};

#[differentiate]
pub fn soft_dtw(x: &[f64], y: &[f64], gamma: f64) -> f64 {
    let (n, m) = (x.len(), y.len());
    let mut r: Vec<f64> = vec![1e10; (n + 1) * (m + 1)];
    r[0] = 0.0;
    for i in 1..=n {
        for j in 1..=m {
            let cost = (x[i - 1] - y[j - 1]).powi(2);
            let a = r[(i - 1) * (m + 1) + j];
            let b = r[i * (m + 1) + j - 1];
            let c = r[(i - 1) * (m + 1) + j - 1];
            let least = a.min(b).min(c);
            let sum = ((least - a) / gamma).exp() + ((least - b) / gamma).exp() + ((least - c) / gamma).exp();
            r[i * (m + 1) + j] = cost + least - gamma * sum.ln();
        }
    }
    r[n * (m + 1) + m]
}

#[test]
fn gradient() {
    let (x, y) = (random(1, 5), random(2, 4));
    let (value, gradient) = soft_dtw::gradient(&x, &y, 0.4);
    assert_eq!(value, soft_dtw(&x, &y, 0.4));
    let run = |v: &[Vec<f64>]| soft_dtw(&v[0], &v[1], v[2][0]);
    check(run, &[&x, &y, &[0.4]], &[&gradient.x, &gradient.y, &[gradient.gamma]]);
}

/// A cell is written once, so that the reverse sweep finds it where it is: rows are `m + 1` long.
#[test]
fn the_table_is_its_own_tape() {
    let plan = soft_dtw::DECISIONS;
    assert!(plan.contains("tape sum_tape") && !plan.contains("tape a_tape"), "{plan}");
}
