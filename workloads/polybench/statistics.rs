//! How the columns of a table depend on each other.

use pardiff::differentiate;

/// The correlations of the `m` columns of `data`, which has `n` rows.
#[differentiate]
pub fn correlation(data: &[f64], m: usize, n: usize) -> f64 {
    let count = n as f64;
    let mut mean = vec![0.0; m];
    for j in 0..m {
        for i in 0..n {
            mean[j] += data[i * m + j];
        }
        mean[j] /= count;
    }
    let mut deviation = vec![0.0; m];
    for j in 0..m {
        for i in 0..n {
            deviation[j] += (data[i * m + j] - mean[j]) * (data[i * m + j] - mean[j]);
        }
        deviation[j] = (deviation[j] / count).sqrt();
        // a column that hardly varies is left as it is
        if deviation[j] <= 0.1 {
            deviation[j] = 1.0;
        }
    }
    let mut scaled = data.to_vec();
    for i in 0..n {
        for j in 0..m {
            scaled[i * m + j] = (scaled[i * m + j] - mean[j]) / (count.sqrt() * deviation[j]);
        }
    }
    let mut correlations = vec![0.0; m * m];
    for i in 0..m {
        correlations[i * m + i] = 1.0;
        for j in i + 1..m {
            for k in 0..n {
                correlations[i * m + j] += scaled[k * m + i] * scaled[k * m + j];
            }
            correlations[j * m + i] = correlations[i * m + j];
        }
    }
    correlations.iter().map(|x| 0.5 * x * x).sum()
}

/// The covariances of the `m` columns of `data`, which has `n` rows.
#[differentiate]
pub fn covariance(data: &[f64], m: usize, n: usize) -> f64 {
    let mut mean = vec![0.0; m];
    for row in data.chunks_exact(m) {
        for (mean, x) in mean.iter_mut().zip(row) {
            *mean += x;
        }
    }
    for mean in mean.iter_mut() {
        *mean /= n as f64;
    }
    let mut centred = data.to_vec();
    for row in centred.chunks_exact_mut(m) {
        for (x, mean) in row.iter_mut().zip(&mean) {
            *x -= mean;
        }
    }
    let mut covariances = vec![0.0; m * m];
    for i in 0..m {
        for j in i..m {
            let mut sum = 0.0;
            for k in 0..n {
                sum += centred[k * m + i] * centred[k * m + j];
            }
            covariances[i * m + j] = sum / (n as f64 - 1.0);
            covariances[j * m + i] = covariances[i * m + j];
        }
    }
    covariances.iter().map(|x| 0.5 * x * x).sum()
}
