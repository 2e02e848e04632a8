//! Fusion of a loop with its reversal: whether the adjoints of its results can be known before it runs.
//!
//! ```text
//! before                          after
//!   F; rest; R                      known; for i { F(i); R(i) }; others
//! ```
//!
//! where `rest` is made of `known` and `others`. *Legality.* `F` and `R` are the forward and the reverse loop over the same
//! iterations, which commute, so that one loop may do both. `known` is what `R` needs of `rest`, directly or not: every
//! statement of it stands before `R` already and comes before `F`, so it must not read what `F` writes nor write
//! what `F` reads or writes. `others` stay behind `F` and come behind `R`, with which they have no dependence, or they
//! would be known; nor does anything known depend on them. What `R` reads of the primal it finds as `F(i)` left it, whatever is
//! written later. Dependences are those of whole buffers. Two additions to one adjoint commute; those of the primal keep
//! their order, so that its sums keep their bits. A `Check` stays before the accesses that may rely on it.

use crate::ir::{Block, BufferId, BufferSet, Expr, For, Iter, Program, Stmt, StmtKind, substitute, written};

/// What a statement, or one inside it, does to buffers.
#[derive(Default)]
struct Effects {
    reads: BufferSet,
    writes: BufferSet,
    /// Adjoints that are added to.
    sums: BufferSet,
    checks: bool,
    /// Whether an element of an array is accessed.
    indexes: bool,
}

impl Effects {
    /// The effects on the buffers that `counts` holds for; additions to those that commute are sums.
    fn of(
        program: &Program,
        stmt: &Stmt,
        counts: &dyn Fn(BufferId) -> bool,
        commute: &dyn Fn(BufferId) -> bool,
    ) -> Effects {
        let mut effects = Effects::default();
        let insert = |set: &mut BufferSet, buffer: BufferId| {
            if counts(buffer) {
                set.insert(buffer);
            }
        };
        stmt.walk(&mut |stmt| {
            let Effects { reads, writes, sums, checks, indexes } = &mut effects;
            stmt.each_evaluated(program, &mut |expr| {
                expr.reads(program, &mut |buffer| {
                    insert(reads, buffer);
                    *indexes |= program[buffer].rank() > 0;
                })
            });
            if let Some(update) = stmt.as_sum().filter(|update| commute(update.target.buffer)) {
                insert(sums, update.target.buffer);
            } else {
                stmt.writes_itself(&mut |buffer| insert(writes, buffer));
                stmt.reads_itself(&mut |buffer| insert(reads, buffer));
                *indexes |= stmt.is_opaque();
                *checks |= stmt.is_opaque() || stmt.as_check().is_some();
            }
            if let Some((target, _)) = stmt.as_store() {
                *indexes |= !target.index.is_empty();
            }
        });
        effects
    }

    fn add(&mut self, other: &Effects) {
        self.reads.union(&other.reads);
        self.writes.union(&other.writes);
        self.sums.union(&other.sums);
    }

    /// Whether the order of the two matters.
    fn conflicts(&self, other: &Effects) -> bool {
        let meets = |a: &Effects, b: &Effects| {
            a.writes.meets(&b.reads) || a.writes.meets(&b.sums) || a.sums.meets(&b.reads)
        };
        self.writes.meets(&other.writes) || meets(self, other) || meets(other, self)
    }
}

/// For each statement of `rest`, which stands between the forward loop and its reversal, whether it must be executed
/// before the `fused` loop; `None` if it cannot be. Buffers that `is_primal` does not hold for belong to the reverse sweep.
pub(super) fn known_before(
    program: &Program,
    is_primal: &dyn Fn(BufferId) -> bool,
    fused: &Stmt,
    rest: &[&Stmt],
) -> Option<Vec<bool>> {
    let is_adjoint = |buffer: BufferId| !is_primal(buffer);
    let forward = Effects::of(program, fused, is_primal, &is_adjoint);
    let reverse = Effects::of(program, fused, &is_adjoint, &is_adjoint);
    let effects: Vec<Effects> =
        rest.iter().map(|stmt| Effects::of(program, stmt, &|_| true, &is_adjoint)).collect();
    let mut known = vec![false; rest.len()];
    // what the reverse loop and what is known already do: a statement conflicts with one of several if it does with their union
    let (mut wanted, mut indexes) = (reverse, false);
    for at in (0..rest.len()).rev() {
        let effects = &effects[at];
        known[at] = effects.conflicts(&wanted) || effects.checks && indexes;
        if known[at] {
            if effects.conflicts(&forward) {
                return None;
            }
            wanted.add(effects);
            indexes |= effects.indexes;
        }
    }
    Some(known)
}

