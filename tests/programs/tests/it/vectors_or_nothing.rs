//! Vectors, and structs that own some, which come from several places: helpers that may fail or end early, branches.

use pardiff::differentiate;
use pardiff_programs::{check, random};

#[differentiate]
mod kernels {
    #[derive(Debug, PartialEq)]
    pub enum Failure {
        Empty,
        Singular(usize),
        Shape { rows: usize, columns: usize },
    }

    pub struct Fit {
        coefficients: Vec<f64>,
        norm: f64,
        count: usize,
    }

    fn solve(a: &[f64], b: &[f64], n: usize) -> Result<Vec<f64>, Failure> {
        if n == 0 {
            return Err(Failure::Empty);
        }
        let (mut m, mut x) = (a.to_vec(), b.to_vec());
        for k in 0..n {
            let pivot = m[k * n + k];
            if pivot.abs() < 1e-12 {
                return Err(Failure::Singular(k));
            }
            for i in k + 1..n {
                let f = m[i * n + k] / pivot;
                for j in k..n {
                    m[i * n + j] -= f * m[k * n + j];
                }
                x[i] -= f * x[k];
            }
        }
        for k in (0..n).rev() {
            for j in k + 1..n {
                x[k] -= m[k * n + j] * x[j];
            }
            x[k] /= m[k * n + k];
        }
        Ok(x)
    }

    fn fit(a: &[f64], b: &[f64], n: usize) -> Result<Fit, Failure> {
        if b.len() != n {
            return Err(Failure::Shape { rows: b.len(), columns: n });
        }
        let coefficients = solve(a, b, n)?;
        let norm = coefficients.iter().map(|v| v * v).sum();
        Ok(Fit { coefficients, norm, count: n })
    }

    #[differentiate]
    pub fn handed_on(a: &[f64], b: &[f64], n: usize) -> Result<f64, Failure> {
        let x = solve(a, b, n)?;
        let y = solve(a, &x, n)?;
        let fit = fit(a, &y, n)?;
        let dot: f64 = x.iter().zip(&y).map(|(p, q)| p * q).sum();
        Ok(dot * fit.norm + fit.coefficients[0] * fit.coefficients[n - 1] + fit.count as f64)
    }

    #[differentiate]
    pub fn taken_apart(a: &[f64], b: &[f64], n: usize) -> f64 {
        let mut s = match solve(a, b, n) {
            Ok(x) if x[0] > 0.0 => x.iter().map(|v| v * v).sum::<f64>(),
            Ok(x) => x[1],
            Err(_) => b.iter().sum(),
        };
        if let Ok(x) = solve(a, b, n) {
            s += x[0] * x[1];
        }
        if let Ok(Fit { coefficients, norm, .. }) = fit(a, b, n) {
            s += coefficients.iter().sum::<f64>() * norm;
        }
        let Ok(x) = solve(a, b, n) else { return s * b[0] };
        s * x[n - 1]
    }

    #[differentiate]
    pub fn replaced(a: &[f64], b: &[f64], n: usize) -> f64 {
        let x = solve(a, b, n).unwrap_or_else(|_| vec![1.0; n]);
        let y = solve(a, b, n).unwrap_or_default();
        x[0] * x[n - 1] * b[0] + y.iter().sum::<f64>()
    }

    #[differentiate]
    pub fn opened(a: &[f64], b: &[f64], n: usize) -> f64 {
        let x = solve(a, b, n).expect("a matrix of full rank");
        x[0] * solve(a, &x, n).unwrap()[n - 1]
    }

    fn logarithms(x: &[f64]) -> Option<Vec<f64>> {
        let mut all = Vec::new();
        for &v in x {
            if v > 0.0 {
                all.push(v.ln());
            }
        }
        if all.is_empty() { None } else { Some(all) }
    }

    fn roots(x: &[f64]) -> Option<Vec<f64>> {
        x.iter().map(|v| (*v > 0.0).then(|| v.sqrt())).collect()
    }

    #[differentiate]
    pub fn in_each_row(x: &[f64], d: usize) -> f64 {
        let mut s = 0.0;
        for row in x.chunks(d) {
            let Some(p) = logarithms(row) else { continue };
            let mean = p.iter().sum::<f64>() / p.len() as f64;
            s += p.iter().map(|v| (v - mean) * (v - 2.0)).sum::<f64>();
        }
        s
    }

    #[differentiate]
    pub fn adapted(x: &[f64]) -> f64 {
        let a = logarithms(x).map(|p| p.iter().sum::<f64>()).unwrap_or(0.5);
        let b = logarithms(x).map_or(1.0, |p| p[0]);
        let c = logarithms(x).and_then(|p| logarithms(&p)).unwrap_or_else(|| vec![1.0]);
        let d = logarithms(x).as_ref().map_or(1.0, |p| p[p.len() - 1]);
        let all: Option<Vec<f64>> = x[..2].iter().map(|v| (*v > -0.9).then(|| v.exp())).collect();
        let e = all.map_or(2.0, |all| all[0] * all[1]) + roots(x).map_or(0.0, |r| r.iter().sum());
        let mut best: Option<Vec<f64>> = None;
        for row in x.chunks_exact(2) {
            let v = vec![row[0] * row[0], row[1]];
            if best.as_ref().is_none_or(|best| best[0] < v[0]) {
                best = Some(v);
            }
        }
        a * b + c.iter().sum::<f64>() * d * e + best.map_or(0.0, |best| best[0] * best[1])
    }

