//! Functions of all kinds that take second derivatives through rules by hand: of other modules, methods, generic ones.

use pardiff::differentiate;

mod solver {
    use pardiff::differentiate;

    /// What other modules use, in single precision.
    #[differentiate(export)]
    pub mod diagonal {
        #[differentiate(custom(vjp = divide_vjp, jvp = divide_jvp))]
        pub fn divide(d: &[f32], x: &[f32], y: &mut [f32]) {
            Box::new(d.iter().zip(x)).zip(y).for_each(|((d, x), y)| *y = x / d);
        }

        pub fn divide_vjp(
            d: &[f32],
            d_d: &mut [f32],
            x: &[f32],
            d_x: &mut [f32],
            y: &mut [f32],
            d_y: &mut [f32],
        ) {
            divide(d, x, y);
            let mut l = vec![0.0; y.len()];
            divide(d, d_y, &mut l);
            let step = |l: f32, y: f32| -l * y;
            for (k, l) in l.iter().enumerate() {
                d_x[k] += l;
                d_d[k] += step(*l, y[k]);
            }
            d_y.fill(0.0);
        }

        pub fn divide_jvp(
            d: &[f32],
            d_dot: &[f32],
            x: &[f32],
            x_dot: &[f32],
            y: &mut [f32],
            y_dot: &mut [f32],
        ) {
            divide(d, x, y);
            let right: Vec<f32> = (0..y.len()).map(|k| x_dot[k] - d_dot[k] * y[k]).collect();
            divide(d, &right, y_dot);
        }
    }
}

use solver::diagonal;

/// The squares of `x / d / d`, by a function of another module.
#[differentiate(hvp, uses(diagonal))]
pub fn divided(d: &[f32], x: &[f32]) -> f32 {
    let mut y = vec![0.0; x.len()];
    diagonal::divide(d, x, &mut y);
    diagonal::divide(d, &y.clone(), &mut y);
    y.iter().map(|y| y * y).sum()
}

#[test]
fn rules_of_other_modules_are_seen_where_these_are_used() {
    let (d, x) = ([2.0f32, 3.0], [0.5f32, 0.7]);
    let (d_dot, x_dot) = ([0.3f32, -0.2], [0.4f32, 0.1]);
    let (mut h_d, mut h_x) = ([0.0; 2], [0.0; 2]);
    divided::hvp(&d, &d_dot, &mut h_d, &x, &x_dot, &mut h_x);
    for k in 0..2 {
        let (d, x) = (f64::from(d[k]), f64::from(x[k]));
        let (d_dot, x_dot) = (f64::from(d_dot[k]), f64::from(x_dot[k]));
        let of_d = 20.0 * x * x / d.powi(6) * d_dot - 8.0 * x / d.powi(5) * x_dot;
        let of_x = -8.0 * x / d.powi(5) * d_dot + 2.0 / d.powi(4) * x_dot;
        for (found, expected) in [(h_d[k], of_d), (h_x[k], of_x)] {
            assert!(
                (f64::from(found) - expected).abs() <= 1e-6 * (1.0 + expected.abs()),
                "{found} {expected}"
            );
        }
    }
}

#[differentiate(hvp, check)]
mod callers {
    #[derive(Clone)]
    pub struct Model {
        pub w: [f64; 3],
    }

    impl Model {
        pub fn loss(&self, x: &[f64]) -> f64 {
            let mut y = vec![0.5; x.len()];
            for _ in 0..2 {
                bend(&self.w, x, &mut y);
            }
            y.iter().product()
        }
    }

    #[differentiate(custom(vjp = bend_vjp, jvp = bend_jvp))]
    fn bend(w: &[f64], x: &[f64], y: &mut [f64]) {
        Box::new(x.iter()).zip(w).zip(y).for_each(|((x, w), y)| *y = *y * w + x * x);
    }

    fn bend_vjp(w: &[f64], d_w: &mut [f64], x: &[f64], d_x: &mut [f64], y: &mut [f64], d_y: &mut [f64]) {
        let mut k = 0;
        while k < x.len() {
            d_w[k] += d_y[k] * y[k];
            d_x[k] += double(d_y[k]) * x[k];
            d_y[k] *= w[k];
            k += 1;
        }
    }

    fn double<T: std::ops::Add<Output = T> + Copy>(x: T) -> T {
        x + x
    }

    fn bend_jvp(w: &[f64], w_dot: &[f64], x: &[f64], x_dot: &[f64], y: &mut [f64], y_dot: &mut [f64]) {
        for k in 0..x.len() {
            y_dot[k] = y_dot[k] * w[k] + y[k] * w_dot[k] + 2.0 * x[k] * x_dot[k];
        }
        bend(w, x, y);
    }

    /// There is one of two functions, and its rules with it.
    #[cfg(test)]
    pub fn chosen(x: &[f64]) -> f64 {
        let mut y = vec![1.0; x.len()];
        bend(x, x, &mut y);
        y[0] * y[1]
    }

    #[cfg(not(test))]
    pub fn chosen(x: &[f64]) -> f64 {
        let mut y = vec![1.0; x.len()];
        bend(x, x, &mut y);
        y[0] + y[1]
    }

    pub fn generic<T: Copy + Into<f64>>(x: T) -> f64 {
        let mut y = [0.25];
        bend(&[x.into()], &[0.5], &mut y);
        y[0] * y[0]
    }

    #[differentiate(module = bent)]
    pub fn named(x: &[f64], y: &mut [f64]) {
        bend(x, x, y);
        bend(x, x, y);
    }
}

#[test]
fn methods_and_functions_of_all_kinds_call_them() {
    let x = [0.3, 0.6, 0.9];
    callers::model::loss::check(&callers::Model { w: [0.3, 0.5, -0.7] }, &x).unwrap();
    callers::chosen::check(&x).unwrap();
    callers::generic::check(0.6f64).unwrap();
    callers::bent::check(&x, &mut [0.2, 0.3, 0.4]).unwrap();
}
