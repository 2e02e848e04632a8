//! Iterator chains, alone and composed, in `for` and in what ends them.

use super::{lowered, refused, same};

same! {
    fn elements(x: &[f64], y: &[f64; 3], t: &[[f64; 2]]) -> f64 {
        let mut s = 0.0;
        for v in x { s = s * 0.5 + v; }
        for &v in x.iter() { s = s * 0.5 + v; }
        for v in y { s = s * 0.75 + *v * v; }
        for v in y.iter().copied() { s += v.sin(); }
        for [a, b] in t { s += a * b; }
        for &[a, b] in t.iter() { s = s * a - b; }
        for row in t { for v in row { s = s * 0.9 + v; } }
        for v in [1.0, 2.0, s] { s += v; }
        s
    }
    with (x = vec![1.5, 2.0, -3.0], y = [0.5, 0.25, 1.0], t = vec![[1.0, 2.0], [3.0, 4.0]]);
    with (x = Vec::<f64>::new(), y = [0.5, 0.25, 1.0], t = vec![[0.5, 4.0]]);

    fn by_value(x: &[f64], t: f64) -> f64 {
        let mut a = [x[0], x[1], t];
        for v in a { a[2] += v * 0.5; a[0] = a[2] * v; }
        for (i, v) in a.into_iter().enumerate() { a[(i + 1) % 3] += v; }
        for (v, w) in x.iter().zip(a) { a[1] -= v * w; a[2] = a[1]; }
        a.into_iter().rev().for_each(|v| a[0] = a[0] * 0.5 + v);
        let mut s = 0.0;
        let mut rows = [[t, x[0]], [x[1], 1.0]];
        for [v, w] in rows { rows[1][0] = v; rows[0][1] -= 1.0; s = s * 0.5 + w; }
        let mut pairs = [(t, 1usize), (x[0], 0)];
        for (v, k) in pairs { pairs[1] = (v + 1.0, k); s -= v * pairs[k].0; }
        let mut counts = [2usize, 0, 1];
        for k in counts { counts[k] += 1; s = s * 0.5 + a[k] * counts[1] as f64; }
        let mut made: [f64; 3] = std::array::from_fn(|k| a[k] + k as f64);
        for v in made { made[2] -= v; s += made[2]; }
        for v in &mut a { *v += s; s = *v * 0.5; }
        s + made[2] + a[0] * a[1] - a[2] + rows[0][1]
    }
    with (x = vec![1.5, -2.0], t = 0.75);

    fn in_place(y: &mut [f64], z: &mut [f64], x: &[f64]) {
        for v in y.iter_mut() { *v *= 2.0; }
        for (v, w) in y.iter_mut().zip(x) { *v += w * w; }
        for (i, v) in y.iter_mut().enumerate() { *v = v.sin() + i as f64; }
        for v in &mut *z { *v += 1.0; }
        z.iter_mut().zip(y.iter()).for_each(|(a, b)| *a *= b);
        for (a, b) in z.iter_mut().zip(y.iter_mut()).rev() { *a += *b; *b = *a * 0.5; }
    }
    with (y = vec![1.5, 2.0, -3.0], z = vec![0.5, 0.25, 1.0, 4.0], x = vec![0.1, 0.2]);
    with (y = Vec::<f64>::new(), z = vec![0.5], x = vec![0.1, 0.2]);

    fn adapters(n: usize, k: usize, x: &[f64]) -> f64 {
        let mut s = 0.0;
        for v in x.iter().skip(k) { s = s * 1.5 + v; }
        for v in x.iter().take(k) { s = s * 1.25 + v; }
        for v in x.iter().rev().skip(k) { s = s * 1.5 + v; }
        for v in x.iter().rev().take(k) { s = s * 1.125 + v; }
        for v in x.iter().skip(k).rev() { s = s * 1.5 - v; }
        for v in x.iter().take(k).rev() { s = s * 0.5 - v; }
        for v in x.iter().step_by(2) { s = s * 0.5 + v; }
        for v in x.iter().rev().step_by(2) { s = s * 0.3 + v; }
        for v in x.iter().step_by(2).rev() { s = s * 0.7 + v; }
        for v in x.iter().skip(1).step_by(2).skip(1).rev() { s = s * 0.7 + v; }
        for v in x.iter().take(5).skip(1).take(2) { s = s * 0.6 + v; }
        for v in x.iter().rev().take(4).rev().skip(1) { s = s * 0.6 + v; }
        for (i, v) in x.iter().enumerate().skip(k).rev() { s = s * 0.6 + v * i as f64; }
        for (i, v) in x.iter().skip(k).enumerate() { s = s * 0.8 + v * i as f64; }
        for (i, v) in x.iter().rev().enumerate() { s = s * 0.8 - v * i as f64; }
        for (i, v) in x.iter().enumerate().step_by(2).rev() { s = s * 0.8 - v * i as f64; }
        for (a, b) in x.iter().zip(x.iter().skip(1)) { s = s * 0.5 + a * b; }
        for (a, b) in x.iter().zip(x.iter().rev()) { s = s * 0.5 + a * b; }
        for (i, a) in (1..).zip(x) { s = s * 0.5 + a * i as f64; }
        for (a, i) in x.iter().zip((0..n).rev()) { s = s * 0.5 + a * i as f64; }
        for i in (0..n).skip(1) { s = s * 0.9 + x[i]; }
        for i in (0..n).take(k) { s = s * 0.9 + x[i]; }
        for i in (1..=n).skip(k).step_by(2) { s = s * 0.9 + i as f64; }
        for i in (0..).take(n) { s = s * 0.9 + i as f64; }
        for i in (2..).step_by(3).take(n) { s = s * 0.9 + i as f64; }
        s
    }
    with (n = 0usize, k = 0usize, x = Vec::<f64>::new());
    with (n = 0usize, k = 2usize, x = Vec::<f64>::new());
    with (n = 6usize, k = 2usize, x = vec![1.5, 2.0, -3.0, 4.0, 0.5, 7.0]);
    with (n = 5usize, k = 9usize, x = vec![1.5, 2.0, -3.0, 4.0, 0.5]);

    fn parts(x: &[f64], c: usize) -> f64 {
        let mut s = 0.0;
        for p in x.chunks(2) { s = s * 0.5 + p[0] * p.len() as f64; for v in p { s += v * v; } }
        for p in x.chunks(c) { s = s * 0.5 + p[0]; for j in 0..p.len() { s = s * 0.7 + p[j]; } }
        for p in x.chunks_exact(3) { s = s * 0.5 + p[0] * p[1] - p[2]; }
        for (i, p) in x.chunks_exact(c).enumerate() { s = s * 0.5 + p[c - 1] * i as f64; }
        for w in x.windows(2) { s = s * 0.5 + w[1] - w[0]; }
        for w in x.windows(c) { s = s * 0.5 + w[0] * w[c - 1]; }
        for (p, q) in x.chunks(3).zip(x.windows(2).rev()) { s = s * 0.3 + p[0] * q[1]; }
        for (i, (p, v)) in x.chunks(3).zip(x.iter()).enumerate().rev().skip(1) { s = s * 0.3 + p[0] * v + i as f64; }
        for p in x[1..].chunks(2).rev() { s = s * 0.9 + p[p.len() - 1]; }
        s
    }
    with (x = vec![1.5, 2.0, -3.0, 4.0, 0.5, 7.0, 0.25], c = 2usize);
    with (x = vec![1.5, 2.0, -3.0, 4.0, 0.5, 7.0], c = 3usize);
    with (x = vec![1.5, 2.0], c = 5usize);
    with (x = vec![1.5, 2.0], c = 0usize);

    fn parts_in_place(y: &mut [f64], x: &[f64]) {
        for p in y.chunks_exact_mut(2) { p[0] *= p[1]; p[1] = 1.0; }
        for (p, v) in y.chunks_mut(3).zip(x) { for w in p.iter_mut() { *w += v; } }
        for (i, p) in y.chunks_mut(2).enumerate() { p[0] += x[i]; }
    }
    with (y = vec![1.5, 2.0, -3.0, 4.0, 0.5, 7.0, 0.25], x = vec![0.1, 0.2, 0.3, 0.4]);
    with (y = vec![1.5, 2.0, -3.0, 4.0, 0.5, 7.0, 0.25], x = vec![0.1, 0.2, 0.3]);

    fn ends(x: &[f64], y: &[f64], k: &[i64]) -> (f64, i64) {
        let dot: f64 = x.iter().zip(y).map(|(a, b)| a * b).sum();
        let norm = x.iter().map(|v| v * v).sum::<f64>().sqrt();
        let product = y.iter().product::<f64>();
        let largest = x.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let smallest = x.iter().fold(f64::INFINITY, |m, &v| m.min(v));
        let (a, b) = x.iter().zip(y.iter()).fold((0.0, 1.0), |(a, b), (v, w)| (a + v * b, b * w));
        let count: i64 = k.iter().map(|v| v * 2).sum();
        let positive = x.iter().filter(|v| **v > 0.0).count();
        (dot + norm * 0.5 + product * 0.25 + (largest - smallest).max(0.5) + a - b + positive as f64, count)
    }
    with (x = vec![1.5, 2.0, -3.0], y = vec![0.5, 0.25, 1.0, 4.0], k = vec![1i64, 2, 3]);
    with (x = Vec::<f64>::new(), y = vec![0.5], k = vec![1i64, -3]);

    fn filters(x: &[f64], y: &mut [f64]) -> f64 {
        let mut s = x.iter().filter(|&&v| v > 0.0).map(|v| v.sqrt()).sum::<f64>();
        for (i, v) in x.iter().enumerate().filter(|(i, _)| i % 2 == 0) { s = s * 0.5 + v * i as f64; }
        for i in (0..x.len()).filter(|&i| x[i] < 0.0).rev() { s = s * 0.25 + x[i]; }
        for v in y.iter_mut().filter(|v| **v > 1.0) { *v *= s; }
        s += x.iter().map(|v| v * 2.0).filter(|v| *v > 1.0).fold(0.0, |a, v| a * 0.5 + v);
        let kept: Vec<f64> = x.iter().copied().filter(|v| *v > 0.0).collect();
        for (i, v) in kept.iter().enumerate() { s += v * (i + 1) as f64; }
        s + kept.len() as f64
    }
    with (x = vec![1.5, 2.0, -3.0, -0.5, 0.75], y = vec![0.5, 2.25, 1.0, 4.0]);

    fn collected(x: &[f64], n: usize) -> f64 {
        let v: Vec<f64> = x.iter().map(|a| a * a).collect();
        let w = (0..n).map(|i| x[i] + i as f64).collect::<Vec<_>>();
        let r: Vec<f64> = x.iter().rev().skip(1).map(|a| a.sin()).collect();
        let p: Vec<[f64; 2]> = x.windows(2).map(|p| [p[0], p[1] - p[0]]).collect();
        let q = [x[0], x[1]].map(|a| a * 3.0);
        let mut m = x.iter().map(|&a| { let b = a + 1.0; b * b }).collect::<Vec<f64>>();
        m[0] = 1.0;
        v.iter().zip(&w).map(|(a, b)| a * b).sum::<f64>() + r.iter().sum::<f64>() * q[1]
            + p.iter().map(|[a, b]| a * b).sum::<f64>() + m.iter().sum::<f64>() + r.len() as f64
    }
    with (x = vec![1.5, 2.0, -3.0, -0.5, 0.75], n = 4usize);
    with (x = vec![1.5], n = 0usize);

    fn captured(x: &[f64], a: f64, n: usize) -> f64 {
        fn square(v: f64) -> f64 { v * v }
        let scale = a * 2.0;
        let mut total = 0.0;
        (0..n).for_each(|i| total += scale * x[i]);
        let f = x.iter().map(|&v| square(v) * scale).sum::<f64>();
        let g: f64 = x.iter().copied().map(square).sum();
        let h: f64 = x.iter().map(|v| v.powi(2)).map(f64::sqrt).sum();
        let nested: f64 = (0..n).map(|i| (0..i).map(|j| x[i] * x[j]).sum::<f64>()).sum();
        let best = (0..n).fold(0, |best, i| if x[i] > x[best] { i } else { best });
        let v = x.iter().fold([0.0; 2], |mut acc, &v| { acc[0] += v; acc[1] += v * v; acc });
        total + f + g + h + nested + x[best] + v[0] * v[1]
    }
    with (x = vec![1.5, 2.0, -3.0, -0.5, 0.75], a = 0.5, n = 5usize);

    fn continues_in_iterations(x: &[f64]) -> f64 {
        let mut s = 0.0;
        'rows: for (i, row) in x.chunks(3).enumerate() {
            for &v in row { if v < -2.0 { continue 'rows; } if v < 0.0 { continue; } s += v; }
            s *= 1.0 + i as f64;
        }
        s
    }
    with (x = vec![1.5, -2.0, 3.0, 0.5, -3.0, 7.0, 0.25, 1.0]);

    fn ranges_of_other_types(x: &[f64], a: u8, b: i32) -> f64 {
        let mut s = 0.0;
        for k in (250..=255u8).map(|k| k as usize) { s = s * 0.5 + x[k % 4]; }
        for (i, k) in (a..=255).rev().step_by(2).enumerate() { s = s * 0.5 + x[i % 4] * k as f64; }
        for k in (-3..b).rev().skip(1).step_by(2) { s = s * 0.5 + k as f64; }
        for (k, v) in (-1..=b).zip(x) { s += v * k as f64; }
        s + (a..=255).map(|k| k as f64).sum::<f64>()
    }
    with (x = vec![1.5, -2.0, 3.0, 0.5], a = 249u8, b = 4);
    with (x = vec![1.5, -2.0, 3.0, 0.5], a = 255u8, b = -7);

    fn collected_from_ranges_of_other_types(x: &[f64], n: isize, b: i32, c: u32) -> f64 {
        let last = x.len() as isize - 1;
        let f: Vec<f64> = (1..n).map(|i| x[i as usize] * i as f64).collect();
        let g: Vec<f64> = (0..b).rev().map(|i| x[(i + 1).min(b - 1) as usize]).collect();
        let h: Vec<f64> = (0..=c).step_by(2).map(|i| x[i as usize] + i as f64).collect();
        let r: Vec<f64> = (-2..=2).map(|d: i64| x[(d + 2) as usize] * d as f64).collect();
        let e: Vec<f64> = (-1..n).chain(0..n).map(|i| x[(i - 1).clamp(0, last) as usize]).collect();
        let k: Vec<i8> = (-100i8..=100).step_by(60).collect();
        let wide: Vec<i64> = (i64::MIN..i64::MAX).step_by(1 << 62).collect();
        let mut s = wide.len() as f64 + (wide[3] >> 60) as f64;
        for v in f.iter().chain(&g).chain(&h).chain(&r).chain(&e) { s = s * 0.9 + v * v; }
        for v in k.iter() { s = s * 0.9 + *v as f64; }
        s
    }
    with (x = vec![1.5, -2.0, 3.0, 0.5, 0.25], n = 5isize, b = 4, c = 3u32);
    with (x = vec![1.5, -2.0, 3.0, 0.5, 0.25], n = -5isize, b = 0, c = 0u32);
    with (x = vec![1.5, -2.0, 3.0, 0.5, 0.25], n = 6isize, b = 4, c = 3u32);
    with (x = vec![1.5, -2.0, 3.0, 0.5, 0.25], n = 5isize, b = 4, c = 5u32);

    fn the_array_is_taken_at_the_start(x: &[f64], k: &[usize]) -> f64 {
        let (mut a, mut s) = (1, 0.0);
        for v in x[a..].iter().skip(a) { a += 1; s = s * 0.5 + v + a as f64; }
        for &j in k { for v in &x[j..j + 2] { s += v; } }
        s
    }
    with (x = vec![1.5, -2.0, 3.0, 0.5, -3.0, 7.0, 0.25, 1.0], k = vec![1usize, 3]);
    with (x = vec![1.5, -2.0, 3.0], k = vec![1usize, 3]);
}

refused! {
    adapter_behind_filter: "fn f(x: &[f64]) -> f64 { x.iter().filter(|v| **v > 0.0).cycle().take(9).map(|a| a * a).sum() }"
        => ["cycle", "behind `filter`"]
    steps_of_calls: "fn f(x: f64) -> f64 { let mut v = x; let mut it = std::iter::from_fn(|| { v *= 2.0; Some(v) }); it.next().unwrap() }"
        => ["from_fn", "`from_fn` in an iterator that is used step by step"]
    iterator_as_value: "fn f(x: &[f64]) -> f64 { let mut it = x.iter(); let mut s = 0.0; for v in it.by_ref().take(2) { s += v; } s * it.sum::<f64>() }"
        => ["by_ref", "`by_ref` of the iterator `it`"]
    unknown_adapter: "fn f(x: &[f64]) -> f64 { x.iter().peekable().map(|v| v).sum() }"
        => ["peekable", "adapter `peekable`"]
    closure_that_writes: "fn f(x: &[f64]) -> f64 { let mut s = 0.0; let t: f64 = x.iter().map(|v| { s += v; *v }).take(2).sum(); s + t }"
        => ["s += v", "changes a variable"]
}

/// `array_windows` needs a newer toolchain than the rest, so that its program is compared as text.
#[test]
fn windows_of_a_length_that_the_type_says() {
    let printed = |windows: &str| {
        let source = format!(
            "fn f(x: &[f64]) -> f64 {{ let mut s = 0.0; for w in {windows} {{ s = s * 0.5 + w[0] * w[1]; }} s }}"
        );
        lowered(&source).program.to_string()
    };
    assert_eq!(printed("x.array_windows::<2>()"), printed("x.windows(2)"));
    assert_ne!(printed("x.array_windows::<3>()"), printed("x.windows(2)"));
}
