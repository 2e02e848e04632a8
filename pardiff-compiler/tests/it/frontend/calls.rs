//! Helper functions of the body.

use super::same;

same! {
    fn scalars(x: &[f64]) -> f64 {
        fn square(x: f64) -> f64 { x * x }
        fn norm(a: f64, b: f64) -> f64 { (square(a) + square(b)).sqrt() }
        let mut s = 0.0;
        for i in 1..x.len() { s += norm(x[i - 1], square(x[i])); }
        s
    }
    with (x = vec![1.0, 2.0, 3.0]);

    fn slices(x: &[f64], y: &mut [f64], n: usize, d: usize) -> f64 {
        fn dot(a: &[f64], b: &[f64]) -> f64 { let mut s = 0.0; for i in 0..a.len() { s += a[i] * b[i]; } s }
        fn scale(a: f64, y: &mut [f64]) { for i in 0..y.len() { y[i] *= a; } }
        let mut total = 0.0;
        for i in 0..n {
            total += dot(&x[i * d..(i + 1) * d], &x[..d]);
            scale(2.0, &mut y[i * d..(i + 1) * d]);
        }
        scale(0.5, y);
        total + dot(x, &y)
    }
    with (x = vec![1.0, 2.0, 3.0, 4.0], y = vec![1.0; 4], n = 2usize, d = 2usize);
    with (x = vec![1.0, 2.0, 3.0, 4.0], y = vec![1.0; 3], n = 2usize, d = 2usize);

    fn scalar_references(x: &[f64], y: &mut [f64]) -> f64 {
        fn add(a: &mut f64, b: &f64, n: &mut usize) { *a += *b; *n += 1; }
        let mut s = 0.0;
        let mut n = 0;
        for i in 0..x.len() { add(&mut s, &x[i], &mut n); add(&mut y[i], &s, &mut n); }
        add(&mut s, &(x[0] * 2.0), &mut n);
        s + n as f64
    }
    with (x = vec![1.0, 2.0], y = vec![0.5; 2]);

    fn tuples_and_arrays(x: [f64; 3], y: [f64; 3]) -> f64 {
        fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
            [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
        }
        fn range(a: &[f64; 3]) -> (f64, f64) { (a[0].min(a[1]).min(a[2]), a[0].max(a[1]).max(a[2])) }
        fn sum((a, b): (f64, f64)) -> f64 { a + b }
        let z = cross(x, cross(x, y));
        let (lo, hi) = range(&z);
        hi - lo + sum(range(&x)) + cross(y, x)[2]
    }
    with (x = [1.0, 2.0, 3.0], y = [0.5, -1.0, 2.0]);

    fn const_generics(x: &[f64], y: [f64; 2]) -> f64 {
        fn norm<const N: usize>(a: &[f64; N]) -> f64 { let mut s = 0.0; for i in 0..N { s += a[i] * a[i]; } s.sqrt() }
        fn first<const N: usize>(a: &[f64]) -> [f64; N] { let mut b = [0.0; N]; for i in 0..N { b[i] = a[i]; } b }
        fn trace<const N: usize, const M: usize>(a: &[[f64; M]; N]) -> f64 { let mut s = 0.0; for i in 0..N.min(M) { s += a[i][i]; } s }
        let b = first::<3>(x);
        norm(&y) + norm(&b) * 2.0 + trace(&[[1.0, 2.0], [3.0, x[0]], [5.0, 6.0]])
    }
    with (x = vec![1.0, 2.0, 3.0, 4.0], y = [3.0, 4.0]);

    fn by_value_is_a_copy(x: f64) -> f64 {
        fn bump(mut a: f64, mut v: [f64; 2]) -> f64 { a += 1.0; v[0] += a; v[0] }
        let v = [x, 1.0];
        bump(x, v) + v[0] + x
    }
    with (x = 1.5);

    fn shadowed_names(x: f64, y: f64) -> f64 {
        fn f(y: f64) -> f64 { let x = y + 1.0; x * 2.0 }
        let t = f(x) + f(y);
        { fn f(a: f64) -> f64 { -a } f(t) + f(x) }
    }
    with (x = 1.5, y = 2.5);

    fn helper_returns(x: f64) -> f64 {
        fn sign(x: f64) -> f64 { if x > 0.0 { return 1.0; } else { return -1.0; } }
        fn nothing(_: f64) {}
        fn last(x: f64) -> f64 { let y = x * 2.0; return y; }
        nothing(x);
        sign(x) + last(x)
    }
    with (x = 1.5);
    with (x = -1.5);

    fn helper_with_loop(x: &[f64], n: usize) -> f64 {
        fn count(x: &[f64], t: f64) -> usize { let mut c = 0; for i in 0..x.len() { if x[i] < t { continue; } c += 1; } c }
        let mut s = 0.0;
        for i in 0..n { if count(x, x[i]) < 2 { continue; } s += x[i] * count(&x[i..], 1.5) as f64; }
        s
    }
    with (x = vec![1.0, 2.0, 3.0], n = 3usize);

    fn vector_results(x: &[f64], n: usize) -> f64 {
        fn scaled(x: &[f64], a: f64) -> Vec<f64> { let mut y = x.to_vec(); for i in 0..y.len() { y[i] *= a; } y }
        fn ones(n: usize) -> Vec<f64> { vec![1.0; n] }
        let a = scaled(x, 2.0);
        let b = scaled(&a, 3.0);
        let c = ones(n);
        b[1] + a[0] + c[n - 1] + scaled(&b[1..], 0.5)[0]
    }
    with (x = vec![1.0, 2.0], n = 3usize);

    fn aliased_index_changes(x: &[f64]) -> f64 {
        fn pick(a: &[f64], k: &mut usize) -> f64 { *k += 1; a[0] + a[*k] }
        let mut k = 0;
        let s = pick(&x[k..], &mut k);
        s + pick(&x[k..], &mut k) * 10.0 + k as f64
    }
    with (x = vec![1.0, 2.0, 3.0, 4.0]);

    fn matrices(a: &[[f64; 2]; 2], v: [f64; 2]) -> f64 {
        fn apply(a: &[[f64; 2]; 2], v: &[f64; 2], out: &mut [f64; 2]) { for i in 0..2 { out[i] = a[i][0] * v[0] + a[i][1] * v[1]; } }
        fn rows(a: &[[f64; 2]]) -> f64 { let mut s = 0.0; for i in 0..a.len() { let r = &a[i]; s += r[0]; } s }
        let mut w = [0.0; 2];
        apply(a, &v, &mut w);
        let mut m = [[0.0; 2]; 3];
        apply(a, &w, &mut m[1]);
        m[1][0] + w[1] + rows(&m[1..]) + rows(a)
    }
    with (a = [[1.0, 2.0], [3.0, 4.0]], v = [5.0, 6.0]);

    fn early_item_use(x: f64) -> f64 {
        let y = later(x);
        fn later(x: f64) -> f64 { K * x }
        const K: f64 = 2.5;
        y + K
    }
    with (x = 2.0);
}
