//! The mesh of the blast: a cube of elements in the corner of three planes of symmetry, with energy in its first element.

use crate::domain::{Domain, FREE};
use crate::geometry::hexahedron::volume_of;
use crate::physics::cell::is_over;

impl Domain {
    /// The blast on a cube of `size` elements a side. `stretch` makes it a cuboid.
    pub fn sedov(size: usize, stretch: [f64; 3]) -> Domain {
        let (nodes, elements) = ((size + 1).pow(3), size.pow(3));
        let mut domain = Domain {
            velocity: vec![[0.0; 3]; nodes],
            node_mass: vec![0.0; nodes],
            energy: vec![0.0; elements],
            pressure: vec![0.0; elements],
            viscosity: vec![0.0; elements],
            volume: vec![1.0; elements],
            sound_speed: vec![0.0; elements],
            courant: 1e20,
            hydro: 1e20,
            ..Domain::default()
        };
        let edge = size + 1;
        for n in 0..nodes {
            let at = [n % edge, n / edge % edge, n / (edge * edge)];
            domain.position.push(std::array::from_fn(|k| stretch[k] * (1.125 * at[k] as f64 / size as f64)));
            domain.held.push(at.map(|at| at == 0));
        }
        for i in 0..elements {
            let at = [i % size, i / size % size, i / (size * size)];
            let first = (at[2] * edge + at[1]) * edge + at[0];
            let (row, plane) = (first + edge, first + edge * edge);
            let corners = [first, first + 1, row + 1, row, plane, plane + 1, plane + edge + 1, plane + edge];
            domain.corners.push(corners);
            let stride = [1, size, size * size];
            domain.neighbours.push(std::array::from_fn(|d| {
                let below = if at[d] == 0 { i } else { i - stride[d] };
                let above = if at[d] + 1 == size { FREE } else { i + stride[d] };
                [below, above]
            }));
            let volume = volume_of(&corners.map(|n| domain.position[n]));
            domain.reference_volume.push(volume);
            domain.element_mass.push(volume);
            for n in corners {
                domain.node_mass[n] += volume / 8.0;
            }
        }
        let mut at_node = vec![Vec::new(); nodes];
        for (i, corners) in domain.corners.iter().enumerate() {
            for (c, &n) in corners.iter().enumerate() {
                at_node[n].push(8 * i + c);
            }
        }
        domain.first_corner.push(0);
        for corners in at_node {
            domain.node_corners.extend(corners);
            domain.first_corner.push(domain.node_corners.len());
        }
        let scale = size as f64 / 45.0;
        domain.energy[0] = 3.948746e7 * scale * scale * scale;
        domain.time_step = 0.5 * domain.reference_volume[0].cbrt() / (2.0 * domain.energy[0]).sqrt();
        domain
    }

    /// Runs up to so many cycles with a version of the cycle; how many there were.
    pub fn run(&mut self, cycles: usize, step: fn(&mut Domain)) -> usize {
        while self.cycle < cycles && !is_over(self) {
            step(self);
        }
        self.cycle
    }

    /// A domain of the same mesh with zeros in place of all numbers: an adjoint to begin with.
    pub fn zeroed(&self) -> Domain {
        let of_elements = || vec![0.0; self.energy.len()];
        Domain {
            position: vec![[0.0; 3]; self.position.len()],
            velocity: vec![[0.0; 3]; self.position.len()],
            node_mass: vec![0.0; self.position.len()],
            energy: of_elements(),
            pressure: of_elements(),
            viscosity: of_elements(),
            volume: of_elements(),
            sound_speed: of_elements(),
            reference_volume: of_elements(),
            element_mass: of_elements(),
            time: 0.0,
            time_step: 0.0,
            courant: 0.0,
            hydro: 0.0,
            ..self.clone()
        }
    }
}
