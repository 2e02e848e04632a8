//! Lengths that are equal.
//!
//! ```text
//! let mut c = Matrix::zeros();
//! c = a.times(&b);                            // what `c` is made with follows from here
//! ```
//!
//! Of a struct with const parameters, lengths may be known only when such a value meets another one. rustc has found
//! the same. So all lengths that meet are compared when all of them are known, and none may differ.

use super::super::tree::{Expr, Kind};
use super::Resolver;
use crate::ir::BinOp;
use proc_macro2::Span;

impl Resolver<'_> {
    /// Keeps the lengths that met at a place, where one of them may be that of a struct with const arguments.
    pub(super) fn note_lengths(&mut self, span: Span) {
        let met = std::mem::take(&mut self.infer.met);
        if self.module.has_templates() {
            self.equal_lengths.extend(met.into_iter().map(|(a, b)| (a, b, span)));
        }
    }

    /// Refuses lengths that meet and differ.
    pub(super) fn finish_lengths(&mut self) {
        for (a, b, span) in std::mem::take(&mut self.equal_lengths) {
            let (Some(a), Some(b)) = (a.known(), b.known()) else { continue };
            if self.are_equal(&a, &b) == Some(false) {
                self.refusals.push(
                    span,
                    "lengths that meet here and differ",
                    "the arguments of a struct with parameters are found here from the values that come before",
                    "write the arguments where the value is made: `Matrix::<2, 3>::zeros()`",
                );
            }
        }
    }

    /// Whether two constants are equal, as far as that is seen.
    pub(super) fn are_equal(&self, a: &Expr, b: &Expr) -> Option<bool> {
        if let (Some(a), Some(b)) = (self.number(a), self.number(b)) {
            return Some(a == b);
        }
        let (a, b) = (self.source_of(a), self.source_of(b));
        let is_parameter = |e: &Expr| matches!(&e.kind, Kind::Path(id) if self.const_parameters.contains(id));
        match (&a.kind, &b.kind) {
            (Kind::Error, _) | (_, Kind::Error) => Some(true),
            (Kind::Path(a), Kind::Path(b)) if a == b => Some(true),
            (Kind::Path(_), Kind::Path(_)) => (is_parameter(&a) && is_parameter(&b)).then_some(false),
            (Kind::Path(_), Kind::Int(_)) => is_parameter(&a).then_some(false),
            (Kind::Int(_), Kind::Path(_)) => is_parameter(&b).then_some(false),
            (Kind::Binary(op, a, c), Kind::Binary(other, b, d)) if op == other => {
                let both = self.are_equal(a, b) == Some(true) && self.are_equal(c, d) == Some(true);
                both.then_some(true)
            }
            _ => None,
        }
    }

    /// The value of a constant, if it is seen.
    pub(super) fn number(&self, e: &Expr) -> Option<i128> {
        match &self.source_of(e).kind {
            Kind::Int(value) => Some(*value),
            Kind::Bool(value) => Some(i128::from(*value)),
            Kind::Binary(op, a, b) => {
                let (a, b) = (self.number(a)?, self.number(b)?);
                match op {
                    BinOp::Add => a.checked_add(b),
                    BinOp::Sub => a.checked_sub(b),
                    BinOp::Mul => a.checked_mul(b),
                    BinOp::Div => a.checked_div(b),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// The constant behind const parameters of helpers and lengths.
    pub(super) fn source_of(&self, e: &Expr) -> Expr {
        let behind = match &e.kind {
            Kind::Length(len) => len.known(),
            Kind::Cast(inner) => return self.source_of(inner),
            _ => None,
        };
        behind.map_or_else(|| e.clone(), |behind| self.source_of(&behind))
    }
}
