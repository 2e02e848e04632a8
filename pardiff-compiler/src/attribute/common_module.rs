//! The module for all instances of a generic function: read off the modules of the instances, whose signatures
//! differ by what a type parameter stands for, and by nothing else.

mod parameters;

use super::nested;
use crate::backend::rust;
use crate::frontend::{self, Instance, Target};
use crate::refusal::Refusal;
use parameters::{told_apart, with_names};
use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote};
use std::collections::{HashMap, HashSet};
use syn::{
    Attribute, FnArg, GenericParam, Ident, Item, ItemFn, ItemMod, ItemStruct, Pat, TypeParamBound, Visibility,
};

/// What the instances of a function have in common.
pub(super) struct Common<'a> {
    name: &'a Ident,
    target: &'a Target,
    instances: &'a [Instance],
    modules: &'a [ItemMod],
    /// The bounds that structs in the signature ask of the type parameters.
    bounds: Vec<(Ident, Vec<TypeParamBound>)>,
    /// The positions and names of the type parameters by which instances differ; the first one has the trait.
    params: Vec<(usize, &'a Ident)>,
    /// The structs in each module, with the positions among these parameters of those that their fields depend on.
    /// A struct whose fields are hidden is one for each instance.
    structs: HashMap<String, Option<Vec<usize>>>,
}

/// Where a signature stands.
#[derive(Clone, Copy)]
enum Place {
    /// In the trait, whose `Self` is the first type parameter.
    Trait,
    /// In its implementation for an instance.
    Impl(usize),
    /// Among the functions for all instances.
    Function,
}

