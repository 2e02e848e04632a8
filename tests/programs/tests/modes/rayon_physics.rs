//! Physics with rayon: sums over particles, stencils, steps of time.

use crate::rayon_iterators::{assert_parallel, on_threads};
use pardiff::differentiate;
use pardiff_programs::{check, dot, positive, random};
use rayon::prelude::*;

#[differentiate]
pub fn kinetic(v: &[[f64; 3]], m: &[f64]) -> f64 {
    v.par_iter().zip(m.par_iter()).map(|(v, m)| 0.5 * m * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2])).sum()
}

#[test]
fn gradient_of_kin() {
    assert_parallel(kinetic::DECISIONS);
    let (x, m) = (random(1, 12), positive(2, 4));
    let p = |v: &[f64]| v.chunks(3).map(|c| [c[0], c[1], c[2]]).collect::<Vec<_>>();
    let (_, g) = kinetic::gradient(&p(&x), &m);
    check(|v| kinetic(&p(&v[0]), &v[1]), &[&x, &m], &[g.v.as_flattened(), &g.m]);
    let (x, m) = (random(1, 90000), positive(2, 30000));
    on_threads(|| {
        let (e, g) = kinetic::gradient(&p(&x), &m);
        [vec![e], g.v.as_flattened().to_vec(), g.m].concat()
    });
}

/// Lennard-Jones: into_par_iter over range with inner loop, early `return`-free closures.
#[differentiate(wrt(pos))]
pub fn lj(pos: &[f64], n: usize, eps: f64, sigma: f64) -> f64 {
    (0..n)
        .into_par_iter()
        .map(|i| {
            let mut e = 0.0;
            for j in (i + 1)..n {
                let dx = pos[3 * i] - pos[3 * j];
                let dy = pos[3 * i + 1] - pos[3 * j + 1];
                let dz = pos[3 * i + 2] - pos[3 * j + 2];
                let r2 = dx * dx + dy * dy + dz * dz;
                if r2 > 9.0 {
                    continue;
                }
                let s6 = (sigma * sigma / r2).powi(3);
                e += 4.0 * eps * (s6 * s6 - s6);
            }
            e
        })
        .sum()
}

#[test]
fn gradient_of_lj() {
    assert_parallel(lj::DECISIONS);
    let x: Vec<f64> = random(1, 15).iter().map(|v| v * 3.0).collect();
    let (_, g) = lj::gradient(&x, 5, 0.5, 0.8);
    check(|v| lj(&v[0], 5, 0.5, 0.8), &[&x], &[&g.pos]);
    let x: Vec<f64> = random(1, 900).iter().map(|v| v * 10.0).collect();
    on_threads(|| {
        let (e, g) = lj::gradient(&x, 300, 0.5, 0.8);
        [vec![e], g.pos].concat()
    });
}

/// Fold().reduce() with tuple: mean & var.
#[differentiate]
pub fn variance(x: &[f64]) -> f64 {
    let (s, s2) = x
        .par_iter()
        .fold(|| (0.0, 0.0), |(s, s2), &v| (s + v, s2 + v * v))
        .reduce(|| (0.0, 0.0), |a, b| (a.0 + b.0, a.1 + b.1));
    let n = x.len() as f64;
    s2 / n - (s / n).powi(2)
}

#[test]
fn gradient_of_var() {
    assert_parallel(variance::DECISIONS);
    let x = random(1, 12);
    let (_, g) = variance::gradient(&x);
    check(|v| variance(&v[0]), &[&x], &[&g.x]);
    let x = random(1, 40000);
    on_threads(|| variance::gradient(&x).1.x);
}

/// Map().reduce with max.
#[differentiate]
pub fn par_lse(x: &[f64]) -> f64 {
    let m = x.par_iter().copied().reduce(|| f64::NEG_INFINITY, f64::max);
    let s: f64 = x.par_iter().map(|v| (v - m).exp()).sum();
    m + s.ln()
}

#[test]
fn gradient_of_plse() {
    assert_parallel(par_lse::DECISIONS);
    let x = random(1, 12);
    let (_, g) = par_lse::gradient(&x);
    check(|v| par_lse(&v[0]), &[&x], &[&g.x]);
    let x = random(1, 40000);
    on_threads(|| par_lse::gradient(&x).1.x);
}

/// Map to array-valued, reduce arrays (centroid).
#[differentiate]
pub fn inertia(p: &[[f64; 2]], m: &[f64]) -> f64 {
    let c = p
        .par_iter()
        .zip(m)
        .map(|(p, m)| [p[0] * m, p[1] * m, *m])
        .reduce(|| [0.0; 3], |a, b| [a[0] + b[0], a[1] + b[1], a[2] + b[2]]);
    let (cx, cy) = (c[0] / c[2], c[1] / c[2]);
    p.par_iter().zip(m.par_iter()).map(|(p, &m)| m * ((p[0] - cx).powi(2) + (p[1] - cy).powi(2))).sum()
}

