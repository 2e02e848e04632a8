//! Atoms that move.

use super::molecule::Argon;
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
    /// Positions and velocities, then the size and the depth of the well.
    fn split<'a>(&self, p: &'a [f64]) -> (&'a [[f64; 3]], &'a [[f64; 3]], f64, f64) {
        let (rows, rest) = p.as_chunks();
        let (position, velocity) = rows.split_at(rows.len() / 2);
        (position, velocity, rest[0], rest[1])
    }
}

/// The call of a gradient.
macro_rules! adjoint {
    ($function:path, $this:ident, $p:ident, $g:ident) => {{
        let (position, velocity, sigma, epsilon) = $this.split($p);
        let (rows, d_rest) = $g.as_chunks_mut();
        let (d_position, d_velocity) = rows.split_at_mut(rows.len() / 2);
        let (d_sigma, d_epsilon) = d_rest.split_at_mut(1);
        $function(
            position,
            d_position,
            velocity,
            d_velocity,
            sigma,
            &mut d_sigma[0],
            epsilon,
            &mut d_epsilon[0],
            &$this.atoms.start,
            &$this.atoms.neighbours,
            CUTOFF,
            STEP,
            $this.steps,
        )
    }};
}

impl Workload for Motion {
    fn parameters(&self) -> Vec<f64> {
        self.parameters.clone()
    }

    fn primal(&self, p: &[f64]) -> f64 {
        let (x, v, sigma, epsilon) = self.split(p);
        let Argon { start, neighbours, .. } = &self.atoms;
        lennard_jones_dynamics(x, v, sigma, epsilon, start, neighbours, CUTOFF, STEP, self.steps)
    }

    fn value(&self, p: &[f64]) -> f64 {
        let (x, v, sigma, epsilon) = self.split(p);
        let Argon { start, neighbours, .. } = &self.atoms;
        lennard_jones_dynamics::value(x, v, sigma, epsilon, start, neighbours, CUTOFF, STEP, self.steps)
    }

    fn grad(&self, p: &[f64], g: &mut [f64]) -> f64 {
        adjoint!(lennard_jones_dynamics::grad, self, p, g)
    }

    fn grad_into(&self, p: &[f64], g: &mut [f64]) -> f64 {
        adjoint!(lennard_jones_dynamics::grad_into, self, p, g)
    }

    fn plan(&self) -> &'static str {
        lennard_jones_dynamics::DECISIONS
    }

    fn constants(&self) -> Constants {
        Constants { sizes: vec![self.steps], ..self.atoms.constants() }
    }

    fn operations(&self) -> f64 {
        (80 * self.atoms.neighbours.len() * (self.steps + 1)) as f64
    }
}
