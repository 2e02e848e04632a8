//! Innermost loops as lane loops, the element loop around them serial.
//!
//! ```text
//! for i in lo..hi                          for i in lo..hi
//!   y = 0.0                                  y = 0.0
//!   for j in 0..n                            for j in 0..n lanes
//!     y += a[i * n + j] * x[j]                 y += a[i * n + j] * x[j]
//!   for j in 0..n down                       for j in 0..n lanes
//!     d_x[j] += y_bar * a[i * n + j]           d_x[j] += y_bar * a[i * n + j]
//! ```
//!
//! *Legality.* Iterations of an innermost loop commute if the scheduler has proved that, or if each buffer that it writes,
//! and that does not live inside it, is either only updated, by one operation and read nowhere in the loop, or accessed at
//! one index alone, which moves by one element from iteration to iteration, so that no two iterations meet. Two such loops
//! over the same range that follow each other are one if the body of both has this property: then every order of all
//! their iterations computes the same, the one where all of the first come first included. A check is made before the
//! loop for the iteration that decides, if there is one. Where float sums keep their order (`strict`), only the second
//! kind of buffer will do.
//!
//! A loop around rows may be the one, each lane with a row of its own, where that is much cheaper:
//!
//! ```text
//! for k in 0..n                            for k in 0..n lanes
//!   for p in first[k]..first[k + 1]          for p in first[k]..first[k + 1]
//!     s += exp(x[p] - y[k])          =>        s += exp(x[p] - y[k])
//! ```
//!
//! What makes iterations commute is the same for whatever stands in them. Lanes whose rows are over are not active, so
//! nothing is evaluated that was not. Its own arrays are small, and are vectors then.

use super::accesses::{Accesses, Touch};
use super::cost;
use super::laneable::places;
use super::middle::moves_by_a_record;
use super::price::{self, Price};
use super::stride::{Trend, Walk, opposite, trend, walk};
use super::tile_outer::row_sweeps::Loop;
use crate::ir::scoped;
use crate::ir::substitute;
use crate::ir::{
    BinOp, Block, Buffer, BufferId, BufferSet, Exec, Expr, ExprKind, For, IterId, Layout, Order, Origin,
    Place, Program, Stmt, StmtKind,
};

/// Marks the innermost loops of an element loop, which declares `locals`; how many there are. A loop that also goes to
/// elements anywhere in memory is one of them if its own price says so.
/// The caller vouches for the loops over `commuting`.
pub(super) fn mark(
    program: &Program,
    locals: &BufferSet,
    strict: bool,
    commuting: &[IterId],
    element: &mut Stmt,
) -> usize {
    let inner = Inner { program, locals, strict, commuting };
    let mut marked = 0;
    element.blocks_mut().into_iter().for_each(|block| inner.block(block, &mut marked));
    marked
}

/// Whether statements of a loop with other loops in it call functions and are cheaper for the iterations of a batch, a lane
/// each. Locals of the loop have an element for each iteration there.
pub(super) fn are_cheaper_in_lanes(around: &Loop<'_>, list: &Block) -> bool {
    let program = around.program;
    let mut own: Vec<BufferId> = crate::ir::mentioned(program, list).iter().collect();
    own.retain(|&buffer| around.locals.contains(buffer));
    if own.iter().any(|&buffer| program[buffer].rank() > 0) || !calls_functions(list) {
        return false;
    }
    let Some(first) = list.first() else { return false };
    let body = scoped(own, list.clone());
    let batch = For::counted(around.each.iter, Expr::usize(cost::BATCH), body);
    let inner = Inner { program, locals: &around.locals, strict: false, commuting: &[] };
    let near = inner.walks(&batch).is_some_and(|walks| !walks.anywhere);
    near && inner.is_cheaper(&batch, first.origin, cost::MARGIN)
}

