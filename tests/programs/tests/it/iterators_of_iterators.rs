//! Iterators that are several loops or end by themselves: `chain`, `flat_map`, `flatten`, `scan`, `take_while`, `skip_while`.

use pardiff::differentiate;
use pardiff_programs::{check, positive, random};

#[differentiate]
pub fn simpson(y: &[f64], h: f64) -> f64 {
    let n = y.len();
    let ends: f64 = y.iter().take(1).chain(y.iter().skip(n - 1)).sum();
    let weighted: f64 = std::iter::once(1.0)
        .chain((1..n - 1).map(|i| if i % 2 == 1 { 4.0 } else { 2.0 }))
        .chain(std::iter::once(1.0))
        .zip(y)
        .map(|(w, y)| w * y)
        .sum();
    h / 3.0 * (ends * ends + weighted)
}

#[test]
fn chained_weights() {
    let y = random(1, 9);
    let (value, g) = simpson::gradient(&y, 0.3);
    assert!((value - simpson(&y, 0.3)).abs() < 1e-14);
    check(|v| simpson(&v[0], v[1][0]), &[&y, &[0.3]], &[&g.y, &[g.h]]);
}

/// Every adapter behind `chain`.
#[differentiate]
pub fn joined(a: &[f64], b: &[f64], w: &[f64]) -> f64 {
    let mut total = 0.0;
    for (i, v) in a.iter().chain(b).enumerate() {
        if i == 2 {
            continue;
        }
        total += v * v * (i as f64 + 1.0);
    }
    for (v, w) in a.iter().chain(b.iter()).rev().zip(w) {
        total += v * w;
    }
    for (w, v) in w.iter().zip(a.iter().map(|v| v.sin()).chain(b.iter().copied())) {
        total += 0.5 * v * w * w;
    }
    total += a.iter().chain(b).skip(2).take(4).map(|v| v.powi(3)).sum::<f64>();
    total += a.iter().chain(b).take(4).skip(1).fold(1.0, |p, v| p * (1.0 + v));
    total += a.iter().chain(b).chain(w).copied().filter(|v| *v > 0.0).map(f64::sqrt).sum::<f64>();
    let all: Vec<f64> = a.iter().chain(b).map(|v| 2.0 * v).collect();
    for (i, v) in all.iter().enumerate() {
        total += v * v * i as f64;
    }
    let n = a.iter().chain(b).count();
    let most = a.iter().chain(b).copied().fold(f64::NEG_INFINITY, f64::max);
    let at = a.iter().chain(b).position(|v| *v == most).unwrap();
    total += all[at] * n as f64;
    if a.iter().chain(b).any(|v| *v > 0.9) {
        total *= 2.0;
    }
    let mut first = 0.0;
    for v in a.iter().chain(b) {
        first += v;
        if *v < 0.0 {
            break;
        }
    }
    total + first
}

#[test]
fn every_adapter_behind_chain() {
    for (n, m) in [(4, 3), (1, 6), (7, 0), (0, 5)] {
        let (a, b, w) = (random(1, n), random(2, m), random(3, 6));
        let (value, g) = joined::gradient(&a, &b, &w);
        let expected = joined(&a, &b, &w);
        assert!((value - expected).abs() < 1e-13 * (1.0 + expected.abs()), "{value} {expected}");
        check(|v| joined(&v[0], &v[1], &v[2]), &[&a, &b, &w], &[&g.a, &g.b, &g.w]);
    }
}

/// Items that are changed, in arrays one behind the other and in the rows of an array.
#[differentiate]
pub fn scaled(a: &mut [f64], b: &mut [f64], rows: &mut [[f64; 3]], by: f64) {
    for (i, v) in a.iter_mut().chain(b.iter_mut()).enumerate() {
        *v *= by + i as f64;
    }
    rows.iter_mut().flatten().for_each(|v| *v = *v * *v * by);
    a.iter_mut().chain(&mut *b).for_each(|v| *v += 1.0);
}

