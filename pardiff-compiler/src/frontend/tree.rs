//! The typed tree between the two phases of the front end: names are resolved, sugar is gone, types are known up
//! to the variables of [`Infer`](super::infer::Infer). It still has places, references and values of every type,
//! which the IR has not.

use super::chain::{Chain, Each};
use super::communicators::BetweenRanks;
use super::infer::Type;
pub(super) use super::length::Len;
use crate::ir::{BinOp, Checkpoint, Marks, UnOp};
use proc_macro2::{Span, TokenStream};
use std::collections::BTreeSet;

/// A local variable, one per binding.
pub(super) type LocalId = usize;
/// A user path that is not looked into.
pub(super) type PathId = usize;
/// A loop, a labelled block or the body of a function.
pub(super) type LoopId = usize;

/// What a jump leaves.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Target {
    pub(super) id: LoopId,
    pub(super) exit: Exit,
}

/// How it leaves it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Exit {
    /// `continue`
    Next,
    /// `break` and `return`
    Out,
}

/// A local variable.
#[derive(Clone)]
pub(super) struct Local {
    pub(super) name: String,
    pub(super) ty: Type,
    pub(super) mutable: bool,
    /// Whether a statement assigns to it, which of a reference is another thing than to write through it.
    pub(super) assigned: bool,
    pub(super) span: Span,
}

/// A user path: a constant or a constant table.
#[derive(Clone)]
pub(super) struct OpaquePath {
    pub(super) text: String,
    pub(super) tokens: TokenStream,
    pub(super) ty: Type,
    pub(super) span: Span,
    /// Whether its value is used as it is; if not, its type does not matter.
    pub(super) used: bool,
    /// The least and the greatest element of a table of integers.
    pub(super) range: Option<(i128, i128)>,
}

/// A typed expression.
#[derive(Clone)]
pub(super) struct Expr {
    pub(super) kind: Kind,
    pub(super) ty: Type,
    pub(super) span: Span,
}

/// The name of an array and an access to it, as written.
#[derive(Clone, Debug, Default)]
pub(super) struct Access {
    pub(super) array: String,
    pub(super) text: String,
}

/// The range of a slice expression.
#[derive(Clone)]
pub(super) struct Bounds {
    pub(super) lo: Option<Box<Expr>>,
    pub(super) hi: Option<Box<Expr>>,
    pub(super) inclusive: bool,
    /// Of how many elements one is taken.
    pub(super) step: usize,
}

/// What an expression is.
#[derive(Clone)]
pub(super) enum Kind {
    /// Was refused.
    Error,
    Int(i128),
    /// The digits as written, so that an `f32` is rounded once.
    Float(String),
    Bool(bool),
    Local(LocalId),
    Path(PathId),
    /// The length of an array type.
    Length(Len),
    /// The `_` of a destructuring assignment.
    Hole,
    /// What a `None` holds in place of a value: zeros of its type.
    Zeros,
    Unary(UnOp, Box<Expr>),
    Deref(Box<Expr>),
    Borrow(Box<Expr>),
    Binary(BinOp, Box<Expr>, Box<Expr>),
    And(Box<Expr>, Box<Expr>),
    Or(Box<Expr>, Box<Expr>),
    /// To the expression's own type.
    Cast(Box<Expr>),
    Assign(Box<Expr>, Box<Expr>),
    AssignOp(BinOp, Box<Expr>, Box<Expr>),
    Index(Box<Expr>, Box<Expr>, Access),
    Slice(Box<Expr>, Bounds, Access),
    Field(Box<Expr>, usize),
    Tuple(Vec<Expr>),
    Array(Vec<Expr>),
    /// `[value; len]` and `vec![value; len]`
    Repeat(Box<Expr>, Box<Expr>),
    /// Slices of several lengths: the elements of all, and where each begins and the last one ends.
    Rows(Box<Expr>, Box<Expr>),
    /// `Vec::new()`
    EmptyVec,
    Block(Block),
    If(Box<Expr>, Box<Expr>, Option<Box<Expr>>),
    Match(Box<Match>),
    For(Box<For>),
    /// A `for` over an iterator.
    Each(Box<Each>),
    /// `collect`, of an iterator that leaves no item out.
    Collect(Box<Chain>),
    /// `while` and `loop`
    While(Box<Runtime>),
    /// What `break` with a label, or the `return` of a closure, leaves.
    Labelled(Box<Labelled>),
    /// `continue`, `break`, `return`, the latter two possibly with a value.
    Jump(Target, Option<Box<Expr>>),
    Inline(Box<Inline>),
    /// Statements that do not depend on each other.
    Fork(Vec<Expr>),
    /// `assert!`; the flag says that it is a `debug_` one.
    Assert(Box<Expr>, String, bool),
    Panic(String),
    /// A call of a method or function that is known; the receiver comes first.
    Method(Method, Vec<Expr>, Access),
}

