//! The marks of a loop, whose lengths may be expressions of constants.

use super::super::infer::Type;
use super::super::marks;
use super::super::tree::{Expr, Kind};
use super::Resolver;
use crate::ir::{BinOp, Count, Marks, OpaqueId, Ty};
use proc_macro2::{Literal, TokenStream};
use quote::{ToTokens, format_ident, quote};
use syn::spanned::Spanned;

/// An expression of constants, with its value where all of them are in sight.
struct Constant {
    tokens: TokenStream,
    text: String,
    value: Option<i128>,
}

impl Resolver<'_> {
    /// The marks among the attributes of a loop.
    pub(super) fn marks(&mut self, attrs: &[syn::Attribute]) -> Marks {
        let (mut marks, amount) = marks::read(attrs, &mut self.refusals);
        if let (Some(checkpoint), Some((of, length))) = (&mut marks.checkpoint, amount) {
            match self.count(&length) {
                Some(count) => checkpoint.lengths = of(count),
                None => {
                    self.refuse(
                        length.span(),
                        "this number of `#[checkpoint]`",
                        "it is no `usize` that is made of constants by `+`, `-`, `*`, `/`, `%`, `<<` and `as`, \
                         and greater than zero",
                        "name it: `const N: usize = …;`",
                    );
                }
            }
        }
        marks
    }

    fn count(&mut self, length: &syn::Expr) -> Option<Count> {
        let length = self.expr(length);
        let span = length.span;
        if let Type::Scalar(ty) = self.infer.shallow(&length.ty)
            && ty != Ty::USIZE
        {
            return None;
        }
        self.unify(&length.ty, &Type::Scalar(Ty::USIZE), span);
        let Constant { tokens, text, value } = self.constant(&length)?;
        match value {
            Some(value) => u64::try_from(value).ok().filter(|&value| value > 0).map(Count::Number),
            None => {
                let path = self.opaque(tokens, text, Type::Scalar(Ty::USIZE), span);
                Some(Count::Constant(OpaqueId(path as u32)))
            }
        }
    }

    fn constant(&self, e: &Expr) -> Option<Constant> {
        Some(match &e.kind {
            Kind::Int(value) => {
                let digits = Literal::i128_unsuffixed(*value).to_token_stream();
                Constant { tokens: digits, text: value.to_string(), value: Some(*value) }
            }
            Kind::Path(id) => {
                let path = &self.paths[*id];
                Constant { tokens: path.tokens.clone(), text: path.text.clone(), value: None }
            }
            Kind::Cast(inner) => {
                let Type::Scalar(ty @ Ty::Int(to)) = self.infer.shallow(&e.ty) else { return None };
                let Constant { tokens, text, value } = self.constant(inner)?;
                let name = format_ident!("{}", ty.to_string());
                let fits = |value: &i128| *value >= to.min() && to.max().is_none_or(|max| *value <= max);
                Constant {
                    tokens: quote!((#tokens as #name)),
                    text: format!("({text} as {ty})"),
                    value: match value {
                        Some(value) => Some(Some(value).filter(fits)?),
                        None => None,
                    },
                }
            }
            Kind::Binary(op, a, b) => {
                let (a, b) = (self.constant(a)?, self.constant(b)?);
                let (left, right) = (&a.tokens, &b.tokens);
                let (symbol, of): (_, fn(i128, i128) -> Option<i128>) = match op {
                    BinOp::Add => (quote!(+), i128::checked_add),
                    BinOp::Sub => (quote!(-), i128::checked_sub),
                    BinOp::Mul => (quote!(*), i128::checked_mul),
                    BinOp::Div => (quote!(/), i128::checked_div),
                    BinOp::Rem => (quote!(%), i128::checked_rem),
                    BinOp::Shl => (quote!(<<), shifted),
                    _ => return None,
                };
                let value = match (a.value, b.value) {
                    (Some(a), Some(b)) => Some(of(a, b).filter(|value| *value >= 0)?),
                    _ => None,
                };
                Constant {
                    tokens: quote!((#left #symbol #right)),
                    text: format!("({} {symbol} {})", a.text, b.text),
                    value,
                }
            }
            _ => return None,
        })
    }
}

fn shifted(value: i128, by: i128) -> Option<i128> {
    let by = u32::try_from(by).ok().filter(|&by| by < u64::BITS)?;
    value.checked_mul(1 << by)
}
