//! Second derivatives through functions over arrays: rules that are not seen, and rules that are not accepted.

use pardiff::differentiate;

#[differentiate(forward)]
pub fn cubes(x: &[f64], y: &mut [f64]) {
    for (y, x) in y.iter_mut().zip(x) {
        *y = x * x * x;
    }
}

#[differentiate(hvp)]
mod rules {
    #[differentiate(custom(vjp = super::cubes::vjp, jvp = super::cubes::jvp))]
    fn elsewhere(x: &[f64], y: &mut [f64]) {
        super::cubes(x, y);
    }

    pub fn of_elsewhere(x: &[f64], y: &mut [f64]) {
        elsewhere(x, y);
    }

    #[differentiate(custom(vjp = squares_vjp, jvp = squares_jvp))]
    fn squares(x: &[f64], y: &mut [f64]) {
        y.iter_mut().zip(x).for_each(|(y, x)| *y = x * x);
    }

    fn squares_vjp(x: &[f64], d_x: &mut [f64], _: &mut [f64], d_y: &mut [f64]) {
        let mut weights = std::collections::BTreeMap::new();
        for k in 0..x.len() {
            weights.insert(k, 2.0 * x[k]);
        }
        for k in 0..x.len() {
            d_x[k] += weights[&k] * std::mem::take(&mut d_y[k]);
        }
    }

    fn squares_jvp(x: &[f64], x_dot: &[f64], y: &mut [f64], y_dot: &mut [f64]) {
        squares(x, y);
        for k in 0..x.len() {
            y_dot[k] = 2.0 * x[k] * x_dot[k];
        }
    }

    pub fn of_squares(x: &[f64], y: &mut [f64]) {
        squares(x, y);
    }
}

#[differentiate]
mod another_type {
    #[differentiate(custom(vjp = twice_vjp, vjp_jvp = twice_vjp))]
    fn twice(x: &[f64], k: usize) -> f64 {
        2.0 * x[k]
    }

    fn twice_vjp(x: &[f64], d_x: &mut [f64], k: usize, seed: f64) -> f64 {
        d_x[k] += 2.0 * seed;
        twice(x, k)
    }

    pub fn calls(x: &[f64]) -> f64 {
        twice(x, 0)
    }
}

fn main() {}
