//! The lengths of the rows of a vector of vectors that is collected, where all have one that the source says.
//!
//! ```text
//! a.chunks_exact(n).map(|row| row.to_vec()).collect()                rows of n
//! (0..m).map(|i| (0..n).map(|j| x[i] * y[j]).collect()).collect()    rows of n, unless n depends on i
//! (0..m).map(|i| vec![0.0; n - 1]).collect()                         rows of n - 1
//! (0..m).map(|i| { let mut row = vec![0.0; n]; …; row }).collect()   rows of n, unless `row` grows
//! a.chunks_exact(n).map(|row| scaled(row)).collect()                 rows of what `scaled` returns for one of n
//! ```
//!
//! The length is evaluated in front of the loop. It is made of variables that are there, which no closure of an iterator
//! changes, of numbers and lengths; a subtraction stops at zero, so that nothing panics that is not reached.

use super::super::chain::{Chain, ChainKind, Parts};
use super::super::tree::{Block, Exit, Expr as Tree, Kind, LocalId, Method, Pattern, Stmt, Target};
use super::Emit;
use super::cursor::{Cursor, CursorKind, saturating_sub};
use super::value::Value;
use crate::ir::{BinOp, Expr, Func, Ty};
use std::collections::HashMap;

/// The length of each variable that is a row, and the value of each that is a number, as far as they are known.
type Rows = HashMap<LocalId, Option<Expr>>;

