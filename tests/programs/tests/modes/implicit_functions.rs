//! What is defined by an equation: its rule is the theorem of implicit functions. The programs of
//! `docs/implicit.md`.

use pardiff_programs::{check, random};

#[pardiff::differentiate]
mod linear {
    /// `a x = b`, by elimination.
    #[differentiate(custom(vjp = solve_vjp, jvp = solve_jvp))]
    pub fn solve(a: &[f64], b: &[f64], x: &mut [f64], n: usize) {
        eliminate(a.to_vec(), b.to_vec(), x, n);
    }

    /// `a^T l = d_x`; then `d_b += l` and `d_a -= l x^T`.
    fn solve_vjp(
        a: &[f64],
        d_a: &mut [f64],
        b: &[f64],
        d_b: &mut [f64],
        x: &mut [f64],
        d_x: &mut [f64],
        n: usize,
    ) {
        solve(a, b, x, n);
        let transposed = (0..n * n).map(|k| a[k % n * n + k / n]).collect();
        let mut l = vec![0.0; n];
        eliminate(transposed, d_x.to_vec(), &mut l, n);
        for i in 0..n {
            d_b[i] += l[i];
            for j in 0..n {
                d_a[i * n + j] -= l[i] * x[j];
            }
        }
        d_x.fill(0.0);
    }

    /// `a x_dot = b_dot - a_dot x`
    fn solve_jvp(
        a: &[f64],
        a_dot: &[f64],
        b: &[f64],
        b_dot: &[f64],
        x: &mut [f64],
        x_dot: &mut [f64],
        n: usize,
    ) {
        solve(a, b, x, n);
        let row = |i: usize| b_dot[i] - (0..n).map(|j| a_dot[i * n + j] * x[j]).sum::<f64>();
        let right: Vec<f64> = (0..n).map(row).collect();
        solve(a, &right, x_dot, n);
    }

    fn eliminate(mut a: Vec<f64>, mut b: Vec<f64>, x: &mut [f64], n: usize) {
        let mut rows: Vec<usize> = (0..n).collect();
        for k in 0..n {
            let largest =
                (k..n).max_by(|&p, &q| a[rows[p] * n + k].abs().total_cmp(&a[rows[q] * n + k].abs()));
            rows.swap(k, largest.expect("a row is left"));
            for i in k + 1..n {
                let (row, pivot) = (rows[i], rows[k]);
                let factor = a[row * n + k] / a[pivot * n + k];
                for j in k..n {
                    a[row * n + j] -= factor * a[pivot * n + j];
                }
                b[row] -= factor * b[pivot];
            }
        }
        for k in (0..n).rev() {
            let row = rows[k];
            let known: f64 = (k + 1..n).map(|j| a[row * n + j] * x[j]).sum();
            x[k] = (b[row] - known) / a[row * n + k];
        }
    }

    /// The squared error of the solution of a system that depends on a parameter, over several right sides.
    #[differentiate(forward, check, split)]
    pub fn loss(a: &[f64], b: &[f64], wanted: &[f64], n: usize, count: usize) -> f64 {
        let mut total = 0.0;
        for k in 0..count {
            let mut x = vec![0.0; n];
            solve(a, &b[k * n..(k + 1) * n], &mut x, n);
            for i in 0..n {
                let error = x[i] - wanted[k * n + i];
                total += error * error;
            }
        }
        total
    }
}

/// One step towards the equilibrium of a network, `x = tanh(w x + b)`.
#[pardiff::differentiate(forward)]
pub fn step(x: &[f64], w: &[f64], b: &[f64], next: &mut [f64], n: usize) {
    for i in 0..n {
        let mut sum = b[i];
        for j in 0..n {
            sum += w[i * n + j] * x[j];
        }
        next[i] = sum.tanh();
    }
}

#[pardiff::differentiate]
mod fixed_point {
    use super::step;

    /// Steps until nothing changes any more.
    #[differentiate(custom(vjp = equilibrium_vjp, jvp = equilibrium_jvp))]
    pub fn equilibrium(w: &[f64], b: &[f64], x: &mut [f64], n: usize) {
        x.fill(0.0);
        until_it_stays(x, |x, next| step(x, w, b, next, n));
    }

