//! Atoms that move.

use super::molecule::Argon;
use super::shapes::{Number, Rows, Shape};
use super::{Constants, Workload, numbers};
use crate::data::Lcg;
use crate::lennard_jones_dynamics::lennard_jones_dynamics;

/// Atoms in a box, for some steps.
pub(super) struct Motion {
    atoms: Argon,
    steps: usize,
    parameters: Vec<f64>,
}

const CUTOFF: f64 = 2.5;
const STEP: f64 = 0.002;

impl Motion {
    /// `64x10` is 64 atoms and 10 steps.
    pub(super) fn load(case: &str) -> Option<Motion> {
        let [n, steps] = numbers(case)?;
        let atoms = Argon::load(&n.to_string())?;
        let mut parameters = atoms.parameters();
        parameters.extend(Lcg(23).floats(3 * n, -0.5, 0.5));
        parameters.extend([1.0, 1.0]);
        Some(Motion { atoms, steps, parameters })
    }
}

impl Motion {
    /// Those of all atoms.
    fn coordinates(&self) -> usize {
        (self.parameters.len() - 2) / 2
    }
}

impl Workload for Motion {
    fn parameters(&self) -> Vec<f64> {
        self.parameters.clone()
    }

    super::entry_points! {
        self: lennard_jones_dynamics(
            position: Rows<3> = self.coordinates(), velocity: Rows<3> = self.coordinates(),
            sigma: Number = 1, epsilon: Number = 1;
            &self.atoms.start, &self.atoms.neighbours, CUTOFF, STEP, self.steps
        )
    }

    fn constants(&self) -> Constants {
        Constants { sizes: vec![self.steps], ..self.atoms.constants() }
    }

    fn operations(&self) -> f64 {
        (80 * self.atoms.neighbours.len() * (self.steps + 1)) as f64
    }
}
