//! Sorting and orderings: elements go where the order of values says, and the adjoints go back.

use pardiff::differentiate;
use pardiff_programs::{check, random};

#[differentiate]
mod kernels {
    use std::cmp::Ordering;
    pub fn ranks(x: &[f64], w: &[f64]) -> f64 {
        let mut idx: Vec<usize> = (0..x.len()).collect();
        idx.sort_by(|&a, &b| x[a].partial_cmp(&x[b]).unwrap());
        let mut s = 0.0;
        for (r, &i) in idx.iter().enumerate() {
            s += w[i] * x[i] * (r + 1) as f64;
        }
        s
    }

    pub fn values(x: &[f64]) -> f64 {
        let mut v = x.to_vec();
        v.sort_unstable_by(|a, b| b.total_cmp(a));
        v.iter().enumerate().map(|(k, v)| v * v * k as f64).sum()
    }

    pub fn named(x: &[f64]) -> f64 {
        let mut v = x.to_vec();
        v.sort_by(f64::total_cmp);
        let mut s = 0.0;
        for w in v.windows(2) {
            s += (w[1] - w[0]).powi(2);
        }
        s
    }

    pub fn keyed(x: &[f64], k: &[i32]) -> f64 {
        let mut idx: Vec<usize> = (0..x.len()).collect();
        idx.sort_by_key(|&i| (k[i] % 3, -k[i]));
        let mut s = 0.0;
        for (r, &i) in idx.iter().enumerate() {
            s += x[i] * x[i] * (r + 1) as f64;
        }
        s
    }

    pub fn several(x: &[f64], k: &[i32]) -> f64 {
        let mut idx: Vec<usize> = (0..x.len()).collect();
        idx.sort_by(|&a, &b| k[a].cmp(&k[b]).reverse().then_with(|| x[a].total_cmp(&x[b])).then(b.cmp(&a)));
        let best = (0..x.len()).max_by(|&a, &b| k[a].cmp(&k[b]).then(x[a].total_cmp(&x[b])));
        let mut s = best.map_or(0.0, |b| x[b].sin());
        for (r, &i) in idx.iter().enumerate() {
            s += x[i] * x[i] * (r + 1) as f64;
        }
        s
    }

    pub fn rows(x: &[f64], width: usize) -> f64 {
        let mut total = 0.0;
        for row in x.chunks(width) {
            let mut v = row.to_vec();
            v.sort_by(|a, b| a.total_cmp(b));
            let mid = v.len() / 2;
            total += v[mid] * v[0];
        }
        total
    }

    pub fn matched(x: &[f64], k: usize) -> f64 {
        let mut s = 0.0;
        for i in 0..x.len() {
            s += match i.cmp(&k) {
                Ordering::Less => x[i],
                Ordering::Equal => x[i] * x[i],
                Ordering::Greater => x[i].sin(),
            };
            s *= match x[i].partial_cmp(&0.1) {
                Some(Ordering::Less) => 1.5,
                Some(Ordering::Equal) => 2.0,
                Some(Ordering::Greater) => x[i],
                None => 0.0,
            };
            let o: Ordering = x[i].total_cmp(&0.3);
            if o.is_ge() || o == Ordering::Less && i % 2 == 0 {
                s += x[i] * 0.5;
            }
        }
        s
    }

    pub fn in_place(y: &mut [f64], a: f64) -> f64 {
        y.sort_by(|p, q| p.partial_cmp(q).unwrap_or(Ordering::Equal));
        let mut small = [3, 1, 2];
        small.sort_unstable();
        y.iter().zip(small).map(|(y, k)| a * y * k as f64).sum()
    }

    pub fn pairs(x: &[f64], y: &[f64]) -> f64 {
        let mut p: Vec<(f64, f64)> = x.iter().copied().zip(y.iter().copied()).collect();
        p.sort_by(|a, b| a.0.partial_cmp(&b.0).unwrap());
        p.windows(2).map(|w| (w[1].0 - w[0].0) * (w[0].1 + w[1].1) * 0.5).sum()
    }
}

#[test]
fn sorted() {
    for n in [0, 1, 2, 3, 7, 33, 100] {
        let (x, w) = (random(1, n), random(2, n));
        let k: Vec<i32> = x.iter().map(|v| (v * 7.0) as i32).collect();
        let (value, g) = kernels::ranks::gradient(&x, &w);
        assert!((value - kernels::ranks(&x, &w)).abs() < 1e-11);
        check(|v| kernels::ranks(&v[0], &v[1]), &[&x, &w], &[&g.x, &g.w]);
        let (value, g) = kernels::values::gradient(&x);
        assert!((value - kernels::values(&x)).abs() < 1e-11);
        check(|v| kernels::values(&v[0]), &[&x], &[&g.x]);
        let (value, g) = kernels::named::gradient(&x);
        assert!((value - kernels::named(&x)).abs() < 1e-11);
        check(|v| kernels::named(&v[0]), &[&x], &[&g.x]);
        let (value, g) = kernels::keyed::gradient(&x, &k);
        assert!((value - kernels::keyed(&x, &k)).abs() < 1e-11);
        check(|v| kernels::keyed(&v[0], &k), &[&x], &[&g.x]);
        let (value, g) = kernels::several::gradient(&x, &k);
        assert!((value - kernels::several(&x, &k)).abs() < 1e-11, "{value} {}", kernels::several(&x, &k));
        check(|v| kernels::several(&v[0], &k), &[&x], &[&g.x]);
        let (value, g) = kernels::rows::gradient(&x, 5);
        assert!((value - kernels::rows(&x, 5)).abs() < 1e-11);
        check(|v| kernels::rows(&v[0], 5), &[&x], &[&g.x]);
        let (value, g) = kernels::matched::gradient(&x, 3);
        assert!((value - kernels::matched(&x, 3)).abs() < 1e-11);
        check(|v| kernels::matched(&v[0], 3), &[&x], &[&g.x]);
        let (value, g) = kernels::pairs::gradient(&x, &w);
        assert!((value - kernels::pairs(&x, &w)).abs() < 1e-11);
        check(|v| kernels::pairs(&v[0], &v[1]), &[&x, &w], &[&g.x, &g.y]);
        let mut y = x.clone();
        let mut d_y = vec![0.0; n];
        let mut d_a = 0.0;
        let mut y2 = x.clone();
        let value = kernels::in_place::grad(&mut y, &mut d_y, 1.3, &mut d_a);
        assert_eq!(value, {
            let r = kernels::in_place(&mut y2, 1.3);
            r
        });
        assert_eq!(y, y2);
        check(|v| kernels::in_place(&mut v[0].clone(), v[1][0]), &[&x, &[1.3]], &[&d_y, &[d_a]]);
    }
    let nan = [1.0, f64::NAN, 2.0];
    assert!(std::panic::catch_unwind(|| kernels::ranks::value(&nan, &nan)).is_err());
    assert!(!kernels::ranks::value(&nan[1..2], &nan[..1]).is_finite());
}