/// Runs those innermost loops of a block in lanes that are in other loops but in no task, and for which that is cheaper:
/// loops that rustc leaves as they are, because they add floats up or call functions.
///
/// ```text
/// for t in 0..steps                        for t in 0..steps
///   for j in 0..n                            for j in 0..n lanes
///     s += exp(x[t, j])              =>        s += exp(x[t, j])
///   x[t + 1, 0] = s                          x[t + 1, 0] = s
/// ```
///
/// *Legality* is that of the module: it is a property of the innermost loop alone, whatever is around it. `is_parallel`
/// knows the loops that become tasks, whose bodies are not looked at.
pub(super) fn mark_in_order(
    program: &Program,
    strict: bool,
    block: &mut Block,
    is_parallel: &dyn Fn(IterId) -> bool,
) {
    let none = BufferSet::new();
    Inner { program, locals: &none, strict, commuting: &[] }.in_order(block, false, is_parallel);
}

/// Where innermost loops are looked for.
#[derive(Clone, Copy)]
struct Inner<'a> {
    program: &'a Program,
    /// What the element loop declares.
    locals: &'a BufferSet,
    /// Whether float sums keep their order.
    strict: bool,
    /// Loops whose iterations are known to commute.
    commuting: &'a [IterId],
}

/// Whether an innermost loop that walks from element to neighbouring element may run in lanes if its iterations commute, which
/// the form of its accesses does not say.
pub fn needs_proof(program: &Program, for_: &For) -> bool {
    let none = BufferSet::new();
    let by_form = Inner { program, locals: &none, strict: false, commuting: &[] };
    let proved = Inner { commuting: &[for_.iter], ..by_form };
    by_form.walks(for_).is_none() && matches!(proved.walks(for_), Some(Walks { contiguous: true, .. }))
}

/// How the lanes of a loop walk through memory, where they do not stay.
struct Walks {
    /// From element to neighbouring element, or from record to record.
    contiguous: bool,
    /// From record to neighbouring record.
    by_records: bool,
    /// Anywhere else.
    anywhere: bool,
}

