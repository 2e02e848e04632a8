//! The adjoint of the mixture objective by hand: scalar loops, value and gradient in one pass over the points, nothing
//! stored but the components of one point.

/// Sizes and constants of the mixture objective; as the arguments of the kernel.
pub struct Sizes {
    /// Dimension of the points.
    pub d: usize,
    /// Number of components.
    pub k: usize,
    /// Number of points.
    pub n: usize,
    /// Scale of the Wishart prior.
    pub gamma: f64,
    /// Degrees of freedom of the Wishart prior beyond `d + 1`.
    pub m: f64,
    /// Weight of the Wishart term.
    pub prior: f64,
    /// What depends on no parameter.
    pub constant: f64,
}

/// The parameters, or their adjoints.
pub struct Parameters<T> {
    /// Unnormalised logarithms of the weights.
    pub alphas: T,
    /// Means.
    pub means: T,
    /// Factors of the inverse covariances.
    pub icf: T,
}

/// A synthetic problem.
pub struct Case {
    /// Unnormalised logarithms of the weights.
    pub alphas: Vec<f64>,
    /// Means.
    pub means: Vec<f64>,
    /// Factors of the inverse covariances.
    pub icf: Vec<f64>,
    /// Points.
    pub x: Vec<f64>,
    /// Sizes and constants.
    pub sizes: Sizes,
}

impl Case {
    /// Uniform numbers in [-1, 1) from a linear congruential generator, ADBench's prior.
    pub fn new(d: usize, k: usize, n: usize) -> Case {
        let mut state = 42u64;
        let mut draw = |len: usize| -> Vec<f64> {
            let mut next = || {
                state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
            };
            (0..len).map(|_| next()).collect()
        };
        let sizes = Sizes { d, k, n, gamma: 1.0, m: 0.0, prior: 1.0, constant: 0.0 };
        Case { alphas: draw(k), means: draw(k * d), icf: draw(k * d * (d + 1) / 2), x: draw(n * d), sizes }
    }

    /// Zeros in the shapes of the parameters.
    pub fn zeros(&self) -> (Vec<f64>, Vec<f64>, Vec<f64>) {
        (vec![0.0; self.alphas.len()], vec![0.0; self.means.len()], vec![0.0; self.icf.len()])
    }
}

/// Value; the gradient is added to `adjoint`.
pub fn gradient(
    parameters: &Parameters<&[f64]>,
    adjoint: &mut Parameters<&mut [f64]>,
    x: &[f64],
    sizes: &Sizes,
) -> f64 {
    let &Sizes { d, k, n, gamma, m, prior, constant } = sizes;
    let &Parameters { alphas, means, icf } = parameters;
    let icf_size = d * (d + 1) / 2;
    let diagonal: Vec<f64> = (0..k * d).map(|t| icf[t / d * icf_size + t % d].exp()).collect();
    let log_det: Vec<f64> = icf.chunks(icf_size).map(|row| row[..d].iter().sum()).collect();
    let (mut term, mut centred, mut y) = (vec![0.0; k], vec![0.0; k * d], vec![0.0; k * d]);
    let mut d_centred = vec![0.0; d];
    let mut d_diagonal = vec![0.0; k * d];

    let mut value = constant;
    for point in x.chunks(d).take(n) {
        for c in 0..k {
            let (centred, y) = (&mut centred[c * d..][..d], &mut y[c * d..][..d]);
            for j in 0..d {
                centred[j] = point[j] - means[c * d + j];
                y[j] = diagonal[c * d + j] * centred[j];
            }
            let mut p = c * icf_size + d;
            for a in 0..d {
                let below = d - a - 1;
                for (y, l) in y[a + 1..].iter_mut().zip(&icf[p..p + below]) {
                    *y += l * centred[a];
                }
                p += below;
            }
            let square: f64 = y.iter().map(|y| y * y).sum();
            term[c] = alphas[c] + log_det[c] - 0.5 * square;
        }
        let largest = term.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let mut sum = 0.0;
        for term in &mut term {
            *term = (*term - largest).exp();
            sum += *term;
        }
        value += largest + sum.ln();

        // d_term is the responsibility of the component for the point; d_y = - d_term y
        for c in 0..k {
            let d_term = term[c] / sum;
            adjoint.alphas[c] += d_term;
            let (centred, y) = (&centred[c * d..][..d], &y[c * d..][..d]);
            for j in 0..d {
                adjoint.icf[c * icf_size + j] += d_term;
                let d_y = -d_term * y[j];
                d_diagonal[c * d + j] += d_y * centred[j];
                d_centred[j] = d_y * diagonal[c * d + j];
            }
            let mut p = c * icf_size + d;
            for a in 0..d {
                let below = d - a - 1;
                let mut sum = 0.0;
                let d_l = &mut adjoint.icf[p..p + below];
                for ((y, l), d_l) in y[a + 1..].iter().zip(&icf[p..p + below]).zip(d_l) {
                    let d_y = -d_term * y;
                    *d_l += d_y * centred[a];
                    sum += d_y * l;
                }
                d_centred[a] += sum;
                p += below;
            }
            for (d_mean, d_centred) in adjoint.means[c * d..].iter_mut().zip(&d_centred) {
                *d_mean -= d_centred;
            }
        }
    }

    let largest = alphas.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let sum: f64 = alphas.iter().map(|alpha| (alpha - largest).exp()).sum();
    value -= n as f64 * (largest + sum.ln());
    for c in 0..k {
        adjoint.alphas[c] -= n as f64 * (alphas[c] - largest).exp() / sum;
        let mut square = 0.0;
        for j in 0..d {
            let q = diagonal[c * d + j];
            square += q * q;
            adjoint.icf[c * icf_size + j] +=
                (d_diagonal[c * d + j] + prior * gamma * gamma * q) * q - prior * m;
        }
        for j in d..icf_size {
            let l = icf[c * icf_size + j];
            square += l * l;
            adjoint.icf[c * icf_size + j] += prior * gamma * gamma * l;
        }
        value += prior * (0.5 * gamma * gamma * square - m * log_det[c]);
    }
    value
}
