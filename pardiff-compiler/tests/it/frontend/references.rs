//! Helpers that return references: what they refer to is what they name at the end.

use super::{refused, same};

same! {
    fn rows(x: &[f64], y: &mut [f64], n: usize, d: usize) -> f64 {
        fn row(x: &[f64], i: usize, d: usize) -> &[f64] { &x[i * d..(i + 1) * d] }
        fn row_mut(y: &mut [f64], i: usize, d: usize) -> &mut [f64] {
            let at = i * d;
            let end = at + d;
            return &mut y[at..end];
        }
        fn dot(a: &[f64], b: &[f64]) -> f64 { a.iter().zip(b).map(|(a, b)| a * b).sum() }
        let mut s = 0.0;
        for i in 0..n {
            let r = row(x, i, d);
            s += dot(r, row(x, n - 1 - i, d)) + row(x, i, d)[0] + row(r, 1, 1)[0];
            s += row(x, i, d).iter().map(|v| v * v).sum::<f64>() + row(x, i, d).len() as f64;
            for v in row_mut(y, i, d) { *v += s; }
            row_mut(y, i, d)[1] *= 2.0;
            let w = row_mut(y, i, d);
            w[0] += w[1];
            w.swap(0, 1);
            row_mut(y, i, d).copy_from_slice(row(x, i, d));
            row_mut(&mut y[1..], 0, 1).fill(s);
        }
        s
    }
    with (x = vec![1.0, 2.0, 3.0, 4.0], y = vec![0.5; 4], n = 2usize, d = 2usize);
    with (x = vec![1.0, 2.0, 3.0, 4.0], y = vec![0.5; 3], n = 2usize, d = 2usize);
    with (x = vec![1.0, 2.0, 3.0], y = vec![0.5; 4], n = 2usize, d = 2usize);
    with (x = vec![1.0, 2.0, 3.0], y = vec![0.5; 4], n = 0usize, d = 2usize);
    with (x = vec![1.0, 2.0, 3.0], y = vec![0.5; 4], n = 3usize, d = 1usize);

    fn bounds_that_change(x: &[f64], start: &[usize]) -> f64 {
        fn segment<'a>(x: &'a [f64], start: &[usize], k: usize) -> &'a [f64] {
            let mut lo = start[k];
            while lo < x.len() && x[lo] < 0.0 { lo += 1; }
            assert!(lo <= x.len());
            &x[lo..start[k + 1].max(lo)]
        }
        let mut k = 0;
        let first = segment(x, start, k);
        k += 1;
        let second = segment(x, start, k);
        k += 1;
        let mut s = 0.0;
        while k + 1 < start.len() && segment(x, start, k).len() > 0 { s += segment(x, start, k)[0]; k += 1; }
        s + first.iter().sum::<f64>() * second.iter().product::<f64>() + k as f64
    }
    with (x = vec![1.0, -2.0, 3.0, 4.0, 5.0], start = vec![0usize, 1, 3, 5]);
    with (x = vec![-1.0, -2.0, 3.0, 4.0, 5.0, 2.0], start = vec![0usize, 1, 3, 5, 6]);
    with (x = vec![1.0, 3.0], start = vec![0usize, 1, 3]);

    fn elements(x: &[f64], y: &mut [f64], i: usize) -> f64 {
        fn at(x: &[f64], i: usize) -> &f64 { &x[i] }
        fn at_mut(y: &mut [f64], i: usize) -> &mut f64 { &mut y[i % 2] }
        fn last(x: &[f64]) -> &f64 { x.last().unwrap() }
        *at_mut(y, i) += *at(x, i) * at(x, 0);
        *at_mut(y, i + 1) = 3.0;
        let v = at_mut(y, i);
        *v *= *v;
        at(x, i).max(*last(x)) - at(x, 0) + *last(&y[..1])
    }
    with (x = vec![1.0, 2.0, 3.0], y = vec![0.5, 0.25], i = 1usize);
    with (x = vec![1.0, 2.0, 3.0], y = vec![0.5, 0.25], i = 3usize);

    fn two_parts(x: &[f64], y: &mut [f64], k: usize) -> f64 {
        fn halves(x: &[f64], k: usize) -> (&[f64], &[f64]) { (&x[..k], &x[k..]) }
        fn parts(y: &mut [f64], k: usize) -> (f64, &mut [f64], &mut [f64]) {
            let first = y[0];
            let (a, b) = y.split_at_mut(k);
            (first, a, b)
        }
        let (a, b) = halves(x, k);
        let (first, c, d) = parts(y, k);
        c[0] = 2.0 * d[0];
        d[0] = first;
        a.iter().sum::<f64>() - b.iter().sum::<f64>() + halves(x, 1).0[0] + y[0]
    }
    with (x = vec![1.0, 2.0, 4.0], y = vec![0.5, 0.25], k = 1usize);
    with (x = vec![1.0, 2.0, 4.0], y = vec![0.5, 0.25], k = 0usize);
    with (x = vec![1.0, 2.0, 4.0], y = vec![0.5, 0.25], k = 4usize);

    fn through_others(x: &[f64], m: &[[f64; 2]], d: usize) -> f64 {
        fn row(x: &[f64], i: usize, d: usize) -> &[f64] { let x = &x[1..]; &x[i * d..][..d] }
        fn end(x: &[f64], i: usize, d: usize) -> &[f64] { let r = row(x, i, d); &r[d - 1..] }
        fn line(m: &[[f64; 2]], i: usize) -> &[f64; 2] { &m[i] }
        fn same(x: &[f64]) -> &[f64] { x }
        let of = |i: usize| &x[i * d..(i + 1) * d];
        let [a, b] = line(m, 1);
        let owned = same(x).to_vec();
        end(x, 0, d)[0] + of(1)[0] * a - b + line(m, 0)[1] + row(&owned, 1, 1)[0] + same(&owned[1..]).len() as f64
    }
    with (x = vec![1.0, 2.0, 4.0, 8.0], m = vec![[0.5, 0.25], [3.0, 7.0]], d = 2usize);
    with (x = vec![1.0, 2.0, 4.0, 8.0], m = vec![[0.5, 0.25]], d = 2usize);
    with (x = vec![1.0, 2.0, 4.0, 8.0], m = vec![[0.5, 0.25], [3.0, 7.0]], d = 3usize);
    with (x = vec![1.0, 2.0, 4.0, 8.0], m = vec![[0.5, 0.25], [3.0, 7.0]], d = 0usize);

    fn vectors_that_grow(x: &[f64], n: usize) -> f64 {
        fn tail(v: &[f64], k: usize) -> &[f64] { &v[k..] }
        fn more(v: &mut Vec<f64>) -> &mut Vec<f64> { v.push(0.5); v }
        let mut v = Vec::new();
        for i in 0..n { v.push(x[i]); }
        let w = more(&mut v);
        w.push(1.0);
        more(w).push(2.0);
        tail(&v, 1).iter().sum::<f64>() * tail(&v, n).len() as f64
    }
    with (x = vec![1.0, 2.0, 4.0], n = 3usize);
    with (x = vec![1.0, 2.0, 4.0], n = 0usize);

    fn chosen_by_branches(x: &[f64], y: &[f64], c: bool) -> f64 {
        fn of<'a>(x: &'a [f64], y: &'a [f64], c: bool) -> &'a [f64] { if c { &x[1..] } else { y } }
        let (a, b) = if c { (x, &y[..1]) } else { (y, x) };
        fn left_early(x: &[f64], c: bool) -> &[f64] { if c { return &x[1..]; } x }
        let late = left_early(x, c);
        of(x, y, c)[0] + a[0] * b.len() as f64 + *(if c { &x[0] } else { &y[0] }) + late.len() as f64 * late[0]
    }
    with (x = vec![1.0, 2.0], y = vec![4.0], c = true);
    with (x = vec![1.0, 2.0], y = vec![4.0], c = false);
    with (x = vec![], y = vec![4.0], c = true);
    with (x = vec![1.0], y = vec![], c = true);
}

refused! {
    chosen_to_be_written: "fn f(x: &mut [f64], y: &mut [f64], c: bool) { (if c { &mut x[1..] } else { y })[0] = 1.0; }"
        => ["if c { &mut x[1..] } else { y }", "a `&mut` reference that is chosen by a branch"]
    left_early: "fn f(x: &mut [f64], c: bool) { fn of(x: &mut [f64], c: bool) -> &mut [f64] { if c { return &mut x[1..]; } x } of(x, c)[0] = 1.0; }"
        => ["of(x, c)", "a `&mut` reference that is chosen by a branch"]
}
