//! The objective of Gaussian mixture fitting as ADBench defines it, written as one writes such a kernel by hand.

use pardiff::differentiate;

/// Log-likelihood of `n` points `x` (`n` rows of `d`) under a mixture of `k` Gaussians, with a Wishart prior.
///
/// Component `c` has the weight `softmax(alphas)[c]`, the mean `means[c]` and the inverse covariance `L' L`, where
/// the lower triangular factor `L` is row `c` of `icf`: first the logarithms of its diagonal, then its strict lower
/// triangle, column by column.
///
/// `constant` collects what depends on no parameter. `prior` is the weight of the Wishart term
/// `gamma^2 / 2 |L|^2 - m log det L`: ADBench adds it (1), a maximised posterior subtracts it (-1).
#[differentiate(wrt(alphas, means, icf))]
#[allow(clippy::too_many_arguments, clippy::needless_range_loop)]
pub fn gmm(
    alphas: &[f64],
    means: &[f64],
    icf: &[f64],
    x: &[f64],
    d: usize,
    k: usize,
    n: usize,
    gamma: f64,
    m: f64,
    prior: f64,
    constant: f64,
) -> f64 {
    let icf_size = d * (d + 1) / 2;

    // the diagonals of the factors, and the logarithms of their determinants
    let mut diagonal = vec![0.0; k * d];
    let mut log_det = vec![0.0; k];
    for c in 0..k {
        for j in 0..d {
            let log_q = icf[c * icf_size + j];
            diagonal[c * d + j] = log_q.exp();
            log_det[c] += log_q;
        }
    }

    // log-likelihood of the points: log-sum-exp over the components, with the largest term taken out
    let mut likelihood = 0.0;
    let mut centred = vec![0.0; d];
    let mut y = vec![0.0; d];
    let mut term = vec![0.0; k];
    for i in 0..n {
        for c in 0..k {
            for j in 0..d {
                centred[j] = x[i * d + j] - means[c * d + j];
                y[j] = diagonal[c * d + j] * centred[j];
            }
            let mut p = c * icf_size + d;
            for a in 0..d {
                for b in a + 1..d {
                    y[b] += icf[p] * centred[a];
                    p += 1;
                }
            }
            let mut square = 0.0;
            for j in 0..d {
                square += y[j] * y[j];
            }
            term[c] = alphas[c] + log_det[c] - 0.5 * square;
        }
        let mut largest = term[0];
        for c in 1..k {
            largest = largest.max(term[c]);
        }
        let mut sum = 0.0;
        for c in 0..k {
            sum += (term[c] - largest).exp();
        }
        likelihood += largest + sum.ln();
    }

    // the weights are normalised: minus n times the log-sum-exp of the alphas
    let mut largest = alphas[0];
    for c in 1..k {
        largest = largest.max(alphas[c]);
    }
    let mut sum = 0.0;
    for c in 0..k {
        sum += (alphas[c] - largest).exp();
    }
    likelihood -= n as f64 * (largest + sum.ln());

    // the Wishart term
    let mut wishart = 0.0;
    for c in 0..k {
        let mut square = 0.0;
        for j in 0..d {
            square += diagonal[c * d + j] * diagonal[c * d + j];
        }
        for j in d..icf_size {
            square += icf[c * icf_size + j] * icf[c * icf_size + j];
        }
        wishart += 0.5 * gamma * gamma * square - m * log_det[c];
    }

    constant + likelihood + prior * wishart
}
