//! The cycle with helpers that take the body of a loop as a closure, as portable loop libraries have them.

#[cfg(feature = "closures")]
use pardiff::differentiate;

/// The version.
#[cfg_attr(feature = "closures", differentiate(uses(crate::Domain, crate::physics::cell)))]
pub mod helpers {
    use crate::domain::Domain;
    use crate::physics::cell::*;

    fn for_all(n: usize, mut body: impl FnMut(usize)) {
        for i in 0..n {
            body(i);
        }
    }

    fn least_of(n: usize, value: impl Fn(usize) -> f64) -> f64 {
        let mut least = LONG;
        for i in 0..n {
            least = least.min(value(i));
        }
        least
    }

    fn move_nodes(domain: &mut Domain, force: &[[f64; 3]]) {
        for_all(domain.position.len(), |n| {
            let (place, velocity) = moved(domain, n, &force[n]);
            domain.position[n] = place;
            domain.velocity[n] = velocity;
        });
    }

    fn update_elements(domain: &mut Domain) {
        let n = domain.corners.len();
        let mut strains = vec![Strain::default(); n];
        for_all(n, |i| strains[i] = strain(domain, i));
        let mut closing = vec![[0.0; 3]; n];
        for_all(n, |i| closing[i] = strains[i].closing);
        for_all(n, |i| {
            let gas = gas_after(domain, i, &strains[i], &closing);
            store(domain, i, &gas, strains[i].volume);
        });
        let bounds = |i: usize| time_bounds(domain.sound_speed[i], strains[i].length, strains[i].rate);
        let courant = least_of(n, |i| bounds(i).0);
        let hydro = least_of(n, |i| bounds(i).1);
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
        let mut force = vec![[0.0; 3]; domain.position.len()];
        for_all(domain.corners.len(), |i| {
            let of_corner = corner_forces(domain, i);
            for c in 0..8 {
                for k in 0..3 {
                    force[domain.corners[i][c]][k] += of_corner[c][k];
                }
            }
        });
        move_nodes(domain, &force);
        update_elements(domain);
    }
}
