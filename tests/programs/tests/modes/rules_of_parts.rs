//! Functions over arrays with rules by hand that are lent parts whose lengths differ from call to call, under
//! conditions and in loops of every kind.

use pardiff::differentiate;
use pardiff_programs::{dot, random};

#[differentiate]
mod parts {
    /// Adds squares to halves.
    #[differentiate(custom(vjp = squares_vjp, jvp = squares_jvp))]
    fn squares(x: &[f64], y: &mut [f64]) -> f64 {
        x.iter().zip(y.iter_mut()).for_each(|(x, y)| *y = *y * 0.5 + x * x);
        x.iter().map(|x| x.sin()).sum()
    }

    fn squares_vjp(x: &[f64], d_x: &mut [f64], y: &mut [f64], d_y: &mut [f64], seed: f64) -> f64 {
        for k in 0..x.len().min(y.len()) {
            let d = std::mem::take(&mut d_y[k]);
            d_x[k] += 2.0 * x[k] * d + seed * x[k].cos();
            d_y[k] = 0.5 * d;
        }
        0.0
    }

    fn squares_jvp(x: &[f64], x_dot: &[f64], y: &mut [f64], y_dot: &mut [f64]) -> (f64, f64) {
        let mut slope = 0.0;
        for k in 0..x.len().min(y.len()) {
            y_dot[k] = 0.5 * y_dot[k] + 2.0 * x[k] * x_dot[k];
            slope += x[k].cos() * x_dot[k];
        }
        (squares(x, y), slope)
    }

    #[differentiate(wrt(x, y), forward, hvp, split, batch(2), check)]
    pub fn under_conditions(x: &[f64], y: &mut [f64], from: usize, to: usize) {
        if to > 2 {
            let sum = squares(&x[from..to], &mut y[from..to]);
            y[0] += sum * sum;
        }
        for k in 0..y.len() {
            if y[k] > 0.0 {
                squares(&x[..k], &mut y[..k]);
            } else {
                y[k] *= squares(&x[k..], &mut y[k..]);
            }
        }
    }

    #[differentiate(wrt(x, y), forward, hvp, split, batch(2), check)]
    pub fn until(x: &[f64], y: &mut [f64], width: usize) {
        let mut k = 0;
        while k < y.len() {
            let end = (k + width).min(y.len());
            if y[k] < 5.0 {
                let sum = squares(&x[k..end], &mut y[k..end]);
                y[k] *= sum;
            }
            k += 1;
        }
    }

    /// The same in segments.
    #[differentiate(wrt(x, y), forward, hvp, split, batch(2), check)]
    pub fn in_segments(x: &[f64], y: &mut [f64], lengths: &[usize], steps: usize) {
        #[checkpoint(every = 2)]
        for t in 0..steps {
            for &n in lengths {
                let n = (n + t) % (x.len() + 1);
                let sum = squares(&x[..n], &mut y[..n]);
                y.iter_mut().for_each(|y| *y = (*y + 0.1 * sum).sin());
            }
        }
    }

    /// A vector of another length each time.
    #[differentiate(wrt(x, y), forward, hvp, split, batch(2), check)]
    pub fn own(x: &[f64], y: &mut [f64], lengths: &[usize]) {
        for i in 0..lengths.len() {
            let mut own = vec![0.5; lengths[i]];
            let sum = squares(&x[..lengths[i]], &mut own);
            for (y, own) in y.iter_mut().zip(&own) {
                *y += own * own * sum;
            }
        }
    }
}

/// The tangent along a direction is the product with the gradient.
macro_rules! agrees {
    ($name:ident, $n:expr, $($given:expr),*) => {{
        let n = $n;
        let (x, y, x_dot, d) = (random(1, n), random(2, n), random(3, n), random(4, n));
        parts::$name::check(&x, &mut y.clone(), $($given),*).unwrap();
        let (mut d_x, mut d_y) = (vec![0.0; n], d.clone());
        parts::$name::vjp(&x, &mut d_x, &mut y.clone(), &mut d_y, $($given),*);
        let mut y_dot = random(5, n);
        let before = dot(&y_dot, &d_y) + dot(&x_dot, &d_x);
        parts::$name::jvp(&x, &x_dot, &mut y.clone(), &mut y_dot, $($given),*);
        assert!((dot(&y_dot, &d) - before).abs() <= 1e-11 * (1.0 + before.abs()));
        let mut tape = parts::$name::Tape::default();
        parts::$name::forward(&x, &mut y.clone(), $($given,)* &mut tape);
        let (mut e_x, mut e_y) = (vec![0.0; n], d.clone());
        parts::$name::backward(&x, &mut e_x, &mut e_y, $($given,)* &tape);
        for (a, b) in d_x.iter().chain(&d_y).zip(e_x.iter().chain(&e_y)) {
            assert!((a - b).abs() <= 1e-11 * (1.0 + a.abs()), "{b} is not {a}");
        }
    }};
}

#[test]
fn parts_of_every_length() {
    agrees!(under_conditions, 5, 1, 4);
    agrees!(under_conditions, 5, 0, 0);
    agrees!(under_conditions, 1, 0, 1);
    for n in [0, 1, 6] {
        agrees!(until, n, 2);
        agrees!(until, n, 0);
    }
    for steps in [0, 1, 5] {
        agrees!(in_segments, 4, &[2, 0, 3], steps);
    }
    agrees!(own, 4, &[2, 0, 4, 1]);
    agrees!(own, 0, &[]);
}
