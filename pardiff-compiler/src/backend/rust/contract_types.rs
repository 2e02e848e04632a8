//! Types of the contract: those of adjoints and of `Gradient`'s fields from those of parameters, and the user's paths
//! seen from inside the module.

use super::contract_ndarray::element;
use super::{Code, code};
use crate::ir::Ty;
use crate::ndarray;
use crate::signature::{Param, ParamKind, Record, ResultShape, Returned, Signature, vector_element};
use crate::visit::changing::{self as visit_mut, VisitMut};
use crate::visit::{self, Visit};
use proc_macro2::{Group, Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{GenericArgument, Path, PathArguments, Type};

/// The tokens with the hygiene of generated code, so that no lint of the user's crate looks at them twice.
/// `$crate` keeps its span: it means the crate of the macro that wrote it.
pub fn respan(tokens: TokenStream) -> TokenStream {
    let respanned = tokens.into_iter().map(|token| match token {
        TokenTree::Group(group) => {
            let mut inner = Group::new(group.delimiter(), respan(group.stream()));
            inner.set_span(group.span().resolved_at(Span::mixed_site()));
            TokenTree::Group(inner)
        }
        TokenTree::Ident(ident) if ident == "$crate" => TokenTree::Ident(ident),
        mut token => {
            token.set_span(token.span().resolved_at(Span::mixed_site()));
            token
        }
    });
    respanned.collect()
}

/// What the user wrote, with the hygiene of generated code.
pub(crate) fn user(written: &impl ToTokens) -> Code {
    respan(written.to_token_stream()).into()
}

/// The type without the invisible groups that `macro_rules!` leaves, and without parentheses.
pub(super) fn bare(ty: &Type) -> &Type {
    match ty {
        Type::Group(group) => bare(&group.elem),
        Type::Paren(paren) => bare(&paren.elem),
        ty => ty,
    }
}

/// The scalar type at the leaves of a reference, slice, array or vector.
pub(super) fn leaf(ty: &Type) -> Option<Ty> {
    match bare(ty) {
        Type::Reference(reference) => leaf(&reference.elem),
        Type::Slice(slice) => leaf(&slice.elem),
        Type::Array(array) => leaf(&array.elem),
        ty if ndarray::written(ty).is_some() => leaf(element(ty)?),
        Type::Path(path) => match vector_element(ty) {
            // what is borrowed has no owned form
            Some(Type::Reference(_)) => None,
            Some(elem) => leaf(elem),
            None => Ty::from_name(&path.path.segments.last()?.ident.to_string()),
        },
        _ => None,
    }
}

/// Whether floats are in a value of this type; types that are not known are taken for floats in a stub.
pub(crate) fn has_floats(ty: &Type, record: Option<&Record>, is_stub: bool) -> bool {
    match record {
        Some(record) => record.has_floats(),
        None => match vector_element(ty) {
            Some(elem) => has_floats(elem, None, is_stub),
            None => leaf(ty).map_or(is_stub, |ty| ty.is_float()),
        },
    }
}

/// Whether the type is a scalar itself.
pub(crate) fn is_scalar(ty: &Type) -> bool {
    matches!(bare(ty), Type::Path(_))
}

/// Whether a function returns one float and nothing else; its type.
pub(crate) fn lone_float(signature: &Signature, is_stub: bool) -> Option<&Type> {
    match &signature.result {
        ResultShape::One(Returned { ty, record: None, .. })
            if is_scalar(ty) && vector_element(ty).is_none() && has_floats(ty, None, is_stub) =>
        {
            Some(ty)
        }
        _ => None,
    }
}

/// What a reference refers to; any other type itself.
pub(crate) fn referent(ty: &Type) -> &Type {
    match bare(ty) {
        Type::Reference(reference) => bare(&reference.elem),
        ty => ty,
    }
}

/// The type of a companion that is written: a `&mut` of the same shape, with a lifetime of its own.
pub(crate) fn written_through(ty: &Type) -> Code {
    let referent = user(&referent(ty));
    code!(&mut #referent)
}

/// The type of so many values of one type.
pub(crate) fn array_of(elem: &Type, len: usize) -> Type {
    syn::parse_quote!([#elem; #len])
}

/// The type for so many at once: the elements of the outermost array become arrays; any other value becomes one.
pub(crate) fn batched(ty: &Type, width: usize) -> Type {
    match bare(ty) {
        Type::Reference(reference) => {
            let elem = Box::new(batched(&reference.elem, width));
            Type::Reference(syn::TypeReference { elem, ..reference.clone() })
        }
        Type::Slice(slice) => {
            Type::Slice(syn::TypeSlice { elem: Box::new(array_of(&slice.elem, width)), ..slice.clone() })
        }
        Type::Array(outer) => {
            Type::Array(syn::TypeArray { elem: Box::new(array_of(&outer.elem, width)), ..outer.clone() })
        }
        ty => match vector_element(ty) {
            Some(elem) => {
                let elem = array_of(elem, width);
                syn::parse_quote!(::std::vec::Vec<#elem>)
            }
            None => array_of(ty, width),
        },
    }
}

/// The type as which what is returned is lent: a slice for a vector, a reference for a struct that owns some.
pub(super) fn lent(returned: &Returned, ty: &Type) -> Type {
    match vector_element(ty) {
        Some(elem) => syn::parse_quote!(&[#elem]),
        None if returned.owner().is_some() => syn::parse_quote!(&#ty),
        None => ty.clone(),
    }
}

/// The type of a field of `Gradient`: the same shape, owned.
pub(super) fn owned(ty: &Type) -> Code {
    match referent(ty) {
        Type::Slice(slice) => {
            let elem = user(&slice.elem);
            code!(::std::vec::Vec<#elem>)
        }
        ty => user(&ty),
    }
}

/// Whether the type of the field of `Gradient` is known, which nothing is borrowed in. Always so unless the parameter was
/// refused: a type that is not known may borrow and not show it, as `Data` of `struct Data<'a>` does.
pub(super) fn has_owned(param: &Param) -> bool {
    fn sized(ty: &Type, of_module: bool) -> bool {
        match bare(ty) {
            Type::Array(array) => sized(&array.elem, of_module),
            Type::Tuple(tuple) => tuple.elems.iter().all(|ty| sized(ty, of_module)),
            Type::Path(_) if of_module => !names_lifetimes(ty),
            Type::Path(_) => ndarray::written(ty).is_none() && leaf(ty).is_some(),
            _ => false,
        }
    }
    let of_module = param.record.is_some();
    match referent(&param.ty) {
        Type::Slice(slice) => sized(&slice.elem, of_module),
        ty if ndarray::written(ty).is_some() => matches!(param.kind, ParamKind::NdArray { .. }),
        ty => sized(ty, of_module),
    }
}

/// Whether a lifetime is written in the type.
fn names_lifetimes(ty: &Type) -> bool {
    !lifetimes(ty).is_empty()
}

/// Whether `'static` is written in the type.
pub(super) fn names_static(ty: &Type) -> bool {
    lifetimes(ty).iter().any(|lifetime| lifetime.ident == "static")
}

/// The lifetimes that are written in the type.
fn lifetimes(ty: &Type) -> Vec<syn::Lifetime> {
    struct Find(Vec<syn::Lifetime>);
    impl Visit for Find {
        fn visitor(&mut self) -> &mut dyn Visit {
            self
        }

        fn visit_lifetime(&mut self, lifetime: &syn::Lifetime) {
            self.0.push(lifetime.clone());
        }
    }
    let mut find = Find(Vec::new());
    find.visit_type(ty);
    find.0
}

/// A value of the field's type, all zero, as long as the argument `name` is.
pub(super) fn zeros(kind: ParamKind, ty: &Type, name: &proc_macro2::Ident) -> Code {
    fn zero(ty: &Type) -> Code {
        match bare(ty) {
            Type::Array(array) => {
                let (zero, len) = (zero(&array.elem), user(&array.len));
                code!([#zero; #len])
            }
            _ => code!(0.0),
        }
    }
    match (kind, referent(ty)) {
        (ParamKind::Rows { .. }, _) => code!(#name.iter().map(|row| ::std::vec![0.0; row.len()]).collect()),
        (ParamKind::Slice { .. }, Type::Slice(slice)) => {
            let zero = zero(&slice.elem);
            code!(::std::vec![#zero; #name.len()])
        }
        (_, ty) => zero(ty),
    }
}

/// The zero of the elements of an array, which may be arrays themselves.
pub(super) fn element_zero(ty: &Type, runtime: &Code) -> Code {
    let elem = match referent(ty) {
        Type::Slice(slice) => &*slice.elem,
        Type::Array(array) => &*array.elem,
        ty => ty,
    };
    if is_scalar(elem) { code!(0.0) } else { code!(#runtime::Zero::ZERO) }
}

/// The type as it is written inside the module `f`.
pub(crate) fn relocated(ty: &Type) -> Type {
    struct Relocate;
    impl VisitMut for Relocate {
        fn visitor(&mut self) -> &mut dyn VisitMut {
            self
        }

        fn visit_path_mut(&mut self, path: &mut Path) {
            visit_mut::visit_path_mut(self, path);
            *path = relocated_path(path);
        }
    }
    let mut ty = ty.clone();
    Relocate.visit_type_mut(&mut ty);
    ty
}

/// The path as it is written inside the module `f`: one through `self` or `super` starts one module further up.
pub(crate) fn relocated_path(path: &Path) -> Path {
    let mut path = path.clone();
    let Some(first) = path.segments.first_mut().filter(|_| path.leading_colon.is_none()) else { return path };
    if first.ident == "self" {
        first.ident = syn::Ident::new("super", first.ident.span());
    } else if first.ident == "super" {
        let first = first.clone();
        path.segments.insert(0, first);
    }
    path
}

/// Whether the path starts with a name that is looked up where it stands.
pub(crate) fn is_relative(path: &Path) -> bool {
    let anchors = ["self", "super", "crate", "$crate"];
    path.leading_colon.is_none()
        && path.segments.first().is_some_and(|first| !anchors.contains(&first.ident.to_string().as_str()))
}

/// Whether the type names something of the user by a path that starts where `f` stands.
pub(super) fn names_local_items(ty: &Type, generics: &[String]) -> bool {
    any_path(ty, &mut |path| {
        let first = path.segments.first().map(|first| first.ident.to_string());
        first.is_some_and(|name| {
            is_relative(path) && !generics.contains(&name) && Ty::from_name(&name).is_none()
        })
    })
}

/// Whether the type has such a name among the arguments of a path that starts elsewhere: of a struct, which is known.
pub(super) fn marks_local_items(ty: &Type, generics: &[String]) -> bool {
    any_path(ty, &mut |path| {
        let mut arguments = path.segments.iter().flat_map(|segment| match &segment.arguments {
            PathArguments::AngleBracketed(list) => list.args.iter().collect::<Vec<_>>(),
            _ => Vec::new(),
        });
        !is_relative(path)
            && arguments.any(
                |argument| matches!(argument, GenericArgument::Type(ty) if names_local_items(ty, generics)),
            )
    })
}

/// Whether something holds of a path in the type.
fn any_path(ty: &Type, holds: &mut dyn FnMut(&Path) -> bool) -> bool {
    struct Find<'a> {
        holds: &'a mut dyn FnMut(&Path) -> bool,
        found: bool,
    }
    impl Visit for Find<'_> {
        fn visitor(&mut self) -> &mut dyn Visit {
            self
        }

        fn visit_path(&mut self, path: &Path) {
            visit::visit_path(self, path);
            self.found |= (self.holds)(path);
        }
    }
    let mut find = Find { holds, found: false };
    find.visit_type(ty);
    find.found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ty(text: &str) -> Type {
        syn::parse_str(text).unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    #[test]
    fn shapes_of_adjoints() {
        for (of, adjoint_is, owned_is) in [
            ("f64", "& mut f64", "f64"),
            ("&'a f64", "& mut f64", "f64"),
            ("&'a [f32]", "& mut [f32]", ":: std :: vec :: Vec < f32 >"),
            ("&mut [[f64; 3]]", "& mut [[f64 ; 3]]", ":: std :: vec :: Vec < [f64 ; 3] >"),
            ("&[f64; N]", "& mut [f64 ; N]", "[f64 ; N]"),
            ("([f64; 2])", "& mut [f64 ; 2]", "[f64 ; 2]"),
        ] {
            assert_eq!(written_through(&ty(of)).to_string(), adjoint_is);
            assert_eq!(owned(&ty(of)).to_string(), owned_is);
        }
        for (of, is) in [
            ("f64", "[f64 ; 8usize]"),
            ("&'a mut f64", "& 'a mut [f64 ; 8usize]"),
            ("&[[f32; 3]]", "& [[[f32 ; 3] ; 8usize]]"),
            ("&[Node; N]", "& [[Node ; 8usize] ; N]"),
        ] {
            assert_eq!(batched(&ty(of), 8).to_token_stream().to_string(), is);
        }
        assert_eq!(leaf(&ty("&[[f32; 3]]")), Some(Ty::F32));
        assert_eq!(leaf(&ty("&str")), None);
    }

    #[test]
    fn paths_are_seen_from_inside_the_module() {
        let text = |of: &str| relocated(&ty(of)).to_token_stream().to_string();
        assert_eq!(text("&[f64; self::N]"), "& [f64 ; super :: N]");
        assert_eq!(text("&[f64; super::N]"), "& [f64 ; super :: super :: N]");
        assert_eq!(text("&[f64; crate::N + M]"), "& [f64 ; crate :: N + M]");
        assert!(names_local_items(&ty("[f64; M]"), &[]));
        assert!(!names_local_items(&ty("[f64; M]"), &["M".to_owned()]));
        assert!(!names_local_items(&ty("&[[f64; 3]; crate::N]"), &[]));
    }
}
