//! Iterator chains in the typed tree: what is iterated over, adapter by adapter. They are resolved from method calls
//! and emitted as one counted loop.

use super::infer::Type;
use super::tree::{Block, Expr, Inline, LocalId, LoopId, Pattern, Stmt};
use crate::ir::Marks;
use proc_macro2::Span;

/// An iterator.
#[derive(Clone)]
pub(super) struct Chain {
    pub(super) kind: ChainKind,
    /// The type of its items.
    pub(super) item: Type,
    /// Whether it is one of rayon's, so that its items are used in any order, at the same time.
    pub(super) parallel: bool,
    /// Where the closure of its last adapter changes a variable outside of it, so that each item is made once, in order.
    pub(super) changes: Option<Span>,
}

/// What an iterator is.
#[derive(Clone)]
pub(super) enum ChainKind {
    /// `lo..hi`, `lo..=hi` if inclusive, `lo..` without an end.
    Range {
        lo: Expr,
        hi: Option<Expr>,
        inclusive: bool,
    },
    /// The elements of an array.
    Elements(Expr),
    /// A single item.
    Once(Expr),
    /// The numbers of arrays of one shape, in logical order: of one of `ndarray` of more than one dimension, or of several
    /// side by side, which may be rows instead of numbers.
    Numbers {
        arrays: Vec<Expr>,
        /// The number of their dimensions that are gone through.
        rank: usize,
        /// Each behind the tuple of its indices.
        indexed: bool,
        /// What the panic says where their shapes differ.
        text: String,
    },
    /// Parts of an array, of that many elements.
    Parts(Expr, Expr, Parts),
    Rev(Box<Chain>),
    StepBy(Box<Chain>, Expr),
    Skip(Box<Chain>, Expr),
    Take(Box<Chain>, Expr),
    Zip(Box<Chain>, Box<Chain>),
    Enumerate(Box<Chain>),
    /// Its items again and again.
    Cycle(Box<Chain>),
    Map(Box<Chain>, Closure),
    Filter(Box<Chain>, Closure),
    /// `copied` and `cloned`
    Copied(Box<Chain>),
    /// The items of one behind those of the other.
    Chain(Box<Chain>, Box<Chain>),
    /// The items of an iterator for each item.
    FlatMap(Box<Chain>, Box<Inner>),
    /// One that a helper returns, behind what that does.
    Behind(Box<Inline>, Box<Chain>),
    /// What a closure makes of each item and of a state that it changes.
    Scan(Box<Chain>, Box<Scan>),
    /// The items in front of the first that fails a condition.
    TakeWhile(Box<Chain>, Closure),
    /// That item and those behind it.
    SkipWhile(Box<Chain>, Closure),
}

/// The iterator that belongs to an item, behind statements of the closure that makes it.
#[derive(Clone)]
pub(super) struct Inner {
    pub(super) param: Pattern,
    pub(super) stmts: Vec<Stmt>,
    pub(super) chain: Chain,
    pub(super) span: Span,
}

/// The closure of `scan`, which has a reference to the state.
#[derive(Clone)]
pub(super) struct Scan {
    pub(super) state: LocalId,
    pub(super) start: Expr,
    pub(super) closure: Closure,
}

/// How parts of an array lie in it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Parts {
    /// One behind the other; the last one may be shorter.
    Chunks,
    /// One behind the other, whole ones only.
    Exact,
    /// One at each element.
    Windows,
}

/// A closure of one argument that is evaluated where its item is.
#[derive(Clone)]
pub(super) struct Closure {
    pub(super) param: Pattern,
    pub(super) body: Box<Expr>,
}

/// A loop over the items of an iterator.
#[derive(Clone)]
pub(super) struct Each {
    pub(super) id: LoopId,
    pub(super) pattern: Pattern,
    /// How the counter is called.
    pub(super) name: String,
    pub(super) chain: Chain,
    pub(super) marks: Marks,
    pub(super) body: Block,
}

impl ChainKind {
    /// The iterators that it adapts.
    pub(super) fn sources(&self) -> Vec<&Chain> {
        match self {
            ChainKind::Range { .. }
            | ChainKind::Elements(_)
            | ChainKind::Once(_)
            | ChainKind::Numbers { .. }
            | ChainKind::Parts(..) => Vec::new(),
            ChainKind::Zip(a, b) | ChainKind::Chain(a, b) => vec![a, b],
            ChainKind::Rev(inner)
            | ChainKind::Enumerate(inner)
            | ChainKind::Cycle(inner)
            | ChainKind::Copied(inner)
            | ChainKind::StepBy(inner, _)
            | ChainKind::Skip(inner, _)
            | ChainKind::Take(inner, _)
            | ChainKind::Map(inner, _)
            | ChainKind::Filter(inner, _)
            | ChainKind::FlatMap(inner, _)
            | ChainKind::Behind(_, inner)
            | ChainKind::Scan(inner, _)
            | ChainKind::TakeWhile(inner, _)
            | ChainKind::SkipWhile(inner, _) => vec![inner],
        }
    }
}

