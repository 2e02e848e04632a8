//! Enums of a module: each is a struct of an integer, its discriminant, and of what each variant holds, zeros for those
//! that a value is not.
//!
//! ```text
//! #[derive(Clone, Copy)]
//! enum Boundary { Periodic, Open = 3 }
//! match boundary { Boundary::Periodic => a, Boundary::Open => b }      // if boundary as i64 == 0 { a } else { b }
//!
//! enum Payoff { Call { strike: f64 }, Digital(f64, f64) }              // (kind, call_strike, digital_0, digital_1)
//! match payoff { Payoff::Call { strike } => a(strike), Payoff::Digital(s, _) => b(s) }
//!                                                                      // if kind == 0 { a(call_strike) } else { b(digital_0) }
//! ```
//!
//! Which variant a value is does not depend on floats any more than an integer does, so that nothing behind the front end
//! knows of enums, but for how they are read from the host. What a value does not hold is zero and is read by no arm, so
//! that its adjoint is zero; two values are equal where all of their numbers are.

use super::display::tidy_type;
use super::module::Module;
use super::param_types;
use super::resolve::literal;
use super::rows;
use super::structs::derives;
use super::tree::Kind;
use crate::ir::{Int, Ty};
use crate::refusal::Refusal;
use crate::signature::{Content, Field, Record, Variant};
use proc_macro2::Span;
use quote::format_ident;
use std::rc::Rc;
use syn::spanned::Spanned;
use syn::{ItemEnum, Member};

/// Reads an enum; the structs and enums that its variants hold are in the module already.
pub(super) fn read(module: &Module, item: &ItemEnum) -> Result<Rc<Record>, Refusal> {
    let name = &item.ident;
    let refuse = |span: Span, what: String, why: &str, help: &str| Err(Refusal::new(span, what, why, help));
    let derives = derives(&item.attrs);
    let holds_values = item.variants.iter().any(|variant| !variant.fields.is_empty());
    // no value is of an enum without variants
    if item.variants.is_empty() {
        let (name, fields, variants) = (Some(name.clone()), Vec::new(), Vec::new());
        return Ok(Rc::new(Record {
            name,
            arguments: Vec::new(),
            fields,
            derives,
            variants,
            of_crate: None,
            is_option: false,
        }));
    }
    let has_numbers = item.variants.iter().any(|variant| variant.discriminant.is_some());
    if !holds_values && has_numbers && !derives.iter().any(|derived| derived == "Copy") {
        return refuse(
            name.span(),
            format!("the enum `{name}`, which is not `Copy`"),
            "which variant a value is, is read by a cast of a copy of it",
            "write `#[derive(Clone, Copy)]` before it",
        );
    }
    let mut fields = vec![Field {
        member: Member::Named(format_ident!("kind")),
        ty: syn::parse_quote!(i64),
        content: Content::Scalar(Ty::Int(Int::I64)),
    }];
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
        let mut holds = Vec::new();
        for (position, held) in variant.fields.iter().enumerate() {
            let (member, shown) = match &held.ident {
                Some(ident) => (Member::Named(ident.clone()), ident.to_string()),
                None => {
                    let index = syn::Index { index: position as u32, span: held.span() };
                    (Member::Unnamed(index), position.to_string())
                }
            };
            let Some(content) = param_types::shape(module, &held.ty).ok().and_then(|shape| {
                let open =
                    || param_types::held(&shape, &held.ty).filter(|it| rows::is_gathered(it, &held.ty));
                param_types::made_anew(&shape).or_else(|| open().filter(Content::has_vectors))
            }) else {
                return refuse(
                    held.ty.span(),
                    format!("`{}` in the variant `{name}::{}`", tidy_type(&held.ty), variant.ident),
                    "variants hold floats, integers, booleans, arrays of constant length, vectors, and structs and enums of the module of these",
                    "pass what it holds beside the enum, `table: &[f64]`",
                );
            };
            holds.push((member, fields.len()));
            let variant = variant.ident.to_string().to_lowercase();
            let member = Member::Named(format_ident!("{variant}_{}", shown.trim_start_matches("r#")));
            fields.push(Field { member, ty: held.ty.clone(), content });
        }
        let discriminant = if holds_values { variants.len() as i64 } else { next };
        variants.push(Variant { name: variant.ident.clone(), discriminant, holds });
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
    Ok(Rc::new(Record {
        name: Some(name.clone()),
        arguments: Vec::new(),
        fields,
        derives,
        variants,
        of_crate: None,
        is_option: false,
    }))
}
