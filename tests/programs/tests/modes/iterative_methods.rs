//! Iterations that end when they have converged: Newton, line searches, adaptive steps.

use pardiff::differentiate;
use pardiff_programs::{check, dot, positive, random};

#[differentiate]
pub fn kepler(m: f64, e: f64) -> f64 {
    let mut ecc = m;
    for _ in 0..100 {
        let f = ecc - e * ecc.sin() - m;
        let fp = 1.0 - e * ecc.cos();
        let step = f / fp;
        ecc -= step;
        if step.abs() < 1e-14 {
            break;
        }
    }
    ecc
}

#[test]
fn gradient_of_kepler() {
    let (_, g) = kepler::gradient(0.8, 0.3);
    check(|v| kepler(v[0][0], v[0][1]), &[&[0.8, 0.3]], &[&[g.m, g.e]]);
}

/// Adaptive RK step: loop with accept/reject.
#[differentiate]
pub fn adaptive(y0: f64, lambda: f64, t_end: f64) -> f64 {
    let (mut t, mut y, mut h) = (0.0, y0, 0.1);
    let tol = 1e-3;
    while t < t_end {
        if t + h > t_end {
            h = t_end - t;
        }
        let k1 = -lambda * y * y;
        let k2 = -lambda * (y + h * k1).powi(2);
        let err = 0.5 * h * (k2 - k1).abs();
        if err > tol {
            h *= 0.5;
            continue;
        }
        y += 0.5 * h * (k1 + k2);
        t += h;
        if err < 0.1 * tol {
            h *= 2.0;
        }
    }
    y
}

#[test]
fn gradient_of_adapt() {
    let (_, g) = adaptive::gradient(1.3, 0.9, 1.0);
    check(|v| adaptive(v[0][0], v[0][1], v[0][2]), &[&[1.3, 0.9, 1.0]], &[&[g.y0, g.lambda, g.t_end]]);
}

/// Gradient descent with backtracking line search.
#[differentiate]
pub fn minimise(a: &[f64], b: &[f64]) -> f64 {
    fn objective(a: &[f64], b: &[f64], x: &[f64]) -> f64 {
        let mut f = 0.0;
        for i in 0..x.len() {
            f += 0.25 * a[i] * x[i].powi(4) + 0.5 * x[i] * x[i] - b[i] * x[i];
        }
        f
    }
    let n = a.len();
    let mut x = vec![0.0; n];
    let mut g = vec![0.0; n];
    'outer: for _ in 0..6 {
        let f0 = objective(a, b, &x);
        let mut norm2 = 0.0;
        for i in 0..n {
            g[i] = a[i] * x[i].powi(3) + x[i] - b[i];
            norm2 += g[i] * g[i];
        }
        if norm2 < 1e-20 {
            break 'outer;
        }
        let mut step = 2.0;
        let mut tries = 0;
        loop {
            let trial: Vec<f64> = x.iter().zip(&g).map(|(x, g)| x - step * g).collect();
            if objective(a, b, &trial) <= f0 - 0.3 * step * norm2 {
                x.copy_from_slice(&trial);
                break;
            }
            step *= 0.5;
            tries += 1;
            if tries > 20 {
                break 'outer;
            }
        }
    }
    objective(a, b, &x)
}

#[test]
fn gradient_of_min() {
    let (a, b) = (positive(1, 4), random(2, 4));
    let (_, g) = minimise::gradient(&a, &b);
    check(|v| minimise(&v[0], &v[1]), &[&a, &b], &[&g.a, &g.b]);
}

