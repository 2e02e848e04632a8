//! Sequences: attention over a band, LSTM.

use super::shapes::{Shape, Slice};
use super::{Constants, Workload, numbers};
use crate::attn::attn;
use crate::data::adbench::{Sequence, find};
use crate::data::{Lcg, directory};
use crate::lstm::lstm;

/// Attention over a band.
pub(super) struct Attention {
    heads: usize,
    n: usize,
    d: usize,
    d_y: Vec<f64>,
    parameters: Vec<f64>,
}

impl Attention {
    pub(super) fn load(case: &str) -> Option<Attention> {
        let [heads, n, d] = numbers(case)?;
        let mut random = Lcg(5005);
        let parameters = random.floats(3 * heads * n * d, -1.0, 1.0);
        let d_y = random.floats(heads * n * d, -1.0, 1.0);
        Some(Attention { heads, n, d, d_y, parameters })
    }

    fn len(&self) -> usize {
        self.heads * self.n * self.d
    }
}

impl Workload for Attention {
    fn parameters(&self) -> Vec<f64> {
        self.parameters.clone()
    }

    super::entry_points! {
        self: attn(
            q: Slice = self.len(), k: Slice = self.len(), v: Slice = self.len(); &self.d_y, self.heads, self.n, self.d
        )
    }

    fn constants(&self) -> Constants {
        Constants { sizes: vec![self.heads, self.n, self.d], indices: vec![], floats: vec![self.d_y.clone()] }
    }

    fn operations(&self) -> f64 {
        (10 * 65 * self.len()) as f64
    }
}

/// ADBench's LSTM.
pub(super) struct Lstm {
    sequence: Sequence,
    substitute: bool,
}

impl Lstm {
    /// `lstm_l2_c1024` is ADBench's file, or made up with its sizes; `l2_c20` is made up.
    pub(super) fn load(case: &str) -> Option<Lstm> {
        let published = case.starts_with("lstm_");
        let file = directory().and_then(|path| find(&path.join("adbench/lstm"), case));
        if published && let Some(sequence) = file.and_then(|path| Sequence::read(&path)) {
            return Some(Lstm { sequence, substitute: false });
        }
        let size = |key: char| case.split('_').find_map(|part| part.strip_prefix(key)?.parse::<usize>().ok());
        Some(Lstm { sequence: Sequence::generated(size('l')?, size('c')?, 14), substitute: published })
    }
}

impl Workload for Lstm {
    fn parameters(&self) -> Vec<f64> {
        [self.sequence.main.as_slice(), &self.sequence.extra].concat()
    }

    super::entry_points! {
        self: lstm(
            main: Slice = self.sequence.main.len(), extra: Slice = self.sequence.extra.len();
            &self.sequence.state, &self.sequence.sequence, self.sequence.layers, self.sequence.steps, self.sequence.b
        )
    }

    fn constants(&self) -> Constants {
        let Sequence { layers, steps, b, state, sequence, .. } = &self.sequence;
        Constants {
            sizes: vec![*layers, steps + 1, *b],
            indices: vec![],
            floats: vec![state.clone(), sequence.clone()],
        }
    }

    fn operations(&self) -> f64 {
        (150 * self.sequence.layers * self.sequence.steps * self.sequence.b) as f64
    }

    fn is_substitute(&self) -> bool {
        self.substitute
    }
}
