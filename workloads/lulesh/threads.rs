//! The cycle over ranks with threads of rayon on each: messages between loops that run in parallel.

#[cfg(feature = "threads")]
use pardiff::differentiate;

/// The version.
#[cfg_attr(
    feature = "threads",
    differentiate(uses(crate::Domain, crate::domain::Halo, crate::physics::cell, crate::ranks::border))
)]
pub mod threaded {
    use crate::domain::{Domain, Halo};
    use crate::physics::cell::*;
    use crate::ranks::border::*;
    use pardiff::ranks::SystemOperation;
    use pardiff::ranks::traits::*;
    use rayon::prelude::*;

    fn forces(world: &impl Communicator, domain: &Domain, halo: &Halo) -> Vec<[f64; 3]> {
        let of_corners: Vec<[[f64; 3]; 8]> =
            (0..domain.corners.len()).into_par_iter().map(|i| corner_forces(domain, i)).collect();
        let own: Vec<[f64; 3]> = (0..domain.position.len())
            .into_par_iter()
            .map(|n| {
                let mut force = [0.0; 3];
                for &corner in &domain.node_corners[domain.first_corner[n]..domain.first_corner[n + 1]] {
                    for k in 0..3 {
                        force[k] += of_corners[corner / 8][corner % 8][k];
                    }
                }
                force
            })
            .collect();
        total(world, halo, &own)
    }

    fn update_nodes(domain: &mut Domain, force: &[[f64; 3]]) {
        let moves: Vec<([f64; 3], [f64; 3])> =
            (0..force.len()).into_par_iter().map(|n| moved(domain, n, &force[n])).collect();
        domain.position.par_iter_mut().zip(domain.velocity.par_iter_mut()).zip(&moves).for_each(
            |((place, velocity), after)| {
                *place = after.0;
                *velocity = after.1;
            },
        );
    }

    fn update_elements(world: &impl Communicator, domain: &mut Domain, halo: &Halo) {
        let n = domain.corners.len();
        let strains: Vec<Strain> = (0..n).into_par_iter().map(|i| strain(domain, i)).collect();
        let mut closing = vec![[0.0; 3]; n + halo.elements.len()];
        closing.par_iter_mut().zip(&strains).for_each(|(closing, strain)| *closing = strain.closing);
        let received = exchanged(world, &halo.rank, &halo.first_element, &halo.elements, &closing);
        for j in 0..halo.elements.len() {
            for k in 0..3 {
                closing[n + j][k] = received[3 * j + k];
            }
        }
        let gases: Vec<Gas> =
            (0..n).into_par_iter().map(|i| gas_after(domain, i, &strains[i], &closing)).collect();
        for i in 0..n {
            store(domain, i, &gases[i], strains[i].volume);
        }
        let bounds_of = |i: usize| time_bounds(gases[i].sound_speed, strains[i].length, strains[i].rate);
        let courant = (0..n).into_par_iter().map(|i| bounds_of(i).0).reduce(|| LONG, f64::min);
        let hydro = (0..n).into_par_iter().map(|i| bounds_of(i).1).reduce(|| LONG, f64::min);
        let mut least = [0.0; 2];
        world.all_reduce_into(&[courant, hydro], &mut least, SystemOperation::min());
        domain.courant = least[0];
        domain.hydro = least[1];
    }

    /// One cycle of all ranks.
    ///
    /// # Panics
    ///
    /// Panics where an element has no volume left, or too much viscosity.
    pub fn step(world: &impl Communicator, domain: &mut Domain, halo: &Halo) {
        advance_time(domain);
        let force = forces(world, domain, halo);
        update_nodes(domain, &force);
        update_elements(world, domain, halo);
    }
}
