//! Tasks over the parts of an array become one loop over its elements: strip-mining undone.
//!
//! ```text
//! before                                                after
//!   for part in 0..trip_count(0, n, 16) marks(rayon)      for i in 0..n marks(rayon)
//!     start = part * 16
//!     len = int::min(16, n - part * 16)
//!     for k in 0..len
//!       at = start + k                                      at = i
//!       y[at] = sin(x[part * 16 + k])                       y[at] = sin(x[i])
//! ```
//!
//! How long a part is was chosen for the function. Its reversal has other work and copies of other sizes, and vectors
//! run along the elements: both are decided for a loop over elements.
//!
//! *Legality.* There are as many parts as `n` elements fill, all of one length but the last, and the loop over a part
//! begins at its first element. So elements come in the same order. Nothing else happens in a part, and its number is
//! used for nothing but the index of an element. Where several arrays are cut side by side, `n` is the least of their
//! lengths. That elements may be computed at once is proved of the new loop, or the parts stay: an element may follow
//! from the one before it.

use super::{Options, legality};
use crate::ir::{
    BinOp, Block, BufferId, Expr, ExprKind, For, Func, Grain, IterId, Marks, Order, Place, Program, Rayon,
    Role, Ty, declared, walk, walk_mut,
};
use crate::poly::Analysis;

/// Makes one loop of the parts of each of rayon's loops over parts.
pub(super) fn coalesce(program: &mut Program, options: &Options) {
    let mut loops = Vec::new();
    walk(&program.body, &mut |stmt| {
        loops.extend(stmt.as_for().filter(|each| each.marks.rayon.is_some()).map(|each| each.iter));
    });
    for parts in loops {
        if let Some((candidate, elements)) = coalesced(program, parts)
            && is_parallel(&candidate, elements, options)
        {
            *program = candidate;
        }
    }
}

fn is_parallel(program: &Program, elements: IterId, options: &Options) -> bool {
    let analysis = Analysis::new(program);
    crate::ir::any(&program.body, &mut |stmt| {
        let found = stmt.as_for().filter(|each| each.iter == elements);
        found.is_some_and(|each| legality::is_parallel(&analysis, each, options).is_ok())
    })
}

/// The program with one loop in the place of that over `parts`, and the iterator of that loop.
fn coalesced(program: &Program, parts: IterId) -> Option<(Program, IterId)> {
    let mut found = None;
    walk(&program.body, &mut |stmt| {
        if let Some(each) = stmt.as_for().filter(|each| each.iter == parts) {
            let strips = Strips::of(program, each).and_then(|strips| strips.coalesced());
            found = strips.zip(program.rayon_of(&each.marks));
        }
    });
    let ((elements, mut body), rayon) = found?;
    let grain = if rayon.grain == Grain::Task { Grain::Element } else { Grain::Item };
    let mut program = program.clone();
    let rayon = program.add_rayon(Rayon { owned: Vec::new(), grain });
    let iter = program.add_iter(&program[body.iter].name.clone(), Ty::USIZE);
    crate::ir::substitute(&mut body.body, body.iter, &Expr::iter(iter, Ty::USIZE));
    let marks = Marks { rayon: Some(rayon), ..Marks::default() };
    let whole = For { iter, hi: elements, marks, ..body };
    program.with_body(|_, block| {
        walk_mut(block, &mut |stmt| {
            if let Some(each) = stmt.as_for_mut().filter(|each| each.iter == parts) {
                *each = whole.clone();
            }
        });
    });
    Some((program, iter))
}

/// A loop over parts, with what is computed of a part before its elements.
struct Strips<'p> {
    program: &'p Program,
    each: &'p For,
    /// By buffer: how many statements write it.
    writes: Vec<u32>,
    /// Scalars that one statement of the program writes, with their values.
    values: Vec<(BufferId, &'p Expr)>,
    inner: &'p For,
}

