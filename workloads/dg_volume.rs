//! The volume term of a discontinuous Galerkin method for gas dynamics.

use pardiff::differentiate;

/// Half the squared rate of change of a gas, in the norm of the mesh: the volume term of the Euler equations in the
/// strong form, by collocation on the 5 x 5 x 5 points of each element.
///
/// Shapes: `state` has an element's density, the three components of its momentum, and its energy, point by point, the
/// first coordinate innermost; `metric` the rows of the inverse Jacobian, three components each; `mass` the
/// quadrature weight of each point times the determinant of the Jacobian; `derivative` the derivatives of Lagrange's
/// polynomials, `derivative[i][n]` that of the `n`-th one at point `i`. The ratio of specific heats is 1.4.
///
/// The equations and the collocation are those of D. A. Kopriva, "Implementing Spectral Methods for Partial
/// Differential Equations" (2009), chapter 5.
#[differentiate(wrt(state, metric))]
pub fn dg_volume(
    state: &[[[f64; 125]; 5]],
    metric: &[[[f64; 125]; 9]],
    mass: &[[f64; 125]],
    derivative: &[[f64; 5]; 5],
) -> f64 {
    let mut total = 0.0;
    for e in 0..state.len() {
        // the flux of each conserved quantity along the three coordinates of the element
        let mut flux = [[[0.0; 125]; 5]; 3];
        for p in 0..125 {
            let density = state[e][0][p];
            let momentum = [state[e][1][p], state[e][2][p], state[e][3][p]];
            let energy = state[e][4][p];
            let square = momentum[0] * momentum[0] + momentum[1] * momentum[1] + momentum[2] * momentum[2];
            let pressure = 0.4 * (energy - 0.5 * square / density);
            for d in 0..3 {
                let row = [metric[e][3 * d][p], metric[e][3 * d + 1][p], metric[e][3 * d + 2][p]];
                let volume = mass[e][p];
                let along = row[0] * momentum[0] + row[1] * momentum[1] + row[2] * momentum[2];
                flux[d][0][p] = volume * along;
                for a in 0..3 {
                    flux[d][1 + a][p] = volume * (along * momentum[a] / density + row[a] * pressure);
                }
                flux[d][4][p] = volume * along * (energy + pressure) / density;
            }
        }
        for k in 0..5 {
            for j in 0..5 {
                for i in 0..5 {
                    let volume = mass[e][25 * k + 5 * j + i];
                    for f in 0..5 {
                        let mut divergence = 0.0;
                        for n in 0..5 {
                            divergence += derivative[i][n] * flux[0][f][25 * k + 5 * j + n]
                                + derivative[j][n] * flux[1][f][25 * k + 5 * n + i]
                                + derivative[k][n] * flux[2][f][25 * n + 5 * j + i];
                        }
                        total += 0.5 * divergence * divergence / volume;
                    }
                }
            }
        }
    }
    total
}
