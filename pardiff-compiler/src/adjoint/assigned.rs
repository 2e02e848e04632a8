//! What a nest assigns of an array, by the form of its loops and of the index.

use crate::ir::{
    BinOp, Block, BufferId, BufferSet, Expr, ExprKind, For, IterId, Place, Program, Stmt, StmtKind, Ty,
    written,
};

/// The statement of a step that writes the array first: a nest that assigns every element, or whose innermost loop assigns
/// consecutive ones, and which does nothing else to the array.
pub(super) fn nest(program: &Program, step: &Block, array: BufferId) -> Option<usize> {
    let at = step.iter().position(|stmt| written(std::slice::from_ref(stmt)).contains(array))?;
    (is_whole(program, &step[at], array) || runs(program, &step[at], array).is_some()).then_some(at)
}

/// Whether a nest does nothing but assign every element of the array, which it does not read.
pub(super) fn is_whole(program: &Program, nest: &Stmt, array: BufferId) -> bool {
    let (mut stmt, mut index) = (nest, Vec::new());
    while let StmtKind::For(each) = &stmt.kind {
        let dim = index.len();
        let all = program[array].dims.get(dim) == Some(&each.hi) || each.hi == Expr::extent(array, dim);
        let counts = each.lo == Expr::usize(0) && each.step == Expr::usize(1) && !each.inclusive;
        let ([inner], true) = (&each.body[..], all && counts) else { return false };
        index.push(Expr::iter(each.iter, Ty::USIZE));
        stmt = inner;
    }
    let mut own = BufferSet::new();
    own.insert(array);
    matches!(&stmt.kind, StmtKind::Assign { target, value }
        if target.buffer == array && target.index == index && !value.reads_any(program, &own))
}

/// Where the statement at `first` sets all elements to one number, and the next one that mentions the array is a nest as
/// well: that nest and the number.
pub(super) fn filled(
    program: &Program,
    step: &Block,
    first: usize,
    array: BufferId,
) -> Option<(usize, Expr)> {
    let StmtKind::For(each) = &step[first].kind else { return None };
    let [Stmt { kind: StmtKind::Assign { value, .. }, .. }] = &each.body[..] else { return None };
    let whole = is_whole(program, &step[first], array) && matches!(value.kind, ExprKind::Float(_));
    let mentions = |stmt: &Stmt| {
        let mut found = written(std::slice::from_ref(stmt)).contains(array);
        stmt.walk(&mut |stmt| {
            stmt.evaluates(program)
                .iter()
                .for_each(|expr| expr.reads(program, &mut |it| found |= it == array));
        });
        found
    };
    let next = first + 1 + step[first + 1..].iter().position(mentions)?;
    (whole && runs(program, &step[next], array).is_some()).then(|| (next, value.clone()))
}

/// The loops of a nest, outermost first, and the element that it assigns, at consecutive positions in the innermost loop.
pub(super) fn runs<'s>(
    program: &Program,
    nest: &'s Stmt,
    array: BufferId,
) -> Option<(Vec<&'s For>, &'s Place)> {
    let changed = written(std::slice::from_ref(nest));
    let mut declared = BufferSet::new();
    let (mut loops, mut block): (Vec<&For>, &[Stmt]) = (Vec::new(), std::slice::from_ref(nest));
    while let [Stmt { kind: StmtKind::For(each), .. }] = block {
        let plain = each.step == Expr::usize(1) && !each.inclusive && each.lo.ty == Ty::USIZE;
        let fixed = |bound: &Expr| !bound.reads_any(program, &changed);
        if !plain || !fixed(&each.lo) || !fixed(&each.hi) {
            return None;
        }
        loops.push(each);
        block = &each.body;
    }
    let mut found = Vec::new();
    let mut others = false;
    let mut visit = |stmt: &'s Stmt| {
        match &stmt.kind {
            StmtKind::Scope { buffers, .. } => buffers.iter().for_each(|&it| _ = declared.insert(it)),
            StmtKind::Assign { target, .. } if target.buffer == array => found.push(target),
            StmtKind::Reduce { target, .. } => others |= target.buffer == array,
            _ => {}
        }
        for expr in stmt.evaluates(program) {
            expr.walk(&mut |part| {
                if let ExprKind::Load(place) = &part.kind {
                    others |= place.buffer == array;
                }
            });
        }
    };
    block.iter().for_each(|stmt| stmt.walk(&mut visit));
    let [place] = found[..] else { return None };
    let innermost = loops.last()?.iter;
    let [index] = &place.index[..] else { return None };
    let known = !index.reads_any(program, &changed) && !index.reads_any(program, &declared);
    let consecutive = slope(index, innermost) == Some(1) && wrapping(index).is_some();
    let right = !others && is_always(block, place) && known && consecutive;
    right.then_some((loops, place))
}

/// Whether the assignment stands under no condition and in no loop of the block.
fn is_always(block: &[Stmt], place: &Place) -> bool {
    block.iter().any(|stmt| match &stmt.kind {
        StmtKind::Scope { body, .. } => is_always(body, place),
        StmtKind::Assign { target, .. } => std::ptr::eq(target, place),
        _ => false,
    })
}

/// By how much an expression moves with an iterator, if by a number.
fn slope(expr: &Expr, iter: IterId) -> Option<i128> {
    match &expr.kind {
        ExprKind::Iter(other) => Some(i128::from(*other == iter)),
        _ if !expr.mentions(iter) => Some(0),
        ExprKind::Binary(BinOp::Add, a, b) => slope(a, iter)?.checked_add(slope(b, iter)?),
        ExprKind::Binary(BinOp::Sub, a, b) => slope(a, iter)?.checked_sub(slope(b, iter)?),
        _ => None,
    }
}

/// A position in arithmetic that wraps, if it reads no elements and cannot panic then.
pub(super) fn wrapping(expr: &Expr) -> Option<Expr> {
    let mut reads = false;
    expr.walk(&mut |node| reads |= matches!(&node.kind, ExprKind::Load(place) if !place.index.is_empty()));
    let wrapped = expr.wrapping();
    (!reads && wrapped.is_total()).then_some(wrapped)
}
