//! Fields on a grid that move in time: a fluid past a porous body, waves from a source to receivers.

use super::shapes::{Shape, Slice};
use super::{Constants, Workload, numbers};
use crate::acoustic_wave::acoustic_wave;
use crate::data::Lcg;
use crate::lattice_boltzmann::lattice_boltzmann;

/// A fluid.
pub(super) struct Stream {
    nx: usize,
    ny: usize,
    steps: usize,
    solid: Vec<f64>,
}

const OMEGA: f64 = 1.2;
const INFLOW: f64 = 0.1;

impl Stream {
    /// `30x20x7` is a grid of 20 rows of 30 cells, and 7 steps.
    pub(super) fn load(case: &str) -> Option<Stream> {
        let [nx, ny, steps] = numbers(case)?;
        let solid = Lcg(21).floats(nx * ny, 0.0, 0.3);
        Some(Stream { nx, ny, steps, solid })
    }
}

impl Workload for Stream {
    fn parameters(&self) -> Vec<f64> {
        self.solid.clone()
    }

    super::entry_points! {
        self: lattice_boltzmann(
            solid: Slice = self.nx * self.ny; self.nx, self.ny, self.steps, OMEGA, INFLOW
        )
    }

    fn constants(&self) -> Constants {
        Constants { sizes: vec![self.nx, self.ny, self.steps], ..Constants::default() }
    }

    fn operations(&self) -> f64 {
        (500 * self.nx * self.ny * self.steps) as f64
    }
}

/// A medium with a source near its middle and a row of receivers.
pub(super) struct Medium {
    nx: usize,
    ny: usize,
    courant: Vec<f64>,
    damping: Vec<f64>,
    wavelet: Vec<f64>,
    observed: Vec<f64>,
    receivers: Vec<u32>,
}

impl Medium {
    /// `30x20x7` is a grid of 20 rows of 30 cells, and 7 steps.
    pub(super) fn load(case: &str) -> Option<Medium> {
        let [nx, ny, steps] = numbers(case)?;
        let mut random = Lcg(22);
        let courant = random.floats(nx * ny, 0.3, 0.5);
        let edge = |c: usize| [c % nx, nx - 1 - c % nx, c / nx, ny - 1 - c / nx].into_iter().min();
        let damping = (0..nx * ny).map(|c| 5usize.saturating_sub(edge(c).unwrap_or(0)));
        let damping = damping.map(|d| 0.01 * (d * d) as f64).collect();
        let ricker = |t: usize| {
            let a = 0.2 * (t as f64 - 10.0);
            (1.0 - 2.0 * a * a) * (-a * a).exp()
        };
        let wavelet: Vec<f64> = (0..steps).map(ricker).collect();
        let receivers: Vec<u32> = (2..nx - 2).step_by(3).map(|x| (3 * nx + x) as u32).collect();
        let observed = random.floats(steps * receivers.len(), -0.1, 0.1);
        Some(Medium { nx, ny, courant, damping, wavelet, observed, receivers })
    }
}

impl Workload for Medium {
    fn parameters(&self) -> Vec<f64> {
        self.courant.clone()
    }

    super::entry_points! {
        self: acoustic_wave(
            courant: Slice = self.nx * self.ny;
            &self.damping, &self.wavelet, &self.observed, self.ny / 2 * self.nx + self.nx / 2, &self.receivers,
            self.nx, self.ny
        )
    }

    fn constants(&self) -> Constants {
        Constants {
            sizes: vec![self.nx, self.ny],
            indices: vec![self.receivers.clone()],
            floats: vec![self.damping.clone(), self.wavelet.clone(), self.observed.clone()],
        }
    }

    fn operations(&self) -> f64 {
        (50 * self.nx * self.ny * self.wavelet.len()) as f64
    }
}
