//! Tasks of rayon's, and helpers that call themselves.

use super::{refused, same};

same! {
    fn joined(x: &[f64], y: &mut [f64]) -> f64 {
        use rayon::join;
        fn total(x: &[f64]) -> f64 { let mut s = 0.0; for v in x { s += v; } s }
        let (a, b) = rayon::join(|| total(x), || x.len());
        let ((c, d), [e, f]) = join(
            || (x.iter().sum::<f64>(), if a > 0.0 { return (1.0, 2.0); } else { a }),
            || [a * 0.5, x[0]],
        );
        let (low, high) = y.split_at_mut(1);
        let ((), n) = join(|| for v in low.iter_mut() { *v += a; }, || { high[0] = c + e; high.len() });
        join(|| (), || ());
        let (g, (h, i)) = join(|| a + 1.0, || join(|| b as f64 * 2.0, || join(|| 1.0, || d).1));
        a + b as f64 + c * d + e - f + n as f64 + g + h * i
    }
    with (x = vec![0.5, 1.5, -0.25, 2.0], y = vec![1.0, 2.0, 3.0]);
    with (x = vec![-0.5, 0.25], y = vec![1.0, 2.0]);

    fn scoped(x: &[f64], y: &mut [f64], z: &mut [f64]) -> f64 {
        let mut sum = 0.0;
        let mut product = 1.0;
        let mut inner = 0.0;
        rayon::scope(|s| {
            s.spawn(|_| for v in x { sum += v; });
            let start = x[0];
            s.spawn(|s| {
                for v in x { product *= v; }
                s.spawn(|_| inner = product + 1.0);
            });
            for (k, row) in y.chunks_mut(2).enumerate() {
                s.spawn(move |_| { for v in row.iter_mut() { *v += k as f64 * start; } });
            }
        });
        let (mut low, mut rest) = z.split_at_mut(1);
        rayon::scope(|scope| {
            scope.spawn(|_| low[0] = sum);
            let (middle, last) = rest.split_at_mut(1);
            scope.spawn(|_| middle[0] = product);
            last[0] += inner;
        });
        let value = rayon::scope(|s| { s.spawn(|_| ()); sum * 2.0 });
        sum + product * inner + value
    }
    with (x = vec![0.5, 1.5, -0.25, 2.0], y = vec![1.0, 2.0, 3.0], z = vec![0.0, 0.0, 1.0]);

    fn recursive(x: &[f64], n: i32) -> f64 {
        fn power(x: f64, n: i32) -> f64 {
            if n <= 0 { return 1.0; }
            if n % 2 == 1 { x * power(x, n - 1) } else { let h = power(x, n / 2); h * h }
        }
        fn tree(x: &[f64], depth: usize) -> f64 {
            if depth == 0 || false { return x.iter().sum(); }
            let (a, b) = x.split_at(x.len() / 2);
            let (p, q) = rayon::join(|| tree(a, depth - 1), || tree(b, depth - 1));
            p + 2.0 * q
        }
        power(x[0], 13) + tree(x, 3) + tree(&x[1..], 0)
    }
    with (x = vec![0.5, 1.5, -0.25, 2.0, 4.0], n = 3);
    with (x = vec![0.5], n = 0);
}

refused! {
    endless: "fn f(x: f64) -> f64 { fn g(x: f64) -> f64 { g(x * 0.5) } g(x) }"
        => ["g(x * 0.5)", "the helper `g` calls itself"]
    depth_at_run_time: "fn f(x: &[f64], n: usize) -> f64 { fn g(x: &[f64], n: usize) -> f64 { if n == 0 { x[0] } else { g(x, n - 1) + g(&x[1..], n - 1) } } g(x, n) }"
        => ["g(x, n - 1)", "the helper `g` calls itself"] ["g(&x[1..], n - 1)", "the helper `g` calls itself"]
    length_decides: "fn f(x: &[f64]) -> f64 { fn g(x: &[f64]) -> f64 { if x.len() < 2 { x[0] } else { let (a, b) = x.split_at(x.len() / 2); let (p, q) = rayon::join(|| g(a), || g(b)); p + q } } g(x) }"
        => ["g(a)", "the helper `g` calls itself"] ["g(b)", "the helper `g` calls itself"]
    too_deep: "fn f(x: f64) -> f64 { fn g(x: f64, n: usize) -> f64 { if n == 0 { x } else { g(x, n - 1) * g(x, n - 2) } } g(x, 40) }"
        => ["g(x, n - 1)", "the helper `g` calls itself too often"] ["g(x, n - 2)", "the helper `g` calls itself too often"]
    detached: "fn f(x: &[f64]) -> f64 { rayon::spawn(|| ()); x[0] }"
        => ["rayon::spawn", "`rayon::spawn`"]
    scope_in_order: "fn f(x: &[f64]) -> f64 { rayon::scope_fifo(|s| ()); x[0] }"
        => ["rayon::scope_fifo", "`rayon::scope_fifo`"]
    reference: "fn f(x: &[f64]) -> f64 { let (a, b) = rayon::join(|| &x[1..], || 1.0); a[0] * b }"
        => ["&x[1..]", "a task whose value is a reference"]
    moved: "fn f(x: &[f64]) -> f64 { let mut s = 0.0; rayon::join(move || for v in x { s += v; }, || ()); s }"
        => ["s += v", "a `move` closure that changes its copy of `s`"]
    task_by_variable: "fn f(x: &[f64], n: usize) -> f64 { let (a, b) = rayon::join(n + 1, || 1.0); x[0] }"
        => ["n + 1", "this task"]
    other_method: "fn f(x: &[f64]) -> f64 { rayon::scope(|s| { s.spawn_broadcast(|_, _| ()); }); x[0] }"
        => ["s.spawn_broadcast(|_, _| ())", "`spawn_broadcast` of a scope"]
    handle: "fn f(x: &[f64]) -> f64 { fn g(s: usize) {} rayon::scope(|s| { g(s); }); x[0] }"
        => ["s", "the handle of a scope as a value"]
}
