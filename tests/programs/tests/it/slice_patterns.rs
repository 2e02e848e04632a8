//! Patterns of slices and arrays with a rest, in `let`, `let … else`, `if let` and `match`; chains of conditions.

use pardiff::differentiate;
use pardiff_programs::{check, random};

/// Parameters by position, and what is left over by its length.
#[differentiate]
pub fn by_position(theta: &[f64], scale: f64) -> f64 {
    let [mu, log_tau, rest @ ..] = theta else { return scale };
    let tail = match rest {
        [] => 1.0,
        [one] => one.sin(),
        [first, .., last] => first * last,
    };
    let three = [*mu, tail, scale];
    let [front @ .., last] = three;
    let ends = if let &[a, .., b] = rest
        && b > a
    {
        a * b * b
    } else {
        0.5 * scale
    };
    front[0] * front[1] * last + front.len() as f64 * log_tau.exp() + ends
}

#[test]
fn parameters_by_position() {
    for n in 0..6 {
        let theta = random(1 + n as u64, n);
        let (y, g) = by_position::gradient(&theta, 0.7);
        assert_eq!(y, by_position(&theta, 0.7));
        check(|v| by_position(&v[0], v[1][0]), &[&theta, &[0.7]], &[&g.theta, &[g.scale]]);
    }
}

/// Parts of a row are changed through a pattern.
#[differentiate]
pub fn smoothed(y: &mut [f64]) {
    for row in y.chunks_mut(3) {
        if let [a, middle @ .., c] = row {
            for m in middle.iter_mut() {
                *m = 0.5 * *m * *m + *a;
            }
            *c *= *a;
        }
    }
}

#[test]
fn parts_of_rows_change() {
    let x = random(10, 7);
    let mut y = x.clone();
    let mut d_y: Vec<f64> = (0..7).map(|i| 1.0 + i as f64).collect();
    let seeds = d_y.clone();
    smoothed::vjp(&mut y, &mut d_y);
    let value = |v: &[Vec<f64>]| {
        let mut y = v[0].clone();
        smoothed(&mut y);
        pardiff_programs::dot(&seeds, &y)
    };
    check(value, &[&x], &[&d_y]);
}

/// Names that some of the conditions bind, with an `else` and without.
#[differentiate]
pub fn neighbours(x: &[f64], y: usize, width: usize) -> f64 {
    let mut total = 0.0;
    for i in 0..x.len() {
        if let Some(left) = i.checked_sub(y)
            && left % width != 0
            && let Some(v) = x.get(left + 1)
            && *v > 0.0
        {
            total += v * v * x[i];
        } else if i > 2 {
            total -= x[i];
        } else {
            continue;
        }
        if i < width
            && let Some(k) = (i + 1).checked_sub(2)
        {
            total += x[k].cos();
        }
    }
    total
}

#[test]
fn chains_of_conditions() {
    let x = random(11, 9);
    let (y, g) = neighbours::gradient(&x, 2, 4);
    assert!((y - neighbours(&x, 2, 4)).abs() < 1e-14);
    check(|v| neighbours(&v[0], 2, 4), &[&x], &[&g.x]);
}

/// Slices beside each other and beside numbers.
#[differentiate]
pub fn side_by_side(x: &[f64], y: &[f64], n: usize) -> f64 {
    let s = match (x, y) {
        ([], _) | (_, []) => 0.5,
        ([a], [b]) => a * b,
        ([a, rest @ ..], [.., b]) if n > 1 => a * b + rest.iter().sum::<f64>(),
        ([a, ..], [b, ..]) => a - b * b,
    };
    s * match (x, n) {
        ([a], 0) => *a,
        ([a, b, ..], k) => a * b * k as f64,
        _ => 1.0,
    }
}

#[test]
fn slices_in_a_tuple() {
    for (m, n) in [(0, 2), (2, 0), (1, 1), (1, 2), (3, 2)] {
        let (x, y) = (random(12, m), random(13, n));
        for k in 0..3 {
            let (_, g) = side_by_side::gradient(&x, &y, k);
            check(|v| side_by_side(&v[0], &v[1], k), &[&x, &y], &[&g.x, &g.y]);
        }
    }
}

/// Rows behind each other.
#[differentiate]
pub fn flat(x: &[[f64; 3]]) -> f64 {
    let all = x.as_flattened();
    all.iter().map(|v| v * v).sum::<f64>() + all[1] * x.as_flattened().iter().product::<f64>()
}

#[test]
fn rows_behind_each_other() {
    let x = random(14, 6);
    let rows = |x: &[f64]| [[x[0], x[1], x[2]], [x[3], x[4], x[5]]];
    let (_, g) = flat::gradient(&rows(&x));
    check(|v| flat(&rows(&v[0])), &[&x], &[g.x.as_flattened()]);
}
