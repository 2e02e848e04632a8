//! Iterators under a name that are used up step by step.

#![allow(clippy::while_let_on_iterator)]

use pardiff::differentiate;
use pardiff_programs::{check, random};

#[differentiate]
mod kernels {
    pub fn f(x: &[f64]) -> f64 {
        let mut it = x.iter();
        let Some(first) = it.next() else { return 0.0 };
        let mut m = *first;
        for v in it {
            m = m.max(v * v);
        }
        let mut s = m;
        let mut w = x.windows(2).map(|w| w[1] - w[0]).peekable();
        while let Some(d) = w.next() {
            s += d * d * if w.peek().is_none() { 0.5 } else { 1.0 };
            if let Some(e) = w.peek() {
                s += d * e;
            }
        }
        let mut k = (0..x.len()).rev();
        let mut pairs = x.iter().copied().zip(x.iter().skip(1)).enumerate();
        while let Some(i) = k.next() {
            s += x[i] * i as f64;
            match pairs.next() {
                Some((j, (a, b))) => s += a * b * j as f64,
                None => s *= 0.5,
            }
        }
        let mut c = x.iter().copied();
        let a = c.next().unwrap_or(1.0);
        let b = c.next().unwrap_or(2.0);
        s + a * b + c.map(|v| v.sin()).sum::<f64>()
    }
}

#[test]
fn stepped() {
    for n in [0, 1, 2, 3, 7, 33] {
        let x: Vec<f64> = random(1, n);
        let (value, g) = kernels::f::gradient(&x);
        assert!((value - kernels::f(&x)).abs() < 1e-11 * (1.0 + value.abs()), "{value} {}", kernels::f(&x));
        check(|v| kernels::f(&v[0]), &[&x], &[&g.x]);
    }
}

#[differentiate]
mod dropped {
    pub fn pairs(x: &[f64], y: &[f64]) -> f64 {
        let mut numbered = x.iter().enumerate();
        numbered.next();
        let _ = numbered.nth(1);
        let mut sum: f64 = numbered.map(|(i, v)| i as f64 * v * v).sum();
        let mut both = x.iter().zip(y).rev();
        both.next();
        for (a, b) in both {
            sum += a * b * b;
        }
        let mut windows = x.windows(2);
        windows.next();
        sum += windows.map(|w| w[0] * w[1]).sum::<f64>();
        let mut chained = x.iter().chain(y).enumerate();
        chained.next();
        if let Some((i, v)) = chained.nth(2) {
            sum += i as f64 * v.sin();
        }
        chained.map(|(i, v)| v * i as f64).sum::<f64>() * sum
    }

    pub fn ranges(x: &[f64]) -> f64 {
        let mut k = (0..x.len()).step_by(2);
        k.next();
        let mut sum: f64 = k.map(|i| x[i] * x[i]).sum();
        let mut i = 0..x.len();
        while let Some(at) = i.next() {
            if at % 3 == 0 {
                i.next();
            }
            sum += x[at] * at as f64;
        }
        sum
    }

    pub fn bound_again(x: &[f64], y: &[f64]) -> f64 {
        let items = x.iter().skip(1);
        let items = items.zip(y).map(|(a, b)| a * b);
        let range = 1..y.len();
        let mut sum: f64 = items.sum::<f64>() + range.map(|i| y[i].sin()).sum::<f64>();
        let range = 0.5;
        let mut head = x.iter();
        let first = head.next().unwrap();
        let mut head = y.iter().zip(head);
        head.next();
        for (a, b) in head.by_ref() {
            sum += a * b * b;
        }
        sum * first * range
    }

    pub fn signs(x: &[f64]) -> f64 {
        let mut signs = [1.0, -1.0, 0.5].iter().cycle();
        let mut sum = 0.0;
        for v in x {
            sum += v * v * signs.next().unwrap();
        }
        let mut rest = x.iter();
        rest.next();
        for v in &mut rest {
            sum += v.sin();
        }
        sum
    }

    pub fn checked(x: &[f64]) -> f64 {
        let mut roots = x.iter().map(|v| {
            assert!(*v > -0.5, "a root of a negative number");
            (v + 0.5).sqrt()
        });
        roots.next();
        roots.map(|r| r * r * r).sum()
    }

    pub fn stopped(x: &[f64]) -> f64 {
        let mut items = x.iter().skip(1);
        items.next();
        let at = items.position(|v| *v > 0.5).unwrap_or(0);
        x[at] * x[0]
    }
}

#[differentiate]
fn in_place(x: &mut [f64]) {
    let mut items = x.iter_mut().enumerate();
    items.next();
    for (i, v) in items {
        *v = *v * *v * i as f64;
    }
}

#[test]
fn items_are_dropped() {
    for n in [4, 5, 9, 40] {
        let (x, y) = (random(1, n), random(2, n - 1));
        let (value, g) = dropped::pairs::gradient(&x, &y);
        assert!((value - dropped::pairs(&x, &y)).abs() < 1e-11 * (1.0 + value.abs()));
        check(|v| dropped::pairs(&v[0], &v[1]), &[&x, &y], &[&g.x, &g.y]);
        let (value, g) = dropped::ranges::gradient(&x);
        assert!((value - dropped::ranges(&x)).abs() < 1e-12 * (1.0 + value.abs()));
        check(|v| dropped::ranges(&v[0]), &[&x], &[&g.x]);
        let (value, g) = dropped::bound_again::gradient(&x, &y);
        assert!((value - dropped::bound_again(&x, &y)).abs() < 1e-12 * (1.0 + value.abs()));
        check(|v| dropped::bound_again(&v[0], &v[1]), &[&x, &y], &[&g.x, &g.y]);
        let (value, g) = dropped::signs::gradient(&x);
        assert!((value - dropped::signs(&x)).abs() < 1e-12 * (1.0 + value.abs()));
        check(|v| dropped::signs(&v[0]), &[&x], &[&g.x]);
        let (_, g) = dropped::stopped::gradient(&x);
        check(|v| dropped::stopped(&v[0]), &[&x], &[&g.x]);
        let positive: Vec<f64> = x.iter().map(|v| v.abs()).collect();
        let (_, g) = dropped::checked::gradient(&positive);
        check(|v| dropped::checked(&v[0]), &[&positive], &[&g.x]);
        let seed = random(3, n);
        let (mut values, mut d_x) = (x.clone(), seed.clone());
        in_place::vjp(&mut values, &mut d_x);
        let value = |v: &[Vec<f64>]| {
            let mut x = v[0].clone();
            in_place(&mut x);
            x.iter().zip(&seed).map(|(x, s)| x * s).sum()
        };
        check(value, &[&x], &[&d_x]);
    }
}

#[test]
fn a_dropped_item_is_made() {
    let x = [-1.0, 1.0];
    assert!(std::panic::catch_unwind(|| dropped::checked(&x)).is_err());
    assert!(std::panic::catch_unwind(|| dropped::checked::gradient(&x)).is_err());
}