#[test]
fn gradient_of_inertia() {
    assert_parallel(inertia::DECISIONS);
    let (x, m) = (random(1, 12), positive(2, 6));
    let p = |v: &[f64]| v.chunks(2).map(|c| [c[0], c[1]]).collect::<Vec<_>>();
    let (_, g) = inertia::gradient(&p(&x), &m);
    check(|v| inertia(&p(&v[0]), &v[1]), &[&x, &m], &[g.p.as_flattened(), &g.m]);
    let (x, m) = (random(1, 60000), positive(2, 30000));
    on_threads(|| {
        let (e, g) = inertia::gradient(&p(&x), &m);
        [vec![e], g.p.as_flattened().to_vec(), g.m].concat()
    });
}

/// Par_iter_mut zip par_iter: Verlet with map_collect.
#[differentiate]
pub fn verlet(pos: &mut [f64], vel: &mut [f64], steps: usize, dt: f64) {
    for _ in 0..steps {
        let acc: Vec<f64> = pos.par_iter().map(|x| -x.sin()).collect();
        pos.par_iter_mut().zip(vel.par_iter_mut()).zip(&acc).for_each(|((x, v), a)| {
            *v += dt * a;
            *x += dt * *v;
        });
    }
}

#[test]
fn gradient_of_verlet() {
    assert_parallel(verlet::DECISIONS);
    let run = |n: usize, k: usize| {
        let (x0, v0, sx, sv) = (random(1, n), random(2, n), random(3, n), random(4, n));
        let (mut x, mut v, mut dx, mut dv, mut dd) = (x0.clone(), v0.clone(), sx.clone(), sv.clone(), 0.0);
        verlet::vjp(&mut x, &mut dx, &mut v, &mut dv, k, 0.1, &mut dd);
        (x0, v0, sx, sv, dx, dv, dd)
    };
    let (x0, v0, sx, sv, dx, dv, dd) = run(3, 4);
    check(
        |q| {
            let (mut x, mut v) = (q[0].clone(), q[1].clone());
            verlet(&mut x, &mut v, 4, q[2][0]);
            dot(&x, &sx) + dot(&v, &sv)
        },
        &[&x0, &v0, &[0.1]],
        &[&dx, &dv, &[dd]],
    );
    on_threads(|| {
        let r = run(20000, 3);
        [r.4, r.5, vec![r.6]].concat()
    });
}

/// Scope within a time loop, writing disjoint blocks and reading a shared previous state.
#[differentiate]
pub fn stepping(u: &mut [f64], steps: usize, c: f64) {
    let n = u.len();
    let mut next = vec![0.0; n];
    for _ in 0..steps {
        let old = &*u;
        rayon::scope(|s| {
            for (b, block) in next.chunks_mut(4).enumerate() {
                s.spawn(move |_| {
                    for (j, v) in block.iter_mut().enumerate() {
                        let i = b * 4 + j;
                        let l = if i == 0 { old[n - 1] } else { old[i - 1] };
                        let r = old[(i + 1) % n];
                        *v = old[i] + c * (l - 2.0 * old[i] + r) * old[i];
                    }
                });
            }
        });
        u.copy_from_slice(&next);
    }
}

#[test]
fn gradient_of_stepping() {
    assert_parallel(stepping::DECISIONS);
    let run = |n: usize| {
        let (mut u, mut d, mut dc) = (random(1, n), random(2, n), 0.0);
        stepping::vjp(&mut u, &mut d, 3, 0.2, &mut dc);
        (d, dc)
    };
    let (d, dc) = run(10);
    let s = random(2, 10);
    check(
        |v| {
            let mut u = v[0].clone();
            stepping(&mut u, 3, v[1][0]);
            dot(&u, &s)
        },
        &[&random(1, 10), &[0.2]],
        &[&d, &[dc]],
    );
    on_threads(|| {
        let (d, c) = run(9001);
        [d, vec![c]].concat()
    });
}

/// Parallel quicksum recursion: integrate by join.
#[differentiate]
pub fn integral(coef: &[f64], a: f64, b: f64) -> f64 {
    fn f(coef: &[f64], x: f64) -> f64 {
        let mut acc = 0.0;
        for c in coef.iter().rev() {
            acc = acc * x + c;
        }
        acc.exp()
    }
    fn go(coef: &[f64], a: f64, b: f64, depth: u32) -> f64 {
        if depth == 0 {
            return (b - a) / 6.0 * (f(coef, a) + 4.0 * f(coef, 0.5 * (a + b)) + f(coef, b));
        }
        let mid = 0.5 * (a + b);
        let (l, r) = rayon::join(|| go(coef, a, mid, depth - 1), || go(coef, mid, b, depth - 1));
        l + r
    }
    go(coef, a, b, 4)
}

