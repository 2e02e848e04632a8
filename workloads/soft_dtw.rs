//! Soft dynamic time warping (Cuturi and Blondel 2017): a distance of time series that may stretch.

use pardiff::differentiate;

/// Sum of the soft-DTW distances of a prototype to each of many series.
///
/// Shapes: `prototype` has `m` rows of `d`; each of the `count` series has `n` rows of `d`. `gamma` is how soft the minimum
/// over the three ways is.
#[differentiate(wrt(prototype, series))]
pub fn soft_dtw(
    prototype: &[f64],
    series: &[f64],
    count: usize,
    n: usize,
    m: usize,
    d: usize,
    gamma: f64,
) -> f64 {
    let mut total = 0.0;
    for s in 0..count {
        let x = &series[s * n * d..(s + 1) * n * d];
        // r[i][j]: the distance of the first i rows of the series to the first j rows of the prototype
        let mut r = vec![f64::INFINITY; (n + 1) * (m + 1)];
        r[0] = 0.0;
        for i in 1..=n {
            for j in 1..=m {
                let mut cost = 0.0;
                for k in 0..d {
                    let e = x[(i - 1) * d + k] - prototype[(j - 1) * d + k];
                    cost += e * e;
                }
                let a = r[(i - 1) * (m + 1) + j - 1];
                let b = r[(i - 1) * (m + 1) + j];
                let c = r[i * (m + 1) + j - 1];
                let least = a.min(b).min(c);
                let sum =
                    ((least - a) / gamma).exp() + ((least - b) / gamma).exp() + ((least - c) / gamma).exp();
                r[i * (m + 1) + j] = cost + least - gamma * sum.ln();
            }
        }
        total += r[n * (m + 1) + m];
    }
    total
}
