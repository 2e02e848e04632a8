//! The cycle with the iterators of rayon: forces of elements on their corners first, which the nodes gather.

#[cfg(feature = "parallel")]
use pardiff::differentiate;

/// The version.
#[cfg_attr(feature = "parallel", differentiate(uses(crate::Domain, crate::physics::cell)))]
pub mod iterators {
    use crate::domain::Domain;
    use crate::physics::cell::*;
    use rayon::prelude::*;

    fn forces(domain: &Domain) -> Vec<[[f64; 3]; 8]> {
        let mut of_corners = vec![[[0.0; 3]; 8]; domain.corners.len()];
        of_corners
            .par_iter_mut()
            .enumerate()
            .for_each(|(i, of_corner)| *of_corner = corner_forces(domain, i));
        of_corners
    }

    fn move_nodes(domain: &mut Domain, of_corners: &[[[f64; 3]; 8]]) {
        let moves: Vec<([f64; 3], [f64; 3])> = (0..domain.position.len())
            .into_par_iter()
            .map(|n| {
                let mut force = [0.0; 3];
                for &corner in &domain.node_corners[domain.first_corner[n]..domain.first_corner[n + 1]] {
                    for k in 0..3 {
                        force[k] += of_corners[corner / 8][corner % 8][k];
                    }
                }
                moved(domain, n, &force)
            })
            .collect();
        domain.position.par_iter_mut().zip(domain.velocity.par_iter_mut()).zip(&moves).for_each(
            |((place, velocity), after)| {
                *place = after.0;
                *velocity = after.1;
            },
        );
    }

    fn update_elements(domain: &mut Domain) {
        let n = domain.corners.len();
        let strains: Vec<Strain> = (0..n).into_par_iter().map(|i| strain(domain, i)).collect();
        let closing: Vec<[f64; 3]> = strains.par_iter().map(|strain| strain.closing).collect();
        let gases: Vec<Gas> =
            (0..n).into_par_iter().map(|i| gas_after(domain, i, &strains[i], &closing)).collect();
        domain.energy.par_iter_mut().zip(&gases).for_each(|(energy, gas)| *energy = gas.energy);
        domain.pressure.par_iter_mut().zip(&gases).for_each(|(pressure, gas)| *pressure = gas.pressure);
        domain.viscosity.par_iter_mut().zip(&gases).for_each(|(viscosity, gas)| *viscosity = gas.viscosity);
        domain.sound_speed.par_iter_mut().zip(&gases).for_each(|(speed, gas)| *speed = gas.sound_speed);
        domain.volume.par_iter_mut().zip(&strains).for_each(|(v, strain)| *v = kept_volume(strain.volume));
        for gas in &gases {
            assert!(gas.viscosity <= LARGEST_VISCOSITY, "too much viscosity");
        }
        let bounds = |i: usize| time_bounds(gases[i].sound_speed, strains[i].length, strains[i].rate);
        domain.courant = (0..n).into_par_iter().map(|i| bounds(i).0).reduce(|| LONG, f64::min);
        domain.hydro = (0..n).into_par_iter().map(|i| bounds(i).1).reduce(|| LONG, f64::min);
    }

    /// One cycle.
    ///
    /// # Panics
    ///
    /// Panics where an element has no volume left, or too much viscosity.
    pub fn step(domain: &mut Domain) {
        advance_time(domain);
        let of_corners = forces(domain);
        move_nodes(domain, &of_corners);
        update_elements(domain);
    }
}
