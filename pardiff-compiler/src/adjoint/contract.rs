//! Interface contraction: what depends on a batch through one number alone is computed once, for one.
//!
//! ```text
//! for row in 0..n                              for row in 0..n
//!   scope t                                      scope s, t
//!     t = d_y[row]                                 s = d_y[row]
//!     d_y[row] = 0.0                               t = 1.0
//!     for k in 0..m                                d_y[row] = 0.0
//!       t_k = t * w[k]                             for k in 0..m
//!       d_x[k] += t_k * f'(x[k])                     t_k = t * w[k]
//!                                                    d_x[k] += t_k * f'(x[k]) * s
//! ```
//!
//! *Comes in*: a program with derivatives, before it has the dimension of the batch. *Goes out*: the same in which
//! fewer buffers depend on the derivatives that the caller gives: of the example `s`, `d_x` and `d_y`. *Legality*: what
//! the block computes of such derivatives is linear in them, which is looked up in every expression, and it reads one
//! place of them, unchanged meanwhile: so it is that number times what one in its place gives. The factor is multiplied
//! where a value leaves the block. Where the block is all of the program, a parameter that many iterations add to is
//! summed first, and multiplied after them. The method is the interface contraction
//! of Hovland, Bischof, Spiegelman and Casella (SIAM Journal on Scientific Computing 18, 1997), for an interface of one
//! number.

use super::batch::{dependent, given};
use super::cut::seam;
use crate::ir::{
    BinOp, Block, Buffer, BufferId, BufferSet, Derivative, Expr, ExprKind, IterId, Origin, Place, Program,
    Role, Stmt, UnOp, declared, over_elements, scoped_as, written,
};
use crate::pass::Context;

/// Contracts the program, or the blocks of it that can be.
pub(super) fn contracted(program: &mut Program, context: &mut Context) {
    let Some(batch) = &context.batch else { return };
    let wide = dependent(program, batch.of, given(program, batch));
    program.with_body(|program, body| {
        if let Some(region) = Region::of(body, &wide)
            && region.is_as_it_stands(body)
        {
            whole(program, body, &region);
        } else {
            blocks(program, body, &wide);
        }
    });
}

/// Contracts the largest blocks of a block that can be.
fn blocks(program: &mut Program, block: &mut Block, wide: &BufferSet) {
    for stmt in block {
        let is_loop = stmt.is_loop();
        for inner in stmt.blocks_mut() {
            match Region::of(inner, wide) {
                Some(region) if is_loop && region.pays(inner) => region.contract(program, inner),
                _ => blocks(program, inner, wide),
            }
        }
    }
}

/// A block that depends on the derivatives given through one number.
struct Region {
    /// The number.
    source: Place,
    /// What the block declares, and what of that is wide.
    inside: BufferSet,
    wide: BufferSet,
}

impl Region {
    fn of(block: &Block, wide: &BufferSet) -> Option<Region> {
        let inside = declared(block);
        let mut reading = Reading { wide, inside: &inside, source: None, is_linear: true };
        crate::ir::walk(block, &mut |stmt| reading.stmt(stmt));
        let (source, true) = (reading.source?.clone(), reading.is_linear) else { return None };
        let region = Region { source, inside, wide: wide.clone() };
        (region.stays(block) && region.is_first_in_line(block)).then_some(region)
    }

    /// Whether the place is the same in all of the block.
    fn stays(&self, block: &Block) -> bool {
        let (changed, mut iters) = (written(block), Vec::new());
        crate::ir::walk(block, &mut |stmt| iters.extend(stmt.iter()));
        self.source.index.iter().all(|index| !index.loads_any(&changed) && !index.mentions_any(&iters))
    }

