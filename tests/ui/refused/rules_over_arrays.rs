//! What a rule over arrays cannot be, and where a function with one cannot be called.

use pardiff::differentiate;

#[differentiate]
mod rules {
    #[differentiate(custom(vjp = scale_vjp))]
    fn scale(x: &[f64], y: &mut [f64]) {
        y.copy_from_slice(x);
    }

    fn scale_vjp(_: &[f64], d_x: &mut [f64], _: &mut [f64], d_y: &mut [f64]) {
        for (d_x, d_y) in d_x.iter_mut().zip(d_y) {
            *d_x += std::mem::take(d_y);
        }
    }

    #[differentiate(custom(jvp = shift_jvp))]
    fn shift(x: &[f64], y: &mut [f64]) {
        y.copy_from_slice(x);
    }

    fn shift_jvp(x: &[f64], x_dot: &[f64], y: &mut [f64], y_dot: &mut [f64]) {
        y.copy_from_slice(x);
        y_dot.copy_from_slice(x_dot);
    }

    #[differentiate(custom(vjp = rows_vjp))]
    fn rows(x: &[[f64; 3]]) -> f64 {
        x[0][0]
    }

    #[differentiate(custom(vjp = rows_vjp))]
    fn pair(x: &[f64]) -> (f64, f64) {
        (x[0], x[1])
    }

    #[differentiate(custom(vjp = rows_vjp))]
    fn generic<T: Into<f64> + Copy>(x: &[T]) -> f64 {
        x[0].into()
    }

    #[differentiate(custom(vjp = rows_vjp))]
    fn nothing(x: &[f64]) {
        println!("{x:?}");
    }

    fn rows_vjp(_: &[f64], _: &mut [f64], _: f64) -> f64 {
        0.0
    }

    #[differentiate(forward)]
    pub fn tangents(x: &[f64], y: &mut [f64]) {
        scale(x, y);
    }

    #[differentiate(hvp)]
    pub fn second(x: &[f64], n: usize) -> f64 {
        let mut y = vec![0.0; n];
        scale(x, &mut y);
        y[0] * y[1]
    }

    pub fn adjoints(x: &[f64], y: &mut [f64]) {
        shift(x, y);
    }

    pub fn parallel(x: &[f64], y: &mut [f64], n: usize) {
        #[parallel]
        for i in 0..n {
            scale(&x[i..i + 1], &mut y[i..i + 1]);
        }
    }

    pub fn calls(x: &[[f64; 3]], y: &[f64]) -> f64 {
        nothing(y);
        rows(x) + pair(y).0 + generic(y)
    }
}

#[differentiate]
mod twice {
    #[differentiate(custom(vjp = first_vjp, vjp = first_vjp))]
    fn first(x: &[f64]) -> f64 {
        x[0]
    }

    #[differentiate(custom(vjp = first_vjp, partials = first_vjp))]
    fn second(x: &[f64]) -> f64 {
        x[0]
    }

    fn first_vjp(x: &[f64], d_x: &mut [f64], seed: f64) -> f64 {
        d_x[0] += seed;
        x[0]
    }

    pub fn kept(x: &[f64]) -> f64 {
        x[0]
    }
}

#[differentiate]
mod alone {
    #[differentiate(custom(jvp = first_jvp, vjp_jvp = first_vjp_jvp))]
    fn first(x: &[f64]) -> f64 {
        x[0]
    }
}

#[differentiate]
mod another_type {
    #[differentiate(custom(vjp = solve_vjp))]
    fn solve(b: &[f64], x: &mut [f64]) {
        x.copy_from_slice(b);
    }

    fn solve_vjp(_: &[f64], d_b: &mut [f64], d_x: &[f64]) {
        d_b.copy_from_slice(d_x);
    }

    pub fn calls(b: &[f64], x: &mut [f64]) {
        solve(b, x);
    }
}

fn main() {}
