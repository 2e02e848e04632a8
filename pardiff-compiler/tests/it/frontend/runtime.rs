//! Loops that end when they say so, and jumps out of loops, blocks and functions.

use super::{refused, same};

same! {
    fn whiles(n: usize, x: &[f64], tol: f64) -> f64 {
        let (mut i, mut s) = (0, 1.0);
        while i < n { s = s * 0.5 + x[i] * s; i += 1; }
        while s > tol { s *= 0.5; }
        let mut j = n;
        while j > 0 && x[j - 1] < 2.0 { j -= 1; s += x[j] * s; }
        while { let r = s - tol; r * r > 4.0 } { s = s * 0.75 + 0.25 * tol; }
        s
    }
    with (n = 4usize, x = vec![1.5, 2.0, 0.5, 1.25], tol = 0.4);
    with (n = 3usize, x = vec![1.5, -2.0, 7.0], tol = 100.0);
    with (n = 0usize, x = Vec::<f64>::new(), tol = 0.4);
    with (n = 5usize, x = vec![1.5], tol = 0.4);

    fn newton(a: f64, tol: f64) -> f64 {
        let mut y = a;
        let mut rounds = 0;
        loop {
            let next = 0.5 * (y + a / y);
            if (next - y).abs() < tol { break; }
            y = next;
            rounds += 1;
            if rounds > 50 { break; }
        }
        y * rounds as f64
    }
    with (a = 7.0, tol = 1e-3);

    fn breaks(x: &[f64], limit: f64) -> f64 {
        let mut s = 0.0;
        for i in 0..x.len() {
            if x[i] < 0.0 { continue; }
            s = s * 0.5 + x[i];
            if s > limit { s *= 2.0; break; }
            s += 0.125 * x[i];
        }
        for v in x.iter().rev() { if *v > limit { break; } s = s * 0.75 + v * v; }
        for (i, w) in x.windows(2).enumerate() { if w[0] > w[1] { s += i as f64; break; } s = s * w[1]; }
        for i in (0..x.len()).rev().step_by(2) { if i < 2 { break; } s = s * 0.5 + x[i] * x[i]; }
        for k in 0..5 { if k as f64 > limit { break; } s = s * 0.5 + k as f64 * x[0]; }
        s
    }
    with (x = vec![1.5, 2.0, -0.5, 1.25, 3.0], limit = 2.25);
    with (x = vec![1.5], limit = 100.0);
    with (x = vec![-1.5, 0.5], limit = -1.0);

    fn returns(x: &[f64], a: f64) -> f64 {
        if a < 0.0 { return 0.5 * a; }
        let mut s = a;
        for i in 0..x.len() {
            s = s * 0.5 + x[i];
            if s > 4.0 { return s * a; }
            for j in 0..i { if x[j] * s > 3.0 { return x[i] * x[j]; } s += 0.25 * x[j]; }
        }
        if s > 1.0 { s *= 2.0; } else { return -s; }
        s + 1.0
    }
    with (x = vec![1.5, 2.0, 0.5, 1.25], a = 0.5);
    with (x = vec![1.5, 2.0, 9.5, 1.25], a = 0.5);
    with (x = vec![0.1, 0.2], a = 0.5);
    with (x = vec![3.1, 2.2], a = 0.5);
    with (x = Vec::<f64>::new(), a = -2.0);
    with (x = Vec::<f64>::new(), a = 2.0);

    fn labels(x: &[f64], n: usize) -> f64 {
        let mut s = 1.0;
        'rows: for i in 0..n {
            let mut j = 0;
            while j < n {
                let v = x[i * n + j];
                j += 1;
                if v < -2.0 { break 'rows; }
                if v < -1.0 { continue 'rows; }
                if v < 0.0 { continue; }
                s = s * 0.5 + v;
            }
            s *= 1.5;
        }
        let t = 'found: {
            for i in 0..n { if x[i] > 1.0 { break 'found x[i] * s; } s += x[i]; }
            s * s
        };
        let k = loop { s *= 0.5; if s < 1.0 { break s * t; } };
        s + t + k
    }
    with (x = vec![1.5, 2.0, 0.5, -1.25, 1.0, 2.0, -0.5, 1.0, 0.25], n = 3usize);
    with (x = vec![0.5, 0.25, 0.5, -1.25, 1.0, 2.0, -3.5, 1.0, 0.25], n = 3usize);

    fn nested(x: &[f64], n: usize, tol: f64) -> f64 {
        let mut s = 0.0;
        for i in 0..n {
            let mut y = x[i];
            let mut rounds = 0;
            while y > tol && rounds < 20 { y = y * 0.5 + 0.01 * s; rounds += 1; }
            for j in 0..rounds { let mut z = y; while z < 1.0 { z = z * 1.5 + 0.1; } s += z * y * j as f64; }
            s += y * y;
        }
        s
    }
    with (x = vec![1.5, 2.0, 0.5, 7.25], n = 4usize, tol = 0.3);
    with (x = vec![0.1, 2.0], n = 2usize, tol = 0.3);

    fn helpers(x: &[f64], a: f64) -> f64 {
        fn root(a: f64) -> f64 { let mut y = a; while (y * y - a).abs() > 1e-6 { y = 0.5 * (y + a / y); } y }
        fn first(x: &[f64], above: f64) -> f64 { for &v in x { if v > above { return v; } } above }
        fn sign(v: f64) -> f64 { if v > 0.0 { return 1.0; } if v < 0.0 { return -1.0; } 0.0 }
        let m = first(x, a);
        let mut s = root(m + 1.0) * sign(a);
        s += x.iter().map(|&v| { if v < 0.0 { return 0.0; } v * v }).sum::<f64>();
        x.iter().for_each(|&v| { if v < 0.5 { return; } s = s * 0.5 + v; });
        s + root(a * a + 2.0)
    }
    with (x = vec![1.5, 2.0, -0.5, 7.25], a = 1.75);
    with (x = vec![1.5], a = 4.0);

    fn values(x: &[f64], k: &[usize]) -> f64 {
        let mut s = 1.0;
        for i in 0..x.len() {
            let v = if x[i] > 0.0 { x[i].sqrt() } else { continue };
            let w = match k[i] { 0 => continue, 1 => v, 2 => break, _ => v * v };
            s = s * 0.5 + w;
        }
        for i in 0..x.len() {
            let 1 = k[i] else { continue };
            s += x[i] * s;
        }
        for i in 0..x.len() {
            s += match k[i] { 0 => continue, 2 => break, _ => x[i] * s };
            s *= if x[i] > 5.0 { break } else { 0.5 };
        }
        let (0, m) = (k[0], k[1]) else { return s };
        s * m as f64
    }
    with (x = vec![1.5, 2.0, -0.5, 7.25, 3.0], k = vec![1usize, 3, 0, 1, 2]);
    with (x = vec![1.5, 2.0, -0.5, 7.25, 3.0], k = vec![0usize, 3, 0, 1, 2]);

    fn arrays_in_loops(x: &[f64], n: usize) -> f64 {
        let mut v = x.to_vec();
        let mut rounds = 0;
        while v[0] < 10.0 {
            for i in 0..n { v[i] = v[i] * 1.5 + v[(i + 1) % n] * 0.25; }
            let mut t = vec![0.0; n];
            for i in 0..n { t[i] = v[i] * v[i]; }
            for i in 0..n { v[i] += 0.125 * t[n - 1 - i]; }
            rounds += 1;
        }
        let mut w = Vec::new();
        let mut a = v[0];
        while a > 1.0 { w.push(a); a *= 0.5; }
        let mut s = rounds as f64;
        for i in 0..w.len() { s += w[i] * w[i]; }
        s
    }
    with (x = vec![1.5, 2.0, 0.5], n = 3usize);

    fn outputs(x: &[f64], y: &mut [f64], count: &mut usize) {
        for i in 0..x.len() {
            y[i] = x[i] * x[i];
            if y[i] > 4.0 { *count = i; return; }
            y[i] += 1.0;
        }
        *count = x.len();
    }
    with (x = vec![1.5, 2.5, 0.5], y = vec![0.0; 3], count = 0usize);
    with (x = vec![1.5, 0.5], y = vec![0.0; 2], count = 0usize);
}

refused! {
    jump_past_a_loop: "fn f(x: &[f64]) -> f64 { let mut s = 0.0; 'rows: for i in 0..x.len() { s += x[i] * loop { if x[i] > 1.0 { continue 'rows; } break 2.0; }; } s }"
        => ["continue 'rows", "a jump inside of an expression"]
    never_left: "fn f(mut x: f64) -> f64 { loop { x *= 0.5; } }"
        => ["loop", "a `loop` that is never left"]
    parallel_loop_that_breaks: "fn f(x: &[f64]) -> f64 { let mut s = 0.0; #[parallel] for i in 0..x.len() { if x[i] > 1.0 { break; } s += x[i]; } s }"
        => ["for", "this mark on a loop that is left early"]
    while_let: "fn f(x: &mut Vec<f64>) -> f64 { while let Some(v) = x.pop() { } 0.0 }"
        => ["x.pop()", "a change of the length of `x`"]
    parallel_while: "fn f(mut x: f64) -> f64 { #[parallel] while x > 1.0 { x *= 0.5; } x }"
        => ["#[parallel]", "this mark on a loop that is not counted"]
}
