//! Structs in the contract: their names inside the module, zeros of their floats, values whose other members are those of
//! the primal.

use super::contract_types::referent;
use super::{Code, code};
use crate::signature::{Content, Leaf, Param, ParamKind, Record, Signature};
use crate::visit::changing::{self as visit_mut, VisitMut};
use proc_macro2::{Ident, Span};
use syn::{Member, Type};

/// Writes the structs of the type as they are named inside the module `f`: they stand beside it.
pub(super) fn outside(ty: &mut Type, signature: &Signature) {
    struct Outside(Vec<Ident>);
    impl VisitMut for Outside {
        fn visitor(&mut self) -> &mut dyn VisitMut {
            self
        }

        fn visit_path_mut(&mut self, path: &mut syn::Path) {
            visit_mut::visit_path_mut(self, path);
            let own = path.segments.first().is_some_and(|first| first.ident == "self");
            if let Some(last) = path.segments.last()
                && (path.segments.len() == 1 || own)
                && self.0.contains(&last.ident)
            {
                let name = last.ident.clone();
                *path = syn::parse_quote!(super::#name);
            }
        }
    }
    let params = signature.params.iter().filter_map(|param| param.record.as_ref());
    let results = signature.result.members().iter().filter_map(|member| member.record.as_ref());
    Outside(params.chain(results).flat_map(|record| record.names()).cloned().collect()).visit_type_mut(ty);
}

/// Sets one member of the adjoint of a parameter to zero.
pub(super) fn cleared(name: &Ident, leaf: &Leaf, kind: ParamKind, runtime: &Code) -> Code {
    let array = matches!(kind, ParamKind::Slice { .. } | ParamKind::ArrayRef { .. } | ParamKind::Array);
    let depth = leaf.path.last().map_or(0, |(depth, _)| *depth);
    debug_assert!(array || leaf.path.first().is_none_or(|(depth, _)| *depth == 0));
    let record = Ident::new("record", Span::mixed_site());
    let mut place = code!(#name);
    let mut loops = Vec::new();
    for at in 0..=depth {
        let members = leaf.path.iter().filter(|(depth, _)| *depth == at).map(|(_, member)| code!(.#member));
        place = code!(#place #(#members)*);
        if at < depth {
            loops.push(code!(for #record in #place.iter_mut()));
            place = code!(#record);
        }
    }
    let clear = code!(#place = #runtime::Zero::ZERO;);
    loops.into_iter().rev().fold(clear, |body, head| code!(#head { #body }))
}

/// A value of the parameter's own shape, newly allocated: floats are zero, the rest is the primal's.
pub(super) fn zeros_like(param: &Param, record: &Record, primal: &Ident, runtime: &Code) -> Code {
    let path = Some(code!(super));
    fn value(ty: &Type, record: &Record, primal: Code, runtime: &Code, path: &Option<Code>) -> Code {
        match super::contract_types::bare(ty) {
            Type::Array(array) => {
                let at = Ident::new("at", Span::mixed_site());
                let element = value(&array.elem, record, code!(#primal[#at]), runtime, path);
                code!(::core::array::from_fn(|#at| #element))
            }
            _ => literal(record, Some(&primal), runtime, path.as_ref()),
        }
    }
    match referent(&param.ty) {
        Type::Slice(slice) => {
            let each = Ident::new("each", Span::mixed_site());
            let element = value(&slice.elem, record, code!(#each), runtime, &path);
            code!(#primal.iter().map(|#each| #element).collect())
        }
        ty => value(ty, record, code!(#primal), runtime, &path),
    }
}

/// A value for a result before it is computed, beside the function.
pub(crate) fn initial(ty: &Type, record: Option<&Record>, runtime: &Code) -> Code {
    match (super::contract_types::bare(ty), record) {
        (_, None) => code!(#runtime::Zero::ZERO),
        (Type::Array(array), record) => {
            let element = initial(&array.elem, record, runtime);
            code!(::core::array::from_fn(|_| #element))
        }
        (_, Some(record)) => literal(record, None, runtime, None),
    }
}

fn literal(record: &Record, primal: Option<&Code>, runtime: &Code, path: Option<&Code>) -> Code {
    let values = record.fields.iter().map(|field| {
        let member = &field.member;
        let of = primal.map(|primal| code!(#primal.#member));
        content(&field.content, of.as_ref(), runtime, path)
    });
    let Some(name) = &record.name else { return code!((#(#values,)*)) };
    let name = super::contract::generated(name);
    let prefix = path.map(|path| code!(#path::));
    let fields = record.fields.iter().zip(values).map(|(field, value)| {
        let member = respanned(&field.member);
        code!(#member: #value)
    });
    code!(#prefix #name { #(#fields),* })
}

fn content(content: &Content, primal: Option<&Code>, runtime: &Code, path: Option<&Code>) -> Code {
    match (content, primal) {
        (Content::Record(record), Some(primal)) if record.is_enum() => primal.clone(),
        (Content::Record(record), primal) => literal(record, primal, runtime, path),
        (Content::Array(elem), primal) if elem.record().is_some() => {
            let at = Ident::new("at", Span::mixed_site());
            let of = primal.map(|primal| code!(#primal[#at]));
            let index = if primal.is_some() { code!(#at) } else { code!(_) };
            let element = self::content(elem, of.as_ref(), runtime, path);
            code!(::core::array::from_fn(|#index| #element))
        }
        (content, Some(primal)) if !content.has_floats() => primal.clone(),
        _ => code!(#runtime::Zero::ZERO),
    }
}

/// The field by name, with the hygiene of generated code.
pub(super) fn respanned(member: &Member) -> Code {
    super::user(&member)
}
