//! `for` over every form of range, `continue`.

use super::same;

same! {
    fn range_forms(n: usize, x: &[f64]) -> f64 {
        let mut s = 0.0;
        for i in 0..n { s = s * 1.5 + x[i]; }
        for i in 0..=n { s = s * 0.5 + i as f64; }
        for i in (0..n).rev() { s = s * 0.25 + x[i]; }
        for i in (0..=n).rev() { s = s * 0.75 - i as f64; }
        for i in (0..n).step_by(2) { s = s * 1.25 + x[i]; }
        for i in (1..=n).step_by(3) { s = s * 1.125 + i as f64; }
        for i in (0..n).step_by(2).rev() { s = s * 0.3 + x[i]; }
        for i in (0..n).rev().step_by(2) { s = s * 0.7 + x[i]; }
        for i in (0..=n).rev().step_by(3) { s = s * 0.9 + i as f64; }
        for i in (0..n).rev().rev() { s = s * 1.1 + x[i]; }
        for i in (0..n).step_by(2).step_by(3) { s = s * 1.3 + x[i]; }
        for _ in 0..n { s += 0.125; }
        for i in ((0)..(n)) { s += x[i]; }
        s
    }
    with (n = 0usize, x = Vec::<f64>::new());
    with (n = 1usize, x = vec![1.5]);
    with (n = 5usize, x = vec![1.5, 2.0, -3.0, 4.0, 0.5]);
    with (n = 8usize, x = vec![1.5, 2.0, -3.0, 4.0, 0.5, 7.0, 8.0, 9.0]);

    fn integer_types(a: i32, b: i32, c: u8, x: &[f64]) -> f64 {
        let mut s = 0.0;
        for i in a..b { s = s * 0.5 + i as f64; }
        for i in (a..=b).rev() { s = s * 0.5 + x[(i + 5) as usize]; }
        for i in (a..b).rev().step_by(2) { s = s * 1.5 + i as f64; }
        for k in 0..c { s += k as f64; }
        for k in 0u64..3 { s += k as f64; }
        for k in -2i64..=2 { s += (k * k) as f64; }
        s
    }
    with (a = -3, b = 4, c = 3u8, x = vec![1.0; 10]);
    with (a = 3, b = -4, c = 255u8, x = vec![1.0; 10]);

    fn nested_bounds(n: usize, x: &[f64]) -> f64 {
        let mut s = 0.0;
        for i in 0..n { for j in 0..=i { for k in j..i { s += x[i * (i + 1) / 2 + j] * x[k]; } } }
        s
    }
    with (n = 3usize, x = vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);

    fn bounds_are_evaluated_once(n: usize, x: f64) -> f64 {
        let mut m = n;
        let mut s = x;
        for i in 0..m { m = 0; s += i as f64; }
        let mut k = 2;
        for i in (0..10).step_by(k) { k = 5; s += 100.0 * i as f64; }
        s + m as f64
    }
    with (n = 4usize, x = 0.5);

    fn step_of_zero(k: usize, x: f64) -> f64 {
        let mut s = x;
        for i in (0..10).step_by(k) { s += i as f64; }
        s
    }
    with (k = 3usize, x = 0.5);
    with (k = 0usize, x = 0.5);

    fn mutable_iterator(n: usize, x: f64) -> f64 {
        let mut s = x;
        for mut i in 0..n { i *= 2; s += i as f64; i += 1; }
        s
    }
    with (n = 4usize, x = 0.5);

    fn continues(x: &[f64]) -> f64 {
        let mut s = 0.0;
        for i in 0..x.len() {
            if x[i] < 0.0 { continue; }
            s += x[i];
            if x[i] > 10.0 { s += 1.0; continue; } else { s += 0.5; }
            s *= 2.0;
        }
        s
    }
    with (x = vec![1.0, -2.0, 30.0, 4.0]);

    fn nested_continues(x: &[f64], n: usize) -> f64 {
        let mut s = 0.0;
        for i in 0..n {
            if x[i] > 0.0 {
                let t = x[i] * 2.0;
                if t > 5.0 { s += 100.0; continue; }
                { if t > 3.0 { s += 10.0; if t > 4.0 { continue } s += 0.5; } }
                s += t;
            } else if x[i] < -1.0 {
                continue;
            }
            s += 1.0;
        }
        s
    }
    with (x = vec![1.0, 1.7, 2.2, 3.0, -0.5, -2.0], n = 6usize);

    fn continue_in_let(x: &[f64], k: &[i32]) -> f64 {
        let mut s = 0.0;
        for i in 0..x.len() {
            let v = if k[i] == 0 { continue } else { x[i] };
            let w = match k[i] { 1 => v, 2 => continue, n if n < 0 => { s -= 1.0; continue; } _ => 2.0 * v };
            s += w;
            match k[i] { 3 => continue, _ => {} }
            s *= 1.5;
        }
        s
    }
    with (x = vec![1.0, 2.0, 3.0, 4.0, 5.0], k = vec![0, 1, 2, 3, -1]);
    with (x = vec![1.0, 2.0, 3.0, 4.0, 5.0], k = vec![4, 4, 3, 1, 0]);

    fn labelled_continues(x: &[f64], n: usize) -> f64 {
        let mut s = 0.0;
        'outer: for i in 0..n {
            'middle: for j in 0..n {
                for k in 0..n {
                    if x[k] > 3.0 && j == 1 { continue 'outer; }
                    if x[k] > 2.0 { continue 'middle; }
                    if x[k] < 0.0 { continue; }
                    s += x[k] * (i + 2 * j + k) as f64;
                }
                s += 100.0;
            }
            s += 10_000.0;
        }
        s
    }
    with (x = vec![1.0, -1.0, 4.0], n = 3usize);
    with (x = vec![1.0, 2.5, 0.5], n = 3usize);
    with (x = vec![1.0, 1.5, 0.5], n = 3usize);

    fn guarded_access_after_continue(x: &[f64], idx: &[usize]) -> f64 {
        let mut s = 0.0;
        for i in 0..idx.len() {
            if idx[i] >= x.len() { continue; }
            s += x[idx[i]];
        }
        s
    }
    with (x = vec![1.0, 2.0], idx = vec![0usize, 7, 1]);

    fn running_counters(x: &[f64], n: usize) -> f64 {
        let mut p = 0;
        let mut q = x.len();
        let mut s = 0.0;
        for i in 0..n { for j in 0..i { s += x[p] * (j as f64 + 1.0); p += 1; q -= 1; s -= x[q]; } }
        s + p as f64
    }
    with (x = vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0], n = 4usize);
    with (x = vec![1.0, 2.0, 3.0, 4.0, 5.0], n = 4usize);

    fn bounds_from_arrays(ptr: &[u32], x: &[f64], y: &mut [f64]) {
        for i in 0..y.len() {
            for k in ptr[i] as usize..ptr[i + 1] as usize { y[i] += x[k]; }
            for k in ptr[i]..ptr[i + 1] { y[i] += x[k as usize] * 0.5; }
        }
    }
    with (ptr = vec![0u32, 1, 3], x = vec![1.0, 2.0, 3.0], y = vec![0.0; 2]);

    fn loop_in_expression(n: usize, x: f64) -> f64 {
        let a = { let mut t = 0.0; for i in 0..n { if i == 1 { continue; } t += i as f64; } t };
        let b = 1.0 + { let mut t = 1.0; for i in 1..=n { t *= i as f64; } t };
        a * b * x
    }
    with (n = 5usize, x = 0.5);
}
