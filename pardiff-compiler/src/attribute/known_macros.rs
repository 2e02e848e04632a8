//! Macros of `nalgebra` that make values: calls of functions of their types.
//!
//! ```text
//! vector![x, y, z]      matrix![a, b; c, d]      dvector![x, y]                 dmatrix![a, b; c, d]
//! Vector3::new(x, y, z) Matrix2::new(a, b, c, d) DVector::from_vec(vec![x, y])  DMatrix::from_row_slice(2, 2, &[a, b, c, d])
//! ```

use crate::frontend::known_crates::{self, Instance};
use proc_macro2::Span;
use quote::quote;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Expr, Ident, Macro, Token};

/// The functions that the macros call.
pub(super) const FUNCTIONS: [&str; 3] = ["new", "from_vec", "from_row_slice"];

/// Whether a name is that of such a macro.
pub(super) fn is_known(name: &str) -> bool {
    matches!(name, "vector" | "matrix" | "point" | "dvector" | "dmatrix")
}

/// A call of such a macro.
pub(super) struct Made {
    /// The type of the value.
    pub(super) of: Instance,
    /// The call of the function.
    pub(super) call: Expr,
    /// The macro for zeros, which has the same type.
    pub(super) zeros: Macro,
}

/// The elements, row by row.
struct Rows(Vec<Vec<Expr>>);

impl Parse for Rows {
    fn parse(input: ParseStream) -> syn::Result<Rows> {
        let mut rows = Vec::new();
        while !input.is_empty() {
            let row = Punctuated::<Expr, Token![,]>::parse_separated_nonempty(input)?;
            rows.push(row.into_iter().collect());
            input.parse::<Option<Token![,]>>()?;
            if !input.is_empty() {
                input.parse::<Token![;]>()?;
            }
        }
        Ok(Rows(rows))
    }
}

/// What a call of a macro makes, of this float; `None` if it is none of these macros.
pub(super) fn made(mac: &Macro, elem: &'static str) -> Option<Made> {
    let name = mac.path.segments.last()?.ident.to_string();
    if !is_known(&name) {
        return None;
    }
    let Rows(rows) = mac.parse_body().ok()?;
    let (count, columns) = (rows.len(), rows.first()?.len());
    if rows.iter().any(|row| row.len() != columns) {
        return None;
    }
    let is_small = |size: usize| size <= known_crates::LARGEST;
    let of = match (name.as_str(), count) {
        ("vector", 1) if is_small(columns) => Instance::matrix(elem, columns, 1),
        ("point", 1) if is_small(columns) => Instance::point(elem, columns),
        ("matrix", _) if is_small(count) && is_small(columns) => Instance::matrix(elem, count, columns),
        ("dvector", 1) => Instance::dynamic(elem, 1),
        ("dmatrix", _) => Instance::dynamic(elem, 0),
        _ => return None,
    };
    let unique = known_crates::unique(&of, mac.path.segments.last()?.ident.span());
    let elements = rows.iter().flatten();
    let call = match name.as_str() {
        "dvector" => quote!(#unique::from_vec(::std::vec![#(#elements),*])),
        "dmatrix" => quote!(#unique::from_row_slice(#count, #columns, &[#(#elements),*])),
        _ => quote!(#unique::new(#(#elements),*)),
    };
    let float = Ident::new(elem, Span::call_site());
    let row = vec![quote!(0.0 as #float); columns];
    let all = (0..count).map(|_| quote!(#(#row),*));
    let mut zeros = mac.clone();
    zeros.tokens = quote!(#(#all);*);
    Some(Made { of, call: syn::parse2(call).ok()?, zeros })
}
