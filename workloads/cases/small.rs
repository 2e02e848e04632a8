//! Many small systems.

use super::shapes::{Matrices, Rows, Shape};
use super::{Constants, Workload, numbers};
use crate::batched_solve::batched_solve;
use crate::by_hand;
use crate::data::Lcg;

/// Systems of three equations.
pub(super) struct Solve {
    n: usize,
    target: Vec<[f64; 3]>,
    parameters: Vec<f64>,
}

impl Solve {
    pub(super) fn load(case: &str) -> Option<Solve> {
        let [n] = numbers(case)?;
        let mut random = Lcg(9009);
        let mut parameters = random.floats(9 * n, -1.0, 1.0);
        // diagonals large enough to need no pivots
        for matrix in parameters.as_chunks_mut::<9>().0 {
            for i in 0..3 {
                matrix[4 * i] += 4.0;
            }
        }
        parameters.extend(random.floats(3 * n, -1.0, 1.0));
        let target = random.floats(3 * n, -1.0, 1.0).as_chunks().0.to_vec();
        Some(Solve { n, target, parameters })
    }
}

impl Workload for Solve {
    fn parameters(&self) -> Vec<f64> {
        self.parameters.clone()
    }

    super::entry_points! {
        self: batched_solve(
            a: Matrices<3, 3> = 9 * self.n, b: Rows<3> = 3 * self.n; &self.target
        )
    }

    fn constants(&self) -> Constants {
        Constants { sizes: vec![self.n], indices: vec![], floats: vec![self.target.concat()] }
    }

    fn operations(&self) -> f64 {
        (110 * self.n) as f64
    }

    fn by_hand(&self, p: &[f64], g: &mut [f64]) -> Option<f64> {
        let (a, b) = p.split_at(9 * self.n);
        let (d_a, d_b) = g.split_at_mut(9 * self.n);
        let (a, d_a) = (a.as_chunks().0.as_chunks().0, d_a.as_chunks_mut().0.as_chunks_mut().0);
        Some(by_hand::batched_solve(a, d_a, b.as_chunks().0, d_b.as_chunks_mut().0, &self.target))
    }
}
