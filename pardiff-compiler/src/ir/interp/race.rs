//! The race mode: what the iterations of a parallel loop must not do to each other.
//!
//! Task loops and `Fork`s are run in a shuffled order, and of each element of each buffer that lives around a parallel
//! loop it is recorded which iteration touched it and how. Two iterations may read one element, and two lanes may
//! update it by one operation; all else is a conflict. What lives inside the loop is new in each iteration, and a read
//! of what was not written there is a fault in every mode. So a run without a fault computes, bit for bit, what the
//! iterations compute in any order, and side by side: lanes alone are summed in a fixed order, which the run keeps.

use super::fault::{Fault, FaultKind};
use super::machine::Machine;
use super::{Array, Number};
use crate::ir::{BufferId, Exec, For, Layout, Level, Program, ReduceOp};
use std::cell::RefCell;
use std::collections::HashMap;

/// How an element is touched.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Touch {
    Read,
    Write,
    Update(ReduceOp),
    /// An update with a scheme by which threads of a GPU may meet.
    Summed(ReduceOp),
}

/// What is recorded of a run.
#[derive(Debug)]
pub(super) struct Races {
    /// The parallel loops that are running, outermost first.
    running: RefCell<Vec<Running>>,
    random: u64,
}

/// A parallel loop that is running.
#[derive(Debug)]
struct Running {
    /// The iterator's name.
    name: String,
    /// The iteration that is running.
    iteration: i128,
    /// Whether updates by one operation may meet.
    lanes: bool,
    grid: bool,
    /// The buffers that live around the loop.
    around: Vec<bool>,
    touched: HashMap<(BufferId, usize), Touched>,
}

/// Who touched an element.
#[derive(Debug)]
struct Touched {
    /// An iteration.
    first: i128,
    /// Another one, where there is one.
    second: Option<i128>,
    /// What all of them did; a write where that is more than one thing.
    how: Touch,
}

impl Races {
    pub(super) fn new(seed: u64) -> Races {
        Races { running: RefCell::default(), random: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1 }
    }

    /// The numbers `0..count` in some order.
    fn shuffled(&mut self, count: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..count).collect();
        for k in (1..count).rev() {
            // xorshift64
            self.random ^= self.random << 13;
            self.random ^= self.random >> 7;
            self.random ^= self.random << 17;
            order.swap(k, (self.random % (k as u64 + 1)) as usize);
        }
        order
    }

    /// Records a touch; the name of the loop and the other iteration, if the two must not both touch the element.
    fn record(&self, id: BufferId, position: usize, how: Touch) -> Option<(String, i128, i128)> {
        for running in self.running.borrow_mut().iter_mut() {
            if !running.around.get(id.0 as usize).copied().unwrap_or(false) {
                continue;
            }
            let this = running.iteration;
            let touched =
                running.touched.entry((id, position)).or_insert(Touched { first: this, second: None, how });
            let other =
                [Some(touched.first), touched.second].into_iter().flatten().find(|&other| other != this);
            let together = match (touched.how, how) {
                (Touch::Read, Touch::Read) => true,
                (Touch::Summed(a), Touch::Summed(b)) => (running.lanes || running.grid) && a == b,
                (Touch::Update(a) | Touch::Summed(a), Touch::Update(b) | Touch::Summed(b)) => {
                    running.lanes && a == b
                }
                _ => false,
            };
            match other {
                Some(other) if !together => return Some((running.name.clone(), other, this)),
                _ => {}
            }
            if touched.first != this {
                touched.second = Some(this);
            }
            if touched.how != how {
                touched.how = Touch::Write;
            }
        }
        None
    }
}

/// A loop whose iterations are run side by side.
pub(super) struct Parallel {
    /// What the iterations are called.
    pub(super) name: String,
    /// Whether they are lanes.
    pub(super) lanes: bool,
    /// Whether they are threads of a GPU.
    pub(super) grid: bool,
}

impl Parallel {
    /// Of a loop; `None` where its iterations are executed one after the other.
    pub(super) fn of(for_: &For, program: &Program) -> Option<Parallel> {
        let lanes = match for_.exec {
            Exec::Parallel(_) => false,
            Exec::Lanes { .. } => true,
            Exec::Undecided | Exec::Sequential => return None,
        };
        let name = program.iters.get(for_.iter.0 as usize).map_or("?", |iter| &iter.name);
        let grid = matches!(for_.exec, Exec::Parallel(Level::Grid | Level::Block));
        Some(Parallel { name: name.to_owned(), lanes, grid })
    }
}

impl<N: Number> Machine<'_, N> {
    /// Runs `count` iterations side by side, as far as that can be told from running them one after the other;
    /// `value` is what the `k`th one is called. Only in race mode.
    pub(super) fn side_by_side(
        &mut self,
        parallel: Parallel,
        count: usize,
        value: impl Fn(usize) -> i128,
        mut iteration: impl FnMut(&mut Self, usize) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        let around = self.buffers.iter().map(Option::is_some).collect();
        let Some(races) = self.races.as_mut() else { return Ok(()) };
        let order = if parallel.lanes { (0..count).collect() } else { races.shuffled(count) };
        let touched = HashMap::new();
        let Parallel { name, lanes, grid } = parallel;
        races.running.get_mut().push(Running { name, iteration: 0, lanes, grid, around, touched });
        let depth = races.running.get_mut().len();
        let mut result = Ok(());
        for k in order {
            if let Some(races) = &mut self.races
                && let Some(running) = races.running.get_mut().get_mut(depth - 1)
            {
                running.iteration = value(k);
            }
            result = iteration(self, k);
            if result.is_err() {
                break;
            }
        }
        if let Some(races) = &mut self.races {
            races.running.get_mut().truncate(depth - 1);
        }
        result
    }

    /// Records that an element is touched, which is a fault where another iteration of a parallel loop touches it.
    pub(super) fn touch(&self, id: BufferId, position: usize, how: Touch) -> Result<(), Fault> {
        let Some(races) = &self.races else { return Ok(()) };
        let Some((name, first, second)) = races.record(id, position, how) else { return Ok(()) };
        let layout = &self.program[id].layout;
        let index = self.array(id).map(|array| index_of(array, layout, position)).unwrap_or_default();
        let buffer = &self.program[id].name;
        let message = format!(
            "`{buffer}{index}` is touched by the iterations {first} and {second} of `{name}`, at last by a {how:?}"
        );
        Err(Fault::new(FaultKind::Race, message))
    }

    /// [`touch`](Self::touch) of every element, by a write.
    pub(super) fn touch_all(&self, id: BufferId) -> Result<(), Fault> {
        (0..self.array(id)?.data.len()).try_for_each(|position| self.touch(id, position, Touch::Write))
    }
}

/// The index of a position, where rows are contiguous; the position itself for other layouts, for scalars nothing.
fn index_of<N>(array: &Array<N>, layout: &Layout, position: usize) -> String {
    let Some((_, outer)) = array.dims.split_last() else { return String::new() };
    if !matches!(layout, Layout::RowMajor | Layout::Padded(_)) {
        return format!(" at position {position}");
    }
    // as long as the padding makes it
    let row = array.data.len() / outer.iter().product::<usize>().max(1);
    let mut index = vec![position % row.max(1)];
    let mut rest = position / row.max(1);
    for &dim in outer.iter().rev() {
        index.insert(0, rest % dim.max(1));
        rest /= dim.max(1);
    }
    format!("{index:?}")
}
