//! Stencils whose conditions say which neighbours there are, states of several fields, loops in the middle of rows, and
//! arrays whose size has a value only under a condition.

use pardiff::differentiate;
use pardiff_programs::{check, random};

/// Sweeps of Jacobi's method, until nothing changes much.
#[differentiate(wrt(f))]
pub fn relaxed(f: &[f64], most: usize) -> f64 {
    let n = f.len();
    let mut u = vec![0.0; n];
    let mut next = vec![0.0; n];
    for _ in 0..most {
        let mut change = 0.0;
        for i in 0..n {
            let left = if i > 0 { u[i - 1] } else { 0.0 };
            let right = if i + 1 < n { u[i + 1] } else { 0.0 };
            next[i] = 0.5 * (f[i] + left + right);
            change += (next[i] - u[i]).abs();
        }
        std::mem::swap(&mut u, &mut next);
        if change < 1e-2 {
            break;
        }
    }
    u.iter().map(|v| v * v).sum()
}

/// Two fields that react with each other, each with a second array; read after the loop as well.
#[differentiate(wrt(u0, v0))]
pub fn reaction(u0: &[f64], v0: &[f64], n: usize, steps: usize) -> f64 {
    let mut u = u0.to_vec();
    let mut v = v0.to_vec();
    let mut next_u = vec![0.0; n * n];
    let mut next_v = vec![0.0; n * n];
    for _ in 0..steps {
        for i in 1..n - 1 {
            for j in 1..n - 1 {
                let c = i * n + j;
                let r = u[c] * v[c] * v[c];
                next_u[c] = u[c] + 0.1 * (u[c - 1] + u[c + 1] + u[c - n] + u[c + n] - 4.0 * u[c]) - r;
                next_v[c] = v[c] + 0.05 * (v[c - 1] + v[c + 1] + v[c - n] + v[c + n] - 4.0 * v[c]) + r;
            }
        }
        std::mem::swap(&mut u, &mut next_u);
        std::mem::swap(&mut v, &mut next_v);
    }
    let mut total = 0.0;
    for k in 0..n * n {
        total += u[k] * v[k] + next_u[k] * 0.3 - next_v[k] * next_v[k];
    }
    total
}

/// Rows that a loop around them changes again and again.
#[differentiate(wrt(x, w))]
pub fn decayed(x: &[f64], w: &[f64], start: &[usize], times: usize) -> f64 {
    let mut y = w.to_vec();
    for i in 0..start.len() - 1 {
        for f in 0..times {
            for k in start[i]..start[i + 1] {
                y[k] = y[k] * x[f] + x[f + 1] * x[f + 2];
            }
        }
    }
    y.iter().map(|v| v * v).sum()
}

/// Differences of rows, of those that have some.
#[differentiate(wrt(x))]
pub fn differences(x: &[f64], rows: usize, n: usize) -> f64 {
    let mut total = 0.0;
    for r in 0..rows {
        if n > 2 {
            let mut second = vec![0.0; n - 2];
            for i in 0..n - 2 {
                second[i] = x[r * n + i] - 2.0 * x[r * n + i + 1] + x[r * n + i + 2];
            }
            for i in 0..n - 2 {
                total += second[i] * second[i] * second[n - 3 - i];
            }
        }
    }
    total
}

#[test]
fn neighbours_that_are_not_there_are_not_touched() {
    for n in [0, 1, 2, 3, 5, 17, 40] {
        for most in [0, 1, 4, 60] {
            let f = random(n as u64 + 1, n);
            let mut d_f = vec![0.0; n];
            relaxed::grad(&f, &mut d_f, most);
            check(|v: &[Vec<f64>]| relaxed(&v[0], most), &[&f], &[&d_f]);
        }
    }
}

#[test]
fn two_fields_change_places() {
    for (n, steps) in [(1, 2), (2, 1), (3, 3), (6, 0), (6, 1), (7, 4)] {
        let (u, v) = (random(1, n * n), random(2, n * n));
        let (mut d_u, mut d_v) = (vec![0.0; n * n], vec![0.0; n * n]);
        reaction::grad(&u, &mut d_u, &v, &mut d_v, n, steps);
        check(|a: &[Vec<f64>]| reaction(&a[0], &a[1], n, steps), &[&u, &v], &[&d_u, &d_v]);
    }
}

#[test]
fn rows_keep_the_order_of_what_changes_them() {
    let start = [0, 2, 2, 5, 9, 10, 17];
    let (x, w) = (random(1, 12), random(2, 17));
    let (mut d_x, mut d_w) = (vec![0.0; 12], vec![0.0; 17]);
    decayed::grad(&x, &mut d_x, &w, &mut d_w, &start, 9);
    check(|a: &[Vec<f64>]| decayed(&a[0], &a[1], &start, 9), &[&x, &w], &[&d_x, &d_w]);
}

#[test]
fn sizes_that_have_no_value_are_not_asked_for() {
    for (rows, n) in [(3, 0), (3, 1), (3, 2), (3, 3), (40, 7)] {
        let x = random(1, rows * n);
        let mut d_x = vec![0.0; rows * n];
        differences::grad(&x, &mut d_x, rows, n);
        check(|a: &[Vec<f64>]| differences(&a[0], rows, n), &[&x], &[&d_x]);
    }
}
