//! The cycle over ranks, each with a cube of elements. Ranks that share a node add the forces on it in one order,
//! so that it moves alike on all of them.

#[cfg(any(feature = "ranks", feature = "threads"))]
use pardiff::differentiate;

/// What ranks tell each other of their borders.
#[cfg_attr(
    any(feature = "ranks", feature = "threads"),
    differentiate(export = "only", uses(crate::domain::Halo))
)]
pub mod border {
    use crate::domain::Halo;
    use pardiff::ranks::point_to_point as p2p;
    use pardiff::ranks::traits::*;

    /// Sends the values of a field that belong to each direction, and receives as many from there.
    pub fn exchanged(
        world: &impl Communicator,
        rank: &[i32],
        first: &[usize],
        list: &[usize],
        field: &[[f64; 3]],
    ) -> Vec<f64> {
        let mut sent = vec![0.0; 3 * list.len()];
        for j in 0..list.len() {
            for k in 0..3 {
                sent[3 * j + k] = field[list[j]][k];
            }
        }
        let mut received = vec![0.0; 3 * list.len()];
        for d in 0..27 {
            let against = 26 - d;
            let (from, to) = (3 * first[d], 3 * first[d + 1]);
            let (begin, end) = (3 * first[against], 3 * first[against + 1]);
            if from < to && begin < end {
                let (target, source) = (world.process_at_rank(rank[d]), world.process_at_rank(rank[against]));
                p2p::send_receive_into(&sent[from..to], &target, &mut received[begin..end], &source);
            } else if from < to {
                world.process_at_rank(rank[d]).send(&sent[from..to]);
            } else if begin < end {
                world.process_at_rank(rank[against]).receive_into(&mut received[begin..end]);
            }
        }
        received
    }

    /// The forces on nodes with those of other ranks on them.
    pub fn total(world: &impl Communicator, halo: &Halo, force: &[[f64; 3]]) -> Vec<[f64; 3]> {
        let received = exchanged(world, &halo.rank, &halo.first_node, &halo.nodes, force);
        let mut total = vec![[0.0; 3]; force.len()];
        for d in 0..27 {
            if d == 13 {
                for n in 0..force.len() {
                    for k in 0..3 {
                        total[n][k] += force[n][k];
                    }
                }
            }
            for j in halo.first_node[d]..halo.first_node[d + 1] {
                for k in 0..3 {
                    total[halo.nodes[j]][k] += received[3 * j + k];
                }
            }
        }
        total
    }
}

/// The version.
#[cfg_attr(
    feature = "ranks",
    differentiate(uses(crate::Domain, crate::domain::Halo, crate::physics::cell, crate::ranks::border))
)]
pub mod exchange {
    use crate::domain::{Domain, Halo};
    use crate::physics::cell::*;
    use crate::ranks::border::*;
    use pardiff::ranks::SystemOperation;
    use pardiff::ranks::traits::*;

    fn forces(world: &impl Communicator, domain: &Domain, halo: &Halo) -> Vec<[f64; 3]> {
        let mut force = vec![[0.0; 3]; domain.position.len()];
        for i in 0..domain.corners.len() {
            let of_corner = corner_forces(domain, i);
            for c in 0..8 {
                for k in 0..3 {
                    force[domain.corners[i][c]][k] += of_corner[c][k];
                }
            }
        }
        total(world, halo, &force)
    }

    fn update_elements(world: &impl Communicator, domain: &mut Domain, halo: &Halo) {
        let n = domain.corners.len();
        let mut strains = vec![Strain::default(); n];
        let mut closing = vec![[0.0; 3]; n + halo.elements.len()];
        for i in 0..n {
            strains[i] = strain(domain, i);
            closing[i] = strains[i].closing;
        }
        let received = exchanged(world, &halo.rank, &halo.first_element, &halo.elements, &closing);
        for j in 0..halo.elements.len() {
            for k in 0..3 {
                closing[n + j][k] = received[3 * j + k];
            }
        }
        let mut bounds = [LONG; 2];
        for i in 0..n {
            let gas = gas_after(domain, i, &strains[i], &closing);
            store(domain, i, &gas, strains[i].volume);
            let (crossing, changing) = time_bounds(gas.sound_speed, strains[i].length, strains[i].rate);
            bounds[0] = bounds[0].min(crossing);
            bounds[1] = bounds[1].min(changing);
        }
        let mut least = [0.0; 2];
        world.all_reduce_into(&bounds, &mut least, SystemOperation::min());
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
        move_nodes(domain, &force);
        update_elements(world, domain, halo);
    }
}
