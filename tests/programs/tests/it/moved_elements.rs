//! Iterators that repeat and end with an `Option`, vectors whose elements move, and what their panics say.

#![allow(clippy::iter_nth)]

use pardiff::differentiate;
use pardiff_programs::{check, random};

#[differentiate]
mod kernels {
    pub fn cycled(x: &[f64], w: &[f64]) -> f64 {
        x.iter().zip(w.iter().cycle()).map(|(x, w)| x * x * w).sum()
    }
    pub fn taken(x: &[f64], n: usize) -> f64 {
        x.iter().cycle().take(n).enumerate().map(|(k, v)| v * v * k as f64).sum()
    }
    pub fn repeated(x: &[f64], a: f64) -> f64 {
        let s: f64 = x.iter().zip(std::iter::repeat(a * a)).map(|(x, a)| x * a).sum();
        s + std::iter::repeat_n(a, 3).chain(std::iter::once(2.0 * a)).map(|v| v * v).sum::<f64>()
    }

    pub fn moved(x: &[f64], n: usize) -> f64 {
        let mut v = x.to_vec();
        let half = v.len() / 2;
        v.copy_within(half.., 0);
        let mut g = vec![];
        for (k, a) in v.iter().enumerate() {
            if k % 2 == 0 {
                g.push(a * a);
            }
        }
        g.resize(n, 0.5 * x.first().copied().unwrap_or(1.0));
        g.insert(g.len() / 3, 1.5);
        if g.len() > 3 {
            let a = g.remove(1);
            let b = g.swap_remove(0);
            g[0] += a * b;
        }
        g.retain(|a| *a > 0.2);
        let mut h = vec![0.25];
        h.append(&mut g);
        h.truncate(12);
        h.iter().enumerate().map(|(k, v)| v * v * (k + 1) as f64 + g.len() as f64).sum()
    }

    pub fn options(x: &[f64]) -> f64 {
        let a = x
            .iter()
            .try_fold(1.0, |a: f64, v| if *v < 0.9 { Some(a * (1.0 + v)) } else { None })
            .unwrap_or(0.3);
        let b = x
            .iter()
            .fold(None, |m: Option<f64>, &v| match m {
                None => Some(v),
                Some(w) => Some(w.max(v)),
            })
            .unwrap_or(0.0);
        let c = x.iter().rposition(|v| *v > 0.0).map_or(0.0, |k| x[k] * x[k]);
        let d = x.iter().nth(1).copied().unwrap_or(0.7);
        let e = x.iter().map(|v| v * v).nth(2);
        let roots: Vec<Option<f64>> = x.iter().map(|v| (*v > 0.0).then(|| v.sqrt())).collect();
        let f: f64 = roots.iter().flatten().sum();
        let g: f64 = x.iter().map_while(|v| if *v < 0.8 { Some(v * v) } else { None }).sum();
        let k = x.iter().rposition(|&v| v < -0.5);
        a * b + c + d * d + e.unwrap_or(1.0) + f * g + k.map(|k| x[k]).unwrap_or_default()
    }

    pub fn both(x: &[f64]) -> f64 {
        let (a, b): (Vec<f64>, Vec<f64>) = x.iter().map(|v| (v * v, v.sin())).unzip();
        let (p, q): (Vec<f64>, Vec<f64>) = x.iter().copied().partition(|v| *v > 0.1);
        let s: f64 = a.iter().zip(&b).map(|(a, b)| a * b).sum();
        s + p.iter().product::<f64>() + q.iter().map(|v| v.exp()).sum::<f64>()
    }
}

