//! Arrays of `ndarray`: views with their dimensions in another order, and loops over all their numbers.

use super::super::chain::{Chain, ChainKind, Each};
use super::super::tree::{Block, Expr as Tree, Kind, LocalId, Method, Pattern, Target};
use super::Emit;
use super::cursor::{Bounds, Cursor, CursorKind, Use, copied};
use super::value::{Cut, Value, View};
use crate::ir::{BinOp, Expr, ExprKind, Marks, Message, StmtKind, Ty};
use proc_macro2::Span;
use std::collections::BTreeSet;

impl Emit<'_> {
    /// The array with one of its dimensions in front of the others: what an index is of changes, not what is stored.
    pub(super) fn axis_first(&mut self, array: &Tree, axis: usize) -> Value {
        let Some(view) = self.array(array) else { return Value::UNIT };
        let first = view.prefix.len();
        let rank = self.program[view.buffer].rank();
        if first + axis >= rank {
            return Value::View(view);
        }
        // what the first index is restricted to, that index is wherever it stands
        let mut cuts = view.cuts.clone();
        let dim = view.axis(first);
        cuts.retain(|cut| cut.dim != dim);
        if view.offset.is_some() || view.step > 1 || view.len != self.program[view.buffer].dims[dim] {
            cuts.push(Cut { dim, offset: view.offset.clone(), len: view.len.clone(), step: view.step });
        }
        let mut axes: Vec<usize> = (0..rank).map(|at| view.axis(at)).collect();
        axes[first..=first + axis].rotate_right(1);
        let turned = View { axes: Some(axes.into()), cuts, owned: false, ..view };
        let Cut { offset, len, step, .. } = self.range_at(&turned, first);
        Value::View(View { offset, len, step, ..turned })
    }

    /// How many numbers are in it.
    pub(super) fn number_of_elements(&self, view: &View) -> Expr {
        self.product(self.dims(view))
    }

    /// The product of the lengths of a shape.
    pub(super) fn product(&self, shape: Vec<Expr>) -> Expr {
        let product = |a: Expr, b: Expr| match (&a.kind, &b.kind) {
            (ExprKind::Int(1), _) => b,
            (_, ExprKind::Int(1)) => a,
            _ => Expr::binary(BinOp::Mul, a, b),
        };
        shape.into_iter().reduce(product).unwrap_or_else(|| Expr::usize(1))
    }

    /// The first lengths of arrays, which must be those of all of them.
    pub(super) fn shape(&mut self, views: &[View], rank: usize, text: &str) -> Vec<Expr> {
        let mut shapes = views.iter().map(|view| {
            let mut shape = self.dims(view);
            shape.truncate(rank);
            shape
        });
        let shape = shapes.next().unwrap_or_default();
        let mut checks = Vec::new();
        for other in shapes {
            for (a, b) in shape.iter().zip(other) {
                let same = self.canonical(a.clone()) == self.canonical(b.clone());
                if !same || matches!(b.kind, ExprKind::Load(_)) {
                    checks.push(Expr::binary(BinOp::Eq, a.clone(), b));
                }
            }
        }
        for cond in checks {
            self.push(StmtKind::Check { cond, message: Message::Text(text.to_owned()) });
        }
        shape
    }

    /// The indices of the number at a position in logical order: `k / m, k % m`.
    pub(super) fn index_at(&self, shape: &[Expr], at: Expr) -> Vec<Expr> {
        let mut index = Vec::new();
        let mut rest = at;
        for extent in shape.iter().skip(1).rev() {
            index.push(Expr::binary(BinOp::Rem, rest.clone(), extent.clone()));
            rest = Expr::binary(BinOp::Div, rest, extent.clone());
        }
        index.push(rest);
        index.reverse();
        index
    }

    /// The numbers at these indices, behind them if they are `indexed`.
    pub(super) fn number(&self, views: &[View], index: &[Expr], indexed: bool) -> Value {
        let place = match index {
            [one] => Value::Scalar(one.clone()),
            index => Value::Tuple(index.iter().map(|index| Value::Scalar(index.clone())).collect()),
        };
        let numbers = views.iter().map(|view| self.element_at(view, index));
        let mut members: Vec<Value> = indexed.then_some(place).into_iter().chain(numbers).collect();
        if members.len() == 1 { members.swap_remove(0) } else { Value::Tuple(members) }
    }

    /// A loop for each dimension: what one loop over positions would do, in the same order, with indices that are iterators.
    pub(super) fn nested_loops(
        &mut self,
        each: &Each,
        cursor: &Cursor<'_>,
        dims: &[Expr],
        exits: &BTreeSet<Target>,
        span: Span,
    ) {
        let rayon = self.rayon_of(&each.chain, cursor, Some(&each.body), each.marks.rayon.is_some());
        let outer = Marks { rayon, ..each.marks };
        let names = self.index_names(each, dims.len());
        let iters: Vec<_> = names.iter().map(|name| self.program.add_iter(name, Ty::USIZE)).collect();
        let index: Vec<Expr> = iters.iter().map(|iter| Expr::iter(*iter, Ty::USIZE)).collect();
        let mut body = self.body_of(each.id, |this| {
            this.item_at(cursor, &index, &mut |this, item| {
                this.bind_item(&each.pattern, item, span);
                this.counted_statements(&each.body, exits);
            });
        });
        for (dim, iter) in iters.into_iter().enumerate().rev() {
            let marks = if dim == 0 { outer } else { Marks { rayon: None, ..each.marks } };
            let bounds = Bounds::positions(dims[dim].clone());
            body = self.block(|this| this.push_loop(iter, bounds, marks, body));
        }
        self.append(body);
    }

    /// How the iterators are called: as the user calls the indices.
    fn index_names(&self, each: &Each, rank: usize) -> Vec<String> {
        let named = match &each.pattern {
            Pattern::Tuple(parts) => match parts.first() {
                Some(Pattern::Tuple(index)) if index.len() == rank => index.as_slice(),
                _ => &[],
            },
            _ => &[],
        };
        let name = |at: usize| match named.get(at) {
            Some(Pattern::Bind(local)) => self.locals[*local].name.clone(),
            _ => each.name.clone(),
        };
        (0..rank).map(name).collect()
    }
}

