//! Methods of slices, elements as options that are opened at once, and assertions.

use super::{refused, same};

same! {
    fn ends(x: &[f64], y: &mut [f64], i: usize) -> f64 {
        let first = x.first().unwrap();
        let last = *x.last().expect("not empty");
        *y.last_mut().unwrap() = first * last;
        *y.first_mut().unwrap() += y[1];
        let a = x.get(i).copied().unwrap_or(0.5);
        let b = x.first().copied().unwrap_or_default() * x.last().copied().unwrap_or(1.0);
        let (head, rest) = x.split_first().unwrap();
        let (end, front) = x.split_last().unwrap();
        first * a + b + head * end + rest.iter().sum::<f64>() * front.len() as f64
    }
    with (x = vec![1.5, 2.0, -3.0], y = vec![0.5, 2.0], i = 1usize);
    with (x = vec![1.5], y = vec![0.5, 2.0], i = 1usize);
    with (x = Vec::<f64>::new(), y = vec![0.5, 2.0], i = 1usize);

    fn halves(x: &mut [f64], k: usize) -> f64 {
        let n = x.len();
        let (a, b) = x.split_at_mut(k);
        for (u, v) in a.iter_mut().zip(b.iter()) { *u *= v; }
        b[0] = a[0] * 2.0;
        a.swap(0, 1);
        let (c, d) = x.split_at(n / 2);
        if d.is_empty() { return 0.0; }
        c.iter().sum::<f64>() * d.last().unwrap()
    }
    with (x = vec![1.5, 2.0, -3.0, 0.25], k = 2usize);
    with (x = vec![1.5, 2.0, -3.0, 0.25], k = 4usize);
    with (x = vec![1.5, 2.0, -3.0, 0.25], k = 5usize);

    fn copies(x: &[f64], y: &mut [f64], z: &mut [f64]) {
        y.fill(x[0]);
        y[1..].copy_from_slice(&x[..x.len() - 1]);
        z[..2].copy_from_slice(&y[1..3]);
        z.swap(0, 2);
        y.swap_with_slice(z);
        z[1..].fill(2.0 * x[1]);
    }
    with (x = vec![1.5, 2.0, -3.0], y = vec![0.0; 3], z = vec![1.0, 2.0, 3.0]);
    with (x = vec![1.5, 2.0, -3.0], y = vec![0.0; 4], z = vec![1.0, 2.0, 3.0, 4.0]);

    fn reversed(x: &mut [f64], m: &mut [[f64; 2]], a: usize, b: usize) -> f64 {
        x[a..b].reverse();
        m.reverse();
        m[0].reverse();
        let mut y = x.to_vec();
        y.reverse();
        y.iter().zip(x.iter()).map(|(u, v)| u * v).sum()
    }
    with (x = vec![1.5, 2.0, -3.0, 4.0], m = vec![[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], a = 0usize, b = 4usize);
    with (x = vec![1.5, 2.0, -3.0, 4.0], m = vec![[1.0, 2.0], [3.0, 4.0]], a = 1usize, b = 4usize);
    with (x = vec![1.5, 2.0, -3.0, 4.0], m = vec![[1.0, 2.0]], a = 2usize, b = 2usize);

    fn rotated(x: &mut [f64], m: &mut [[f64; 2]], a: usize, k: usize) -> f64 {
        x[a..].rotate_left(k);
        m.rotate_right(k);
        let mut y = [1.0, 2.0, 3.0];
        y.rotate_right(1);
        let mut z = x.to_vec();
        z.rotate_right(k + 1);
        let i = 3usize.rotate_left(1);
        y[0] + y[1] * 10.0 + y[2] * 100.0 + z.iter().zip(x.iter()).map(|(u, v)| u * v).sum::<f64>() + i as f64
    }
    with (x = vec![1.5, 2.0, -3.0, 4.0], m = vec![[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], a = 0usize, k = 1usize);
    with (x = vec![1.5, 2.0, -3.0, 4.0], m = vec![[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], a = 1usize, k = 2usize);
    with (x = vec![1.5, 2.0, -3.0, 4.0], m = vec![[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], a = 1usize, k = 3usize);
    with (x = vec![1.5, 2.0, -3.0, 4.0], m = vec![[1.0, 2.0]], a = 1usize, k = 3usize);
    with (x = vec![1.5, 2.0, -3.0, 4.0], m = vec![[1.0, 2.0]; 5], a = 2usize, k = 3usize);
    with (x = vec![1.5, 2.0, -3.0, 4.0], m = vec![[1.0, 2.0]; 5], a = 0usize, k = 4usize);
    with (x = vec![1.5, 2.0, -3.0, 4.0], m = vec![[1.0, 2.0]; 5], a = 0usize, k = 0usize);

    fn as_arrays(x: &[f64], y: &mut [f64], a: usize, b: usize) -> f64 {
        fn norm(p: [f64; 3]) -> f64 { p.iter().map(|v| v * v).sum() }
        fn first<const N: usize>(p: &[f64; N]) -> f64 { p[0] * N as f64 }
        let mut p: [f64; 3] = x[a..a + 3].try_into().unwrap();
        p[0] *= 2.0;
        let q: &[f64; 2] = x[a..b].try_into().expect("two");
        let [u, v] = <[f64; 2]>::try_from(&x[a..b]).unwrap();
        let w: &mut [f64; 2] = (&mut y[1..]).try_into().unwrap();
        w[1] = p[0] + u;
        w[0] += v;
        let mut s = 0.0;
        for c in x.chunks_exact(3) { let c: [f64; 3] = c.try_into().unwrap(); s += c[2]; }
        p = x[..3].try_into().unwrap();
        s + norm(x[1..4].try_into().unwrap()) * q[1] + p[0] + first::<2>(x[..2].try_into().unwrap())
    }
    with (x = vec![1.5, 2.0, -3.0, 4.0], y = vec![0.5; 3], a = 1usize, b = 3usize);
    with (x = vec![1.5, 2.0, -3.0, 4.0], y = vec![0.5; 4], a = 1usize, b = 3usize);
    with (x = vec![1.5, 2.0, -3.0, 4.0], y = vec![0.5; 3], a = 1usize, b = 4usize);
    with (x = vec![1.5, 2.0, -3.0, 4.0], y = vec![0.5; 3], a = 2usize, b = 4usize);

    fn assertions(x: &[f64], n: usize) -> f64 {
        assert!(n <= x.len(), "too many");
        debug_assert!(n > 0);
        assert_eq!(x.len() % 2, 0, "length {}", x.len());
        assert_ne!(n, 3);
        let mut s = 0.0;
        for v in x.iter().take(n) { assert!(*v > 0.0); debug_assert_ne!(*v, 2.0); s += v.ln(); }
        s
    }
    with (x = vec![1.5, 2.5], n = 2usize);
    with (x = vec![1.5, 2.5], n = 3usize);
    with (x = vec![1.5, 2.5], n = 0usize);
    with (x = vec![1.5, 2.5, 1.0], n = 1usize);
    with (x = vec![1.5, 2.0], n = 2usize);
    with (x = vec![1.5, -1.0], n = 2usize);
    with (x = vec![1.5, -1.0], n = 1usize);
}

refused! {
    reference_or_other: "fn f(x: &[[f64; 2]]) -> f64 { x.first().unwrap_or(&[0.0; 2])[0] }"
        => ["unwrap_or", "`unwrap_or` of a reference"]
}