#[test]
fn iterators() {
    for n in [0, 1, 2, 3, 7, 33, 100] {
        let (x, w) = (random(1, n), random(2, 5));
        let (value, g) = kernels::cycled::gradient(&x, &w);
        assert!((value - kernels::cycled(&x, &w)).abs() < 1e-11);
        check(|v| kernels::cycled(&v[0], &v[1]), &[&x, &w], &[&g.x, &g.w]);
        assert_eq!(kernels::cycled::value(&x, &[]), kernels::cycled(&x, &[]));
        for m in [0, 1, 5, 40] {
            let (value, g) = kernels::taken::gradient(&x, m);
            assert!((value - kernels::taken(&x, m)).abs() < 1e-11);
            check(|v| kernels::taken(&v[0], m), &[&x], &[&g.x]);
            let (value, g) = kernels::moved::gradient(&x, m);
            assert!((value - kernels::moved(&x, m)).abs() < 1e-11);
            check(|v| kernels::moved(&v[0], m), &[&x], &[&g.x]);
        }
        let (value, g) = kernels::repeated::gradient(&x, 1.3);
        assert!((value - kernels::repeated(&x, 1.3)).abs() < 1e-11);
        check(|v| kernels::repeated(&v[0], v[1][0]), &[&x, &[1.3]], &[&g.x, &[g.a]]);
        let (value, g) = kernels::options::gradient(&x);
        assert!(
            (value - kernels::options(&x)).abs() < 1e-11 * (1.0 + value.abs()),
            "{value} {}",
            kernels::options(&x)
        );
        check(|v| kernels::options(&v[0]), &[&x], &[&g.x]);
        let (value, g) = kernels::both::gradient(&x);
        assert!((value - kernels::both(&x)).abs() < 1e-11);
        check(|v| kernels::both(&v[0]), &[&x], &[&g.x]);
    }
}

#[differentiate]
mod panics {
    pub fn sliced(x: &[f64], n: usize) -> f64 {
        let mut v = x.to_vec();
        v.copy_within(n.., 0);
        v[0]
    }
    pub fn removed(x: &[f64], n: usize) -> f64 {
        let mut grown = vec![];
        for a in x {
            grown.push(*a);
        }
        grown.remove(n)
    }
    pub fn inserted(x: &[f64], n: usize) -> f64 {
        let mut grown = vec![];
        for a in x {
            grown.push(*a);
        }
        grown.insert(n, 1.0);
        grown[0]
    }
    pub fn compared(x: &[f64], n: usize) -> f64 {
        let mut idx = vec![0, n];
        idx.sort_by(|&a, &b| x[a].total_cmp(&x[b]));
        x[idx[0]]
    }
}

#[test]
fn panics_name_the_array() {
    let x = [1.0, 2.0];
    let said = |f: fn(&[f64], usize) -> f64| {
        let panic = std::panic::catch_unwind(|| f(&x, 3)).unwrap_err();
        panic.downcast_ref::<String>().cloned().unwrap_or_default()
    };
    assert!(said(panics::sliced::value).contains("sliced: slice out of range in `v[n..]`"));
    assert!(said(panics::removed::value).contains("the index is 3 but the length of `grown` is 2"));
    assert!(said(panics::inserted::value).contains("`grown.insert(n, 1.0)`: the index is behind the end"));
    assert!(said(panics::compared::value).contains("compared: index out of range in `x[b]`"));
}

/// Parts that are taken out, and elements that are equal to those before them.
#[differentiate(check)]
pub fn taken_out(x: &[f64], k: usize) -> f64 {
    let mut v = x.to_vec();
    let tail = v.split_off(k);
    let drained = v.drain(1..k - 1).map(|a| a * a).sum::<f64>();
    v.extend_from_slice(&tail);
    v.extend_from_slice(&tail[..1]);
    v.dedup();
    v.drain(..1);
    let mut sum = drained * v[0];
    for (i, a) in v.drain(..).enumerate() {
        sum += a * (i as f64).sin();
    }
    v.push(sum);
    v.iter().map(|a| a * x[0]).sum()
}

#[test]
fn parts_are_taken_out() {
    let x = [0.3, 0.7, 0.9, 0.4, 0.4, 0.2, 0.2, 0.8];
    for k in 2..6 {
        let (value, expected) = (taken_out::value(&x, k), taken_out(&x, k));
        assert!((value - expected).abs() <= 1e-14, "{value} {expected}");
    }
    let distinct = [0.3, 0.7, 0.9, 0.4, 0.1, 0.2, 0.5, 0.8];
    taken_out::check(&distinct, 4).expect("right derivatives");
}
