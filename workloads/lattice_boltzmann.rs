//! A fluid that flows past and through a porous body: the lattice Boltzmann method with nine velocities in two dimensions.

use pardiff::differentiate;

/// Drag on a porous body in a free stream, summed over `steps` steps.
///
/// In each step the nine populations of a cell relax towards their equilibrium at the rate `omega`; then the cell's
/// share of solid sends back what came in (partial bounce-back), which is where the drag acts; then populations move on
/// to the neighbours.
///
/// Shapes: `solid`, the share of each cell that is solid, has `ny` rows of `nx`. The cells at the edge keep the free stream,
/// which has the velocity `inflow` along a row.
#[differentiate(wrt(solid))]
pub fn lattice_boltzmann(solid: &[f64], nx: usize, ny: usize, steps: usize, omega: f64, inflow: f64) -> f64 {
    const WEIGHT: [f64; 9] = [
        4.0 / 9.0,
        1.0 / 9.0,
        1.0 / 9.0,
        1.0 / 9.0,
        1.0 / 9.0,
        1.0 / 36.0,
        1.0 / 36.0,
        1.0 / 36.0,
        1.0 / 36.0,
    ];
    const CX: [isize; 9] = [0, 1, 0, -1, 0, 1, -1, -1, 1];
    const CY: [isize; 9] = [0, 0, 1, 0, -1, 1, 1, -1, -1];
    const OPPOSITE: [usize; 9] = [0, 3, 4, 1, 2, 7, 8, 5, 6];

    fn equilibrium(weight: f64, cx: f64, cy: f64, density: f64, u: f64, v: f64) -> f64 {
        let along = cx * u + cy * v;
        weight * density * (1.0 + 3.0 * along + 4.5 * along * along - 1.5 * (u * u + v * v))
    }

    let cells = nx * ny;
    let mut f = vec![0.0; 9 * cells];
    for q in 0..9 {
        for c in 0..cells {
            f[q * cells + c] = equilibrium(WEIGHT[q], CX[q] as f64, CY[q] as f64, 1.0, inflow, 0.0);
        }
    }
    let mut collided = f.clone();
    let mut drag = 0.0;
    for _ in 0..steps {
        for y in 1..ny - 1 {
            for x in 1..nx - 1 {
                let c = y * nx + x;
                let mut density = 0.0;
                let mut u = 0.0;
                let mut v = 0.0;
                for q in 0..9 {
                    density += f[q * cells + c];
                    u += CX[q] as f64 * f[q * cells + c];
                    v += CY[q] as f64 * f[q * cells + c];
                }
                u /= density;
                v /= density;
                for q in 0..9 {
                    let towards = equilibrium(WEIGHT[q], CX[q] as f64, CY[q] as f64, density, u, v);
                    let fluid = f[q * cells + c] + omega * (towards - f[q * cells + c]);
                    let back = f[OPPOSITE[q] * cells + c];
                    collided[q * cells + c] = fluid + solid[c] * (back - fluid);
                    drag += CX[q] as f64 * solid[c] * (fluid - back);
                }
            }
        }
        for q in 0..9 {
            for y in 1..ny - 1 {
                for x in 1..nx - 1 {
                    let from = (y as isize - CY[q]) * nx as isize + x as isize - CX[q];
                    f[q * cells + y * nx + x] = collided[q * cells + from as usize];
                }
            }
        }
    }
    drag
}
