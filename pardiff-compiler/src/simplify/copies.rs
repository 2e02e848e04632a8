//! Scalar temporaries that stand for something shorter.
//!
//! ```text
//! before                                   after
//!   k = len(x)                               for i in 0..len(x)
//!   for i in 0..k
//!     t = d_y                                  d_x[i] += d_y * w[i]
//!     d_x[i] += t * w[i]
//!     s = exp(x[i])                            d_z += exp(x[i]) * d_y
//!     d_z += s * d_y
//! ```
//!
//! *Legality*, for a scalar local that all its writes give one and the same value `e`:
//! - [`atoms`]: `e` is a constant, a scalar input, an extent of an argument, or an iterator of a loop around the
//!   local's `Scope`. It has the same value wherever the local has one, so it replaces every read.
//! - [`within_blocks`]: `e` is the load of another scalar, or (for a temporary of the reverse pass, read once) any
//!   short expression. Every read is in a later statement of the same block, and nothing that `e` reads is written
//!   between. An expression is not moved into a loop, and into a `Reduce` only if it does not read its target.

use crate::ir::{Block, BufferId, Expr, ExprKind, IterId, Place, Program, Role, Stmt, StmtKind};
use crate::limits::MOVED_TO_ITS_USE;
use crate::map::Map;

/// Replaces such temporaries; whether there was one.
pub(super) fn propagate(program: &mut Program) -> bool {
    let atoms = atoms(program);
    let mut changed = false;
    if !atoms.is_empty() {
        let mut body = std::mem::take(&mut program.body);
        for buffer in &mut program.buffers {
            buffer.dims.iter_mut().for_each(|extent| changed |= substitute(extent, &atoms));
        }
        changed |= substitute_block(&mut body, &atoms);
        program.body = body;
    }
    let mut uses = count_uses(program);
    program.with_body(|program, body| changed |= within_blocks(program, body, &mut uses));
    changed
}

/// Whether the temporaries of this buffer are ours to replace.
fn is_temporary(program: &Program, buffer: BufferId) -> bool {
    let is_local = matches!(program[program.root(buffer).0].role, Role::Local | Role::Tape);
    is_local && program[buffer].rank() == 0 && !program.params.contains(&buffer)
}

/// The temporaries that are an atom everywhere, with the atom.
fn atoms(program: &Program) -> Map<BufferId, Expr> {
    let mut values: Map<BufferId, Option<&Expr>> = Map::default();
    let mut declared: Map<BufferId, Vec<IterId>> = Map::default();
    collect(program, &program.body, &mut Vec::new(), &mut values, &mut declared);
    let is_atom = |buffer: BufferId, value: &Expr| match &value.kind {
        ExprKind::Float(_) | ExprKind::Int(_) | ExprKind::Bool(_) | ExprKind::Opaque(_) => true,
        ExprKind::Extent(of, _) => matches!(program[*of].role, Role::Input | Role::InOut | Role::Table(_)),
        ExprKind::Load(Place { buffer, index }) => index.is_empty() && program[*buffer].role == Role::Input,
        ExprKind::Iter(iter) => declared.get(&buffer).is_some_and(|around| around.contains(iter)),
        _ => false,
    };
    let values = values.into_iter().filter_map(|(buffer, value)| Some((buffer, value?)));
    let atoms = values.filter(|(buffer, value)| is_temporary(program, *buffer) && is_atom(*buffer, value));
    atoms.map(|(buffer, value)| (buffer, value.clone())).collect()
}

/// For each scalar the one value that is assigned to it (`None` if there are several), and the iterators around its
/// `Scope`.
fn collect<'p>(
    program: &Program,
    block: &'p Block,
    around: &mut Vec<IterId>,
    values: &mut Map<BufferId, Option<&'p Expr>>,
    declared: &mut Map<BufferId, Vec<IterId>>,
) {
    for stmt in block {
        if let Some((scalar, value)) = stmt.as_scalar_assign() {
            let known = values.entry(scalar).or_insert(Some(value));
            if *known != Some(value) {
                *known = None;
            }
        } else if let Some(each) = stmt.as_for() {
            around.push(each.iter);
            collect(program, &each.body, around, values, declared);
            around.pop();
            continue;
        } else if stmt.as_assign().is_none() {
            stmt.writes_itself(&mut |buffer| _ = values.insert(buffer, None));
        }
        for &buffer in stmt.declares().iter().filter(|&&buffer| program[buffer].rank() == 0) {
            declared.insert(buffer, around.clone());
        }
        for inner in stmt.blocks() {
            collect(program, inner, around, values, declared);
        }
    }
}

