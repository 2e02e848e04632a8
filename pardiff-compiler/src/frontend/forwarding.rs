//! `impl`s for references that do what the type behind them does: such an `impl` says nothing new.
//!
//! ```text
//! impl<U: WhitePoint> WhitePoint for &U { fn xyz(&self) -> [f64; 3] { (*self).xyz() } }
//! ```

use super::param_types;
use super::resolve::bare;
use quote::ToTokens;
use syn::{Expr, FnArg, ImplItem, ItemImpl, Stmt, Type, UnOp};

/// Whether an `impl` of a trait is for references to a type parameter, and each function calls that of what is referred
/// to, with the same arguments.
pub(super) fn is_forwarding(item: &ItemImpl) -> bool {
    let Type::Reference(reference) = param_types::bare(&item.self_ty) else { return false };
    let Type::Path(of) = param_types::bare(&reference.elem) else { return false };
    let is_parameter = item.generics.type_params().any(|param| of.path.is_ident(&param.ident));
    is_parameter
        && item.trait_.is_some()
        && item.items.iter().all(|part| match part {
            ImplItem::Fn(function) => forwards(function),
            ImplItem::Type(_) => true,
            _ => false,
        })
}

fn forwards(function: &syn::ImplItemFn) -> bool {
    let [Stmt::Expr(body, None)] = &function.block.stmts[..] else { return false };
    let name = &function.sig.ident;
    let mut params = function.sig.inputs.iter();
    let has_receiver = matches!(params.next(), Some(FnArg::Receiver(_)));
    let params = params.map(|param| match param {
        FnArg::Typed(param) => param.pat.to_token_stream().to_string(),
        FnArg::Receiver(_) => String::new(),
    });
    let is_handed_on = |args: &mut dyn Iterator<Item = &Expr>| {
        params.clone().eq(args.map(|arg| arg.to_token_stream().to_string()))
    };
    has_receiver
        && match body {
            Expr::MethodCall(call) => {
                call.method == *name && behind_self(&call.receiver) > 0 && is_handed_on(&mut call.args.iter())
            }
            // `U::xyz(self)`, `<U as WhitePoint>::xyz(&self)`
            Expr::Call(call) => match &*call.func {
                Expr::Path(path) => {
                    let is_same = path.path.segments.last().is_some_and(|last| last.ident == *name);
                    let is_self = call.args.first().is_some_and(|first| behind_self(first) > -2);
                    is_same
                        && path.path.segments.len() > 1
                        && !path.path.segments.iter().any(|segment| segment.ident == "Self")
                        && is_self
                        && is_handed_on(&mut call.args.iter().skip(1))
                }
                _ => false,
            },
            _ => false,
        }
}

/// How many references of `self` an expression goes through; far below zero if it is something else.
fn behind_self(e: &Expr) -> i32 {
    match bare(e) {
        Expr::Path(path) if path.path.is_ident("self") => 0,
        Expr::Unary(syn::ExprUnary { op: UnOp::Deref(_), expr, .. }) => behind_self(expr) + 1,
        Expr::Reference(reference) => behind_self(&reference.expr) - 1,
        _ => -64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn impls_for_references() {
        let of = |body: &str| {
            let text = format!(
                "impl<'a, U: Colour> Colour for &'a U {{ fn mix(&self, t: f64) -> f64 {{ {body} }} }}"
            );
            is_forwarding(&syn::parse_str(&text).expect(body))
        };
        for body in [
            "(*self).mix(t)",
            "(**self).mix(t)",
            "U::mix(self, t)",
            "<U as Colour>::mix(&self, t)",
            "Colour::mix(*self, t)",
        ] {
            assert!(of(body), "{body}");
        }
        for body in [
            "self.mix(t)",
            "(*self).mix(2.0 * t)",
            "(**self).other(t)",
            "2.0",
            "(*self).mix(t) + 1.0",
            "Self::mix(self, t)",
        ] {
            assert!(!of(body), "{body}");
        }
        let of_values: ItemImpl =
            syn::parse_quote!(impl Colour for Lab { fn mix(&self, t: f64) -> f64 { (*self).mix(t) } });
        assert!(!is_forwarding(&of_values));
    }
}
