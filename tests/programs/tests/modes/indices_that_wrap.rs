//! Indices in locals that hold what is left of a sum which has wrapped around: rows and columns of that sum do not say
//! which element it is, whatever conditions say of the local. And sizes that would wrap, where nothing counts to them.

use crate::rayon_iterators::on_threads;
use pardiff::differentiate;
use pardiff_programs::{check, random};

/// Sizes for which rows far apart begin near each other: two rows on are two elements on, or as many as that.
const SIZES: [usize; 6] =
    [usize::MAX / 2 + 2, usize::MAX / 2 + 3, usize::MAX / 4 + 2, usize::MAX - 1, 3, usize::MAX / 3 + 1];

/// Elements that change where they are, of rows that are not rows.
#[differentiate(wrt(x, y))]
pub fn scaled(x: &[f64], y: &[f64], k: usize) -> f64 {
    let mut out = y.to_vec();
    for i in 0..x.len() {
        for j in 0..8 {
            if j < k {
                let q = i.wrapping_mul(k).wrapping_add(j);
                if q < out.len() {
                    out[q] = out[q] * x[i] + 0.1 * j as f64;
                }
            }
        }
    }
    out.iter().map(|v| v * v).sum()
}

/// The same of elements that are only read.
#[differentiate(wrt(x, y))]
pub fn weighted(x: &[f64], y: &[f64], k: usize) -> f64 {
    let mut total = 0.0;
    for i in 0..x.len() {
        for j in 0..8 {
            if j < k {
                let q = i.wrapping_mul(k).wrapping_add(j);
                if q < y.len() {
                    total += y[q] * y[q] * x[i];
                }
            }
        }
    }
    total
}

/// A column that a condition bounds, of rows that are bounded by nothing, in a plane of three indices.
#[differentiate(wrt(x, y))]
pub fn shifted(x: &[f64], y: &[f64], n: usize, d: usize) -> f64 {
    let mut out = y.to_vec();
    for h in 0..x.len() {
        for i in 0..4 {
            for t in 0..3 {
                let j = (i + t) as isize - 1;
                if j >= 0 && j < n as isize {
                    let row = h.wrapping_mul(n).wrapping_add(j as usize).wrapping_mul(d);
                    for e in 0..d.min(2) {
                        let q = row.wrapping_add(e);
                        if q < out.len() {
                            out[q] = out[q] * x[h] + 0.1 * t as f64;
                        }
                    }
                }
            }
        }
    }
    out.iter().map(|v| v * v).sum()
}

/// Steps back around a ring, of a difference that has wrapped: some meet.
#[differentiate(wrt(x))]
pub fn rings_that_meet(x: &[f64]) -> f64 {
    let n = x.len();
    let mut y = vec![1.0; n];
    for i in 0..n {
        let k = i.wrapping_sub(5).rem_euclid(n);
        y[k] += x[i] * y[k];
    }
    y.iter().map(|v| v * v).sum()
}

/// Neighbours up to a limit that may be the end of the type.
#[differentiate(wrt(x))]
pub fn limited(x: &[f64], limit: usize) -> f64 {
    let mut total = 0.0;
    for i in 0..x.len() {
        for d in 0..3 {
            if i + d <= x.len() {
                total += x[(i + d).saturating_sub(1).min(limit)] * x[i];
            }
        }
    }
    total * total
}

#[test]
fn rings_and_limits_have_their_gradient() {
    for n in [1, 2, 3, 7, 300] {
        let x = random(1, n);
        on_threads(|| {
            let (value, gradient) = rings_that_meet::gradient(&x);
            assert!((value - rings_that_meet(&x)).abs() <= 1e-12 * value.abs(), "{n}");
            check(|v| rings_that_meet(&v[0]), &[&x], &[&gradient.x]);
            gradient.x
        });
        for limit in [0, n / 2, n - 1, usize::MAX] {
            let (_, gradient) = limited::gradient(&x, limit);
            check(|v| limited(&v[0], limit), &[&x], &[&gradient.x]);
        }
    }
}

