//! Structs of a module.

use super::associated_types;
use super::module::Module;
use super::param_types;
use crate::refusal::Refusal;
use crate::signature::{Content, Field, OfCrate, Record, member_name};
use proc_macro2::Span;
use quote::ToTokens;
use std::rc::Rc;
use syn::spanned::Spanned;
use syn::{ItemStruct, Member};

/// Reads a struct without parameters; the structs that its fields name are in the module already.
pub(super) fn read(module: &Module, item: &ItemStruct) -> Result<Rc<Record>, Refusal> {
    let name = &item.ident;
    let refuse = |span: Span, what: String, why: &str, help: &str| Err(Refusal::new(span, what, why, help));
    let is_packed = |attr: &syn::Attribute| {
        attr.path().is_ident("repr") && attr.meta.to_token_stream().to_string().contains("packed")
    };
    if let Some(attr) = item.attrs.iter().find(|attr| is_packed(attr)) {
        return refuse(
            attr.span(),
            format!("the packed struct `{name}`"),
            "its fields cannot be borrowed",
            "remove `packed`",
        );
    }
    let mut list = Vec::new();
    for (position, field) in item.fields.iter().enumerate() {
        let member = match &field.ident {
            Some(ident) => Member::Named(ident.clone()),
            None => Member::Unnamed(syn::Index { index: position as u32, span: field.span() }),
        };
        let shown = member_name(&member);
        if let Some(attr) = field.attrs.iter().find(|attr| attr.path().is_ident("cfg")) {
            return refuse(
                attr.span(),
                format!("`#[cfg]` on the field `{shown}`"),
                "an attribute does not see which configuration is active",
                "put it on the whole struct, and on what uses it",
            );
        }
        let ty = associated_types::written_out(&field.ty, module.records(), &|_| None);
        let content = param_types::shape(module, &ty).ok().and_then(|shape| {
            let open = || param_types::is_open(&shape).then_some(Content::Open);
            param_types::held(&shape, &ty).or_else(open)
        });
        let content = content.unwrap_or_else(|| Content::Unknown { names_floats: module.holds_floats(&ty) });
        list.push(Field { member, ty, content });
    }
    let derives = derives(&item.attrs);
    let of_crate = item.attrs.iter().find(|attr| attr.path().is_ident("known_crate")).and_then(crate_of);
    let is_private = item.attrs.iter().any(|attr| attr.path().is_ident("private"));
    let of_crate = of_crate.map(|name| OfCrate { name, is_private });
    Ok(Rc::new(Record {
        name: Some(name.clone()),
        arguments: Vec::new(),
        fields: list,
        derives,
        variants: Vec::new(),
        of_crate,
        is_option: false,
    }))
}

/// `#[known_crate = "glam"]`, which texts of known crates have
fn crate_of(attr: &syn::Attribute) -> Option<String> {
    let syn::Meta::NameValue(it) = &attr.meta else { return None };
    match &it.value {
        syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(name), .. }) => Some(name.value()),
        _ => None,
    }
}

/// What is derived for a type, by the last name of each path.
pub(super) fn derives(attrs: &[syn::Attribute]) -> Vec<String> {
    let mut derives = Vec::new();
    for attr in attrs.iter().filter(|attr| attr.path().is_ident("derive")) {
        let _ = attr.parse_nested_meta(|meta| {
            derives.extend(meta.path.segments.last().map(|last| last.ident.to_string()));
            Ok(())
        });
    }
    derives
}
