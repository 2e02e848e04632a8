//! How likely noisy measurements of moving things are under a linear model with Gaussian noise: the Kalman filter.

use pardiff::differentiate;

/// Negative log-likelihood of the measurements of many tracks.
///
/// The state (4 numbers) moves by `x -> transition x` and gains noise of the covariance `process`; two numbers are measured,
/// `observation x` with noise of the covariance `noise`. Each track begins at the state 0 with the covariance 10.
///
/// Shapes: `measured` has, for each track, `steps` rows of 2.
#[differentiate(wrt(transition, process, observation, noise))]
pub fn kalman(
    transition: &[[f64; 4]; 4],
    process: &[[f64; 4]; 4],
    observation: &[[f64; 4]; 2],
    noise: &[[f64; 2]; 2],
    measured: &[[f64; 2]],
    steps: usize,
) -> f64 {
    let mut total = 0.0;
    for track in measured.chunks_exact(steps) {
        let mut x = [0.0; 4];
        let mut p = [[0.0; 4]; 4];
        for i in 0..4 {
            p[i][i] = 10.0;
        }
        for z in track {
            // predict: x = F x, P = F P F' + Q
            let mut moved = [0.0; 4];
            let mut fp = [[0.0; 4]; 4];
            for i in 0..4 {
                for k in 0..4 {
                    moved[i] += transition[i][k] * x[k];
                    for j in 0..4 {
                        fp[i][j] += transition[i][k] * p[k][j];
                    }
                }
            }
            let mut predicted = *process;
            for i in 0..4 {
                for j in 0..4 {
                    for k in 0..4 {
                        predicted[i][j] += fp[i][k] * transition[j][k];
                    }
                }
            }
            // what the measurement says beyond the prediction, and its covariance: S = H P H' + R
            let mut e = *z;
            let mut ph = [[0.0; 2]; 4];
            let mut s = *noise;
            for a in 0..2 {
                for i in 0..4 {
                    e[a] -= observation[a][i] * moved[i];
                    for k in 0..4 {
                        ph[i][a] += predicted[i][k] * observation[a][k];
                    }
                }
            }
            for a in 0..2 {
                for b in 0..2 {
                    for i in 0..4 {
                        s[a][b] += observation[a][i] * ph[i][b];
                    }
                }
            }
            let determinant = s[0][0] * s[1][1] - s[0][1] * s[1][0];
            let inverse = [
                [s[1][1] / determinant, -s[0][1] / determinant],
                [-s[1][0] / determinant, s[0][0] / determinant],
            ];
            // correct by the gain K = P H' inverse(S)
            let mut square = 0.0;
            let mut gain = [[0.0; 2]; 4];
            for a in 0..2 {
                for b in 0..2 {
                    square += e[a] * inverse[a][b] * e[b];
                    for i in 0..4 {
                        gain[i][a] += ph[i][b] * inverse[b][a];
                    }
                }
            }
            for i in 0..4 {
                x[i] = moved[i] + gain[i][0] * e[0] + gain[i][1] * e[1];
                for j in 0..4 {
                    p[i][j] = predicted[i][j] - gain[i][0] * ph[j][0] - gain[i][1] * ph[j][1];
                }
            }
            total += 0.5 * (square + determinant.ln()) + (2.0 * std::f64::consts::PI).ln();
        }
    }
    total
}
