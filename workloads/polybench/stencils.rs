//! Steps in time on regular grids.

use pardiff::differentiate;

/// Diffusion in two dimensions on a grid of `n` by `n`: in each step first along one direction, then along the other, each implicit.
#[differentiate]
pub fn adi(u0: &[f64], n: usize, steps: usize) -> f64 {
    let rate = (n * n) as f64 / steps as f64;
    // of the two directions: beside the diagonal, and on it
    let (a, b) = (-rate, 1.0 + 2.0 * rate);
    let (d, e) = (-0.5 * rate, 1.0 + rate);
    let mut u = u0.to_vec();
    let mut v = vec![0.0; n * n];
    let mut p = vec![0.0; n];
    let mut q = vec![0.0; n];
    for _ in 0..steps {
        for i in 1..n - 1 {
            v[i] = 1.0;
            p[0] = 0.0;
            q[0] = 1.0;
            for j in 1..n - 1 {
                let pivot = a * p[j - 1] + b;
                p[j] = -a / pivot;
                let row = &u[j * n..][..n];
                q[j] = (-d * row[i - 1] + (1.0 + 2.0 * d) * row[i] - d * row[i + 1] - a * q[j - 1]) / pivot;
            }
            v[(n - 1) * n + i] = 1.0;
            for j in (1..n - 1).rev() {
                v[j * n + i] = p[j] * v[(j + 1) * n + i] + q[j];
            }
        }
        for i in 1..n - 1 {
            u[i * n] = 1.0;
            p[0] = 0.0;
            q[0] = 1.0;
            for j in 1..n - 1 {
                let pivot = d * p[j - 1] + e;
                p[j] = -d / pivot;
                let (before, here, after) = (v[(i - 1) * n + j], v[i * n + j], v[(i + 1) * n + j]);
                q[j] = (-a * before + (1.0 + 2.0 * a) * here - a * after - d * q[j - 1]) / pivot;
            }
            u[i * n + n - 1] = 1.0;
            for j in (1..n - 1).rev() {
                u[i * n + j] = p[j] * u[i * n + j + 1] + q[j];
            }
        }
    }
    u.iter().map(|x| 0.5 * x * x).sum()
}

/// An electromagnetic field in two dimensions on a staggered grid of `nx` by `ny`; `source` drives one side, a value a step.
#[differentiate]
pub fn fdtd_2d(ex0: &[f64], ey0: &[f64], hz0: &[f64], source: &[f64], nx: usize, ny: usize) -> f64 {
    let mut ex = ex0.to_vec();
    let mut ey = ey0.to_vec();
    let mut hz = hz0.to_vec();
    for &s in source {
        ey[..ny].fill(s);
        for i in 1..nx {
            for j in 0..ny {
                ey[i * ny + j] -= 0.5 * (hz[i * ny + j] - hz[(i - 1) * ny + j]);
            }
        }
        for i in 0..nx {
            for j in 1..ny {
                ex[i * ny + j] -= 0.5 * (hz[i * ny + j] - hz[i * ny + j - 1]);
            }
        }
        for i in 0..nx - 1 {
            for j in 0..ny - 1 {
                let c = i * ny + j;
                hz[c] -= 0.7 * (ex[c + 1] - ex[c] + ey[c + ny] - ey[c]);
            }
        }
    }
    let mut loss = 0.0;
    for c in 0..nx * ny {
        loss += 0.5 * (ex[c] * ex[c] + ey[c] * ey[c] + hz[c] * hz[c]);
    }
    loss
}

/// Heat in three dimensions on a grid of `n` by `n` by `n`, two explicit steps at a time.
#[differentiate]
pub fn heat_3d(a0: &[f64], b0: &[f64], n: usize, steps: usize) -> f64 {
    let mut a = a0.to_vec();
    let mut b = b0.to_vec();
    let plane = n * n;
    for _ in 0..steps {
        for i in 1..n - 1 {
            for j in 1..n - 1 {
                for k in 1..n - 1 {
                    let c = i * plane + j * n + k;
                    b[c] = a[c]
                        + 0.125 * (a[c + plane] - 2.0 * a[c] + a[c - plane])
                        + 0.125 * (a[c + n] - 2.0 * a[c] + a[c - n])
                        + 0.125 * (a[c + 1] - 2.0 * a[c] + a[c - 1]);
                }
            }
        }
        for i in 1..n - 1 {
            for j in 1..n - 1 {
                for k in 1..n - 1 {
                    let c = i * plane + j * n + k;
                    a[c] = b[c]
                        + 0.125 * (b[c + plane] - 2.0 * b[c] + b[c - plane])
                        + 0.125 * (b[c + n] - 2.0 * b[c] + b[c - n])
                        + 0.125 * (b[c + 1] - 2.0 * b[c] + b[c - 1]);
                }
            }
        }
    }
    a.iter().map(|x| 0.5 * x * x).sum()
}

/// The mean of three neighbours, again and again between two arrays.
#[differentiate]
pub fn jacobi_1d(a0: &[f64], b0: &[f64], steps: usize) -> f64 {
    let n = a0.len();
    let mut a = a0.to_vec();
    let mut b = b0.to_vec();
    for _ in 0..steps {
        for i in 1..n - 1 {
            b[i] = 0.33333 * (a[i - 1] + a[i] + a[i + 1]);
        }
        for i in 1..n - 1 {
            a[i] = 0.33333 * (b[i - 1] + b[i] + b[i + 1]);
        }
    }
    a.iter().map(|x| 0.5 * x * x).sum()
}

/// The mean of a cell and its four neighbours, again and again between two grids of `n` by `n`.
#[differentiate]
pub fn jacobi_2d(a0: &[f64], b0: &[f64], n: usize, steps: usize) -> f64 {
    let mut a = a0.to_vec();
    let mut b = b0.to_vec();
    for _ in 0..steps {
        for i in 1..n - 1 {
            for j in 1..n - 1 {
                let c = i * n + j;
                b[c] = 0.2 * (a[c] + a[c - 1] + a[c + 1] + a[c + n] + a[c - n]);
            }
        }
        for i in 1..n - 1 {
            for j in 1..n - 1 {
                let c = i * n + j;
                a[c] = 0.2 * (b[c] + b[c - 1] + b[c + 1] + b[c + n] + b[c - n]);
            }
        }
    }
    a.iter().map(|x| 0.5 * x * x).sum()
}

/// The mean of a cell and its eight neighbours, in place on a grid of `n` by `n`: half of them are those of this step already.
#[differentiate]
pub fn seidel_2d(a0: &[f64], n: usize, steps: usize) -> f64 {
    let mut a = a0.to_vec();
    for _ in 0..steps {
        for i in 1..n - 1 {
            for j in 1..n - 1 {
                let mut sum = 0.0;
                for row in i - 1..=i + 1 {
                    for column in j - 1..=j + 1 {
                        sum += a[row * n + column];
                    }
                }
                a[i * n + j] = sum / 9.0;
            }
        }
    }
    a.iter().map(|x| 0.5 * x * x).sum()
}
