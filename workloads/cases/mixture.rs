//! The Gaussian mixture.

use super::shapes::{Shape, Slice};
use super::{Constants, Workload};
use crate::data::{self, mixture::Problem};
use crate::gmm::gmm;

/// ADBench's objective of a mixture problem.
pub struct Mixture {
    problem: Problem,
    substitute: bool,
}

impl Mixture {
    /// `1k/gmm_d10_K25` is ADBench's file of this name, or made up with its sizes; `d32_K25_n10000` is made up.
    pub(super) fn load(case: &str) -> Option<Mixture> {
        let published = case.contains("gmm_");
        let file = data::directory().map(|path| path.join(format!("adbench/gmm/{case}.txt")));
        if published && let Some(problem) = file.and_then(|path| Problem::read(&path).ok()) {
            return Some(Mixture { problem, substitute: false });
        }
        let size = |key: char| {
            case.split(['_', '/'])
                .filter_map(|part| part.strip_prefix(key)?.parse::<usize>().ok())
                .next_back()
        };
        let n = size('n').or(match case.split_once('/').map_or("", |(folder, _)| folder) {
            "1k" => Some(1000),
            "10k" => Some(10_000),
            _ => None,
        });
        let problem = Problem::generated(size('d')?, size('K')?, n?);
        Some(Mixture { problem, substitute: published })
    }
}

impl Workload for Mixture {
    fn parameters(&self) -> Vec<f64> {
        [self.problem.alphas.as_slice(), &self.problem.means, &self.problem.icf].concat()
    }

    super::entry_points! {
        self: gmm(
            alphas: Slice = self.problem.alphas.len(),
            means: Slice = self.problem.means.len(),
            icf: Slice = self.problem.icf.len();
            &self.problem.x, self.problem.d, self.problem.k, self.problem.n, self.problem.gamma, self.problem.m, 1.0,
            self.problem.constant
        )
    }

    fn constants(&self) -> Constants {
        let Problem { d, k, n, x, gamma, m, constant, .. } = &self.problem;
        Constants {
            sizes: vec![*d, *k, *n],
            indices: vec![],
            floats: vec![x.clone(), vec![*gamma, *m, *constant]],
        }
    }

    fn operations(&self) -> f64 {
        let Problem { d, k, n, .. } = self.problem;
        (n * k * (3 * d * d + 10 * d)) as f64
    }

    fn is_substitute(&self) -> bool {
        self.substitute
    }
}
