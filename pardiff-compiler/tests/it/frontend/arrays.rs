//! Local arrays, literals, copies, whole-array methods.

use super::same;

same! {
    fn literals(x: f64) -> f64 {
        let a = [x, 2.0, 3.0];
        let b = [[1.0, x], [x * x, 4.0], [5.0, 6.0]];
        let c = [0.5; 4];
        let d: [[f64; 2]; 3] = [[x; 2]; 3];
        let mut s = 0.0;
        for i in 0..3 { for j in 0..2 { s += a[i] * b[i][j] + c[i] * d[i][j]; } }
        s
    }
    with (x = 1.5);

    fn copies(x: &[[f64; 2]], y: &mut [[f64; 2]]) -> f64 {
        let row = x[0];
        let mut a = [1.0, 2.0];
        let b = a;
        a[0] = 10.0;
        y[1] = row;
        y[0] = [a[0], b[0]];
        y[0][1] += 0.5;
        a = y[0];
        a[0] + a[1] + b[1]
    }
    with (x = vec![[1.0, 2.0], [3.0, 4.0]], y = vec![[0.0; 2]; 2]);

    fn vectors(x: &[f64], n: usize) -> f64 {
        let mut v = vec![0.0; n];
        let w = vec![1.0, 2.0, x[0]];
        let u = x.to_vec();
        let t = u.clone();
        for i in 0..n { v[i] = w[i % 3] * u[i] + t[i]; }
        let mut s = 0.0;
        for i in 0..v.len() { s += v[i]; }
        s
    }
    with (x = vec![1.0, 2.0, 3.0], n = 3usize);
    with (x = vec![1.0, 2.0, 3.0], n = 0usize);
    with (x = vec![1.0, 2.0, 3.0], n = 4usize);

    fn computed_length(x: &[f64], n: usize) -> f64 {
        let m = 2 * n + 1;
        let mut v = vec![1.0; m];
        let mut w = vec![0.0; v.len() - 1];
        for i in 0..w.len() { w[i] = v[i] * x[i % x.len()]; v[i] = 0.0; }
        let mut s = 0.0;
        for i in 0..w.len() { s += w[i] * (i as f64 + 1.0); }
        s + v[m - 1]
    }
    with (x = vec![1.0, 2.0, 3.0], n = 3usize);

    fn rank_two(n: usize, m: usize, x: &[f64]) -> f64 {
        let mut a = vec![vec![0.0; m]; n];
        for i in 0..n { for j in 0..m { a[i][j] = x[i] * x[j]; } }
        let b = a.clone();
        let mut t = 0.0;
        for i in 0..a.len() { for j in 0..a[i].len() { t += b[i][j] * (i + 2 * j) as f64; } }
        t
    }
    with (n = 2usize, m = 3usize, x = vec![1.0, 2.0, 3.0]);
    with (n = 0usize, m = 3usize, x = vec![1.0, 2.0, 3.0]);

    fn rows_of_row(x: &[f64], n: usize) -> f64 {
        let r = x.to_vec();
        let mut a = vec![r; n];
        a[1][0] = 9.0;
        let c = [[x[0]; 2], [x[1]; 2]];
        a[0][0] + a[1][0] + a[1][1] + c[1][0]
    }
    with (x = vec![1.0, 2.0, 3.0], n = 2usize);

    fn fill_and_copy(x: &[f64], y: &mut [f64], n: usize) {
        let mut t = vec![0.0; n];
        t.fill(x[0]);
        t[1] = 5.0;
        y[..n].copy_from_slice(&t);
        y[n..].fill(7.0);
        y[0..2].clone_from_slice(&x[1..3]);
    }
    with (x = vec![1.0, 2.0, 3.0], y = vec![0.0; 5], n = 3usize);
    with (x = vec![1.0, 2.0], y = vec![0.0; 5], n = 3usize);
    with (x = vec![1.0, 2.0, 3.0], y = vec![0.0; 2], n = 3usize);

    fn lengths_differ(x: &[f64], y: &mut [f64]) { y.copy_from_slice(x); }
    with (x = vec![1.0, 2.0], y = vec![0.0; 2]);
    with (x = vec![1.0, 2.0], y = vec![0.0; 3]);

    fn swaps(x: &mut [f64], n: usize) -> f64 {
        x.swap(0, n);
        let (mut a, mut b) = (x[0], x[1]);
        std::mem::swap(&mut a, &mut b);
        let mut u = [1.0, 2.0];
        let mut v = [3.0, a];
        core::mem::swap(&mut u, &mut v);
        let old = std::mem::replace(&mut a, 4.0);
        u[0] + 2.0 * v[1] + a * b + old
    }
    with (x = vec![1.0, 2.0, 3.0], n = 2usize);
    with (x = vec![1.0, 2.0, 3.0], n = 3usize);

    fn time_stepping(u0: &[f64], steps: usize) -> f64 {
        let n = u0.len();
        let mut u = u0.to_vec();
        let mut next = vec![0.0; n];
        for _ in 0..steps {
            for i in 0..n { next[i] = 0.5 * u[i] + 0.25 * u[(i + 1) % n]; }
            std::mem::swap(&mut u, &mut next);
        }
        let mut s = 0.0;
        for i in 0..n { s += u[i] * u[i]; }
        s
    }
    with (u0 = vec![1.0, 2.0, 4.0], steps = 3usize);
    with (u0 = vec![1.0, 2.0, 4.0], steps = 0usize);

    fn swap_of_unequal_lengths(x: &[f64], n: usize) -> f64 {
        let mut u = x.to_vec();
        let mut v = vec![2.0; n];
        for i in 0..3 {
            std::mem::swap(&mut u, &mut v);
            u[0] += i as f64;
        }
        let l = u.len();
        u[l - 1] + 10.0 * v[v.len() - 1] + l as f64
    }
    with (x = vec![1.0, 2.0, 3.0], n = 5usize);
    with (x = vec![1.0, 2.0, 3.0], n = 3usize);

    fn swap_rows(a: &mut [[f64; 2]], i: usize, j: usize) {
        a.swap(i, j);
        let mut m = [[1.0, 2.0], [3.0, 4.0]];
        let mut k = [[5.0, 6.0], [7.0, 8.0]];
        std::mem::swap(&mut m, &mut k);
        std::mem::swap(&mut m[0], &mut k[1]);
        a[0] = m[0];
        a[1][0] = k[1][0];
    }
    with (a = vec![[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], i = 2usize, j = 1usize);

    fn swap_slices(a: &mut [f64], b: &mut [f64]) {
        a.swap_with_slice(b);
        let (p, q) = a.split_at_mut(1);
        p[0] += q[0];
        q[0] = 0.0;
    }
    with (a = vec![1.0, 2.0], b = vec![3.0, 4.0]);
    with (a = vec![1.0, 2.0], b = vec![3.0]);

    fn array_values(x: f64, c: bool) -> f64 {
        let a = if c { [x, 1.0] } else { [2.0, x] };
        let b = { let t = [x; 2]; t };
        let d = match c { true => a, false => [a[1], a[0]] };
        let mut e = [0.0; 2];
        e = if c { [e[1], x] } else { [e[0], 1.0] };
        e = [e[1], e[0]];
        a[0] * b[1] + d[0] + e[0] * 10.0 + e[1]
    }
    with (x = 1.5, c = true);
    with (x = 1.5, c = false);

    fn reset_in_loop(x: &[f64], n: usize) -> f64 {
        let mut t = [0.0; 3];
        let mut v = vec![0.0; 3];
        let mut s = 0.0;
        for i in 0..n {
            t = [0.0; 3];
            v = vec![1.0; 3];
            for j in 0..3 { t[j] += x[i]; v[j] += t[j]; }
            s += v[2];
        }
        s
    }
    with (x = vec![1.0, 2.0], n = 2usize);

    fn vector_moved(x: &[f64], n: usize) -> f64 {
        let mut u = x.to_vec();
        for _ in 0..n {
            let mut next = vec![0.0; u.len()];
            for i in 0..u.len() { next[i] = u[u.len() - 1 - i] * 0.5; }
            u = next;
        }
        u[0]
    }
    with (x = vec![1.0, 2.0, 4.0], n = 3usize);

    fn array_patterns(p: &[[f64; 3]], k: usize) -> f64 {
        let [a, b, c] = p[k];
        let [d, e] = [a * b, c];
        d - e
    }
    with (p = vec![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], k = 1usize);
    with (p = vec![[1.0, 2.0, 3.0]], k = 1usize);

    fn cube(n: usize, x: &[f64]) -> f64 {
        let mut a = [[[0.0; 2]; 3]; 2];
        for i in 0..2 { for j in 0..3 { for k in 0..2 { a[i][j][k] = x[(i + j + k) % n]; } } }
        let plane = a[1];
        plane[2][1] + a[0][1][1]
    }
    with (n = 2usize, x = vec![1.0, 2.0]);

    fn emptiness(x: &[f64]) -> f64 { if x.is_empty() { 1.0 } else { x[x.len() - 1] } }
    with (x = vec![1.0, 2.0]);
    with (x = Vec::<f64>::new());

    fn array_of_integers(x: &[f64]) -> f64 {
        let perm = [2usize, 0, 1];
        let sign: [i8; 3] = [1, -1, 1];
        let mut s = 0.0;
        for i in 0..3 { s += x[perm[i]] * sign[i] as f64 * (i as f64); }
        s
    }
    with (x = vec![1.0, 2.0, 4.0]);

    fn deferred_array(c: bool, x: f64) -> f64 {
        let a: [f64; 2];
        if c { a = [x, 1.0]; } else { a = [2.0; 2]; }
        a[0] + a[1]
    }
    with (c = true, x = 3.0);
    with (c = false, x = 3.0);

    fn rows_assigned(x: &[f64], n: usize) -> f64 {
        let mut a = vec![vec![0.0; n]; n];
        let mut b = vec![vec![1.0; n]; n];
        let r = vec![x[0]; n];
        a[1] = r.clone();
        b[0] = a[1].clone();
        a[0].copy_from_slice(&x[..n]);
        std::mem::swap(&mut a[0], &mut b[1]);
        a[0][1] + b[1][0] * 10.0 + b[0][0]
    }
    with (x = vec![3.0, 2.0, 1.0], n = 2usize);
    with (x = vec![3.0], n = 2usize);

    fn vector_of_rows(x: &[f64], n: usize) -> f64 {
        let mut v = vec![[0.0; 2]; n];
        for i in 0..n { v[i] = [x[i], 2.0 * x[i]]; v[i][0] += 1.0; }
        let r = &v[n - 1];
        r[0] + r[1] + v.len() as f64
    }
    with (x = vec![1.0, 2.0], n = 2usize);
}
