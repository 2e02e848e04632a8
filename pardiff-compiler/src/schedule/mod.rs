//! From a program whose loops are not decided to one that says which loops run in parallel, in how many chunks, and who
//! owns each element of each summation.
//!
//! *Comes in*: a verified program. *Goes out*: a program that computes the same, but for the order of the additions of
//! restructured float sums, with the decisions in words. *Guarantees*: a loop becomes a task loop only where
//! dependences prove that its iterations meet in nothing but summations; what a chunk writes, no other chunk touches;
//! chunks, block sizes and the order of merges are functions of sizes alone, never of the number of threads. *Never*:
//! uses atomics, or believes a mark of the user.
//!
//! ```text
//! for i in 0..n                    scope trip, size, chunks, parts: f64[chunks]
//!   total += x[i] * x[i]             trip = n; size = …; chunks = trip.div_ceil(size)
//!                           =>       parallel task: for c in 0..chunks
//!                                      scope lo, hi, total_part
//!                                        total_part = 0
//!                                        for i in lo..hi
//!                                          total_part += x[i] * x[i]
//!                                        parts[c] = total_part
//!                                    for c in 0..chunks
//!                                      total += parts[c]
//! ```
//!
//! | file | question |
//! | --- | --- |
//! | `parallel` | which loops are parallel, and why are the others not? |
//! | `profitability` | which loops have little work beside the others? |
//! | `remarks` | what is said of loops that run in order? |
//! | `legality` | on which proofs and checks does that rest? |
//! | `summation` | who owns the elements of each summation of a parallel loop? |
//! | `estimates` | what do its two cheapest schemes cost? |
//! | `cost` | how much work is an iteration, and when do tasks and copies pay? |
//! | `prices` | which numbers does all of that rest on, and where do they come from? |
//! | `multiversion` | which versions of a parallel loop stand beside each other? |
//! | `chunks` | how is a parallel loop cut into tasks? |
//! | `privatisation` | how do chunks accumulate apart, and how are their parts merged? |
//! | `merge` | how are copies added up? |
//! | `footprint` | which part of an array does a chunk update? |
//! | `row_ends` | where in a row are the least and the greatest of its indices? |
//! | `chunk_colouring` | which sums need no copies, since only neighbouring chunks meet? |
//! | `inverse` | which sums through an index array gather by an inverse index? |
//! | `skip_zero_adjoints` | which statements do nothing where adjoints are zero? |
//! | `accumulate` | which adjoints need not be zero before something is added to them? |
//! | `sink_scopes` | which scalars live in one arm of a condition alone? |
//! | `products` | which nests are matrix products, and go to a library where they are large? |
//! | `fuse_reductions` | which sums move up to a loop that has what they add at hand? |
//! | `shift` | which sums gather from neighbours instead of adding to them? |
//! | `index_set_split` | which loops have ends that are not as the rest? |
//! | `offsets` | by how many iterations are two indices apart? |
//! | `short_loops` | which loops in order are about short loops alone? |
//! | `hoist_sizes` | what do loops in order ask for in every iteration? |
//! | `tasks` | how do tasks of the user become a loop? |
//! | `math_lowering` | which implementation of each float function is used? |

pub(crate) mod accumulate;
mod chunk_colouring;
pub(crate) mod chunks;
pub mod cost;
mod estimates;
mod footprint;
pub(crate) mod fuse_reductions;
#[cfg(test)]
mod fuse_reductions_tests;
mod hoist_sizes;
mod index_set_split;
pub(crate) mod inverse;
pub mod lanes;
mod legality;
pub(crate) mod math_lowering;
mod multiversion;
pub(crate) mod offsets;
pub(crate) mod parallel;
pub mod prices;
mod privatisation;
mod products;
mod profitability;
pub(crate) mod remarks;
mod remove_single_iteration;
mod scalar_replacement;
pub(crate) mod shift;
mod sink_scopes;
mod sizes;
mod skip_zero_adjoints;
#[cfg(test)]
mod skip_zero_adjoints_tests;
pub(crate) mod summation;
pub(crate) mod tasks;

pub(crate) use chunks::substitute;
pub(crate) use legality::is_parallel;
pub use parallel::refuse_marks;
pub use remarks::Why;
pub use summation::neutral;

use crate::bounds;
use crate::ir::{Block, BufferId, Exec, IterId, Program, Scheme, Stmt, StmtKind};
use crate::poly::Analysis;
use cost::Costs;
use std::collections::{HashMap, HashSet};

/// How a program is to be scheduled.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Options {
    /// Float sums keep the order of the source.
    pub strict: bool,
    /// Iterations of a chunk run one after the other, not in lanes.
    pub scalar: bool,
    /// What does large matrix products.
    pub products: Library,
    /// What things cost.
    pub costs: Costs,
}

/// What does large matrix products.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Library {
    /// Loops: the feature is off.
    #[default]
    Off,
    /// Loops: members of an array of structs are no matrix of a library.
    Records,
    /// The crate `gemm`.
    Gemm,
}

impl Library {
    /// Why products stay loops.
    fn why_not(self) -> Option<&'static str> {
        match self {
            Library::Off => {
                Some("the feature `gemm` of pardiff, which does large ones several times as fast, is off")
            }
            Library::Records => Some("a parameter is an array of structs"),
            Library::Gemm => None,
        }
    }
}

/// A scheduled program and why it is as it is.
#[derive(Clone, Debug)]
pub struct Scheduled {
    /// The program.
    pub program: Program,
    /// The reasons.
    pub decisions: Decisions,
}

