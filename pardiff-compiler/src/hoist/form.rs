//! Indices as `scale * key + offset`, with neither negative: no intermediate result is larger than the last.

use super::key::Keyed;
use crate::ir::{BinOp, Expr, ExprKind, Int, IterId, Place, Program, Ty};
use crate::limits::{LARGEST_STRIDE, SCALARS_FOR_EACH_OTHER};

/// `scale * x + offset`
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Form {
    pub(super) scale: i128,
    pub(super) offset: i128,
}

fn form(expr: &Expr, leaf: &dyn Fn(&Expr) -> Option<Form>) -> Option<Form> {
    if let Some(form) = leaf(expr) {
        return Some(form);
    }
    let wide = matches!(expr.ty, Ty::Int(Int::Usize | Int::U64));
    let found = match &expr.kind {
        ExprKind::Int(value) => Form { scale: 0, offset: *value },
        ExprKind::Cast(of) if wide && of.ty.is_int() => form(of, leaf)?,
        ExprKind::Binary(BinOp::Add, lhs, rhs) if wide => {
            let (a, b) = (form(lhs, leaf)?, form(rhs, leaf)?);
            Form { scale: a.scale + b.scale, offset: a.offset + b.offset }
        }
        ExprKind::Binary(BinOp::Mul, lhs, rhs) if wide => {
            let (a, b) = (form(lhs, leaf)?, form(rhs, leaf)?);
            let (by, of) = if a.scale == 0 { (a.offset, b) } else { (b.offset, a) };
            if a.scale != 0 && b.scale != 0 {
                return None;
            }
            Form { scale: of.scale * by, offset: of.offset * by }
        }
        _ => return None,
    };
    let fits = |value: i128| (0..LARGEST_STRIDE).contains(&value);
    (fits(found.scale) && fits(found.offset)).then_some(found)
}

/// The form of an integer expression in the body of a loop with a key.
pub(super) fn of_key(keyed: &Keyed<'_>, expr: &Expr) -> Option<Form> {
    of_key_through(keyed, expr, SCALARS_FOR_EACH_OTHER)
}

fn of_key_through(keyed: &Keyed<'_>, expr: &Expr, scalars: usize) -> Option<Form> {
    let scalars = scalars.checked_sub(1)?;
    form(expr, &|expr| {
        if *expr == keyed.key {
            return Some(Form { scale: 1, offset: 0 });
        }
        let ExprKind::Load(place) = &expr.kind else { return None };
        match keyed.scalars.get(&place.buffer)?.writes.as_slice() {
            // the one value that it ever has
            [write] if !write.updates && place.index.is_empty() => {
                of_key_through(keyed, write.value, scalars)
            }
            _ => None,
        }
    })
}

/// For an element of an index array whose index depends on the iterator: the form of the one index that does, and its
/// dimension. The others are constants inside constant extents.
pub(super) fn of_iterator(program: &Program, place: &Place, iter: IterId) -> Option<(usize, Form)> {
    let leaf = |expr: &Expr| (expr.kind == ExprKind::Iter(iter)).then_some(Form { scale: 1, offset: 0 });
    let forms: Option<Vec<Form>> = place.index.iter().map(|index| form(index, &leaf)).collect();
    the_one(program, place, &forms?)
}

/// The dimension whose index is not a constant, if the others are constants inside constant extents.
pub(super) fn the_one(program: &Program, place: &Place, forms: &[Form]) -> Option<(usize, Form)> {
    let mut varying = forms.iter().enumerate().filter(|(_, form)| form.scale != 0);
    let (dim, form) = varying.next()?;
    let inside = |(at, form): (usize, &Form)| {
        at == dim
            || form.scale == 0
                && matches!(program[place.buffer].dims[at].kind, ExprKind::Int(extent) if form.offset < extent)
    };
    forms.iter().enumerate().all(inside).then_some((dim, *form))
}

impl Form {
    /// The number of values of `x`, from zero on, for which the form is below the extent.
    pub(super) fn values_below(self, extent: Expr) -> Expr {
        let constant = |value: i128| Expr::int(Ty::USIZE, value);
        let numerator = match self.scale - 1 - self.offset {
            0 => extent,
            more @ 1.. => Expr::binary(BinOp::Add, extent, constant(more)),
            less => Expr::call(Ty::USIZE, crate::ir::Func::SaturatingSub, vec![extent, constant(-less)]),
        };
        if self.scale == 1 { numerator } else { Expr::binary(BinOp::Div, numerator, constant(self.scale)) }
    }

    /// The form as an expression.
    pub(super) fn at(self, x: Expr) -> Expr {
        let constant = |value: i128| Expr::int(Ty::USIZE, value);
        let product = match self.scale {
            0 => return constant(self.offset),
            1 => x,
            scale => Expr::binary(BinOp::Mul, constant(scale), x),
        };
        if self.offset == 0 { product } else { Expr::binary(BinOp::Add, product, constant(self.offset)) }
    }
}
