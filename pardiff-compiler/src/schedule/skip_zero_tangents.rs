//! Sums of tangents that are zero in all iterations of a loop are skipped.
//!
//! ```text
//! for i in 0..n                                scope moves: bool[22]
//!   for b in 0..22                               for b in 0..22
//!     x[i] += w[i, b] * m[b]                       moves[b] = false
//!     for d in 0..8                                for d in 0..8
//!       x_dot[i, d] += w[i, b] * m_dot[b, d]         moves[b] = moves[b] | m_dot[b, d] != 0.0
//!                                          =>    for i in 0..n
//!                                                  for b in 0..22
//!                                                    x[i] += w[i, b] * m[b]
//!                                                    if moves[b]
//!                                                      for d in 0..8
//!                                                        x_dot[i, d] += w[i, b] * m_dot[b, d]
//! ```
//!
//! A column of a Jacobian is the tangent along a direction with one number in it, and most tangents along it are
//! zero: a joint moves few bones. Which tangents are zero depends on the directions, so an inspector computes it at
//! run time, once, before the loop that reads them many times.
//!
//! *Legality.* Each skipped statement adds an expression that is linear in tangents, without a constant term, or
//! assigns one to a scalar that lives among the skipped statements. The loop does not write these tangents, and the
//! inspector reads all of them. So if none differs from zero, only additions of zero are skipped. A zero tangent
//! contributes exactly nothing, also where a partial derivative is infinite or NaN; a tangent that is NaN differs
//! from zero. Statements of the primal are never skipped. The inspector may run where the loop has no iteration, so
//! it only reads elements that are in the array: each index is a constant below the extent, or counts from zero to
//! no more than the extent.
//!
//! *Price.* The skipped statements cost several times as much as the question; in effect, only batches have so
//! many. One question for the whole loop is not asked: a direction that moves anything would answer yes. Sums
//! through an index array are not skipped: how they are parallelised depends on the nest that they stand in.

use super::cost::{nominal_trips, nominal_work};
use super::linear;
use crate::ir::{
    BinOp, Block, Buffer, BufferId, BufferSet, Derivative, Expr, ExprKind, For, IterId, Layout, Place,
    Program, Role, Stmt, StmtKind, Ty, declared, written,
};
use crate::limits::{ITERATIONS_FOR_AN_INSPECTOR, WORK_OF_A_ZERO_TANGENT};

/// Skips sums of tangents that are found to be zero before a loop.
pub(super) fn skip(program: &mut Program) {
    if program.buffers.iter().any(is_tangent) {
        program.with_body(|program, body| Skipping { program, flags: BufferSet::new() }.block(body));
    }
}

fn is_tangent(buffer: &Buffer) -> bool {
    matches!(buffer.role.derivative(), Some((_, Derivative::Tangent)))
}

struct Skipping<'p> {
    program: &'p mut Program,
    /// Whether tangents differ from zero.
    flags: BufferSet,
}

