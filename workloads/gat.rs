//! A graph attention layer with one head, on a graph in compressed rows.

use pardiff::differentiate;

/// The inner product of the layer's output with `d_y`.
///
/// Shapes: `x` and `d_y` have one row of 32 features a node, `w` is 32 by 32, `a1` and `a2` have 32 entries; the
/// neighbours of node `i` are `neighbours[row_start[i]..row_start[i + 1]]`.
#[differentiate(wrt(x, w, a1, a2))]
#[allow(clippy::too_many_arguments, clippy::needless_range_loop)]
pub fn gat(
    x: &[f64],
    w: &[f64],
    a1: &[f64],
    a2: &[f64],
    d_y: &[f64],
    row_start: &[u32],
    neighbours: &[u32],
    nodes: usize,
) -> f64 {
    const F: usize = 32;
    let mut z = vec![0.0; nodes * F];
    let mut left = vec![0.0; nodes];
    let mut right = vec![0.0; nodes];
    for i in 0..nodes {
        for k in 0..F {
            for j in 0..F {
                z[i * F + j] += x[i * F + k] * w[k * F + j];
            }
        }
        for j in 0..F {
            left[i] += z[i * F + j] * a1[j];
            right[i] += z[i * F + j] * a2[j];
        }
    }

    let mut total = 0.0;
    for i in 0..nodes {
        let (begin, end) = (row_start[i] as usize, row_start[i + 1] as usize);
        let mut e = vec![0.0; end - begin];
        let mut largest = f64::MIN;
        for k in begin..end {
            let t = left[neighbours[k] as usize] + right[i];
            e[k - begin] = if t >= 0.0 { t } else { 0.1 * t };
            largest = largest.max(e[k - begin]);
        }
        let mut sum = 0.0;
        for k in 0..end - begin {
            e[k] = (e[k] - largest).exp();
            sum += e[k];
        }
        let mut y = [0.0; F];
        for k in begin..end {
            let j = neighbours[k] as usize;
            for f in 0..F {
                y[f] += e[k - begin] / sum * z[j * F + f];
            }
        }
        for f in 0..F {
            total += y[f] * d_y[i * F + f];
        }
    }
    total
}
