//! Few heavy iterations run apart, each in a task of its own, where lanes would leave most threads without work.
//!
//! ```text
//! for c in 0..chunks parallel(task)         for c in 0..chunks parallel(task)
//!   for b in from..to step lanes              if few
//!     for l in 0..w lanes                       for i in from..to
//!       body                           =>         body
//!                                             else
//!                                               for b in from..to step lanes
//!                                                 for l in 0..w lanes
//!                                                   body
//! ```
//!
//! Eight shots of a seismic survey, or eight sources of shortest paths, fill one vector of lanes, which one thread runs. Apart
//! they are eight tasks, each slower than an eighth of the vector.
//!
//! *Legality.* Both forms run the iterations of a chunk, which commute; only the sizes of chunks differ. `shared_privatisation` is a function of
//! sizes, never of the number of threads, so the same call always adds up in the same order.
//!
//! *When.* A vector of lanes costs as much as some iterations that run alone, and with a thread for each, iterations apart are
//! faster by that. One thread is slower with them, the more there are. [`Apart::most`] is the number for which both are the
//! same. Besides, one iteration or two have to be work enough for a task.
//!
//! *Where.* The second form is more code. It is made for iterations that are mostly simulations (time steps of a field, rounds
//! of a search, samples of a filter): other iterations are about a point, of which there are many.

use crate::ir::{
    Block, BufferId, Expr, For, IterId, Program, Role, Stmt, StmtKind, Ty, any, clone_stmts, declared,
    written,
};
use crate::limits::{ITERATIONS_AS_TASKS, WORK_THAT_ADVANCES_A_STATE};
use crate::poly::{Analysis, Fact};
use crate::schedule::chunks::Builder;
use crate::schedule::cost::{nominal_work, trip_count};
use crate::schedule::lanes;
use crate::schedule::lanes::Lifted;
use crate::schedule::parallel::Plan;
use crate::schedule::prices::FEW;

/// An element loop that stays as it is, for few iterations.
pub(crate) struct Alone {
    element: Stmt,
    /// Loops inside whose iterations commute.
    commuting: Vec<IterId>,
}

impl Alone {
    /// A copy of the loop.
    pub(crate) fn copy(program: &mut Program, plan: &Plan, element: &Stmt) -> Option<Alone> {
        let loops = std::slice::from_ref(element);
        let mut copy = clone_stmts(program, loops);
        let commuting = plan.clone().of_copy(program, loops, &copy).middle;
        Some(Alone { element: copy.pop()?, commuting })
    }
}

/// How few iterations of a loop run apart.
pub(crate) struct Apart {
    /// Whether they do.
    pub(crate) few: BufferId,
    /// How many they are at most.
    pub(crate) most: usize,
    /// What became of the loop in their tasks.
    pub(crate) lifted: Lifted,
}

impl Apart {
    /// Puts the loop for few iterations beside the one that was lifted, where that pays.
    pub(crate) fn beside(
        build: &mut Builder<'_>,
        (element, lifted): (&mut Stmt, &Lifted),
        alone: Alone,
        strict: bool,
    ) -> Option<Apart> {
        let most = match *lifted {
            Lifted::Blocks { few, .. } if few >= ITERATIONS_AS_TASKS => few,
            _ => return None,
        };
        let Alone { element: mut alone, commuting } = alone;
        let lifted = lanes::lift_alone(build.program, &mut alone, strict, &commuting);
        let few = build.program.add_scalar("few", Ty::Bool, Role::Local);
        let in_lanes = element.take();
        element.kind = StmtKind::If { cond: build.load(few), then: vec![alone], els: vec![in_lanes] };
        Some(Apart { few, most, lifted })
    }

    /// Decides whether iterations run apart: `size` of them are a chunk then.
    pub(crate) fn decide(&self, build: &Builder<'_>, trip: Expr, size: Expr) -> Stmt {
        let few = trip.at_most(Expr::usize(self.most)) & size.at_most(Expr::usize(2));
        build.set(self.few, few)
    }
}

/// Whether iterations of a loop may be few and heavy.
pub(crate) fn may_be_few(plan: &Plan, each: &For) -> bool {
    plan.is_simulation && trip_count(each).as_usize().is_none_or(|trips| trips <= FEW)
}

/// Whether an iteration is mostly a simulation: it goes through loops of unknown length in which iterations read what earlier
/// ones wrote.
pub(crate) fn is_simulation(analysis: &Analysis<'_>, each: &For, facts: &[Fact]) -> bool {
    let advances = |inner: &For| {
        let may = reads_what_it_writes(analysis.program, &inner.body);
        may && analysis.carried_assuming(inner.iter, facts).any(|carried| !carried.flow.is_no())
    };
    advancing(&each.body, &advances) >= WORK_THAT_ADVANCES_A_STATE * nominal_work(&each.body)
}

/// Whether a block reads a buffer that it writes, one of its own apart.
fn reads_what_it_writes(program: &Program, block: &Block) -> bool {
    let mut written = written(block);
    written.subtract(&declared(block));
    any(block, &mut |stmt| stmt.exprs().into_iter().any(|expr| expr.reads_any(program, &written)))
}

/// The work of the loops of a block that advance a state.
fn advancing(block: &Block, advances: &dyn Fn(&For) -> bool) -> f64 {
    let of = |stmt: &Stmt| match stmt.as_for() {
        Some(each) => match trip_count(each).as_usize() {
            Some(trips) => trips as f64 * advancing(&each.body, advances),
            None if advances(each) => nominal_work(std::slice::from_ref(stmt)),
            None => 0.0,
        },
        None => stmt.blocks().into_iter().map(|inner| advancing(inner, advances)).sum(),
    };
    block.iter().map(of).sum()
}
