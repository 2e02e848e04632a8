//! Recovers the energy of a blast, and the density of a layer that it went through, from how the gas moves at a late time.

use pardiff::differentiate;
use pardiff_lulesh::Domain;
use pardiff_lulesh::loops::serial;

/// How far velocities are from those that were seen, after so many cycles of a blast of this energy through a layer of this
/// density.
#[differentiate(wrt(energy, density), uses(Domain, serial, pardiff_lulesh::physics::cell))]
pub fn misfit(
    domain: &mut Domain,
    energy: f64,
    density: f64,
    in_layer: &[bool],
    seen: &[[f64; 3]],
    cycles: usize,
) -> f64 {
    domain.energy[0] = energy;
    for i in 0..in_layer.len() {
        if in_layer[i] {
            let more = (density - 1.0) * domain.element_mass[i];
            domain.element_mass[i] += more;
            for c in 0..8 {
                domain.node_mass[domain.corners[i][c]] += more / 8.0;
            }
        }
    }
    #[checkpoint]
    for _ in 0..cycles {
        serial::step(domain);
    }
    let mut sum = 0.0;
    for n in 0..seen.len() {
        for k in 0..3 {
            let difference = domain.velocity[n][k] - seen[n][k];
            sum += difference * difference;
        }
    }
    sum
}

fn main() {}
