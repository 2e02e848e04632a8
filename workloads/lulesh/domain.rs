//! The state of the blast.

#[cfg(feature = "export")]
use pardiff::differentiate;

/// The state of the blast. Elements are hexahedra with eight nodes each.
#[cfg_attr(feature = "export", differentiate(export))]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Domain {
    /// Of each node.
    pub position: Vec<[f64; 3]>,
    /// Of each node.
    pub velocity: Vec<[f64; 3]>,
    /// A share of the mass of its elements.
    pub node_mass: Vec<f64>,
    /// The directions in which a node does not move: it is in a plane of symmetry.
    pub held: Vec<[bool; 3]>,
    /// Of each element.
    pub energy: Vec<f64>,
    /// Of each element.
    pub pressure: Vec<f64>,
    /// The artificial viscosity, a pressure as well.
    pub viscosity: Vec<f64>,
    /// Relative to the reference.
    pub volume: Vec<f64>,
    /// Of each element.
    pub sound_speed: Vec<f64>,
    /// At the start.
    pub reference_volume: Vec<f64>,
    /// Of each element.
    pub element_mass: Vec<f64>,
    /// The nodes at its corners.
    pub corners: Vec<[usize; 8]>,
    /// The elements behind its faces, below and above in each direction.
    pub neighbours: Vec<[[usize; 2]; 3]>,
    /// Where the corners of each node begin in `node_corners`, and where the last ones end.
    pub first_corner: Vec<usize>,
    /// The corners of elements that meet at a node: eight times the element, and the corner in it.
    pub node_corners: Vec<usize>,
    /// At the end of the last cycle.
    pub time: f64,
    /// Of the last cycle.
    pub time_step: f64,
    /// How long sound takes to cross an element, a bound of the next time step.
    pub courant: f64,
    /// How long a volume takes to change by a tenth, another one.
    pub hydro: f64,
    /// How many there were.
    pub cycle: usize,
}

/// No neighbour: the face is free. A face in a plane of symmetry has the element itself for its neighbour.
#[cfg_attr(feature = "export", differentiate(export))]
pub const FREE: usize = usize::MAX;

/// What a rank shares with the ranks around it. There are 27 directions, with the rank itself in the middle, in the
/// order of ranks; the one against direction `d` is `26 - d`.
#[cfg_attr(feature = "export", differentiate(export))]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Halo {
    /// The rank in each direction; where there is none its lists are empty.
    pub rank: Vec<i32>,
    /// Where the nodes of each direction begin in `nodes`, and where the last ones end.
    pub first_node: Vec<usize>,
    /// The nodes that are shared.
    pub nodes: Vec<usize>,
    /// Where the elements of each direction begin in `elements`, and where the last ones end.
    pub first_element: Vec<usize>,
    /// The elements behind a face to another rank, whose elements there are numbered behind all of this one in this
    /// order.
    pub elements: Vec<usize>,
}
