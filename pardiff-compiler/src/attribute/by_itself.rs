//! The attribute on an item that stands by itself: a function, an `impl`, or what is only exported.

use super::known_crates;
use super::link::{self, Exported, Scope, Sources, Written};
use super::methods::{Methods, own_attribute, seen_from_inside};
use super::names_taken::{Taken, snake_case};
use super::{beside, bindings, differentiated, impl_by_itself, module, not_a_function, stub_signature};
use crate::backend::rust;
use crate::frontend::{self, Features, Module, Options};
use crate::refusal::Refusal;
use crate::visit::Visit;
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::spanned::Spanned;
use syn::{Ident, ImplItem, Item, ItemFn, ItemImpl, Type, Visibility};

/// The item as rustc reads it; nothing of a module, which its gradients stand in.
pub(super) fn kept(item: &Item) -> TokenStream {
    let mut item = item.clone();
    match &mut item {
        Item::Mod(_) => return TokenStream::new(),
        Item::Fn(function) => frontend::strip(function),
        Item::Impl(of) => {
            for part in &mut of.items {
                if let ImplItem::Fn(function) = part {
                    own_attribute(&mut function.attrs);
                }
            }
            frontend::strip_item(&mut item);
        }
        _ => {}
    }
    quote!(#item)
}

/// What is generated for an item; of a module, the module with it.
pub(super) fn generated(features: Features, attr: TokenStream, item: &Item, sources: Sources) -> TokenStream {
    let sources = &known_crates::knowing(sources, features, &attr, item);
    match item {
        Item::Fn(function) => of_function(features, attr, function, sources),
        Item::Mod(of) => module::expand(features, attr, of.clone(), sources),
        Item::Impl(of) => of_impl(features, attr, of, sources),
        item => only_exported(attr, item, sources),
    }
}

fn of_function(features: Features, attr: TokenStream, function: &ItemFn, sources: &Sources) -> TokenStream {
    let (mut options, mut refusals) = Options::read(attr);
    let is_only_exported = options.is_only_exported();
    // functions in the place of parameters are names of the body
    let given = frontend::given_functions(&options.with_functions, &function.clone().into());
    let mut of = given.unwrap_or_else(|more| {
        refusals.extend(more);
        function.clone().into()
    });
    let (mut written, mut context) = (Written::default(), Module::default());
    let mut with_texts = Sources::default();
    if !sources.is_empty() {
        let scope = Scope::of(sources);
        written = link::rewrite_function(&mut of.item, &scope);
        options.with_types.iter_mut().for_each(|(_, ty)| written.extend(link::rewrite_type(ty, &scope)));
        with_texts = sources.with_known(&mut written);
        context = Module::of_items(&with_texts.items());
    }
    let options = Options {
        features,
        float: written.float(),
        sizes: sources.sizes(),
        with_functions: Vec::new(),
        ..options
    };
    let target = of.item.clone();
    let is_wanted = !is_only_exported || !options.only_exports && module::has_gradient(&context, &target);
    let (mut tokens, refusals) = match is_wanted {
        true => differentiated(&options, refusals, &context, &of),
        false => (TokenStream::new(), refusals),
    };
    let mut refusals = refusals;
    if let Some(first) = refusals.first().filter(|_| is_only_exported) {
        let signature = stub_signature(&options, &context, &target.into());
        tokens = rust::refused(&signature, options.asked, first);
        refusals.clear();
    } else if refusals.is_empty() && is_wanted {
        // without a gradient there is nothing that would read a name otherwise, and in an `impl` no such item may stand
        tokens.extend(bindings::tried(|names| names.visit_item_fn(function)));
    }
    let unit = options.export.as_ref().map(|_| link::exported(&Item::Fn(function.clone()), None, sources));
    let tokens = written_out(tokens, refusals, &mut written, unit.as_ref(), &with_texts, function.span());
    with_carrier(tokens, &function.sig.ident, &function.vis, unit.as_ref())
}

fn of_impl(features: Features, attr: TokenStream, item: &ItemImpl, sources: &Sources) -> TokenStream {
    let (options, mut refusals) = Options::read_for_impl(attr.clone());
    let mut linked = Item::Impl(item.clone());
    let mut written = link::rewrite_item(&mut linked, &Scope::of(sources), &[]);
    let with_texts = sources.with_known(&mut written);
    let mut items = with_texts.items();
    items.push(linked.clone());
    let context = Module::of_items(&items);
    let of = match &linked {
        Item::Impl(linked) => context.type_of_impl(linked),
        _ => None,
    };
    let (Some((of, is_known)), Item::Impl(linked)) = (of, &mut linked) else {
        return beside(&TokenStream::new(), &[impl_by_itself(item)]);
    };
    if !is_known && !options.is_only_exported() {
        return beside(&TokenStream::new(), &[impl_by_itself(item)]);
    }
    let name = options.module.clone().map_or_else(|| name_of(item, &of), Ok);
    let name = match name {
        Ok(name) => name,
        Err(refusal) => return beside(&TokenStream::new(), &[refusal]),
    };
    let mut methods = Methods::new(&items, Some(name.clone()));
    let targets = linked.clone();
    if !options.is_only_exported() {
        linked.attrs.push(syn::parse_quote!(#[differentiate(#attr)]));
    }
    methods.take(&context, &targets, linked, &mut refusals);
    let defaults = Options {
        features,
        float: written.float(),
        sizes: sources.sizes(),
        only_exports: options.only_exports,
        ..Options::default()
    };
    let expansion = methods.expand(&context, &defaults, Taken::read(&[]), &[]);
    refusals.extend(expansion.refusals);
    let unit = options.export.as_ref().map(|_| link::exported(&Item::Impl(item.clone()), None, sources));
    let vis = sources.visibility(&of).unwrap_or(syn::parse_quote!(pub(crate)));
    let tokens =
        written_out(expansion.tokens, refusals, &mut written, unit.as_ref(), &with_texts, item.span());
    with_carrier(tokens, &name, &vis, unit.as_ref())
}

/// The module of an `impl`: the type in snake case, and behind it the trait.
fn name_of(item: &ItemImpl, of: &Ident) -> Result<Ident, Refusal> {
    let of = Ident::new(&frontend::linked::plain(&of.to_string()), of.span());
    let own = match &*item.self_ty {
        Type::Path(ty) if crate::ir::Ty::from_name(&of.to_string()).is_some() && ty.path.is_ident(&of) => {
            Ok(of.clone())
        }
        _ => snake_case(&of),
    };
    let trait_ = item.trait_.as_ref().and_then(|(path, _)| path.segments.last());
    let name = match (own, trait_) {
        (own, None) => own,
        (own, Some(trait_)) => {
            let own = own.map_or_else(|word| word, |name| name.to_string());
            snake_case(&trait_.ident).map(|of| format_ident!("{own}_{of}", span = item.self_ty.span()))
        }
    };
    name.map_err(|word| {
        Refusal::new(
            item.self_ty.span(),
            format!("the module of this `impl` would be called `{word}`"),
            "that is no name of a module",
            "name it: `#[differentiate(export, module = name)]`",
        )
    })
}

fn only_exported(attr: TokenStream, item: &Item, sources: &Sources) -> TokenStream {
    let (options, mut refusals) = Options::read(attr);
    let mut exported = item.clone();
    let Some((name, is_type, vis)) = link::declared(&mut exported).filter(|_| options.export.is_some())
    else {
        return beside(&TokenStream::new(), &[not_a_function(item)]);
    };
    let (name, vis) = (name.clone(), vis.clone());
    if !options.is_only_exported() {
        refusals.push(not_a_function(item));
    }
    if !name.to_string().starts_with(char::is_uppercase) {
        let what = if is_type { "type" } else { "constant" };
        refusals.push(Refusal::new(
            name.span(),
            format!("an exported {what} with a small first letter"),
            "`uses` tells types and constants from functions and modules by it",
            "begin its name with a capital",
        ));
    }
    if !refusals.is_empty() {
        return beside(&TokenStream::new(), &refusals);
    }
    let unit = link::exported(item, None, sources);
    let (carrier, proofs) = (link::carrier_of(&name, &vis, &unit), unit.written.proofs());
    quote!(#carrier #proofs)
}

/// The tokens with the names that are seen here, what is refused, and proofs that names mean what they are taken for.
fn written_out(
    tokens: TokenStream,
    mut refusals: Vec<Refusal>,
    written: &mut Written,
    unit: Option<&Exported>,
    sources: &Sources,
    at: proc_macro2::Span,
) -> TokenStream {
    if sources.is_empty() {
        let (tokens, proofs) = (beside(&tokens, &refusals), unit.map(|unit| unit.written.proofs()));
        return quote!(#tokens #proofs);
    }
    if let Some(unit) = unit {
        written.extend(unit.written.clone());
    }
    let (tokens, more) = written.emitted(tokens, sources, &at.file());
    // a stub says nothing of its own
    if refusals.is_empty() {
        refusals.extend(more);
    }
    let (errors, _) = written.emitted(beside(&TokenStream::new(), &refusals), sources, &at.file());
    let proofs = written.proofs();
    quote!(#tokens #errors #proofs)
}

fn with_carrier(tokens: TokenStream, name: &Ident, vis: &Visibility, unit: Option<&Exported>) -> TokenStream {
    match unit {
        Some(unit) => link::carried(name, vis, &seen_from_inside(vis), unit, tokens),
        None => tokens,
    }
}