#[test]
fn items_that_are_changed() {
    let (a, b, rows) = (random(1, 3), random(2, 4), random(3, 6));
    let seeds = [random(4, 3), random(5, 4), random(6, 6)];
    let rows_of = |v: &[f64]| -> Vec<[f64; 3]> { v.chunks(3).map(|row| [row[0], row[1], row[2]]).collect() };
    let run = |v: &[Vec<f64>]| {
        let (mut a, mut b, mut rows) = (v[0].clone(), v[1].clone(), rows_of(&v[2]));
        scaled(&mut a, &mut b, &mut rows, v[3][0]);
        [a, b, rows.concat()].iter().zip(&seeds).map(|(a, b)| pardiff_programs::dot(a, b)).sum()
    };
    let (mut x, mut y, mut z) = (a.clone(), b.clone(), rows_of(&rows));
    let (mut d_a, mut d_b, mut d_rows, mut d_by) =
        (seeds[0].clone(), seeds[1].clone(), rows_of(&seeds[2]), 0.0);
    scaled::vjp(&mut x, &mut d_a, &mut y, &mut d_b, &mut z, &mut d_rows, 0.7, &mut d_by);
    check(run, &[&a, &b, &rows, &[0.7]], &[&d_a, &d_b, &d_rows.concat(), &[d_by]]);
}

#[differentiate]
pub fn pairs(x: &[[f64; 2]], eps: f64) -> f64 {
    let n = x.len();
    let potential: f64 = (0..n)
        .flat_map(|i| (i + 1..n).map(move |j| (i, j)))
        .map(|(i, j)| {
            let [dx, dy] = [x[i][0] - x[j][0], x[i][1] - x[j][1]];
            let r2 = dx * dx + dy * dy + 0.1;
            eps * (1.0 / r2.powi(3) - 1.0 / r2)
        })
        .sum();
    let mut near = 0.0;
    for (i, j) in (0..n).flat_map(|i| {
        let last = (i + 3).min(n);
        (i..last).map(move |j| (i, j))
    }) {
        if i == j {
            continue;
        }
        near += x[i][0] * x[j][1];
        if near > 10.0 {
            break;
        }
    }
    let both: Vec<f64> = x.iter().flat_map(|p| [p[0] * p[1], p[0] + p[1]]).collect();
    let least = x.iter().flatten().copied().fold(f64::INFINITY, f64::min);
    let found = x.iter().flatten().position(|v| *v < 0.0).unwrap_or(0);
    potential + near * least + both.iter().map(|v| v * v).sum::<f64>() * both[found]
}

#[test]
fn loops_inside_of_loops() {
    for n in [1, 2, 6] {
        let x = random(n as u64, 2 * n);
        let points = |v: &[f64]| v.chunks(2).map(|c| [c[0], c[1]]).collect::<Vec<_>>();
        let (value, g) = pairs::gradient(&points(&x), 0.3);
        let expected = pairs(&points(&x), 0.3);
        assert!((value - expected).abs() < 1e-13 * (1.0 + expected.abs()), "{value} {expected}");
        check(|v| pairs(&points(&v[0]), v[1][0]), &[&x, &[0.3]], &[g.x.as_flattened(), &[g.eps]]);
    }
}

#[differentiate]
pub fn filtered_series(r: &[f64], lambda: f64, s0: f64) -> f64 {
    let likelihood: f64 = r
        .iter()
        .scan(s0, |s, &x| {
            *s = lambda * *s + (1.0 - lambda) * x * x;
            Some(*s)
        })
        .zip(r)
        .map(|(s, x)| 0.5 * (s.ln() + x * x / s))
        .sum();
    let sums: Vec<f64> = r
        .iter()
        .scan(0.0, |total, x| {
            *total += x;
            Some(*total)
        })
        .collect();
    let mut mixed = 0.0;
    for (f, s) in (0..r.len())
        .scan((1.0, lambda), |(a, b), i| {
            (*a, *b) = (*b, *a + *b);
            if i % 2 == 0 { Some(*a) } else { Some(-*b) }
        })
        .zip(&sums)
    {
        mixed += f * s;
    }
    mixed
        + likelihood
        + r.iter()
            .chain(&sums)
            .scan(1.0, |p, x| {
                *p *= 1.0 + 0.1 * x;
                Some(*p)
            })
            .take(9)
            .sum::<f64>()
}

#[test]
fn states() {
    let r = random(1, 8);
    let (value, g) = filtered_series::gradient(&r, 0.9, 0.5);
    assert!((value - filtered_series(&r, 0.9, 0.5)).abs() < 1e-12);
    check(|v| filtered_series(&v[0], v[1][0], v[2][0]), &[&r, &[0.9], &[0.5]], &[&g.r, &[g.lambda], &[g.s0]]);
}

