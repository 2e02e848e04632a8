//! Attention over a band of neighbours, dilated in the first heads.

use pardiff::differentiate;

/// The inner product of the attention's output with `d_y`.
///
/// Shapes: `q`, `k`, `v` and `d_y` have `heads` blocks of `n` rows of `d`. A query attends to the 32 positions on either
/// side and to itself; in the first two heads to every fourth position.
#[differentiate(wrt(q, k, v))]
#[allow(clippy::too_many_arguments, clippy::needless_range_loop)]
pub fn attn(q: &[f64], k: &[f64], v: &[f64], d_y: &[f64], heads: usize, n: usize, d: usize) -> f64 {
    const WIDTH: usize = 32;
    const DILATION: usize = 4;
    const DILATED_HEADS: usize = 2;
    let scale = 1.0 / (d as f64).sqrt();
    let mut total = 0.0;
    for h in 0..heads {
        let dilation = if h < DILATED_HEADS { DILATION } else { 1 };
        for i in 0..n {
            let query = &q[(h * n + i) * d..(h * n + i) * d + d];
            // scores of the positions that exist; softmax with the largest taken out
            let mut weight = [0.0; 2 * WIDTH + 1];
            let mut largest = f64::MIN;
            for t in 0..2 * WIDTH + 1 {
                let j = (i + t * dilation) as i64 - (WIDTH * dilation) as i64;
                if j >= 0 && j < n as i64 {
                    let row = (h * n + j as usize) * d;
                    let mut score = 0.0;
                    for x in 0..d {
                        score += query[x] * k[row + x];
                    }
                    weight[t] = score * scale;
                    largest = largest.max(weight[t]);
                }
            }
            let mut sum = 0.0;
            let mut y = vec![0.0; d];
            for t in 0..2 * WIDTH + 1 {
                let j = (i + t * dilation) as i64 - (WIDTH * dilation) as i64;
                if j >= 0 && j < n as i64 {
                    weight[t] = (weight[t] - largest).exp();
                    sum += weight[t];
                }
            }
            for t in 0..2 * WIDTH + 1 {
                let j = (i + t * dilation) as i64 - (WIDTH * dilation) as i64;
                if j >= 0 && j < n as i64 {
                    let row = (h * n + j as usize) * d;
                    let a = weight[t] / sum;
                    for x in 0..d {
                        y[x] += a * v[row + x];
                    }
                }
            }
            for x in 0..d {
                total += y[x] * d_y[(h * n + i) * d + x];
            }
        }
    }
    total
}
