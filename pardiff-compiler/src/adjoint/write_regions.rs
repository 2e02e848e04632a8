//! What a nest assigns of an array, by the form of its loops and of the index.

use super::contiguous_writes::Runs;
use crate::ir::{Block, BufferId, Effects, Expr, ExprKind, Program, Stmt, StmtKind, Ty, written};

/// The statement of a step that writes the array first: a nest that assigns every element, or whose innermost loop assigns
/// consecutive ones, and which does nothing else to the array.
pub(super) fn nest(program: &Program, step: &Block, array: BufferId) -> Option<usize> {
    let at = step.iter().position(|stmt| written(std::slice::from_ref(stmt)).contains(array))?;
    (is_whole(program, &step[at], array) || Runs::of(program, &step[at], array).is_some()).then_some(at)
}

/// Whether a nest does nothing but assign every element of the array, which it does not read.
pub(super) fn is_whole(program: &Program, nest: &Stmt, array: BufferId) -> bool {
    let (mut stmt, mut index) = (nest, Vec::new());
    while let Some(each) = stmt.as_for() {
        let dim = index.len();
        let all = program[array].dims.get(dim) == Some(&each.hi) || each.hi == Expr::extent(array, dim);
        let ([inner], true) = (&each.body[..], all && each.is_from_zero()) else { return false };
        index.push(Expr::iter(each.iter, Ty::USIZE));
        stmt = inner;
    }
    matches!(&stmt.kind, StmtKind::Assign { target, value }
        if target.buffer == array && target.index == index && !value.reads_buffer(program, array))
}

/// Where the statement at `first` sets all elements to one number, and the next one that mentions the array is a nest as
/// well: that nest and the number.
pub(super) fn filled(
    program: &Program,
    step: &Block,
    first: usize,
    array: BufferId,
) -> Option<(usize, Expr)> {
    let each = step[first].as_for()?;
    let [Stmt { kind: StmtKind::Assign { value, .. }, .. }] = &each.body[..] else { return None };
    let whole = is_whole(program, &step[first], array) && matches!(value.kind, ExprKind::Float(_));
    let mentions = |stmt: &Stmt| {
        let Effects { reads, writes } = Effects::of(program, std::slice::from_ref(stmt));
        reads.contains(array) || writes.contains(array)
    };
    let next = first + 1 + step[first + 1..].iter().position(mentions)?;
    (whole && Runs::of(program, &step[next], array).is_some()).then(|| (next, value.clone()))
}