/// The statements of a block with those of scopes that may open before the block does: extents must not depend on
/// what `is_written` there.
pub(super) fn flattened<'a>(
    program: &Program,
    block: &'a [Stmt],
    is_written: &dyn Fn(BufferId) -> bool,
    leaves: &mut Vec<&'a Stmt>,
) {
    for stmt in block {
        match stmt.as_scope().filter(|(buffers, _)| opens_early(program, buffers, is_written)) {
            Some((_, body)) => flattened(program, body, is_written, leaves),
            None => leaves.push(stmt),
        }
    }
}

/// As [`flattened`], taking the block apart; the buffers of the scopes go to `buffers`.
pub(super) fn take_apart(
    program: &Program,
    block: Vec<Stmt>,
    is_written: &dyn Fn(BufferId) -> bool,
    opened: &mut Vec<BufferId>,
    leaves: &mut Vec<Stmt>,
) {
    for stmt in block {
        if !stmt.as_scope().is_some_and(|(buffers, _)| opens_early(program, buffers, is_written)) {
            leaves.push(stmt);
        } else if let Some((buffers, body)) = stmt.into_scope() {
            opened.extend(buffers);
            take_apart(program, body, is_written, opened, leaves);
        }
    }
}

fn opens_early(program: &Program, buffers: &[BufferId], is_written: &dyn Fn(BufferId) -> bool) -> bool {
    let mut early = true;
    for expr in buffers.iter().flat_map(|&buffer| &program[buffer].dims) {
        expr.reads(program, &mut |read| early &= buffers.contains(&read) || !is_written(read));
        early &= expr.is_total();
    }
    early
}

/// The block with each loop that does something of the primal and something of the reverse sweep, with no dependence
/// between the two, as two loops; `None` if there is none. So what is known before a loop is not held back by what is
/// not.
///
/// ```text
/// for k in 0..n                   for k in 0..n
///   sum += y[k]              =>     sum += y[k]
///   d_y[k] += d_sum               for k in 0..n
///                                   d_y[k] += d_sum
/// ```
pub(super) fn distributed(
    program: &mut Program,
    is_primal: &dyn Fn(BufferId) -> bool,
    block: &Block,
) -> Option<Block> {
    let mut apart = Block::new();
    let mut found = false;
    for stmt in block {
        if let Some((buffers, body)) = stmt.as_scope() {
            let inner = distributed(program, is_primal, body);
            found |= inner.is_some();
            let body = inner.unwrap_or_else(|| body.clone());
            apart.push(Stmt::scope(buffers.to_vec(), body, stmt.origin));
            continue;
        }
        let Some([primal, reverse]) = sides(program, is_primal, stmt) else {
            apart.push(stmt.clone());
            continue;
        };
        found = true;
        apart.extend([primal, reverse]);
    }
    found.then_some(apart)
}

/// The two loops of one that does something for either sweep.
fn sides(program: &mut Program, is_primal: &dyn Fn(BufferId) -> bool, stmt: &Stmt) -> Option<[Stmt; 2]> {
    let each = stmt.as_for()?;
    let is_adjoint = |buffer: BufferId| !is_primal(buffer);
    let (mut primal, mut reverse) = (Block::new(), Block::new());
    for inner in &each.body {
        let for_reverse = inner.all(&mut |stmt| {
            let mut all = stmt.as_check().is_none() && !stmt.is_opaque();
            stmt.writes_itself(&mut |buffer| all &= is_adjoint(buffer));
            all
        });
        if for_reverse { reverse.push(inner.clone()) } else { primal.push(inner.clone()) }
    }
    let of = |block: &Block| {
        let mut all = Effects::default();
        block.iter().for_each(|stmt| all.add(&Effects::of(program, stmt, &|_| true, &is_adjoint)));
        all
    };
    let apart = !of(&primal).conflicts(&of(&reverse)) && !each.bounds_read(program, &written(&primal));
    if primal.is_empty() || reverse.is_empty() || !apart {
        return None;
    }
    let Iter { name, ty } = program[each.iter].clone();
    let iter = program.add_iter(&name, ty);
    substitute(&mut reverse, each.iter, &Expr::iter(iter, ty));
    let with = |iter, body| Stmt::new(StmtKind::For(For { iter, body, ..each.clone() }), stmt.origin);
    Some([with(each.iter, primal), with(iter, reverse)])
}