    /// Whether the first statement that reads the number is executed whenever the block is, and the number is not
    /// written but by zero after the last that does.
    fn is_first_in_line(&self, block: &Block) -> bool {
        let mut line = Vec::new();
        in_line(block, &mut line);
        let reads = |stmt: &Stmt| {
            stmt.any(&mut |stmt| stmt.exprs().iter().any(|expr| expr.loads(self.source.buffer)))
        };
        let Some(first) = line.iter().position(|stmt| reads(stmt)) else { return false };
        let last = line.iter().rposition(|stmt| reads(stmt)).unwrap_or(first);
        let is_cleared = |(at, stmt): (usize, &&Stmt)| {
            let writes =
                stmt.any(&mut |stmt| stmt.as_store().is_some_and(|(to, _)| to.buffer == self.source.buffer));
            let clears = stmt.as_assign().is_some_and(|(to, value)| *to == self.source && is_zero(value));
            !writes || clears && at > last
        };
        (self.is_as_it_stands(block) || line[first].as_store().is_some())
            && line.iter().enumerate().all(is_cleared)
    }

    /// Whether the number is a scalar that keeps its value.
    fn is_as_it_stands(&self, block: &Block) -> bool {
        self.source.index.is_empty() && !written(block).contains(self.source.buffer)
    }

    /// Whether a value of a wide buffer leaves the block here.
    fn leaves(&self, stmt: &Stmt) -> bool {
        stmt.as_store().is_some_and(|(to, value)| {
            self.wide.contains(to.buffer) && !self.inside.contains(to.buffer) && !is_zero(value)
        })
    }

    /// Whether what is computed once is no less deep in loops than where values leave.
    fn pays(&self, block: &Block) -> bool {
        let (mut within, mut leaving) = (None, None);
        by_depth(block, 0, &mut |stmt, depth| {
            let Some((to, value)) = stmt.as_store() else { return };
            let is_copy = matches!(&value.kind, ExprKind::Load(place) if *place == self.source);
            if self.leaves(stmt) {
                leaving = leaving.max(Some(depth));
            } else if self.wide.contains(to.buffer) && !is_zero(value) && !is_copy {
                within = within.max(Some(depth));
            }
        });
        within.is_some() && within >= leaving
    }

    /// Computes with one, and multiplies by the number what leaves.
    fn contract(&self, program: &mut Program, block: &mut Block) {
        let Some(origin) = block.first().map(|stmt| stmt.origin) else { return };
        let ty = program[self.source.buffer].elem;
        let factor = match self.is_as_it_stands(block) {
            true => self.source.buffer,
            false => program.add_scalar("factor", ty, Role::Local),
        };
        let is_local = factor != self.source.buffer;
        if is_local {
            let taken = Stmt::set(factor, self.source.clone().load(ty), origin);
            insert_before_first(block, &self.source, &mut Some(taken));
        }
        let one = Expr::float(ty, 1.0);
        crate::ir::walk_mut(block, &mut |stmt| {
            if stmt.as_scalar_assign().is_none_or(|(to, _)| to != factor) {
                stmt.exprs_mut().into_iter().for_each(|expr| expr.replace_loads(&self.source, &one));
            }
            if self.leaves(stmt)
                && let Some((_, value)) = stmt.as_store_mut()
            {
                *value = value.clone() * program.load_scalar(factor);
            }
        });
        if is_local {
            *block = scoped_as(vec![factor], std::mem::take(block), origin);
        }
    }
}

/// All of the program: parameters that are added to many times are sums of their own first.
fn whole(program: &mut Program, body: &mut Block, region: &Region) {
    let is_sum =
        |&id: &BufferId| region.wide.contains(id) && is_only_added_to(body, id) && is_summed(body, id);
    let added: Vec<BufferId> = program.params.iter().copied().filter(is_sum).collect();
    summed(program, body, region, &added, Block::new());
}

/// The gradient of a function whose result is one float, by a forward sweep that leaves it, for the seed one, behind a
/// seam; what follows the seam multiplies it by the seed. `None` where adjoints depend on more than that seed.
///
/// The tape is as large as the gradient, and both sweeps together cost what the gradient does, and what it takes to
/// keep it. With it come the sums that the sweep adds to an element of in one iteration alone: what is kept of these is
/// as many numbers as there are iterations.
pub fn seamed_after_gradient(gradient: &Program) -> Option<(Program, BufferSet)> {
    let mut program = gradient.clone();
    let is_given = |&id: &BufferId| matches!(program[id].role, Role::Adjoint(_));
    let given: BufferSet = program.params.iter().copied().filter(is_given).collect();
    let wide = dependent(&program, Derivative::Adjoint, given.clone());
    let region = Region::of(&program.body, &wide)?;
    let seed = region.source.buffer;
    let stored = written(&program.body);
    let added: Vec<BufferId> = given.iter().filter(|&id| id != seed && stored.contains(id)).collect();
    let is_tape = |&id: &BufferId| is_only_added_to(&program.body, id);
    if !region.is_as_it_stands(&program.body) || !added.iter().all(is_tape) {
        return None;
    }
    let seam = vec![seam(&program)];
    let is_owned: Vec<bool> = added.iter().map(|&id| !is_summed(&program.body, id)).collect();
    let sums = program.with_body(|program, body| summed(program, body, &region, &added, seam));
    let owned = sums.into_iter().zip(is_owned).filter_map(|(sum, is_owned)| is_owned.then_some(sum));
    Some((program, owned.collect()))
}

