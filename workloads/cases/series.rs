//! Series in time: warping, filtering, simulated prices.

use super::shapes::{Matrix, Number, Shape, Slice};
use super::{Constants, Workload, numbers};
use crate::asian_option::asian_option;
use crate::data::Lcg;
use crate::kalman::kalman;
use crate::soft_dtw::soft_dtw;

/// A prototype and series.
pub(super) struct Warping {
    count: usize,
    n: usize,
    m: usize,
    d: usize,
    parameters: Vec<f64>,
}

impl Warping {
    /// `5x20x30x2` is 5 series of 20 rows and a prototype of 30, in 2 dimensions.
    pub(super) fn load(case: &str) -> Option<Warping> {
        let [count, n, m, d] = numbers(case)?;
        let parameters = Lcg(24).floats(m * d + count * n * d, -1.0, 1.0);
        Some(Warping { count, n, m, d, parameters })
    }
}

impl Workload for Warping {
    fn parameters(&self) -> Vec<f64> {
        self.parameters.clone()
    }

    super::entry_points! {
        self: soft_dtw(
            prototype: Slice = self.m * self.d, series: Slice = self.count * self.n * self.d;
            self.count, self.n, self.m, self.d, 0.1
        )
    }

    fn constants(&self) -> Constants {
        Constants { sizes: vec![self.count, self.n, self.m, self.d], ..Constants::default() }
    }

    fn operations(&self) -> f64 {
        (self.count * self.n * self.m * (6 * self.d + 80)) as f64
    }
}

/// Tracks of things that move.
pub(super) struct Tracks {
    steps: usize,
    measured: Vec<[f64; 2]>,
    parameters: Vec<f64>,
}

impl Tracks {
    /// `5x20` is 5 tracks of 20 measurements.
    pub(super) fn load(case: &str) -> Option<Tracks> {
        let [tracks, steps] = numbers(case)?;
        let mut random = Lcg(25);
        // steady motion, everything a little off
        let mut parameters = random.floats(44, -0.02, 0.02);
        let (transition, rest) = parameters.split_at_mut(16);
        let (process, rest) = rest.split_at_mut(16);
        let (observation, noise) = rest.split_at_mut(8);
        for i in 0..4 {
            transition[5 * i] += 1.0;
            process[5 * i] += 0.1;
        }
        for i in 0..2 {
            transition[5 * i + 2] += 0.1;
            observation[5 * i] += 1.0;
            noise[3 * i] += 0.2;
        }
        let measured = random.floats(2 * tracks * steps, -1.0, 1.0).as_chunks().0.to_vec();
        Some(Tracks { steps, measured, parameters })
    }
}

impl Workload for Tracks {
    fn parameters(&self) -> Vec<f64> {
        self.parameters.clone()
    }

    super::entry_points! {
        self: kalman(
            transition: Matrix<4, 4> = 16, process: Matrix<4, 4> = 16,
            observation: Matrix<2, 4> = 8, noise: Matrix<2, 2> = 4;
            &self.measured, self.steps
        )
    }

    fn constants(&self) -> Constants {
        Constants { sizes: vec![self.steps], floats: vec![self.measured.concat()], ..Constants::default() }
    }

    fn operations(&self) -> f64 {
        (1500 * self.measured.len()) as f64
    }
}

/// Simulated prices.
pub(super) struct Paths {
    paths: usize,
    parameters: Vec<f64>,
}

const STRIKE: f64 = 100.0;
const SEED: u32 = 7;

impl Paths {
    /// `1000x12` is 1000 paths of 12 steps.
    pub(super) fn load(case: &str) -> Option<Paths> {
        let [paths, steps] = numbers(case)?;
        let mut parameters = vec![100.0, 0.03];
        parameters.extend(Lcg(26).floats(steps, 0.1, 0.4));
        Some(Paths { paths, parameters })
    }

    fn step(&self) -> f64 {
        1.0 / (self.parameters.len() - 2) as f64
    }
}

impl Workload for Paths {
    fn parameters(&self) -> Vec<f64> {
        self.parameters.clone()
    }

    super::entry_points! {
        self: asian_option(
            spot: Number = 1, rate: Number = 1, volatility: Slice = self.parameters.len() - 2;
            STRIKE, self.step(), self.paths, SEED
        )
    }

    fn constants(&self) -> Constants {
        Constants { sizes: vec![self.paths], ..Constants::default() }
    }

    fn operations(&self) -> f64 {
        (150 * self.paths * (self.parameters.len() - 2)) as f64
    }
}
