//! Parts of arrays of `ndarray`: `a.slice(s![i, ..])` and `a.slice(s![1..-1, ..;2])`. An index fixes its dimension, a range
//! cuts it, and a step takes one of so many elements.

use super::super::infer::Type;
use super::super::tree::{Access, Bounds, Expr, Kind, Len, Method};
use super::{Resolver, bare};
use crate::ir::BinOp;
use proc_macro2::Span;
use syn::Token;
use syn::parse::{Parse, ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;

/// An index or a range for a dimension, and the step of the range.
struct Part {
    of: syn::Expr,
    step: usize,
}

impl Parse for Part {
    fn parse(input: ParseStream) -> syn::Result<Part> {
        let of = input.parse()?;
        if !input.peek(Token![;]) {
            return Ok(Part { of, step: 1 });
        }
        input.parse::<Token![;]>()?;
        let step = input.parse::<syn::LitInt>()?;
        match step.base10_parse()? {
            0 => Err(syn::Error::new(step.span(), "a step of zero")),
            by => Ok(Part { of, step: by }),
        }
    }
}

impl Resolver<'_> {
    /// `a.slice(s![…])`
    pub(super) fn nd_slice(
        &mut self,
        array: Expr,
        part: &syn::Expr,
        mutable: bool,
        access: &Access,
        span: Span,
    ) -> Expr {
        let rank = self.nd_rank(&array.ty);
        let Some(parts) = self.parts(part, rank) else { return self.error(span) };
        let mut place = array;
        // of the dimensions that are left, those in front of the next one
        let mut kept = 0;
        for (axis, part) in parts.iter().enumerate() {
            let front = self.turned(place, kept, access, span);
            match bare(&part.of) {
                syn::Expr::Range(range) => {
                    place = self.cut(front, range, part.step, access, span);
                    // the dimension goes back to where it was: moving it to the front turns `kept + 1` dimensions round
                    for _ in 0..kept {
                        place = self.turned(place, kept, access, span);
                    }
                    kept += 1;
                }
                index => {
                    let index = self.position_in(&front, index, access);
                    place = self.at(front, index, (axis, rank), access, span);
                }
            }
        }
        if kept == 0 {
            return self.refuse(
                part.span(),
                "a part of no dimensions",
                "an index for each dimension is an element",
                format!("write `{}[[i, j]]`", access.array),
            );
        }
        let ty = Type::reference(mutable, self.infer.peel(&place.ty));
        Expr::new(Kind::Borrow(place.boxed()), ty, span)
    }

    /// An array cut along its first dimension.
    fn cut(&mut self, place: Expr, range: &syn::ExprRange, step: usize, access: &Access, span: Span) -> Expr {
        if range.start.is_none() && range.end.is_none() && step == 1 {
            return place;
        }
        let inclusive = matches!(range.limits, syn::RangeLimits::Closed(_));
        let [lo, hi] = [&range.start, &range.end]
            .map(|bound| bound.as_ref().map(|bound| self.position_in(&place, bound, access).boxed()));
        let Type::Array(row, _) = self.infer.peel(&place.ty) else { return self.error(span) };
        let kind = Kind::Slice(place.boxed(), Bounds { lo, hi, inclusive, step }, access.clone());
        Expr::new(kind, Type::array(*row, Len::Axis), span)
    }

    /// A position along the first dimension: a negative number counts from its end.
    fn position_in(&mut self, place: &Expr, e: &syn::Expr, access: &Access) -> Expr {
        let span = e.span();
        if let syn::Expr::Unary(syn::ExprUnary { op: syn::UnOp::Neg(_), expr, .. }) = bare(e)
            && let syn::Expr::Lit(_) = bare(expr)
        {
            let extent = Expr::method(Method::Extent(0), vec![place.clone()], access, Type::USIZE, span);
            return Expr::binary(BinOp::Sub, extent, self.usize(expr), span);
        }
        self.usize(e)
    }

    /// What stands in `s![…]`, an index or a range for each dimension.
    fn parts(&mut self, part: &syn::Expr, rank: usize) -> Option<Vec<Part>> {
        let help = "write an index or a range for each dimension, `s![i, ..]` or `s![1..n - 1, ..;2]`";
        let syn::Expr::Macro(mac) = bare(part) else {
            self.refuse(part.span(), "this part of an array", "which part it is must be seen here", help);
            return None;
        };
        let is_s = mac.mac.path.segments.last().is_some_and(|last| last.ident == "s");
        let parts = Punctuated::<Part, Token![,]>::parse_terminated.parse2(mac.mac.tokens.clone());
        let parts: Vec<Part> = parts.map(|parts| parts.into_iter().collect()).unwrap_or_default();
        if !is_s || parts.len() != rank {
            let why = "steps are positive numbers that are seen here, and new dimensions are not looked into";
            self.refuse(part.span(), "this part of an array", why, help);
            return None;
        }
        Some(parts)
    }
}
