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
