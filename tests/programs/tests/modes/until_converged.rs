//! Loops that end when they have converged: no round, one, a few, and loops inside of them that end as well.

use pardiff::differentiate;
use pardiff_programs::{check, positive, random};

/// Conjugate gradients for a tridiagonal matrix; the loop ends at its head.
#[differentiate]
fn solved(diagonal: &[f64], off: &[f64], b: &[f64], tolerance: f64) -> f64 {
    let n = b.len();
    let mut x = vec![0.0; n];
    let mut r = b.to_vec();
    let mut p = r.clone();
    let mut rr: f64 = r.iter().map(|r| r * r).sum();
    for _ in 0..2 * n {
        if rr < tolerance {
            break;
        }
        let mut ap = vec![0.0; n];
        for i in 0..n {
            ap[i] = diagonal[i] * p[i];
            if i > 0 {
                ap[i] += off[i - 1] * p[i - 1];
            }
            if i + 1 < n {
                ap[i] += off[i] * p[i + 1];
            }
        }
        let alpha = rr / p.iter().zip(&ap).map(|(a, b)| a * b).sum::<f64>();
        for i in 0..n {
            x[i] += alpha * p[i];
            r[i] -= alpha * ap[i];
        }
        let new: f64 = r.iter().map(|r| r * r).sum();
        let beta = new / rr;
        rr = new;
        for i in 0..n {
            p[i] = r[i] + beta * p[i];
        }
    }
    x.iter().map(|x| x * x).sum()
}

/// Descent until the forces are small; a loop with two conditions.
#[differentiate]
fn relax(a: &[f64], u0: &[f64], rate: f64, tolerance: f64, most: usize) -> f64 {
    let n = u0.len();
    let mut u = u0.to_vec();
    let mut g = vec![0.0; n];
    let mut norm = 1e300;
    let mut k = 0;
    while norm > tolerance && k < most {
        norm = 0.0;
        for i in 0..n {
            let left = if i > 0 { u[i - 1] } else { 0.0 };
            let right = if i + 1 < n { u[i + 1] } else { 0.0 };
            g[i] = 2.0 * u[i] - left - right + a[i] * u[i].sin();
            norm += g[i] * g[i];
        }
        for i in 0..n {
            u[i] -= rate * g[i];
        }
        k += 1;
    }
    let mut s = 0.0;
    for i in 0..n {
        s += u[i] * u[i] * a[i];
    }
    s
}

/// Sweeps over a grid whose arrays are exchanged; the loop ends behind its body.
#[differentiate]
fn jacobi(f: &[f64], c: f64, n: usize, m: usize, tolerance: f64) -> f64 {
    let mut u = vec![0.0; n * m];
    let mut next = vec![0.0; n * m];
    for _ in 0..3000 {
        let mut change = 0.0;
        for i in 1..n - 1 {
            for j in 1..m - 1 {
                let at = i * m + j;
                let v =
                    (u[at - 1] + u[at + 1] + u[at - m] + u[at + m] + f[at] - c * u[at] * u[at] * u[at]) / 4.5;
                change += (v - u[at]) * (v - u[at]);
                next[at] = v;
            }
        }
        std::mem::swap(&mut u, &mut next);
        if change < tolerance {
            break;
        }
    }
    u.iter().map(|u| u * u).sum()
}

/// A loop that ends in a loop that ends, with statements behind it.
#[differentiate]
fn nested(a: &[f64], u0: &[f64], outer: f64, inner: f64) -> f64 {
    let n = a.len();
    let mut u = u0.to_vec();
    let mut load = 0.5;
    for _ in 0..50 {
        if load > outer {
            break;
        }
        for _ in 0..12 {
            let mut change = 0.0;
            for i in 0..n {
                let left = if i > 0 { u[i - 1] } else { 0.0 };
                let v = 0.3 * (load * a[i] + left.sin() * 0.3 + u[i].cos());
                change += (v - u[i]) * (v - u[i]);
                u[i] = v;
            }
            if change < inner {
                break;
            }
            for i in 0..n {
                u[i] = u[i] + 0.02 * (a[i] * u[i]).sin();
            }
        }
        load += 0.3;
    }
    let mut s = 0.0;
    for i in 0..n {
        s += u[i] * u[i];
    }
    s
}

/// A matrix, a right-hand side and what is not on the diagonal.
fn system(len: usize) -> (Vec<f64>, Vec<f64>, Vec<f64>) {
    let diagonal = positive(26, len).iter().map(|x| x + 2.0).collect();
    (diagonal, random(27, len.saturating_sub(1)), random(28, len))
}

#[test]
fn gradients_of_conjugate_gradients() {
    // converged at once, after some rounds, and nothing to solve
    for (len, tolerance) in [(6, 1e-22), (1, 1e-22), (5, 1e9), (0, 1e-3), (9, 0.3), (300, 1e-18)] {
        let (d, off, b) = system(len);
        let (_, g) = solved::gradient(&d, &off, &b, tolerance);
        check(|v| solved(&v[0], &v[1], &v[2], tolerance), &[&d, &off, &b], &[&g.diagonal, &g.off, &g.b]);
    }
}

#[test]
fn rounds_are_rows_of_tapes_that_hold_a_vector_once() {
    let plan = solved::DECISIONS;
    let rows = plan.lines().filter(|line| line.contains("as many as needed * b.len() f64"));
    assert_eq!(rows.count(), 3, "{plan}");
    assert!(!plan.contains("grows as it is written"), "{plan}");
}

#[test]
fn gradient_of_a_descent_with_a_limit() {
    let (a, _, u) = system(9);
    for (tolerance, most) in [(1e-9, 1000), (1e-9, 0), (1e9, 4), (1e-9, 1), (1e-9, 7)] {
        let (_, g) = relax::gradient(&a, &u, 0.1, tolerance, most);
        check(
            |v| relax(&v[0], &v[1], v[2][0], tolerance, most),
            &[&a, &u, &[0.1]],
            &[&g.a, &g.u0, &[g.rate]],
        );
    }
}

#[test]
fn gradient_of_sweeps_over_a_grid() {
    for (n, m, tolerance) in [(5, 4, 1e-24), (2, 2, 1.0), (3, 3, 1e-20), (6, 5, 1e3), (12, 15, 1e-20)] {
        let f = random(3, n * m);
        let (_, g) = jacobi::gradient(&f, 0.1, n, m, tolerance);
        check(|v| jacobi(&v[0], v[1][0], n, m, tolerance), &[&f, &[0.1]], &[&g.f, &[g.c]]);
    }
}

#[test]
fn gradient_of_a_loop_that_ends_in_one_that_does() {
    for len in [0, 1, 6, 300] {
        let (a, _, u) = system(len);
        for (outer, inner) in [(1.2, 1e-20), (0.1, 1e-3), (0.9, 1e3), (2.0, 1e-8)] {
            let (_, g) = nested::gradient(&a, &u, outer, inner);
            check(|v| nested(&v[0], &v[1], outer, inner), &[&a, &u], &[&g.a, &g.u0]);
        }
    }
}