impl Skipping<'_> {
    fn block(&mut self, block: &mut Block) {
        for stmt in block {
            if let Some(each) =
                stmt.as_for_mut().filter(|each| nominal_trips(each) >= ITERATIONS_FOR_AN_INSPECTOR)
            {
                let mut inside = written(&each.body);
                inside.union(&declared(&each.body));
                let mut around =
                    Around { inside, loops: Vec::new(), flags: Vec::new(), inspectors: Block::new() };
                self.runs(&mut each.body, &mut around);
                let Around { flags, inspectors: mut body, .. } = around;
                if !flags.is_empty() {
                    body.push(stmt.take());
                    stmt.kind = StmtKind::Scope { buffers: flags, body };
                }
            }
            if !asks(&self.flags, stmt) {
                stmt.blocks_mut().into_iter().for_each(|inner| self.block(inner));
            }
        }
    }

    /// Finds the statements in a block of the loop.
    fn runs(&mut self, block: &mut Block, around: &mut Around) {
        let (mut run, mut linear) = (Block::new(), Linear::default());
        for mut stmt in std::mem::take(block) {
            let mut with = linear.clone();
            let sight = Sight { program: self.program, around, flags: &self.flags };
            if !has_dear_iterations(&stmt) && with.takes(&sight, &stmt) {
                run.push(stmt);
                linear = with;
                continue;
            }
            block.append(&mut self.asked(std::mem::take(&mut run), std::mem::take(&mut linear), around));
            if let Some(each) = stmt.as_for_mut() {
                around.loops.push(Loop::of(each, &around.inside));
                self.runs(&mut each.body, around);
                around.loops.pop();
            } else if !asks(&self.flags, &stmt) && stmt.as_while().is_none() {
                stmt.blocks_mut().into_iter().for_each(|inner| self.runs(inner, around));
            }
            block.push(stmt);
        }
        block.append(&mut self.asked(run, linear, around));
    }

    /// The statements under a condition, if that pays.
    fn asked(&mut self, run: Block, linear: Linear, around: &mut Around) -> Block {
        let Some(origin) = run.first().map(|stmt| stmt.origin) else { return run };
        if linear.places.is_empty() || nominal_work(&run) < WORK_OF_A_ZERO_TANGENT {
            return run;
        }
        let is_asked = |each: &&Loop| linear.places.iter().any(|place| place.mentions(each.iter));
        let outer: Vec<Loop> = around.loops.iter().filter(is_asked).cloned().collect();
        if outer.is_empty() {
            return run;
        }
        let dims = outer.iter().filter_map(|each| each.hi.clone()).collect();
        let flag = self.program.add_buffer(Buffer::new("moves", Ty::Bool, dims, Role::Local));
        let index = outer.iter().map(|each| Expr::iter(each.iter, Ty::USIZE)).collect();
        let flag_here = Place::new(flag, index);
        let differs = |place: &Place| {
            let ty = self.program[place.buffer].elem;
            Expr::binary(BinOp::Ne, place.clone().load(ty), Expr::float(ty, 0.0))
        };
        let already = flag_here.clone().load(Ty::Bool);
        let any = linear.places.iter().map(differs).fold(already, |a, b| Expr::binary(BinOp::BitOr, a, b));
        let inner: Vec<Loop> = linear.loops.iter().filter(is_asked).cloned().collect();
        let asking = vec![Stmt::assign(flag_here.clone(), any, origin)];
        let mut inspector = self.over(inner, asking);
        inspector.insert(0, Stmt::assign(flag_here.clone(), Expr::bool(false), origin));
        around.inspectors.append(&mut self.over(outer, inspector));
        around.flags.push(flag);
        self.flags.insert(flag);
        vec![Stmt::when(flag_here.load(Ty::Bool), run, origin)]
    }

    /// Loops of the inspector, with iterators of their own.
    fn over(&mut self, loops: Vec<Loop>, mut body: Block) -> Block {
        for Loop { iter, hi } in loops.into_iter().rev() {
            let (Some(hi), Some(origin)) = (hi, body.first().map(|stmt| stmt.origin)) else { continue };
            let own = self.program.add_iter(&self.program[iter].name.clone(), Ty::USIZE);
            crate::ir::substitute(&mut body, iter, &Expr::iter(own, Ty::USIZE));
            body = vec![For::counted(own, hi, body).stmt(origin)];
        }
        body
    }
}

/// A loop around the skipped statements, inside the one that the inspector precedes; or a loop among them.
#[derive(Clone)]
struct Loop {
    iter: IterId,
    /// What it counts to from zero by one, if that is the same in all iterations of the loop around.
    hi: Option<Expr>,
}

impl Loop {
    fn of(each: &For, inside: &BufferSet) -> Loop {
        let stays = |part: &Expr| match &part.kind {
            ExprKind::Iter(_) => false,
            ExprKind::Load(place) => !inside.contains(place.buffer),
            ExprKind::Extent(buffer, _) => !inside.contains(*buffer),
            _ => true,
        };
        let hi = (each.is_from_zero() && each.hi.is_total() && each.hi.all(&mut |part| stays(part)))
            .then(|| each.hi.clone());
        Loop { iter: each.iter, hi }
    }
}

/// The loop that inspectors precede.
struct Around {
    /// What it writes or declares.
    inside: BufferSet,
    /// The loops in it, around the statements that are looked at.
    loops: Vec<Loop>,
    flags: Vec<BufferId>,
    inspectors: Block,
}