/// The methods and functions that are known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Method {
    /// A row of the table of functions; which one follows from the type of the receiver.
    Scalar(&'static str),
    /// A function of scalars of the user's that is not looked into.
    Apply(PathId),
    /// One over arrays, by its number.
    User(usize),
    SinCos,
    IsPositive,
    /// Whether a number has the same value in the type of the second argument, which is a cast of it.
    Fits,
    IsNegative,
    /// `checked_add(b).unwrap()`, by the name of the operation
    CheckedUnwrap(&'static str),
    /// `checked_add(b).unwrap_or(c)`
    CheckedUnwrapOr(&'static str),
    /// `checked_add(b).is_some()`
    CheckedIsSome(&'static str),
    /// `saturating_add_signed(b)` and `saturating_add_unsigned(b)`, by the name of the operation
    SaturatingMixed(&'static str),
    /// `wrapping_add_signed(b)` and `wrapping_add_unsigned(b)`
    WrappingMixed(&'static str),
    Len,
    IsEmpty,
    Fill,
    CopyFrom,
    /// `a.swap(i, j)`
    SwapElements,
    /// `a.swap_with_slice(b)`
    SwapWith,
    Reverse,
    /// `a.rotate_left(k)`
    RotateLeft,
    RotateRight,
    /// `a.try_into().unwrap()`: the same array, whose length is the second argument.
    ToArray,
    /// `std::mem::swap`
    MemSwap,
    /// `std::mem::replace`
    MemReplace,
    /// `to_vec`, `clone`, …
    ToOwned,
    Push,
    Clear,
    /// `v.truncate(n)`
    Truncate,
    /// The last element of an array that grows, which has one.
    Pop,
    SplitAt,
    /// `as_slice` and the like: the same array.
    Whole,
    /// The length along a dimension of an array of `ndarray`.
    Extent(usize),
    /// How many numbers are in an array of `ndarray`.
    Count,
    /// An array of `ndarray` with one of its dimensions in front of the others.
    AxisFirst(usize),
    /// What ranks do with each other.
    BetweenRanks(BetweenRanks),
}

/// A block.
#[derive(Clone, Default)]
pub(super) struct Block {
    pub(super) stmts: Vec<Stmt>,
    pub(super) tail: Option<Box<Expr>>,
}

/// A statement of a block.
#[derive(Clone)]
pub(super) enum Stmt {
    Let(Pattern, Option<Expr>, Span),
    /// `let pattern = value else { … };`
    LetElse(Box<MatchPattern>, Expr, Expr),
    Expr(Expr),
}

/// An irrefutable pattern.
#[derive(Clone, Debug)]
pub(super) enum Pattern {
    Wild,
    Bind(LocalId),
    Tuple(Vec<Pattern>),
    /// `[a, b]` over an array
    Slice(Vec<Pattern>),
    /// `[a, rest @ .., b]`
    Rest(Vec<Pattern>, Box<Pattern>, Vec<Pattern>),
    /// `&p`
    Deref(Box<Pattern>),
}

/// A `match`.
#[derive(Clone)]
pub(super) struct Match {
    pub(super) scrutinee: Expr,
    pub(super) arms: Vec<Arm>,
}

/// An arm of a `match`.
#[derive(Clone)]
pub(super) struct Arm {
    pub(super) pattern: MatchPattern,
    pub(super) guard: Option<Expr>,
    pub(super) body: Expr,
}

/// A refutable pattern.
#[derive(Clone)]
pub(super) enum MatchPattern {
    Wild,
    Bind(LocalId, Option<Box<MatchPattern>>),
    Value(Expr),
    Range(Option<Expr>, Option<Expr>, bool),
    Or(Vec<MatchPattern>),
    Tuple(Vec<MatchPattern>),
    /// `[a, 0]` over an array of that length
    Array(Vec<MatchPattern>),
}

/// A `for` loop.
#[derive(Clone)]
pub(super) struct For {
    pub(super) id: LoopId,
    pub(super) var: Option<LocalId>,
    pub(super) name: String,
    pub(super) lo: Expr,
    pub(super) hi: Expr,
    pub(super) inclusive: bool,
    /// `.rev()` and `.step_by(k)` in the order written.
    pub(super) adapters: Vec<Adapter>,
    pub(super) marks: Marks,
    pub(super) body: Block,
}

/// A `while`, or a `loop` if it has no condition.
#[derive(Clone)]
pub(super) struct Runtime {
    pub(super) id: LoopId,
    pub(super) cond: Option<Expr>,
    pub(super) body: Block,
    /// Its mark.
    pub(super) checkpoint: Option<Checkpoint>,
}

/// An expression that jumps in it may leave.
#[derive(Clone)]
pub(super) struct Labelled {
    pub(super) id: LoopId,
    pub(super) body: Expr,
}

/// An adapter of a range.
#[derive(Clone)]
pub(super) enum Adapter {
    Rev,
    StepBy(Expr),
}

/// A call of a helper function, its body included.
#[derive(Clone)]
pub(super) struct Inline {
    /// What its `return`s leave.
    pub(super) id: LoopId,
    pub(super) name: String,
    /// Const parameters of the helper that are lengths known at run time: dimension `.2` of argument `.1`.
    pub(super) consts: Vec<(LocalId, usize, usize)>,
    pub(super) params: Vec<(Pattern, Type)>,
    pub(super) args: Vec<Expr>,
    pub(super) body: Block,
}

impl Expr {
    pub(super) fn new(kind: Kind, ty: Type, span: Span) -> Expr {
        Expr { kind, ty, span }
    }

    pub(super) fn boxed(self) -> Box<Expr> {
        Box::new(self)
    }

    /// What jumps in it leave that is not inside of it.
    pub(super) fn jumps(&self) -> BTreeSet<Target> {
        let mut found = BTreeSet::new();
        self.collect_jumps(&mut found);
        found
    }

    fn collect_jumps(&self, found: &mut BTreeSet<Target>) {
        self.children(&mut |child| child.collect_jumps(found));
        let own = match &self.kind {
            Kind::Jump(target, _) => {
                found.insert(*target);
                return;
            }
            Kind::For(f) => f.id,
            Kind::Each(each) => each.id,
            Kind::While(runtime) => runtime.id,
            Kind::Labelled(labelled) => labelled.id,
            Kind::Inline(inline) => inline.id,
            _ => return,
        };
        found.remove(&Target { id: own, exit: Exit::Next });
        found.remove(&Target { id: own, exit: Exit::Out });
    }

    /// Calls `visit` on the direct parts, in order of evaluation.
    pub(super) fn children<'a>(&'a self, visit: &mut dyn FnMut(&'a Expr)) {
        match &self.kind {
            Kind::Error
            | Kind::Int(_)
            | Kind::Float(_)
            | Kind::Bool(_)
            | Kind::Local(_)
            | Kind::Path(_)
            | Kind::Length(_)
            | Kind::Hole
            | Kind::Zeros
            | Kind::EmptyVec
            | Kind::Panic(_) => {}
            Kind::Unary(_, a)
            | Kind::Deref(a)
            | Kind::Borrow(a)
            | Kind::Cast(a)
            | Kind::Field(a, _)
            | Kind::Assert(a, ..) => visit(a),
            Kind::Binary(_, a, b)
            | Kind::And(a, b)
            | Kind::Or(a, b)
            | Kind::Index(a, b, _)
            | Kind::Rows(a, b)
            | Kind::Repeat(a, b) => {
                visit(a);
                visit(b);
            }
            Kind::Assign(a, b) | Kind::AssignOp(_, a, b) => {
                visit(b);
                visit(a);
            }
            Kind::Slice(a, bounds, _) => {
                visit(a);
                bounds.lo.iter().chain(&bounds.hi).for_each(|bound| visit(bound));
            }
            Kind::Tuple(parts) | Kind::Array(parts) | Kind::Fork(parts) | Kind::Method(_, parts, _) => {
                parts.iter().for_each(visit);
            }
            Kind::Block(block) => block.children(visit),
            Kind::If(cond, then, els) => {
                visit(cond);
                visit(then);
                els.iter().for_each(|els| visit(els));
            }
            Kind::Match(m) => {
                visit(&m.scrutinee);
                for arm in &m.arms {
                    arm.guard.iter().for_each(&mut *visit);
                    visit(&arm.body);
                }
            }
            Kind::For(f) => {
                visit(&f.lo);
                visit(&f.hi);
                for adapter in &f.adapters {
                    if let Adapter::StepBy(step) = adapter {
                        visit(step);
                    }
                }
                f.body.children(visit);
            }
            Kind::Each(each) => {
                each.chain.children(visit);
                each.body.children(visit);
            }
            Kind::While(runtime) => {
                runtime.cond.iter().for_each(&mut *visit);
                runtime.body.children(visit);
            }
            Kind::Labelled(labelled) => visit(&labelled.body),
            Kind::Jump(_, value) => value.iter().for_each(|value| visit(value)),
            Kind::Collect(chain) => chain.children(visit),
            Kind::Inline(inline) => {
                inline.args.iter().for_each(&mut *visit);
                inline.body.children(visit);
            }
        }
    }
}

impl Stmt {
    pub(super) fn children<'a>(&'a self, visit: &mut dyn FnMut(&'a Expr)) {
        match self {
            Stmt::Let(_, init, _) => init.iter().for_each(visit),
            Stmt::LetElse(_, value, els) => {
                visit(value);
                visit(els);
            }
            Stmt::Expr(e) => visit(e),
        }
    }
}

impl Block {
    pub(super) fn children<'a>(&'a self, visit: &mut dyn FnMut(&'a Expr)) {
        self.stmts.iter().for_each(|stmt| stmt.children(visit));
        self.tail.iter().for_each(|tail| visit(tail));
    }
}