impl<'p> Strips<'p> {
    fn of(program: &'p Program, each: &'p For) -> Option<Strips<'p>> {
        let mut writes = vec![0; program.buffers.len()];
        let mut values = Vec::new();
        walk(&program.body, &mut |stmt| {
            stmt.writes_itself(&mut |buffer| writes[buffer.0 as usize] += 1);
            values.extend(stmt.as_scalar_assign());
        });
        values.retain(|(scalar, value)| writes[scalar.0 as usize] == 1 && value.ty == Ty::USIZE);
        let inner = only_loop(&each.body)?;
        let is_plain = |each: &For| each.is_from_zero() && each.order == Order::Up;
        let unmarked = inner.marks == Marks::default()
            && each.marks == Marks { rayon: each.marks.rayon, ..Marks::default() };
        (is_plain(each) && is_plain(inner) && unmarked).then_some(Strips {
            program,
            each,
            writes,
            values,
            inner,
        })
    }

    /// How many elements there are, and the loop over them, whose iterator is still that of a part.
    fn coalesced(&self) -> Option<(Expr, For)> {
        let (size, lengths) = self.lengths()?;
        let mut of_part = Vec::new();
        self.least(&self.inner.hi, &mut of_part);
        let rest = |it: &Expr| match &it.kind {
            ExprKind::Binary(BinOp::Sub, n, start) if self.start(start, size) => Some((**n).clone()),
            _ => None,
        };
        let is_size = |it: &&Expr| it.as_usize() == Some(size);
        let (full, rests): (Vec<&Expr>, Vec<&Expr>) = of_part.into_iter().partition(is_size);
        let rests: Vec<Expr> = rests.into_iter().map(rest).collect::<Option<_>>()?;
        let same = lengths.iter().all(|n| rests.contains(n)) && rests.iter().all(|n| lengths.contains(n));
        if full.is_empty() || !same || !lengths.iter().all(|n| self.stays(n)) {
            return None;
        }
        let mut distinct: Vec<Expr> = Vec::new();
        lengths.into_iter().for_each(|n| {
            if !distinct.contains(&n) {
                distinct.push(n)
            }
        });
        let elements = match distinct.len() {
            1 => distinct.pop()?,
            _ => Expr::call(Ty::USIZE, Func::IntMin, distinct),
        };
        Some((elements, For { body: self.of_elements(size)?, ..self.inner.clone() }))
    }

    /// How long a part is, and the lengths of what is cut.
    fn lengths(&self) -> Option<(usize, Vec<Expr>)> {
        let mut counts = Vec::new();
        self.least(&self.each.hi, &mut counts);
        let mut sizes = Vec::new();
        for count in counts {
            let ExprKind::Call(Func::TripCount, _, args) = &count.kind else { return None };
            let [lo, n, size] = &args[..] else { return None };
            let size =
                size.as_usize().filter(|&size| size > 0 && lo.as_usize() == Some(0) && n.ty == Ty::USIZE)?;
            sizes.push((size, n.clone()));
        }
        let size = sizes.first()?.0;
        let same = sizes.iter().all(|(other, _)| *other == size);
        same.then(|| (size, sizes.into_iter().map(|(_, n)| n).collect()))
    }

    /// The values of which `expr` is the least.
    fn least<'e>(&'e self, expr: &'e Expr, found: &mut Vec<&'e Expr>) {
        let expr = self.value(expr);
        match &expr.kind {
            ExprKind::Call(Func::IntMin, _, args) => args.iter().for_each(|arg| self.least(arg, found)),
            _ => found.push(expr),
        }
    }

    /// What a scalar with one definition is, or the expression itself.
    fn value<'e>(&'e self, expr: &'e Expr) -> &'e Expr {
        let ExprKind::Load(place) = &expr.kind else { return expr };
        let found = self.values.iter().find(|(scalar, _)| *scalar == place.buffer && place.index.is_empty());
        found.map_or(expr, |(_, value)| self.value(value))
    }

    /// Whether it is where the part begins.
    fn start(&self, expr: &Expr, size: usize) -> bool {
        let ExprKind::Binary(BinOp::Mul, one, other) = &self.value(expr).kind else { return false };
        let are = |iter: &Expr, factor: &Expr| {
            iter.kind == ExprKind::Iter(self.each.iter) && factor.as_usize() == Some(size)
        };
        are(one, other) || are(other, one)
    }

    /// Whether it has the same value wherever it is read from where it was first read on.
    fn stays(&self, expr: &Expr) -> bool {
        let mut stays = true;
        expr.walk(&mut |part| {
            stays &= match &part.kind {
                ExprKind::Load(place) => {
                    let writes = self.writes[place.buffer.0 as usize];
                    let buffer = &self.program[place.buffer];
                    writes == 0 || writes == 1 && buffer.role == Role::Local && buffer.rank() == 0
                }
                ExprKind::Iter(iter) => *iter != self.each.iter,
                _ => true,
            };
        });
        stays
    }

    /// What is done with an element; `None` where it is more than the number of the element that it depends on.
    fn of_elements(&self, size: usize) -> Option<Block> {
        let element = Expr::iter(self.inner.iter, Ty::USIZE);
        let is_position = |expr: &Expr| match &expr.kind {
            ExprKind::Binary(BinOp::Add, one, other) => {
                let are = |start: &Expr, iter: &Expr| *iter == element && self.start(start, size);
                are(one, other) || are(other, one)
            }
            _ => false,
        };
        let (mut positions, mut mentions) = (0, 0);
        self.each_part(&self.inner.body, &mut |part| {
            positions += u32::from(is_position(part));
            mentions += u32::from(*part == element);
        });
        let mut replaced = 0;
        let mut body = self.inner.body.clone();
        walk_mut(&mut body, &mut |stmt| {
            for expr in stmt.exprs_mut() {
                *expr = expr.map(&mut |node| {
                    let found = is_position(&node);
                    replaced += u32::from(found);
                    if found { element.clone() } else { node }
                });
            }
        });
        let (of_part, own) = (declared(&self.each.body), declared(&self.inner.body));
        let mut is_apart = true;
        self.each_part(&body, &mut |part| {
            is_apart &= match &part.kind {
                ExprKind::Iter(iter) => *iter != self.each.iter,
                ExprKind::Load(Place { buffer, .. }) => !of_part.contains(*buffer) || own.contains(*buffer),
                _ => true,
            };
        });
        // the extents of arrays in the loop are evaluated, and not replaced
        (positions == mentions && replaced == mentions && is_apart).then_some(body)
    }

    /// Calls `visit` on each part of each expression that a block evaluates.
    fn each_part(&self, block: &Block, visit: &mut dyn FnMut(&Expr)) {
        walk(block, &mut |stmt| {
            stmt.each_evaluated(self.program, &mut |expr| expr.walk(&mut |part| visit(part)))
        });
    }
}

/// The one loop of a block whose other statements compute scalars that live in it.
fn only_loop(block: &Block) -> Option<&For> {
    let mut found = None;
    for stmt in block {
        match stmt.as_scope() {
            Some((_, inner)) => found = Some(only_loop(inner).filter(|_| found.is_none())?),
            None if stmt.as_for().is_some() && found.is_none() => found = stmt.as_for(),
            None => {
                stmt.as_scalar_assign().filter(|(_, value)| found.is_none() && value.ty == Ty::USIZE)?;
            }
        }
    }
    found
}
