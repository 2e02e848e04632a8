//! Waves through a medium, as in seismic inversion: a source, receivers, and what they should have recorded.

use pardiff::differentiate;

/// Half the squared difference between what receivers record and what was observed.
///
/// The acoustic wave equation on a grid of `ny` rows of `nx` in steps of second order in time and fourth order in space.
///
/// Shapes: `courant` (wave speed times time step over grid spacing) and `damping` (not zero near the edges, so that waves
/// leave) have `ny` rows of `nx`; `wavelet` has one entry a step and is added at the cell `source`; `receivers` are cells,
/// and `observed` has one row of them a step. The two outermost cells stay at rest.
#[differentiate(wrt(courant))]
pub fn acoustic_wave(
    courant: &[f64],
    damping: &[f64],
    wavelet: &[f64],
    observed: &[f64],
    source: usize,
    receivers: &[u32],
    nx: usize,
    ny: usize,
) -> f64 {
    let mut before = vec![0.0; nx * ny];
    let mut now = vec![0.0; nx * ny];
    let mut after = vec![0.0; nx * ny];
    let mut misfit = 0.0;
    for t in 0..wavelet.len() {
        for y in 2..ny - 2 {
            for x in 2..nx - 2 {
                let c = y * nx + x;
                let near = now[c - 1] + now[c + 1] + now[c - nx] + now[c + nx];
                let far = now[c - 2] + now[c + 2] + now[c - 2 * nx] + now[c + 2 * nx];
                let laplacian = (16.0 * near - far - 60.0 * now[c]) / 12.0;
                let d = damping[c];
                after[c] =
                    (2.0 * now[c] - (1.0 - d) * before[c] + courant[c] * courant[c] * laplacian) / (1.0 + d);
            }
        }
        after[source] += wavelet[t];
        for r in 0..receivers.len() {
            let e = after[receivers[r] as usize] - observed[t * receivers.len() + r];
            misfit += 0.5 * e * e;
        }
        std::mem::swap(&mut before, &mut now);
        std::mem::swap(&mut now, &mut after);
    }
    misfit
}