impl<'e> Emit<'e> {
    /// Emits the item at the indices of an array of several dimensions, and what is done with it.
    pub(super) fn item_at(&mut self, cursor: &Cursor<'_>, index: &[Expr], then: Use<'_, 'e>) {
        match &cursor.kind {
            CursorKind::Numbers { views, indexed, .. } => {
                let number = self.number(views, index, *indexed);
                then(self, number);
            }
            CursorKind::Map(inner, closure) => {
                self.item_at(inner, index, &mut |this, value| this.mapped(closure, value, then));
            }
            CursorKind::Filter(inner, closure) => {
                self.item_at(inner, index, &mut |this, value| this.filtered(closure, value, then));
            }
            CursorKind::Copied(inner) => self.item_at(inner, index, &mut |this, value| {
                let value = copied(value);
                then(this, value);
            }),
            _ => {}
        }
    }
}

impl Cursor<'_> {
    /// The shape of the arrays of which each number is an item, so that a loop for each dimension runs over them.
    pub(super) fn nest(&self) -> Option<&[Expr]> {
        match &self.kind {
            CursorKind::Numbers { shape, .. } => Some(shape),
            CursorKind::Map(inner, _) | CursorKind::Filter(inner, _) | CursorKind::Copied(inner) => {
                inner.nest()
            }
            _ => None,
        }
    }
}

/// Whether an array is used by its numbers in order alone: then it is the slice of them, of one dimension.
///
/// *Legality.* The numbers of an array in logical order are those of the slice that the back end makes of it, so an
/// iteration over them, and how many there are, are the same; nothing else asks for an index or an extent.
pub(super) fn is_flat(body: &Block, local: LocalId) -> bool {
    let mut flat = true;
    body.children(&mut |e| flat &= uses_numbers(e, local));
    flat
}

fn uses_numbers(e: &Tree, local: LocalId) -> bool {
    let mut flat = match &e.kind {
        Kind::Local(of) => return *of != local,
        Kind::Method(Method::Count, args, _) if whole(&args[0]) == Some(local) => return true,
        Kind::Method(Method::Fill, args, _) if whole(&args[0]) == Some(local) => {
            return uses_numbers(&args[1], local);
        }
        Kind::Each(each) => {
            let mut flat = chain_uses_numbers(&each.chain, local);
            each.body.children(&mut |e| flat &= uses_numbers(e, local));
            return flat;
        }
        Kind::Collect(chain) => return chain_uses_numbers(chain, local),
        _ => true,
    };
    e.children(&mut |child| flat &= uses_numbers(child, local));
    flat
}

fn chain_uses_numbers(chain: &Chain, local: LocalId) -> bool {
    match &chain.kind {
        ChainKind::Numbers { arrays, indexed: false, .. }
            if arrays.len() == 1 && whole(&arrays[0]) == Some(local) =>
        {
            true
        }
        ChainKind::Zip(a, b) => chain_uses_numbers(a, local) && chain_uses_numbers(b, local),
        ChainKind::Rev(inner) | ChainKind::Enumerate(inner) | ChainKind::Copied(inner) => {
            chain_uses_numbers(inner, local)
        }
        ChainKind::StepBy(inner, by) | ChainKind::Skip(inner, by) | ChainKind::Take(inner, by) => {
            chain_uses_numbers(inner, local) && uses_numbers(by, local)
        }
        ChainKind::Map(inner, closure) | ChainKind::Filter(inner, closure) => {
            chain_uses_numbers(inner, local) && uses_numbers(&closure.body, local)
        }
        ChainKind::Range { .. }
        | ChainKind::Elements(_)
        | ChainKind::Once(_)
        | ChainKind::Numbers { .. }
        | ChainKind::Parts(..)
        | ChainKind::Chain(..)
        | ChainKind::Cycle(_)
        | ChainKind::FlatMap(..)
        | ChainKind::Behind(..)
        | ChainKind::Scan(..)
        | ChainKind::TakeWhile(..)
        | ChainKind::SkipWhile(..) => {
            let mut flat = true;
            chain.children(&mut |e| flat &= uses_numbers(e, local));
            flat
        }
    }
}

/// The variable whose whole array an expression is.
fn whole(e: &Tree) -> Option<LocalId> {
    match &e.kind {
        Kind::Local(local) => Some(*local),
        Kind::Borrow(inner) | Kind::Deref(inner) => whole(inner),
        Kind::Method(Method::Whole, args, _) => whole(&args[0]),
        _ => None,
    }
}