/// Conjugate gradient with tolerance.
#[differentiate]
pub fn cg(a: &[f64], b: &[f64], x: &mut [f64], tol: f64) -> usize {
    let n = b.len();
    let mut r = b.to_vec();
    let mut p = b.to_vec();
    let mut ap = vec![0.0; n];
    x.fill(0.0);
    let mut rr: f64 = r.iter().map(|v| v * v).sum();
    let mut iters = 0;
    while rr.sqrt() > tol && iters < 2 * n {
        for i in 0..n {
            ap[i] = (0..n).map(|j| a[i * n + j] * p[j]).sum();
        }
        let pap: f64 = p.iter().zip(&ap).map(|(u, v)| u * v).sum();
        let alpha = rr / pap;
        for i in 0..n {
            x[i] += alpha * p[i];
            r[i] -= alpha * ap[i];
        }
        let rr_new: f64 = r.iter().map(|v| v * v).sum();
        let beta = rr_new / rr;
        p.iter_mut().zip(r.iter()).for_each(|(p, r)| *p = *r + beta * *p);
        rr = rr_new;
        iters += 1;
    }
    iters
}

#[test]
fn gradient_of_cg() {
    let n = 4;
    let q = random(1, n * n);
    let mut a = vec![0.0; n * n];
    for i in 0..n {
        for j in 0..n {
            a[i * n + j] =
                (0..n).map(|k| q[i * n + k] * q[j * n + k]).sum::<f64>() + if i == j { 1.0 } else { 0.0 };
        }
    }
    let (b, s) = (random(2, n), random(3, n));
    let (mut da, mut db, mut x, mut dx) = (vec![0.0; n * n], vec![0.0; n], vec![0.0; n], s.clone());
    let mut dt = 0.0;
    cg::vjp(&a, &mut da, &b, &mut db, &mut x, &mut dx, 1e-2, &mut dt);
    check(
        |v| {
            let mut x = vec![0.0; n];
            cg(&v[0], &v[1], &mut x, 1e-2);
            dot(&x, &s)
        },
        &[&a, &b],
        &[&da, &db],
    );
}

/// Ray marching: sphere tracing with hit / miss.
#[differentiate]
pub fn render(rays: &[[f64; 3]], centre: &[f64; 3], radius: f64) -> f64 {
    let mut image = 0.0;
    'rays: for d in rays {
        let mut t = 0.0;
        let mut steps = 0;
        let depth = loop {
            let p = [d[0] * t, d[1] * t, d[2] * t];
            let dist = ((p[0] - centre[0]).powi(2) + (p[1] - centre[1]).powi(2) + (p[2] - centre[2]).powi(2))
                .sqrt()
                - radius;
            if dist < 1e-3 {
                break t + dist;
            }
            if t > 10.0 {
                continue 'rays;
            }
            t += dist;
            steps += 1;
            if steps == 60 {
                break 0.0;
            }
        };
        image += (-depth).exp();
    }
    image
}

#[test]
fn gradient_of_render() {
    let rays = [[0.0, 0.0, 1.0], [0.6, 0.0, 0.8], [0.1, 0.05, 0.9937303457]];
    let flat: Vec<f64> = rays.as_flattened().to_vec();
    let p = |v: &[f64]| v.chunks(3).map(|c| [c[0], c[1], c[2]]).collect::<Vec<_>>();
    let c = [0.1, -0.1, 3.0];
    let (_, g) = render::gradient(&rays, &c, 0.9);
    check(
        |v| render(&p(&v[0]), v[1].as_slice().try_into().unwrap(), v[2][0]),
        &[&flat, &c, &[0.9]],
        &[g.rays.as_flattened(), &g.centre, &[g.radius]],
    );
}

/// Fixed point with early return in the middle and Option-like flags.
#[differentiate]
pub fn sinkhorn(cost: &[f64], r: &[f64], c: &[f64], reg: f64) -> f64 {
    let (n, m) = (r.len(), c.len());
    let mut k = vec![0.0; n * m];
    for i in 0..n * m {
        k[i] = (-cost[i] / reg).exp();
    }
    let mut u = vec![1.0; n];
    let mut v = vec![1.0; m];
    let mut it = 0;
    loop {
        let mut change: f64 = 0.0;
        for i in 0..n {
            let s: f64 = (0..m).map(|j| k[i * m + j] * v[j]).sum();
            let new = r[i] / s;
            change = change.max((new - u[i]).abs());
            u[i] = new;
        }
        for j in 0..m {
            let mut s = 0.0;
            for i in 0..n {
                s += k[i * m + j] * u[i];
            }
            v[j] = c[j] / s;
        }
        it += 1;
        if change < 1e-13 || it == 200 {
            break;
        }
    }
    let mut total = 0.0;
    for i in 0..n {
        for j in 0..m {
            total += u[i] * k[i * m + j] * v[j] * cost[i * m + j];
        }
    }
    total
}

