//! Parts of the Sedov blast as kernels: the volumes of elements, their forces against hourglass modes, and their gas,
//! material by material.

use pardiff::differentiate;

/// The kernels.
#[differentiate(cuda, uses(crate::geometry::hexahedron, crate::physics::cell))]
pub mod kernels {
    use crate::geometry::hexahedron::*;
    use crate::physics::cell::*;

    /// The volumes of elements, relative to the reference.
    pub fn volumes(position: &[[f64; 3]], corners: &[[usize; 8]], reference: &[f64], volume: &mut [f64]) {
        for i in 0..corners.len() {
            volume[i] = volume_of(&gathered(position, &corners[i])) / reference[i];
        }
    }

    /// Adds the forces of elements against hourglass modes to those on their nodes.
    pub fn hourglasses(
        position: &[[f64; 3]],
        velocity: &[[f64; 3]],
        corners: &[[usize; 8]],
        volume: &[f64],
        coefficient: &[f64],
        force: &mut [[f64; 3]],
    ) {
        for i in 0..corners.len() {
            let (p, v) = (gathered(position, &corners[i]), gathered(velocity, &corners[i]));
            let mut of_corner = [[0.0; 3]; 8];
            resist_hourglasses(&p, &v, volume[i], coefficient[i], &mut of_corner);
            for c in 0..8 {
                for k in 0..3 {
                    force[corners[i][c]][k] += of_corner[c][k];
                }
            }
        }
    }

    /// The energy and the pressure of the gas after a step from one volume to another, material by material: of those
    /// in `first[m]..first[m + 1]` of `list`.
    pub fn materials(
        energy: &[f64],
        pressure: &[f64],
        volume: &[[f64; 2]],
        first: &[usize],
        list: &[usize],
        new_energy: &mut [f64],
        new_pressure: &mut [f64],
    ) {
        for m in 0..first.len() - 1 {
            for k in first[m]..first[m + 1] {
                let e = list[k];
                let gas = Gas { energy: energy[e], pressure: pressure[e], viscosity: 0.0, sound_speed: 0.0 };
                let gas = gas_in(&gas, volume[e][0], volume[e][1], 0.1 * volume[e][0], 0.2);
                new_energy[k] += gas.energy;
                new_pressure[k] += gas.pressure;
            }
        }
    }
}
