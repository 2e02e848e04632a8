//! Constant arrays of slices, whose rows may have several lengths: the elements of all rows, and where each begins.
//!
//! ```text
//! const W: [&[f64]; 2] = [&[1.0], &[2.0, 3.0]];        const W_ELEMENTS: [f64; 3] = [1.0, 2.0, 3.0];
//!                                                      const W_STARTS: [usize; 3] = [0, 1, 3];
//! W[i]                                                 W_ELEMENTS[W_STARTS[i]..W_STARTS[i + 1]]
//! ```

use super::super::infer::Type;
use super::super::tree::{Expr, Kind, Len};
use super::{Name, Resolver, bare};
use proc_macro2::Span;
use quote::{ToTokens, quote_spanned};
use std::rc::Rc;
use syn::Item;

impl Resolver<'_> {
    /// Whether a constant of this type has slices in an array, which may have several lengths.
    pub(super) fn is_of_slices(&self, ty: &Type) -> bool {
        let Type::Array(elem, _) = self.infer.peel(ty) else { return false };
        matches!(self.infer.peel(&elem), Type::Array(_, Len::Dynamic)) || self.is_of_slices(&elem)
    }

    /// Such a constant, as the outermost `scopes` see it.
    pub(super) fn constant_rows(&mut self, item: &Item, ty: &Type, scopes: usize, span: Span) -> Expr {
        let (ident, written, value) = match item {
            Item::Const(item) => (&item.ident, &*item.ty, &*item.expr),
            Item::Static(item) => (&item.ident, &*item.ty, &*item.expr),
            _ => return self.error(span),
        };
        let (Some(elem), Some(rows)) = (element_of_slices(written), self.rows_written(value)) else {
            return self.refuse(
                span,
                "a constant array of slices whose rows are not written out",
                "where each row begins follows from their lengths",
                "write each row in its place, `[&[1.0], &[2.0, 3.0]]`, or as the name of a constant that is an array",
            );
        };
        let ends = rows.iter().scan(0, |end, row| {
            *end += row.len();
            Some(*end)
        });
        let starts: Vec<usize> = std::iter::once(0).chain(ends).collect();
        let all: Vec<syn::Expr> = rows.into_iter().flatten().collect();
        let Some(of) = self.seen_from(scopes, |this| this.type_of(&elem)) else { return self.error(span) };
        let [starts, elements] = [
            ("STARTS", quote_spanned!(span=> usize), starts.len(), quote_spanned!(span=> [#(#starts),*])),
            ("ELEMENTS", elem.to_token_stream(), all.len(), quote_spanned!(span=> [#(#all),*])),
        ]
        .map(|(part, of, len, value)| {
            let name = quote::format_ident!("{ident}_{part}", span = span);
            let item: syn::ItemConst = syn::parse_quote_spanned!(span=> const #name: [#of; #len] = #value;);
            (item, Expr::usize(len as i128, span))
        });
        let starts = self.part_of_rows(starts, &Type::USIZE, scopes, span);
        let elements = self.part_of_rows(elements, &of, scopes, span);
        Expr::new(Kind::Rows(elements.boxed(), starts.boxed()), ty.clone(), span)
    }

    /// A constant array of these elements that the generated bodies declare.
    fn part_of_rows(
        &mut self,
        (item, len): (syn::ItemConst, Expr),
        of: &Type,
        scopes: usize,
        span: Span,
    ) -> Expr {
        let ty = Type::array(of.clone(), Len::Known(Rc::new(len)));
        if self.has_members(&ty) {
            return self.written_out(&item.expr, &ty, scopes, span);
        }
        let name = item.ident.clone();
        let name = self.declare_constant(&Item::Const(item), &name);
        let id = self.opaque(name.to_token_stream(), name.to_string(), ty, span);
        self.path_value(id, span)
    }

    /// The elements of each row of an array of slices.
    fn rows_written(&self, value: &syn::Expr) -> Option<Vec<Vec<syn::Expr>>> {
        let rows = self.elements_written(value)?;
        rows.iter().map(|row| self.elements_written(row)).collect()
    }

    fn elements_written(&self, value: &syn::Expr) -> Option<Vec<syn::Expr>> {
        match bare(value) {
            syn::Expr::Reference(of) => self.elements_written(&of.expr),
            syn::Expr::Array(array) => Some(array.elems.iter().cloned().collect()),
            syn::Expr::Lit(lit) => match &lit.lit {
                syn::Lit::Str(text) => {
                    let byte = |byte| syn::LitInt::new(&format!("{byte}u8"), text.span());
                    Some(text.value().bytes().map(byte).map(|byte| syn::parse_quote!(#byte)).collect())
                }
                _ => None,
            },
            syn::Expr::Path(path) => match self.of_module(&path.path.get_ident()?.to_string())? {
                Name::Constant(item) => match &*item {
                    Item::Const(item) => self.elements_written(&item.expr),
                    Item::Static(item) => self.elements_written(&item.expr),
                    _ => None,
                },
                _ => None,
            },
            _ => None,
        }
    }
}

/// The type of the elements of slices in an array; texts are slices of bytes.
fn element_of_slices(ty: &syn::Type) -> Option<syn::Type> {
    let row = match of_references(ty) {
        syn::Type::Array(of) => &*of.elem,
        syn::Type::Slice(of) => &*of.elem,
        _ => return None,
    };
    match of_references(row) {
        syn::Type::Slice(of) => Some((*of.elem).clone()),
        syn::Type::Path(text) if text.path.is_ident("str") => Some(syn::parse_quote!(u8)),
        _ => None,
    }
}

fn of_references(ty: &syn::Type) -> &syn::Type {
    match ty {
        syn::Type::Group(ty) => of_references(&ty.elem),
        syn::Type::Paren(ty) => of_references(&ty.elem),
        syn::Type::Reference(ty) => of_references(&ty.elem),
        ty => ty,
    }
}
