//! Series in time: warping, filtering, simulated prices.

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
            prototype d_prototype: self.m * self.d, series d_series: self.count * self.n * self.d;
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

/// The parameters of a filter.
struct Filter<'a> {
    transition: &'a [[f64; 4]; 4],
    process: &'a [[f64; 4]; 4],
    observation: &'a [[f64; 4]; 2],
    noise: &'a [[f64; 2]; 2],
}

impl Filter<'_> {
    fn of(p: &[f64]) -> Filter<'_> {
        let rows = p[..40].as_chunks::<4>().0;
        let [transition, process] = &rows.as_chunks::<4>().0[..2] else { unreachable!("16 rows") };
        let observation = &rows[8..].as_chunks::<2>().0[0];
        Filter { transition, process, observation, noise: &p[40..].as_chunks::<2>().0.as_chunks().0[0] }
    }
}

/// The adjoints of the parameters of a filter.
struct FilterAdjoint<'a> {
    transition: &'a mut [[f64; 4]; 4],
    process: &'a mut [[f64; 4]; 4],
    observation: &'a mut [[f64; 4]; 2],
    noise: &'a mut [[f64; 2]; 2],
}

impl FilterAdjoint<'_> {
    fn of(g: &mut [f64]) -> FilterAdjoint<'_> {
        let (rows, noise) = g.split_at_mut(40);
        let (square, observation) = rows.as_chunks_mut::<4>().0.split_at_mut(8);
        let [transition, process] = square.as_chunks_mut::<4>().0 else { unreachable!("8 rows") };
        let observation = &mut observation.as_chunks_mut().0[0];
        let noise = &mut noise.as_chunks_mut::<2>().0.as_chunks_mut().0[0];
        FilterAdjoint { transition, process, observation, noise }
    }
}

impl Workload for Tracks {
    fn parameters(&self) -> Vec<f64> {
        self.parameters.clone()
    }

    fn primal(&self, p: &[f64]) -> f64 {
        let f = Filter::of(p);
        kalman(f.transition, f.process, f.observation, f.noise, &self.measured, self.steps)
    }

    fn value(&self, p: &[f64]) -> f64 {
        let f = Filter::of(p);
        kalman::value(f.transition, f.process, f.observation, f.noise, &self.measured, self.steps)
    }

    fn grad(&self, p: &[f64], g: &mut [f64]) -> f64 {
        let (f, d) = (Filter::of(p), FilterAdjoint::of(g));
        kalman::grad(
            f.transition,
            d.transition,
            f.process,
            d.process,
            f.observation,
            d.observation,
            f.noise,
            d.noise,
            &self.measured,
            self.steps,
        )
    }

    fn grad_into(&self, p: &[f64], g: &mut [f64]) -> f64 {
        let (f, d) = (Filter::of(p), FilterAdjoint::of(g));
        kalman::grad_into(
            f.transition,
            d.transition,
            f.process,
            d.process,
            f.observation,
            d.observation,
            f.noise,
            d.noise,
            &self.measured,
            self.steps,
        )
    }

    fn plan(&self) -> &'static str {
        kalman::DECISIONS
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

    fn primal(&self, p: &[f64]) -> f64 {
        asian_option(p[0], p[1], &p[2..], STRIKE, self.step(), self.paths, SEED)
    }

    fn value(&self, p: &[f64]) -> f64 {
        asian_option::value(p[0], p[1], &p[2..], STRIKE, self.step(), self.paths, SEED)
    }

    fn grad(&self, p: &[f64], g: &mut [f64]) -> f64 {
        let ([d_spot, d_rate], d_volatility) = g.split_first_chunk_mut().expect("spot and rate");
        let volatility = &p[2..];
        asian_option::grad(
            p[0],
            d_spot,
            p[1],
            d_rate,
            volatility,
            d_volatility,
            STRIKE,
            self.step(),
            self.paths,
            SEED,
        )
    }

    fn grad_into(&self, p: &[f64], g: &mut [f64]) -> f64 {
        let ([d_spot, d_rate], d_volatility) = g.split_first_chunk_mut().expect("spot and rate");
        let volatility = &p[2..];
        asian_option::grad_into(
            p[0],
            d_spot,
            p[1],
            d_rate,
            volatility,
            d_volatility,
            STRIKE,
            self.step(),
            self.paths,
            SEED,
        )
    }

    fn plan(&self) -> &'static str {
        asian_option::DECISIONS
    }

    fn constants(&self) -> Constants {
        Constants { sizes: vec![self.paths], ..Constants::default() }
    }

    fn operations(&self) -> f64 {
        (150 * self.paths * (self.parameters.len() - 2)) as f64
    }
}
