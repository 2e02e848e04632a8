//! The cycle as tasks: a range of elements or nodes is cut in two until it is small, and each part is a task.

#[cfg(feature = "tasks")]
use pardiff::differentiate;

/// The version.
#[cfg_attr(feature = "tasks", differentiate(uses(crate::Domain, crate::physics::cell)))]
pub mod spawned {
    use crate::domain::Domain;
    use crate::physics::cell::*;

    /// So many elements or nodes are one task.
    const GRAIN: usize = 512;

    fn forces(domain: &Domain, of_corners: &mut [[[f64; 3]; 8]]) {
        rayon::scope(|scope| {
            for (part, of_corners) in of_corners.chunks_mut(GRAIN).enumerate() {
                scope.spawn(move |_| {
                    for (i, of_corner) in of_corners.iter_mut().enumerate() {
                        *of_corner = corner_forces(domain, GRAIN * part + i);
                    }
                });
            }
        });
    }

    fn force_on(domain: &Domain, n: usize, of_corners: &[[[f64; 3]; 8]]) -> [f64; 3] {
        let mut force = [0.0; 3];
        for j in domain.first_corner[n]..domain.first_corner[n + 1] {
            let corner = domain.node_corners[j];
            for k in 0..3 {
                force[k] += of_corners[corner / 8][corner % 8][k];
            }
        }
        force
    }

    fn total_forces(domain: &Domain, of_corners: &[[[f64; 3]; 8]], force: &mut [[f64; 3]]) {
        rayon::scope(|scope| {
            for (part, force) in force.chunks_mut(GRAIN).enumerate() {
                scope.spawn(move |_| {
                    for (j, force) in force.iter_mut().enumerate() {
                        *force = force_on(domain, GRAIN * part + j, of_corners);
                    }
                });
            }
        });
    }

    fn strains_of(domain: &Domain, strains: &mut [Strain]) {
        rayon::scope(|scope| {
            for (part, strains) in strains.chunks_mut(GRAIN).enumerate() {
                scope.spawn(move |_| {
                    for (i, strain_of) in strains.iter_mut().enumerate() {
                        *strain_of = strain(domain, GRAIN * part + i);
                    }
                });
            }
        });
    }

    fn gases_of(domain: &Domain, strains: &[Strain], closing: &[[f64; 3]], gases: &mut [Gas]) {
        rayon::scope(|scope| {
            for (part, gases) in gases.chunks_mut(GRAIN).enumerate() {
                scope.spawn(move |_| {
                    for (j, gas) in gases.iter_mut().enumerate() {
                        let i = GRAIN * part + j;
                        *gas = gas_after(domain, i, &strains[i], closing);
                    }
                });
            }
        });
    }

    /// The least bounds of the time step by the elements of a part: halves are tasks, as often as `depth` says.
    fn bounds_of(strains: &[Strain], gases: &[Gas], depth: usize) -> (f64, f64) {
        let n = strains.len();
        if depth == 0 {
            let (mut courant, mut hydro) = (LONG, LONG);
            for i in 0..n {
                let (crossing, changing) =
                    time_bounds(gases[i].sound_speed, strains[i].length, strains[i].rate);
                courant = courant.min(crossing);
                hydro = hydro.min(changing);
            }
            (courant, hydro)
        } else {
            let (left, right) = strains.split_at(n / 2);
            let (first, second) = gases.split_at(n / 2);
            let (a, b) =
                rayon::join(|| bounds_of(left, first, depth - 1), || bounds_of(right, second, depth - 1));
            (a.0.min(b.0), a.1.min(b.1))
        }
    }

    fn update_elements(domain: &mut Domain) {
        let n = domain.corners.len();
        let mut strains = vec![Strain::default(); n];
        strains_of(domain, &mut strains);
        let mut closing = vec![[0.0; 3]; n];
        for i in 0..n {
            closing[i] = strains[i].closing;
        }
        let mut gases = vec![Gas::default(); n];
        gases_of(domain, &strains, &closing, &mut gases);
        for i in 0..n {
            store(domain, i, &gases[i], strains[i].volume);
        }
        let (courant, hydro) = bounds_of(&strains, &gases, 2);
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
        let mut of_corners = vec![[[0.0; 3]; 8]; domain.corners.len()];
        forces(domain, &mut of_corners);
        let mut force = vec![[0.0; 3]; domain.position.len()];
        total_forces(domain, &of_corners, &mut force);
        move_nodes(domain, &force);
        update_elements(domain);
    }
}