/// Replaces reads of the scalars in statements; whether there was one.
fn substitute_block(block: &mut [Stmt], with: &Map<BufferId, Expr>) -> bool {
    let mut changed = false;
    for stmt in block {
        for expr in stmt.exprs_mut() {
            changed |= substitute(expr, with);
        }
        stmt.blocks_mut().into_iter().for_each(|inner| changed |= substitute_block(inner, with));
    }
    changed
}

/// Replaces reads of the scalars; whether there was one.
fn substitute(expr: &mut Expr, with: &Map<BufferId, Expr>) -> bool {
    let replaced = |expr: &Expr| match &expr.kind {
        ExprKind::Load(place) if place.index.is_empty() => with.get(&place.buffer),
        _ => None,
    };
    let mut found = false;
    expr.walk(&mut |expr| found |= replaced(expr).is_some());
    if found {
        let whole = std::mem::replace(expr, Expr::bool(false));
        *expr = whole.map(&mut |expr| replaced(&expr).cloned().unwrap_or(expr));
    }
    found
}

/// How often each scalar is read and written in the whole program.
#[derive(Clone, Copy, Default)]
struct Uses {
    reads: usize,
    writes: usize,
}

fn count_uses(program: &Program) -> Vec<Uses> {
    let mut uses = vec![Uses::default(); program.buffers.len()];
    for buffer in &program.buffers {
        buffer.dims.iter().for_each(|extent| count_reads(extent, &mut |id| uses[id.0 as usize].reads += 1));
    }
    crate::ir::walk(&program.body, &mut |stmt| {
        let exprs = stmt.exprs();
        exprs.into_iter().for_each(|expr| count_reads(expr, &mut |id| uses[id.0 as usize].reads += 1));
        // of what is looked into from outside, nothing is known
        let opaque: Vec<BufferId> = match stmt.as_assign() {
            Some((target, _)) => {
                uses[target.buffer.0 as usize].writes += 1;
                Vec::new()
            }
            None => stmt.touches().collect(),
        };
        opaque.into_iter().for_each(|id| uses[id.0 as usize].writes += 2);
    });
    uses
}

fn count_reads(expr: &Expr, count: &mut dyn FnMut(BufferId)) {
    expr.each_load(&mut |place| {
        count(place.buffer);
    });
}

/// Replaces the temporaries whose reads all follow in their block; whether there was one.
fn within_blocks(program: &Program, block: &mut Block, uses: &mut [Uses]) -> bool {
    let mut changed = false;
    let mut index = 0;
    while index < block.len() {
        let (before, rest) = block.split_at_mut(index + 1);
        let stmt = &mut before[index];
        if let Some((temporary, value)) = candidate(program, stmt, uses)
            && let Some(last) = last_use(program, rest, temporary, value, uses[temporary.0 as usize].reads)
        {
            let with = Map::from_iter([(temporary, value.clone())]);
            substitute_block(&mut rest[..=last], &with);
            let reads = uses[temporary.0 as usize].reads;
            count_reads(&with[&temporary], &mut |id| uses[id.0 as usize].reads += reads - 1);
            uses[temporary.0 as usize] = Uses::default();
            block.remove(index);
            changed = true;
            continue;
        }
        stmt.blocks_mut().into_iter().for_each(|inner| changed |= within_blocks(program, inner, uses));
        index += 1;
    }
    changed
}

