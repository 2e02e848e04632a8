//! Closures under a name, and helpers that take functions.

use pardiff::differentiate;
use pardiff_programs::{check, random};

#[differentiate]
pub fn cl_fn(x: f64, a: f64) -> f64 {
    fn newton(f: impl Fn(f64) -> f64, df: impl Fn(f64) -> f64, x0: f64) -> f64 {
        let mut x = x0;
        for _ in 0..20 {
            let step = f(x) / df(x);
            x -= step;
            if step.abs() < 1e-13 {
                break;
            }
        }
        x
    }
    fn simpson<F: Fn(f64) -> f64>(f: F, a: f64, b: f64, n: usize) -> f64 {
        let h = (b - a) / n as f64;
        let mut s = f(a) + f(b);
        for i in 1..n {
            s += f(a + i as f64 * h) * if i % 2 == 1 { 4.0 } else { 2.0 };
        }
        s * h / 3.0
    }
    let r = newton(|t| t * t * t - a, |t| 3.0 * t * t, x);
    let g = |u: f64, v: f64| (u * v * r).sin();
    let r = 3.0;
    simpson(|u| simpson(|v| g(u, v), 0.0, 1.0, 4), 0.0, a, 6) + simpson(f64::exp, 0.0, x, 4) * r
}

#[test]
fn gradient_of_cl_fn() {
    let (_, g) = cl_fn::gradient(1.1, 1.7);
    check(|v| cl_fn(v[0][0], v[0][1]), &[&[1.1, 1.7]], &[&[g.x, g.a]]);
}

#[differentiate]
pub fn cl_mut(x: &[f64], w: &[f64]) -> f64 {
    let mut total = 0.0;
    let mut n = 0;
    let mut add = |v: f64, k: usize| {
        if k == 0 {
            return;
        }
        total += v * v;
        n += k;
    };
    for i in 0..x.len() {
        add(x[i], i);
    }
    add(w[0], 3);
    let dist = |i: usize, j: usize| -> f64 { (x[i] - w[j]).abs() };
    let sq = |v: &f64| v * v;
    total / n as f64
        + dist(0, 1)
        + x.iter().map(sq).sum::<f64>()
        + x.iter().enumerate().map(|(i, _)| dist(i, 0)).sum::<f64>()
}

#[test]
fn gradient_of_cl_mut() {
    let (x, w) = (random(1, 4), random(2, 2));
    let (_, g) = cl_mut::gradient(&x, &w);
    check(|v| cl_mut(&v[0], &v[1]), &[&x, &w], &[&g.x, &g.w]);
}

/// A closure that is mapped and called.
#[differentiate]
pub fn closure_local(x: &[f64], a: f64) -> f64 {
    let f = |t: f64| a * t * t + 1.0;
    x.iter().map(|&v| f(v)).sum::<f64>() + f(0.5)
}

#[test]
fn gradient_of_closure_local() {
    let x = random(1, 4);
    let (_, g) = closure_local::gradient(&x, 0.7);
    check(|v| closure_local(&v[0], v[1][0]), &[&x, &[0.7]], &[&g.x, &[g.a]]);
}

/// A closure that takes functions, and a helper that takes a pointer to one.
#[differentiate]
pub fn closures_of_functions(x: f64, a: f64) -> f64 {
    fn twice(f: fn(f64) -> f64, v: f64) -> f64 {
        f(f(v))
    }
    fn square(v: f64) -> f64 {
        v * v
    }
    let apply = |g: &dyn Fn(f64) -> f64, v: f64| g(g(v) + a);
    apply(&|v| v.sin() + x, x)
        + apply(&|v| v * v, 2.0 * x)
        + apply(&square, a)
        + twice(square, x)
        + twice(f64::sin, a)
}

#[test]
fn closures_take_functions() {
    let (value, gradient) = closures_of_functions::gradient(0.4, 0.7);
    assert_eq!(value, closures_of_functions(0.4, 0.7));
    check(|at| closures_of_functions(at[0][0], at[0][1]), &[&[0.4, 0.7]], &[&[gradient.x, gradient.a]]);
}