    fn tail(x: &[f64]) -> Option<&[f64]> {
        if x.len() < 2 {
            return None;
        }
        Some(&x[1..])
    }

    fn late(x: &[f64], whole: bool) -> &[f64] {
        if whole {
            return x;
        }
        &x[1..]
    }

    #[differentiate]
    pub fn parts(x: &[f64]) -> f64 {
        let mut s = x[0];
        if let Some(t) = tail(x) {
            s += t.iter().map(|v| v * v).sum::<f64>() * late(x, t[0] > 0.0)[0];
        }
        let mut k = 0;
        let part = loop {
            if x[k].abs() > 0.3 || k + 1 == x.len() {
                break &x[k..];
            }
            k += 1;
        };
        s * tail(x).unwrap_or(x)[0] + tail(x).map_or(0.0, |t| t.iter().product()) * part[0]
    }

    fn early(x: &[f64]) -> Vec<[f64; 2]> {
        if x[0] > 0.0 {
            return vec![[x[0], x[1]]; 3];
        }
        x.iter().map(|v| [v * 2.0, v.sin()]).collect()
    }

    #[differentiate]
    pub fn longer(x: &[f64]) -> f64 {
        let mut v = early(x);
        v.push([x[1], 1.0]);
        let w = if x[1] > 0.0 { vec![x[0]; 2] } else { x.to_vec() };
        v.iter().map(|[a, b]| a * b).sum::<f64>() * w.iter().sum::<f64>()
    }
}

/// Matrices of which no pivot vanishes, and one that is singular.
fn matrices() -> [Vec<f64>; 2] {
    let mut regular = random(1, 9);
    (0..3).for_each(|k| regular[4 * k] += 4.0);
    [regular, vec![0.0; 9]]
}

#[test]
fn errors_are_handed_on() {
    let ([a, singular], b) = (matrices(), random(2, 3));
    let (_, g) = kernels::handed_on::gradient(&a, &b, 3).unwrap();
    check(|v| kernels::handed_on(&v[0], &v[1], 3).unwrap(), &[&a, &b], &[&g.a, &g.b]);
    let found = kernels::handed_on::gradient(&singular, &b, 3).map(|(value, _)| value);
    assert_eq!(found, Err(kernels::Failure::Singular(0)));
}

#[test]
fn vectors_are_taken_apart_and_replaced() {
    let b = random(2, 3);
    for a in matrices() {
        let (_, g) = kernels::taken_apart::gradient(&a, &b, 3);
        check(|v| kernels::taken_apart(&a, &v[0], 3), &[&b], &[&g.b]);
        let (_, g) = kernels::replaced::gradient(&a, &b, 3);
        check(|v| kernels::replaced(&a, &v[0], 3), &[&b], &[&g.b]);
    }
    let [a, singular] = matrices();
    let (_, g) = kernels::taken_apart::gradient(&a, &b, 3);
    check(|v| kernels::taken_apart(&v[0], &b, 3), &[&a], &[&g.a]);
    let (_, g) = kernels::opened::gradient(&a, &b, 3);
    check(|v| kernels::opened(&v[0], &v[1], 3), &[&a, &b], &[&g.a, &g.b]);
    assert!(std::panic::catch_unwind(|| kernels::opened::gradient(&singular, &b, 3)).is_err());
}

#[test]
fn lengths_follow_from_values() {
    for x in [random(3, 6), vec![-1.0, -2.0, 1.5, 4.0, 0.5, -0.5], vec![-1.0, -2.0, -1.5, -0.5, -0.7, -1.2]] {
        let (_, g) = kernels::in_each_row::gradient(&x, 2);
        check(|v| kernels::in_each_row(&v[0], 2), &[&x], &[&g.x]);
        let (_, g) = kernels::adapted::gradient(&x);
        check(|v| kernels::adapted(&v[0]), &[&x], &[&g.x]);
        let (_, g) = kernels::longer::gradient(&x);
        check(|v| kernels::longer(&v[0]), &[&x], &[&g.x]);
    }
    for x in [random(4, 5), vec![0.7], vec![0.1, -0.4, 0.2]] {
        let (_, g) = kernels::parts::gradient(&x);
        check(|v| kernels::parts(&v[0]), &[&x], &[&g.x]);
    }
}

#[differentiate(forward, hvp)]
fn steps(x: &[f64], n: usize) -> f64 {
    fn next(x: &[f64], k: usize) -> Result<Vec<f64>, usize> {
        if k == 100 {
            return Err(k);
        }
        Ok(x.iter().enumerate().map(|(i, v)| v.sin() + x[(i + 1) % x.len()] * 0.3).collect())
    }
    let mut u = x.to_vec();
    for k in 0..n {
        u = next(&u, k).unwrap();
    }
    u.iter().map(|v| v * v).sum()
}

#[test]
fn modes_agree() {
    let (x, d) = (random(5, 4), random(6, 4));
    let (_, g) = steps::gradient(&x, 3);
    check(|v| steps(&v[0], 3), &[&x], &[&g.x]);
    let (_, slope) = steps::jvp(&x, &d, 3);
    let dot: f64 = g.x.iter().zip(&d).map(|(g, d)| g * d).sum();
    assert!((slope - dot).abs() < 1e-12 * dot.abs().max(1.0));
}
