//! The energy of atoms that attract and repel their neighbours.

use pardiff::differentiate;

/// Lennard-Jones energy of the pairs in a neighbour list that are closer than `cutoff`, shifted to zero there.
///
/// Shapes: `position` has one row of 3 an atom; the neighbours of atom `i` are `neighbours[start[i]..start[i + 1]]`, each
/// pair once.
#[differentiate(wrt(position))]
pub fn lennard_jones(
    position: &[[f64; 3]],
    start: &[u32],
    neighbours: &[u32],
    sigma: f64,
    cutoff: f64,
) -> f64 {
    let s6 = (sigma / cutoff).powi(6);
    let shift = 4.0 * (s6 * s6 - s6);
    let mut energy = 0.0;
    for i in 0..position.len() {
        let p = position[i];
        for k in start[i] as usize..start[i + 1] as usize {
            let q = position[neighbours[k] as usize];
            let mut square = 0.0;
            for a in 0..3 {
                let e = p[a] - q[a];
                square += e * e;
            }
            if square < cutoff * cutoff {
                let s2 = sigma * sigma / square;
                let s6 = s2 * s2 * s2;
                energy += 4.0 * (s6 * s6 - s6) - shift;
            }
        }
    }
    energy
}