/// Contracts all of the program, with sums of their own for these parameters, to which they are added, times the
/// number, after more statements; the sums in this order.
fn summed(
    program: &mut Program,
    body: &mut Block,
    region: &Region,
    added: &[BufferId],
    then: Block,
) -> Vec<BufferId> {
    let Some(origin) = body.first().map(|stmt| stmt.origin) else { return Vec::new() };
    let mut sums: Vec<(BufferId, BufferId)> = Vec::new();
    for &id in added {
        let Buffer { name, elem, dims, role, .. } = program[id].clone();
        sums.push((id, program.add_buffer(Buffer::new(&name, elem, dims, role))));
    }
    crate::ir::walk_mut(body, &mut |stmt| {
        if let Some((to, _)) = stmt.as_store_mut()
            && let Some((_, sum)) = sums.iter().find(|(of, _)| *of == to.buffer)
        {
            to.buffer = *sum;
        }
    });
    let own: Vec<BufferId> = sums.iter().map(|(_, sum)| *sum).collect();
    let inside = region.inside.iter().chain(own.iter().copied()).collect();
    Region { source: region.source.clone(), inside, wide: region.wide.clone() }.contract(program, body);
    let mut all = Block::new();
    for &(of, sum) in &sums {
        let zero = Expr::float(program[of].elem, 0.0);
        let made = &mut |index| Stmt::assign(Place::new(sum, index), zero.clone(), origin);
        all.push(over(program, of, origin, made));
    }
    all.append(body);
    all.extend(then);
    for &(of, sum) in &sums {
        let (ty, factor) = (program[of].elem, program.load_scalar(region.source.buffer));
        let made = &mut |index: Vec<Expr>| {
            let value = Place::new(sum, index.clone()).load(ty) * factor.clone();
            Stmt::add(Place::new(of, index), value, origin)
        };
        all.push(over(program, of, origin, made));
    }
    *body = scoped_as(own.clone(), all, origin);
    own
}

/// Whether all that a block does to a buffer is adding to it.
fn is_only_added_to(body: &[Stmt], of: BufferId) -> bool {
    crate::ir::all(body, &mut |stmt| {
        stmt.as_sum().is_some() || stmt.as_store().is_none_or(|(to, _)| to.buffer != of)
    })
}

/// Loops over the elements of a parameter.
fn over(
    program: &mut Program,
    of: BufferId,
    origin: Origin,
    made: &mut dyn FnMut(Vec<Expr>) -> Stmt,
) -> Stmt {
    let extents = program[of].dims.clone();
    over_elements(program, extents, origin, &mut |index| made(index.to_vec()))
}

/// What a block reads of wide buffers that it does not declare, and whether all that it computes of wide ones is
/// linear.
struct Reading<'a> {
    wide: &'a BufferSet,
    inside: &'a BufferSet,
    source: Option<&'a Place>,
    is_linear: bool,
}

impl<'a> Reading<'a> {
    fn stmt(&mut self, stmt: &'a Stmt) {
        stmt.each_expr(&mut |expr| {
            expr.each_load(&mut |place| {
                if self.wide.contains(place.buffer) && !self.inside.contains(place.buffer) {
                    self.is_linear &= *self.source.get_or_insert(place) == place;
                }
            });
        });
        let is_wide = |id: BufferId| self.wide.contains(id);
        self.is_linear &= if let Some((target, value)) = stmt.as_store().filter(|(to, _)| is_wide(to.buffer))
        {
            (stmt.as_assign().is_some() || stmt.as_sum().is_some())
                && !target.index.iter().any(|index| index.loads_any(self.wide))
                && is_linear(value, self.wide)
        } else {
            // an exchange of two of the block is linear, what a call does is not known
            let stays = stmt.as_swap().is_some() && stmt.whole().all(|id| self.inside.contains(id));
            (stays || !stmt.whole().any(is_wide))
                && !stmt.exprs().iter().any(|expr| expr.loads_any(self.wide))
        };
    }
}