impl Inner<'_> {
    fn block(&self, block: &mut Block, marked: &mut usize) {
        self.fuse(block);
        let mut out = Block::with_capacity(block.len());
        for mut stmt in std::mem::take(block) {
            let innermost = stmt.as_for().is_some_and(|for_| {
                self.takes_rows(&stmt, for_)
                    || match self.walks(for_) {
                        Some(Walks { contiguous: true, anywhere: true, .. }) => {
                            self.is_cheaper(for_, stmt.origin, cost::ANYWHERE_MARGIN)
                        }
                        Some(Walks { contiguous: true, by_records: true, .. }) => {
                            self.is_cheaper(for_, stmt.origin, cost::MARGIN)
                        }
                        Some(Walks { contiguous, .. }) => contiguous,
                        _ => false,
                    }
            });
            match &mut stmt.kind {
                StmtKind::For(for_) if innermost => {
                    *marked += 1;
                    out.extend(in_lanes(for_).map(|cond| Stmt::new(cond, stmt.origin)));
                }
                // a block of lanes already
                StmtKind::For(For { exec: Exec::Lanes { .. }, .. }) => {}
                // the other version hardly ever runs
                StmtKind::Guarded { then, .. } => self.block(then, marked),
                _ => {
                    stmt.blocks_mut().into_iter().for_each(|inner| self.block(inner, marked));
                }
            }
            out.push(stmt);
        }
        *block = out;
    }

    /// See [`mark_in_order`]; `repeated` is whether a loop is around the block.
    fn in_order(&self, block: &mut Block, repeated: bool, is_parallel: &dyn Fn(IterId) -> bool) {
        let mut out = Block::with_capacity(block.len());
        for mut stmt in std::mem::take(block) {
            let is_loop = stmt.is_loop();
            match &mut stmt.kind {
                StmtKind::For(for_) if for_.exec != Exec::Undecided => {}
                StmtKind::For(for_) if is_parallel(for_.iter) && !fills_vectors(for_) => {}
                StmtKind::For(for_)
                    if (repeated && needs_lanes(self.program, for_) || fills_vectors(for_))
                        && self.is_vector_loop(for_)
                        && self.is_cheaper(for_, stmt.origin, cost::MARGIN) =>
                {
                    out.extend(in_lanes(for_).map(|cond| Stmt::new(cond, stmt.origin)));
                }
                _ => {
                    for inner in stmt.blocks_mut() {
                        self.in_order(inner, repeated || is_loop, is_parallel);
                    }
                }
            }
            out.push(stmt);
        }
        *block = out;
    }

    /// Joins loops over the same range that follow each other.
    fn fuse(&self, block: &mut Block) {
        let mut out: Block = Vec::with_capacity(block.len());
        for stmt in std::mem::take(block) {
            if let (StmtKind::For(next), Some(StmtKind::For(before))) =
                (&stmt.kind, out.last().map(|stmt| &stmt.kind))
                && let Some(both) = self.fused(before, next)
                && let Some(last) = out.last_mut()
            {
                last.kind = StmtKind::For(both);
                continue;
            }
            out.push(stmt);
        }
        *block = out;
    }

    fn fused(&self, before: &For, next: &For) -> Option<For> {
        let same = before.lo == next.lo && before.hi == next.hi && before.step == next.step;
        if !same || !self.is_vector_loop(before) || !self.is_vector_loop(next) {
            return None;
        }
        let mut both = before.clone();
        let mut body = next.body.clone();
        substitute(&mut body, next.iter, &Expr::iter(before.iter, self.program[before.iter].ty));
        both.body.extend(body);
        self.is_vector_loop(&both).then_some(both)
    }

    /// Whether a loop is one by the form of its accesses alone, which is known of two joined ones as well.
    fn is_vector_loop(&self, for_: &For) -> bool {
        let by_form = Inner { commuting: &[], ..*self };
        matches!(by_form.walks(for_), Some(Walks { contiguous: true, by_records: false, anywhere: false }))
    }

    /// Whether a loop around rows is much cheaper in lanes than one row after the other, whatever runs in lanes in a row
    /// then: the rows are taken to be short. Rows that may run in lanes themselves stay rows.
    fn takes_rows(&self, stmt: &Stmt, for_: &For) -> bool {
        let written = crate::ir::written(&for_.body);
        let rows = ragged(self.program, for_, &written);
        if rows.is_empty()
            || rows.into_iter().any(|row| self.is_vector_loop(row))
            || !matches!(
                self.walks_if(for_, &|stmt| may_be_inside(self.program, stmt)),
                Some(Walks { contiguous: true, .. })
            )
        {
            return false;
        }
        let mut in_rows = stmt.clone();
        in_rows.blocks_mut().into_iter().for_each(|block| self.block(block, &mut 0));
        let in_lanes = Stmt::new(StmtKind::For(For { exec: LANES, ..for_.clone() }), stmt.origin);
        [&in_rows, stmt]
            .into_iter()
            .all(|other| self.is_cheaper_than(other, &in_lanes, cost::ANYWHERE_MARGIN))
    }

    /// How a loop walks that may run in lanes; nothing for one that may not.
    fn walks(&self, for_: &For) -> Option<Walks> {
        self.walks_if(for_, &|stmt| is_plain(self.program, stmt))
    }

    fn walks_if(&self, for_: &For, fits: &dyn Fn(&Stmt) -> bool) -> Option<Walks> {
        let program = self.program;
        let counts = for_.is_plain() && !matches!(for_.exec, Exec::Lanes { .. } | Exec::Parallel(_));
        if !counts || !for_.body.iter().all(fits) {
            return None;
        }
        let written = crate::ir::written(&for_.body);
        if for_.bounds_read(program, &written) {
            return None;
        }
        let accesses = Accesses::of(&for_.body)?;
        let varies = |place: &Place| written.contains(place.buffer);
        let mut walks = Walks { contiguous: false, by_records: false, anywhere: false };
        for (place, _) in accesses.iter().filter(|(place, _)| !accesses.declares(place.buffer)) {
            let ordered = self.strict && program[place.buffer].elem.is_float();
            let commute = || match ordered {
                true => accesses.is_elementwise(place.buffer, for_.iter),
                false => accesses.commute_in(place.buffer, for_.iter),
            };
            let walked = walk(place, for_.iter, &varies);
            let by_records = walked == Walk::Strided && moves_by_a_record(program, place, for_.iter, &varies);
            // iterations that stay may commute as well, where there is one at most
            let is_near = walked == Walk::Contiguous || by_records;
            let is_known = self.commuting.contains(&for_.iter) && is_near;
            if written.contains(place.buffer) && !is_known && !commute() {
                return None;
            }
            match walked {
                Walk::Still => {}
                Walk::Contiguous => walks.contiguous = true,
                Walk::Strided if by_records => (walks.contiguous, walks.by_records) = (true, true),
                Walk::Strided | Walk::Irregular => walks.anywhere = true,
            }
        }
        Some(walks)
    }

    /// Whether a loop is cheaper in lanes by a margin, in every size.
    fn is_cheaper(&self, for_: &For, origin: Origin, margin: f64) -> bool {
        let stmt = |exec| Stmt::new(StmtKind::For(For { exec, ..for_.clone() }), origin);
        self.is_cheaper_than(&stmt(for_.exec), &stmt(LANES), margin)
    }

    /// Whether a loop in lanes is cheaper than something else by a margin, in every size.
    fn is_cheaper_than(&self, other: &Stmt, in_lanes: &Stmt, margin: f64) -> bool {
        let none = BufferSet::new();
        cost::SIZES.into_iter().all(|size| {
            let price = Price::without_blocks(self.program, self.locals, &none, size);
            price.of_loop(in_lanes) * margin < price.of_loop(other)
        })
    }
}

