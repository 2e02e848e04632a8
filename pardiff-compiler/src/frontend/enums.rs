//! Enums of a module whose variants hold nothing, the options of a kernel: each is a struct of one integer, its
//! discriminant.
//!
//! ```text
//! #[derive(Clone, Copy)]
//! enum Boundary { Periodic, Open = 3 }
//! match boundary { Boundary::Periodic => a, Boundary::Open => b }      // if boundary as i64 == 0 { a } else { b }
//! ```
//!
//! Which variant a value is does not depend on floats any more than an integer does, and casts of the host say it, so
//! that nothing behind the front end knows of enums, but for that cast.

use super::records::derives;
use super::resolve::literal;
use super::tree::Kind;
use crate::ir::{Int, Ty};
use crate::refusal::Refusal;
use crate::signature::{Content, Field, Record};
use proc_macro2::Span;
use quote::format_ident;
use std::rc::Rc;
use syn::spanned::Spanned;
use syn::{ItemEnum, Member};

/// Reads an enum.
pub(super) fn read(item: &ItemEnum) -> Result<Rc<Record>, Refusal> {
    let name = &item.ident;
    let refuse = |span: Span, what: String, why: &str, help: &str| Err(Refusal::new(span, what, why, help));
    if let Some(holding) = item.variants.iter().find(|variant| !variant.fields.is_empty()) {
        return refuse(
            name.span(),
            format!("the enum `{name}`, whose variant `{}` holds values", holding.ident),
            "which numbers it holds would be known only at run time",
            "write a struct of all these numbers, with an enum without them for the kind, and `match` on that",
        );
    }
    if let Some(param) = item.generics.params.first() {
        return refuse(
            param.span(),
            format!("the parameter of the enum `{name}`"),
            "its variants hold nothing",
            "remove the parameter",
        );
    }
    let derives = derives(&item.attrs);
    if !derives.iter().any(|derived| derived == "Copy") {
        return refuse(
            name.span(),
            format!("the enum `{name}`, which is not `Copy`"),
            "which variant a value is, is read by a cast of a copy of it",
            "write `#[derive(Clone, Copy)]` in front of it",
        );
    }
    let mut variants = Vec::new();
    let mut next = 0_i64;
    for variant in &item.variants {
        if let Some(attr) = variant.attrs.iter().find(|attr| attr.path().is_ident("cfg")) {
            return refuse(
                attr.span(),
                format!("`#[cfg]` on the variant `{}`", variant.ident),
                "an attribute does not see which configuration is active",
                "put it on the whole enum, and on what uses it",
            );
        }
        if let Some((_, written)) = &variant.discriminant {
            let value = literal(written).and_then(|kind| match kind {
                Kind::Int(value) => i64::try_from(value).ok(),
                _ => None,
            });
            let Some(value) = value else {
                return refuse(
                    written.span(),
                    format!("the discriminant of `{name}::{}`", variant.ident),
                    "only literals that fit `i64` are evaluated",
                    "write the number itself",
                );
            };
            next = value;
        }
        variants.push((variant.ident.clone(), next));
        next = next.wrapping_add(1);
    }
    if variants.is_empty() {
        return refuse(
            name.span(),
            format!("the enum `{name}` as a value"),
            "it has no variants, and so no values",
            "remove the parameter",
        );
    }
    let kind = Field {
        member: Member::Named(format_ident!("kind")),
        ty: syn::parse_quote!(i64),
        content: Content::Scalar(Ty::Int(Int::I64)),
    };
    Ok(Rc::new(Record { name: Some(name.clone()), fields: vec![kind], derives, variants }))
}