    /// With the Jacobian `J` of a step by `x`: `l = J^T l + d_x`, and then what a step with the adjoint `l` adds.
    fn equilibrium_vjp(
        w: &[f64],
        d_w: &mut [f64],
        b: &[f64],
        d_b: &mut [f64],
        x: &mut [f64],
        d_x: &mut [f64],
        n: usize,
    ) {
        equilibrium(w, b, x, n);
        let (mut l, mut next) = (d_x.to_vec(), vec![0.0; n]);
        until_it_stays(&mut l, |l, more| {
            let mut seed = l.to_vec();
            more.copy_from_slice(d_x);
            step::vjp(x, more, w, &mut vec![0.0; n * n], b, &mut vec![0.0; n], &mut next, &mut seed, n);
        });
        step::vjp(x, &mut vec![0.0; n], w, d_w, b, d_b, &mut next, &mut l, n);
        d_x.fill(0.0);
    }

    /// `x_dot = J x_dot + b_dot' + w_dot' x`, the tangent of a step.
    fn equilibrium_jvp(
        w: &[f64],
        w_dot: &[f64],
        b: &[f64],
        b_dot: &[f64],
        x: &mut [f64],
        x_dot: &mut [f64],
        n: usize,
    ) {
        equilibrium(w, b, x, n);
        let mut next = vec![0.0; n];
        x_dot.fill(0.0);
        until_it_stays(x_dot, |x_dot, more| step::jvp(x, x_dot, w, w_dot, b, b_dot, &mut next, more, n));
    }

    fn until_it_stays(x: &mut [f64], mut next: impl FnMut(&[f64], &mut [f64])) {
        let mut after = x.to_vec();
        for _ in 0..10_000 {
            next(x, &mut after);
            let moved = x.iter().zip(&after).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            x.copy_from_slice(&after);
            if moved < 1e-15 {
                return;
            }
        }
        panic!("the iteration does not converge");
    }

    /// The squared error of the state at rest.
    #[differentiate(forward, check)]
    pub fn loss(w: &[f64], b: &[f64], wanted: &[f64], n: usize) -> f64 {
        let mut x = vec![0.0; n];
        equilibrium(w, b, &mut x, n);
        x.iter().zip(wanted).map(|(x, wanted)| (x - wanted) * (x - wanted)).sum()
    }
}

#[test]
fn a_solve_is_differentiated_by_a_transposed_solve() {
    let (n, count) = (4, 3);
    let mut a = random(1, n * n);
    (0..n).for_each(|i| a[i * n + i] += 3.0);
    let (b, wanted) = (random(2, n * count), random(3, n * count));
    linear::loss::check(&a, &b, &wanted, n, count).unwrap();
    let (mut d_a, mut d_b, mut d_wanted) = (vec![0.0; a.len()], vec![0.0; b.len()], vec![0.0; b.len()]);
    linear::loss::grad(&a, &mut d_a, &b, &mut d_b, &wanted, &mut d_wanted, n, count);
    let value = |at: &[Vec<f64>]| linear::loss(&at[0], &at[1], &at[2], n, count);
    check(value, &[&a, &b, &wanted], &[&d_a, &d_b, &d_wanted]);
}

#[test]
fn a_fixed_point_is_differentiated_where_it_is() {
    let n = 5;
    let w: Vec<f64> = random(4, n * n).iter().map(|w| 0.4 * w).collect();
    let (b, wanted) = (random(5, n), random(6, n));
    fixed_point::loss::check(&w, &b, &wanted, n).unwrap();
    let (mut d_w, mut d_b, mut d_wanted) = (vec![0.0; n * n], vec![0.0; n], vec![0.0; n]);
    fixed_point::loss::grad(&w, &mut d_w, &b, &mut d_b, &wanted, &mut d_wanted, n);
    let value = |at: &[Vec<f64>]| fixed_point::loss(&at[0], &at[1], &at[2], n);
    check(value, &[&w, &b, &wanted], &[&d_w, &d_b, &d_wanted]);
}