const LANES: Exec = Exec::Lanes { block: cost::LANES };

/// Makes a loop one over lanes; the checks that stand before it then.
pub(super) fn in_lanes(for_: &mut For) -> Option<StmtKind> {
    for_.exec = LANES;
    for_.order = Order::Up;
    checks_before(for_)
}

/// Whether the iterations of a loop are a constant number that vectors hold without rest.
pub(super) fn fills_vectors(for_: &For) -> bool {
    for_.constant_trip().is_some_and(|trip| trip > 0 && trip.is_multiple_of(cost::VECTOR))
}

/// Whether a loop adds floats up in one place, or calls functions: rustc leaves it as it is.
pub fn needs_lanes(program: &Program, for_: &For) -> bool {
    let Some(accesses) = Accesses::of(&for_.body) else { return false };
    let sums = accesses.iter().any(|(place, touch)| {
        let still = !place.mentions(for_.iter);
        let is_sum = matches!(touch, Touch::Reduce(_)) && program[place.buffer].elem.is_float();
        is_sum && still && !accesses.declares(place.buffer)
    });
    sums || calls_functions(&for_.body)
}

/// Whether statements call functions of floats that take more than an operation.
fn calls_functions(block: &Block) -> bool {
    block.iter().any(|stmt| stmt.any_part(&mut is_function))
}

/// Whether this is a function of floats that takes more than an operation.
fn is_function(expr: &Expr) -> bool {
    matches!(&expr.kind, ExprKind::Call(func, ..) if expr.ty.is_float() && price::call(*func) > cost::DIVISION)
}

/// Whether a statement may stand in an innermost lane loop.
fn is_plain(program: &Program, stmt: &Stmt) -> bool {
    match &stmt.kind {
        StmtKind::Assign { .. } | StmtKind::Reduce { .. } | StmtKind::Check { .. } => true,
        StmtKind::If { then, els, .. } => then.iter().chain(els).all(|stmt| is_plain(program, stmt)),
        StmtKind::Scope { buffers, body } => {
            let scalar = |&buffer: &BufferId| program[buffer].rank() == 0;
            buffers.iter().all(scalar) && body.iter().all(|stmt| is_plain(program, stmt))
        }
        _ => false,
    }
}

/// The loops in a loop whose bounds each of its iterations computes.
pub(super) fn ragged<'a>(program: &Program, for_: &'a For, written: &BufferSet) -> Vec<&'a For> {
    let (mut found, mut iters) = (Vec::new(), vec![for_.iter]);
    crate::ir::walk(&for_.body, &mut |stmt| {
        if let Some(inner) = stmt.as_for()
            && inner.bounds().iter().any(|it| it.mentions_any(&iters) || it.reads_any(program, written))
        {
            iters.push(inner.iter);
            found.push(inner);
        }
    });
    found
}

