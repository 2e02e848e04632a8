//! Sums over rows of data.

/// Gradient of [`softmax_regression`](fn@crate::softmax_regression::softmax_regression).
pub fn softmax_regression(
    w: &[f64],
    d_w: &mut [f64],
    x: &[f64],
    label: &[u32],
    d: usize,
    k: usize,
    n: usize,
) -> f64 {
    let mut total = 0.0;
    let mut score = vec![0.0; k];
    for (row, &label) in x.chunks_exact(d).zip(label).take(n) {
        let mut largest = f64::NEG_INFINITY;
        for (score, w) in score.iter_mut().zip(w.chunks_exact(d)) {
            *score = row.iter().zip(w).map(|(x, w)| x * w).sum();
            largest = largest.max(*score);
        }
        total -= score[label as usize];
        let mut sum = 0.0;
        for score in &mut score {
            *score = (*score - largest).exp();
            sum += *score;
        }
        total += largest + sum.ln();
        for (c, (score, d_w)) in score.iter().zip(d_w.chunks_exact_mut(d)).enumerate() {
            let d_score = score / sum - if c == label as usize { 1.0 } else { 0.0 };
            for (d_w, x) in d_w.iter_mut().zip(row) {
                *d_w += d_score * x;
            }
        }
    }
    total
}

/// Gradient of [`soft_k_means`](fn@crate::soft_k_means::soft_k_means).
pub fn soft_k_means(centres: &[f64], d_centres: &mut [f64], x: &[f64], beta: f64, d: usize, k: usize) -> f64 {
    let mut total = 0.0;
    let (mut square, mut share) = (vec![0.0; k], vec![0.0; k]);
    for row in x.chunks_exact(d) {
        let mut smallest = f64::MAX;
        for (square, centre) in square.iter_mut().zip(centres.chunks_exact(d)) {
            *square = row.iter().zip(centre).map(|(x, c)| (x - c) * (x - c)).sum();
            smallest = smallest.min(*square);
        }
        let (mut sum, mut weighted) = (0.0, 0.0);
        for (share, square) in share.iter_mut().zip(&square) {
            *share = (beta * (smallest - square)).exp();
            sum += *share;
            weighted += *share * square;
        }
        let value = weighted / sum;
        total += value;
        let centres = centres.chunks_exact(d).zip(d_centres.chunks_exact_mut(d));
        for ((centre, d_centre), (share, square)) in centres.zip(share.iter().zip(&square)) {
            let d_square = share / sum * (1.0 - beta * (square - value));
            for ((d_c, c), x) in d_centre.iter_mut().zip(centre).zip(row) {
                *d_c -= 2.0 * d_square * (x - c);
            }
        }
    }
    total
}

/// Gradient of [`logistic_regression`](fn@crate::logistic_regression::logistic_regression).
pub fn logistic_regression(w: &[f64], d_w: &mut [f64], x: &[f64], y: &[f64], penalty: f64) -> f64 {
    let mut total = 0.0;
    for (row, y) in x.chunks_exact(w.len()).zip(y) {
        let margin = y * row.iter().zip(w).map(|(x, w)| x * w).sum::<f64>();
        let e = (-margin.abs()).exp();
        total += (-margin).max(0.0) + e.ln_1p();
        let share = if margin >= 0.0 { e / (1.0 + e) } else { 1.0 / (1.0 + e) };
        let d_score = -y * share;
        for (d_w, x) in d_w.iter_mut().zip(row) {
            *d_w += d_score * x;
        }
    }
    for (d_w, w) in d_w.iter_mut().zip(w) {
        total += 0.5 * penalty * w * w;
        *d_w += penalty * w;
    }
    total
}

/// Gradient of [`polynomial_features`](fn@crate::polynomial_features::polynomial_features).
pub fn polynomial_features(
    coefficients: &[f64],
    d_coefficients: &mut [f64],
    x: &[f64],
    y: &[f64],
    d: usize,
    degree: usize,
) -> f64 {
    let mut total = 0.0;
    for (row, y) in x.chunks_exact(d).zip(y) {
        let mut residual = -y;
        for (x, c) in row.iter().zip(coefficients.chunks_exact(degree + 1)) {
            residual += c.iter().rev().fold(0.0, |sum, c| sum * x + c);
        }
        total += 0.5 * residual * residual;
        for (x, d_c) in row.iter().zip(d_coefficients.chunks_exact_mut(degree + 1)) {
            let mut power = residual;
            for d_c in d_c {
                *d_c += power;
                power *= x;
            }
        }
    }
    total
}
