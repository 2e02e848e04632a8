//! What chains of iterators begin with.

use super::super::chain::{Chain, ChainKind, Parts};
use super::super::infer::{Class, Type};
use super::super::tree::Len;
use super::{Resolver, rayon};
use syn::spanned::Spanned;

impl Resolver<'_> {
    pub(super) fn range(&mut self, range: &syn::ExprRange) -> Option<Chain> {
        let Some(lo) = &range.start else {
            self.refuse(
                range.span(),
                "an iteration over a range without a start",
                "its first value is not known",
                "write both ends: `0..n`",
            );
            return None;
        };
        let lo = self.expr(lo);
        let ty = self.infer.peel(&lo.ty);
        let hi = range.end.as_ref().map(|hi| {
            let hi = self.expr(hi);
            self.unify(&ty, &hi.ty, hi.span);
            hi
        });
        self.restrict(&ty, Class::Int, lo.span);
        let inclusive = matches!(range.limits, syn::RangeLimits::Closed(_));
        Some(Chain::new(ChainKind::Range { lo, hi, inclusive }, ty))
    }

    /// `x.iter()`, `x.chunks(k)` and the like.
    pub(super) fn source(&mut self, call: &syn::ExprMethodCall, name: &str) -> Option<Chain> {
        if let Some(sequential) = rayon::sequential(name) {
            let chain = self.source(call, sequential)?;
            return Some(Chain { parallel: true, ..chain });
        }
        let parts = match name {
            "array_windows" => self.fixed_parts(&syn::Expr::MethodCall(call.clone())),
            "iter" | "iter_mut" | "into_iter" => self.fixed_parts(&call.receiver),
            _ => None,
        };
        if let Some(parts) = parts {
            return parts;
        }
        if name == "drain"
            && let Some(drained) = super::vectors::drain(call)
        {
            let drained = self.expr(&drained);
            return self.elements(drained, None);
        }
        let own = self.module.records().has_function(name).then(|| self.record_method(call, name)).flatten();
        let array = match &own {
            Some(made) => made.clone(),
            None => self.expr(&call.receiver),
        };
        if let Some(chain) = self.returned_iterator(&array) {
            return Some(chain);
        }
        if self.is_own_iterator(&array.ty) {
            return Some(self.own_items(array));
        }
        if own.is_some() {
            return self.elements(array, None);
        }
        let array = self.elements_of_text(array, call.span());
        if let Some(chain) = self.nd_source(call, &array, name) {
            return chain;
        }
        match (name, call.args.len()) {
            ("iter", 0) => self.elements(array, Some(false)),
            ("iter_mut", 0) => self.elements(array, Some(true)),
            ("into_iter", 0) => {
                let array = self.own_copy(array);
                self.elements(array, None)
            }
            (_, 1) => {
                let elem = self.element_of(&array)?;
                let size = self.usize(&call.args[0]);
                let parts = match name {
                    "chunks" | "chunks_mut" => Parts::Chunks,
                    "windows" => Parts::Windows,
                    _ => Parts::Exact,
                };
                let len = if self.nd_rank(&array.ty) > 0 { Len::Axis } else { Len::Dynamic };
                let part = Type::array(elem, len);
                let item = Type::reference(name.ends_with("_mut"), part);
                Some(Chain::new(ChainKind::Parts(array, size, parts), item))
            }
            _ => {
                self.wrong_arguments(call, name);
                None
            }
        }
    }
}
