//! Comparisons of the crate approx: `abs_diff_eq!`, `relative_eq!`, and their opposites.
//!
//! ```text
//! abs_diff_eq!(a, b, epsilon = e)                    (a - b).abs() <= e
//! relative_eq!(a, b, epsilon = e, max_relative = r)  a == b || finite && (d <= e || d <= a.abs().max(b.abs()) * r)
//! ```
//!
//! They decide, and have no derivatives. What is not written is `EPSILON`, as in the crate.

use super::super::display::tidy;
use super::super::hygiene::fresh_at;
use super::super::infer::{Class, Type};
use super::super::tree::Expr;
use super::Resolver;
use crate::ir::Ty;
use proc_macro2::Span;
use quote::quote_spanned;
use syn::Token;
use syn::parse::Parser;
use syn::punctuated::Punctuated;

/// Whether a macro is one of these.
pub(super) fn is_known(name: &str) -> bool {
    super::is_word("abs_diff_eq abs_diff_ne relative_eq relative_ne", name)
}

impl Resolver<'_> {
    /// The comparison that a macro stands for.
    pub(super) fn approximate(&mut self, name: &str, mac: &syn::Macro, span: Span) -> Expr {
        let args = Punctuated::<syn::Expr, Token![,]>::parse_terminated.parse2(mac.tokens.clone());
        let args: Vec<syn::Expr> = args.map(|args| args.into_iter().collect()).unwrap_or_default();
        let [left, right, options @ ..] = &args[..] else { return self.refuse_approximate(mac, span) };
        let value = self.expr(left);
        let float = match self.infer.peel(&value.ty) {
            Type::Scalar(Ty::F32) => "f32",
            Type::Scalar(Ty::F64) => "f64",
            Type::Var(_) if self.infer.class(&value.ty) == Class::Float => "f64",
            Type::Never => return self.error(span),
            _ => return self.refuse_approximate(mac, span),
        };
        let float = syn::Ident::new(float, span);
        let (mut epsilon, mut relative) = (None, None);
        for option in options {
            match named(option) {
                Some(("epsilon", value)) => epsilon = Some(value.clone()),
                Some(("max_relative", value)) => relative = Some(value.clone()),
                _ => return self.refuse_approximate(mac, span),
            }
        }
        let of_type = |value: Option<syn::Expr>| match value {
            Some(value) => quote_spanned!(span=> #value),
            None => quote_spanned!(span=> #float::EPSILON),
        };
        let (epsilon, relative) = (of_type(epsilon), of_type(relative));
        let [a, b, d] = ["a", "b", "d"].map(|name| fresh_at(name, span, mac.tokens.clone()));
        let holds = match name.rsplit_once('_').map_or(name, |(of, _)| of) {
            "abs_diff" => quote_spanned!(span=> #d <= #epsilon),
            _ => quote_spanned!(span=>
                #a == #b || #a.is_finite() && #b.is_finite()
                    && (#d <= #epsilon || #d <= #a.abs().max(#b.abs()) * (#relative))),
        };
        let holds = if name.ends_with("ne") { quote_spanned!(span=> !(#holds)) } else { holds };
        self.expr(&syn::parse_quote_spanned!(span=> {
            let (#a, #b): (#float, #float) = (#left, #right);
            let #d = (#a - #b).abs();
            #holds
        }))
    }

    fn refuse_approximate(&mut self, mac: &syn::Macro, span: Span) -> Expr {
        self.refuse(
            span,
            format!("the macro `{}`", tidy(mac)),
            "of the comparisons of approx, those of two floats by `epsilon` and `max_relative` are known",
            "compare each number: `relative_eq!(a[k], b[k], max_relative = 1e-9)`",
        )
    }
}

/// `epsilon = 1e-9`
fn named(option: &syn::Expr) -> Option<(&'static str, &syn::Expr)> {
    let syn::Expr::Assign(option) = option else { return None };
    let syn::Expr::Path(path) = &*option.left else { return None };
    let known = ["epsilon", "max_relative"].into_iter().find(|name| path.path.is_ident(name))?;
    Some((known, &option.right))
}
