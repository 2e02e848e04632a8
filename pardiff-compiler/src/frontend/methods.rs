//! Methods and associated functions as functions beside their `impl`, without `Self`.
//!
//! ```text
//! impl Model { fn loss(&self, x: f64) -> f64 { self.scale * Self::bias(x) } }
//! fn loss(self: &Model, x: f64) -> f64 { self.scale * Model::bias(x) }           // a helper
//! fn loss(this: &Model, x: f64) -> f64 { … }                                     // a target, whose body says `self`
//! ```

use super::Target;
use super::hygiene;
use super::module::Module;
use super::records::name_of;
use crate::signature::Owner;
use crate::visit::changing::{self as visit_mut, VisitMut};
use proc_macro2::{Group, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use std::collections::HashMap;
use syn::spanned::Spanned;
use syn::{
    Attribute, FnArg, GenericArgument, GenericParam, Ident, ImplItem, ImplItemFn, Item, ItemFn, ItemImpl,
    Macro, Pat, Path, PathArguments, ReceiverKind, Type, Visibility,
};

/// `Self`, `Self::Output` and the like, written out.
pub(super) struct OwnType {
    own: Type,
    /// The associated types of the `impl`.
    types: HashMap<String, Type>,
}

impl OwnType {
    pub(super) fn of(item: &ItemImpl) -> OwnType {
        let types = item.items.iter().filter_map(|part| match part {
            ImplItem::Type(item) => Some((item.ident.to_string(), item.ty.clone())),
            _ => None,
        });
        OwnType { own: (*item.self_ty).clone(), types: types.collect() }
    }

    /// A struct or an enum with its name in place of `Self`.
    pub(super) fn in_type(name: &Ident, item: &mut Item) {
        let own = syn::parse_quote!(#name);
        OwnType { own, types: HashMap::new() }.visit_item_mut(item);
    }

    /// The type, at the place of a `Self`.
    fn own_at(&self, span: Span) -> Type {
        syn::parse2(at(self.own.to_token_stream(), span)).unwrap_or_else(|_| self.own.clone())
    }

    /// A function of the `impl` as a free function, whose first parameter may be called `self`.
    pub(super) fn function(&mut self, item: &ImplItemFn) -> ItemFn {
        let mut sig = item.sig.clone();
        for arg in &mut sig.inputs {
            let FnArg::Receiver(receiver) = arg else { continue };
            let span = receiver.self_token.span;
            let (name, own) = (Ident::new("self", span), self.own_at(span));
            let mut typed: syn::PatType = match &receiver.kind {
                ReceiverKind::Reference(_, lifetime, mutability) => {
                    syn::parse_quote_spanned!(span=> receiver: &#lifetime #mutability #own)
                }
                ReceiverKind::Typed(_, ty) => syn::parse_quote!(receiver: #ty),
                _ if receiver.mutability.is_some() => syn::parse_quote!(mut receiver: #own),
                _ => syn::parse_quote!(receiver: #own),
            };
            if let Pat::Ident(pat) = &mut *typed.pat {
                pat.ident = name;
            }
            *arg = FnArg::Typed(typed);
        }
        let mut function = ItemFn {
            attrs: item.attrs.clone(),
            vis: Visibility::Inherited,
            modifiers: item.modifiers.clone(),
            sig,
            block: Box::new(item.block.clone()),
        };
        self.visit_item_fn_mut(&mut function);
        function
    }
}

impl VisitMut for OwnType {
    fn visitor(&mut self) -> &mut dyn VisitMut {
        self
    }

    fn visit_type_mut(&mut self, ty: &mut Type) {
        if let Type::Path(path) = ty
            && path.qself.is_none()
        {
            let names = super::names(&path.path);
            match &names.iter().map(String::as_str).collect::<Vec<_>>()[..] {
                ["Self", name] if self.types.contains_key(*name) => {
                    *ty = self.types[*name].clone();
                    return self.visit_type_mut(ty);
                }
                ["Self"] => {
                    *ty = self.own_at(path.span());
                    return;
                }
                _ => {}
            }
        }
        visit_mut::visit_type_mut(self, ty);
    }

    fn visit_path_mut(&mut self, path: &mut Path) {
        visit_mut::visit_path_mut(self, path);
        if let Some(first) = path.segments.first_mut().filter(|first| first.ident == "Self")
            && let Some(own) = name_of(&self.own)
        {
            first.ident = Ident::new(&own, first.ident.span());
            first.arguments = arguments(&self.own);
        }
    }

    /// `vec![0.0; Self::SIZE]`, `matches!(self, Self::A | Self::B)`
    fn visit_macro_mut(&mut self, mac: &mut Macro) {
        if let Some(own) = name_of(&self.own) {
            let arguments = arguments(&self.own).to_token_stream();
            mac.tokens = with_own(std::mem::take(&mut mac.tokens), &own, &arguments);
        }
    }
}

/// The tokens, all at one place.
fn at(tokens: TokenStream, span: Span) -> TokenStream {
    let moved = tokens.into_iter().map(|mut token| {
        if let TokenTree::Group(group) = &mut token {
            *group = Group::new(group.delimiter(), at(group.stream(), span));
        }
        token.set_span(span);
        token
    });
    moved.collect()
}

/// The arguments of the type of an `impl`, as expressions have them: `::<f64, N>`.
fn arguments(own: &Type) -> PathArguments {
    let mut own = own;
    while let Type::Reference(reference) = own {
        own = &reference.elem;
    }
    let last = match own {
        Type::Path(path) => path.path.segments.last(),
        _ => None,
    };
    match last.map(|last| &last.arguments) {
        Some(PathArguments::AngleBracketed(args)) => {
            let mut args = args.clone();
            args.args =
                args.args.into_iter().filter(|arg| !matches!(arg, GenericArgument::Lifetime(_))).collect();
            args.colon2_token = Some(Default::default());
            match args.args.is_empty() {
                true => PathArguments::None,
                false => PathArguments::AngleBracketed(args),
            }
        }
        _ => PathArguments::None,
    }
}

/// The tokens with the type in place of `Self`.
fn with_own(tokens: TokenStream, own: &str, arguments: &TokenStream) -> TokenStream {
    let replaced = tokens.into_iter().map(|token| match token {
        TokenTree::Ident(ident) if ident == "Self" => {
            let own = Ident::new(own, ident.span());
            quote!(#own #arguments)
        }
        TokenTree::Group(group) => {
            let mut inner = Group::new(group.delimiter(), with_own(group.stream(), own, arguments));
            inner.set_span(group.span());
            TokenTree::Group(inner).into()
        }
        token => token.into(),
    });
    replaced.collect()
}

impl Module {
    /// The name of the type of an `impl`, and whether it is a struct or an enum that is seen; None if a path does not name it.
    pub fn type_of_impl(&self, item: &ItemImpl) -> Option<(Ident, bool)> {
        let Type::Path(ty) = &*item.self_ty else { return None };
        let name = ty.path.segments.last()?.ident.clone();
        Some((name, self.record(&ty.path).is_some()))
    }

    /// The functions of an `impl` as targets, in order; after them those that a trait of this module provides. None if the
    /// type is not named by a path.
    pub fn methods(&self, item: &ItemImpl) -> Vec<Target> {
        let item = self.without_aliases(item);
        let mut own = OwnType::of(&item);
        let Some(owner) = owner(&item, &mut own) else { return Vec::new() };
        let mut targets = targets(&item, &item.items, &owner);
        let provided = self.records().seen_by_trait(&item);
        let owner = Owner { params: params(&provided), ..owner };
        targets.extend(self::targets(&provided, &self.records().provided(&item), &owner));
        targets
    }
}

/// The functions among these parts of an `impl`.
fn targets(item: &ItemImpl, parts: &[ImplItem], owner: &Owner) -> Vec<Target> {
    let mut own = OwnType::of(item);
    let functions = parts.iter().filter_map(|part| match part {
        ImplItem::Fn(function) => Some(function),
        _ => None,
    });
    functions.map(|function| target(own.function(&with_generics_of(item, function)), owner)).collect()
}

/// The parameters of an `impl`, lifetimes apart.
fn params(item: &ItemImpl) -> Vec<Ident> {
    let params = item.generics.params.iter().filter_map(|param| match param {
        GenericParam::Lifetime(_) => None,
        GenericParam::Type(param) => Some(param.ident.clone()),
        GenericParam::Const(param) => Some(param.ident.clone()),
    });
    params.collect()
}

/// The type of an `impl`, if a path names it.
fn owner(item: &ItemImpl, own: &mut OwnType) -> Option<Owner> {
    let Type::Path(ty) = &*item.self_ty else { return None };
    let name = ty.path.segments.last().filter(|_| ty.qself.is_none())?.ident.clone();
    let params = params(item);
    let mut of_type = ty.path.clone();
    let is_lifetime = |argument: &GenericArgument| matches!(argument, GenericArgument::Lifetime(_));
    let is_plain = of_type.segments.iter().all(|segment| match &segment.arguments {
        PathArguments::AngleBracketed(of) => of.args.iter().all(is_lifetime),
        _ => true,
    });
    match is_plain {
        true => of_type.segments.iter_mut().for_each(|segment| segment.arguments = PathArguments::None),
        false => Elided.visit_path_mut(&mut of_type),
    }
    let path = match &item.trait_ {
        Some((path, _)) => {
            let mut path = path.clone();
            own.visit_path_mut(&mut path);
            quote!(<#of_type as #path>)
        }
        None if is_plain => quote!(#of_type),
        None => quote!(<#of_type>),
    };
    Some(Owner { name, path, params })
}

/// Lifetimes that are found by the compiler behind us.
struct Elided;

impl VisitMut for Elided {
    fn visitor(&mut self) -> &mut dyn VisitMut {
        self
    }

    fn visit_lifetime_mut(&mut self, lifetime: &mut syn::Lifetime) {
        lifetime.ident = Ident::new("_", lifetime.ident.span());
    }
}

/// The function with the parameters, the conditions and the configuration of its `impl`.
pub(super) fn with_generics_of(item: &ItemImpl, function: &ImplItemFn) -> ImplItemFn {
    let mut function = function.clone();
    let is_configuration =
        |attr: &&Attribute| ["cfg", "cfg_attr"].iter().any(|name| attr.path().is_ident(name));
    let configuration: Vec<Attribute> = item.attrs.iter().filter(is_configuration).cloned().collect();
    function.attrs.splice(0..0, configuration);
    let generics = &mut function.sig.generics;
    let mut params: Vec<GenericParam> = item.generics.params.iter().cloned().collect();
    params.extend(std::mem::take(&mut generics.params));
    params.sort_by_key(|param| !matches!(param, GenericParam::Lifetime(_)));
    generics.params = params.into_iter().collect();
    if let Some(clause) = &item.generics.where_clause {
        generics.make_where_clause().predicates.extend(clause.predicates.iter().cloned());
    }
    function
}

/// A free function as a target: callers know the receiver as `this`.
fn target(mut item: ItemFn, owner: &Owner) -> Target {
    let tokens = item.sig.to_token_stream();
    let receiver = match item.sig.inputs.first_mut() {
        Some(FnArg::Typed(arg)) => match &mut *arg.pat {
            Pat::Ident(pat) if pat.ident == "self" => {
                pat.ident = hygiene::fresh_at("this", pat.ident.span(), tokens);
                Some(pat.ident.clone())
            }
            _ => None,
        },
        _ => None,
    };
    Target {
        item,
        owner: Some(owner.clone()),
        receiver,
        instance: None,
        functions: Vec::new(),
        types: Vec::new(),
    }
}