impl Chain {
    /// An iterator of std.
    pub(super) fn new(kind: ChainKind, item: Type) -> Chain {
        Chain { kind, item, parallel: false, changes: None }
    }

    /// Calls `visit` on the expressions in it, closures included.
    pub(super) fn children<'a>(&'a self, visit: &mut dyn FnMut(&'a Expr)) {
        for source in self.kind.sources() {
            source.children(visit);
        }
        match &self.kind {
            ChainKind::Range { lo, hi, .. } => {
                visit(lo);
                hi.iter().for_each(visit);
            }
            ChainKind::Elements(array) | ChainKind::Once(array) => visit(array),
            ChainKind::Numbers { arrays, .. } => arrays.iter().for_each(visit),
            ChainKind::Parts(array, size, _) => {
                visit(array);
                visit(size);
            }
            ChainKind::Rev(_)
            | ChainKind::Enumerate(_)
            | ChainKind::Cycle(_)
            | ChainKind::Copied(_)
            | ChainKind::Zip(..)
            | ChainKind::Chain(..) => {}
            ChainKind::StepBy(_, by) | ChainKind::Skip(_, by) | ChainKind::Take(_, by) => visit(by),
            ChainKind::Map(_, closure)
            | ChainKind::Filter(_, closure)
            | ChainKind::TakeWhile(_, closure)
            | ChainKind::SkipWhile(_, closure) => visit(&closure.body),
            ChainKind::FlatMap(_, inner) => {
                inner.stmts.iter().for_each(|stmt| stmt.children(visit));
                inner.chain.children(visit);
            }
            ChainKind::Behind(helper, _) => {
                helper.args.iter().for_each(&mut *visit);
                helper.body.children(visit);
            }
            ChainKind::Scan(_, scan) => {
                visit(&scan.start);
                visit(&scan.closure.body);
            }
        }
    }

    /// The type of what its items have of each of its arrays, if it goes through their numbers.
    pub(super) fn numbers(&self) -> &[Type] {
        match (&self.kind, self.item.members()) {
            (ChainKind::Numbers { indexed: true, .. }, Some(members)) => &members[1..],
            (ChainKind::Numbers { arrays, .. }, Some(members)) if arrays.len() > 1 => members,
            (ChainKind::Numbers { .. }, _) => std::slice::from_ref(&self.item),
            _ => &[],
        }
    }

    /// Whether items are left out, so that how many there are is not known from the lengths.
    pub(super) fn is_filtered(&self) -> bool {
        match &self.kind {
            ChainKind::Filter(..)
            | ChainKind::FlatMap(..)
            | ChainKind::TakeWhile(..)
            | ChainKind::SkipWhile(..) => true,
            ChainKind::Map(inner, _)
            | ChainKind::Rev(inner)
            | ChainKind::Enumerate(inner)
            | ChainKind::Copied(inner)
            | ChainKind::Behind(_, inner)
            | ChainKind::Scan(inner, _)
            | ChainKind::Take(inner, _) => inner.is_filtered(),
            ChainKind::Chain(a, b) | ChainKind::Zip(a, b) => a.is_filtered() || b.is_filtered(),
            _ => false,
        }
    }

    /// Whether items are left out before others, so that the number of an item is not known from its position.
    pub(super) fn leaves_out(&self) -> bool {
        match &self.kind {
            ChainKind::Filter(..) | ChainKind::FlatMap(..) | ChainKind::SkipWhile(..) => true,
            ChainKind::Map(inner, _)
            | ChainKind::Rev(inner)
            | ChainKind::Copied(inner)
            | ChainKind::Behind(_, inner)
            | ChainKind::Scan(inner, _)
            | ChainKind::TakeWhile(inner, _)
            | ChainKind::Take(inner, _) => inner.leaves_out(),
            ChainKind::Chain(a, b) => a.is_filtered() || b.is_filtered(),
            _ => false,
        }
    }

    /// Whether each item needs those before it to be made.
    pub(super) fn is_in_order(&self) -> bool {
        self.leaves_out() || self.any(&|kind| matches!(kind, ChainKind::Scan(..) | ChainKind::TakeWhile(..)))
    }

    /// Whether it is, or has in it, what `which` says; what is inside of closures is not looked at.
    pub(super) fn any(&self, which: &dyn Fn(&ChainKind) -> bool) -> bool {
        which(&self.kind) || self.kind.sources().iter().any(|source| source.any(which))
    }

    /// Whether it is several loops, one behind the other or inside of each other, or one that ends by itself.
    pub(super) fn is_irregular(&self) -> bool {
        self.any(&|kind| match kind {
            ChainKind::Chain(..) | ChainKind::FlatMap(..) | ChainKind::TakeWhile(..) => true,
            ChainKind::Take(inner, _) => inner.leaves_out(),
            _ => false,
        })
    }
}