/// Whether a statement may stand in a lane loop around rows: its own arrays are small, and no loop runs in lanes itself.
fn may_be_inside(program: &Program, stmt: &Stmt) -> bool {
    let all = |block: &Block| block.iter().all(|stmt| may_be_inside(program, stmt));
    match &stmt.kind {
        StmtKind::Assign { .. } | StmtKind::Reduce { .. } | StmtKind::Check { .. } => true,
        StmtKind::If { then, els, .. } => all(then) && all(els),
        StmtKind::Scope { buffers, body } => {
            let is_small = |&buffer: &BufferId| {
                let Buffer { dims, layout, .. } = &program[buffer];
                let size = dims.iter().try_fold(1usize, |size, dim| size.checked_mul(dim.as_usize()?));
                size.is_some_and(|size| size <= cost::REGISTER_ARRAY) && *layout == Layout::RowMajor
            };
            buffers.iter().all(is_small) && all(body)
        }
        StmtKind::For(for_) => for_.is_in_order() && all(&for_.body),
        _ => false,
    }
}

/// Takes the checks that one iteration decides out of a loop: `if lo < hi` they are made before it. The scopes of a body are
/// entered in every iteration, so checks in them are made in every iteration as well; what they read of a scope's own
/// scalars is written in the loop.
pub(super) fn checks_before(for_: &mut For) -> Option<StmtKind> {
    let written = crate::ir::written(&for_.body);
    let (iter, lo, hi) = (for_.iter, for_.lo.clone(), for_.hi.clone());
    let mut checks = Block::new();
    take_checks(&mut for_.body, &|stmt| checked_once(stmt, iter, &lo, &hi, &written), &mut checks);
    let cond = Expr::binary(BinOp::Lt, lo, hi);
    (!checks.is_empty()).then_some(StmtKind::If { cond, then: checks, els: Vec::new() })
}

/// Replaces the statements of a block that are always executed, as far as there is something in their place.
fn take_checks(block: &mut Block, moved: &dyn Fn(&Stmt) -> Option<Stmt>, taken: &mut Block) {
    block.retain_mut(|stmt| {
        if let Some((_, body)) = stmt.as_scope_mut() {
            take_checks(body, moved, taken);
            return true;
        }
        let check = moved(stmt);
        let stays = check.is_none();
        taken.extend(check);
        stays
    });
}

/// The check of all iterations, in the one that decides. It is a comparison whose difference never falls, or never
/// rises, as the iterator counts up.
fn checked_once(stmt: &Stmt, iter: IterId, lo: &Expr, hi: &Expr, written: &BufferSet) -> Option<Stmt> {
    let (cond, message) = stmt.as_check()?;
    let mut changes = false;
    places(stmt, &mut |place| changes |= written.contains(place.buffer));
    let ExprKind::Binary(op, a, b) = &cond.kind else { return None };
    let uniform = |expr: &Expr| !expr.mentions(iter);
    let (left, right) = (trend(a, iter, &uniform)?, opposite(trend(b, iter, &uniform)?));
    let difference = match (left, right) {
        (Trend::Constant, other) | (other, Trend::Constant) => other,
        (left, right) if left == right => left,
        _ => return None,
    };
    let decides = match op {
        BinOp::Lt | BinOp::Le => difference,
        BinOp::Gt | BinOp::Ge => opposite(difference),
        _ => return None,
    };
    if changes {
        return None;
    }
    let at = match decides {
        Trend::Rising => Expr::binary(BinOp::Sub, hi.clone(), Expr::usize(1)),
        _ => lo.clone(),
    };
    let mut check = Stmt::new(StmtKind::Check { cond: cond.clone(), message: message.clone() }, stmt.origin);
    check.change_exprs(&mut |expr| expr.substitute(iter, &at));
    Some(check)
}
