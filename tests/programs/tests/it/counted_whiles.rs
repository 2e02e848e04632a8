//! `while` loops that count to a bound.

use pardiff::differentiate;
use pardiff_programs::{check, random};

/// Neighbours at growing distances: up by one, up by a step that is known when the loop begins, and down.
#[differentiate]
pub fn pairs(x: &[f64], h: usize) -> f64 {
    let n = x.len();
    let mut sum = 0.0;
    let mut i = 0;
    while i + 1 < n {
        sum += x[i] * x[i + 1];
        i += 1;
        sum += 0.5 * x[i] * x[i];
    }
    let mut start = 0;
    while start < n {
        let mut k = start;
        while k < n.min(start + h) {
            sum += x[k] * x[start];
            k += 1;
        }
        start += h;
    }
    let mut j = n as i32 - 1;
    while j >= 2 {
        sum += x[j as usize] * x[j as usize - 2] * i as f64;
        j -= 1;
    }
    sum + j as f64 * start as f64 * x[0]
}

/// Butterflies: the length is halved, the blocks are counted.
#[differentiate(wrt(re0, im0))]
pub fn spectrum(re0: &[f64], im0: &[f64], cos: &[f64], sin: &[f64]) -> f64 {
    let n = re0.len();
    let (mut re, mut im) = (re0.to_vec(), im0.to_vec());
    let mut len = n / 2;
    while len >= 1 {
        let step = n / (2 * len);
        let mut s = 0;
        while s < n {
            for k in 0..len {
                let (i, j) = (s + k, s + k + len);
                let (tr, ti) = (re[i] - re[j], im[i] - im[j]);
                re[i] += re[j];
                im[i] += im[j];
                let (c, d) = (cos[k * step], sin[k * step]);
                re[j] = tr * c - ti * d;
                im[j] = tr * d + ti * c;
            }
            s += 2 * len;
        }
        len /= 2;
    }
    re.iter().zip(&im).map(|(a, b)| (a * a + b * b).powi(2)).sum()
}

/// A place that goes on where it was in the iteration before.
#[differentiate]
pub fn shares(x: &[f64]) -> f64 {
    let mut k = 0;
    let mut sum = 0.0;
    for i in 0..x.len() {
        let end = i + 1;
        while k < end {
            sum += x[k] * x[k] * (i as f64 + 1.0);
            k += 1;
        }
    }
    sum * sum
}

/// Down to a bound that may be the last number of its type.
#[differentiate(wrt(x))]
pub fn above(x: &[f64], bound: usize, last: i32) -> f64 {
    let mut product = 1.0;
    let mut i = x.len();
    while i > bound {
        product += x[i - 1] * product;
        i -= 1;
    }
    let mut j = x.len() as i32 - 1;
    while j > last {
        product += x[j as usize] * product;
        j -= 1;
    }
    product * (1.0 + i as f64)
}

/// Steps of a counter with a sign, further than its type counts.
#[differentiate(wrt(x))]
pub fn far(x: &[f64], from: i32, to: i32) -> f64 {
    let mut sum = 1.0;
    let mut at = from;
    while at < to {
        sum += x[(at % 7).unsigned_abs() as usize] * sum;
        at += 500_000_000;
    }
    sum * (1.0 + f64::from(at) * 1e-9)
}

#[test]
fn counters_that_go_on() {
    for n in [0, 1, 2, 9, 33] {
        let x = random(1, n);
        let (value, gradient) = shares::gradient(&x);
        assert!((value - shares(&x)).abs() <= 1e-12 * value.abs(), "{n}");
        check(|v| shares(&v[0]), &[&x], &[&gradient.x]);
    }
}

#[test]
fn bounds_at_the_ends_of_types() {
    let x = random(1, 7);
    for (bound, last) in [(0, -1), (3, 4), (usize::MAX, i32::MAX), (usize::MAX, 2)] {
        let (value, gradient) = above::gradient(&x, bound, last);
        assert_eq!(value, above(&x, bound, last), "{bound} {last}");
        check(|v| above(&v[0], bound, last), &[&x], &[&gradient.x]);
    }
    for (from, to) in [(-2_000_000_000, 1_600_000_000), (i32::MAX, i32::MIN), (-3, 4), (0, 1_500_000_000)] {
        let (value, gradient) = far::gradient(&x, from, to);
        assert_eq!(value, far(&x, from, to), "{from} {to}");
        check(|v| far(&v[0], from, to), &[&x], &[&gradient.x]);
    }
}

#[test]
fn gradients() {
    for (n, h) in [(1, 1), (2, 3), (9, 4), (300, 1), (300, 7)] {
        let x = random(1, n);
        let (_, gradient) = pairs::gradient(&x, h);
        check(|v| pairs(&v[0], h), &[&x], &[&gradient.x]);
    }
    let n = 16;
    let angle = |k: usize| -2.0 * std::f64::consts::PI * k as f64 / n as f64;
    let cos: Vec<f64> = (0..n / 2).map(|k| angle(k).cos()).collect();
    let sin: Vec<f64> = (0..n / 2).map(|k| angle(k).sin()).collect();
    let (re, im) = (random(2, n), random(3, n));
    let (_, gradient) = spectrum::gradient(&re, &im, &cos, &sin);
    check(|v| spectrum(&v[0], &v[1], &cos, &sin), &[&re, &im], &[&gradient.re0, &gradient.im0]);
}

#[test]
fn iterations_run_beside_each_other() {
    assert!(pairs::PLAN.contains("in parallel"), "{}", pairs::PLAN);
    assert!(!pairs::DECISIONS.contains("while"), "{}", pairs::DECISIONS);
}

#[test]
#[should_panic(expected = "does not move")]
fn a_loop_that_never_ends_is_told() {
    let _ = pairs::gradient(&[1.0, 2.0], 0);
}
