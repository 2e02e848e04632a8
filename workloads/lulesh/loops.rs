//! The cycle as loops over elements and nodes.

#[cfg(feature = "export")]
use pardiff::differentiate;

/// The version.
#[cfg_attr(
    all(feature = "export", not(feature = "gradient")),
    differentiate(export = "only", uses(crate::Domain, crate::physics::cell))
)]
#[cfg_attr(feature = "gradient", differentiate(export, uses(crate::Domain, crate::physics::cell)))]
pub mod serial {
    use crate::domain::Domain;
    use crate::physics::cell::*;

    fn forces(domain: &Domain) -> Vec<[f64; 3]> {
        let mut force = vec![[0.0; 3]; domain.position.len()];
        for i in 0..domain.corners.len() {
            let of_corner = corner_forces(domain, i);
            for c in 0..8 {
                for k in 0..3 {
                    force[domain.corners[i][c]][k] += of_corner[c][k];
                }
            }
        }
        force
    }

    fn update_elements(domain: &mut Domain) {
        let n = domain.corners.len();
        let mut strains = vec![Strain::default(); n];
        let mut closing = vec![[0.0; 3]; n];
        for i in 0..n {
            strains[i] = strain(domain, i);
            closing[i] = strains[i].closing;
        }
        for i in 0..n {
            let gas = gas_after(domain, i, &strains[i], &closing);
            store(domain, i, &gas, strains[i].volume);
        }
        let (mut courant, mut hydro) = (LONG, LONG);
        for i in 0..n {
            let (crossing, changing) = time_bounds(domain.sound_speed[i], strains[i].length, strains[i].rate);
            if crossing < courant {
                courant = crossing;
            }
            if changing < hydro {
                hydro = changing;
            }
        }
        domain.courant = courant;
        domain.hydro = hydro;
    }

    /// One cycle.
    ///
    /// # Panics
    ///
    /// Panics where an element has no volume left, or too much viscosity.
    pub fn step(domain: &mut Domain) {
        advance_time(domain);
        let force = forces(domain);
        move_nodes(domain, &force);
        update_elements(domain);
    }
}
