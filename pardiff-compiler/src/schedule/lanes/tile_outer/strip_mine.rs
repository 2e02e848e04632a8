//! A loop in batches of iterations: a part of its body is executed by all of a batch before the next part is.
//!
//! ```text
//! for i in lo..hi                  for b in lo..hi step 8
//!   scope s                          scope w: usize, s: f64[8]
//!     s = …                            w = min(8, hi - b)
//!     …                      =>        for turn in 0..w
//!     d_y += s                           s[turn] = …
//!                                      …
//!                                      for turn in 0..w
//!                                        d_y += s[turn]
//! ```
//!
//! *Legality.* Iterations of the loop commute but for sums (the caller vouches for it), so any interleaving of the
//! statements of different iterations computes the same, as long as each iteration executes its own statements in their
//! order and finds its own locals. Locals that live across parts have a row for each iteration of a batch; their extents
//! read nothing that the loop writes. [`batch`](crate::schedule::lanes::batch) and [`scalars`](crate::schedule::lanes::scalars) say which parts there are.

use super::row_sweeps::Loop;
use crate::ir::scoped;
use crate::ir::substitute;
use crate::ir::{
    BinOp, Block, BufferId, BufferSet, Exec, Expr, ExprKind, For, Func, IterId, Layout, Order, Place,
    Program, Role, Stmt, Ty,
};
use crate::schedule::lanes::blocks::in_registers;
use crate::schedule::lanes::cost;
use crate::schedule::lanes::inner::in_lanes;

/// Statements that are executed together.
pub(super) enum Part {
    /// By one iteration of the batch after the other.
    Turns(Block),
    /// By all of them, a lane each.
    Lanes(Block),
    /// A sweep of all.
    Sweep(Box<Stmt>),
}

impl Part {
    fn mentions(&self, program: &Program, buffer: BufferId) -> bool {
        match self {
            Part::Turns(list) | Part::Lanes(list) => list.iter().any(|stmt| stmt.mentions(program, buffer)),
            Part::Sweep(sweep) => sweep.mentions(program, buffer),
        }
    }
}

/// The parts of a body.
#[derive(Default)]
pub(super) struct Parts {
    pub(super) all: Vec<Part>,
    declared: Vec<BufferId>,
}

impl Parts {
    /// Takes the body of a loop apart; fails where a local that is declared behind statements may have no extents before
    /// them.
    pub(super) fn of(around: &Loop<'_>, part: impl Fn(&Stmt) -> Part) -> Option<Parts> {
        let mut parts = Parts::default();
        parts.add(around, &around.each.body, &part)?;
        Some(parts)
    }

    fn add(&mut self, around: &Loop<'_>, block: &Block, part: &dyn Fn(&Stmt) -> Part) -> Option<()> {
        for stmt in block {
            match stmt.as_scope() {
                Some((buffers, body)) => {
                    for &buffer in buffers {
                        let dims = &around.program[buffer].dims;
                        let total = self.all.is_empty() || dims.iter().all(Expr::is_total);
                        if !total || !dims.iter().all(|dim| around.is_fixed(dim)) {
                            return None;
                        }
                    }
                    self.declared.extend(buffers);
                    self.add(around, body, part)?;
                }
                None => self.push(part(stmt)),
            }
        }
        Some(())
    }

    /// Adds a part, to the last one if both are executed in the same way.
    pub(super) fn push(&mut self, part: Part) {
        match (self.all.last_mut(), part) {
            (Some(Part::Turns(list)), Part::Turns(more)) | (Some(Part::Lanes(list)), Part::Lanes(more)) => {
                list.extend(more);
            }
            (_, part) => self.all.push(part),
        }
    }

