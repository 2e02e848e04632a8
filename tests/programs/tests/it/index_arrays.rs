//! Rows that an index array names, that two arrays delimit, or that a counter finds: in tasks where a check at run time
//! says that iterations do not meet, in order where they do; the same bits at any number of threads.

use pardiff::differentiate;
use pardiff_programs::{check, dot, random};

/// Mixes rows of `x` into the rows of `y` that `order` names.
#[differentiate]
pub fn mix(order: &[u32], x: &[f64], w: &[f64], y: &mut [f64], d: usize) {
    for i in 0..order.len() {
        let row = order[i] as usize;
        for j in 0..d {
            y[row * d + j] = (x[i * d + j] * w[j]).sin() * y[row * d + j] + x[i * d + j];
        }
    }
}

/// The mean distance from a row's centre, for rows from `start` up to `end`.
#[differentiate]
pub fn spread(start: &[i32], end: &[i32], x: &mut [f64]) -> f64 {
    let mut all = 0.0;
    for i in 0..start.len() {
        let mut centre = 0.0;
        for k in start[i] as usize..end[i] as usize {
            centre += x[k] / (end[i] - start[i]) as f64;
        }
        for k in start[i] as usize..end[i] as usize {
            x[k] = (x[k] - centre).cos();
            all += x[k] * x[k];
        }
    }
    all
}

/// Curves, each written behind the one before.
#[differentiate]
pub fn curves(more: &[usize], x: &[f64], y: &mut [f64]) {
    let mut p = 0;
    for i in 0..more.len() {
        let mut s = (x[i] * x[i]).exp().sin() * x[i].cos();
        for k in 0..20 {
            s += (x[i] * k as f64).sin();
        }
        y[p] = s;
        p += 1 + more[i];
    }
}

/// Keeps some of the terms, one behind the other.
#[differentiate]
pub fn keep(kept: &[bool], x: &[f64], y: &mut [f64]) {
    let mut k = 0;
    for i in 0..kept.len() {
        if kept[i] {
            let mut s = x[i].exp();
            for j in 0..20 {
                s += (x[i] * j as f64).sin();
            }
            y[k] = s * s;
            k += 1;
        }
    }
}

/// What `run` gives on several numbers of threads, which has the same bits on each.
fn on_threads(run: impl Fn() -> Vec<f64> + Sync) -> Vec<f64> {
    let mut all = [1, 2, 3, 5].map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        pool.install(&run)
    });
    let bits = |list: &[f64]| list.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
    assert!(all.windows(2).all(|pair| bits(&pair[0]) == bits(&pair[1])), "the bits depend on the threads");
    std::mem::take(&mut all[0])
}

/// Checks a gradient along one direction.
fn check_along(value: impl Fn(&[f64]) -> f64, at: &[f64], gradient: &[f64], seed: u64) {
    let direction = random(seed, at.len());
    let moved = |t: f64| at.iter().zip(&direction).map(|(x, d)| x + t * d).collect::<Vec<_>>();
    check(|v| value(&moved(v[0][0])), &[&[0.0]], &[&[dot(gradient, &direction)]]);
}

/// `0..n` in another order, for odd `n`.
fn permutation(n: u32) -> Vec<u32> {
    (0..n).map(|i| (i * 2 + 5) % n).collect()
}

