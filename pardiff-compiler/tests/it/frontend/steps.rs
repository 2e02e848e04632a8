//! Iterators that are used up step by step, that repeat, and that end with an `Option`; jumps inside of expressions.

use super::{refused, same};

same! {
    fn stepped(x: &[f64]) -> f64 {
        let mut items = x.iter();
        let Some(first) = items.next() else { return -1.0 };
        let mut m = *first;
        for v in items { m = m.max(v * v); }
        let mut s = m;
        let mut steps = x.windows(2).map(|w| w[1] - w[0]).peekable();
        while let Some(d) = steps.next() {
            s += d * if steps.peek().is_none() { 0.5 } else { 1.0 };
            if let Some(e) = steps.peek() { s += d * e; }
        }
        let mut k = (0..x.len()).rev();
        let mut pairs = x.iter().copied().zip(x.iter().skip(1)).enumerate();
        loop {
            let Some(i) = k.next() else { break };
            s += x[i] * i as f64;
            match pairs.next() { Some((j, (a, b))) => s += a * b * j as f64, None => s *= 0.5 }
        }
        let mut c = x.iter().copied();
        let (a, b) = (c.next().unwrap_or(1.0), c.next().unwrap_or(2.0));
        s + a * b + c.map(|v| v * 0.5).sum::<f64>() + x.iter().nth(2).copied().unwrap_or(0.125)
    }
    with (x = vec![1.5, 2.0, -3.0, 4.0]);
    with (x = vec![1.5]);
    with (x = Vec::<f64>::new());

    fn repeated(x: &[f64], w: &[f64], n: usize) -> f64 {
        let mut s = 0.0;
        for (a, b) in x.iter().zip(w.iter().cycle()) { s = s * 0.5 + a * b; }
        for v in x.iter().map(|v| v * v).cycle().skip(1).take(n) { s = s * 0.5 + v; }
        for (a, b) in std::iter::repeat(s).zip(x) { s -= a * b; }
        let t = vec![1.0; n];
        s + std::iter::repeat_n(s, n).zip(&t).map(|(a, b)| a * b).sum::<f64>()
    }
    with (x = vec![1.5, 2.0, -3.0, 4.0, 0.5], w = vec![0.5, 2.0], n = 7);
    with (x = vec![1.5, 2.0], w = Vec::<f64>::new(), n = 3);
    with (x = Vec::<f64>::new(), w = vec![1.0], n = 3);

    fn optional(x: &[f64]) -> f64 {
        let product = x.iter().try_fold(1.0, |a: f64, v| if *v > 0.0 { Some(a * v) } else { None });
        let greatest = x.iter().fold(None, |m: Option<f64>, &v| match m { None => Some(v), Some(w) => Some(w.max(v)) });
        let last = x.iter().rposition(|v| *v > 1.0);
        let roots: f64 = x.iter().map(|v| (*v > 0.0).then(|| v * 0.5)).flatten().sum();
        let first: f64 = x.iter().map_while(|v| if *v > 0.0 { Some(v * v) } else { None }).sum();
        let (a, b): (Vec<f64>, Vec<f64>) = x.iter().map(|v| (v * v, v - 1.0)).unzip();
        let (p, q): (Vec<f64>, Vec<f64>) = x.iter().copied().partition(|v| *v > 0.0);
        let zero: f64 = Default::default();
        product.unwrap_or(-1.0) + greatest.unwrap_or(-2.0) + last.map_or(0.5, |k| k as f64) + roots * first + zero
            + a.iter().zip(&b).map(|(a, b)| a * b).sum::<f64>() + p.len() as f64 * 0.5 + q.iter().sum::<f64>() + f64::default()
    }
    with (x = vec![1.5, 2.0, -3.0, 4.0]);
    with (x = vec![1.5, 2.0]);
    with (x = Vec::<f64>::new());

    fn jumps(x: &[f64], n: usize) -> f64 {
        fn half(v: f64) -> Option<f64> { if v > 0.0 { Some(v * 0.5) } else { None } }
        fn both(x: &[f64], i: usize) -> Option<f64> {
            let mut a = x[0];
            let c = if x[i] < 5.0 { Some(x[i]) } else { None }?;
            Some(c + a * { a += 1.0; half(x[i])? } + a * x[i + 1] / half(*x.get(i + 1)?)?.max(a))
        }
        let mut s = 0.0;
        'rows: for i in 0..n {
            s = s * 0.5 + match x[i] > 10.0 { true => continue, false => x[i] } * both(x, i).unwrap_or(0.75);
            s += x[i] + 'a: { if x[i] > 6.0 { continue 'rows; } break 'a 1.0; };
            if s + match x.get(i + 1) { Some(v) => *v, None => break } > 100.0 { s -= 50.0; }
        }
        let g = |v: f64| Some(half(v)? - half(v * v)?);
        s + g(x[0]).unwrap_or(7.0)
    }
    with (x = vec![1.5, 20.0, -3.0, 4.0, 0.5], n = 4);
    with (x = vec![1.5, 2.0, 4.0], n = 3);
    with (x = vec![-1.5], n = 1);
    with (x = Vec::<f64>::new(), n = 0);
    with (x = vec![1.5], n = 2);
}

refused! {
    stepped_places: "fn f(x: &mut [f64]) { let mut it = x.iter_mut(); while let Some(v) = it.next() { *v *= 2.0; } }"
        => ["next", "a place that `next` hands out of the iterator `it`"]
    stepped_filter: "fn f(x: &[f64]) -> f64 { let mut it = x.iter().filter(|v| **v > 0.0); *it.next().unwrap() }"
        => ["filter", "`filter` in an iterator that is used step by step"]
    cycled_chain: "fn f(x: &[f64]) -> f64 { x.iter().chain(x).cycle().take(3).sum() }"
        => ["cycle", "`cycle` behind `scan` or `chain`"]
    unknown_of_option: "fn f(x: &[f64]) -> f64 { match x.first().inspect(|_| ()) { Some(v) => v * v, None => 0.0 } }"
        => ["inspect", "the method `inspect` of an `Option`"]
    unknown_in_while: "fn f(x: &[f64]) -> f64 { while let Some(v) = x.first().inspect(|_| ()) { return *v; } 0.0 }"
        => ["inspect", "the method `inspect` of an `Option`"]
}
