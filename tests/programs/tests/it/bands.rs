//! Bands around the rows of several matrices, cut off by a condition: matrices are apart where no index wraps.

use pardiff::differentiate;
use pardiff_programs::{assert_near, check, random};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Squares of the products of each row with those near it, in steps that differ between the matrices.
#[differentiate(wrt(k))]
fn near(q: &[f64], k: &[f64], heads: usize, n: usize, d: usize) -> f64 {
    let mut total = 0.0;
    for h in 0..heads {
        let step = if h < 1 { 2 } else { 1 };
        for i in 0..n {
            for t in 0..7 {
                let j = (i + t * step) as i64 - (3 * step) as i64;
                if j >= 0 && j < n as i64 {
                    let row = (h * n + j as usize) * d;
                    let mut product = 0.0;
                    for x in 0..d {
                        product += q[(h * n + i) * d + x] * k[row + x];
                    }
                    total += product * product;
                }
            }
        }
    }
    total
}

#[test]
fn rows_near_each_row() {
    assert!(near::DECISIONS.contains("no index wraps"), "{}", near::DECISIONS);
    assert!(!near::DECISIONS.contains("private copies"), "{}", near::DECISIONS);
    for (heads, n, d) in [(0, 3, 2), (1, 1, 1), (2, 5, 3), (3, 9, 2), (2, 2, 9), (3, 0, 4), (2, 4, 0)] {
        let (q, k) = (random(1, heads * n * d), random(2, heads * n * d));
        let (value, gradient) = near::gradient(&q, &k, heads, n, d);
        assert_near(&[value], &[near(&q, &k, heads, n, d)]);
        check(|v| near(&q, &v[0], heads, n, d), &[&k], &[&gradient.k]);
    }
    // tasks
    let (heads, n, d) = (5, 700, 16);
    let (q, k) = (random(1, heads * n * d), random(2, heads * n * d));
    let (value, gradient) = near::gradient(&q, &k, heads, n, d);
    assert_near(&[value], &[near(&q, &k, heads, n, d)]);
    let mut expected = vec![0.0; k.len()];
    for h in 0..heads {
        let step = if h < 1 { 2 } else { 1 };
        for (i, t) in (0..n).flat_map(|i| (0..7).map(move |t| (i, t))) {
            let Some(j) = (i + t * step).checked_sub(3 * step).filter(|&j| j < n) else { continue };
            let (at, to) = ((h * n + i) * d, (h * n + j) * d);
            let product: f64 = (0..d).map(|x| q[at + x] * k[to + x]).sum();
            (0..d).for_each(|x| expected[to + x] += 2.0 * product * q[at + x]);
        }
    }
    assert_near(&gradient.k, &expected);
}

#[test]
fn sizes_for_which_an_index_wraps_fail_as_the_function_does() {
    let (q, k) = (random(1, 64), random(2, 64));
    for (heads, n, d) in [(2, 5, 7), (3, 1 << 62, 4), (1 << 62, 4, 4), (usize::MAX, 3, 5)] {
        let plain = catch_unwind(|| near(&q, &k, heads, n, d)).is_err();
        let mut d_k = vec![0.0; 64];
        let gradient = catch_unwind(AssertUnwindSafe(|| near::grad(&q, &k, &mut d_k, heads, n, d)));
        assert_eq!((plain, gradient.is_err()), (true, true), "{heads} {n} {d}");
    }
}
