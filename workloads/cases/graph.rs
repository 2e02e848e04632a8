//! Rows behind an index: sparse products, attention over neighbours.

use super::shapes::{Number, Shape, Slice};
use super::{Constants, Workload, numbers};
use crate::by_hand;
use crate::csr_regression::csr_regression;
use crate::data::Lcg;
use crate::gat::gat;
use crate::row_softmax::row_softmax;
use crate::spmv::spmv;

/// A sparse matrix times a vector.
pub(super) struct Sparse {
    n: usize,
    row_start: Vec<u32>,
    columns: Vec<u32>,
    parameters: Vec<f64>,
}

impl Sparse {
    pub(super) fn load(case: &str) -> Option<Sparse> {
        let [n] = numbers(case)?;
        let mut random = Lcg(2002);
        let row_start = random.row_starts(n);
        let entries = row_start[n] as usize;
        let columns = random.indices(entries, n);
        let mut parameters = random.floats(entries, -1.0, 1.0);
        parameters.extend(random.floats(n, -1.0, 1.0));
        Some(Sparse { n, row_start, columns, parameters })
    }
}

impl Workload for Sparse {
    fn parameters(&self) -> Vec<f64> {
        self.parameters.clone()
    }

    super::entry_points! {
        self: spmv(
            values: Slice = self.columns.len(), x: Slice = self.n; &self.row_start, &self.columns, self.n
        )
    }

    fn constants(&self) -> Constants {
        Constants {
            sizes: vec![self.n],
            indices: vec![self.row_start.clone(), self.columns.clone()],
            floats: vec![],
        }
    }

    fn operations(&self) -> f64 {
        (6 * self.columns.len()) as f64
    }
}

/// Graph attention.
pub(super) struct Attention {
    nodes: usize,
    row_start: Vec<u32>,
    neighbours: Vec<u32>,
    d_y: Vec<f64>,
    parameters: Vec<f64>,
}

const FEATURES: usize = 32;

impl Attention {
    pub(super) fn load(case: &str) -> Option<Attention> {
        let [nodes] = numbers(case)?;
        let mut random = Lcg(6006);
        let row_start = random.row_starts(nodes);
        let neighbours = random.indices(row_start[nodes] as usize, nodes);
        let scale = 1.0 / (FEATURES as f64).sqrt();
        let mut parameters = random.floats(nodes * FEATURES, -1.0, 1.0);
        parameters.extend(random.floats(FEATURES * FEATURES, -scale, scale));
        parameters.extend(random.floats(2 * FEATURES, -1.0, 1.0));
        let d_y = random.floats(nodes * FEATURES, -1.0, 1.0);
        Some(Attention { nodes, row_start, neighbours, d_y, parameters })
    }
}

impl Workload for Attention {
    fn parameters(&self) -> Vec<f64> {
        self.parameters.clone()
    }

    super::entry_points! {
        self: gat(
            x: Slice = self.nodes * FEATURES, w: Slice = FEATURES * FEATURES,
            a1: Slice = FEATURES, a2: Slice = FEATURES;
            &self.d_y, &self.row_start, &self.neighbours, self.nodes
        )
    }

    fn constants(&self) -> Constants {
        Constants {
            sizes: vec![self.nodes],
            indices: vec![self.row_start.clone(), self.neighbours.clone()],
            floats: vec![self.d_y.clone()],
        }
    }

    fn operations(&self) -> f64 {
        (6 * self.nodes * FEATURES * FEATURES + 6 * self.neighbours.len() * FEATURES) as f64
    }
}

/// A softmax over the entries of each row.
pub(super) struct RowSoftmax {
    n: usize,
    row_start: Vec<usize>,
    columns: Vec<usize>,
    payoff: Vec<f64>,
    parameters: Vec<f64>,
}

impl RowSoftmax {
    pub(super) fn load(case: &str) -> Option<RowSoftmax> {
        let [n] = numbers(case)?;
        let mut random = Lcg(8008);
        let mut row_start: Vec<usize> = random.row_starts(n).iter().map(|&s| s as usize).collect();
        // some rows are empty
        for i in (5..n).step_by(50) {
            row_start[i] = row_start[i + 1];
        }
        let entries = row_start[n];
        let columns = random.indices(entries, n).iter().map(|&c| c as usize).collect();
        let payoff = random.floats(entries, -1.0, 1.0);
        let mut parameters = random.floats(entries, -2.0, 2.0);
        parameters.extend(random.floats(n, -2.0, 2.0));
        Some(RowSoftmax { n, row_start, columns, payoff, parameters })
    }
}

impl Workload for RowSoftmax {
    fn parameters(&self) -> Vec<f64> {
        self.parameters.clone()
    }

    super::entry_points! {
        self: row_softmax(
            values: Slice = self.columns.len(), x: Slice = self.n; &self.payoff, &self.row_start, &self.columns
        )
    }

    fn constants(&self) -> Constants {
        let narrow = |x: &[usize]| x.iter().flat_map(|&i| [i as u32, 0]).collect();
        Constants {
            sizes: vec![self.n],
            indices: vec![narrow(&self.row_start), narrow(&self.columns)],
            floats: vec![self.payoff.clone()],
        }
    }

    fn operations(&self) -> f64 {
        (40 * self.columns.len()) as f64
    }

    fn by_hand(&self, p: &[f64], g: &mut [f64]) -> Option<f64> {
        let (values, x) = p.split_at(self.columns.len());
        let (d_values, d_x) = g.split_at_mut(self.columns.len());
        let data = by_hand::Rows { payoff: &self.payoff, row_start: &self.row_start, columns: &self.columns };
        Some(by_hand::row_softmax(values, d_values, x, d_x, &data))
    }
}

/// Classification of examples with few features each.
pub(super) struct Regression {
    start: Vec<u32>,
    column: Vec<u32>,
    value: Vec<f64>,
    label: Vec<f64>,
    parameters: Vec<f64>,
}

const RIDGE: f64 = 0.01;

impl Regression {
    /// `1000x50` is 1000 examples and 50 features.
    pub(super) fn load(case: &str) -> Option<Regression> {
        let [n, features] = numbers(case)?;
        let mut random = Lcg(27);
        let start = random.row_starts(n);
        let column = random.indices(start[n] as usize, features);
        let value = random.floats(column.len(), -1.0, 1.0);
        let label = random.indices(n, 2).into_iter().map(|k| if k == 0 { -1.0 } else { 1.0 }).collect();
        let mut parameters = random.floats(features, -1.0, 1.0);
        parameters.push(0.1);
        Some(Regression { start, column, value, label, parameters })
    }
}

impl Workload for Regression {
    fn parameters(&self) -> Vec<f64> {
        self.parameters.clone()
    }

    super::entry_points! {
        self: csr_regression(
            weight: Slice = self.parameters.len() - 1, bias: Number = 1;
            &self.start, &self.column, &self.value, &self.label, RIDGE
        )
    }

    fn constants(&self) -> Constants {
        Constants {
            sizes: vec![],
            indices: vec![self.start.clone(), self.column.clone()],
            floats: vec![self.value.clone(), self.label.clone()],
        }
    }

    fn operations(&self) -> f64 {
        (4 * self.column.len() + 40 * self.label.len()) as f64
    }
}
