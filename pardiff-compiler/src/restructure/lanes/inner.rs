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
//! *Legality.* Iterations of an innermost loop commute if each buffer that it writes, and that does not live inside it,
//! is either only updated, by one operation and read nowhere in the loop, or accessed at one index alone, which moves
//! by one element from iteration to iteration, so that no two iterations meet. Two such loops over the same range that
//! follow each other are one if the body of both has this property: then every order of all their iterations computes
//! the same, the one where all of the first come first included. A check is made before the loop for the iteration that
//! decides, if there is one. Where float sums keep their order (`strict`), only the second kind of buffer will do.

use super::accesses::Accesses;
use super::cost;
use super::fuse::rename;
use super::laneable::places;
use super::price::Price;
use super::stride::{Trend, Walk, opposite, trend, walk};
use crate::ir::{
    BinOp, Block, BufferId, BufferSet, Exec, Expr, ExprKind, For, IterId, Message, Order, Place, Program,
    Stmt, StmtKind, Ty,
};

/// Marks the innermost loops of an element loop, which declares `locals`; how many there are. A loop that also goes to
/// elements anywhere in memory is one of them if its own price says so.
pub(super) fn mark(program: &Program, locals: &BufferSet, strict: bool, element: &mut Stmt) -> usize {
    let inner = Inner { program, locals, strict };
    let mut marked = 0;
    for block in element.blocks_mut() {
        inner.block(block, &mut marked);
    }
    marked
}

/// Where innermost loops are looked for.
struct Inner<'a> {
    program: &'a Program,
    /// What the element loop declares.
    locals: &'a BufferSet,
    /// Whether float sums keep their order.
    strict: bool,
}

/// How the lanes of a loop walk through memory.
#[derive(PartialEq, Eq)]
enum Walks {
    /// From element to neighbouring element, or they stay.
    Contiguous,
    /// Some do, others go anywhere.
    Anywhere,
}

impl Inner<'_> {
    fn block(&self, block: &mut Block, marked: &mut usize) {
        self.fuse(block);
        let mut out = Block::with_capacity(block.len());
        for mut stmt in std::mem::take(block) {
            let innermost = match &stmt.kind {
                StmtKind::For(for_) => match self.walks(for_) {
                    Some(Walks::Contiguous) => true,
                    Some(Walks::Anywhere) => self.is_cheaper(&stmt),
                    None => false,
                },
                _ => false,
            };
            match &mut stmt.kind {
                StmtKind::For(for_) if innermost => {
                    for_.exec = Exec::Lanes { block: cost::LANES, mask: None };
                    for_.order = Order::Up;
                    *marked += 1;
                    out.extend(checks_before(for_).map(|cond| Stmt::new(cond, stmt.origin)));
                }
                // a block of lanes already
                StmtKind::For(For { exec: Exec::Lanes { .. }, .. }) => {}
                _ => {
                    for inner in stmt.blocks_mut() {
                        self.block(inner, marked);
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
        let renamed = Expr::iter(before.iter, self.program[before.iter].ty);
        let mut body = next.body.clone();
        rename(&mut body, next.iter, &renamed);
        both.body.extend(body);
        self.is_vector_loop(&both).then_some(both)
    }

    fn is_vector_loop(&self, for_: &For) -> bool {
        self.walks(for_) == Some(Walks::Contiguous)
    }

    /// How a loop walks that may run in lanes; nothing for one that may not, or where nothing is contiguous.
    fn walks(&self, for_: &For) -> Option<Walks> {
        let program = self.program;
        let counts = program[for_.iter].ty == Ty::USIZE
            && !for_.inclusive
            && for_.step == Expr::usize(1)
            && !matches!(for_.exec, Exec::Lanes { .. } | Exec::Parallel(_));
        if !counts || !for_.body.iter().all(|stmt| is_plain(program, stmt)) {
            return None;
        }
        let written = crate::ir::written(&for_.body);
        if [&for_.lo, &for_.hi].into_iter().any(|bound| bound.reads_any(program, &written)) {
            return None;
        }
        let accesses = Accesses::of(&for_.body)?;
        let varies = |place: &Place| written.contains(place.buffer);
        let (mut contiguous, mut anywhere) = (false, false);
        for (place, _) in accesses.iter().filter(|(place, _)| !accesses.declares(place.buffer)) {
            let ordered = self.strict && program[place.buffer].elem.is_float();
            let commute = match ordered {
                true => accesses.is_elementwise(place.buffer, for_.iter),
                false => accesses.commute_in(place.buffer, for_.iter),
            };
            if written.contains(place.buffer) && !commute {
                return None;
            }
            match walk(place, for_.iter, &varies) {
                Walk::Still => {}
                Walk::Contiguous => contiguous = true,
                Walk::Strided | Walk::Irregular => anywhere = true,
            }
        }
        contiguous.then_some(if anywhere { Walks::Anywhere } else { Walks::Contiguous })
    }

    /// Whether a loop is cheaper in lanes, in every size.
    fn is_cheaper(&self, stmt: &Stmt) -> bool {
        let StmtKind::For(for_) = &stmt.kind else { return false };
        let exec = Exec::Lanes { block: cost::LANES, mask: None };
        let in_lanes = Stmt::new(StmtKind::For(For { exec, ..for_.clone() }), stmt.origin);
        let none = BufferSet::new();
        cost::SIZES.into_iter().all(|size| {
            let price = Price::without_blocks(self.program, self.locals, &none, size);
            price.of_loop(&in_lanes) * cost::ANYWHERE_MARGIN < price.of_loop(stmt)
        })
    }
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

/// Takes the checks that one iteration decides out of a loop: `if lo < hi` they are made before it.
fn checks_before(for_: &mut For) -> Option<StmtKind> {
    let written = crate::ir::written(&for_.body);
    let mut checks = Vec::new();
    let (iter, lo, hi) = (for_.iter, for_.lo.clone(), for_.hi.clone());
    for_.body.retain(|stmt| {
        let moved = checked_once(stmt, iter, &lo, &hi, &written);
        let stays = moved.is_none();
        checks.extend(moved);
        stays
    });
    let cond = Expr::binary(BinOp::Lt, lo, hi);
    (!checks.is_empty()).then_some(StmtKind::If { cond, then: checks, els: Vec::new() })
}

/// The check of all iterations, in the one that decides. It is a comparison whose difference never falls, or never
/// rises, as the iterator counts up.
fn checked_once(stmt: &Stmt, iter: IterId, lo: &Expr, hi: &Expr, written: &BufferSet) -> Option<Stmt> {
    let StmtKind::Check { cond, message } = &stmt.kind else { return None };
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
    let there =
        |expr: &Expr| expr.map(&mut |expr| if expr.kind == ExprKind::Iter(iter) { at.clone() } else { expr });
    let mut message = message.clone();
    if !matches!(message, Message::Text(_)) {
        message.operands_mut().into_iter().for_each(|operand| *operand = there(operand));
    }
    Some(Stmt::new(StmtKind::Check { cond: there(cond), message }, stmt.origin))
}