/// Why each loop and each summation is as it is, in words and in the user's names.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Decisions {
    /// Of loops: how a parallel one is cut (by the iterator of its task loop), why a sequential one is.
    pub loops: HashMap<IterId, String>,
    /// Of summations: by the task loop around, and the buffer that is added to.
    pub sums: HashMap<(IterId, BufferId), String>,
    /// Loops over the lanes of a block.
    pub over_lanes: HashSet<IterId>,
    /// Loops over the iterations of a batch.
    pub turns: HashSet<IterId>,
    /// Of matrix products that stay loops: how many, and why.
    pub products: Option<(usize, &'static str)>,
}

/// Decides how every loop is executed; see the module.
pub fn schedule(mut program: Program, options: &Options) -> Scheduled {
    tasks::into_loops(&mut program);
    let products = products::take_out(&mut program, options);
    if !options.strict {
        let mut body = std::mem::take(&mut program.body);
        fuse_reductions::raise_sums(&program, &mut body);
        program.body = body;
    }
    skip_zero_adjoints::skip(&mut program);
    accumulate::into_zero(&mut program);
    let mut short = Vec::new();
    if !options.strict {
        accumulate::in_one(&mut program);
    }
    sink_scopes::declare_in_arms(&mut program);
    if !options.strict {
        short = shift::gather(&mut program, &options.costs);
    }
    let analysis = Analysis::new(&program);
    let mut plans = parallel::find(&analysis, options);
    let is_parallel = |iter: IterId| plans.parallel.contains_key(&iter);
    let ends = match options.scalar {
        true => index_set_split::Found::default(),
        false => index_set_split::find(&analysis, options, &is_parallel),
    };
    let mut decisions =
        Decisions { products: options.products.why_not().map(|why| (products, why)), ..Decisions::default() };
    for (&iter, why) in &plans.sequential {
        decisions.loops.insert(iter, why.text(&program));
    }
    decisions.loops.extend(short.into_iter().map(|iter| (iter, shift::SHORT_NEST.to_owned())));
    let ends = index_set_split::split_ends(&mut program, ends);
    decisions.loops.extend(ends.into_iter().map(|(iter, why)| (iter, why.to_owned())));
    let differences = bounds::Differences::of(&program);
    let mut body = std::mem::take(&mut program.body);
    let is_parallel = |iter: IterId| plans.parallel.contains_key(&iter);
    let short = multiversion::short_loops::Finder { short: options.costs.short, is_parallel: &is_parallel };
    let short = short.beside(&mut program, &mut body);
    decisions.loops.extend(short.into_iter().map(|iter| (iter, multiversion::short_loops::SHORT.to_owned())));
    if !options.scalar {
        lanes::mark_in_order(&program, options.strict, &mut body, &is_parallel);
    }
    let first = program.buffers.len();
    rewrite((&mut program, &differences), &mut body, &mut plans, &mut decisions);
    hoist_sizes::ask_once(&program, first, &mut body);
    lanes::turn_upwards(&program, &mut body, options.strict);
    if !options.strict {
        lanes::cut_off(&mut program, &mut body);
        lanes::multiply_by_reciprocals(&mut program, &mut body);
    }
    program.body = body;
    if !options.strict {
        math_lowering::choose(&mut program);
    }
    Scheduled { program, decisions }
}

impl Scheduled {
    /// The same with neighbouring iterations of the loops around lanes executed together where that pays, see
    /// [`lanes::jam`], with what short loops in lanes gather again and again gathered in front of them, see
    /// [`lanes::gather_ahead`], without loops of which one iteration does something, see `remove_single_iteration`, and with elements in
    /// registers that loops update, see `scalar_replacement`.
    pub fn jammed(mut self) -> Scheduled {
        let Decisions { over_lanes, turns, .. } = &self.decisions;
        let jammed = lanes::jam(&mut self.program, over_lanes, turns);
        self.decisions.loops.extend(jammed);
        let mut body = std::mem::take(&mut self.program.body);
        lanes::gather_ahead(&mut self.program, &mut body);
        remove_single_iteration::open_single(&self.program, &mut body);
        scalar_replacement::hold_updates(&mut self.program, &mut body);
        self.program.body = body;
        self
    }

    /// A program whose loops all run in order.
    pub fn sequential(program: Program) -> Scheduled {
        Scheduled { program, decisions: Decisions::default() }
    }
}

/// Replaces the parallel loops of a block; everything else is sequential.
fn rewrite(
    (program, differences): (&mut Program, &bounds::Differences),
    block: &mut Block,
    plans: &mut parallel::Found,
    decisions: &mut Decisions,
) {
    for stmt in block {
        if let Some(each) = stmt.as_for()
            && let Some(plan) = plans.parallel.remove(&each.iter)
        {
            let check = differences.check(each, stmt.origin);
            multiversion::cut(program, stmt, plan, decisions);
            if let Some(check) = check {
                let cut = std::mem::replace(stmt, check.clone());
                let body = vec![check, cut];
                stmt.kind = StmtKind::Scope { buffers: Vec::new(), body };
            }
            continue;
        }
        decide_in_order(stmt);
        for inner in stmt.blocks_mut() {
            rewrite((program, differences), inner, plans, decisions);
        }
    }
}

/// Every loop and every summation of a block runs in order.
pub(crate) fn in_order(block: &mut [Stmt]) {
    for stmt in block {
        decide_in_order(stmt);
        stmt.blocks_mut().into_iter().for_each(|inner| in_order(inner));
    }
}

fn decide_in_order(stmt: &mut Stmt) {
    if let Some(each) = stmt.as_for_mut().filter(|each| each.exec == Exec::Undecided) {
        each.exec = Exec::Sequential;
    }
    if let Some((_, scheme)) = stmt.scheme_mut().filter(|(_, scheme)| **scheme == Scheme::Undecided) {
        *scheme = Scheme::Sequential;
    }
}
