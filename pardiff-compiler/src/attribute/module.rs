//! The attribute on an inline module: every function of it that is visible outside and has a gradient gets its module
//! beside it, and its body may use what stands in the module.

use super::{beside, differentiated};
use crate::frontend::{self, Module, Options};
use crate::refusal::Refusal;
use proc_macro2::TokenStream;
use quote::ToTokens;
use std::collections::HashSet;
use syn::visit::{self, Visit};
use syn::{Attribute, FnArg, Item, ItemFn, ItemMod, Meta, ReturnType, Type, Visibility};

/// What `#[differentiate(attr)] mod m { … }` expands to. A function that is refused leaves the others as they are.
pub(super) fn expand(attr: TokenStream, mut item: ItemMod) -> TokenStream {
    let (defaults, mut refusals) = Options::read_for_module(attr);
    if item.content.is_none() {
        refusals.push(in_another_file(&item));
        return beside(&item.to_token_stream(), &refusals);
    }
    let Some((_, items)) = &mut item.content else { return item.to_token_stream() };
    let context = Module::read(items);
    let mut seen = HashSet::new();
    let mut found = false;
    for item in items.iter_mut() {
        let own = match item {
            Item::Fn(function) => own_attribute(function),
            _ => None,
        };
        let function = match item {
            Item::Fn(function) if own.is_some() || is_wanted(&context, function) => function.clone(),
            other => {
                frontend::strip_item(other);
                continue;
            }
        };
        found = true;
        let (options, errors) = own.map_or_else(|| (Options::default(), Vec::new()), Options::read);
        let (tokens, errors) = differentiated(&options.with_defaults(&defaults), errors, &context, function);
        // a helper of several functions is refused once
        let errors: Vec<Refusal> = errors
            .into_iter()
            .filter(|error| seen.insert((format!("{:?}", error.span), error.what.clone())))
            .collect();
        *item = Item::Verbatim(beside(&tokens, &errors));
    }
    if !found {
        refusals.push(nothing_in_it(&item));
    }
    beside(&item.to_token_stream(), &refusals)
}

/// Takes `#[differentiate(…)]` off a function; its options.
fn own_attribute(function: &mut ItemFn) -> Option<TokenStream> {
    let is_ours =
        |attr: &Attribute| attr.path().segments.last().is_some_and(|last| last.ident == "differentiate");
    let at = function.attrs.iter().position(is_ours)?;
    Some(match function.attrs.remove(at).meta {
        Meta::List(list) => list.tokens,
        _ => TokenStream::new(),
    })
}

/// Whether a function has a gradient that somebody outside could ask for: floats come in, floats go out.
fn is_wanted(module: &Module, function: &ItemFn) -> bool {
    if matches!(function.vis, Visibility::Inherited) {
        return false;
    }
    let sig = module.prepared(function.clone()).sig;
    let types = || {
        sig.inputs.iter().filter_map(|arg| if let FnArg::Typed(arg) = arg { Some(&*arg.ty) } else { None })
    };
    let mutable = |ty: &Type| matches!(ty, Type::Reference(reference) if reference.mutability.is_some());
    let returned = matches!(&sig.output, ReturnType::Type(_, ty) if mentions_float(ty));
    types().any(mentions_float) && (returned || types().any(|ty| mutable(ty) && mentions_float(ty)))
}

fn mentions_float(ty: &Type) -> bool {
    struct Find(bool);
    impl Visit<'_> for Find {
        fn visit_path(&mut self, path: &syn::Path) {
            self.0 |= path.is_ident("f64") || path.is_ident("f32");
            visit::visit_path(self, path);
        }
    }
    let mut find = Find(false);
    find.visit_type(ty);
    find.0
}

fn in_another_file(item: &ItemMod) -> Refusal {
    Refusal::new(
        item.ident.span(),
        "`#[differentiate]` on a module in another file",
        "an attribute sees only what stands behind it",
        "put the functions in an inline module: `#[differentiate] mod kernels { … }`",
    )
}

fn nothing_in_it(item: &ItemMod) -> Refusal {
    Refusal::new(
        item.ident.span(),
        format!("nothing in the module `{}` has a gradient", item.ident),
        "the attribute differentiates the functions that are visible outside, take floats and return or write floats",
        "write `pub` in front of the function",
    )
}
