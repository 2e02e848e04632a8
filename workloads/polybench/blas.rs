//! Products of matrices and vectors as BLAS has them.

use pardiff::differentiate;

/// `c = alpha a b + beta c0`; `a` has `ni` rows of `nk`, `b` has `nk` rows of `nj`.
#[differentiate(wrt(a, b, c0))]
pub fn gemm(a: &[f64], b: &[f64], c0: &[f64], alpha: f64, beta: f64, ni: usize, nj: usize, nk: usize) -> f64 {
    let mut c = c0.to_vec();
    for i in 0..ni {
        for j in 0..nj {
            c[i * nj + j] *= beta;
        }
        for k in 0..nk {
            for j in 0..nj {
                c[i * nj + j] += alpha * a[i * nk + k] * b[k * nj + j];
            }
        }
    }
    c.iter().map(|x| 0.5 * x * x).sum()
}

/// `w = alpha b (beta b' y + z)` with `b = a + u1 v1' + u2 v2'`, all of size `n`.
#[differentiate(wrt(a, u1, v1, u2, v2, y, z))]
pub fn gemver(
    a: &[f64],
    u1: &[f64],
    v1: &[f64],
    u2: &[f64],
    v2: &[f64],
    y: &[f64],
    z: &[f64],
    alpha: f64,
    beta: f64,
    n: usize,
) -> f64 {
    let mut b = a.to_vec();
    for i in 0..n {
        for j in 0..n {
            b[i * n + j] += u1[i] * v1[j] + u2[i] * v2[j];
        }
    }
    let mut x = vec![0.0; n];
    for i in 0..n {
        for j in 0..n {
            x[i] += beta * b[j * n + i] * y[j];
        }
    }
    for i in 0..n {
        x[i] += z[i];
    }
    let mut w = vec![0.0; n];
    for i in 0..n {
        for j in 0..n {
            w[i] += alpha * b[i * n + j] * x[j];
        }
    }
    w.iter().map(|w| 0.5 * w * w).sum()
}

/// `y = alpha a x + beta b x`, all of size `n`.
#[differentiate(wrt(a, b, x))]
pub fn gesummv(a: &[f64], b: &[f64], x: &[f64], alpha: f64, beta: f64, n: usize) -> f64 {
    let mut loss = 0.0;
    for i in 0..n {
        let mut first = 0.0;
        let mut second = 0.0;
        for j in 0..n {
            first += a[i * n + j] * x[j];
            second += b[i * n + j] * x[j];
        }
        let y = alpha * first + beta * second;
        loss += 0.5 * y * y;
    }
    loss
}

/// `c = alpha s b + beta c0`, where `s` is symmetric of size `m` and has its lower half in `a`; `b` has rows of `n`.
#[differentiate(wrt(a, b, c0))]
pub fn symm(a: &[f64], b: &[f64], c0: &[f64], alpha: f64, beta: f64, m: usize, n: usize) -> f64 {
    let mut c = c0.to_vec();
    for i in 0..m {
        for j in 0..n {
            let mut above = 0.0;
            for k in 0..i {
                c[k * n + j] += alpha * b[i * n + j] * a[i * m + k];
                above += b[k * n + j] * a[i * m + k];
            }
            c[i * n + j] = beta * c[i * n + j] + alpha * b[i * n + j] * a[i * m + i] + alpha * above;
        }
    }
    c.iter().map(|x| 0.5 * x * x).sum()
}

/// The lower half of `c = alpha (a b' + b a') + beta c0`; `a` and `b` have `n` rows of `m`.
#[differentiate(wrt(a, b, c0))]
pub fn syr2k(a: &[f64], b: &[f64], c0: &[f64], alpha: f64, beta: f64, n: usize, m: usize) -> f64 {
    let mut c = c0.to_vec();
    for i in 0..n {
        for j in 0..=i {
            c[i * n + j] *= beta;
        }
        for k in 0..m {
            for j in 0..=i {
                c[i * n + j] += alpha * (a[j * m + k] * b[i * m + k] + b[j * m + k] * a[i * m + k]);
            }
        }
    }
    c.iter().map(|x| 0.5 * x * x).sum()
}

/// The lower half of `c = alpha a a' + beta c0`; `a` has `n` rows of `m`.
#[differentiate(wrt(a, c0))]
pub fn syrk(a: &[f64], c0: &[f64], alpha: f64, beta: f64, n: usize, m: usize) -> f64 {
    let mut c = c0.to_vec();
    for i in 0..n {
        for j in 0..=i {
            c[i * n + j] *= beta;
        }
        for k in 0..m {
            for j in 0..=i {
                c[i * n + j] += alpha * a[i * m + k] * a[j * m + k];
            }
        }
    }
    c.iter().map(|x| 0.5 * x * x).sum()
}

/// `b = alpha l' b0` in place, where `l` is lower triangular of size `m` with ones on its diagonal; `b0` has rows of `n`.
#[differentiate(wrt(a, b0))]
pub fn trmm(a: &[f64], b0: &[f64], alpha: f64, m: usize, n: usize) -> f64 {
    let mut b = b0.to_vec();
    for i in 0..m {
        for j in 0..n {
            for k in i + 1..m {
                b[i * n + j] += a[k * m + i] * b[k * n + j];
            }
            b[i * n + j] *= alpha;
        }
    }
    b.iter().map(|x| 0.5 * x * x).sum()
}
