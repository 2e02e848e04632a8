//! Penguins of three species by four measurements, as a mixture to fit. The species are not shown to the fit.

use crate::uniform;
use pardiff_inputs::mixture::Problem;

const TABLE: &str = include_str!("../data/penguins.csv");
const COMPONENTS: usize = 3;
const STARTS: usize = 6;

/// The measurements, standardised, and the species of each penguin.
pub struct Penguins {
    /// The mixture: equal weights, unit covariances, means at the first penguins.
    pub problem: Problem,
    /// Species, one for each point.
    pub species: Vec<&'static str>,
}

impl Penguins {
    /// Reads the table that is part of this program.
    pub fn new() -> Penguins {
        let rows: Vec<Vec<&str>> = TABLE.lines().skip(1).map(|line| line.split(',').collect()).collect();
        let species = rows.iter().map(|row| row[row.len() - 1]).collect();
        let d = rows[0].len() - 1;
        let number = |text: &str| text.parse::<f64>().expect("the table holds numbers");
        let mut x: Vec<f64> = rows.iter().flat_map(|row| row[..d].iter().map(|text| number(text))).collect();
        standardise(&mut x, d);
        let n = rows.len();
        let icf = vec![0.0; COMPONENTS * (d * (d + 1) / 2)];
        let sizes = Problem::generated(d, COMPONENTS, n);
        let alphas = vec![0.0; COMPONENTS];
        let means = x[..COMPONENTS * d].to_vec();
        Penguins { problem: Problem { alphas, means, icf, x, ..sizes }, species }
    }

    /// Parameters to begin fits at: the means are penguins that are drawn at random. A mixture has several local
    /// maxima, so that one start is not enough.
    pub fn starts(&self) -> Vec<Vec<f64>> {
        let Problem { d, n, alphas, icf, x, .. } = &self.problem;
        let mut state = 1;
        let mut start = || {
            let rows: Vec<usize> = (0..COMPONENTS).map(|_| drawn(&mut state, *n)).collect();
            let means = rows.iter().flat_map(|row| x[row * d..][..*d].iter().copied());
            alphas.iter().copied().chain(means).chain(icf.iter().copied()).collect()
        };
        (0..STARTS).map(|_| start()).collect()
    }
}

/// A row of `n`, at random.
fn drawn(state: &mut u64, n: usize) -> usize {
    (0.5 * (uniform(state) + 1.0) * n as f64) as usize
}

/// Each column gets mean zero and variance one.
fn standardise(x: &mut [f64], d: usize) {
    let n = (x.len() / d) as f64;
    for j in 0..d {
        let mean = x.iter().skip(j).step_by(d).sum::<f64>() / n;
        let variance = x.iter().skip(j).step_by(d).map(|v| (v - mean).powi(2)).sum::<f64>() / n;
        x.iter_mut().skip(j).step_by(d).for_each(|v| *v = (*v - mean) / variance.sqrt());
    }
}

/// How many points are in the component that holds most of their species, where each species has one of its own.
pub fn in_the_component_of_their_species(clusters: &[usize], species: &[&str]) -> usize {
    let mut names: Vec<&str> = species.to_vec();
    names.sort_unstable();
    names.dedup();
    let count = |name: &str, cluster: usize| {
        clusters.iter().zip(species).filter(|(c, s)| **c == cluster && **s == name).count()
    };
    // all assignments of components to species
    let mut best = 0;
    for a in 0..COMPONENTS {
        for b in (0..COMPONENTS).filter(|b| *b != a) {
            let c = COMPONENTS - a - b;
            best = best.max(count(names[0], a) + count(names[1], b) + count(names[2], c));
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::{Penguins, in_the_component_of_their_species};

    #[test]
    fn the_table_is_whole_and_standardised() {
        let Penguins { problem, species } = Penguins::new();
        assert_eq!((problem.d, problem.k, problem.n, species.len()), (4, 3, 342, 342));
        for j in 0..4 {
            let column = || problem.x.iter().skip(j).step_by(4);
            let (sum, square) = (column().sum::<f64>(), column().map(|v| v * v).sum::<f64>());
            assert!(sum.abs() < 1e-9 && (square - 342.0).abs() < 1e-9, "column {j}: {sum}, {square}");
        }
    }

    #[test]
    fn starts_differ_and_are_whole() {
        let penguins = Penguins::new();
        let starts = penguins.starts();
        assert!(starts.iter().all(|start| start.len() == 3 + 3 * 4 + 3 * 10));
        assert!(starts.windows(2).all(|pair| pair[0] != pair[1]));
    }

    #[test]
    fn components_are_matched_to_species() {
        let species = ["a", "a", "b", "b", "c"];
        assert_eq!(in_the_component_of_their_species(&[2, 2, 0, 0, 1], &species), 5);
        assert_eq!(in_the_component_of_their_species(&[2, 2, 0, 2, 2], &species), 3);
    }
}
