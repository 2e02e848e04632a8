//! Structs and enums with type and const parameters: one for each set of arguments.
//!
//! ```text
//! struct Matrix<const R: usize, const C: usize> { m: [[f64; C]; R] }
//! fn f(a: &Matrix<2, 3>, b: &Matrix<3, 3>) -> f64 { … a.times(b) … }
//! struct Matrix { m: [[f64; 3]; 2] }        struct Matrix { m: [[f64; 3]; 3] }
//! ```
//!
//! *Comes in*: a path with arguments. *Goes out*: the struct with these in place of its parameters. Where bodies name
//! such a struct, `resolve` finds its arguments from the types that meet, as rustc does.

use super::display::same_text;
use super::function_fields::is_function_parameter;
use super::module::{Module, declared};
use super::{enums, records, structs};
use crate::ir::Float;
use crate::refusal::Refusal;
use crate::signature::Record;
use crate::visit::{self, Visit};
use proc_macro2::{Group, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use syn::punctuated::Punctuated;
use syn::{
    Fields, GenericArgument, GenericParam, Generics, Item, ItemFn, Path, PathArguments, PathSegment, Type,
};

/// How many structs with parameters are in each other at most: one that is in itself with other arguments has no end.
const DEPTH: usize = 16;

/// The type arguments of structs by name and position; none where there are several.
pub(super) type UsualArguments = HashMap<(String, usize), Option<Type>>;

/// What is read of a path to a struct with parameters.
type Read = Option<Result<Rc<Record>, Refusal>>;

/// Whether there are parameters other than lifetimes.
pub(super) fn has_parameters(generics: &Generics) -> bool {
    parameters(generics).next().is_some()
}

/// The parameters, lifetimes apart.
pub(super) fn parameters(generics: &Generics) -> impl Iterator<Item = &GenericParam> {
    generics.params.iter().filter(|param| !is_lifetime(param))
}

impl Module {
    /// The struct or enum with parameters that a path names, with the arguments that are written there.
    pub(super) fn with_arguments_of(&self, path: &Path) -> Read {
        let item = self.template(&records::name_of_path(path)?.to_string())?;
        let written = path.segments.last().map(arguments_of).unwrap_or_default();
        let mut tokens: Vec<TokenStream> = written.iter().map(ToTokens::to_token_stream).collect();
        let params = generics_of(item);
        let missing = parameters(params).skip(tokens.len());
        tokens.extend(missing.filter_map(|param| match param {
            GenericParam::Type(param) => param.default.as_ref().map(|(_, ty)| ty.to_token_stream()),
            GenericParam::Const(param) => param.default.as_ref().map(|(_, value)| value.to_token_stream()),
            GenericParam::Lifetime(_) => None,
        }));
        if tokens.len() < parameters(params).count() || tokens.iter().cloned().any(is_left_open) {
            return self.with_any_arguments(path);
        }
        let written = tokens.iter().filter_map(|tokens| syn::parse2(tokens.clone()).ok());
        self.read_with(item, &tokens, written.collect())
    }

    /// The same where arguments are parameters of helpers, or follow from what the value is used for. What is asked of such
    /// a struct does not depend on them, so that each type is a number.
    pub(super) fn with_any_arguments(&self, path: &Path) -> Read {
        let item = self.template(&records::name_of_path(path)?.to_string())?;
        let any = parameters(generics_of(item)).map(|param| match param {
            GenericParam::Const(param) => param.ident.to_token_stream(),
            GenericParam::Type(param) if is_function_parameter(generics_of(item), &param.ident) => {
                quote!(fn())
            }
            _ => quote!(f64),
        });
        let written = path.segments.last().map(arguments_of).unwrap_or_default();
        self.read_with(item, &any.collect::<Vec<_>>(), written)
    }

    fn read_with(&self, item: &Item, arguments: &[TokenStream], written: Vec<GenericArgument>) -> Read {
        let special = with_arguments(item, arguments);
        let text = format!("{}<{}>", declared(item)?, quote!(#(#arguments),*));
        let (depth, is_inside) = {
            let reading = self.reading.borrow();
            (reading.len(), reading.contains(&text))
        };
        if is_inside || depth == DEPTH {
            return Some(Err(Refusal::new(
                declared(item)?.span(),
                "a struct with parameters that is in itself",
                "how many numbers are in a value is known only when the program runs",
                "keep the numbers in a vector, and which belongs to which as indices",
            )));
        }
        self.reading.borrow_mut().push(text);
        let read = match special {
            Item::Struct(item) => Some(structs::read(self, &item)),
            Item::Enum(item) => Some(enums::read(self, &item)),
            _ => None,
        };
        self.reading.borrow_mut().truncate(depth);
        Some(read?.map(|record| Rc::new(Record { arguments: written, ..(*record).clone() })))
    }

    /// The types that arguments of structs have wherever a function and what it calls name them.
    pub(super) fn usual_arguments(&self, item: &ItemFn) -> UsualArguments {
        let mut uses = Uses { module: self, open: HashSet::new(), found: HashMap::new() };
        uses.visit_signature(&item.sig);
        uses.visit_block(&item.block);
        uses.visit_named_by(item);
        uses.found
    }
}

/// The arguments of a part of a path, lifetimes apart.
pub(super) fn arguments_of(segment: &PathSegment) -> Vec<GenericArgument> {
    let PathArguments::AngleBracketed(args) = &segment.arguments else { return Vec::new() };
    let is_own = |arg: &&GenericArgument| matches!(arg, GenericArgument::Type(_) | GenericArgument::Const(_));
    args.args.iter().filter(is_own).cloned().collect()
}

/// What arguments of structs are taken for that nothing has said yet where they are needed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum EarlyTypes {
    /// `f64`, which is what rustc takes where nothing says it later either. Where something does, types do not agree.
    Fallback,
    /// What they are elsewhere in the function, or the float type of the signature.
    Usual,
}

/// The float type of a signature, which is that of structs that are made in the body if nothing else is said: where
/// they are of another type, the types in the body do not agree.
pub(super) fn float_of(item: &ItemFn) -> Float {
    let names = super::hygiene::names(item.sig.to_token_stream());
    if names.contains("f32") && !names.contains("f64") { Float::F32 } else { Float::F64 }
}

/// Finds the structs with parameters in types, with their arguments.
struct Uses<'a> {
    module: &'a Module,
    /// Parameters of the items around.
    open: HashSet<String>,
    found: UsualArguments,
}

impl Uses<'_> {
    fn visit_open(&mut self, generics: &Generics, visit: impl FnOnce(&mut Self)) {
        let names = generics.params.iter().filter_map(|param| match param {
            GenericParam::Type(param) => Some(param.ident.to_string()),
            GenericParam::Const(param) => Some(param.ident.to_string()),
            GenericParam::Lifetime(_) => None,
        });
        let outer = self.open.clone();
        self.open.extend(names);
        visit(self);
        self.open = outer;
    }

    /// What a function may call, by names alone, and what that may call.
    fn visit_named_by(&mut self, item: &ItemFn) {
        let module = self.module;
        let mut names = super::hygiene::names(item.block.to_token_stream());
        let mut seen = HashSet::new();
        loop {
            let before = seen.len();
            for (at, of_module) in module.items().iter().enumerate() {
                match of_module {
                    Item::Fn(function)
                        if names.contains(&function.sig.ident.to_string()) && seen.insert((at, 0)) =>
                    {
                        names.extend(super::hygiene::names(function.to_token_stream()));
                        self.visit_item_fn(function);
                    }
                    Item::Struct(_) | Item::Enum(_)
                        if declared(of_module).is_some_and(|name| names.contains(&name.to_string()))
                            && seen.insert((at, 0)) =>
                    {
                        self.visit_open(generics_of(of_module), |uses| uses.visit_item(of_module));
                    }
                    Item::Impl(of) => self.visit_open(&of.generics, |uses| {
                        for (position, part) in of.items.iter().enumerate() {
                            let syn::ImplItem::Fn(function) = part else { continue };
                            // operators have no names
                            let is_called =
                                names.contains(&function.sig.ident.to_string()) || of.trait_.is_some();
                            if is_called && seen.insert((at, position)) {
                                names.extend(super::hygiene::names(function.to_token_stream()));
                                uses.visit_open(&function.sig.generics, |uses| {
                                    uses.visit_signature(&function.sig);
                                    uses.visit_block(&function.block);
                                });
                            }
                        }
                    }),
                    _ => {}
                }
            }
            if seen.len() == before {
                return;
            }
        }
    }
}

