//! Quotients in local arrays that say which element is read, and what is done: `x / h` is one where `x` is `h`, in all loops.

use pardiff::differentiate;
use pardiff_programs::{check, random};

/// In loops over a vector.
#[differentiate]
pub fn of_a_vector(x: &[f64], y: &[f64], w: &[f64], h: f64, steps: usize) -> f64 {
    let n = x.len();
    let mut u = y.to_vec();
    let mut total = 0.0;
    for _ in 0..steps {
        let mut q = vec![0.0; n];
        for i in 0..n {
            q[i] = x[i] / h;
        }
        for i in 0..n {
            total += u[i] * q[i] * w[q[i] as usize];
            if q[i] >= 1.0 {
                u[i] = (0.5 * u[i] + 1.0).sin();
            }
        }
    }
    total * total
}

/// In a short array, at an index that is known when it runs.
#[differentiate]
pub fn of_an_array(x: &[f64], y: &[f64], w: &[f64], h: f64, steps: usize) -> f64 {
    let mut total = 0.0;
    for i in 0..x.len() / 4 {
        let mut q = [0.0; 4];
        for k in 0..4 {
            q[k] = x[4 * i + k] / h;
        }
        let mut s = y[i];
        for t in 0..steps {
            let k = (i + t) % 4;
            s = (s * w[q[k] as usize]).sin() + q[k];
            if q[3 - k] >= 1.0 {
                s = s * s;
            }
        }
        total += s;
    }
    total
}

/// In inner loops of which the reverse sweep makes two.
#[differentiate]
pub fn of_rows(x: &[f64], y: &[f64], w: &[f64], h: f64, steps: usize) -> f64 {
    let n = x.len();
    let mut total = 0.0;
    for t in 0..steps {
        let mut q = vec![0.0; n];
        for i in 0..n {
            q[i] = (x[i] + y[t % n]) / h;
        }
        for i in 1..n {
            let mut s = 0.0;
            for j in 0..i {
                s += (q[j] * y[i]).sin() * w[q[j] as usize % w.len()];
            }
            if q[i] >= 1.0 {
                total += s * s;
            } else {
                total -= s;
            }
        }
    }
    total
}

/// `h * (1.0 / h)` is less than one for 49.
#[test]
fn arrays_of_quotients_decide_as_the_primal() {
    for n in [4, 16, 400] {
        let h = 49.0;
        let x: Vec<f64> = (0..n).map(|i| if i % 2 == 0 { h } else { 0.3 + 0.001 * i as f64 }).collect();
        let mut y = random(5, n);
        // sums with zero are exact
        y[..3].fill(0.0);
        let w = random(6, 2);
        macro_rules! agrees {
            ($name:ident) => {{
                let (mut d_x, mut d_y, mut d_w, mut d_h) = (vec![0.0; n], vec![0.0; n], vec![0.0; 2], 0.0);
                let expected = $name(&x, &y, &w, h, 3);
                let value = $name::grad(&x, &mut d_x, &y, &mut d_y, &w, &mut d_w, h, &mut d_h, 3);
                assert!((value - expected).abs() <= 1e-9 * expected.abs(), "{value} {expected}");
                let relative: Vec<f64> = d_w.iter().map(|d| d / expected).collect();
                check(|v: &[Vec<f64>]| $name(&x, &y, &v[0], h, 3) / expected, &[&w], &[&relative]);
            }};
        }
        agrees!(of_a_vector);
        agrees!(of_an_array);
        agrees!(of_rows);
    }
}
