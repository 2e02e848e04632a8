//! Statistics as iterator chains: moments, losses, time series.

use pardiff::differentiate;
use pardiff_programs::{check, dot, positive, random};

/// Finance: NPV with discount factor by fold.
#[differentiate]
pub fn npv(cash: &[f64], rate: f64) -> f64 {
    cash.iter().rev().fold(0.0, |acc, &c| (acc + c) / (1.0 + rate))
}

#[test]
fn gradient_of_npv() {
    let c = random(1, 6);
    let (_, g) = npv::gradient(&c, 0.05);
    check(|v| npv(&v[0], v[1][0]), &[&c, &[0.05]], &[&g.cash, &[g.rate]]);
}

/// Statistics: correlation.
#[differentiate]
pub fn correlation(x: &[f64], y: &[f64]) -> f64 {
    let n = x.len() as f64;
    let mx = x.iter().sum::<f64>() / n;
    let my = y.iter().sum::<f64>() / n;
    let cov: f64 = x.iter().zip(y.iter()).map(|(a, b)| (a - mx) * (b - my)).sum();
    let vx: f64 = x.iter().map(|a| (a - mx).powi(2)).sum();
    let vy: f64 = y.iter().map(|b| (b - my).powi(2)).sum();
    cov / (vx * vy).sqrt()
}

#[test]
fn gradient_of_correlation() {
    let (x, y) = (random(1, 7), random(2, 7));
    let (_, g) = correlation::gradient(&x, &y);
    check(|v| correlation(&v[0], &v[1]), &[&x, &y], &[&g.x, &g.y]);
}

/// Log-sum-exp with max fold.
#[differentiate]
pub fn logsumexp(x: &[f64]) -> f64 {
    let m = x.iter().cloned().fold(f64::NEG_INFINITY, f64::max);
    m + x.iter().map(|v| (v - m).exp()).sum::<f64>().ln()
}

#[test]
fn gradient_of_lse() {
    let x = random(1, 7);
    let (_, g) = logsumexp::gradient(&x);
    check(|v| logsumexp(&v[0]), &[&x], &[&g.x]);
}

/// Fold with tuple state (mean, M2: Welford).
#[differentiate]
pub fn welford(x: &[f64]) -> f64 {
    let (n, _, m2) = x.iter().fold((0usize, 0.0, 0.0), |(n, mean, m2), &v| {
        let n1 = n + 1;
        let delta = v - mean;
        let mean1 = mean + delta / n1 as f64;
        (n1, mean1, m2 + delta * (v - mean1))
    });
    m2 / (n - 1) as f64
}

#[test]
fn gradient_of_welford() {
    let x = random(1, 8);
    let (_, g) = welford::gradient(&x);
    check(|v| welford(&v[0]), &[&x], &[&g.x]);
}

/// Filter + map + count; mean of positives.
#[differentiate]
pub fn mean_pos(x: &[f64]) -> f64 {
    let n = x.iter().filter(|&&v| v > 0.0).count();
    if n == 0 {
        return 0.0;
    }
    x.iter().filter(|v| **v > 0.0).map(|v| v.ln()).sum::<f64>() / n as f64
}

#[test]
fn gradient_of_mean_pos() {
    let x = random(1, 9);
    let (_, g) = mean_pos::gradient(&x);
    check(|v| mean_pos(&v[0]), &[&x], &[&g.x]);
}

/// EWMA with iter_mut & previous state.
#[differentiate]
pub fn ewma(x: &[f64], alpha: f64, out: &mut [f64]) {
    let mut state = x[0];
    for (o, &v) in out.iter_mut().zip(x.iter()) {
        state = alpha * v + (1.0 - alpha) * state;
        *o = state;
    }
}

#[test]
fn gradient_of_ewma() {
    let x = random(1, 6);
    let s = random(2, 6);
    let mut out = vec![0.0; 6];
    let mut d_out = s.clone();
    let (mut d_x, mut d_a) = (vec![0.0; 6], 0.0);
    ewma::vjp(&x, &mut d_x, 0.3, &mut d_a, &mut out, &mut d_out);
    check(
        |v| {
            let mut o = vec![0.0; 6];
            ewma(&v[0], v[1][0], &mut o);
            dot(&o, &s)
        },
        &[&x, &[0.3]],
        &[&d_x, &[d_a]],
    );
}

/// Sum of integers, weights from indices, chained casts.
#[differentiate]
pub fn weighted_mean(x: &[f64], counts: &[u32]) -> f64 {
    let total: u32 = counts.iter().sum();
    let s: f64 = x.iter().zip(counts).map(|(&v, &c)| v.exp() * f64::from(c)).sum();
    s / total as f64
}

#[test]
fn gradient_of_wm() {
    let x = random(1, 4);
    let c = [1, 4, 2, 3];
    let (_, g) = weighted_mean::gradient(&x, &c);
    check(|v| weighted_mean(&v[0], &c), &[&x], &[&g.x]);
}

