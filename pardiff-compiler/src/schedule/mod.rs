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
//! | `saturating_sum` | how is work written as an expression? |
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
//! | `skip_zero_tangents` | which sums does an inspector before a loop find to be zero in all of it? |
//! | `linear` | is an expression zero wherever some of its operands are? |
//! | `accumulate` | which adjoints need not be zero before something is added to them? |
//! | `sink_scopes` | which scalars live in one arm of a condition alone? |
//! | `products` | which nests are matrix products, and go to a library where they are large? |
//! | `fuse_reductions` | which sums move up to a loop that has what they add at hand? |
//! | `shift` | which sums gather from neighbours instead of adding to them? |
//! | `index_set_split` | which loops have ends that are not as the rest? |
//! | `offsets` | by how many iterations are two indices apart? |
//! | `short_loops` | which loops in order are about short loops alone? |
//! | `hoist_sizes` | what do loops in order ask for in every iteration? |
//! | `coalesce_strips` | which tasks over parts of an array are one loop over its elements? |
//! | `tasks` | how do tasks of the user become a loop? |
//! | `math_lowering` | which implementation of each float function is used? |

pub(crate) mod accumulate;
mod chunk_colouring;
pub(crate) mod chunks;
mod coalesce_strips;
#[cfg(test)]
mod coalesce_strips_tests;
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
mod linear;
pub(crate) mod math_lowering;
mod multiversion;
pub(crate) mod offsets;
pub(crate) mod parallel;
mod prices;
mod privatisation;
mod products;
mod profitability;
pub(crate) mod remarks;
mod remove_single_iteration;
mod saturating_sum;
pub(crate) mod scalar_replacement;
pub(crate) mod shift;
mod sink_scopes;
mod sizes;
mod skip_zero_adjoints;
#[cfg(test)]
mod skip_zero_adjoints_tests;
mod skip_zero_tangents;
#[cfg(test)]
mod skip_zero_tangents_tests;
pub(crate) mod summation;
pub(crate) mod tasks;

pub(crate) use legality::is_proved_parallel;
pub use parallel::refuse_marks;
pub use profitability::is_cheaper_to_keep;
pub use remarks::Why;
pub use summation::neutral;

use crate::bounds;
use crate::ir::{Block, BufferId, Exec, IterId, Program, Scheme, Stmt, StmtKind};
use crate::pass::{self, Context, Pass};
use crate::poly::Analysis;
use cost::Costs;
use multiversion::short_loops;
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
    /// What would make a loop parallel that runs in order.
    pub remedies: HashMap<IterId, String>,
    /// Of summations: by the task loop around, and the buffer that is added to.
    pub sums: HashMap<(IterId, BufferId), String>,
    /// Loops over the lanes of a block.
    pub over_lanes: HashSet<IterId>,
    /// Loops over the iterations of a batch.
    pub turns: HashSet<IterId>,
    /// Of matrix products that stay loops: how many, and why.
    pub products: Option<(usize, &'static str)>,
}

/// Makes buffers for chunks, and says so in them.
const CHUNKS: &str = "chunks";

/// What passes of the schedule have found in a program and later ones do.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// Which loops are parallel, and how.
    plans: parallel::Found,
    /// Which ends of loops stand apart.
    ends: index_set_split::Found,
}

/// Refuses marks that cannot be obeyed.
pub const MARKS: &[Pass] =
    &[Pass::edit("refuse_marks", "the loops are still those of the user", |program, context| {
        context.refusals = refuse_marks(program, &context.options)
    })];

/// Loops as they are differentiated, where a pass needs to know that their iterations commute.
pub const STRIPS: &[Pass] = &[Pass::edit(
    "coalesce_strips",
    "after the marks of the user, before anything leaves a loop",
    |program, context| coalesce_strips::coalesce(program, &context.options),
)];

/// The passes, in order, up to those that need checks in their places.
pub const PASSES: &[Pass] = &[
    TASKS,
    Pass::edit("products", "before any pass moves or splits the sums of a product", take_out_products),
    FUSE_REDUCTIONS,
    Pass::change("skip_zero_adjoints", "before assignments of zero are removed", skip_zero_adjoints::skip),
    Pass::change(
        "skip_zero_tangents",
        "before `parallel`, which cuts the loops that inspectors precede",
        skip_zero_tangents::skip,
    ),
    ACCUMULATE_INTO_ZERO,
    REASSOCIATE_ADJOINTS,
    Pass::change(
        "sink_scopes",
        "after the passes above made scalars for single arms",
        sink_scopes::declare_in_arms,
    ),
    SHIFT,
    Pass::edit("parallel", "nests are final until they are cut", find_parallel),
    Pass::edit("index_set_split", "before loops become chunks", split_ends),
    Pass::body("short_loops", "knows which loops are parallel", put_short_loops_beside),
    Pass::body(
        "lanes_in_order",
        "marks loops that are not parallel; `chunks` marks the others",
        mark_in_order,
    ),
    Pass::body(CHUNKS, "decides all loops and sums that are left", cut_into_chunks),
    Pass::body("hoist_sizes", "moves the sizes that `chunks` computes", |program, body, _| {
        hoist_sizes::ask_once(program, body)
    }),
    Pass::body("normalise_direction", "after loops are marked for lanes", |program, body, context| {
        lanes::turn_upwards(program, body, context.options.strict)
    }),
    Pass::body("predicated_regions", "after loops with lanes run upwards", |program, body, _| {
        lanes::cut_off(program, body)
    })
    .reorders(),
    Pass::body(
        "strength_reduce_div",
        "after `predicated_regions`, which skips divisions",
        |program, body, _| lanes::multiply_by_reciprocals(program, body),
    )
    .reorders(),
    MATH_LOWERING,
];

