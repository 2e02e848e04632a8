//! Forms of statements: deferred `let`s, destructuring assignments, flags, labels, nested blocks.

use pardiff::differentiate;
use pardiff_programs::{check, random};

#[differentiate]
pub fn branches(x: &[f64], k: usize) -> f64 {
    let y;
    if x[0] > 0.5 {
        y = x[1] * x[0];
    } else if x[0] > 0.0 {
        y = -x[1];
    } else {
        y = (x[0] + x[1]).exp();
    }
    let z: f64;
    z = y * y;
    z + if k == 3 {
        1.0
    } else if k > 4 {
        x[2]
    } else {
        -(x[2] - -x[0])
    }
}

#[differentiate]
pub fn recurrence(x: &[f64]) -> f64 {
    let (mut a, mut b) = (x[0], x[1]);
    for i in 0..x.len() {
        (a, b) = (b, a * 0.5 + x[i]);
    }
    let ((p, q), r) = ((a * b, a + b), b);
    let t = (p, (q, r));
    t.0 * t.1.0 + (t.1).1
}

#[differentiate]
pub fn flags(x: &[f64], flag: bool) -> f64 {
    let mut s = 0.0;
    let mut seen = false;
    for i in 0..x.len() {
        let big = x[i] > 0.0 && !flag || i == 2;
        if big ^ seen {
            s += x[i] * x[i];
        }
        seen |= big;
        seen = seen && i % 2 == 0;
    }
    if seen { s * 2.0 } else { s }
}

#[differentiate]
pub fn records(x: &[f64]) -> f64 {
    let mut s = 0.0;
    'outer: for i in 0..x.len() {
        for j in 0..i {
            if x[j] > x[i] {
                continue 'outer;
            }
            s += x[i] * x[j];
        }
        s *= 1.1;
    }
    s
}

#[differentiate]
pub fn pairs(x: &[f64]) -> f64 {
    let last = x.len() - 1;
    let mut s = 0.0;
    for i in 0..=last {
        for j in (i..=last).rev().step_by(2) {
            s += x[i] * x[j] / (1 + j - i) as f64;
        }
    }
    s
}

#[differentiate]
pub fn positive_sum(x: &[f64]) -> f64 {
    let s = {
        let mut t = 0.0;
        {
            let u = x[0];
            t += u;
        }
        for i in 1..x.len() {
            if x[i] > 0.0 {
                t += x[i];
            }
        }
        t * t
    };
    s
}

#[differentiate]
pub fn softened(x: &[f64], n: usize) -> f64 {
    const EPS: f64 = 1e-3;
    fn soft(x: f64, k: f64) -> f64 {
        const TWO: f64 = 2.0;
        (x * x + k * TWO).sqrt()
    }
    let mut total = 0.;
    for n in 0..n {
        let x = soft(x[n], EPS);
        total += x;
    }
    total
}

#[test]
fn deferred_lets_and_chains_of_ifs() {
    for k in [1, 3, 9] {
        let x = random(k as u64, 6);
        let mut d_x = vec![0.0; x.len()];
        let value = branches::grad(&x, &mut d_x, k);
        assert_eq!(value, branches(&x, k));
        check(|v| branches(&v[0], k), &[&x], &[&d_x]);
    }
}

#[test]
fn destructuring_assignments() {
    let x = random(7, 6);
    let mut d_x = vec![0.0; x.len()];
    let value = recurrence::grad(&x, &mut d_x);
    assert_eq!(value, recurrence(&x));
    check(|v| recurrence(&v[0]), &[&x], &[&d_x]);
}

#[test]
fn boolean_locals() {
    for flag in [true, false] {
        let x = random(7, 6);
        let mut d_x = vec![0.0; x.len()];
        let value = flags::grad(&x, &mut d_x, flag);
        assert_eq!(value, flags(&x, flag));
        check(|v| flags(&v[0], flag), &[&x], &[&d_x]);
    }
}

#[test]
fn labelled_continue() {
    let x = random(7, 6);
    let mut d_x = vec![0.0; x.len()];
    let value = records::grad(&x, &mut d_x);
    assert_eq!(value, records(&x));
    check(|v| records(&v[0]), &[&x], &[&d_x]);
}

#[test]
fn ranges_of_ranges() {
    let x = random(7, 6);
    let mut d_x = vec![0.0; x.len()];
    let value = pairs::grad(&x, &mut d_x);
    assert_eq!(value, pairs(&x));
    check(|v| pairs(&v[0]), &[&x], &[&d_x]);
}

#[test]
fn nested_blocks() {
    let x = random(7, 6);
    let mut d_x = vec![0.0; x.len()];
    let value = positive_sum::grad(&x, &mut d_x);
    assert_eq!(value, positive_sum(&x));
    check(|v| positive_sum(&v[0]), &[&x], &[&d_x]);
}

#[test]
fn names_in_inner_functions() {
    let x = random(7, 6);
    let mut d_x = vec![0.0; x.len()];
    let value = softened::grad(&x, &mut d_x, 5);
    assert_eq!(value, softened(&x, 5));
    check(|v| softened(&v[0], 5), &[&x], &[&d_x]);
}