/// Whether an expression is linear in what it loads of these buffers, all of one type, without a term free of them.
fn is_linear(expr: &Expr, wide: &BufferSet) -> bool {
    let free = |part: &Expr| !part.loads_any(wide);
    let linear = |part: &Expr| is_linear(part, wide);
    match &expr.kind {
        ExprKind::Float(_) => is_zero(expr),
        ExprKind::Load(place) => wide.contains(place.buffer),
        ExprKind::Unary(UnOp::Neg, operand) => linear(operand),
        ExprKind::Binary(BinOp::Add | BinOp::Sub, a, b) => linear(a) && linear(b),
        ExprKind::Binary(BinOp::Mul, a, b) => linear(a) && free(b) || free(a) && linear(b),
        ExprKind::Binary(BinOp::Div, a, b) => linear(a) && free(b),
        ExprKind::Select(parts) => {
            let [condition, yes, no] = &**parts;
            free(condition) && linear(yes) && linear(no)
        }
        _ => false,
    }
}

fn is_zero(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Float(value) if value == 0.0)
}

/// Puts a statement before the first in line that reads the number.
fn insert_before_first(block: &mut Block, source: &Place, taken: &mut Option<Stmt>) {
    let mut at = 0;
    while at < block.len() && taken.is_some() {
        if let Some((_, inner)) = block[at].as_scope_mut() {
            insert_before_first(inner, source, taken);
        } else if block[at].exprs().iter().any(|expr| expr.loads(source.buffer)) {
            block.splice(at..at, taken.take());
        }
        at += 1;
    }
}

/// The statements that are executed whenever the block is: those in scopes as well.
fn in_line<'a>(block: &'a Block, line: &mut Vec<&'a Stmt>) {
    for stmt in block {
        match stmt.as_scope() {
            Some((_, inner)) => in_line(inner, line),
            None => line.push(stmt),
        }
    }
}

/// Visits statements with the number of loops around them.
fn by_depth(block: &Block, depth: usize, visit: &mut dyn FnMut(&Stmt, usize)) {
    for stmt in block {
        visit(stmt, depth);
        let inner = depth + usize::from(stmt.is_loop());
        stmt.each_block(&mut |block| by_depth(block, inner, visit));
    }
}

/// Whether several iterations may add to one element of a buffer: an index of a sum lacks an iterator of a loop around
/// it, and so do the bounds of the loops over the iterators that it has, or is read from an array.
fn is_summed(body: &Block, of: BufferId) -> bool {
    fn search(block: &Block, of: BufferId, around: &mut Vec<(Option<IterId>, Vec<Expr>)>) -> bool {
        block.iter().any(|stmt| {
            if let Some(sum) = stmt.as_sum()
                && sum.target.buffer == of
            {
                let mut parts: Vec<Expr> = sum.target.index.clone();
                parts.iter_mut().for_each(|index| {
                    index.change(&mut |node| {
                        if matches!(node.kind, ExprKind::Load(_)) {
                            *node = Expr::usize(0);
                        }
                    })
                });
                return around.iter().rev().any(|(iter, bounds)| {
                    let covered = iter.is_some_and(|iter| parts.iter().any(|part| part.mentions(iter)));
                    parts.extend(bounds.iter().cloned());
                    !covered
                });
            }
            let is_loop = stmt.is_loop();
            if is_loop {
                let bounds = stmt.as_for().map(|each| vec![each.lo.clone(), each.hi.clone()]);
                around.push((stmt.iter(), bounds.unwrap_or_default()));
            }
            let mut found = false;
            stmt.each_block(&mut |block| found |= search(block, of, around));
            if is_loop {
                around.pop();
            }
            found
        })
    }
    search(body, of, &mut Vec::new())
}
