//! Functions that return a `&mut` of what they were given: derivatives return nothing in its place.
//!
//! ```text
//! fn scale(x: &mut Vec<f64>, by: f64) -> &mut Vec<f64> { if by == 1.0 { return x; } …; x }
//! fn scale(x: &mut Vec<f64>, by: f64) { if by == 1.0 { { x; return; } } …; x; }
//! ```
//!
//! Legal because such a reference lives as long as a `&mut` parameter: what a caller reads behind it is part of what
//! that parameter holds after the call, and the adjoint of that parameter is the adjoint of it.
//!
//! Those that return a `&` of a value of constant size return a copy of it, as derivatives do:
//!
//! ```text
//! fn state(&mut self, by: f64) -> Result<&State, E> { …; Ok(&self.state) }
//! fn state(&mut self, by: f64) -> Result<State, E> { …; Ok(*&self.state) }
//! ```

use super::Refusals;
use super::display::tidy_type;
use super::param_types::bare;
use super::returns::{each_exit, each_return, is_call_of};
use crate::signature::Signature;
use quote::quote_spanned;
use syn::spanned::Spanned;
use syn::{Expr, GenericArgument, ItemFn, PathArguments, ReturnType, Stmt, Type};

/// Whether it is such a function.
pub fn returns_argument(item: &ItemFn) -> bool {
    let is_one = |ty: &Type| matches!(ty, Type::Reference(of) if of.mutability.is_some());
    matches!(&item.sig.output, ReturnType::Type(_, ty) if is_one(ty))
}

/// Whether a function returns a `&` of a value of constant size, alone or where it does not fail.
pub(super) fn lends(item: &ItemFn) -> bool {
    lent(&mut item.sig.output.clone()).is_some()
}

/// The type that stands behind the `&`, and whether the function may fail.
fn lent(output: &mut ReturnType) -> Option<(&mut Type, bool)> {
    let ReturnType::Type(_, ty) = output else { return None };
    let (ty, may_fail) = match &mut **ty {
        ty @ Type::Reference(_) => (ty, false),
        Type::Path(path) => {
            let last = path.path.segments.last_mut()?;
            if last.ident != "Option" && last.ident != "Result" {
                return None;
            }
            let PathArguments::AngleBracketed(args) = &mut last.arguments else { return None };
            let Some(GenericArgument::Type(ty)) = args.args.first_mut() else { return None };
            (ty, true)
        }
        _ => return None,
    };
    let Type::Reference(of) = &*ty else { return None };
    let is_open = match bare(&of.elem) {
        Type::Path(path) => path
            .path
            .segments
            .last()
            .is_none_or(|last| super::is_word("Vec String Box str", &last.ident.to_string())),
        Type::Array(_) | Type::Tuple(_) => false,
        _ => true,
    };
    (of.mutability.is_none() && !is_open).then_some((ty, may_fail))
}

/// The function that returns a copy.
fn copied(item: &mut ItemFn) {
    let Some((ty, may_fail)) = lent(&mut item.sig.output) else { return };
    if let Type::Reference(of) = &*ty {
        *ty = (*of.elem).clone();
    }
    let behind = |e: &Expr| -> Expr { syn::parse_quote_spanned!(e.span()=> *(#e)) };
    each_exit(&mut item.block, &mut |e| match e {
        e if !may_fail => *e = behind(e),
        Expr::Path(path) if path.path.is_ident("None") => {}
        Expr::Call(call) if is_call_of(call, "Err") => {}
        Expr::Call(call) if is_call_of(call, "Some") || is_call_of(call, "Ok") => {
            call.args[0] = behind(&call.args[0]);
        }
        e => *e = syn::parse_quote_spanned!(e.span()=> (#e).map(|lent| *lent)),
    });
}

/// Refuses references to structs that cannot be copied.
pub(super) fn refuse_others(signature: &Signature, refusals: &mut Refusals) {
    for returned in signature.result.members() {
        if let Some(record) = returned.record.as_ref().filter(|record| !record.derives("Clone")) {
            let of = record.name.as_ref().map_or_else(|| tidy_type(&returned.ty), ToString::to_string);
            refusals.push(
                returned.ty.span(),
                format!("a returned reference to `{of}`, which is not `Clone`"),
                "derivatives return a copy of what is behind it",
                format!("write `#[derive(Clone)]` before `{of}`"),
            );
        }
    }
}

/// The function without the reference that it returns.
pub(super) fn without(mut item: ItemFn) -> ItemFn {
    copied(&mut item);
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