impl Visit for Uses<'_> {
    fn visitor(&mut self) -> &mut dyn Visit {
        self
    }

    fn visit_item_fn(&mut self, item: &ItemFn) {
        let generics = item.sig.generics.clone();
        self.visit_open(&generics, |uses| visit::visit_item_fn(uses, item));
    }

    fn visit_path(&mut self, path: &Path) {
        visit::visit_path(self, path);
        for segment in &path.segments {
            let name = segment.ident.to_string();
            let Some(of) = self.module.template(&name) else { continue };
            let written = arguments_of(segment);
            if written.len() != parameters(generics_of(of)).count() {
                continue;
            }
            for (at, argument) in written.iter().enumerate() {
                let names = super::hygiene::names(argument.to_token_stream());
                let is_open = !names.is_disjoint(&self.open) || is_left_open(argument.to_token_stream());
                let GenericArgument::Type(ty) = argument else { continue };
                if !is_open {
                    let known = self.found.entry((name.clone(), at)).or_insert_with(|| Some(ty.clone()));
                    *known = known.take().filter(|known| same_text(known, ty));
                }
            }
        }
    }
}

/// Whether `_` stands in it for a type, and not for a lifetime alone.
fn is_left_open(tokens: TokenStream) -> bool {
    let mut is_lifetime = false;
    tokens.into_iter().any(|token| match token {
        TokenTree::Group(group) => is_left_open(group.stream()),
        TokenTree::Ident(name) => !std::mem::take(&mut is_lifetime) && name == "_",
        token => {
            is_lifetime = matches!(token, TokenTree::Punct(punct) if punct.as_char() == '\'');
            false
        }
    })
}

