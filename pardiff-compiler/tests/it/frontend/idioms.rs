//! Small turns of phrase of numerical Rust.

use super::same;

same! {
    fn differences(x: &[f64], y: &mut [f64]) {
        for i in 0..x.len() { y[i] = if i == 0 { x[0] } else { x[i] - x[i - 1] }; }
        let y = &mut y[1..];
        let n = y.len();
        for i in (1..n).rev() { y[i - 1] += y[i] * 0.5; }
        y[0] += x[1] * if x[0] > 0.0 { 1.0 } else { -1.0 };
    }
    with (x = vec![1.0, 3.0, 2.0, 5.0], y = vec![0.0; 4]);

    fn signed_offsets(x: &[f64], shift: &[isize]) -> f64 {
        let n = x.len() as i32;
        let mut s = 0.0;
        for i in 0..n {
            for k in -1..=1 {
                let j = (i + k + n) % n;
                s += x[j as usize] * (k + 2) as f64;
            }
            s += x[(i as isize + shift[i as usize]) as usize];
        }
        s
    }
    with (x = vec![1.0, 3.0, 2.0], shift = vec![1isize, 0, -2]);
    with (x = vec![1.0, 3.0, 2.0], shift = vec![1isize, 0, 1]);

    fn best_so_far(x: &[f64]) -> (f64, usize) {
        let mut best = (f64::MAX, 0usize);
        for i in 0..x.len() { let v = (x[i] - 1.5).abs(); if v < best.0 { best = (v, i); } }
        best
    }
    with (x = vec![4.0, 2.0, 1.0, 7.0]);

    fn halves(x: &[f64]) -> f64 {
        let m = x.len() / 2;
        let (l, r) = (&x[..m], &x[m..]);
        let pair = (r, l);
        let mut s = 0.0;
        for i in 0..m { s += l[i] * r[i] + pair.0[i]; }
        s + pair.1.len() as f64
    }
    with (x = vec![4.0, 2.0, 1.0, 7.0]);

    fn table_of_indices(x: &[f64]) -> f64 {
        const IDX: [usize; 4] = [0, 2, 1, 2];
        const W: [[f64; 2]; 2] = [[1.0, -2.0], [0.5, 4.0]];
        const EPS: f64 = 1e-8;
        fn dot(a: &[f64; 2], b: &[f64; 2]) -> f64 { a[0] * b[0] + a[1] * b[1] }
        let mut s = 0.0;
        for k in 0..IDX.len() { s += x[IDX[k]] * W[k % 2][k / 2]; }
        if s.abs() < EPS { s = EPS; }
        s + dot(&W[0], &W[1]) + dot(&[x[0], 1.0], &W[1])
    }
    with (x = vec![4.0, 2.0, 1.0]);

    fn visited(x: &[f64], next: &[usize]) -> f64 {
        let mut seen = vec![false; x.len()];
        let mut at = 0;
        let mut s = 0.0;
        for step in 0..x.len() {
            if !seen[at] { s += x[at] / (step + 1) as f64; }
            seen[at] = true;
            at = next[at];
        }
        s
    }
    with (x = vec![4.0, 2.0, 1.0], next = vec![2usize, 1, 0]);

    fn pixels(img: &[u8], gain: f64, out: &mut [f64]) {
        for i in 0..img.len() { out[i] = (gain * img[i] as f64 / 255.0).powf(1.0 / 2.2); }
    }
    with (img = vec![0u8, 100, 255], gain = 0.8, out = vec![0.0; 3]);

    fn random_walk(x0: f64, seed: u64, n: usize) -> f64 {
        let mut state = seed;
        let mut x = x0;
        for _ in 0..n {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let u = (state >> 33) as f64 / (1u64 << 31) as f64;
            x += (u - 0.5) * x.cos();
        }
        x
    }
    with (x0 = 0.3, seed = 42u64, n = 5usize);

    fn shadowed_iterators(x: &[f64]) -> f64 {
        let mut s = 0.0;
        for i in 0..x.len() - 1 { let i = i + 1; for i in 0..i { s += x[i]; } s *= x[i]; }
        let x = x;
        let x: &[f64] = x;
        s + x[0]
    }
    with (x = vec![4.0, 2.0, 1.0]);

    fn modular_accumulators(x: &[f64]) -> f64 {
        let mut acc = [0.0f64; 4];
        for i in 0..x.len() { acc[i & 3] += x[i] * x[i]; }
        (acc[0] + acc[1]) + (acc[2] + acc[3])
    }
    with (x = vec![4.0, 2.0, 1.0, 0.5, 0.25]);

    fn conversions(x: f64, n: u32, b: bool) -> f64 {
        let k = usize::from(b) + i32::from(x > 0.0) as usize + n as usize * 2;
        let t = (x * 3.7) as usize / 2;
        let h = 1.0 / (n as f64 - 1.0);
        let small = 1e-12_f64.max(x) + (1e-3f64).max(x * 1e-6);
        k as f64 + t as f64 + h + small + f64::from(n) + x.signum() * x.abs().powf(1.5) - (-(x.ln()))
    }
    with (x = 2.5, n = 3u32, b = true);

    fn three_way(x: f64) -> (f64, f64, usize) {
        let (a, b, k) = if x < 0.0 { (-x, 0.0, 0) } else if x < 1.0 { let t = x * x; (t, 1.0 - t, 1) } else { (1.0, x.ln(), 2) };
        (a, b, k)
    }
    with (x = -2.5);
    with (x = 0.5);
    with (x = 1.5);

    fn empty_body(y: &mut [f64]) {}
    with (y = vec![1.0]);

    fn pairwise(pos: &[f64], out: &mut [f64], n: usize) -> f64 {
        let mut p = vec![[0.0; 3]; n];
        for i in 0..n { for k in 0..3 { p[i][k] = pos[3 * i + k]; } }
        fn dist(a: &[f64; 3], b: &[f64; 3]) -> f64 { let mut s = 0.0; for k in 0..3 { let d = a[k] - b[k]; s += d * d; } s.sqrt() }
        let mut e = 0.0;
        for i in 0..n { for j in 0..i { let r = dist(&p[i], &p[j]); out[i] += r; e += r.recip(); } }
        let last = p[n - 1];
        e + last[2]
    }
    with (pos = vec![0.0, 1.0, 2.0, 3.0, 4.0, 6.0, -1.0, 0.5, 0.25], out = vec![0.0; 3], n = 3usize);

    fn polynomial<const N: usize = 4>(c: &[f64; N], x: f64) -> [f64; N] {
        let mut p = [0.0; N];
        let mut t = 1.0;
        for i in 0..N { p[i] = c[i] * t; t *= x; }
        let mut sums = p;
        for i in 1..N { sums[i] += sums[i - 1]; }
        sums
    }
    with (c = [1.0, 2.0, 3.0, 4.0], x = 0.5);

    fn counts(x: &[f64], hist: &mut [usize], total: &mut f64) {
        let bins = hist.len();
        for i in 0..x.len() {
            let b = ((x[i] * bins as f64) as usize).min(bins - 1);
            hist[b] += 1;
            *total += x[i] * b as f64;
        }
    }
    with (x = vec![0.1, 0.9, 0.5, 1.0], hist = vec![0usize; 3], total = 1.0);

    fn bisection(a0: f64, b0: f64) -> f64 {
        let (mut a, mut b) = (a0, b0);
        for _ in 0..20 {
            let m = 0.5 * (a + b);
            if m * m - 2.0 > 0.0 { b = m } else { a = m }
        }
        a * b
    }
    with (a0 = 0.0, b0 = 2.0);

    fn newton(x0: f64, y: f64, tol: f64) -> f64 {
        let mut x = x0;
        let mut done = false;
        for _ in 0..50 {
            if done { continue; }
            let f = x * x * x - y;
            x -= f / (3.0 * x * x);
            done = f.abs() < tol;
        }
        x
    }
    with (x0 = 1.0, y = 2.0, tol = 1e-12);

    fn matrix_power(a: &[[f64; 2]; 2], n: u32) -> [[f64; 2]; 2] {
        fn mul(a: &[[f64; 2]; 2], b: &[[f64; 2]; 2]) -> [[f64; 2]; 2] {
            let mut c = [[0.0; 2]; 2];
            for i in 0..2 { for j in 0..2 { for k in 0..2 { c[i][j] += a[i][k] * b[k][j]; } } }
            c
        }
        let mut r = [[1.0, 0.0], [0.0, 1.0]];
        for _ in 0..n { r = mul(&r, a); }
        mul(&r, &r)
    }
    with (a = [[1.0, 0.5], [0.25, 2.0]], n = 3u32);

    fn two_outputs(x: &[f64], lo: &mut f64, hi: &mut f64) {
        *lo = x[0];
        *hi = x[0];
        for i in 1..x.len() {
            *lo = lo.min(x[i]);
            if x[i] > *hi { *hi = x[i]; }
        }
        std::mem::swap(lo, hi);
    }
    with (x = vec![2.0, 1.0, 3.0], lo = 9.0, hi = 8.0);

    fn prefix_products(x: &[f64], y: &mut [f64]) -> f64 {
        let mut p = 1.0;
        for i in 0..x.len() { y[i] = p; p *= x[i]; }
        let mut q = 1.0;
        for i in (0..x.len()).rev() { y[i] *= q; q *= x[i]; }
        p
    }
    with (x = vec![2.0, 0.0, 3.0], y = vec![7.0; 3]);

    fn nested_blocks_and_lets(x: &[f64], n: usize) -> f64 {
        let total = {
            let mut acc = 0.0;
            for i in 0..n {
                let term = {
                    let a = x[i];
                    let b = if a > 1.0 { let l = a.ln(); l * l } else { a - 1.0 };
                    a * b
                };
                acc += term;
            }
            acc
        };
        let scaled: f64 = if n > 0 { total / n as f64 } else { 0.0 };
        scaled
    }
    with (x = vec![2.0, 0.5, 3.0], n = 3usize);
    with (x = vec![2.0, 0.5, 3.0], n = 0usize);
}
