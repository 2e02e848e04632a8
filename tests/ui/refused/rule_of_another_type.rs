//! The rule of a function over arrays has another type than `f::vjp` would have.

use pardiff::differentiate;

#[differentiate]
mod rules {
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