/// The parameters of a struct or an enum.
pub(super) fn generics_of(item: &Item) -> &Generics {
    const NONE: &Generics =
        &Generics { lt_token: None, params: Punctuated::new(), gt_token: None, where_clause: None };
    match item {
        Item::Struct(item) => &item.generics,
        Item::Enum(item) => &item.generics,
        _ => NONE,
    }
}

/// A struct or an enum with these arguments.
fn with_arguments(item: &Item, arguments: &[TokenStream]) -> Item {
    let named = named(generics_of(item), arguments);
    let fill =
        |fields: &mut Fields| *fields = parsed_fields(fields, filled(fields.to_token_stream(), &named));
    let mut special = item.clone();
    let generics = match &mut special {
        Item::Struct(of) => {
            fill(&mut of.fields);
            &mut of.generics
        }
        Item::Enum(of) => {
            of.variants.iter_mut().for_each(|variant| fill(&mut variant.fields));
            &mut of.generics
        }
        _ => return special,
    };
    let lifetimes = std::mem::take(&mut generics.params).into_iter();
    generics.params = lifetimes.filter(is_lifetime).collect();
    generics.where_clause = None;
    special
}

fn is_lifetime(param: &GenericParam) -> bool {
    matches!(param, GenericParam::Lifetime(_))
}

/// The arguments by the names of the parameters.
fn named(generics: &Generics, arguments: &[TokenStream]) -> HashMap<String, TokenStream> {
    let names = generics.params.iter().filter_map(|param| match param {
        GenericParam::Type(param) => Some(param.ident.to_string()),
        GenericParam::Const(param) => Some(param.ident.to_string()),
        GenericParam::Lifetime(_) => None,
    });
    names.zip(arguments.iter().cloned()).collect()
}

/// The tokens with arguments in place of parameters.
pub(super) fn filled(tokens: TokenStream, given: &HashMap<String, TokenStream>) -> TokenStream {
    let tokens = tokens.into_iter().map(|token| match token {
        TokenTree::Ident(name) if given.contains_key(&name.to_string()) => given[&name.to_string()].clone(),
        TokenTree::Group(group) => {
            let mut inner = Group::new(group.delimiter(), filled(group.stream(), given));
            inner.set_span(group.span());
            TokenTree::Group(inner).into()
        }
        other => other.into(),
    });
    tokens.collect()
}

fn parsed_fields(of: &Fields, fields: TokenStream) -> Fields {
    match of {
        Fields::Named(_) => syn::parse2(fields).map(Fields::Named),
        Fields::Unnamed(_) => syn::parse2(fields).map(Fields::Unnamed),
        Fields::Unit => Ok(Fields::Unit),
    }
    .unwrap_or_else(|_| of.clone())
}