#[differentiate]
pub fn series(x: f64, w: &[f64], tolerance: f64) -> f64 {
    // without an end, but for the condition
    let sum: f64 = (1..)
        .scan(1.0, |term, k| {
            *term *= -x * x / (4.0 * (k * k) as f64);
            Some(*term)
        })
        .take_while(|term| term.abs() > tolerance)
        .sum();
    let head: f64 = w.iter().take_while(|v| **v > 0.0).map(|v| v.sqrt()).sum();
    let tail: f64 = w.iter().skip_while(|&&v| v > 0.0).map(|v| v * v).sum();
    let mut rest = 1.0;
    for (i, v) in w.iter().enumerate().take_while(|(i, v)| *i < 4 && **v > -0.2) {
        if i == 1 {
            continue;
        }
        rest *= v + 2.0;
        if rest > 4.0 {
            break;
        }
    }
    let pairs: f64 = (0..w.len())
        .flat_map(|i| (0..i).map(move |j| (i, j)))
        .map(|(i, j)| w[i] * w[j])
        .take_while(|p| *p > -0.1)
        .sum();
    sum + head + tail * rest + pairs
}

#[test]
fn until_a_condition_fails() {
    for w in [vec![0.5, 0.7, 0.2, -0.3, 0.4, 0.9], vec![0.1; 5], vec![-0.5, 0.3], vec![]] {
        let (value, g) = series::gradient(0.8, &w, 1e-14);
        assert!((value - series(0.8, &w, 1e-14)).abs() < 1e-13);
        check(|v| series(v[0][0], &v[1], 1e-14), &[&[0.8], &w], &[&[g.x], &g.w]);
    }
}

/// Vectors of vectors of one length.
#[differentiate]
pub fn rows(a: &[f64], b: &[f64], n: usize) -> f64 {
    let m: Vec<Vec<f64>> = a.chunks_exact(n).map(|row| row.to_vec()).collect();
    let outer: Vec<Vec<f64>> = (0..n).map(|i| (0..b.len()).map(|j| a[i] * b[j]).collect()).collect();
    let mut zeros: Vec<Vec<f64>> = (0..n).map(|_| vec![0.0; n + 1]).collect();
    let lifted: Vec<Vec<f64>> = m.iter().map(|row| row.iter().map(|v| v * v).collect()).collect();
    let wide: Vec<Vec<f64>> = m
        .iter()
        .enumerate()
        .map(|(i, row)| row.iter().zip(b).map(|(v, w)| v * w + i as f64).collect())
        .collect();
    for i in 0..n {
        for j in 0..n {
            zeros[i][j + 1] += m[i][j] * outer[j][0];
        }
    }
    zeros.iter().flatten().map(|v| v * v).sum::<f64>()
        + lifted.iter().map(|row| row.iter().product::<f64>()).sum::<f64>()
        + wide.iter().flatten().sum::<f64>() * outer[0].len() as f64
}

#[test]
fn vectors_of_vectors() {
    for (n, k) in [(3, 2), (2, 5), (1, 1)] {
        let (a, b) = (positive(1, n * n), random(2, k));
        let (value, g) = rows::gradient(&a, &b, n);
        let expected = rows(&a, &b, n);
        assert!((value - expected).abs() < 1e-13 * (1.0 + expected.abs()), "{value} {expected}");
        check(|v| rows(&v[0], &v[1], n), &[&a, &b], &[&g.a, &g.b]);
    }
}

/// What passes a filter is numbered as it passes, and a fold may begin at the end.
#[differentiate]
pub fn numbered(x: &[f64], at: f64) -> f64 {
    let mut total = 0.0;
    for (l, v) in x.iter().filter(|v| **v > 0.0).enumerate() {
        total += (l + 1) as f64 * v * v;
    }
    fn small(v: f64) -> Option<f64> {
        if v < 0.2 { Some(v.sin()) } else { None }
    }
    let small = x.iter().filter_map(|&v| small(v));
    total += small.enumerate().map(|(k, s)| s * s / (k + 1) as f64).sum::<f64>();
    let horner = x.iter().rfold(0.0, |acc, &c| f64::mul_add(acc, at, c));
    total + horner * x.iter().enumerate().rfold(1.0, |acc, (k, c)| 0.5 * acc + c * c * k as f64)
}

#[test]
fn numbers_behind_filters() {
    for n in [0, 1, 2, 9, 40] {
        let x: Vec<f64> = random(1, n).iter().map(|v| v + 0.013).collect();
        let (value, g) = numbered::gradient(&x, 0.7);
        let expected = numbered(&x, 0.7);
        assert!((value - expected).abs() < 1e-13 * (1.0 + expected.abs()), "{value} {expected}");
        check(|v| numbered(&v[0], v[1][0]), &[&x, &[0.7]], &[&g.x, &[g.at]]);
    }
}