/// Whether an iteration is worth a question of its own.
fn has_dear_iterations(stmt: &Stmt) -> bool {
    stmt.as_for().is_some_and(|each| nominal_work(&each.body) >= WORK_OF_A_ZERO_TANGENT)
}

/// Whether the statement is a condition that was put around others.
fn asks(flags: &BufferSet, stmt: &Stmt) -> bool {
    stmt.as_if().is_some_and(|(cond, ..)| cond.loads_any(flags))
}

const NOTHING: &Block = &Block::new();

/// What is known where statements are looked at.
struct Sight<'a> {
    program: &'a Program,
    around: &'a Around,
    /// Whether tangents differ from zero.
    flags: &'a BufferSet,
}

/// Statements that follow each other and do nothing where some tangents are zero.
#[derive(Clone, Default)]
struct Linear {
    /// The tangents.
    places: Vec<Place>,
    /// Loops among the statements.
    loops: Vec<Loop>,
    /// Variables that live among them, and those of them that are zero.
    locals: BufferSet,
    zero: BufferSet,
}

impl Linear {
    /// Whether the statement is one of them.
    fn takes(&mut self, sight: &Sight, stmt: &Stmt) -> bool {
        if let Some(sum) = stmt.as_sum() {
            let inside = &sight.around.inside;
            let is_indirect = |index: &Expr| index.loads_elements() || index.loads_any(inside);
            return !sum.target.index.iter().any(is_indirect) && self.is_linear(sight, sum.value);
        }
        if let Some((scalar, value)) = stmt.as_scalar_assign() {
            let is_zero = self.locals.contains(scalar) && self.is_linear(sight, value);
            if is_zero {
                self.zero.insert(scalar);
            }
            return is_zero;
        }
        let inner = if let Some((buffers, body)) = stmt.as_scope() {
            self.locals.extend(buffers.iter().copied());
            [body, NOTHING]
        } else if let Some(each) = stmt.as_for() {
            let inner = Loop::of(each, &sight.around.inside);
            let counts = inner.hi.is_some();
            self.loops.push(inner);
            if !counts {
                return false;
            }
            [&each.body, NOTHING]
        } else if let Some((_, then, els)) = stmt.as_if().filter(|_| !asks(sight.flags, stmt)) {
            [then, els]
        } else {
            return false;
        };
        inner.into_iter().flatten().all(|stmt| self.takes(sight, stmt))
    }

    /// Whether the value is zero where the tangents are, whatever else is in it.
    fn is_linear(&mut self, sight: &Sight, value: &Expr) -> bool {
        linear::is_linear(value, &mut |place| self.zero.contains(place.buffer) || self.asks_for(sight, place))
    }

    /// Asks for a tangent, if the inspector can read it before the loop.
    fn asks_for(&mut self, sight: &Sight, place: &Place) -> bool {
        let buffer = &sight.program[place.buffer];
        let bound = |iter: IterId| {
            let mut loops = sight.around.loops.iter().chain(&self.loops);
            loops.find(|each| each.iter == iter).and_then(|each| each.hi.as_ref())
        };
        // the extent is that of now
        let stays = |dim: &Expr| {
            dim.all(&mut |part| match &part.kind {
                ExprKind::Load(place) => sight.program[place.buffer].role == Role::Input,
                _ => true,
            })
        };
        let is_inside = |(dim, index): (&Expr, &Expr)| match (&index.kind, &dim.kind) {
            (ExprKind::Int(at), ExprKind::Int(dim)) => at < dim,
            (ExprKind::Iter(iter), _) => bound(*iter).is_some_and(|hi| match (&hi.kind, &dim.kind) {
                (ExprKind::Int(hi), ExprKind::Int(dim)) => hi <= dim,
                _ => hi == dim && stays(dim),
            }),
            _ => false,
        };
        let is_known = is_tangent(buffer)
            && buffer.layout == Layout::RowMajor
            && !sight.around.inside.contains(place.buffer)
            && buffer.dims.len() == place.index.len()
            && buffer.dims.iter().zip(&place.index).all(is_inside);
        if is_known && !self.places.contains(place) {
            self.places.push(place.clone());
        }
        is_known
    }
}