/// A statement that gives a temporary its only value, worth replacing.
fn candidate<'a>(program: &Program, stmt: &'a Stmt, uses: &[Uses]) -> Option<(BufferId, &'a Expr)> {
    let (target, value) = stmt.as_assign()?;
    let Uses { reads, writes } = uses[target.buffer.0 as usize];
    if !is_temporary(program, target.buffer) || writes != 1 || reads == 0 {
        return None;
    }
    let is_ours = stmt.origin.phase.is_derived();
    let mut nodes = 0;
    value.walk(&mut |_| nodes += 1);
    let worth = is_scalar_load(value) || (is_ours && reads == 1 && nodes <= MOVED_TO_ITS_USE);
    worth.then_some((target.buffer, value))
}

fn is_scalar_load(value: &Expr) -> bool {
    matches!(&value.kind, ExprKind::Load(place) if place.index.is_empty())
}

/// The statement with the last of the temporary's reads, if all of them are in `rest` where `value` is still what it
/// was.
fn last_use(
    program: &Program,
    rest: &[Stmt],
    temporary: BufferId,
    value: &Expr,
    reads: usize,
) -> Option<usize> {
    let sources = value.read_set(program);
    let is_load = is_scalar_load(value);
    let mut seen = 0;
    for (index, stmt) in rest.iter().enumerate() {
        let mut own = 0;
        let count = |expr: &Expr, total: &mut usize| {
            count_reads(expr, &mut |id| *total += usize::from(id == temporary))
        };
        stmt.each_expr(&mut |expr| count(expr, &mut own));
        let mut all = 0;
        if stmt.blocks().is_empty() {
            all = own;
        } else {
            stmt.walk(&mut |inner| inner.each_expr(&mut |expr| count(expr, &mut all)));
        }
        let writes_source = stmt.writes_any(&sources);
        let is_simple = stmt.blocks().is_empty() || own == all;
        if all > 0 {
            // inside a compound statement a read may be repeated, and come after a write
            let in_body = !is_simple && (!is_load || writes_source);
            let by_while = matches!(stmt.kind, StmtKind::While(_) | StmtKind::Fork { .. });
            let in_reduce = stmt.as_update().is_some() && writes_source;
            if in_body || by_while || in_reduce {
                return None;
            }
        }
        seen += all;
        if seen == reads {
            return Some(index);
        }
        if writes_source {
            return None;
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::propagate;
    use crate::equivalence::{assert_pass, assert_unchanged};
    use crate::ir::Program;
    use crate::ir::interp::Array;

    fn copies(mut program: Program) -> Program {
        propagate(&mut program);
        program
    }

    #[test]
    fn atoms_and_temporaries_of_the_reverse_pass_are_replaced() {
        assert_pass(
            copies,
            "
            fn f(x: in f64[_], d_x: adjoint(x) f64[len(x)], seed: in f64) -> s: f64
              scope k: usize, work: f64[len(x)]
                k = len(x)
                s = 0.0
                for i in 0..k
                  scope at: usize, t: f64, u: f64, e: f64
                    at = i
                    t = s # adjoint
                    u = x[at] * seed # adjoint
                    e = exp(x[at])
                    d_x[at] += u * t # adjoint
                    s += e
            ",
            "
            fn f(x: in f64[_], d_x: adjoint(x) f64[len(x)], seed: in f64) -> s: f64
              scope k: usize, work: f64[len(x)]
                k = len(x)
                s = 0.0
                for i in 0..len(x)
                  scope at: usize, t: f64, u: f64, e: f64
                    at = i
                    e = exp(x[i])
                    d_x[i] += x[i] * seed * s # adjoint
                    s += e
            ",
            vec![vec![Array::floats(&[1.0, 2.0]), Array::floats(&[0.0, 0.5]), Array::float(2.0)]],
        );
    }

    #[test]
    fn a_source_that_is_written_in_between_keeps_its_copy() {
        assert_unchanged(
            copies,
            "
            fn f(x: in f64[_], d_y: inout f64, d_x: adjoint(x) f64[len(x)]) -> s: f64
              s = 0.0
              scope t: f64, u: f64, w: f64
                t = d_y # adjoint
                d_y = 0.0 # adjoint
                d_x[0] += t * x[0] # adjoint
                u = d_x[0] # adjoint
                d_x[0] += u # adjoint
                w = s # adjoint
                for i in 0..len(x) # adjoint
                  s += w
            ",
        );
    }
}
