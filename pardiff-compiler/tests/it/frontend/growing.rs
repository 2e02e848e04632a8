//! Vectors that grow.

use super::same;
use pardiff_compiler::frontend::{Options, lower};

same! {
    fn push_and_count(x: &[f64]) -> f64 {
        let mut positive = Vec::new();
        for i in 0..x.len() { if x[i] > 0.0 { positive.push(x[i] * 2.0); } }
        let mut s = 0.0;
        for i in 0..positive.len() { s += positive[i] * (i as f64 + 1.0); }
        s + positive.len() as f64
    }
    with (x = vec![1.0, -2.0, 3.0]);
    with (x = vec![-1.0]);

    fn index_list(x: &[f64], lim: f64) -> f64 {
        let mut idx: Vec<usize> = vec![];
        for i in 0..x.len() { if x[i] < lim { idx.push(i); } }
        let mut s = 0.0;
        for k in (0..idx.len()).rev() { s = s * 0.5 + x[idx[k]]; }
        if idx.is_empty() { -1.0 } else { s }
    }
    with (x = vec![1.0, -2.0, 3.0, 0.5], lim = 2.0);
    with (x = vec![1.0, 2.0], lim = -2.0);

    fn out_of_range(x: &[f64], n: usize) -> f64 {
        let mut v = Vec::with_capacity(10);
        for i in 0..n { v.push(x[i]); }
        v[2]
    }
    with (x = vec![1.0, 2.0, 3.0], n = 3usize);
    with (x = vec![1.0, 2.0, 3.0], n = 2usize);

    fn initialised_then_pushed(x: &[f64]) -> f64 {
        let mut v = vec![1.0; 2];
        let mut w = x.to_vec();
        v.push(x[0]);
        w.push(v[2]);
        v[0] += 5.0;
        let u = &w[1..];
        v[0] + v[2] + u[u.len() - 1] + w.len() as f64
    }
    with (x = vec![3.0, 2.0]);

    fn cleared(x: &[f64], n: usize) -> f64 {
        let mut v: Vec<f64> = Vec::new();
        let mut s = 0.0;
        for i in 0..n {
            v.clear();
            for j in 0..=i { v.push(x[j]); }
            s += v[v.len() - 1] * v.len() as f64;
        }
        s
    }
    with (x = vec![3.0, 2.0, 1.0], n = 3usize);

    fn rows_pushed(x: &[f64]) -> f64 {
        let mut v = Vec::new();
        for i in 0..x.len() { v.push([x[i], 1.0]); }
        let r = v[1];
        r[0] + v[0][1] + v.len() as f64
    }
    with (x = vec![3.0, 2.0, 1.0]);
    with (x = vec![3.0]);

    fn assigned_with_another_length(x: &[f64], c: bool) -> f64 {
        let mut v = vec![0.0; 2];
        if c { v = x.to_vec(); }
        v[v.len() - 1] + v.len() as f64
    }
    with (x = vec![3.0, 2.0, 1.0], c = true);
    with (x = vec![3.0, 2.0, 1.0], c = false);

    fn deferred_vector(x: &[f64], n: usize, c: bool) -> f64 {
        let v: Vec<f64>;
        if c { v = x.to_vec(); } else { v = vec![1.0; n]; }
        v[0] + v.len() as f64
    }
    with (x = vec![3.0, 2.0, 1.0], n = 2usize, c = true);
    with (x = vec![3.0, 2.0, 1.0], n = 2usize, c = false);
    with (x = vec![3.0, 2.0, 1.0], n = 0usize, c = false);

    fn pushed_by_helper(x: &[f64]) -> f64 {
        fn keep(v: &mut Vec<f64>, a: f64) { if a > 1.0 { v.push(a); } }
        let mut v = vec![];
        for i in 0..x.len() { keep(&mut v, x[i]); }
        v[0] + v.len() as f64
    }
    with (x = vec![3.0, 2.0, 1.0]);

    fn lengths_of_one_formula(x: &[f64], n: usize, m: usize) -> f64 {
        let mut s = 0.0;
        for i in 0..x.len() {
            if x[i] > 0.0 {
                let a = vec![x[i]; n * m];
                s += a[n * m - 1];
            } else {
                let mut a = vec![x[i]; n * m];
                let mut b = vec![2.0; n * m];
                b[1] = x[i] * x[i];
                std::mem::swap(&mut a, &mut b);
                s += a[0] * a[1] + b[n * m - 1];
            }
        }
        let mut size = n + m;
        let mut c = vec![s; 2 * size];
        size += 1;
        let mut d = vec![1.0; 2 * size];
        std::mem::swap(&mut c, &mut d);
        c[2 * size - 1] + d[2 * size - 3] + d.len() as f64
    }
    with (x = vec![1.0, -2.0, 3.0], n = 2usize, m = 3usize);

    fn extended(x: &[f64], k: usize) -> f64 {
        let mut v = Vec::new();
        v.extend_from_slice(&x[..k]);
        v.extend_from_slice(&v.clone());
        v.extend(x.iter().filter(|a| **a > 1.5));
        v.extend(x.iter().map(|a| a * 2.0).take(2));
        v.extend([0.5, 0.25]);
        v.extend(vec![1.0; k]);
        let mut ids = vec![7usize];
        ids.extend(0..k);
        ids.extend(0..ids.len());
        ids.extend((0..k).rev().step_by(2));
        let mut rows: Vec<[f64; 2]> = Vec::new();
        rows.extend(x.windows(2).map(|w| [w[0], w[1]]));
        rows.extend_from_slice(&rows[1..].to_vec());
        let mut s = 0.0;
        for (i, a) in v.iter().enumerate() { s = s * 0.5 + a * i as f64; }
        for i in &ids { s += (i * i) as f64; }
        for r in &rows { s = s * 0.75 + r[0] - r[1] * r[1]; }
        s + v.len() as f64 + ids.len() as f64 + rows.len() as f64
    }
    with (x = vec![1.0, 2.0, 4.0], k = 2usize);
    with (x = vec![1.0, 2.0, 4.0], k = 0usize);
    with (x = vec![1.0, 2.0, 4.0], k = 4usize);
    with (x = vec![1.0], k = 1usize);

    fn extended_by_helper(x: &[f64], n: usize) -> f64 {
        fn more(v: &mut Vec<f64>, x: &[f64]) { if x[0] > 0.0 { v.extend(x); } else { v.extend(x.iter().rev()); } }
        let mut v = vec![1.0];
        let mut s = 0.0;
        for i in 0..n { more(&mut v, &x[i..]); s += v[i] * v[v.len() - 1]; }
        v.reverse();
        s + v[0] * 3.0
    }
    with (x = vec![1.0, -2.0, 4.0], n = 3usize);
    with (x = vec![-1.0, 2.0, 4.0], n = 2usize);

    fn swapped_stacks(x: &[f64], n: usize) -> f64 {
        let mut a = vec![x[0]];
        let mut b = Vec::new();
        for i in 0..n {
            b.clear();
            for j in 0..a.len() { b.push(a[j] * 0.5); b.push(a[j] + i as f64); }
            std::mem::swap(&mut a, &mut b);
        }
        let mut s = 0.0;
        for j in 0..a.len() { s += a[j] * (j as f64 + 1.0); }
        s
    }
    with (x = vec![3.0], n = 3usize);
    with (x = vec![3.0], n = 0usize);

    fn block_of_run_time_length(x: &[f64], n: usize) -> f64 {
        let v = { let mut t = vec![0.0; n]; for i in 0..n { t[i] = x[i] * 2.0; } t };
        let w = { let m = n + 1; vec![v[0]; m] };
        v[n - 1] + w[n] + w.len() as f64
    }
    with (x = vec![3.0, 4.0], n = 2usize);
}

/// Whether two arrays of these lengths that are exchanged have lengths that change.
fn grow(lengths: [&str; 2]) -> bool {
    let source = format!(
        "fn f(x: f64, n: usize, m: usize) -> f64 {{
            let cells = n * m;
            let mut size = n;
            let mut a = vec![x; {}];
            size += m;
            let mut b = vec![2.0 * x; {}];
            std::mem::swap(&mut a, &mut b);
            a[0] + size as f64 + cells as f64
        }}",
        lengths[0], lengths[1]
    );
    let function = syn::parse_str(&source).unwrap();
    let lowered = lower(&Options::default(), function).unwrap();
    lowered.cases.general().to_string().contains("growing")
}

#[test]
fn arrays_with_lengths_of_one_formula_are_exchanged_as_they_are() {
    assert!(!grow(["n * m", "n * m"]));
    assert!(!grow(["9 * cells", "9 * cells"]));
    assert!(grow(["n * m", "9 * cells"]));
    // the same formula of another value
    assert!(grow(["2 * size", "2 * size"]));
}
