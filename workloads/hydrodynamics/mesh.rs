//! A body to blast: a cube of hexahedra with three planes of symmetry, in layers of different materials.

use crate::hydrodynamics::FREE;

/// The arguments of the program.
pub struct Body {
    /// Energies of the elements at the beginning: nearly all of it is in the corner where the planes of symmetry meet.
    pub energy: Vec<f64>,
    /// The ratio of the heats of each material.
    pub gamma: Vec<f64>,
    /// The stiffness of each material.
    pub stiffness: Vec<f64>,
    /// Where the nodes are.
    pub position: [Vec<f64>; 3],
    /// Energies to compare with.
    pub measured: Vec<f64>,
    /// The nodes of each element.
    pub corners: Vec<[u32; 8]>,
    /// Where the corners of each node begin.
    pub corners_start: Vec<u32>,
    /// Corners of elements, by node.
    pub corners_of: Vec<u32>,
    /// The elements behind the faces.
    pub neighbours: Vec<[u32; 6]>,
    /// Where the elements of each region begin.
    pub region_start: Vec<u32>,
    /// Elements, by region.
    pub region_elements: Vec<u32>,
    /// Iterations of the equation of state.
    pub repeats: Vec<u32>,
    /// The nodes in the planes of symmetry.
    pub held: [Vec<u32>; 3],
}

impl Body {
    /// A cube of `n` elements an edge, the elements of which lie in `regions` materials in turn.
    pub fn new(n: usize, regions: usize) -> Body {
        let side = n + 1;
        let node = |i: usize, j: usize, k: usize| ((k * side + j) * side + i) as u32;
        let element = |i: usize, j: usize, k: usize| ((k * n + j) * n + i) as u32;
        let mut position = [const { Vec::new() }; 3];
        let mut held = [const { Vec::new() }; 3];
        for k in 0..side {
            for j in 0..side {
                for i in 0..side {
                    for (axis, at) in [i, j, k].into_iter().enumerate() {
                        position[axis].push(at as f64 / n as f64);
                        if at == 0 {
                            held[axis].push(node(i, j, k));
                        }
                    }
                }
            }
        }
        let mut corners = Vec::new();
        let mut neighbours = Vec::new();
        for k in 0..n {
            for j in 0..n {
                for i in 0..n {
                    let [l, m, o] = [i + 1, j + 1, k + 1];
                    corners.push([
                        node(i, j, k),
                        node(l, j, k),
                        node(l, m, k),
                        node(i, m, k),
                        node(i, j, o),
                        node(l, j, o),
                        node(l, m, o),
                        node(i, m, o),
                    ]);
                    // in a plane of symmetry the element itself, and outside nothing
                    neighbours.push([
                        element(i.saturating_sub(1), j, k),
                        if l < n { element(l, j, k) } else { FREE },
                        element(i, j.saturating_sub(1), k),
                        if m < n { element(i, m, k) } else { FREE },
                        element(i, j, k.saturating_sub(1)),
                        if o < n { element(i, j, o) } else { FREE },
                    ]);
                }
            }
        }
        let mut around = vec![Vec::new(); side * side * side];
        for (e, nodes) in corners.iter().enumerate() {
            for (c, &node) in nodes.iter().enumerate() {
                around[node as usize].push((8 * e + c) as u32);
            }
        }
        let mut corners_start = vec![0];
        for corners in &around {
            corners_start.push(corners_start[corners_start.len() - 1] + corners.len() as u32);
        }
        let elements = n * n * n;
        let mut region_start = vec![0];
        let mut region_elements = Vec::new();
        for region in 0..regions {
            region_elements.extend((0..elements as u32).filter(|&e| e as usize % regions == region));
            region_start.push(region_elements.len() as u32);
        }
        let mut energy = vec![1e-3; elements];
        energy[0] = 3.0;
        Body {
            gamma: (0..regions).map(|r| 1.4 + 0.1 * r as f64).collect(),
            stiffness: (0..regions).map(|r| 0.01 * (r + 1) as f64).collect(),
            measured: (0..elements).map(|e| 0.5 / (1 + e) as f64).collect(),
            repeats: (0..regions).map(|r| 2 + r as u32 % 2).collect(),
            corners_of: around.concat(),
            energy,
            position,
            corners,
            corners_start,
            neighbours,
            region_start,
            region_elements,
            held,
        }
    }
}
