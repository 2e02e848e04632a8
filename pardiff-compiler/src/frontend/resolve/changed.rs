//! Which locals of its surroundings an expression changes.

use super::super::chain::{Chain, ChainKind};
use super::super::infer::Type;
use super::super::tree::{Expr, Kind, Method, Stmt};
use proc_macro2::Span;

/// Where an expression changes a local declared before `first`.
pub(super) fn writes_outside(e: &Expr, first: usize) -> Option<Span> {
    let mut found = None;
    changed_outside(e, first, &mut |_, span| {
        found.get_or_insert(span);
    });
    found
}

/// Calls `visit` with the locals declared before `first` that an expression changes, and where it does.
pub(super) fn changed_outside(e: &Expr, first: usize, visit: &mut dyn FnMut(usize, Span)) {
    let mutable = |e: &Expr| matches!(e.ty, Type::Ref(true, _));
    let mut changed = |place: &Expr| {
        if let Some(local) = root(place).filter(|local| *local < first) {
            visit(local, e.span);
        }
    };
    match &e.kind {
        Kind::Assign(left, _) | Kind::AssignOp(_, left, _) => changed(left),
        Kind::Borrow(inner) if mutable(e) => changed(inner),
        Kind::Method(
            Method::Fill
            | Method::CopyFrom
            | Method::SwapElements
            | Method::SwapWith
            | Method::Reverse
            | Method::RotateLeft
            | Method::RotateRight
            | Method::MemSwap
            | Method::MemReplace
            | Method::Push
            | Method::Pop
            | Method::Clear
            | Method::Truncate,
            args,
            _,
        ) => args.iter().take(2).for_each(changed),
        Kind::Method(Method::User(_), args, _) => args.iter().filter(|arg| mutable(arg)).for_each(changed),
        Kind::Inline(inline) => {
            let args = inline.args.iter().zip(&inline.params);
            let given = args.filter(|(_, (_, ty))| matches!(ty, Type::Ref(true, _)));
            given.map(|(arg, _)| arg).for_each(changed);
        }
        Kind::Each(each) => mutated(&each.chain, &mut changed),
        // what the patterns bind is written to
        Kind::Match(m) if mutable(&m.scrutinee) => changed(&m.scrutinee),
        Kind::Block(block) => block.stmts.iter().for_each(|stmt| match stmt {
            Stmt::Let(_, Some(value), _) | Stmt::LetElse(_, value, _) if mutable(value) => changed(value),
            _ => {}
        }),
        _ => {}
    }
    e.children(&mut |child| changed_outside(child, first, visit));
}

/// Calls `visit` with the places that a chain hands out to be changed.
/// Those of `once` are seen by themselves.
fn mutated<'e>(chain: &'e Chain, visit: &mut dyn FnMut(&'e Expr)) {
    match &chain.kind {
        ChainKind::Elements(array) | ChainKind::Parts(array, ..) => {
            if matches!(chain.item, Type::Ref(true, _)) {
                visit(array);
            }
        }

        ChainKind::Numbers { arrays, .. } => {
            let numbers = arrays.iter().zip(chain.numbers());
            numbers
                .filter(|(_, number)| matches!(number, Type::Ref(true, _)))
                .for_each(|(array, _)| visit(array));
        }
        kind => kind.sources().into_iter().for_each(|source| mutated(source, visit)),
    }
}

/// The variable that a place is part of.
pub(super) fn root(e: &Expr) -> Option<usize> {
    match &e.kind {
        Kind::Local(local) => Some(*local),
        Kind::Index(base, ..) | Kind::Slice(base, ..) | Kind::Field(base, _) => root(base),
        Kind::Deref(inner) | Kind::Borrow(inner) => root(inner),
        Kind::Method(_, args, _) => args.first().and_then(root),
        _ => None,
    }
}
