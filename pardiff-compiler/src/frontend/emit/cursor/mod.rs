//! Cursors: iterator chains whose operands are evaluated. How many positions one has, and the item at a position, follow
//! from those of what it adapts; so any composition of adapters is one counted loop.
//!
//! ```text
//! chain                    positions          item at k
//! a.iter()                 len(a)             a[k]
//! a.chunks_exact(c)        len(a) / c         a[k * c..(k + 1) * c]
//! a.windows(w)             len(a) - (w - 1)   a[k..k + w]
//! x.rev()                  |x|                x[|x| - 1 - k]
//! x.skip(s)                |x| - s            x[s + k]
//! x.zip(y)                 min(|x|, |y|)      (x[k], y[k])
//! x.cycle()                no end             x[k % |x|]
//! ```
//!
//! Where the outermost adapters are `rev`, `skip`, `take` and `step_by`, they become the bounds, the step and the direction
//! of the loop instead, so that its accesses are those of a loop written by hand: `a.iter().skip(1)` is
//! `for k in 1..len(a)` over `a[k]`.

mod bounds;
mod item;

pub(super) use bounds::Bounds;
pub(super) use item::{Use, copied};

use super::super::chain::{Chain, ChainKind, Closure, Inner, Parts};
use super::super::infer::Type;
use super::super::tree::{Expr as Tree, Pattern};
use super::Emit;
use super::rayon;
use super::value::{Value, View, add, sub};
use crate::ir::{BinOp, BufferId, Expr, ExprKind, Func, Int, Message, StmtKind, Ty};

/// An iterator whose operands are evaluated.
#[derive(Clone)]
pub(super) struct Cursor<'t> {
    pub(super) kind: CursorKind<'t>,
    /// How many positions it has; `None` if it has no end. Positions that `filter` leaves out count.
    pub(super) len: Option<Expr>,
}