pub(crate) const TASKS: Pass = Pass::change("tasks", "all later passes know loops only", tasks::into_loops);

pub(crate) const FUSE_REDUCTIONS: Pass =
    Pass::body("fuse_reductions", "moves sums before conditions stand around them", |program, body, _| {
        fuse_reductions::raise_sums(program, body)
    })
    .reorders();

pub(crate) const ACCUMULATE_INTO_ZERO: Pass = Pass::change(
    "accumulate_into_zero",
    "makes the first term an assignment, no term of a sum",
    accumulate::into_zero,
);

pub(crate) const REASSOCIATE_ADJOINTS: Pass = Pass::change(
    "reassociate_adjoints",
    "before `shift`, which wants one term for an element",
    accumulate::in_one,
)
.reorders();

const SHIFT: Pass =
    Pass::edit("shift", "before `parallel`: a sum that gathers needs no owner", gather_neighbours).reorders();

pub(crate) const MATH_LOWERING: Pass =
    Pass::change("math_lowering", "after all passes that read functions", math_lowering::choose).reorders();

/// Those that need checks in their places.
pub const ON_ACCESSES: &[Pass] = &[
    Pass::edit(
        "jam",
        "after checks have left loops, whose iterations now run together",
        |program, context| {
            let Decisions { over_lanes, turns, .. } = &context.decisions;
            let jammed = lanes::jam(program, over_lanes, turns);
            context.decisions.loops.extend(jammed);
        },
    ),
    Pass::body("hoist_gathers", "after `jam`, whose loops gather repeatedly", |program, body, _| {
        lanes::gather_ahead(program, body)
    }),
    Pass::body("remove_single_iteration", "after all passes that make loops", |program, body, _| {
        remove_single_iteration::open_single(program, body)
    }),
    Pass::body("scalar_replacement", "last: no other pass knows these registers", |program, body, _| {
        scalar_replacement::hold_updates(program, body)
    }),
];

/// For the option `sequential`.
pub const IN_ORDER: Pass =
    Pass::body("in_order", "the option allows no tasks and no lanes", |_, body, _| in_order(body));

/// Decides how every loop is executed; see the module.
pub fn schedule(mut program: Program, options: &Options) -> Scheduled {
    let mut context = Context { decides: true, ..Context::new(options) };
    let done = pass::run(&[PASSES], &mut program, &mut context);
    debug_assert!(done.is_ok(), "{done:?}");
    Scheduled { program, decisions: context.decisions }
}

impl Scheduled {
    /// A program whose loops all run in order.
    pub fn sequential(program: Program) -> Scheduled {
        Scheduled { program: pass::after(&[IN_ORDER], program), decisions: Decisions::default() }
    }

    /// The same with what needs checks in their places.
    pub fn jammed(self) -> Scheduled {
        let Scheduled { mut program, decisions } = self;
        let mut context = Context { decisions, decides: true, ..Context::default() };
        let done = pass::run(&[ON_ACCESSES], &mut program, &mut context);
        debug_assert!(done.is_ok(), "{done:?}");
        Scheduled { program, decisions: context.decisions }
    }
}

fn take_out_products(program: &mut Program, context: &mut Context) {
    let count = products::take_out(program, &context.options);
    context.decisions.products = context.options.products.why_not().map(|why| (count, why));
}

fn gather_neighbours(program: &mut Program, context: &mut Context) {
    gather_with(program, context, shift::Ends::Apart);
}

/// As [`gather_neighbours`], in one nest.
#[cfg(feature = "cuda")]
pub(crate) fn gather_under_guards(program: &mut Program, context: &mut Context) {
    gather_with(program, context, shift::Ends::Guarded);
}

fn gather_with(program: &mut Program, context: &mut Context, ends: shift::Ends) {
    let short = shift::gather(program, &context.options.costs, ends);
    context.decisions.loops.extend(short.into_iter().map(|iter| (iter, shift::SHORT_NEST.to_owned())));
}

fn find_parallel(program: &mut Program, context: &mut Context) {
    let Context { options, found, decisions, .. } = context;
    let analysis = Analysis::new(program);
    found.plans = parallel::find(&analysis, options);
    if !options.scalar {
        found.ends = index_set_split::find(&analysis, options, &|iter| found.plans.has(iter));
    }
    for (&iter, why) in &found.plans.sequential {
        decisions.loops.entry(iter).or_insert_with(|| why.text(program));
        decisions.remedies.extend(why.advice(program).map(|advice| (iter, advice)));
    }
}

fn split_ends(program: &mut Program, context: &mut Context) {
    let ends = index_set_split::split_ends(program, std::mem::take(&mut context.found.ends));
    context.decisions.loops.extend(ends.into_iter().map(|(iter, why)| (iter, why.to_owned())));
}

fn put_short_loops_beside(program: &mut Program, body: &mut Block, context: &mut Context) {
    let Context { options, found, decisions, .. } = context;
    let is_parallel = |iter| found.plans.has(iter);
    let short = short_loops::Finder { short: options.costs.short, is_parallel: &is_parallel };
    let short = short.beside(program, body);
    decisions.loops.extend(short.into_iter().map(|iter| (iter, short_loops::SHORT.to_owned())));
}

fn mark_in_order(program: &mut Program, body: &mut Block, context: &mut Context) {
    if !context.options.scalar {
        lanes::mark_in_order(program, context.options.strict, body, &|iter| context.found.plans.has(iter));
    }
}

fn cut_into_chunks(program: &mut Program, body: &mut Block, context: &mut Context) {
    let Context { found, decisions, .. } = context;
    let differences = bounds::Differences::of(body);
    rewrite((program, &differences), body, &mut found.plans, decisions);
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
