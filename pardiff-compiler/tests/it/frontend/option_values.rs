//! `Option`s as values: in variables, in arrays, as arguments and results of helpers, with `?`, and in `filter_map`.

use super::same;

same! {
    fn in_variables(x: &[f64]) -> f64 {
        let mut least = None;
        let mut squares: Option<f64> = None;
        for (i, &v) in x.iter().enumerate() {
            if least.map_or(true, |(_, b)| v < b) { least = Some((i, v)); }
            squares = match squares { None => Some(v * v), Some(s) if s > 4.0 => Some(s), Some(s) => Some(s + v * v) };
        }
        let Some((i, v)) = least else { return squares.unwrap_or(-1.0) };
        v * (i as f64 + 1.0) + squares.unwrap_or_default()
    }
    with (x = Vec::<f64>::new());
    with (x = vec![1.5, -2.0, -2.0, 0.5]);

    fn from_helpers(x: &[f64]) -> f64 {
        fn root(a: f64, b: f64) -> Option<f64> {
            let d = a * a - b;
            if d < 0.0 { return None; }
            Some(-a + d.sqrt())
        }
        fn three(x: &[f64], i: usize) -> Option<f64> {
            let a = x.get(i).copied()?;
            let b = x.get(i + 1)?;
            let c = root(a, *b)?;
            Some(a * b + c)
        }
        let mut s = 0.0;
        for i in 0..x.len() {
            if let Some(v) = three(x, i) { s += v } else { s *= 0.5 }
            s += root(x[i], 1.0).map(|r| r * r).unwrap_or(0.25);
        }
        s
    }
    with (x = vec![1.5, -2.0, 0.3, 0.5, 4.0]);
    with (x = vec![1.5]);

    fn with_methods(x: &[f64]) -> f64 {
        let inverse = |v: f64| (v.abs() > 0.1).then_some(1.0 / v);
        let mut s = 0.0;
        for (i, &v) in x.iter().enumerate() {
            s += inverse(v).and_then(|r| if r < 3.0 { Some(r * v.sin()) } else { None }).unwrap_or(v * 0.5);
            if inverse(v).is_some_and(|r| r > 0.0) { s += v; }
            if inverse(v).is_none() { s -= 2.0 * v; }
            let before = i.checked_sub(1);
            s += before.map(|k| x[k] * v).unwrap_or_default();
            s += before.filter(|k| k % 2 == 0).map_or(0.25 * v, |k| x[k].exp());
            s += x.get(i + 3).copied().unwrap_or_else(|| v * v);
            let later = x.get(i + 1).copied();
            s += later.or(before.map(|k| x[k])).unwrap_or(2.0 * v);
            s += before.map(|k| x[k]).or_else(|| later.filter(|a| *a > 0.0)).unwrap_or(0.125);
            if matches!(later, Some(a) if a > 0.2) { s += v * v; }
            if later == None { s += 1.0; }
        }
        let end = x.last();
        s + end.copied().unwrap_or(7.0)
    }
    with (x = vec![1.5, -2.0, 0.05, 0.5, 4.0]);
    with (x = Vec::<f64>::new());

    fn unwrapped(x: &[f64], k: usize) -> f64 {
        let found = x.iter().copied().find(|v| *v > 1.0);
        let at = k.checked_sub(1);
        x[at.unwrap()] * found.expect("one above 1")
    }
    with (x = vec![1.5, -2.0], k = 2usize);
    with (x = vec![1.5, -2.0], k = 0usize);
    with (x = vec![0.5, -2.0], k = 1usize);

    fn behind_references(x: &[f64]) -> f64 {
        fn update(b: &mut Option<f64>, v: f64) {
            match b { Some(w) => *w += 0.5 * v, None => *b = Some(v * v) }
        }
        let mut b = None;
        for v in x { update(&mut b, *v); }
        if let Some(w) = &mut b { *w = w.sin(); }
        let taken = b.take();
        taken.as_ref().map_or(0.0, |c| c * c) + if b.is_none() { 1.0 } else { 100.0 }
    }
    with (x = Vec::<f64>::new());
    with (x = vec![1.5, -2.0]);

    fn taken(x: &[f64]) -> f64 {
        fn pop(b: &mut Option<f64>) -> f64 { b.take().unwrap_or(3.0) }
        fn next(v: f64) -> Option<f64> { if v > 0.1 { Some(0.5 * v) } else { None } }
        let mut b = Some(x[0]);
        let mut s = pop(&mut b) * 2.0;
        s += pop(&mut b);
        let mut c = Some(x[1]);
        while let Some(v) = c { c = next(v); s += v * v; }
        s
    }
    with (x = vec![1.5, 2.0]);

    fn in_pairs(x: &[f64], k: usize) -> f64 {
        let mut s = 0.0;
        for i in 0..x.len() {
            let (a, b) = (x.get(i + k).copied(), i.checked_sub(k).map(|j| x[j]));
            s += match (a, b) {
                (Some(a), Some(b)) => a * b * x[i],
                (Some(a), None) | (None, Some(a)) => a * a,
                (None, None) => x[i].sin(),
            };
            if let (Some(p), None) = (b, a) { s -= p * x[i]; }
        }
        if let (Some(first), Some(last)) = (x.first(), x.last()) { s + first * last } else { s }
    }
    with (x = vec![1.5, -2.0, 0.3], k = 1usize);
    with (x = vec![1.5, -2.0, 0.3], k = 2usize);
    with (x = Vec::<f64>::new(), k = 0usize);

    fn in_arrays(x: &[f64], n: usize) -> f64 {
        let mut cells = vec![None; n];
        for (i, &v) in x.iter().enumerate() { cells[i % n] = Some([v, v * v]); }
        let mut s = 0.0;
        for c in &cells {
            if let Some([a, b]) = c { s += a * b; }
            match *c { Some(p) if p[0] > 0.5 => s += p[0], Some(_) => s -= 1.0, None => s += 3.0 }
        }
        s
    }
    with (x = vec![1.5, -2.0, 0.3], n = 5usize);
    with (x = vec![1.5, -2.0, 0.3], n = 2usize);

    fn nested(x: &[f64]) -> f64 {
        fn outer(x: &[f64], i: usize) -> Option<Option<f64>> {
            if i % 3 == 0 { return None; }
            Some(if i % 3 == 1 { Some(x[i] * x[i - 1]) } else { None })
        }
        (0..x.len()).map(|i| match outer(x, i) { Some(Some(v)) => v, Some(None) => x[i], None => -0.5 * x[i] }).sum()
    }
    with (x = vec![1.5, -2.0, 0.3, 0.5]);

    fn filtered(x: &[f64]) -> f64 {
        let a: f64 = x.iter().filter_map(|&v| if v > 0.0 { Some(v.sqrt()) } else { None }).sum();
        let b: f64 = x.iter().filter_map(|&v| (v > 0.3).then(|| v.ln())).sum();
        let c = x.iter().enumerate().filter_map(|(i, v)| i.checked_sub(2).map(|k| v * x[k])).fold(1.0, |s, v| 0.9 * s + v);
        let kept: Vec<f64> = x.iter().rev().filter_map(|v| (*v < 1.0).then_some(*v)).collect();
        a + b * b + c + kept.len() as f64 * kept.iter().sum::<f64>()
    }
    with (x = vec![1.5, -2.0, 0.3, 0.5, 4.0]);
    with (x = Vec::<f64>::new());

    fn walked(x: &[f64]) -> f64 {
        fn child(i: usize, n: usize, v: f64) -> Option<usize> {
            let k = if v > 0.0 { 2 * i + 1 } else { 2 * i + 2 };
            (k < n).then_some(k)
        }
        let (mut s, mut i) = (1.0, 0);
        while let Some(k) = child(i, x.len(), x[i]) { s *= 1.0 + 0.1 * x[k]; i = k; }
        s
    }
    with (x = vec![1.5, -2.0, 0.3, 0.5, 4.0, 2.0, 3.0]);
}