    /// The loop in batches, and the iterators of the loops over the iterations of a batch.
    pub(super) fn in_batches(
        self,
        program: &mut Program,
        stmt: &Stmt,
        each: &For,
    ) -> Option<(Stmt, Vec<IterId>)> {
        let mut kept = vec![Vec::new(); self.all.len()];
        let mut rows = BufferSet::new();
        let mut held = Vec::new();
        for &buffer in &self.declared {
            let users: Vec<usize> =
                (0..self.all.len()).filter(|&k| self.all[k].mentions(program, buffer)).collect();
            match users[..] {
                [] => {}
                [user] if !matches!(self.all[user], Part::Sweep(_)) => kept[user].push(buffer),
                _ if program[buffer].layout != Layout::RowMajor => return None,
                _ => {
                    rows.insert(buffer);
                    held.push(buffer);
                }
            }
        }
        if !each.body.iter().all(|stmt| keeps_rows_apart(program, stmt, each.iter, &rows)) {
            return None;
        }
        for &buffer in &held {
            let declared = &mut program[buffer];
            if declared.rank() > 0 && declared.elem.is_float() {
                declared.layout = Layout::Padded(cost::VECTOR);
            }
            declared.dims.insert(0, Expr::usize(cost::BATCH));
        }
        let first = program.add_iter("b", Ty::USIZE);
        let width = program.add_scalar("w", Ty::USIZE, Role::Local);
        let mut build = Build { program, each, first, width, rows, turns: Vec::new() };
        let mut body = Block::new();
        for (part, kept) in self.all.into_iter().zip(kept) {
            match part {
                Part::Turns(turns) => body.push(build.in_turn(scoped(kept, turns), stmt)),
                Part::Lanes(lanes) => body.extend(build.in_lanes(scoped(kept, lanes), stmt)),
                Part::Sweep(mut sweep) => {
                    if let Some(sweep) = sweep.as_for_mut() {
                        let inner = std::mem::take(&mut sweep.body);
                        sweep.body = vec![build.in_turn(inner, stmt)];
                    }
                    body.push(*sweep);
                }
            }
        }
        let turns = build.turns;
        let left = Expr::binary(BinOp::Sub, each.hi.clone(), Expr::iter(first, Ty::USIZE));
        let value = Expr::call(Ty::USIZE, Func::IntMin, vec![Expr::usize(cost::BATCH), left]);
        let mut whole = vec![Stmt::set(width, value, stmt.origin)];
        whole.extend(scoped(held, body));
        let over_batches = For {
            iter: first,
            step: Expr::usize(cost::BATCH),
            order: Order::Up,
            exec: Exec::Sequential,
            ..each.around(scoped(vec![width], whole))
        };
        Some((over_batches.stmt(stmt.origin), turns))
    }
}

/// Whether a statement does nothing with whole arrays of a set, and declares nothing whose extents differ between the
/// iterations over `iter`.
fn keeps_rows_apart(program: &Program, stmt: &Stmt, iter: IterId, rows: &BufferSet) -> bool {
    let mut apart = true;
    stmt.walk(&mut |stmt| {
        apart &= !stmt.is_opaque() && !stmt.is_fork() && !stmt.whole().any(|buffer| rows.contains(buffer));
        for dim in stmt.declares().iter().flat_map(|&buffer| &program[buffer].dims) {
            apart &= dim.all(&mut |part| match &part.kind {
                ExprKind::Iter(other) => *other != iter,
                ExprKind::Load(Place { buffer, .. }) | ExprKind::Extent(buffer, _) => !rows.contains(*buffer),
                _ => true,
            });
        }
    });
    apart
}

struct Build<'p> {
    program: &'p mut Program,
    each: &'p For,
    first: IterId,
    width: BufferId,
    /// Locals with a row for each iteration of a batch.
    rows: BufferSet,
    turns: Vec<IterId>,
}

impl Build<'_> {
    /// Statements of one iteration, for those of a batch one after the other.
    fn in_turn(&mut self, body: Block, like: &Stmt) -> Stmt {
        let each = For { exec: Exec::Sequential, ..self.over_turns(body) };
        self.turns.push(each.iter);
        each.stmt(like.origin)
    }

    /// The same in lanes, behind the checks that one iteration decides.
    fn in_lanes(&mut self, body: Block, like: &Stmt) -> Block {
        let mut each = self.over_turns(body);
        let checks = in_lanes(&mut each);
        let mut lanes = each.stmt(like.origin);
        in_registers(self.program, &mut lanes);
        checks.map(|checks| Stmt::new(checks, like.origin)).into_iter().chain([lanes]).collect()
    }

    fn over_turns(&mut self, mut body: Block) -> For {
        let turn = self.program.add_iter("turn", Ty::USIZE);
        let number = Expr::iter(turn, Ty::USIZE);
        self.block(&mut body, &number);
        let value = Expr::iter(self.first, Ty::USIZE) + number;
        substitute(&mut body, self.each.iter, &value);
        For::counted(turn, self.program.load_scalar(self.width), body)
    }

    /// Names the row of an iteration.
    fn block(&self, block: &mut Block, number: &Expr) {
        for stmt in block {
            for expr in stmt.exprs_mut() {
                *expr = expr.map(&mut |mut expr| {
                    match &mut expr.kind {
                        ExprKind::Load(place) if self.rows.contains(place.buffer) => {
                            place.index.insert(0, number.clone());
                        }
                        ExprKind::Extent(buffer, dim) if self.rows.contains(*buffer) => *dim += 1,
                        _ => {}
                    }
                    expr
                });
            }
            if let Some((target, _)) = stmt.as_store_mut()
                && self.rows.contains(target.buffer)
            {
                target.index.insert(0, number.clone());
            }
            stmt.blocks_mut().into_iter().for_each(|inner| self.block(inner, number));
        }
    }
}