#[test]
fn gradient_of_integral() {
    assert_parallel(integral::DECISIONS);
    let c = random(1, 4);
    let (_, g) = integral::gradient(&c, 0.1, 1.3);
    check(|v| integral(&v[0], v[1][0], v[1][1]), &[&c, &[0.1, 1.3]], &[&g.coef, &[g.a, g.b]]);
    on_threads(|| {
        let (p, g) = integral::gradient(&c, 0.1, 1.3);
        vec![p, g.a, g.b]
    });
}

/// Rayon scope with two spawned output halves & mutable captured.
#[differentiate]
pub fn stats(x: &[f64], y: &[f64]) -> (f64, f64) {
    let mut mean = 0.0;
    let mut energy = 0.0;
    rayon::scope(|s| {
        s.spawn(|_| mean = x.iter().sum::<f64>() / x.len() as f64);
        s.spawn(|_| {
            energy = y.iter().map(|v| v * v).sum::<f64>();
        });
    });
    (mean * energy, energy)
}

#[test]
fn gradient_of_stats() {
    assert_parallel(stats::DECISIONS);
    let (x, y) = (random(1, 5), random(2, 4));
    let (mut dx, mut dy) = (vec![0.0; 5], vec![0.0; 4]);
    stats::vjp(&x, &mut dx, &y, &mut dy, (0.7, -0.3));
    check(
        |v| {
            let r = stats(&v[0], &v[1]);
            0.7 * r.0 - 0.3 * r.1
        },
        &[&x, &y],
        &[&dx, &dy],
    );
}

/// Join: three-way, tuple of arrays.
#[differentiate]
pub fn three(x: &[f64], k: f64) -> f64 {
    let ((a, b), c) = rayon::join(
        || rayon::join(|| x.iter().map(|v| v * k).sum::<f64>(), || [x[0] * k, x[1]]),
        || {
            let mut m = f64::MIN;
            for &v in x {
                if v > m {
                    m = v;
                }
            }
            (m, k * k)
        },
    );
    a * b[0] + b[1] * c.0 * c.1
}

#[test]
fn gradient_of_three() {
    assert_parallel(three::DECISIONS);
    let x = random(1, 5);
    let (_, g) = three::gradient(&x, 0.6);
    check(|v| three(&v[0], v[1][0]), &[&x, &[0.6]], &[&g.x, &[g.k]]);
}

/// Sums of structs are sums of their fields.
#[differentiate]
mod moments {
    use rayon::prelude::*;
    use std::ops::Add;

    #[derive(Clone, Copy, Default)]
    pub struct Moments {
        pub first: f64,
        pub second: [f64; 2],
        pub count: usize,
    }

    impl Moments {
        const ZERO: Moments = Moments { first: 0.0, second: [0.0; 2], count: 0 };

        fn of(x: f64) -> Moments {
            Moments { first: x, second: [x * x, x.sin()], count: 1 }
        }
    }

    impl Add for Moments {
        type Output = Moments;
        fn add(self, other: Moments) -> Moments {
            Moments {
                first: self.first + other.first,
                second: [self.second[0] + other.second[0], self.second[1] + other.second[1]],
                count: self.count + other.count,
            }
        }
    }

    pub fn skewed(x: &[f64]) -> f64 {
        let m = x.par_iter().map(|&x| Moments::of(x)).reduce(|| Moments::ZERO, |a, b| a + b);
        let [square, sine] = m.second;
        (square - m.first * m.first / m.count as f64) * sine
    }
}

#[test]
fn sums_of_structs() {
    let x = random(1, 9);
    let (_, g) = moments::skewed::gradient(&x);
    check(|v| moments::skewed(&v[0]), &[&x], &[&g.x]);
    assert_parallel(moments::skewed::DECISIONS);
    let x = random(2, 30_000);
    on_threads(|| moments::skewed::gradient(&x).1.x);
}

/// The mean of what passes a condition: counted and summed at once.
#[differentiate]
pub fn mean_above(x: &[f64], limit: f64) -> f64 {
    let (sum, count) = x
        .par_iter()
        .fold(
            || (0.0, 0usize),
            |(sum, count), &v| if v > limit { (sum + v.exp(), count + 1) } else { (sum, count) },
        )
        .reduce(|| (0.0, 0), |a, b| (a.0 + b.0, a.1 + b.1));
    let below = x.par_iter().filter(|v| **v <= limit).count();
    sum / count as f64 * below as f64
}

#[test]
fn counted_and_summed() {
    assert_parallel(mean_above::DECISIONS);
    let x = random(1, 11);
    let (value, g) = mean_above::gradient(&x, 0.1);
    assert!((value - mean_above(&x, 0.1)).abs() < 1e-14);
    check(|v| mean_above(&v[0], 0.1), &[&x], &[&g.x]);
    let x = random(2, 30_000);
    on_threads(|| mean_above::gradient(&x, 0.1).1.x);
}
