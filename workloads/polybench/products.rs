//! Chains of products of matrices and vectors.

use pardiff::differentiate;

/// `d = alpha a b c + beta d0`; the shapes are `ni` by `nk`, `nk` by `nj`, `nj` by `nl`.
#[differentiate(wrt(a, b, c, d0))]
pub fn two_mm(
    a: &[f64],
    b: &[f64],
    c: &[f64],
    d0: &[f64],
    alpha: f64,
    beta: f64,
    ni: usize,
    nj: usize,
    nk: usize,
    nl: usize,
) -> f64 {
    let mut t = vec![0.0; ni * nj];
    for i in 0..ni {
        for j in 0..nj {
            for k in 0..nk {
                t[i * nj + j] += alpha * a[i * nk + k] * b[k * nj + j];
            }
        }
    }
    let mut d = d0.to_vec();
    for i in 0..ni {
        for j in 0..nl {
            d[i * nl + j] *= beta;
            for k in 0..nj {
                d[i * nl + j] += t[i * nj + k] * c[k * nl + j];
            }
        }
    }
    d.iter().map(|x| 0.5 * x * x).sum()
}

/// `g = (a b) (c d)`; the shapes are `ni` by `nk`, `nk` by `nj`, `nj` by `nm`, `nm` by `nl`.
#[differentiate]
pub fn three_mm(
    a: &[f64],
    b: &[f64],
    c: &[f64],
    d: &[f64],
    ni: usize,
    nj: usize,
    nk: usize,
    nl: usize,
    nm: usize,
) -> f64 {
    let mut e = vec![0.0; ni * nj];
    for i in 0..ni {
        for j in 0..nj {
            for k in 0..nk {
                e[i * nj + j] += a[i * nk + k] * b[k * nj + j];
            }
        }
    }
    let mut f = vec![0.0; nj * nl];
    for i in 0..nj {
        for j in 0..nl {
            for k in 0..nm {
                f[i * nl + j] += c[i * nm + k] * d[k * nl + j];
            }
        }
    }
    let mut loss = 0.0;
    for i in 0..ni {
        for j in 0..nl {
            let mut g = 0.0;
            for k in 0..nj {
                g += e[i * nj + k] * f[k * nl + j];
            }
            loss += 0.5 * g * g;
        }
    }
    loss
}

/// `y = a' (a x)`; `a` has rows of `n`.
#[differentiate]
pub fn atax(a: &[f64], x: &[f64], n: usize) -> f64 {
    let mut y = vec![0.0; n];
    for row in a.chunks_exact(n) {
        let t: f64 = row.iter().zip(x).map(|(a, x)| a * x).sum();
        for (y, a) in y.iter_mut().zip(row) {
            *y += a * t;
        }
    }
    y.iter().map(|y| 0.5 * y * y).sum()
}

/// `s = a' r` and `q = a p`; `a` has rows of `m`.
#[differentiate]
pub fn bicg(a: &[f64], r: &[f64], p: &[f64], m: usize) -> f64 {
    let mut loss = 0.0;
    let mut s = vec![0.0; m];
    for (row, &r) in a.chunks_exact(m).zip(r) {
        let mut q = 0.0;
        for j in 0..m {
            s[j] += r * row[j];
            q += row[j] * p[j];
        }
        loss += 0.5 * q * q;
    }
    for s in s {
        loss += 0.5 * s * s;
    }
    loss
}

/// Each of the `nr * nq` rows of `np` of `a`, times the square matrix `c`.
#[differentiate]
pub fn doitgen(a0: &[f64], c: &[f64], nr: usize, nq: usize, np: usize) -> f64 {
    let mut a = a0.to_vec();
    let mut sum = vec![0.0; np];
    for r in 0..nr {
        for q in 0..nq {
            let row = &mut a[(r * nq + q) * np..][..np];
            for p in 0..np {
                sum[p] = 0.0;
                for s in 0..np {
                    sum[p] += row[s] * c[s * np + p];
                }
            }
            row.copy_from_slice(&sum);
        }
    }
    a.iter().map(|x| 0.5 * x * x).sum()
}

/// `x1 + a y1` and `x2 + a' y2`, all of size `n`.
#[differentiate]
pub fn mvt(a: &[f64], x1: &[f64], x2: &[f64], y1: &[f64], y2: &[f64], n: usize) -> f64 {
    let mut first = x1.to_vec();
    let mut second = x2.to_vec();
    for i in 0..n {
        for j in 0..n {
            first[i] += a[i * n + j] * y1[j];
        }
    }
    for i in 0..n {
        for j in 0..n {
            second[i] += a[j * n + i] * y2[j];
        }
    }
    let mut loss = 0.0;
    for i in 0..n {
        loss += 0.5 * first[i] * first[i] + 0.5 * second[i] * second[i];
    }
    loss
}