/// Autocorrelation over lags, nested iterators with ranges.
#[differentiate]
pub fn autocorr(x: &[f64], max_lag: usize) -> f64 {
    (1..=max_lag)
        .map(|lag| {
            let r: f64 = x[..x.len() - lag].iter().zip(&x[lag..]).map(|(a, b)| a * b).sum();
            r * r / lag as f64
        })
        .sum()
}

#[test]
fn gradient_of_autocorr() {
    let x = random(1, 9);
    let (_, g) = autocorr::gradient(&x, 4);
    check(|v| autocorr(&v[0], 4), &[&x], &[&g.x]);
}

/// Product with likelihood ; take_while absent.
#[differentiate]
pub fn survival(h: &[f64], upto: usize) -> f64 {
    h.iter().take(upto).map(|&p| 1.0 - p * 0.3).product::<f64>()
}

#[test]
fn gradient_of_surv() {
    let x = random(1, 8);
    let (_, g) = survival::gradient(&x, 5);
    check(|v| survival(&v[0], 5), &[&x], &[&g.h]);
}

/// Softmax cross entropy with labels, collecting Vec and nested iteration + max_by.
#[differentiate(wrt(logits))]
pub fn xent(logits: &[f64], labels: &[usize], classes: usize) -> f64 {
    let mut loss = 0.0;
    for (row, &label) in logits.chunks_exact(classes).zip(labels.iter()) {
        let max = row.iter().fold(f64::MIN, |m, &v| if v > m { v } else { m });
        let exps: Vec<f64> = row.iter().map(|&z| (z - max).exp()).collect();
        let sum: f64 = exps.iter().sum();
        loss -= (exps[label] / sum).ln();
    }
    loss / labels.len() as f64
}

#[test]
fn gradient_of_xent() {
    let x = random(1, 12);
    let l = [0, 2, 1, 2];
    let (_, g) = xent::gradient(&x, &l, 3);
    check(|v| xent(&v[0], &l, 3), &[&x], &[&g.logits]);
}

/// Zip of three with mutable.
#[differentiate]
pub fn adam(p: &mut [f64], m: &mut [f64], v: &mut [f64], g: &[f64], lr: f64, beta1: f64, beta2: f64) {
    for (((p, m), v), &g) in p.iter_mut().zip(m.iter_mut()).zip(v.iter_mut()).zip(g) {
        *m = beta1 * *m + (1.0 - beta1) * g;
        *v = beta2 * *v + (1.0 - beta2) * g * g;
        *p -= lr * *m / (v.sqrt() + 1e-3);
    }
}

#[test]
fn gradient_of_adam() {
    let n = 5;
    let (p0, m0, v0, g0) = (random(1, n), random(2, n), positive(3, n), random(4, n));
    let (sp, sm, sv) = (random(5, n), random(6, n), random(7, n));
    let (mut p, mut m, mut v, mut dp, mut dm, mut dv) =
        (p0.clone(), m0.clone(), v0.clone(), sp.clone(), sm.clone(), sv.clone());
    let mut dg = vec![0.0; n];
    let (mut a, mut b, mut c) = (0.0, 0.0, 0.0);
    adam::vjp(
        &mut p, &mut dp, &mut m, &mut dm, &mut v, &mut dv, &g0, &mut dg, 0.01, &mut a, 0.9, &mut b, 0.99,
        &mut c,
    );
    check(
        |x| {
            let (mut p, mut m, mut v) = (x[0].clone(), x[1].clone(), x[2].clone());
            adam(&mut p, &mut m, &mut v, &x[3], x[4][0], x[4][1], x[4][2]);
            dot(&p, &sp) + dot(&m, &sm) + dot(&v, &sv)
        },
        &[&p0, &m0, &v0, &g0, &[0.01, 0.9, 0.99]],
        &[&dp, &dm, &dv, &dg, &[a, b, c]],
    );
}

/// Split_at_mut and butterflies.
#[differentiate]
pub fn haar(x: &mut [f64]) {
    let n = x.len();
    let mut len = n;
    let mut tmp = vec![0.0; n];
    while len > 1 {
        let half = len / 2;
        for (i, pair) in x[..len].chunks_exact(2).enumerate() {
            tmp[i] = (pair[0] + pair[1]) * std::f64::consts::FRAC_1_SQRT_2;
            tmp[half + i] = (pair[0] * pair[1]) * std::f64::consts::FRAC_1_SQRT_2;
        }
        x[..len].copy_from_slice(&tmp[..len]);
        len = half;
    }
}

#[test]
fn gradient_of_haar() {
    let x0 = random(1, 8);
    let s = random(2, 8);
    let (mut x, mut d) = (x0.clone(), s.clone());
    haar::vjp(&mut x, &mut d);
    check(
        |v| {
            let mut x = v[0].clone();
            haar(&mut x);
            dot(&x, &s)
        },
        &[&x0],
        &[&d],
    );
}