/// What it goes over.
#[derive(Clone)]
pub(super) enum CursorKind<'t> {
    Range {
        lo: Expr,
        hi: Option<Expr>,
        inclusive: bool,
    },
    Elements(View),
    Once(Value),
    Numbers {
        views: Vec<View>,
        shape: Vec<Expr>,
        indexed: bool,
    },
    Parts {
        view: View,
        size: Expr,
        parts: Parts,
    },
    Rev(Box<Cursor<'t>>),
    StepBy(Box<Cursor<'t>>, Expr),
    Skip(Box<Cursor<'t>>, Expr),
    Take(Box<Cursor<'t>>, Expr),
    Zip(Box<Cursor<'t>>, Box<Cursor<'t>>),
    Enumerate(Box<Cursor<'t>>),
    Cycle(Box<Cursor<'t>>),
    Map(Box<Cursor<'t>>, &'t Closure),
    Filter(Box<Cursor<'t>>, &'t Closure),
    Copied(Box<Cursor<'t>>),
    Chain(Box<Cursor<'t>>, Box<Cursor<'t>>),
    FlatMap(Box<Cursor<'t>>, &'t Inner),
    Scan(Box<Cursor<'t>>, &'t Closure),
    /// Goes on as long as the flag holds.
    TakeWhile(Box<Cursor<'t>>, &'t Closure, BufferId),
    /// Goes on as long as the flag holds, which it does up to the item at which nothing is left of a number.
    TakeOf(Box<Cursor<'t>>, BufferId, BufferId),
    /// Leaves items out as long as the flag holds.
    SkipWhile(Box<Cursor<'t>>, &'t Closure, BufferId),
}

impl<'e> Emit<'e> {
    /// Evaluates the operands of a chain, in order; `None` if something was refused.
    pub(super) fn cursor<'t>(&mut self, chain: &'t Chain) -> Option<Cursor<'t>> {
        let (kind, len) = match &chain.kind {
            ChainKind::Behind(helper, inner) => {
                self.bind_arguments(helper);
                helper.body.stmts.iter().for_each(|stmt| self.stmt(stmt));
                return self.cursor(inner);
            }
            ChainKind::Range { lo, hi, inclusive } => self.range_cursor(lo, hi.as_ref(), *inclusive),
            ChainKind::Elements(array) => {
                let view = self.iterated(array)?;
                let len = view.len.clone();
                (CursorKind::Elements(view), Some(len))
            }
            ChainKind::Once(item) => {
                let value = self.value(item);
                let value = self.evaluated(&item.ty, value, "item");
                (CursorKind::Once(value), Some(Expr::usize(1)))
            }
            ChainKind::Numbers { arrays, rank, indexed, text } => {
                let views: Option<Vec<View>> = arrays.iter().map(|array| self.iterated(array)).collect();
                let views = views?;
                let shape = self.shape(&views, *rank, text);
                let len = self.product(shape.clone());
                let len = self.named(len, "numbers");
                (CursorKind::Numbers { views, shape, indexed: *indexed }, Some(len))
            }
            ChainKind::Parts(array, size, parts) => {
                let view = self.iterated(array)?;
                let size = self.operand(size, "size");
                self.check_positive(
                    &size,
                    match parts {
                        Parts::Windows => "window size must be non-zero",
                        _ => "chunk size must be non-zero",
                    },
                );
                let len = number_of_parts(&view.len, &size, *parts);
                let len = self.named(len, "parts");
                (CursorKind::Parts { view, size, parts: *parts }, Some(len))
            }
            ChainKind::Rev(inner) => {
                let inner = self.boxed(inner)?;
                let len = inner.len.clone();
                (CursorKind::Rev(inner), len)
            }
            ChainKind::StepBy(inner, by) => {
                let inner = self.boxed(inner)?;
                let by = self.operand(by, "step");
                self.check_positive(&by, "assertion failed: step != 0");
                let len = inner.len.clone().map(|len| {
                    let trips = vec![Expr::usize(0), len, by.clone()];
                    self.named(Expr::call(Ty::USIZE, Func::TripCount, trips), "steps")
                });
                (CursorKind::StepBy(inner, by), len)
            }
            ChainKind::Skip(inner, by) => {
                let inner = self.boxed(inner)?;
                let by = self.operand(by, "skipped");
                let len = inner.len.clone().map(|len| self.named(saturating_sub(len, by.clone()), "rest"));
                (CursorKind::Skip(inner, by), len)
            }
            ChainKind::Take(inner, most) => {
                let leaves_out = inner.leaves_out();
                let inner = self.boxed(inner)?;
                let most = self.operand(most, "taken");
                if leaves_out {
                    let (left, flag) = (self.scalar_local("left", Ty::USIZE), self.flag_of("takes"));
                    self.assign_scalar(left, most.clone());
                    self.assign_scalar(flag, Expr::binary(BinOp::Gt, most, Expr::usize(0)));
                    return Some(Cursor {
                        len: inner.len.clone(),
                        kind: CursorKind::TakeOf(inner, left, flag),
                    });
                }
                let len = self.shorter(inner.len.clone(), Some(most.clone()));
                (CursorKind::Take(inner, most), len)
            }
            ChainKind::Zip(a, b) => {
                let (a, b) = (self.boxed(a)?, self.boxed(b)?);
                let len = self.shorter(a.len.clone(), b.len.clone());
                (CursorKind::Zip(a, b), len)
            }
            ChainKind::Enumerate(inner) => {
                let inner = self.boxed(inner)?;
                let len = inner.len.clone();
                (CursorKind::Enumerate(inner), len)
            }
            ChainKind::Cycle(inner) => {
                let inner = self.boxed(inner)?;
                let len = inner.len.clone().and_then(|len| self.repeated(len));
                (CursorKind::Cycle(inner), len)
            }
            ChainKind::Map(inner, closure) => {
                let inner = self.boxed(inner)?;
                let len = inner.len.clone();
                (CursorKind::Map(inner, closure), len)
            }
            ChainKind::Filter(inner, closure) => {
                let inner = self.boxed(inner)?;
                let len = inner.len.clone();
                (CursorKind::Filter(inner, closure), len)
            }
            ChainKind::Copied(inner) => {
                let inner = self.boxed(inner)?;
                let len = inner.len.clone();
                (CursorKind::Copied(inner), len)
            }
            ChainKind::Chain(a, b) => {
                let (a, b) = (self.boxed(a)?, self.boxed(b)?);
                let len = a.len.clone().zip(b.len.clone()).map(|(a, b)| add(a, b));
                let len = len.map(|len| self.named(len, "items"));
                (CursorKind::Chain(a, b), len)
            }
            ChainKind::FlatMap(outer, inner) => {
                let outer = self.boxed(outer)?;
                let len = outer.len.clone();
                (CursorKind::FlatMap(outer, inner), len)
            }
            ChainKind::Scan(inner, scan) => {
                let inner = self.boxed(inner)?;
                let len = inner.len.clone();
                let start = Some(&scan.start);
                self.let_stmt(&Pattern::Bind(scan.state), start, scan.start.span);
                (CursorKind::Scan(inner, &scan.closure), len)
            }
            ChainKind::TakeWhile(inner, closure) => {
                let inner = self.boxed(inner)?;
                let (len, flag) = (inner.len.clone(), self.flag_of("takes"));
                (CursorKind::TakeWhile(inner, closure, flag), len)
            }
            ChainKind::SkipWhile(inner, closure) => {
                let inner = self.boxed(inner)?;
                let (len, flag) = (inner.len.clone(), self.flag_of("skips"));
                (CursorKind::SkipWhile(inner, closure, flag), len)
            }
        };
        Some(Cursor { kind, len })
    }

    /// How many items there are of `len` again and again: no end, or none where there are none.
    fn repeated(&mut self, len: Expr) -> Option<Expr> {
        if let ExprKind::Int(1..) = len.kind {
            return None;
        }
        let any = Expr::binary(BinOp::Gt, len, Expr::usize(0)).cast(Ty::USIZE);
        let all = Expr::call(Ty::USIZE, Func::WrappingSub, vec![Expr::usize(0), any]);
        Some(self.named(all, "items"))
    }

    fn flag_of(&mut self, name: &str) -> BufferId {
        let flag = self.scalar_local(name, Ty::Bool);
        self.assign_scalar(flag, Expr::bool(true));
        flag
    }

    fn boxed<'t>(&mut self, chain: &'t Chain) -> Option<Box<Cursor<'t>>> {
        self.cursor(chain).map(Box::new)
    }

    fn range_cursor<'t>(
        &mut self,
        lo: &Tree,
        hi: Option<&Tree>,
        inclusive: bool,
    ) -> (CursorKind<'t>, Option<Expr>) {
        let lo = self.operand(lo, "first");
        let hi = hi.map(|hi| self.operand(hi, "end"));
        let len = hi.clone().map(|hi| {
            let (lo, hi) = match inclusive {
                true => behind(lo.clone(), hi),
                false => (lo.clone(), hi),
            };
            if hi.ty == Ty::USIZE && lo.kind == ExprKind::Int(0) {
                return self.named(hi, "trips");
            }
            let trips = vec![lo, hi, Expr::usize(1)];
            self.named(Expr::call(Ty::USIZE, Func::TripCount, trips), "trips")
        });
        (CursorKind::Range { lo, hi, inclusive }, len)
    }

    /// The array that is iterated over; what it is called may change while the loop runs.
    fn iterated(&mut self, array: &Tree) -> Option<View> {
        let view = self.array(array)?;
        match self.stabilise(Value::View(view), "part") {
            Value::View(view) => Some(view),
            _ => None,
        }
    }

    /// An operand of an adapter.
    fn operand(&mut self, e: &Tree, name: &str) -> Expr {
        let value = self.scalar(e);
        self.named(value, name)
    }

    /// The value under a name, unless it is one.
    pub(super) fn named(&mut self, value: Expr, name: &str) -> Expr {
        if self.is_stable(&value) { value } else { self.snapshot(name, value) }
    }

    pub(super) fn shorter(&mut self, a: Option<Expr>, b: Option<Expr>) -> Option<Expr> {
        let (Some(a), Some(b)) = (a.clone(), b.clone()) else { return a.or(b) };
        if self.canonical(a.clone()) == self.canonical(b.clone()) {
            return Some(a);
        }
        Some(match (&a.kind, &b.kind) {
            (ExprKind::Int(x), ExprKind::Int(y)) => {
                if x <= y {
                    a
                } else {
                    b
                }
            }
            _ => self.named(Expr::call(Ty::USIZE, Func::IntMin, vec![a, b]), "shorter"),
        })
    }

    fn check_positive(&mut self, value: &Expr, text: &str) {
        if let ExprKind::Int(value) = value.kind
            && value > 0
        {
            return;
        }
        let cond = Expr::binary(BinOp::Gt, value.clone(), Expr::usize(0));
        self.push(StmtKind::Check { cond, message: Message::Text(text.to_owned()) });
    }
}

impl Cursor<'_> {
    /// Calls `visit` with the buffers that its items are taken from, and whether the items are `&mut`.
    pub(super) fn arrays(&self, chain: &Chain, visit: &mut dyn FnMut(BufferId, bool)) {
        match (&self.kind, &chain.kind) {
            (CursorKind::Numbers { views, .. }, _) => {
                for (view, number) in views.iter().zip(chain.numbers()) {
                    visit(view.buffer, matches!(number, Type::Ref(true, _)));
                }
            }
            (CursorKind::Elements(view) | CursorKind::Parts { view, .. }, _) => {
                view.buffers().into_iter().for_each(|buffer| visit(buffer, rayon::is_mutable(chain)));
            }
            (CursorKind::Zip(a, b), ChainKind::Zip(of_a, of_b)) => {
                a.arrays(of_a, visit);
                b.arrays(of_b, visit);
            }
            (
                CursorKind::Rev(inner)
                | CursorKind::StepBy(inner, _)
                | CursorKind::Skip(inner, _)
                | CursorKind::Take(inner, _)
                | CursorKind::Enumerate(inner)
                | CursorKind::Map(inner, _)
                | CursorKind::Filter(inner, _)
                | CursorKind::Copied(inner),
                ChainKind::Rev(of)
                | ChainKind::StepBy(of, _)
                | ChainKind::Skip(of, _)
                | ChainKind::Take(of, _)
                | ChainKind::Enumerate(of)
                | ChainKind::Map(of, _)
                | ChainKind::Filter(of, _)
                | ChainKind::Copied(of),
            ) => inner.arrays(of, visit),
            _ => {}
        }
    }
}

/// A range and the bound behind its last value, in a type that has it where there is one.
fn behind(lo: Expr, last: Expr) -> (Expr, Expr) {
    let (lo, last) = match last.ty {
        Ty::Int(int) if int.bits() < 64 => {
            let wide = Ty::Int(Int::I64);
            (lo.cast(wide), last.cast(wide))
        }
        _ => (lo, last),
    };
    let one = Expr::int(last.ty, 1);
    let hi = match &last.kind {
        ExprKind::Int(last_value) => Expr::int(last.ty, last_value + 1),
        _ => Expr::call(last.ty, Func::SaturatingAdd, vec![last, one]),
    };
    (lo, hi)
}

fn number_of_parts(len: &Expr, size: &Expr, parts: Parts) -> Expr {
    let (len, size) = (len.clone(), size.clone());
    match parts {
        Parts::Exact => match (&len.kind, &size.kind) {
            (ExprKind::Int(len), ExprKind::Int(size)) if *size > 0 => Expr::int(Ty::USIZE, len / size),
            (_, ExprKind::Int(1)) => len,
            _ => Expr::binary(BinOp::Div, len, size),
        },
        Parts::Chunks => match &size.kind {
            ExprKind::Int(1) => len,
            _ => Expr::call(Ty::USIZE, Func::TripCount, vec![Expr::usize(0), len, size]),
        },
        Parts::Windows => saturating_sub(len, sub(size, Expr::usize(1))),
    }
}

pub(super) fn saturating_sub(a: Expr, b: Expr) -> Expr {
    match (&a.kind, &b.kind) {
        (_, ExprKind::Int(0)) => a,
        (ExprKind::Int(x), ExprKind::Int(y)) => Expr::usize(usize::try_from(x - y).unwrap_or(0)),
        _ => Expr::call(Ty::USIZE, Func::SaturatingSub, vec![a, b]),
    }
}