#[test]
fn elements_that_change_have_their_gradient() {
    let (x, y) = (random(1, 40), random(2, 30));
    for k in SIZES {
        on_threads(|| {
            let (value, gradient) = scaled::gradient(&x, &y, k);
            assert!((value - scaled(&x, &y, k)).abs() < 1e-12 * value.abs(), "{k}");
            check(|v| scaled(&v[0], &v[1], k), &[&x, &y], &[&gradient.x, &gradient.y]);
            [gradient.x, gradient.y].concat()
        });
    }
}

#[test]
fn elements_that_are_read_have_their_gradient() {
    let (x, y) = (random(1, 400), random(2, 300));
    for k in SIZES {
        on_threads(|| {
            let (_, gradient) = weighted::gradient(&x, &y, k);
            check(|v| weighted(&v[0], &v[1], k), &[&x, &y], &[&gradient.x, &gradient.y]);
            [gradient.x, gradient.y].concat()
        });
    }
}

#[test]
fn columns_that_conditions_bound_have_their_gradient() {
    let (x, y) = (random(1, 9), random(2, 30));
    for (n, d) in [(usize::MAX / 4 + 2, 2), (4, usize::MAX / 8 + 2), (usize::MAX / 4 + 2, 1), (5, 2)] {
        on_threads(|| {
            let (_, gradient) = shifted::gradient(&x, &y, n, d);
            check(|v| shifted(&v[0], &v[1], n, d), &[&x, &y], &[&gradient.x, &gradient.y]);
            [gradient.x, gradient.y].concat()
        });
    }
}

/// Rows with their neighbours, in calls in which there is anything to weigh them with.
#[differentiate(wrt(x, w))]
pub fn blurred(x: &[f64], w: &[f64], h: usize) -> f64 {
    let mut total = 0.0;
    for r in 0..2 {
        if w.len() == 6 {
            for i in 0..h {
                for d in 0..3 {
                    if i + d >= 1 && i + d < h + 1 {
                        let y = w[3 * r + d] * x[i + d - 1];
                        total += y * y;
                    }
                }
            }
        }
    }
    total
}

#[test]
fn a_size_that_nothing_counts_to_may_be_as_large_as_it_likes() {
    let x = random(1, 5);
    for (w, h) in [(random(2, 6), 5), (random(2, 6), 1), (Vec::new(), 5), (Vec::new(), usize::MAX)] {
        let (value, gradient) = blurred::gradient(&x, &w, h);
        assert!((value - blurred(&x, &w, h)).abs() < 1e-12, "{h}");
        check(|v| blurred(&v[0], &v[1], h), &[&x, &w], &[&gradient.x, &gradient.w]);
    }
}

/// Columns up to a difference, of rows that are as long: what a column gets is not known in front of its loop. Without
/// overflow checks `n - 1` is this difference.
#[differentiate(wrt(x))]
pub fn halved(x: &[f64], m: usize, n: usize) -> f64 {
    let mut y = vec![0.0; m * n + 8];
    for i in 0..m {
        for j in 1..n.wrapping_sub(1) {
            let mut t = x[j] * (1.0 + i as f64);
            while t > 1.0 {
                t = t.sqrt();
            }
            y[i * n + j] += t;
        }
    }
    y.iter().map(|v| v * v).sum()
}

#[test]
fn a_loop_whose_end_is_below_zero_is_none_that_tasks_begin() {
    let x = random(3, 9);
    for (m, n) in [(0, 1), (3, 1), (1, 2), (4, 9), (40, 5)] {
        let (value, g) = halved::gradient(&x, m, n);
        let expected = halved(&x, m, n);
        assert!((value - expected).abs() < 1e-12 * (1.0 + expected.abs()), "{value} {expected}");
        check(|v| halved(&v[0], m, n), &[&x], &[&g.x]);
    }
    // nothing comes to the loop
    assert_eq!(halved::gradient(&x, 0, 0).1.x, [0.0; 9]);
    let panic =
        std::panic::catch_unwind(|| halved::gradient(&x, 3000, 0)).expect_err("the loop does not end");
    let text = panic.downcast_ref::<String>().map_or("", |text| text);
    assert!(text.contains("halved") && text.contains("the end of a loop is below zero"), "{text}");
}
