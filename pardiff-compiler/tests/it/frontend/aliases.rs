//! Slices and rows as aliases.

use super::same;

same! {
    fn slice_forms(x: &[f64], a: usize, b: usize) -> f64 {
        let p = &x[a..b];
        let q = &x[a..];
        let r = &x[..b];
        let s = &x[..];
        let t = &x[a..=b];
        p[0] + 2.0 * q[1] + 4.0 * r[0] + 8.0 * s[0] + 16.0 * t[1] + (p.len() + 10 * q.len() + 100 * r.len() + 1000 * t.len()) as f64
    }
    with (x = vec![1.0, 2.0, 3.0, 4.0, 5.0], a = 1usize, b = 3usize);
    with (x = vec![1.0, 2.0, 3.0, 4.0, 5.0], a = 3usize, b = 1usize);
    with (x = vec![1.0, 2.0, 3.0, 4.0, 5.0], a = 3usize, b = 5usize);
    with (x = vec![1.0, 2.0, 3.0, 4.0, 5.0], a = 3usize, b = 6usize);

    fn slices_of_slices(x: &[f64]) -> f64 {
        let a = &x[1..5];
        let b = &a[1..];
        let c = &b[..2];
        c[1] + c.len() as f64
    }
    with (x = vec![1.0, 2.0, 3.0, 4.0, 5.0]);

    fn rows(x: &[f64], y: &mut [f64], n: usize, d: usize) {
        for i in 0..n {
            let row = &x[i * d..(i + 1) * d];
            let out = &mut y[i * d..][..d];
            for j in 0..d { out[j] += row[d - 1 - j] * 2.0; }
        }
    }
    with (x = vec![1.0, 2.0, 3.0, 4.0], y = vec![1.0; 4], n = 2usize, d = 2usize);
    with (x = vec![1.0, 2.0, 3.0, 4.0], y = vec![1.0; 3], n = 2usize, d = 2usize);

    fn width_written(x: &[f64], n: usize, d: usize) -> f64 {
        let mut s = 0.0;
        for i in 0..n {
            let row = &x[i * d..i * d + d];
            for j in 0..row.len() { s += row[j] * (j as f64 + 1.0); }
        }
        s
    }
    with (x = vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0], n = 3usize, d = 2usize);

    fn offset_is_a_snapshot(x: &[f64]) -> f64 {
        let mut k = 1;
        let r = &x[k..];
        let e = &x[k];
        k += 2;
        r[0] + *e + x[k]
    }
    with (x = vec![1.0, 2.0, 3.0, 4.0]);

    fn two_dimensional(x: &mut [[f64; 3]]) -> f64 {
        let mut s = 0.0;
        for i in 0..x.len() {
            let row = &mut x[i];
            row[0] += 1.0;
            let tail = &mut row[1..];
            tail[0] *= 2.0;
            s += tail[1];
        }
        let some = &x[1..];
        s + some[0][2] + some.len() as f64
    }
    with (x = vec![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);

    fn local_aliases(x: f64) -> f64 {
        let mut v = vec![0.0; 6];
        {
            let (a, b) = v.split_at_mut(2);
            a[1] = x;
            b[3] = 2.0 * x;
            b.fill(x);
        }
        let w = &mut v;
        w[0] = 1.0;
        let u = &v;
        u[0] + u[1] + u[5] + u.len() as f64
    }
    with (x = 1.5);

    fn split(x: &[f64], k: usize) -> f64 {
        let (a, b) = x.split_at(k);
        let mut s = 0.0;
        for i in 0..a.len() { s += a[i]; }
        for i in 0..b.len() { s -= 2.0 * b[i]; }
        s
    }
    with (x = vec![1.0, 2.0, 3.0], k = 1usize);
    with (x = vec![1.0, 2.0, 3.0], k = 3usize);
    with (x = vec![1.0, 2.0, 3.0], k = 4usize);

    fn element_references(y: &mut [f64], i: usize) {
        let a = &mut y[i];
        *a += 1.0;
        *a *= 3.0;
        let b = &mut *a;
        *b -= 0.5;
    }
    with (y = vec![1.0, 2.0], i = 1usize);
    with (y = vec![1.0, 2.0], i = 2usize);

    fn copies_of_slices(x: &[f64], a: usize, b: usize) -> f64 {
        let mut v = x[a..b].to_vec();
        v[0] *= 10.0;
        let n = v.len();
        let w = (&x[a..]).to_vec();
        v[0] + w[0] + n as f64
    }
    with (x = vec![1.0, 2.0, 3.0, 4.0], a = 1usize, b = 3usize);
    with (x = vec![1.0, 2.0, 3.0, 4.0], a = 3usize, b = 3usize);

    fn csr(row_ptr: &[usize], col: &[usize], val: &[f64], x: &[f64], y: &mut [f64]) {
        for i in 0..y.len() {
            let (start, end) = (row_ptr[i], row_ptr[i + 1]);
            let cols = &col[start..end];
            let vals = &val[start..end];
            let mut s = 0.0;
            for k in 0..cols.len() { s += vals[k] * x[cols[k]]; }
            y[i] = s;
        }
    }
    with (row_ptr = vec![0usize, 2, 3], col = vec![0usize, 1, 1], val = vec![1.0, 2.0, 3.0], x = vec![4.0, 5.0], y = vec![0.0; 2]);
    with (row_ptr = vec![0usize, 2, 4], col = vec![0usize, 1, 1], val = vec![1.0, 2.0, 3.0], x = vec![4.0, 5.0], y = vec![0.0; 2]);
}
