//! The attribute: what it stands on, and what comes back when something is refused.
//!
//! *Comes in*: the tokens of the attribute and of its item. *Goes out*: the function and its gradient, or the item with
//! its errors and a module of the right signatures. *Guarantees*: the user's item comes back in every case, so that the
//! rest of the crate, and the editor, keep working. *Never*: panics.

use crate::backend::rust;
use crate::frontend::{self, Options};
use crate::refusal::Refusal;
use crate::signature::{Param, ParamKind, ResultShape, Signature};
use proc_macro2::TokenStream;
use quote::quote;
use syn::spanned::Spanned;
use syn::{FnArg, Item, ItemFn, Pat, ReturnType, Type};

/// What the attribute `#[differentiate(attr)] item` expands to.
pub fn expand(attr: TokenStream, item: TokenStream) -> TokenStream {
    let function = match syn::parse2::<Item>(item.clone()) {
        Ok(Item::Fn(function)) => function,
        Ok(other) => return beside(&item, &[not_a_function(&other)]),
        Err(error) => return beside(&item, &[not_an_item(&error)]),
    };
    let (options, mut refusals) = Options::read(attr);
    match crate::compile(&options, function.clone()) {
        Ok(tokens) if refusals.is_empty() => return tokens,
        Ok(_) => {}
        Err(more) => refusals.extend(more),
    }
    let mut primal = function.clone();
    frontend::strip(&mut primal);
    // a method stands in an `impl`, where no module can
    let method = function.sig.inputs.iter().any(|arg| matches!(arg, FnArg::Receiver(_)));
    let stub = if method { TokenStream::new() } else { rust::stub(&stub_signature(&options, &function)) };
    beside(&quote!(#primal #stub), &refusals)
}

/// The tokens with the errors behind them.
fn beside(tokens: &TokenStream, refusals: &[Refusal]) -> TokenStream {
    let errors = refusals.iter().map(Refusal::to_tokens);
    quote!(#tokens #(#errors)*)
}

/// The signature for a stub: parameters and results of types that were refused are taken for active ones.
fn stub_signature(options: &Options, function: &ItemFn) -> Signature {
    let (mut signature, _) = frontend::signature(options, function);
    let mut known = std::mem::take(&mut signature.params);
    for arg in &function.sig.inputs {
        let FnArg::Typed(arg) = arg else { continue };
        let Pat::Ident(pat) = &*arg.pat else { continue };
        if known.first().is_some_and(|param| param.name == pat.ident) {
            signature.params.push(known.remove(0));
            continue;
        }
        let mutable = matches!(&*arg.ty, Type::Reference(reference) if reference.mutability.is_some());
        signature.params.push(Param {
            name: pat.ident.clone(),
            ty: (*arg.ty).clone(),
            kind: ParamKind::Slice { mutable },
            buffer: crate::ir::BufferId(0),
            active: options.wrt.as_ref().is_none_or(|wrt| mutable || wrt.contains(&pat.ident)),
        });
    }
    signature.params.append(&mut known);
    if let (ResultShape::Unit, ReturnType::Type(_, ty)) = (&signature.result, &function.sig.output)
        && !matches!(&**ty, Type::Tuple(_))
    {
        signature.result = ResultShape::Leaf(crate::ir::BufferId(0), (**ty).clone());
    }
    signature
}

fn not_a_function(item: &Item) -> Refusal {
    match item {
        Item::Mod(module) => Refusal::new(
            module.mod_token.span().join(module.ident.span()).unwrap_or_else(|| module.ident.span()),
            "`#[differentiate]` on a module is not yet supported",
            "this release differentiates one function at a time",
            "put `#[differentiate]` on each function of the module",
        ),
        item => Refusal::new(
            item.span(),
            "`#[differentiate]` on something that is not a function",
            "only a function has a gradient",
            "put it on a free function, `#[differentiate] fn f(x: &[f64]) -> f64 { … }`",
        ),
    }
}

fn not_an_item(error: &syn::Error) -> Refusal {
    Refusal::new(
        error.span(),
        "`#[differentiate]` on something that is not a function with a body",
        error.to_string(),
        "put it on a free function, `#[differentiate] fn f(x: &[f64]) -> f64 { … }`",
    )
}
