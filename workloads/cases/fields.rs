//! Fields on a grid that move in time: a fluid past a porous body, waves from a source to receivers, a gas in elements.

use super::shapes::{Matrices, Shape, Slice};
use super::{Constants, Workload, numbers};
use crate::acoustic_wave::acoustic_wave;
use crate::by_hand;
use crate::data::Lcg;
use crate::dg_volume::dg_volume;
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

/// A gas in elements of 125 points.
pub(super) struct Gas {
    n: usize,
    mass: Vec<[f64; 125]>,
    derivative: [[f64; 5]; 5],
    parameters: Vec<f64>,
}

impl Gas {
    /// `40` is a mesh of 40 elements: near a gas at rest, on a mesh near the regular one.
    pub(super) fn load(case: &str) -> Option<Gas> {
        let [n] = numbers(case)?;
        let mut random = Lcg(61);
        let mut around = |values: &[f64]| -> Vec<f64> {
            let mut all = random.floats(n * values.len() * 125, -0.2, 0.2);
            for (k, value) in all.iter_mut().enumerate() {
                *value += values[k / 125 % values.len()];
            }
            all
        };
        let mut parameters = around(&[1.0, 0.0, 0.0, 0.0, 2.5]);
        parameters.extend(around(&[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]));
        let mass = random.floats(n * 125, 0.5, 1.5).as_chunks().0.to_vec();
        // of Lagrange's polynomials at Lobatto's points, by the barycentric weights; each row sums to zero
        let inner = (3.0f64 / 7.0).sqrt();
        let x = [-1.0, -inner, 0.0, inner, 1.0];
        let weight = x.map(|at| 1.0 / x.iter().filter(|it| **it != at).map(|it| at - it).product::<f64>());
        let derivative = std::array::from_fn(|i| {
            let off = |n: usize| if n == i { 0.0 } else { weight[n] / weight[i] / (x[i] - x[n]) };
            std::array::from_fn(|n| if n == i { -(0..5).map(off).sum::<f64>() } else { off(n) })
        });
        Some(Gas { n, mass, derivative, parameters })
    }
}

impl Workload for Gas {
    fn parameters(&self) -> Vec<f64> {
        self.parameters.clone()
    }

    super::entry_points! {
        self: dg_volume(
            state: Matrices<5, 125> = 625 * self.n, metric: Matrices<9, 125> = 1125 * self.n;
            &self.mass, &self.derivative
        )
    }

    fn constants(&self) -> Constants {
        let floats = vec![self.mass.concat(), self.derivative.concat()];
        Constants { sizes: vec![self.n], indices: vec![], floats }
    }

    fn operations(&self) -> f64 {
        (125 * 700 * self.n) as f64
    }

    fn by_hand(&self, p: &[f64], g: &mut [f64]) -> Option<f64> {
        let (state, metric) = p.split_at(625 * self.n);
        let (d_state, d_metric) = g.split_at_mut(625 * self.n);
        let (state, d_state) =
            (state.as_chunks().0.as_chunks().0, d_state.as_chunks_mut().0.as_chunks_mut().0);
        let (metric, d_metric) =
            (metric.as_chunks().0.as_chunks().0, d_metric.as_chunks_mut().0.as_chunks_mut().0);
        Some(by_hand::dg_volume(state, d_state, metric, d_metric, &self.mass, &self.derivative))
    }
}