impl<'a> Common<'a> {
    pub(super) fn of(
        name: &'a Ident,
        target: &'a Target,
        instances: &'a [Instance],
        modules: &'a [ItemMod],
        bounds: Vec<(Ident, Vec<TypeParamBound>)>,
    ) -> Result<Common<'a>, Vec<Refusal>> {
        let (params, bounds) = told_apart(instances, bounds);
        let mut common = Common { name, target, instances, modules, bounds, params, structs: HashMap::new() };
        let structs: Vec<&ItemStruct> = items(&modules[0]).filter_map(public_struct).collect();
        let names: Vec<String> = structs.iter().map(|item| item.ident.to_string()).collect();
        // a struct may hold another one
        for _ in &names {
            let depends = structs.iter().map(|item| common.depends_on(item)).collect::<Vec<_>>();
            common.structs = names.iter().cloned().zip(depends).collect();
        }
        let of_errors = modules.iter().map(|module| items(module).find(|it| is_of_errors(it)).map(text));
        let of_errors: HashSet<Option<String>> = of_errors.collect();
        match of_errors.len() {
            1 => Ok(common),
            _ => Err(vec![Refusal::new(
                target.item.sig.ident.span(),
                "an error whose type depends on a type parameter",
                "the functions for all types return the errors as they are, of one type",
                "name one type, `with(T = f64)`, or return an error that holds no `T`",
            )]),
        }
    }

    /// The parameters that the fields of a struct depend on, if they can be seen.
    fn depends_on(&self, item: &ItemStruct) -> Option<Vec<usize>> {
        item.fields.iter().all(|field| is_public(&field.vis)).then_some(())?;
        let names = frontend::names_in(self.fields(item));
        let mut found: Vec<usize> =
            (0..self.params.len()).filter(|at| names.contains(&self.params[*at].1.to_string())).collect();
        found.sort_unstable();
        Some(found)
    }

    /// The fields of a struct for all instances.
    fn fields(&self, item: &ItemStruct) -> TokenStream {
        let each = self.modules.iter().filter_map(|module| {
            let mut structs = items(module).filter_map(public_struct);
            structs.find(|other| other.ident == item.ident).map(|item| item.fields.to_token_stream())
        });
        self.general(&each.collect::<Vec<_>>(), Place::Function)
    }

    /// `<T, N>` of a struct, its type parameters and then those that are constants.
    fn given_to(
        &self,
        depends: &[usize],
        consts: &syn::Generics,
        of: &dyn Fn(usize) -> TokenStream,
    ) -> TokenStream {
        let types = depends.iter().map(|at| of(*at));
        let consts = consts.const_params().map(|param| param.ident.to_token_stream());
        let all: Vec<TokenStream> = types.chain(consts).collect();
        if all.is_empty() { quote!() } else { quote!(<#(#all),*>) }
    }

    /// The module of an instance, whose structs are those for all instances.
    fn instance(&self, at: usize) -> TokenStream {
        let module = &self.modules[at];
        let content = items(module).map(|item| {
            let of = public_struct(item);
            let depends = of.and_then(|of| self.structs.get(&of.ident.to_string())?.as_ref());
            let (Some(of), Some(depends)) = (of, depends) else { return nested::moved(quote!(#item)) };
            let doc = of.attrs.iter().filter(|attr| attr.path().is_ident("doc"));
            let type_in = |at_param| self.type_in(&self.instances[at], at_param).to_token_stream();
            let (of, generics) = (&of.ident, &of.generics);
            let given = self.given_to(depends, generics, &type_in);
            rust::respan(quote!(#(#doc)* pub type #of #generics = super::#of #given;))
        });
        let (name, doc) = (&module.ident, module.attrs.iter().filter(|attr| attr.path().is_ident("doc")));
        quote!(#(#doc)* pub mod #name { #(#content)* })
    }

    /// The modules of the instances beside the one for all.
    pub(super) fn names_of_instances(&self) -> TokenStream {
        let (name, vis, cfg) = (self.name, &self.modules[0].vis, rust::existence(&self.target.item.attrs));
        let of = self.modules.iter().map(|module| &module.ident);
        rust::respan(
            quote!(#(#cfg #[doc(inline)] #[allow(deprecated, unused_imports)] #vis use #name::#of;)*),
        )
    }

    /// The module for all instances.
    pub(super) fn module(&self) -> TokenStream {
        let first = &self.modules[0];
        let attrs = first.attrs.iter().filter(|attr| !attr.path().is_ident("doc"));
        let (vis, name, of_first, doc) = (&first.vis, self.name, &first.ident, self.documentation());
        let (mut declared, mut functions) = (TokenStream::new(), TokenStream::new());
        for item in items(first) {
            match item {
                Item::Fn(item) if is_public(&item.vis) => {
                    declared.extend(self.declared(item));
                    functions.extend(self.function(item));
                }
                Item::Struct(item) if is_public(&item.vis) => match self.structs.get(&item.ident.to_string())
                {
                    Some(Some(depends)) => functions.extend(self.structure(item, depends)),
                    _ => {
                        declared.extend(self.associated(item));
                        functions.extend(self.alias(item));
                    }
                },
                Item::Const(item) if is_public(&item.vis) => {
                    let (of, name) = (&first.ident, &item.ident);
                    functions.extend(quote!(#[doc(inline)] pub use self::#of::#name;));
                }
                item if is_of_errors(item) => functions.extend(item.to_token_stream()),
                _ => {}
            }
        }
        let others: Vec<TokenStream> =
            self.params.iter().skip(1).map(|(_, name)| self.bounded(name)).collect();
        let others = if others.is_empty() { quote!() } else { quote!(<#(#others),*>) };
        let own = HashMap::from([(self.params[0].1.to_string(), format_ident!("Self"))]);
        let above = self.bounds_of(self.params[0].1).map(|bound| with_names(bound, &own));
        let uses = (!self.bounds.is_empty()).then(|| {
            // the bounds may be of the prelude
            quote!(
                #[allow(unused_imports)]
                use super::*;
            )
        });
        let private = (!self.bounds.is_empty()).then(|| quote!(#[allow(private_bounds)]));
        let impls = (0..self.instances.len()).map(|at| self.implementation(at));
        let of_instances = (0..self.instances.len()).map(|at| self.instance(at));
        let mut sealed: Vec<Ident> = Vec::new();
        for instance in self.instances {
            let ty = self.type_in(instance, 0);
            if !sealed.contains(&ty) {
                sealed.push(ty);
            }
        }
        let of_trait = "A type that the function is differentiated for.";
        rust::respan(quote! {
            #(#attrs)*
            #[doc = #doc]
            #[allow(deprecated)]
            #vis mod #name {
                #uses
                #[allow(unused_imports)] use self::#of_first::Bodies;
                #(#of_instances)*
                #functions
                #[doc = #of_trait]
                #private
                pub trait Instance #others: sealed::Sealed #(+ #above)* { #declared }
                mod sealed {
                    pub trait Sealed: ::core::marker::Sized {}
                    #(impl Sealed for #sealed {})*
                }
                #(#impls)*
            }
        })
    }

    fn documentation(&self) -> String {
        let of = self.modules.iter().zip(self.instances);
        let of =
            of.map(|(module, instance)| format!("[`{}`]({0}), where {}", module.ident, instance.shown()));
        format!(
            "The gradient of `{}`, generated by `#[differentiate]`: {}. `PLAN` and `DECISIONS` are those of the first.",
            self.target.item.sig.ident,
            of.collect::<Vec<_>>().join(", and ")
        )
    }

    fn bounds_of(&self, name: &Ident) -> impl Iterator<Item = &TypeParamBound> {
        self.bounds.iter().filter(move |(of, _)| of == name).flat_map(|(_, bounds)| bounds)
    }

    /// `T: Num + Copy`, with what structs ask of it.
    fn bounded(&self, name: &Ident) -> TokenStream {
        let bounds: Vec<&TypeParamBound> = self.bounds_of(name).collect();
        if bounds.is_empty() { name.to_token_stream() } else { quote!(#name: #(#bounds)+*) }
    }

    /// What a type parameter stands for, by its position among those that differ.
    fn type_in(&self, instance: &Instance, at: usize) -> Ident {
        format_ident!("{}", instance.0[self.params[at].0].1.to_string())
    }

    /// `<f32>`, the type parameters but the first.
    fn arguments(&self, instance: Option<&Instance>) -> TokenStream {
        let others = (1..self.params.len()).map(|at| match instance {
            Some(instance) => self.type_in(instance, at),
            None => self.params[at].1.clone(),
        });
        let others: Vec<Ident> = others.collect();
        if others.is_empty() { quote!() } else { quote!(<#(#others),*>) }
    }

    /// `<T as Instance<U>>`
    fn qualified(&self) -> TokenStream {
        let (of, others) = (self.params[0].1, self.arguments(None));
        quote!(<#of as Instance #others>)
    }

    /// What the instances have at the same place: the tokens of the functions' parts.
    fn general(&self, parts: &[TokenStream], place: Place) -> TokenStream {
        if let Place::Impl(at) = place {
            let module = &self.modules[at].ident;
            return self.renamed(parts[at].clone(), &|name| quote!(self::#module::#name));
        }
        let parts: Vec<Vec<TokenTree>> = parts.iter().map(|it| it.clone().into_iter().collect()).collect();
        let mut generics = 0;
        let general = (0..parts[0].len()).map(|at| match &parts[0][at] {
            // those of a struct are with its name
            _ if at < generics => TokenStream::new(),
            TokenTree::Group(group) => {
                let inner = parts.iter().map(|part| match part.get(at) {
                    Some(TokenTree::Group(group)) => group.stream(),
                    _ => TokenStream::new(),
                });
                let inner: Vec<TokenStream> = inner.collect();
                let mut general = Group::new(group.delimiter(), self.general(&inner, place));
                general.set_span(group.span());
                TokenTree::Group(general).into()
            }
            TokenTree::Ident(name) => match self.structs.get(&name.to_string()) {
                Some(Some(depends)) => {
                    let is = |at: usize, c| matches!(parts[0].get(at), Some(TokenTree::Punct(it)) if it.as_char() == c);
                    let end = if is(at + 1, '<') { (at + 1..).find(|&at| is(at, '>') || at == parts[0].len()) } else { None };
                    let consts = parts[0][at + 1..end.unwrap_or(at + 1)].iter().skip(1).cloned();
                    generics = end.map_or(at + 1, |end| end + 1);
                    self.general_struct(name, depends, consts.collect(), place)
                }
                _ => self.general_name(name, &parts, at, place),
            },
            other => other.clone().into(),
        });
        general.collect()
    }

    /// `Gradient<T, N>` where an instance has `Gradient<N>`.
    fn general_struct(
        &self,
        name: &Ident,
        depends: &[usize],
        consts: TokenStream,
        place: Place,
    ) -> TokenStream {
        let types = depends.iter().map(|at| match (at, place) {
            (0, Place::Trait) => quote!(Self),
            (at, _) => self.params[*at].1.to_token_stream(),
        });
        let all: Vec<TokenStream> = types.chain((!consts.is_empty()).then_some(consts)).collect();
        if all.is_empty() { name.to_token_stream() } else { quote!(#name<#(#all),*>) }
    }

    fn general_name(&self, name: &Ident, parts: &[Vec<TokenTree>], at: usize, place: Place) -> TokenStream {
        let texts: Vec<String> =
            parts.iter().filter_map(|part| part.get(at).map(ToString::to_string)).collect();
        if texts.iter().all(|text| name == text) {
            return match place {
                _ if !self.structs.contains_key(&name.to_string()) => name.to_token_stream(),
                Place::Trait => quote!(Self::#name),
                _ => {
                    let of = self.qualified();
                    quote!(#of::#name)
                }
            };
        }
        let stands_here = |(position, _): &&(usize, &Ident)| {
            let types = self.instances.iter().map(|instance| instance.0[*position].1.to_string());
            types.eq(texts.iter().cloned())
        };
        match (self.params.iter().position(|param| stands_here(&param)), place) {
            (Some(0), Place::Trait) => quote!(Self),
            (Some(at), _) => self.params[at].1.to_token_stream(),
            (None, _) => name.to_token_stream(),
        }
    }

    /// The tokens with the structs of the module under other names.
    fn renamed(&self, tokens: TokenStream, to: &dyn Fn(&Ident) -> TokenStream) -> TokenStream {
        let renamed = tokens.into_iter().map(|token| match token {
            TokenTree::Group(group) => {
                let mut inner = Group::new(group.delimiter(), self.renamed(group.stream(), to));
                inner.set_span(group.span());
                TokenTree::Group(inner).into()
            }
            TokenTree::Ident(name) if self.structs.contains_key(&name.to_string()) => to(&name),
            other => TokenStream::from(other),
        });
        renamed.collect()
    }

    /// The function of each instance.
    fn each(&self, name: &Ident) -> Vec<&ItemFn> {
        let of = |module: &'a ItemMod| {
            items(module).find_map(|item| match item {
                Item::Fn(item) if item.sig.ident == *name => Some(item),
                _ => None,
            })
        };
        self.modules.iter().filter_map(of).collect()
    }

    /// Parameters, result and conditions of a function at a place.
    fn signature(&self, item: &ItemFn, place: Place) -> (TokenStream, TokenStream, TokenStream) {
        let each = self.each(&item.sig.ident);
        let part = |of: &dyn Fn(&ItemFn) -> TokenStream| {
            self.general(&each.iter().map(|item| of(item)).collect::<Vec<_>>(), place)
        };
        (
            part(&|item| item.sig.inputs.to_token_stream()),
            part(&|item| item.sig.output.to_token_stream()),
            part(&|item| item.sig.generics.where_clause.to_token_stream()),
        )
    }

    /// The function in the trait.
    fn declared(&self, item: &ItemFn) -> TokenStream {
        let (inputs, output, clause) = self.signature(item, Place::Trait);
        let (attrs, name, generics) = (passed_on(&item.attrs), &item.sig.ident, &item.sig.generics);
        quote!(#(#attrs)* fn #name #generics (#inputs) #output #clause;)
    }

    /// The function for all instances.
    fn function(&self, item: &ItemFn) -> TokenStream {
        let (inputs, output, clause) = self.signature(item, Place::Function);
        let (attrs, name, generics) = (passed_on(&item.attrs), &item.sig.ident, &item.sig.generics);
        let is_lifetime = |param: &&GenericParam| matches!(param, GenericParam::Lifetime(_));
        let lifetimes = generics.params.iter().filter(is_lifetime);
        let consts = generics.params.iter().filter(|param| !is_lifetime(param));
        let (of, others, bound) =
            (self.params[0].1, self.params[1..].iter().map(|(_, it)| self.bounded(it)), self.arguments(None));
        let (call, qualified) = (call(item), self.qualified());
        quote! {
            #(#attrs)*
            pub fn #name<#(#lifetimes,)* #of: Instance #bound, #(#others,)* #(#consts,)*>(#inputs) #output #clause {
                #qualified::#call
            }
        }
    }

    /// A struct for all instances.
    fn structure(&self, item: &ItemStruct, depends: &[usize]) -> TokenStream {
        let (attrs, name, consts) = (&item.attrs, &item.ident, item.generics.params.iter());
        let (types, fields) = (depends.iter().map(|at| self.bounded(self.params[*at].1)), self.fields(item));
        let attrs = attrs.iter().map(ToTokens::to_token_stream);
        let attrs = attrs.chain((!self.bounds.is_empty()).then(|| quote!(#[allow(private_bounds)])));
        let semi = matches!(item.fields, syn::Fields::Unit | syn::Fields::Unnamed(_)).then(|| quote!(;));
        quote!(#(#attrs)* pub struct #name<#(#types,)* #(#consts),*> #fields #semi)
    }

    /// The struct in the trait.
    fn associated(&self, item: &ItemStruct) -> TokenStream {
        let (name, generics) = (&item.ident, &item.generics);
        let doc = item.attrs.iter().filter(|attr| attr.path().is_ident("doc"));
        let bound = (name == "Tape").then(|| quote!(: ::core::default::Default));
        quote!(#(#doc)* type #name #generics #bound;)
    }

    /// `pub type Gradient<T> = <T as Instance>::Gradient;`
    fn alias(&self, item: &ItemStruct) -> TokenStream {
        let (name, generics, qualified) = (&item.ident, &item.generics, self.qualified());
        let doc = item.attrs.iter().filter(|attr| attr.path().is_ident("doc"));
        let (params, given) = (self.params.iter().map(|(_, it)| it), given(generics));
        let consts = generics.params.iter();
        quote!(#(#doc)* pub type #name<#(#params,)* #(#consts,)*> = #qualified::#name #given;)
    }

    /// The trait for an instance.
    fn implementation(&self, at: usize) -> TokenStream {
        let (instance, module) = (&self.instances[at], &self.modules[at]);
        let parts = items(module).filter_map(|item| match item {
            Item::Fn(item) if is_public(&item.vis) => {
                let (inputs, output, clause) = self.signature(item, Place::Impl(at));
                let (name, generics, of, call) =
                    (&item.sig.ident, &item.sig.generics, &module.ident, call(item));
                let allowed = item.attrs.iter().filter(|attr| attr.path().is_ident("deprecated"));
                let allowed = allowed.map(|_| quote!(#[allow(deprecated)]));
                Some(quote!(#(#allowed)* fn #name #generics (#inputs) #output #clause { self::#of::#call }))
            }
            Item::Struct(item) if self.structs.get(&item.ident.to_string()) == Some(&None) => {
                let (name, generics, of, given) =
                    (&item.ident, &item.generics, &module.ident, given(&item.generics));
                Some(quote!(type #name #generics = self::#of::#name #given;))
            }
            _ => None,
        });
        let (ty, arguments) = (self.type_in(instance, 0), self.arguments(Some(instance)));
        quote!(impl Instance #arguments for #ty { #(#parts)* })
    }
}

/// What is in a module.
fn items(module: &ItemMod) -> impl Iterator<Item = &Item> {
    module.content.iter().flat_map(|(_, items)| items)
}

fn public_struct(item: &Item) -> Option<&ItemStruct> {
    match item {
        Item::Struct(item) if is_public(&item.vis) => Some(item),
        _ => None,
    }
}

/// The module that names the type of the errors of a function.
fn is_of_errors(item: &Item) -> bool {
    matches!(item, Item::Mod(item) if item.ident == "beside")
}

fn text(item: &Item) -> String {
    item.to_token_stream().to_string()
}

fn is_public(vis: &Visibility) -> bool {
    matches!(vis, Visibility::Public(_))
}

/// The attributes that a function for all instances has as well.
fn passed_on(attrs: &[Attribute]) -> impl Iterator<Item = &Attribute> {
    attrs.iter().filter(|attr| ["doc", "deprecated", "allow"].iter().any(|name| attr.path().is_ident(name)))
}

/// `name::<N>(x, d_x)`
fn call(item: &ItemFn) -> TokenStream {
    let (name, given) = (&item.sig.ident, given(&item.sig.generics));
    let colons = (!given.is_empty()).then(|| quote!(::));
    let arguments = item.sig.inputs.iter().filter_map(|arg| match arg {
        FnArg::Typed(arg) => match &*arg.pat {
            Pat::Ident(pat) => Some(&pat.ident),
            _ => None,
        },
        FnArg::Receiver(_) => None,
    });
    let mut arguments = Group::new(Delimiter::Parenthesis, quote!(#(#arguments),*));
    arguments.set_span(name.span());
    quote!(#name #colons #given #arguments)
}

/// `<N, M>`, of const parameters.
fn given(generics: &syn::Generics) -> TokenStream {
    let consts: Vec<&Ident> = generics.const_params().map(|param| &param.ident).collect();
    if consts.is_empty() { quote!() } else { quote!(<#(#consts),*>) }
}
