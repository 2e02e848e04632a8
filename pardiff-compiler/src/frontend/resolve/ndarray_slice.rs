//! Parts of arrays of `ndarray`: `a.slice(s![i, ..])` and `a.slice(s![1..n - 1, ..])`. An index fixes its dimension; of
//! those that are left, the first may be cut.

use super::super::infer::Type;
use super::super::tree::{Access, Bounds, Expr, Kind, Len};
use super::{Resolver, bare};
use proc_macro2::Span;
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;

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
        let mut kept = Vec::new();
        for (axis, part) in parts.iter().enumerate() {
            if let syn::Expr::Range(range) = bare(part) {
                kept.push(range.clone());
                continue;
            }
            let index = self.expr(part);
            place = self.turned(place, kept.len(), access, span);
            place = self.at(place, index, (axis, rank), access, span);
        }
        let whole = |range: &syn::ExprRange| range.start.is_none() && range.end.is_none();
        if let Some(cut) = kept.iter().skip(1).find(|range| !whole(range)) {
            return self.refuse(
                cut.span(),
                "a range along this dimension",
                "a part is cut along the first of the dimensions that are left",
                "write offsets in the indices: `a[[i, j + 1]]`",
            );
        }
        match kept.first() {
            None => {
                return self.refuse(
                    part.span(),
                    "a part of no dimensions",
                    "an index for each dimension is an element",
                    format!("write `{}[[i, j]]`", access.array),
                );
            }
            Some(range) if !whole(range) => {
                let inclusive = matches!(range.limits, syn::RangeLimits::Closed(_));
                let [lo, hi] = [&range.start, &range.end].map(|bound| {
                    bound.as_ref().map(|bound| {
                        let bound = self.expr(bound);
                        self.unify(&bound.ty, &Type::USIZE, bound.span);
                        bound.boxed()
                    })
                });
                let Type::Array(row, _) = self.infer.peel(&place.ty) else { return self.error(span) };
                let bounds = Bounds { lo, hi, inclusive };
                let ty = Type::array(*row, Len::Axis);
                place = Expr::new(Kind::Slice(place.boxed(), bounds, access.clone()), ty, span);
            }
            Some(_) => {}
        }
        let ty = Type::Ref(mutable, Box::new(self.infer.peel(&place.ty)));
        Expr::new(Kind::Borrow(place.boxed()), ty, span)
    }

    /// What stands in `s![…]`, an index or a range for each dimension.
    fn parts(&mut self, part: &syn::Expr, rank: usize) -> Option<Vec<syn::Expr>> {
        let help = "write an index or a range for each dimension, `s![i, ..]` or `s![1..n - 1, ..]`";
        let syn::Expr::Macro(mac) = bare(part) else {
            self.refuse(part.span(), "this part of an array", "which part it is must be seen here", help);
            return None;
        };
        let is_s = mac.mac.path.segments.last().is_some_and(|last| last.ident == "s");
        let parts = Punctuated::<syn::Expr, syn::Token![,]>::parse_terminated.parse2(mac.mac.tokens.clone());
        let parts: Vec<syn::Expr> = parts.map(|parts| parts.into_iter().collect()).unwrap_or_default();
        if !is_s || parts.len() != rank {
            let why = "steps and new dimensions are not looked into";
            self.refuse(part.span(), "this part of an array", why, help);
            return None;
        }
        for bound in parts.iter().flat_map(ends) {
            if let syn::Expr::Unary(syn::ExprUnary { op: syn::UnOp::Neg(_), .. }) = bare(bound) {
                let help = "count from the start: `n - 1` instead of `-1`";
                self.refuse(bound.span(), "a position from the end", "it is a negative number", help);
                return None;
            }
        }
        Some(parts)
    }
}

/// The positions in a part.
fn ends(part: &syn::Expr) -> Vec<&syn::Expr> {
    match bare(part) {
        syn::Expr::Range(range) => range.start.iter().chain(&range.end).map(|end| &**end).collect(),
        index => vec![index],
    }
}
