//! Decompositions of matrices, and systems of equations.

use pardiff::differentiate;

/// The lower triangle whose product with its transpose is the symmetric matrix that has its lower half in `a0`.
#[differentiate]
pub fn cholesky(a0: &[f64], n: usize) -> f64 {
    let mut a = a0.to_vec();
    for i in 0..n {
        for j in 0..i {
            for k in 0..j {
                a[i * n + j] -= a[i * n + k] * a[j * n + k];
            }
            a[i * n + j] /= a[j * n + j];
        }
        for k in 0..i {
            a[i * n + i] -= a[i * n + k] * a[i * n + k];
        }
        a[i * n + i] = a[i * n + i].sqrt();
    }
    let mut loss = 0.0;
    for i in 0..n {
        for j in 0..=i {
            loss += 0.5 * a[i * n + j] * a[i * n + j];
        }
    }
    loss
}

/// The solution of the equations of Yule and Walker for the autocorrelations `r`, by the recursion of Levinson and Durbin.
#[differentiate]
pub fn durbin(r: &[f64]) -> f64 {
    let n = r.len();
    let mut y = vec![0.0; n];
    let mut z = vec![0.0; n];
    y[0] = -r[0];
    let mut alpha = -r[0];
    let mut beta = 1.0;
    for k in 1..n {
        beta *= 1.0 - alpha * alpha;
        let mut sum = 0.0;
        for i in 0..k {
            sum += r[k - i - 1] * y[i];
        }
        alpha = -(r[k] + sum) / beta;
        for i in 0..k {
            z[i] = y[i] + alpha * y[k - i - 1];
        }
        y[..k].copy_from_slice(&z[..k]);
        y[k] = alpha;
    }
    y.iter().map(|y| 0.5 * y * y).sum()
}

/// An orthonormal `q` and an upper triangle `r` whose product is `a0`, with `m` rows of `n`, column by column.
#[differentiate]
pub fn gramschmidt(a0: &[f64], m: usize, n: usize) -> f64 {
    let mut a = a0.to_vec();
    let mut q = vec![0.0; m * n];
    let mut r = vec![0.0; n * n];
    for k in 0..n {
        let mut square = 0.0;
        for i in 0..m {
            square += a[i * n + k] * a[i * n + k];
        }
        r[k * n + k] = square.sqrt();
        for i in 0..m {
            q[i * n + k] = a[i * n + k] / r[k * n + k];
        }
        for j in k + 1..n {
            for i in 0..m {
                r[k * n + j] += q[i * n + k] * a[i * n + j];
            }
            for i in 0..m {
                a[i * n + j] -= q[i * n + k] * r[k * n + j];
            }
        }
    }
    let mut loss = 0.0;
    for r in r {
        loss += 0.5 * r * r;
    }
    for i in 0..m {
        for j in 0..n {
            // the squares of a column of `q` sum to one, whatever it is
            loss += (1.0 + j as f64) * q[i * n + j] / (1.0 + i as f64);
        }
    }
    loss
}

/// A lower triangle with ones on its diagonal and an upper one whose product is `a0`, both in one matrix, without pivots.
#[differentiate]
pub fn lu(a0: &[f64], n: usize) -> f64 {
    let mut a = a0.to_vec();
    for i in 0..n {
        for j in 0..i {
            for k in 0..j {
                a[i * n + j] -= a[i * n + k] * a[k * n + j];
            }
            a[i * n + j] /= a[j * n + j];
        }
        for j in i..n {
            for k in 0..i {
                a[i * n + j] -= a[i * n + k] * a[k * n + j];
            }
        }
    }
    a.iter().map(|x| 0.5 * x * x).sum()
}

/// The solution of `a0 x = b`, by both triangles.
#[differentiate]
pub fn ludcmp(a0: &[f64], b: &[f64], n: usize) -> f64 {
    let mut a = a0.to_vec();
    for i in 0..n {
        for j in 0..i {
            let mut w = a[i * n + j];
            for k in 0..j {
                w -= a[i * n + k] * a[k * n + j];
            }
            a[i * n + j] = w / a[j * n + j];
        }
        for j in i..n {
            let mut w = a[i * n + j];
            for k in 0..i {
                w -= a[i * n + k] * a[k * n + j];
            }
            a[i * n + j] = w;
        }
    }
    let mut y = vec![0.0; n];
    for i in 0..n {
        let mut w = b[i];
        for j in 0..i {
            w -= a[i * n + j] * y[j];
        }
        y[i] = w;
    }
    let mut x = vec![0.0; n];
    for i in (0..n).rev() {
        let mut w = y[i];
        for j in i + 1..n {
            w -= a[i * n + j] * x[j];
        }
        x[i] = w / a[i * n + i];
    }
    x.iter().map(|x| 0.5 * x * x).sum()
}

/// The solution of `l x = b` for a lower triangle.
#[differentiate]
pub fn trisolv(l: &[f64], b: &[f64], n: usize) -> f64 {
    let mut x = vec![0.0; n];
    for i in 0..n {
        let mut rest = b[i];
        for j in 0..i {
            rest -= l[i * n + j] * x[j];
        }
        x[i] = rest / l[i * n + i];
    }
    x.iter().map(|x| 0.5 * x * x).sum()
}
