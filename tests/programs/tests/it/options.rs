//! `Option`s: taken apart where they are made, by `while let`, `if let`, `let … else`, `match`, `map_or`; and as values.

use pardiff::differentiate;
use pardiff_programs::{check, positive, random};

/// A stack of indices: a tree, from its root.
#[differentiate]
pub fn tree_sum(value: &[f64], left: &[usize], right: &[usize], decay: f64) -> f64 {
    const NONE: usize = usize::MAX;
    let mut stack = vec![(0usize, 0u32)];
    let mut total = 0.0;
    while let Some((node, depth)) = stack.pop() {
        if value[node] > 0.9 {
            continue;
        }
        total += value[node].sin() * decay.powi(depth as i32);
        if left[node] != NONE {
            stack.push((left[node], depth + 1));
        }
        if right[node] != NONE {
            stack.push((right[node], depth + 1));
        }
    }
    total
}

#[test]
fn a_stack_of_indices() {
    let value: Vec<f64> = random(1, 7).iter().map(|v| 0.8 * v).collect();
    let n = usize::MAX;
    let (left, right) = ([1, 3, 5, n, n, n, n], [2, 4, 6, n, n, n, n]);
    let (y, g) = tree_sum::gradient(&value, &left, &right, 0.7);
    assert!((y - tree_sum(&value, &left, &right, 0.7)).abs() < 1e-15);
    check(|v| tree_sum(&v[0], &left, &right, v[1][0]), &[&value, &[0.7]], &[&g.value, &[g.decay]]);
}

/// A stack of floats: a formula in reverse Polish notation; places of the stack are written again and again.
#[differentiate]
pub fn evaluated(code: &[usize], x: &[f64]) -> f64 {
    let mut stack: Vec<f64> = Vec::new();
    let mut leaves = 0;
    for &op in code {
        match op {
            0 => {
                let (b, a) = (stack.pop().unwrap(), stack.pop().unwrap());
                stack.push(a + b);
            }
            1 => {
                let b = stack.pop().expect("an operand");
                let a = stack.pop().unwrap_or(1.0);
                stack.push(a * b);
            }
            2 => {
                if let Some(a) = stack.pop() {
                    stack.push(a.sin());
                } else {
                    stack.push(0.5);
                }
            }
            _ => {
                stack.push(x[leaves]);
                leaves += 1;
            }
        }
    }
    let mut rest = 0.0;
    'all: while let Some(top) = stack.pop() {
        rest = rest * 0.5 + top;
        if rest > 100.0 {
            break 'all;
        }
    }
    rest
}

#[test]
fn a_stack_of_floats() {
    let x = random(2, 6);
    for code in [vec![3, 3, 0, 2, 3, 1, 3, 3, 1, 2, 0], vec![3, 1, 2, 3], vec![2, 3, 3, 1, 3], vec![]] {
        let (y, g) = evaluated::gradient(&code, &x);
        assert!((y - evaluated(&code, &x)).abs() < 1e-14);
        check(|v| evaluated(&code, &v[0]), &[&x], &[&g.x]);
    }
}

#[differentiate]
pub fn elements(x: &[f64], y: &[f64], at: usize) -> f64 {
    let Some((&first, rest)) = x.split_first() else { return 0.5 * y[0] };
    let Some(last) = rest.last() else { return first * y[0] };
    let mut total = first * last;
    if let Some(v) = x.get(at) {
        total += v * v;
    } else if let Some(&v) = y.get(at) {
        total -= v * v * v;
    }
    for i in 0..x.len() {
        let left = i.checked_sub(1).map_or(0.25, |j| x[j]);
        let right = x.get(i + 1).copied().map(|v| v * 2.0).unwrap_or(0.0);
        total += left * right * y[0];
    }
    if let Some(k) = x.iter().position(|v| *v > 0.3) {
        total *= 1.0 + x[k];
    }
    total
}

#[test]
fn elements_that_may_not_be() {
    let y = random(5, 7);
    for (n, at) in [(0, 0), (1, 0), (5, 2), (5, 6), (5, 9)] {
        let x = random(3, n);
        let (value, g) = elements::gradient(&x, &y, at);
        assert!((value - elements(&x, &y, at)).abs() < 1e-14);
        check(|v| elements(&v[0], &v[1], at), &[&x, &y], &[&g.x, &g.y]);
    }
}

/// Linear interpolation, and beyond the ends the values there.
#[differentiate]
pub fn interpolated(xs: &[f64], ys: &[f64], q: &[f64]) -> f64 {
    let inside: f64 = q
        .iter()
        .map(|&t| {
            let i = match xs.iter().position(|&x| x > t) {
                None => xs.len() - 2,
                Some(0) => 0,
                Some(i) => i - 1,
            };
            let w = ((t - xs[i]) / (xs[i + 1] - xs[i])).clamp(0.0, 1.0);
            ys[i] * (1.0 - w) + ys[i + 1] * w
        })
        .sum();
    let nearest = match xs.iter().copied().min_by(|a, b| (a - q[0]).abs().total_cmp(&(b - q[0]).abs())) {
        Some(x) if x > q[0] => x * x,
        Some(x) => 2.0 * x,
        None => 0.0,
    };
    inside + nearest
}

