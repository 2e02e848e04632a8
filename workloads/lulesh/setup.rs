//! The mesh of the blast: a cube of elements in the corner of three planes of symmetry, with energy in its first
//! element.

use crate::domain::{Domain, FREE, Halo};
use crate::geometry::hexahedron::volume_of;
use crate::physics::cell::{LONG, is_over};

/// The number of an element or a node in a cube with so many a side.
fn number(at: [usize; 3], side: usize) -> usize {
    (at[2] * side + at[1]) * side + at[0]
}

/// The places in a cube with so many a side, in the order of their numbers.
fn places(side: usize) -> impl Iterator<Item = [usize; 3]> {
    (0..side.pow(3)).map(move |n| [n % side, n / side % side, n / (side * side)])
}

/// The corners of an element from its first one.
const CORNERS: [[usize; 3]; 8] =
    [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1]];

impl Domain {
    /// The blast on a cube of `size` elements a side. `stretch` makes it a cuboid.
    pub fn sedov(size: usize, stretch: [f64; 3]) -> Domain {
        Domain::part_of_sedov(size, stretch, 1, 0).0
    }

    /// The part of one rank in the blast on a cube of ranks, `ranks` a side, with `size` elements a side each.
    pub fn part_of_sedov(size: usize, stretch: [f64; 3], ranks: usize, rank: usize) -> (Domain, Halo) {
        let (edge, whole) = (size + 1, size * ranks);
        let part = [rank % ranks, rank / ranks % ranks, rank / (ranks * ranks)];
        let in_whole = |at: [usize; 3]| -> [usize; 3] { std::array::from_fn(|k| size * part[k] + at[k]) };
        let place = |at: [usize; 3]| -> [f64; 3] {
            std::array::from_fn(|k| stretch[k] * (1.125 * at[k] as f64 / whole as f64))
        };
        let corners_of = |first: [usize; 3]| CORNERS.map(|c| std::array::from_fn(|k| first[k] + c[k]));
        let volume_at = |first: [usize; 3]| volume_of(&corners_of(first).map(place));
        let mut domain = Domain {
            velocity: vec![[0.0; 3]; edge.pow(3)],
            energy: vec![0.0; size.pow(3)],
            pressure: vec![0.0; size.pow(3)],
            viscosity: vec![0.0; size.pow(3)],
            volume: vec![1.0; size.pow(3)],
            sound_speed: vec![0.0; size.pow(3)],
            courant: LONG,
            hydro: LONG,
            ..Domain::default()
        };
        for at in places(edge) {
            let node = in_whole(at);
            domain.position.push(place(node));
            domain.held.push(node.map(|at| at == 0));
            // the elements around the node, those of other ranks as well
            let around = places(2).filter_map(|c| {
                let first: [usize; 3] = std::array::from_fn(|k| (node[k] + c[k]).wrapping_sub(1));
                first.iter().all(|&at| at < whole).then(|| volume_at(first) / 8.0)
            });
            domain.node_mass.push(around.sum());
        }
        let halo = Halo::of(size, ranks, part);
        let mut at_node = vec![Vec::new(); edge.pow(3)];
        for at in places(size) {
            let i = number(at, size);
            let corners = corners_of(at).map(|at| number(at, edge));
            for (c, &n) in corners.iter().enumerate() {
                at_node[n].push(8 * i + c);
            }
            domain.corners.push(corners);
            domain.neighbours.push(std::array::from_fn(|d| {
                let (step, all) = (size.pow(d as u32), in_whole(at)[d]);
                // behind a face to another rank stands an element of that
                let beyond = |direction: usize| {
                    let among = halo.first_element[direction]..halo.first_element[direction + 1];
                    let j = halo.elements[among.clone()].iter().position(|&own| own == i);
                    size.pow(3) + among.start + j.expect("it is at that face")
                };
                let below = match (at[d], all) {
                    (_, 0) => i,
                    (0, _) => beyond(13 - 3_usize.pow(d as u32)),
                    _ => i - step,
                };
                let above = match at[d] + 1 == size {
                    true if all + 1 == whole => FREE,
                    true => beyond(13 + 3_usize.pow(d as u32)),
                    false => i + step,
                };
                [below, above]
            }));
            let volume = volume_at(in_whole(at));
            domain.reference_volume.push(volume);
            domain.element_mass.push(volume);
        }
        domain.first_corner.push(0);
        for corners in at_node {
            domain.node_corners.extend(corners);
            domain.first_corner.push(domain.node_corners.len());
        }
        let scale = whole as f64 / 45.0;
        let first_energy = 3.948746e7 * scale * scale * scale;
        domain.time_step = 0.5 * volume_at([0; 3]).cbrt() / (2.0 * first_energy).sqrt();
        if part == [0; 3] {
            domain.energy[0] = first_energy;
        }
        (domain, halo)
    }

    /// Runs up to so many cycles with a version of the cycle; how many there were.
    pub fn run(&mut self, cycles: usize, step: impl Fn(&mut Domain)) -> usize {
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

impl Halo {
    /// What the rank at this place shares.
    fn of(size: usize, ranks: usize, part: [usize; 3]) -> Halo {
        let mut halo = Halo { first_node: vec![0], first_element: vec![0], ..Halo::default() };
        for direction in places(3) {
            let is_face = direction.iter().filter(|&&it| it != 1).count() == 1;
            let there: [usize; 3] = std::array::from_fn(|k| (part[k] + direction[k]).wrapping_sub(1));
            let is_there = direction != [1; 3] && there.iter().all(|&at| at < ranks);
            // those of a cube with so many a side that lie in this direction
            let on_side = |at: [usize; 3], side: usize| {
                let lies = |k: usize| match direction[k] {
                    0 => at[k] == 0,
                    1 => true,
                    _ => at[k] + 1 == side,
                };
                is_there && (0..3).all(lies)
            };
            let of_cube = |side: usize| {
                places(side).filter(move |&at| on_side(at, side)).map(move |at| number(at, side))
            };
            halo.rank.push(if is_there { number(there, ranks) as i32 } else { -1 });
            halo.nodes.extend(of_cube(size + 1));
            halo.elements.extend(of_cube(size).filter(|_| is_face));
            halo.first_node.push(halo.nodes.len());
            halo.first_element.push(halo.elements.len());
        }
        halo
    }
}
