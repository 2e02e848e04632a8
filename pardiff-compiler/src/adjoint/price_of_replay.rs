//! Whether a loop that could run its iterations forward again had better store what they compute.
//!
//! ```text
//! for i { for j { scope a { for k { a += w[j, k] * x[i, k] }; y[i] += f(a) } } }
//! ```
//!
//! *Comes in*: the code of a loop that would be replayed: its iterations forward and backward. *Goes out*: whether to
//! store. The choice between storing and recomputing is that of Griewank and Walther (*Evaluating Derivatives*, 2008,
//! chapter 12). A number that is stored is written, and read again from memory; one that is not costs its share of the
//! work of the forward iterations, here of the loop over `k`. A loop is stored if that share is large, and if its tapes
//! have no more dimensions of unknown size than an array that it reads or writes. *Legality*: both ways are exact; only
//! time and memory differ.

use super::reverse_stmt::Sweep;
use crate::ir::{Block, BufferId, BufferSet, For, Phase, Program, Stmt};
use crate::limits::WORK_PER_STORE;
use crate::map::Map;
use crate::schedule::cost::{nominal, nominal_trips, nominal_work};

/// What a replay does, as far as it was looked through.
struct Replay<'a> {
    program: &'a Program,
    /// How many sizes the trip count of a loop multiplies.
    sizes: &'a dyn Fn(&For) -> usize,
    /// In additions.
    work: f64,
    /// What is declared: how many numbers all of its instances have, and how many sizes that multiplies.
    declared: Map<BufferId, (f64, usize)>,
    /// What is computed again, and what the reversal reads.
    computed: BufferSet,
    read: BufferSet,
}

impl<'p> Sweep<'p> {
    /// Whether a replay of `root` costs more than the tapes that it saves; `body` is what it would run.
    pub(super) fn is_dear(&self, root: &Stmt, body: &Block) -> bool {
        let sizes = |each: &For| self.sizes_of_loop(each);
        let mut replay = Replay {
            program: &self.out,
            sizes: &sizes,
            work: 0.0,
            declared: Map::default(),
            computed: BufferSet::new(),
            read: BufferSet::new(),
        };
        replay.block(body, 1.0, root.as_for().map_or(0, sizes));
        let Replay { work, declared, computed, read, .. } = replay;
        let is_stored =
            |id: &BufferId| self.out[*id].elem.is_float() && computed.contains(*id) && read.contains(*id);
        let stored = declared.iter().filter(|(id, _)| is_stored(id)).map(|(_, of)| of);
        let (numbers, sizes) =
            stored.fold((0.0, 0), |(all, most), (numbers, sizes)| (all + numbers, most.max(*sizes)));
        numbers > 0.0 && work >= WORK_PER_STORE * numbers && sizes <= self.widest(root)
    }

    /// The most sizes that an array has as dimensions which the loop goes through.
    fn widest(&self, root: &Stmt) -> usize {
        let mut widest = 0;
        root.walk(&mut |stmt| {
            let mut add = |place| {
                let around = self.varying(place, stmt, root);
                widest = widest.max(around.map(|each| self.sizes_of_trip(each)).sum::<usize>());
            };
            if let Some((target, _)) = stmt.as_store() {
                add(target);
            }
            stmt.each_evaluated(self.primal, &mut |expr| expr.each_load(&mut add));
        });
        widest
    }
}

impl Replay<'_> {
    fn block(&mut self, block: &Block, times: f64, sizes: usize) {
        for stmt in block {
            for &id in stmt.declares() {
                let elements: f64 = self.program[id].dims.iter().map(nominal).product();
                self.declared.insert(id, (times * elements, sizes));
            }
            let is_replayed = stmt.origin.phase == Phase::Primal;
            if !is_replayed {
                stmt.each_expr(&mut |expr| expr.each_load(&mut |place| _ = self.read.insert(place.buffer)));
            } else if stmt.blocks().is_empty() {
                self.work += times * nominal_work(std::slice::from_ref(stmt));
                stmt.writes_itself(&mut |buffer| _ = self.computed.insert(buffer));
            }
            let (trips, more) =
                stmt.as_for().map_or((1.0, 0), |each| (nominal_trips(each), (self.sizes)(each)));
            stmt.blocks().into_iter().for_each(|inner| self.block(inner, times * trips, sizes + more));
        }
    }
}