#[test]
fn matched() {
    let (xs, ys, q) = ([0.0, 1.0, 2.0, 3.5], random(1, 4), positive(2, 3));
    for shift in [-3.0, 0.0, 1.1, 5.0] {
        let q: Vec<f64> = q.iter().map(|q| q + shift).collect();
        let (value, g) = interpolated::gradient(&xs, &ys, &q);
        assert!((value - interpolated(&xs, &ys, &q)).abs() < 1e-14);
        check(|v| interpolated(&v[0], &v[1], &v[2]), &[&xs, &ys, &q], &[&g.xs, &g.ys, &g.q]);
    }
}

/// Readings that may be missing: a helper says which ones are, and options are kept until the next one comes.
#[differentiate]
mod readings {
    fn reading(x: &[f64], present: &[bool], at: usize) -> Option<f64> {
        let v = *x.get(at)?;
        present[at].then_some(v)
    }

    /// Squared steps from one reading to the next, with what a missing pair costs.
    pub fn roughness(x: &[f64], present: &[bool], scale: f64) -> f64 {
        let mut last: Option<f64> = None;
        let (mut total, mut missing) = (0.0, 0.0);
        for at in 0..x.len() + 1 {
            let scaled = reading(x, present, at).and_then(|v| (v > -0.9).then_some(scale * v));
            if let (Some(before), Some(now)) = (last, scaled) {
                total += (now - before) * (now - before);
            } else if last.is_some() {
                missing += scale;
            }
            last = scaled.or(last);
        }
        total + missing * missing
    }
}

#[test]
fn kept_and_passed_on() {
    for n in [0, 1, 2, 9, 60] {
        let (x, scale) = (random(4, n), 0.7);
        let present: Vec<bool> = (0..n).map(|at| at % 5 != 3).collect();
        let (value, g) = readings::roughness::gradient(&x, &present, scale);
        assert!((value - readings::roughness(&x, &present, scale)).abs() < 1e-14);
        check(|v| readings::roughness(&v[0], &present, v[1][0]), &[&x, &[scale]], &[&g.x, &[g.scale]]);
    }
}

/// Springs that may be missing, of several kinds: patterns in `Some` that not every value has.
#[differentiate]
pub mod springs {
    #[derive(Clone, Copy)]
    pub enum Spring {
        Linear(f64),
        Stiff { k: f64, cubic: f64 },
        Rigid,
    }

    const WEAK: usize = 1;

    /// The energy of those that are there, by `if let`; those of another kind count as well.
    pub fn energy(x: &[f64], springs: &[Option<Spring>]) -> f64 {
        let mut total = 0.5;
        for (&x, &spring) in x.iter().zip(springs) {
            if let Some(Spring::Linear(k)) = spring {
                total += k * x * x + x;
            } else if let Some(Spring::Stiff { k, cubic }) = spring
                && k > 0.0
            {
                total *= 1.0 + k * x * x + cubic * x.powi(3);
            } else if let Some(Spring::Rigid) = spring {
                total -= x;
            } else {
                total += x.sin();
            }
        }
        total
    }

    /// What a code says of each number, by `let … else`, literals, ranges, constants and tuples.
    pub fn coded(x: &[f64], codes: &[Option<(usize, bool)>]) -> f64 {
        let mut total = 0.0;
        for (x, code) in x.iter().zip(codes) {
            if let Some((WEAK, true)) = code {
                total += x * x;
            }
            let Some((k @ 1..=3, flag)) = *code else {
                total += x.cos();
                continue;
            };
            total += if flag { x * k as f64 } else { x.exp() };
        }
        total
    }

    /// From the end on, for as long as a stack has ones or twos; the last one may be of any kind.
    pub fn unwound(x: &[f64], kinds: &[usize]) -> f64 {
        let mut stack = kinds.to_vec();
        let mut total = 1.0;
        while let Some(1 | 2) = stack.pop() {
            total *= 1.0 + x[stack.len()] * x[stack.len()];
        }
        if let Some(0) = stack.last() { total * x[0] } else { total }
    }
}

#[test]
fn patterns_in_some_may_fail() {
    use springs::Spring;
    let kinds = [
        Some(Spring::Linear(0.7)),
        Some(Spring::Stiff { k: 0.4, cubic: -0.3 }),
        None,
        Some(Spring::Rigid),
        Some(Spring::Stiff { k: -0.4, cubic: 0.3 }),
    ];
    for n in [0, 1, 2, 5, 23] {
        let x = random(31, n);
        let those: Vec<Option<Spring>> = (0..n).map(|i| kinds[i % 5]).collect();
        let (value, g) = springs::energy::gradient(&x, &those);
        assert!((value - springs::energy(&x, &those)).abs() < 1e-13);
        check(|v| springs::energy(&v[0], &those), &[&x], &[&g.x]);
        let codes: Vec<_> = (0..n).map(|i| (i % 4 != 3).then_some((i * 7 % 6, i % 3 == 0))).collect();
        let (value, g) = springs::coded::gradient(&x, &codes);
        assert!((value - springs::coded(&x, &codes)).abs() < 1e-13);
        check(|v| springs::coded(&v[0], &codes), &[&x], &[&g.x]);
        for least in [0, 1, 3] {
            let kinds: Vec<usize> = (0..n).map(|i| if i < least { i * 5 } else { 1 + i % 2 }).collect();
            let (value, g) = springs::unwound::gradient(&x, &kinds);
            assert!((value - springs::unwound(&x, &kinds)).abs() < 1e-13);
            check(|v| springs::unwound(&v[0], &kinds), &[&x], &[&g.x]);
        }
    }
}
