//! Pointers that own a value, `Box<S>`, `Arc<S>` and `Rc<S>`, and texts, `&str` and `String`.
//!
//! In a body a pointer is the value itself, and a text is the slice of its bytes. A parameter that is one becomes a
//! reference:
//!
//! ```text
//! fn energy(model: Arc<Model>, kind: &str, x: f64) -> f64
//! energy::grad(model: &Model, d_model: &mut Model, kind: &str, x: f64, d_x: &mut f64) -> f64
//! ```
//!
//! Where the function itself is called, a pointer is made to a copy of the value.

use super::module::Module;
use super::param_types::{bare, content, lent, shape};
use crate::signature::{Borrowed, BorrowedPart, Content};
use crate::visit::changing::{self as visit_mut, VisitMut};
use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};
use syn::{GenericArgument, PathArguments, Type};

/// The value that a type points to, `S` of `Box<S>`, and how such a pointer is made; `None` of other types, and of
/// those that point to slices and vectors.
fn target<'t>(module: &Module, ty: &'t Type) -> Option<(&'t Type, TokenStream)> {
    let Type::Path(path) = bare(ty) else { return None };
    let (last, before) =
        path.path.segments.iter().collect::<Vec<_>>().split_last().map(|(a, b)| (*a, b.len()))?;
    if module.record(&path.path).is_some()
        || module.template(&last.ident.to_string()).is_some()
        || before == 1
    {
        return None;
    }
    let new = match last.ident.to_string().as_str() {
        "Box" => quote!(::std::boxed::Box::new),
        "Arc" => quote!(::std::sync::Arc::new),
        "Rc" => quote!(::std::rc::Rc::new),
        _ => return None,
    };
    let PathArguments::AngleBracketed(args) = &last.arguments else { return None };
    let Some(GenericArgument::Type(of)) = args.args.first().filter(|_| args.args.len() == 1) else {
        return None;
    };
    let is_vector = crate::signature::vector_element(ty).is_some();
    (!is_vector && !matches!(bare(of), Type::TraitObject(_))).then_some((of, new))
}

/// Whether a type is a text, and not behind a reference.
fn is_text(module: &Module, ty: &Type) -> Option<bool> {
    let Type::Path(path) = bare(ty) else { return None };
    let name = path.path.get_ident().filter(|_| module.record(&path.path).is_none())?;
    (name == "str" || name == "String").then(|| name == "String")
}

/// Whether a type is a text or a reference to one.
pub(super) fn is_text_or_to_one(module: &Module, ty: &Type) -> bool {
    match bare(ty) {
        Type::Reference(reference) => is_text_or_to_one(module, &reference.elem),
        ty => is_text(module, ty).is_some(),
    }
}

/// The type with values in place of pointers to them, and bytes in place of texts.
pub(super) fn without(module: &Module, ty: &Type) -> Type {
    struct Without<'a>(&'a Module);
    impl VisitMut for Without<'_> {
        fn visitor(&mut self) -> &mut dyn VisitMut {
            self
        }
        fn visit_type_mut(&mut self, ty: &mut Type) {
            let value = match (target(self.0, ty), is_text(self.0, ty)) {
                (Some((of, _)), _) => Some(of.clone()),
                (None, Some(false)) => Some(syn::parse_quote!([u8])),
                (None, Some(true)) => Some(syn::parse_quote!(Vec<u8>)),
                (None, None) => None,
            };
            if let Some(value) = value {
                *ty = value;
            }
            visit_mut::visit_type_mut(self, ty);
        }
    }
    let mut ty = ty.clone();
    Without(module).visit_type_mut(&mut ty);
    ty
}

/// A parameter that is such a pointer or a text; in the body its part stands for it.
pub(super) fn parameter(module: &Module, name: &Ident, ty: &Type) -> Option<Borrowed> {
    let (is_lent, of) = match bare(ty) {
        Type::Reference(reference) if reference.mutability.is_none() => (true, &*reference.elem),
        of => (false, of),
    };
    let (public, part, read, value, has_floats, names): (Type, Type, _, _, _, _) = match target(module, of) {
        Some((held, new)) => {
            let known = shape(module, held).ok()?;
            let content = content(&known).or_else(|| lent(&known)).filter(can_be_copied)?;
            let public = syn::parse_quote!(&#held);
            let value = quote!(#new(::core::clone::Clone::clone(#name)));
            let names = super::hygiene::names(held.to_token_stream());
            (public, syn::parse_quote!(&#held), quote!(#name), value, content.has_floats(), names)
        }
        None => {
            let is_owned = is_text(module, of).filter(|is_owned| *is_owned || is_lent)?;
            let text = quote!(::core::str::from_utf8(#name).unwrap_or_default());
            let value = if is_owned { quote!(::std::string::String::from(#text)) } else { text };
            let (public, part) = (syn::parse_quote!(&str), syn::parse_quote!(&[u8]));
            (public, part, quote!(#name.as_bytes()), value, false, Default::default())
        }
    };
    let is_reference_to_owned = is_lent && !matches!(is_text(module, of), Some(false));
    let value = if is_reference_to_owned { quote!(&#value) } else { value };
    let is_record = |name: &String| module.records().get(name).is_some() || module.template(name).is_some();
    let records = names.into_iter().filter(is_record);
    Some(Borrowed {
        name: name.clone(),
        ty: module.with_lifetimes(&public),
        records: records.map(|name| Ident::new(&name, proc_macro2::Span::call_site())).collect(),
        parts: vec![BorrowedPart { name: name.clone(), ty: part, read, has_floats }],
        value,
    })
}

/// Whether a pointer to a copy of the value can be made.
fn can_be_copied(held: &Content) -> bool {
    match held {
        Content::Record(record) if record.name.is_some() => record.derives("Clone"),
        Content::Record(record) => record.fields.iter().all(|field| can_be_copied(&field.content)),
        Content::Array(of) | Content::Vector(of, _) => can_be_copied(of),
        Content::Scalar(_) => true,
        Content::Open | Content::Unknown { .. } => false,
    }
}