#[test]
fn rows_that_an_index_array_names() {
    assert!(
        mix::DECISIONS.contains("checked when it runs: no value of `order` comes twice"),
        "{}",
        mix::DECISIONS
    );
    let (n, d) = (501, 7);
    let repeated: Vec<u32> = (0..n).map(|i| i * i % 97).collect();
    for order in [permutation(n), repeated, vec![3; n as usize]] {
        let len = n as usize * d;
        let (x, w, y, seed) = (random(1, len), random(2, d), random(3, len), random(4, len));
        let run = |x: &[f64], w: &[f64], y: &[f64]| {
            let mut y = y.to_vec();
            mix(&order, x, w, &mut y, d);
            y
        };
        let found = on_threads(|| {
            let (mut out, mut d_y) = (y.clone(), seed.clone());
            let (mut d_x, mut d_w) = (vec![0.0; len], vec![0.0; d]);
            mix::vjp(&order, &x, &mut d_x, &w, &mut d_w, &mut out, &mut d_y, d);
            [out, d_x, d_w, d_y].concat()
        });
        let (out, gradients) = found.split_at(len);
        pardiff_programs::assert_near(out, &run(&x, &w, &y));
        check_along(|x| dot(&run(x, &w, &y), &seed), &x, &gradients[..len], 5);
        check_along(|w| dot(&run(&x, w, &y), &seed), &w, &gradients[len..len + d], 6);
        check_along(|y| dot(&run(&x, &w, y), &seed), &y, &gradients[len + d..], 7);
    }
}

#[test]
#[should_panic(expected = "mix: index out of range in `y[row * d + j]`")]
fn a_row_beyond_the_array_panics_as_in_the_primal() {
    let mut order = permutation(501);
    order[77] = u32::MAX;
    let (x, w) = (random(1, 501 * 7), random(2, 7));
    mix::value(&order, &x, &w, &mut vec![0.0; 501 * 7], 7);
}

#[test]
fn rows_between_two_arrays() {
    assert!(
        spread::DECISIONS.contains("checked when it runs: rows by `start` and `end` do not overlap"),
        "{}",
        spread::DECISIONS
    );
    let n = 400;
    let start: Vec<i32> = (0..n).map(|i| i * 10).collect();
    let end: Vec<i32> = (0..n).map(|i| i * 10 + i % 11).collect();
    let overlapping: Vec<i32> = (0..n).map(|i| i * 10 + i % 17).collect();
    for end in [&end, &overlapping] {
        let x = random(1, 4100);
        let run = |x: &[f64]| spread(&start, end, &mut x.to_vec());
        let found = on_threads(|| {
            let (mut out, mut d_x) = (x.clone(), vec![0.0; x.len()]);
            let value = spread::grad(&start, end, &mut out, &mut d_x);
            [vec![value], d_x].concat()
        });
        assert!((found[0] - run(&x)).abs() < 1e-9 * run(&x));
        check_along(run, &x, &found[1..], 2);
    }
}

#[test]
fn terms_that_a_counter_keeps() {
    assert!(keep::DECISIONS.contains("no value of `k_tape` comes twice"), "{}", keep::DECISIONS);
    let kept: Vec<bool> = (0..601).map(|i| i * i % 7 < 3).collect();
    let (x, seed) = (random(1, 601), random(2, 601));
    let run = |x: &[f64]| {
        let mut y = vec![0.0; 601];
        keep(&kept, x, &mut y);
        y
    };
    let found = on_threads(|| {
        let (mut d_x, mut d_y) = (vec![0.0; x.len()], seed.clone());
        keep::vjp(&kept, &x, &mut d_x, &mut vec![0.0; 601], &mut d_y);
        d_x
    });
    check_along(|x| dot(&run(x), &seed), &x, &found, 3);
}

#[test]
fn rows_that_a_counter_finds() {
    assert!(curves::DECISIONS.contains("no value of `p_tape` comes twice"), "{}", curves::DECISIONS);
    let more: Vec<usize> = (0..601).map(|i| i % 3).collect();
    let (x, len) = (random(1, 601), 601 * 2 + 1);
    let seed = random(2, len);
    let run = |x: &[f64]| {
        let mut y = vec![0.0; len];
        curves(&more, x, &mut y);
        y
    };
    let found = on_threads(|| {
        let (mut d_x, mut d_y) = (vec![0.0; x.len()], seed.clone());
        curves::vjp(&more, &x, &mut d_x, &mut vec![0.0; len], &mut d_y);
        d_x
    });
    check_along(|x| dot(&run(x), &seed), &x, &found, 3);
}
