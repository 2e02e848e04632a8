//! Functions that return a `&mut` of what they were given: derivatives return nothing in its place.
//!
//! ```text
//! fn scale(x: &mut Vec<f64>, by: f64) -> &mut Vec<f64> { if by == 1.0 { return x; } …; x }
//! fn scale(x: &mut Vec<f64>, by: f64) { if by == 1.0 { { x; return; } } …; x; }
//! ```
//!
//! Legal because such a reference lives as long as a `&mut` parameter: what a caller reads behind it is part of what
//! that parameter holds after the call, and the adjoint of that parameter is the adjoint of it.

use super::returns::each_return;
use quote::quote_spanned;
use syn::spanned::Spanned;
use syn::{Expr, ItemFn, ReturnType, Stmt, Type};

/// Whether it is such a function.
pub fn returns_argument(item: &ItemFn) -> bool {
    let is_one = |ty: &Type| matches!(ty, Type::Reference(of) if of.mutability.is_some());
    matches!(&item.sig.output, ReturnType::Type(_, ty) if is_one(ty))
}

/// The function without the reference that it returns.
pub(super) fn without(mut item: ItemFn) -> ItemFn {
    if !returns_argument(&item) {
        return item;
    }
    item.sig.output = ReturnType::Default;
    each_return(&mut item.block, &mut |e| {
        if let Expr::Return(syn::ExprReturn { expr: Some(value), .. }) = e
            && let Ok(left) = syn::parse2(quote_spanned!(value.span()=> { #value; return; }))
        {
            *e = left;
        }
    });
    if let Some(Stmt::Expr(e, semi @ None)) = item.block.stmts.last_mut() {
        *semi = Some(syn::token::Semi(e.span()));
    }
    item
}