impl Emit<'_> {
    /// The extents of each item.
    pub(super) fn lens_of_rows(&mut self, chain: &Chain, cursor: &Cursor<'_>) -> Option<Vec<Expr>> {
        let (ChainKind::Map(_, closure), CursorKind::Map(inner, _)) = (&chain.kind, &cursor.kind) else {
            return None;
        };
        let mut rows = Rows::new();
        self.rows_of(&closure.param, inner, &mut rows);
        self.extents(&closure.body, &mut rows)
    }

    /// Remembers how long the rows are that a pattern binds.
    fn rows_of(&self, pattern: &Pattern, cursor: &Cursor<'_>, rows: &mut Rows) {
        match (pattern, &cursor.kind) {
            // the last chunk may be shorter
            (Pattern::Bind(local), CursorKind::Parts { size, parts: Parts::Exact | Parts::Windows, .. }) => {
                rows.insert(*local, Some(size.clone()));
            }
            (Pattern::Bind(local), CursorKind::Elements(view)) => {
                let dims = self.dims(view);
                if let Some(row) = dims.get(1).filter(|row| self.is_stable(row)) {
                    rows.insert(*local, Some(row.clone()));
                }
            }
            (Pattern::Deref(inner), _) => self.rows_of(inner, cursor, rows),
            (
                _,
                CursorKind::Rev(inner)
                | CursorKind::Copied(inner)
                | CursorKind::Skip(inner, _)
                | CursorKind::Take(inner, _)
                | CursorKind::StepBy(inner, _),
            ) => self.rows_of(pattern, inner, rows),
            (Pattern::Tuple(parts), CursorKind::Enumerate(inner)) if parts.len() == 2 => {
                self.rows_of(&parts[1], inner, rows);
            }
            (Pattern::Tuple(parts), CursorKind::Zip(a, b)) if parts.len() == 2 => {
                self.rows_of(&parts[0], a, rows);
                self.rows_of(&parts[1], b, rows);
            }
            _ => {}
        }
    }

    /// The extents of an array that is made for each item.
    fn extents(&mut self, e: &Tree, rows: &mut Rows) -> Option<Vec<Expr>> {
        if !matches!(self.infer.peel(&e.ty), super::super::infer::Type::Array(..)) {
            return Some(Vec::new());
        }
        match &e.kind {
            Kind::Block(block) => self.extents_behind(block, rows),
            Kind::Inline(inline) => {
                let early = Target { id: inline.id, exit: Exit::Out };
                let mut is_early = false;
                e.children(&mut |child| is_early |= child.jumps().contains(&early));
                if is_early {
                    return None;
                }
                for ((pattern, _), arg) in inline.params.iter().zip(&inline.args) {
                    self.note(pattern, Some(arg), rows);
                }
                self.extents_behind(&inline.body, rows)
            }
            Kind::Local(_) => {
                let lens = super::lens_of(self.infer, &e.ty);
                (lens.len() == 1).then(|| self.len_of(e, rows).map(|len| vec![len])).flatten()
            }
            Kind::Repeat(value, len) => {
                let len = self.known(len, rows)?;
                self.with_inner(len, value, rows)
            }
            Kind::Array(parts) => self.with_inner(Expr::usize(parts.len()), parts.first()?, rows),
            Kind::Method(Method::ToOwned, args, _) => {
                let lens = super::lens_of(self.infer, &e.ty);
                (lens.len() == 1).then(|| self.len_of(&args[0], rows).map(|len| vec![len])).flatten()
            }
            Kind::Collect(chain) => {
                let len = self.items_of(chain, rows)?;
                match &chain.kind {
                    ChainKind::Map(_, closure) => self.with_inner(len, &closure.body, rows),
                    _ => super::lens_of(self.infer, &e.ty).len().eq(&1).then(|| vec![len]),
                }
            }
            _ => None,
        }
    }

    /// The extents of what a block ends with.
    fn extents_behind(&mut self, block: &Block, rows: &mut Rows) -> Option<Vec<Expr>> {
        for stmt in &block.stmts {
            if let Stmt::Let(pattern, value, _) = stmt {
                self.note(pattern, value.as_ref(), rows);
            }
        }
        self.extents(block.tail.as_ref()?, rows)
    }

    /// Remembers what is known of variables that get a value for each item.
    fn note(&mut self, pattern: &Pattern, value: Option<&Tree>, rows: &mut Rows) {
        let local = match pattern {
            Pattern::Wild => return,
            Pattern::Bind(local) => *local,
            Pattern::Deref(inner) => return self.note(inner, None, rows),
            Pattern::Tuple(parts) | Pattern::Slice(parts) => {
                return parts.iter().for_each(|part| self.note(part, None, rows));
            }
            Pattern::Rest(first, rest, last) => {
                return first
                    .iter()
                    .chain([&**rest])
                    .chain(last)
                    .for_each(|part| self.note(part, None, rows));
            }
        };
        let known = value.and_then(|value| match super::lens_of(self.infer, &value.ty).len() {
            0 if self.locals[local].mutable => None,
            0 => self.known(value, rows),
            1 => self.len_of(value, rows).or_else(|| self.extents(value, rows)?.into_iter().next()),
            _ => None,
        });
        rows.insert(local, known);
    }

    fn with_inner(&mut self, len: Expr, inner: &Tree, rows: &mut Rows) -> Option<Vec<Expr>> {
        let mut extents = self.extents(inner, rows)?;
        let len = self.named(len, "row");
        extents.insert(0, len);
        Some(extents)
    }

    /// How many items an iterator has.
    fn items_of(&mut self, chain: &Chain, rows: &mut Rows) -> Option<Expr> {
        match &chain.kind {
            ChainKind::Range { lo, hi: Some(hi), inclusive: false } => {
                let (lo, hi) = (self.known(lo, rows)?, self.known(hi, rows)?);
                (lo.ty == Ty::USIZE).then(|| saturating_sub(hi, lo))
            }
            ChainKind::Elements(array) => self.len_of(array, rows),
            ChainKind::Rev(inner)
            | ChainKind::Enumerate(inner)
            | ChainKind::Copied(inner)
            | ChainKind::Map(inner, _)
            | ChainKind::Scan(inner, _) => self.items_of(inner, rows),
            ChainKind::Zip(a, b) => {
                let (a, b) = (self.items_of(a, rows)?, self.items_of(b, rows)?);
                self.shorter(Some(a), Some(b))
            }
            _ => None,
        }
    }

    /// The length of an array.
    fn len_of(&mut self, e: &Tree, rows: &mut Rows) -> Option<Expr> {
        match &e.kind {
            Kind::Borrow(inner) | Kind::Deref(inner) => self.len_of(inner, rows),
            Kind::Method(Method::Whole, args, _) => self.len_of(&args[0], rows),
            Kind::Local(local) => match rows.get(local) {
                Some(row) => row.clone().filter(|_| !self.growing.contains(local)),
                None => match &self.bound[*local] {
                    Value::View(view) => Some(view.len.clone()).filter(|len| self.is_stable(len)),
                    _ => None,
                },
            },
            _ => None,
        }
    }

    /// A number that is known in front of the loop.
    fn known(&mut self, e: &Tree, rows: &mut Rows) -> Option<Expr> {
        match &e.kind {
            Kind::Int(value) => Some(Expr::int(Ty::USIZE, *value)),
            Kind::Local(local) => match (rows.get(local), &self.bound[*local]) {
                (Some(known), _) => known.clone(),
                (None, Value::Scalar(value)) => Some(value.clone()),
                (None, Value::Place(place, ty)) => Some(place.clone().load(*ty)),
                _ => None,
            },
            Kind::Path(_) | Kind::Length(_) => Some(self.scalar(e)),
            Kind::Borrow(inner) | Kind::Deref(inner) => self.known(inner, rows),
            Kind::Method(Method::Len, args, _) => self.len_of(&args[0], rows),
            Kind::Binary(op, a, b) => {
                let (a, b) = (self.known(a, rows)?, self.known(b, rows)?);
                match op {
                    BinOp::Add => Some(Expr::call(Ty::USIZE, Func::SaturatingAdd, vec![a, b])),
                    BinOp::Sub => Some(saturating_sub(a, b)),
                    BinOp::Mul => Some(Expr::call(Ty::USIZE, Func::SaturatingMul, vec![a, b])),
                    _ => None,
                }
            }
            _ => None,
        }
        .filter(|known| known.ty == Ty::USIZE)
    }
}
