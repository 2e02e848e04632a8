//! Ranges under a name: their ends get names, and the range is written where the name stood.
//!
//! ```text
//! let cols = row_ptr[i]..row_ptr[i + 1];      let (cols_start, cols_end) = (row_ptr[i], row_ptr[i + 1]);
//! for k in cols.clone() { … }                 for k in cols_start..cols_end { … }
//! &val[cols]                                  &val[cols_start..cols_end]
//! cols.start, cols.len()                      cols_start, (cols_start..cols_end).len()
//! ```

use super::super::hygiene;
use super::let_bound_iterators::Named;

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::{Expr, Ident, parse_quote};

/// The range that gets a name, and the variables for its ends.
pub(super) fn named(
    name: &Ident,
    ty: Option<&syn::Type>,
    range: &syn::ExprRange,
    rest: &[syn::Stmt],
) -> Option<Named> {
    let elem = match ty {
        Some(ty) => Some(element(ty)?),
        None => None,
    };
    let all: TokenStream =
        rest.iter().map(ToTokens::to_token_stream).chain([range.to_token_stream()]).collect();
    let mut parts = Vec::new();
    let mut range = range.clone();
    for (end, word) in [(&mut range.start, "start"), (&mut range.end, "end")] {
        let Some(value) = end else { continue };
        let mut part = hygiene::fresh(&format!("{}_{word}", name.unraw()), all.clone());
        part.set_span(name.span());
        let ty: Option<TokenStream> = elem.as_ref().map(|elem| parse_quote!(: #elem));
        let stmt: syn::Stmt = parse_quote!(let #part #ty = #value;);
        if let syn::Stmt::Local(local) = stmt {
            parts.push(local);
        }
        **value = parse_quote!(#part);
    }
    Some(Named { name: name.clone(), value: Expr::Range(range), parts })
}

/// The `T` of `Range<T>`.
fn element(ty: &syn::Type) -> Option<syn::Type> {
    let syn::Type::Path(path) = ty else { return None };
    let last = path.path.segments.last().filter(|last| last.ident.to_string().starts_with("Range"))?;
    let syn::PathArguments::AngleBracketed(args) = &last.arguments else { return None };
    match args.args.first()? {
        syn::GenericArgument::Type(ty) => Some(ty.clone()),
        _ => None,
    }
}
