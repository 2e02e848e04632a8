//! Queues, bounded vectors, searches, and what other crates add to loops and iterators.

use pardiff::differentiate;

#[differentiate(check, forward)]
pub mod queues {
    use std::collections::VecDeque;
    pub fn moving(x: &[f64], n: usize) -> f64 {
        let mut q = VecDeque::with_capacity(n);
        let mut s = 0.0;
        for v in x {
            if q.len() == n {
                q.pop_front();
            }
            q.push_back(*v);
            q.push_front(*v);
            s += q.pop_back().unwrap_or(0.0) * 0.5;
            q.pop_front();
            q.push_back(*v);
            let m = q.iter().sum::<f64>() / q.len() as f64;
            s += m * m * q.front().unwrap() + q.back().copied().unwrap_or(0.0);
        }
        while let Some(v) = q.pop_front() {
            s += v * v * v;
        }
        s
    }
    pub fn levels(next: &[usize], w: &[f64]) -> f64 {
        let mut queue: VecDeque<(usize, usize)> = VecDeque::new();
        queue.push_back((0, 1));
        let mut s = 0.0;
        while let Some((k, depth)) = queue.pop_front() {
            s += w[k] * w[k] * depth as f64;
            if next[k] < w.len() {
                queue.push_back((next[k], depth + 1));
            }
        }
        s
    }
}

#[test]
fn queues_are_vectors() {
    queues::moving::check(&[0.3, 0.7, -0.2, 0.5, 1.1], 3).unwrap();
    queues::levels::check(&[1, 2, 9], &[0.3, 0.7, -0.2]).unwrap();
}

#[differentiate(check, forward)]
pub mod roots {
    use arrayvec::ArrayVec;
    fn quadratic(a: f64, b: f64, c: f64) -> ArrayVec<f64, 2> {
        let mut roots = ArrayVec::new();
        let d = b * b - 4.0 * a * c;
        if d > 0.0 {
            let q = -0.5 * (b + b.signum() * d.sqrt());
            roots.push(q / a);
            roots.push(c / q);
        } else if d == 0.0 {
            roots.push(-0.5 * b / a);
        }
        roots
    }
    pub fn sum(a: f64, b: f64, c: f64) -> f64 {
        let all = quadratic(a, b, c);
        let mut v: ArrayVec<f64, 4> = ArrayVec::new();
        for x in all.iter() {
            v.push(x * x);
        }
        v.iter().sum::<f64>() + all.len() as f64 + all[0]
    }
}
#[differentiate(check, forward)]
pub mod small {
    use smallvec::SmallVec;
    fn powers(x: f64, n: usize) -> SmallVec<[f64; 4]> {
        let mut v = SmallVec::new();
        let mut p = 1.0;
        for _ in 0..n {
            p *= x;
            v.push(p);
        }
        v
    }
    pub fn last(x: f64, n: usize) -> f64 {
        let v: SmallVec<[f64; 4]> = powers(x, n);
        *v.last().unwrap()
    }
}

#[test]
fn bounded_vectors_are_vectors() {
    roots::sum::check(1.0, -3.0, 1.0).unwrap();
    small::last::check(1.2, 3).unwrap();
}

/// As that of the crate crunchy: the loop, written out up to a number of rounds.
macro_rules! unroll {
    (for $i:ident < $most:literal in 0..$n:ident $body:block) => {
        for $i in 0..$n {
            assert!($i < $most);
            $body
        }
    };
}
pub(crate) use unroll;

