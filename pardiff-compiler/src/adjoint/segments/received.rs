//! What steps receive from other ranks: kept whole, so that a step that runs again sends and receives nothing.
//!
//! ```text
//! step                          the same, the first time         the same, again
//! for t in 0..steps             for t in 0..steps                for t in 0..steps
//!   receive r from p              receive r from p                 r = received[t]
//!   x = f(x, r)                   received[t] = r                  x = f(x, r)
//!                                 x = f(x, r)
//! ```
//!
//! **Legality.** Ranks may cut their loops at different places, since no message belongs to a segment. A call that
//! receives stands in loops of a known number of iterations, and what it receives has a known size, so that the copies
//! are an array with the numbers of all these iterations as its index.

use super::find::ordinal;
use crate::ir::{
    Block, Buffer, BufferId, BufferSet, Callee, Expr, ExprKind, For, Order, Place, Program, Role, Stmt,
    StmtKind, Ty, over_elements, written,
};
use crate::schedule::cost::trip_count;

/// Lets marked loops keep what they receive: the copies, which are declared where the loops stand.
pub(super) fn keep(program: &mut Program) -> BufferSet {
    let mut copies = BufferSet::new();
    program.with_body(|program, body| keep_in(program, body, &mut copies));
    copies
}

fn keep_in(program: &mut Program, block: &mut Block, copies: &mut BufferSet) {
    for stmt in block {
        if let Some((buffers, body)) = stmt.as_scope_mut() {
            let changed = written(body);
            for inner in body.iter_mut() {
                let is_marked = inner.checkpoint().is_some() && inner.any(&mut is_message);
                let Some(each) = inner.as_for_mut().filter(|each| is_marked && each.order == Order::Up)
                else {
                    continue;
                };
                let mut keeping =
                    Keeping { program, changed: &changed, around: Vec::new(), made: Vec::new() };
                keeping.around(each);
                buffers.extend(&keeping.made);
                keeping.made.iter().for_each(|&copy| _ = copies.insert(copy));
            }
        }
        stmt.blocks_mut().into_iter().for_each(|inner| keep_in(program, inner, copies));
    }
}

fn is_message(stmt: &Stmt) -> bool {
    matches!(stmt.kind, StmtKind::Call { callee: Callee::Communication(_), .. })
}

/// What a call between ranks receives.
fn received(stmt: &Stmt) -> Option<BufferId> {
    let StmtKind::Call { callee: Callee::Communication(_), writes, .. } = &stmt.kind else { return None };
    writes.get(1).copied()
}

/// A loop that keeps what it receives.
struct Keeping<'a> {
    program: &'a mut Program,
    /// What is written where the loop stands.
    changed: &'a BufferSet,
    /// The number of the iteration, and how many there are, of each loop around.
    around: Vec<(Expr, Expr)>,
    made: Vec<BufferId>,
}

impl Keeping<'_> {
    fn around(&mut self, each: &mut For) {
        if each.is_by_one() && each.hi.ty == Ty::USIZE {
            self.around.push((ordinal(each), trip_count(each)));
            self.block(&mut each.body);
            self.around.pop();
        }
    }

    fn block(&mut self, block: &mut Block) {
        for mut stmt in std::mem::take(block) {
            let copy = received(&stmt).and_then(|array| self.copy(array, &stmt));
            if let Some(each) = stmt.as_for_mut() {
                self.around(each);
            } else if stmt.as_while().is_none() {
                stmt.blocks_mut().into_iter().for_each(|inner| self.block(inner));
            }
            block.push(stmt);
            block.extend(copy);
        }
    }

    /// `received[t, ..] = array[..]`, where the size of that is known before the loop.
    fn copy(&mut self, array: BufferId, stmt: &Stmt) -> Option<Stmt> {
        let Buffer { name, elem, dims, .. } = self.program[array].clone();
        let counts = self.around.iter().map(|(_, count)| count.clone());
        let all: Vec<Expr> = counts.chain(dims.iter().cloned()).collect();
        let is_known = |extent: &Expr| {
            !extent.reads_any(self.program, self.changed)
                && !extent.any(&mut |part| matches!(part.kind, ExprKind::Iter(_)))
        };
        if !all.iter().all(is_known) {
            return None;
        }
        let copies = Buffer::new(&format!("{name}_received"), elem, all, Role::Local);
        let copies = self.program.add_buffer(copies);
        self.made.push(copies);
        let at: Vec<Expr> = self.around.iter().map(|(number, _)| number.clone()).collect();
        Some(over_elements(self.program, dims, stmt.origin, &mut |index| {
            let target = Place::new(copies, [&at, index].concat());
            Stmt::assign(target, Place::new(array, index.to_vec()).load(elem), stmt.origin)
        }))
    }
}

/// A step that runs again: what it received is in the copies. `None` where something that it received is not kept.
pub(super) fn again(step: &For, copies: &BufferSet) -> Option<For> {
    let mut step = step.clone();
    from_copies(&mut step.body, copies).then_some(step)
}

fn from_copies(block: &mut Block, copies: &BufferSet) -> bool {
    let mut all = true;
    let mut out = Block::with_capacity(block.len());
    let mut rest = std::mem::take(block).into_iter().peekable();
    while let Some(mut stmt) = rest.next() {
        if is_message(&stmt) {
            let is_kept = |next: &Stmt| next.any(&mut |inner| kept(inner, copies).is_some());
            all &= received(&stmt).is_none() || rest.peek().is_some_and(is_kept);
            continue;
        }
        if let Some((copy, array)) = kept(&stmt, copies) {
            stmt = Stmt::assign(array, copy, stmt.origin);
        }
        stmt.blocks_mut().into_iter().for_each(|inner| all &= from_copies(inner, copies));
        out.push(stmt);
    }
    *block = out;
    all
}

/// Of a statement that keeps a number, the number kept and where it comes from.
fn kept(stmt: &Stmt, copies: &BufferSet) -> Option<(Expr, Place)> {
    let (target, value) = stmt.as_store()?;
    match &value.kind {
        ExprKind::Load(array) if copies.contains(target.buffer) => {
            Some((target.clone().load(value.ty), array.clone()))
        }
        _ => None,
    }
}
