//! `if` and `match`, as statements and as values.

use super::same;

/// A constant that patterns name.
pub const LIMIT: usize = 4;

same! {
    fn ifs(x: f64, n: i32) -> f64 {
        let mut y = 0.0;
        if x > 0.0 { y += 1.0 } else if x > -1.0 { y += 2.0; } else { y += 3.0 }
        if n == 3 { y *= 2.0; }
        let k = if n > 0 { n } else { -n };
        let b = if x > 0.5 { n > 1 } else { true };
        y + k as f64 + if b { 0.25 } else { 0.5 } * if x < 0.0 { x } else { 2.0 * x }
    }
    with (x = 1.0, n = 3);
    with (x = -0.5, n = -3);
    with (x = -5.0, n = 0);

    fn short_circuits(x: &[f64], i: usize, n: usize) -> f64 {
        let mut s = 0.0;
        if i < x.len() && x[i] > 0.0 { s += 1.0; }
        if i >= x.len() || x[i] < 0.0 { s += 2.0; }
        if i > 0 && i - 1 < n && x[i - 1] > 0.5 || n == 0 { s += 4.0 } else { s += 8.0 }
        let p = n > 0 && x[n - 1] > 0.0;
        let q = !(n > 0) || 10 / n > 2;
        if p && q { s += 16.0; }
        s
    }
    with (x = vec![1.0, -2.0, 3.0], i = 0usize, n = 3usize);
    with (x = vec![1.0, -2.0, 3.0], i = 1usize, n = 0usize);
    with (x = vec![1.0, -2.0, 3.0], i = 3usize, n = 5usize);
    with (x = vec![1.0, -2.0, 3.0], i = 7usize, n = 3usize);

    fn chains(x: &[f64], i: usize, n: usize, k: i32) -> f64 {
        let mut s = 0.0;
        if i + 1 >= 1 && i + 1 < n && n - i - 1 > 0 && x[i + 1] > 0.0 && k != 0 && 12 / k > 2 { s += x[i + 1]; }
        if (i < n && x[i] > 0.5) && (i > 0 && (k > 1 && x[i - 1] < 0.5)) { s += 2.0 * x[i - 1]; }
        if n > 0 && i < n { if x[i] < 1.0 && n - 1 > i { s += 4.0; } }
        s
    }
    with (x = vec![0.25, 1.0, 0.75], i = 0usize, n = 3usize, k = 3);
    with (x = vec![0.25, 1.0, 0.75], i = 1usize, n = 3usize, k = 2);
    with (x = vec![0.25, 1.0, 0.75], i = 2usize, n = 2usize, k = 0);
    with (x = vec![0.25, 1.0, 0.75], i = 0usize, n = 0usize, k = 0);
    with (x = vec![0.25, 1.0, 0.75], i = 1usize, n = 5usize, k = 1);

    fn guarded_division(a: &[i32], b: i32, x: f64) -> f64 {
        let mut c = 0;
        for i in 0..a.len() { if b != 0 && a[i] / b > 1 { c += 1; } }
        let d = if b != 0 { 100 / b } else { 0 };
        let e = if b > 1000 { i32::MAX + b } else { 1 };
        (c + d + e) as f64 * x
    }
    with (a = vec![5, 6, 7], b = 3, x = 1.5);
    with (a = vec![5, 6, 7], b = 0, x = 1.5);

    fn match_alternatives(p: usize, q: usize, x: &[f64]) -> f64 {
        let a = match (p, q) { (k, 0) | (0, k) => x[k], (1, k) | (2, k) => 2.0 * x[k], _ => 5.0 };
        // a guard is asked for each alternative that matches
        let b = match (p, q) { (k, 1) | (1, k) if k > 1 => x[k], (i, (0 | 2) | 3) => x[i], (_, k) => x[k] + 1.0 };
        let c = match (p, (p, q)) { (k, (0, _)) | (0, (k, _) | (_, k)) | (_, (_, k)) if k % 2 == 1 => x[k], (k, _) => -x[k] };
        a + b * c
    }
    with (p = 2usize, q = 0usize, x = vec![1.5, -2.0, 0.25, 4.0]);
    with (p = 0usize, q = 3usize, x = vec![1.5, -2.0, 0.25, 4.0]);
    with (p = 0usize, q = 0usize, x = vec![1.5, -2.0, 0.25, 4.0]);
    with (p = 1usize, q = 3usize, x = vec![1.5, -2.0, 0.25, 4.0]);
    with (p = 3usize, q = 1usize, x = vec![1.5, -2.0, 0.25, 4.0]);
    with (p = 1usize, q = 1usize, x = vec![1.5, -2.0, 0.25, 4.0]);
    with (p = 2usize, q = 2usize, x = vec![1.5, -2.0, 0.25, 4.0]);

    fn match_integers(n: i32, x: f64) -> f64 {
        let a = match n { 0 => x, 1 | 2 => x * x, 3..=5 => x.sin(), -7..0 => -x, i if i % 2 == 0 => i as f64, other => other as f64 * x };
        let mut b = a;
        match n { 0 => b += 1.0, 1 => { b *= 2.0; b += 3.0 } i32::MIN..=-1 => b = 0.0, _ => {} }
        match n { 10.. => b -= 5.0, _ => () }
        a + b
    }
    with (n = 0, x = 1.5);
    with (n = 1, x = 1.5);
    with (n = 2, x = 1.5);
    with (n = 5, x = 1.5);
    with (n = -7, x = 1.5);
    with (n = -8, x = 1.5);
    with (n = 12, x = 1.5);
    with (n = 13, x = 1.5);

    fn match_constants(n: usize, x: f64) -> f64 {
        const TWO: usize = 2;
        match n { TWO => x, crate::frontend::branches::LIMIT => x * x, k @ 5..=6 => x + k as f64, TWO.. => 1.0, _ => 0.0 }
    }
    with (n = 2usize, x = 1.5);
    with (n = 4usize, x = 1.5);
    with (n = 5usize, x = 1.5);
    with (n = 3usize, x = 1.5);
    with (n = 1usize, x = 1.5);

    fn match_tuples(a: usize, b: bool, x: f64) -> f64 {
        match (a, b) { (0, true) => x, (0, false) => -x, (1..=2, _) => x * x, (n, true) => n as f64, (n, false) if n > 5 => 7.0, _ => 0.0 }
    }
    with (a = 0usize, b = true, x = 1.5);
    with (a = 0usize, b = false, x = 1.5);
    with (a = 2usize, b = false, x = 1.5);
    with (a = 6usize, b = true, x = 1.5);
    with (a = 6usize, b = false, x = 1.5);
    with (a = 4usize, b = false, x = 1.5);

    fn match_elements(k: &[u8], x: &[f64]) -> f64 {
        let mut s = 0.0;
        for i in 0..k.len() {
            s += match k[i] { b'a' => x[i], 98 => 2.0 * x[i], _ => 0.0 };
            match k[i] % 2 { 0 if x[i] > 1.0 => s += 10.0, 0 => s += 20.0, _ => {} }
        }
        s
    }
    with (k = vec![97u8, 98, 99], x = vec![0.5, 1.5, 2.5]);

    fn match_guard_with_access(k: usize, x: &[f64]) -> f64 {
        match k { n if n < x.len() && x[n] > 0.0 => x[n], 7 if x[0] > 0.0 => 3.0, _ => -1.0 }
    }
    with (k = 0usize, x = vec![1.0, -1.0]);
    with (k = 1usize, x = vec![1.0, -1.0]);
    with (k = 7usize, x = vec![1.0, -1.0]);
    with (k = 7usize, x = vec![-1.0, -1.0]);

    fn match_evaluates_once(x: &mut [f64], k: usize) -> f64 {
        let mut calls = 0;
        let y = match { calls += 1; k + calls } { 1 => x[0], 2 => { x[0] = 5.0; x[1] } _ => 0.0 };
        y + calls as f64
    }
    with (x = vec![1.0, 2.0], k = 0usize);
    with (x = vec![1.0, 2.0], k = 1usize);

    fn matches_macro(n: u32, x: f64) -> f64 {
        let mut y = x;
        if matches!(n, 1 | 3..=4) { y *= 2.0; }
        if matches!(n, k if k > 3) { y += 1.0; }
        y
    }
    with (n = 1u32, x = 1.5);
    with (n = 4u32, x = 1.5);
    with (n = 2u32, x = 1.5);

    fn branch_in_index(x: &[f64], c: bool) -> f64 {
        x[if c { 0 } else { x.len() - 1 }] + x[match x.len() { 1 => 0, n => n - 2 }]
    }
    with (x = vec![1.0, 2.0, 3.0], c = true);
    with (x = vec![1.0, 2.0, 3.0], c = false);

    fn panicking_branch(k: usize, x: f64) -> f64 {
        match k { 0 => x, 1 => 2.0 * x, _ => panic!("no such mode: {}", k) }
    }
    with (k = 1usize, x = 1.0);
    with (k = 2usize, x = 1.0);

    fn unreachable_branch(k: usize, x: f64) -> f64 {
        if k < 3 { x } else { unreachable!() }
    }
    with (k = 1usize, x = 1.0);
    with (k = 3usize, x = 1.0);
}