#[differentiate(check, forward)]
pub mod forms {
    use approx::{abs_diff_eq, abs_diff_ne, relative_eq, relative_ne};
    use itertools::{Itertools, izip};
    pub fn slopes(x: &[f64], y: &[f64]) -> Vec<f64> {
        let dx = x.iter().tuple_windows().map(|(a, b)| b - a).collect_vec();
        izip!(dx.iter(), y, &y[1..]).map(|(h, a, b)| (b - a) / h).collect()
    }
    pub fn curve(x: &[f64]) -> f64 {
        let mut s = 0.0;
        for (a, b, c) in x.iter().tuple_windows() {
            s += (a - 2.0 * b + c).powi(2);
        }
        for (i, (u, v)) in izip!(x, &x[1..]).enumerate() {
            s += i as f64 * u * v;
        }
        s
    }
    pub fn far(x: f64, y: f64) -> f64 {
        debug_assert_ne!(x.partial_cmp(&y), Some(std::cmp::Ordering::Greater));
        assert_eq!(Some(std::cmp::Ordering::Less), x.partial_cmp(&y));
        if relative_ne!(x, y, max_relative = 0.1, epsilon = 1e-9) && abs_diff_ne!(x, y, epsilon = 0.5) {
            x * y
        } else {
            x
        }
    }
    pub fn near(x: f64, y: f64) -> f64 {
        if relative_eq!(x, y, max_relative = 1e-3) {
            x * y
        } else if abs_diff_eq!(x, 0.0) {
            y
        } else {
            x - y * y
        }
    }
    pub fn find(xs: &[f64], ys: &[f64], x: f64) -> Option<f64> {
        match xs.binary_search_by(|v| v.partial_cmp(&x).unwrap()) {
            Ok(i) => Some(ys[i]),
            Err(i) if i == 0 || i >= xs.len() => None,
            Err(i) => {
                let t = (x - xs[i - 1]) / (xs[i] - xs[i - 1]);
                Some(ys[i - 1] * (1.0 - t) + ys[i] * t)
            }
        }
    }
    pub fn cell(xs: &[f64], x: f64) -> f64 {
        let k = xs.binary_search_by(|v| v.total_cmp(&x)).unwrap_or_else(|k| k - 1);
        let n = match xs.binary_search_by(|v| v.partial_cmp(&x).unwrap()) {
            Ok(k) | Err(k) => k,
        };
        (x - xs[k]) * n as f64
    }
    pub fn keyed(table: &[(i32, f64)], key: i32) -> f64 {
        match table.binary_search_by_key(&key, |row| row.0) {
            Ok(k) => table[k].1 * table[k].1,
            Err(k) => k as f64 * table[0].1,
        }
    }
    pub fn of_ints(keys: &[i32], v: &[f64], key: i32) -> f64 {
        if let Ok(k) = keys.binary_search(&key) { v[k] * v[k] } else { 0.0 }
    }
    pub fn weighted(x: &[f64; 4], n: usize) -> f64 {
        let mut y = 0.0;
        crate::other_words::unroll! { for i < 7 in 0..n { y += x[i] * x[i] * i as f64; } }
        y
    }
}

#[test]
fn neighbours_and_columns() {
    forms::slopes::check(&[0.0, 0.5, 1.5], &[1.0, 2.0, 0.5]).unwrap();
    forms::curve::check(&[0.0, 0.5, 1.5, 0.2]).unwrap();
    forms::weighted::check(&[0.0, 0.5, 1.5, 0.2], 3).unwrap();
}

#[test]
fn comparisons_of_floats() {
    for (y, expected) in [(1.0002, 1.0002), (1.2, 1.0 - 1.44)] {
        assert_eq!(forms::near(1.0, y), expected);
        forms::near::check(1.0, y).unwrap();
    }
}

#[test]
fn searches() {
    let (xs, ys) = ([0.0, 0.5, 1.5], [1.0, 2.0, 0.5]);
    for x in [-0.1, 0.2, 0.7, 2.0] {
        assert_eq!(forms::find::value(&xs, &ys, x), forms::find(&xs, &ys, x));
    }
    forms::find::check(&xs, &ys, 0.7).unwrap();
    forms::cell::check(&xs, 0.7).unwrap();
    forms::of_ints::check(&[1, 4, 6], &[1.0, 2.0, 0.5], 4).unwrap();
    forms::of_ints::check(&[1, 4, 6], &[1.0, 2.0, 0.5], 5).unwrap();
    forms::keyed::check(&[(1, 0.5), (4, 2.0)], 4).unwrap();
    forms::keyed::check(&[(1, 0.5), (4, 2.0)], 3).unwrap();
    forms::far::check(1.0, 2.0).unwrap();
    forms::far::check(1.0, 1.2).unwrap();
}

#[test]
#[should_panic(expected = "several elements are equal")]
fn one_of_several_equal_elements() {
    forms::of_ints::gradient(&[1, 4, 4], &[1.0, 2.0, 0.5], 4);
}