#[test]
fn gradient_of_sink() {
    let (cost, r, c) = (positive(1, 6), [0.5, 0.5], [0.3, 0.3, 0.4]);
    let (_, g) = sinkhorn::gradient(&cost, &r, &c, 0.3);
    check(
        |v| sinkhorn(&v[0], &v[1], &v[2], v[3][0]),
        &[&cost, &r, &c, &[0.3]],
        &[&g.cost, &g.r, &g.c, &[g.reg]],
    );
}

/// Interpolation by binary search.
#[differentiate(wrt(ys, q))]
pub fn interp(xs: &[f64], ys: &[f64], q: &[f64]) -> f64 {
    let mut total = 0.0;
    for &x in q {
        let (mut lo, mut hi) = (0, xs.len() - 1);
        if x <= xs[lo] {
            total += ys[lo];
            continue;
        }
        if x >= xs[hi] {
            total += ys[hi];
            continue;
        }
        while hi - lo > 1 {
            let mid = (lo + hi) / 2;
            if xs[mid] <= x { lo = mid } else { hi = mid }
        }
        let w = (x - xs[lo]) / (xs[hi] - xs[lo]);
        total += (1.0 - w) * ys[lo] + w * ys[hi];
    }
    total
}

#[test]
fn gradient_of_interp() {
    let xs = [-0.8, -0.3, 0.0, 0.45, 0.9];
    let (ys, q) = (random(1, 5), random(2, 7));
    let (_, g) = interp::gradient(&xs, &ys, &q);
    check(|v| interp(&xs, &v[0], &v[1]), &[&ys, &q], &[&g.ys, &g.q]);
}

/// Series until convergence (Bessel-like), early return for trivial.
#[differentiate]
pub fn bessel(x: f64) -> f64 {
    if x == 0.0 {
        return 1.0;
    }
    let q = -0.25 * x * x;
    let mut term = 1.0;
    let mut sum = 1.0;
    let mut k = 1.0;
    while f64::abs(term) > 1e-17 * f64::abs(sum) {
        term *= q / (k * k);
        sum += term;
        k += 1.0;
    }
    sum
}

#[test]
fn gradient_of_bessel() {
    let (_, g) = bessel::gradient(1.7);
    check(|v| bessel(v[0][0]), &[&[1.7]], &[&[g.x]]);
}

/// Agm with tuple assignment.
#[differentiate]
pub fn agm(a: f64, b: f64) -> f64 {
    let (mut a, mut b) = (a, b);
    while (a - b).abs() > 1e-12 {
        (a, b) = (0.5 * (a + b), (a * b).sqrt());
    }
    a
}

#[test]
fn gradient_of_agm() {
    let (_, g) = agm::gradient(1.0, 2.5);
    check(|v| agm(v[0][0], v[0][1]), &[&[1.0, 2.5]], &[&[g.a, g.b]]);
}

/// Jacobi sweep to tolerance with swap of buffers.
#[differentiate]
pub fn jacobi(f: &[f64], n: usize) -> f64 {
    let mut u = vec![0.0; n];
    let mut next = vec![0.0; n];
    let mut iterations = 0;
    loop {
        let mut res = 0.0f64;
        for i in 1..n - 1 {
            next[i] = 0.5 * (u[i - 1] + u[i + 1] + f[i] + 0.1 * u[i].sin());
            res = res.max((next[i] - u[i]).abs());
        }
        std::mem::swap(&mut u, &mut next);
        iterations += 1;
        if res < 1e-3 || iterations > 300 {
            break;
        }
    }
    u.iter().map(|v| v * v).sum()
}

#[test]
fn gradient_of_jacobi() {
    let f = random(1, 7);
    let (_, g) = jacobi::gradient(&f, 7);
    check(|v| jacobi(&v[0], 7), &[&f], &[&g.f]);
}
