//! Programs of tasks: `rayon::join` and `rayon::scope`, nested, in helpers, and as a recursion of fixed depth.
//! Gradients against finite differences, the same bits at any number of threads, and plans that keep the tasks.

use crate::rayon_iterators::{assert_parallel, on_threads};
use pardiff::differentiate;
use pardiff_programs::{check, dot, positive, random};

/// Two sums at once.
#[differentiate]
pub fn two_moments(x: &[f64], y: &[f64]) -> f64 {
    let (a, b) = rayon::join(
        || x.iter().map(|v| v.sin() * v).sum::<f64>(),
        || {
            let mut s = 0.0;
            for (v, w) in y.iter().zip(x) {
                s += v * w.exp();
            }
            s
        },
    );
    a * b
}

#[test]
fn values_of_two_tasks() {
    let (x, y) = (random(1, 7), random(2, 7));
    let (value, g) = two_moments::gradient(&x, &y);
    assert!((value - two_moments(&x, &y)).abs() < 1e-14);
    check(|v| two_moments(&v[0], &v[1]), &[&x, &y], &[&g.x, &g.y]);
    assert_parallel(two_moments::DECISIONS);
    let (x, y) = (random(3, 60_000), random(4, 60_000));
    on_threads(|| {
        let (value, g) = two_moments::gradient(&x, &y);
        [vec![value], g.x, g.y].concat()
    });
}

/// A sum over a tree of tasks.
#[differentiate]
pub fn tree_sum(x: &[f64]) -> f64 {
    fn sum(x: &[f64], depth: usize) -> f64 {
        if depth == 0 {
            let mut s = 0.0;
            for v in x {
                s += v.exp() * v;
            }
            s
        } else {
            let (a, b) = x.split_at(x.len() / 2);
            let (p, q) = rayon::join(|| sum(a, depth - 1), || sum(b, depth - 1));
            p + q
        }
    }
    sum(x, 3)
}

#[test]
fn recursion_of_fixed_depth() {
    for n in [0, 1, 13] {
        let x = random(5, n);
        let (value, g) = tree_sum::gradient(&x);
        assert!((value - tree_sum(&x)).abs() < 1e-13);
        check(|v| tree_sum(&v[0]), &[&x], &[&g.x]);
    }
    let plan = tree_sum::DECISIONS;
    assert_parallel(plan);
    assert!(plan.contains("for task in 0..8"), "{plan}");
    let x = random(6, 80_000);
    on_threads(|| tree_sum::gradient(&x).1.x);
}

/// Halves of an array, in place, by tasks that write.
#[differentiate]
pub fn halves(x: &[f64], y: &mut [f64]) {
    let middle = y.len() / 2;
    let (low, high) = y.split_at_mut(middle);
    rayon::join(
        || {
            for (v, w) in low.iter_mut().zip(x) {
                *v = *v * w.sin();
            }
        },
        || {
            for (k, v) in high.iter_mut().enumerate() {
                *v += x[k] * x[k];
            }
        },
    );
}

#[test]
fn tasks_that_write_halves() {
    let run = |n: usize| {
        let (x, mut y, mut d_x, mut d_y) = (random(1, n), random(2, n), vec![0.0; n], random(3, n));
        halves::vjp(&x, &mut d_x, &mut y, &mut d_y);
        [y, d_x, d_y]
    };
    let (x, y, seed) = (random(1, 9), random(2, 9), random(3, 9));
    let [_, d_x, d_y] = run(9);
    let value = |v: &[Vec<f64>]| {
        let mut y = v[1].clone();
        halves(&v[0], &mut y);
        dot(&y, &seed)
    };
    check(value, &[&x, &y], &[&d_x, &d_y]);
    assert_parallel(halves::DECISIONS);
    on_threads(|| run(70_001).concat());
}

/// A scope of tasks, some of which are started in a loop.
#[differentiate]
pub fn in_a_scope(x: &[f64], scale: f64, y: &mut [f64], rows: usize) -> f64 {
    let mut total = 0.0;
    let mut largest = 0.0;
    rayon::scope(|s| {
        s.spawn(|_| {
            for v in x {
                total += v * v * scale;
            }
        });
        s.spawn(|_| {
            for v in x {
                largest += v.cos();
            }
        });
        for (k, row) in y.chunks_exact_mut(rows).enumerate() {
            s.spawn(move |_| {
                for (j, v) in row.iter_mut().enumerate() {
                    *v = *v * x[j] * scale + k as f64;
                }
            });
        }
    });
    total * largest
}

#[test]
fn tasks_of_a_scope() {
    let run = |n: usize, rows: usize| {
        let (x, mut y, mut d_x, mut d_y) = (positive(1, n), random(2, n), vec![0.0; n], random(3, n));
        let mut d_scale = 0.0;
        let value = in_a_scope::vjp(&x, &mut d_x, 0.7, &mut d_scale, &mut y, &mut d_y, rows, 1.5);
        [y, d_x, d_y, vec![d_scale, value]]
    };
    let (x, y, seed) = (positive(1, 8), random(2, 8), random(3, 8));
    let [_, d_x, d_y, of_scale] = run(8, 3);
    let value = |v: &[Vec<f64>]| {
        let mut y = v[1].clone();
        1.5 * in_a_scope(&v[0], v[2][0], &mut y, 3) + dot(&y, &seed)
    };
    check(value, &[&x, &y, &[0.7]], &[&d_x, &d_y, &of_scale[..1]]);
    let plan = in_a_scope::DECISIONS;
    assert!(plan.contains("the user's rayon tasks"), "{plan}");
    on_threads(|| run(50_000, 500).concat());
}

/// Tasks in a helper, inside of a loop over time, with parallel iterators inside of tasks.
#[differentiate]
pub fn two_fields(u: &mut [f64], v: &mut [f64], steps: usize) -> f64 {
    fn energy(a: &[f64], b: &[f64]) -> (f64, f64) {
        rayon::join(|| a.iter().map(|a| a * a).sum(), || b.iter().map(|b| b.powi(3)).sum())
    }
    let mut total = 0.0;
    for _ in 0..steps {
        let (e, c) = energy(u, v);
        total += e * c;
        rayon::join(
            || u.iter_mut().for_each(|u| *u = (*u + 0.1 * e).sin()),
            || v.iter_mut().for_each(|v| *v = *v * 0.9 + 0.05 * c),
        );
    }
    total
}

#[test]
fn tasks_in_time() {
    let run = |n: usize| {
        let (mut u, mut v) = (random(1, n), random(2, n));
        let (mut d_u, mut d_v) = (random(3, n), random(4, n));
        let value = two_fields::vjp(&mut u, &mut d_u, &mut v, &mut d_v, 3, 0.5);
        [u, d_u, v, d_v, vec![value]]
    };
    let (u, v, seed_u, seed_v) = (random(1, 5), random(2, 5), random(3, 5), random(4, 5));
    let [_, d_u, _, d_v, _] = run(5);
    let value = |w: &[Vec<f64>]| {
        let (mut u, mut v) = (w[0].clone(), w[1].clone());
        0.5 * two_fields(&mut u, &mut v, 3) + dot(&u, &seed_u) + dot(&v, &seed_v)
    };
    check(value, &[&u, &v], &[&d_u, &d_v]);
    assert!(two_fields::DECISIONS.contains("rayon"), "{}", two_fields::DECISIONS);
    on_threads(|| run(3000).concat());
}
