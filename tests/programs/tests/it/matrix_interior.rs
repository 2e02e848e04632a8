//! The elements of a matrix without its borders, by flat indices: rows are apart where no index wraps.

use pardiff::differentiate;
use pardiff_programs::{assert_near, check, dot, random};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// One step of each inner element.
#[differentiate]
fn step(u: &[f64], k: &[f64], y: &mut [f64], n: usize) {
    for i in 1..n - 1 {
        for j in 1..n - 1 {
            y[i * n + j] = u[i * n + j] + k[i * n + j] * (u[i * n + j] * u[i * n + j]).sin();
        }
    }
}

/// Rows from a number on, in steps over time.
#[differentiate]
fn rounds(u: &[f64], k: &[f64], n: usize, first: usize, steps: usize) -> f64 {
    let mut now = u.to_vec();
    let mut next = u.to_vec();
    for _ in 0..steps {
        for i in first..n {
            for j in 0..n {
                next[i * n + j] = now[i * n + j] * k[i * n + j];
            }
        }
        std::mem::swap(&mut now, &mut next);
    }
    let mut total = 0.0;
    for i in 0..u.len() {
        total += now[i] * now[i];
    }
    total
}

/// The same neighbours, by an index that has a name.
#[differentiate]
fn named(u: &[f64], k: &[f64], y: &mut [f64], n: usize) {
    for i in 1..n - 1 {
        let row = i * n;
        for j in 1..n - 1 {
            let c = row + j;
            y[c] = u[c] + k[c] * (u[c - n] + u[c + n] - u[c - 1] * u[c + 1]).sin();
        }
    }
}

#[test]
fn an_index_may_have_a_name() {
    assert!(!named::DECISIONS.contains("may write"), "{}", named::DECISIONS);
    for n in [1, 2, 3, 4, 5, 7] {
        let (u, k, y, seed) = (random(1, n * n), random(2, n * n), random(3, n * n), random(4, n * n));
        let value = |v: &[Vec<f64>]| {
            let mut y = v[2].clone();
            named(&v[0], &v[1], &mut y, n);
            dot(&y, &seed)
        };
        let (mut d_u, mut d_k, mut out, mut d_y) =
            (vec![0.0; n * n], vec![0.0; n * n], y.clone(), seed.clone());
        named::vjp(&u, &mut d_u, &k, &mut d_k, &mut out, &mut d_y, n);
        check(value, &[&u, &k, &y], &[&d_u, &d_k, &d_y]);
    }
    // the primal goes out of range where the gradient does
    let (u, k) = (random(1, 14), random(2, 16));
    let run = || named::value(&u, &k, &mut [0.0; 16], 4);
    assert!(catch_unwind(AssertUnwindSafe(run)).is_err());
    assert!(catch_unwind(AssertUnwindSafe(|| named(&u, &k, &mut [0.0; 16], 4))).is_err());
}

#[test]
fn inner_elements() {
    for n in [1, 2, 3, 7, 150] {
        let (u, k, y, seed) = (random(1, n * n), random(2, n * n), random(3, n * n), random(4, n * n));
        let value = |v: &[Vec<f64>]| {
            let mut y = v[2].clone();
            step(&v[0], &v[1], &mut y, n);
            dot(&y, &seed)
        };
        let (mut d_u, mut d_k, mut out, mut d_y) =
            (vec![0.0; n * n], vec![0.0; n * n], y.clone(), seed.clone());
        step::vjp(&u, &mut d_u, &k, &mut d_k, &mut out, &mut d_y, n);
        let mut plain = y.clone();
        step(&u, &k, &mut plain, n);
        assert_near(&out, &plain);
        if n < 10 {
            check(value, &[&u, &k, &y], &[&d_u, &d_k, &d_y]);
        } else {
            let of = |p: usize| (p / n, p % n);
            for p in (0..n * n).step_by(37) {
                let inner = |q: usize| q > 0 && q < n - 1;
                let (i, j) = of(p);
                let (d_k_p, d_y_p) = match inner(i) && inner(j) {
                    true => (seed[p] * (u[p] * u[p]).sin(), 0.0),
                    false => (0.0, seed[p]),
                };
                assert_near(&[d_k[p], d_y[p]], &[d_k_p, d_y_p]);
            }
        }
    }
    assert!(step::DECISIONS.contains("no index wraps"), "{}", step::DECISIONS);
}

#[test]
fn rows_from_a_number_on() {
    for (n, first, steps) in [(5, 2, 3), (4, 4, 2), (6, 0, 0), (3, 1, 4)] {
        let (u, k) = (random(5, n * n), random(6, n * n));
        let (_, gradient) = rounds::gradient(&u, &k, n, first, steps);
        check(|v| rounds(&v[0], &v[1], n, first, steps), &[&u, &k], &[&gradient.u, &gradient.k]);
    }
}

#[test]
fn sizes_for_which_an_index_wraps_fail_as_the_function_does() {
    let (u, k, seed) = (random(1, 16), random(2, 16), random(3, 16));
    for n in [0, 5, 1 << 31, 1 << 62, 1 << 63, (1 << 63) + 1, usize::MAX - 1, usize::MAX] {
        let plain = catch_unwind(|| step(&u, &k, &mut seed.clone(), n)).is_err();
        let mut d = [vec![0.0; 16], vec![0.0; 16]];
        let [d_u, d_k] = &mut d;
        let gradient = catch_unwind(AssertUnwindSafe(|| {
            step::vjp(&u, d_u, &k, d_k, &mut seed.clone(), &mut seed.clone(), n);
        }));
        assert_eq!((plain, gradient.is_err()), (true, true), "{n}");
    }
}
