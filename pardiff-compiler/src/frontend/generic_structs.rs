//! Structs and enums with type and const parameters, as one function has them.
//!
//! ```text
//! struct Layer<T, const N: usize> { weights: [T; N], bias: T }        impl<T: Float, const N: usize> Layer<T, N> { … }
//! fn f(layer: &Layer<f64, 3>) -> f64 { … }
//! struct Layer { weights: [f64; 3], bias: f64 }                       impl<T: Float = f64, const N: usize = 3> Layer { … }
//! ```
//!
//! *Comes in*: the items of the module, and a function whose own type parameters are written out. *Goes out*: the
//! module as that function sees it, in which such a struct is one for the arguments that it has in the signature;
//! what an `impl` has as parameters, its functions have, with these arguments as defaults. *Guarantees*: a struct
//! with several sets of arguments in one function is refused.

use super::display::tidy;
use super::module::{Module, declared};
use crate::refusal::Refusal;
use crate::visit::{self, Visit};
use proc_macro2::{Group, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use std::collections::{HashMap, HashSet};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{
    Expr, Fields, GenericArgument, GenericParam, Generics, Item, ItemFn, ItemImpl, Path, PathArguments, Type,
};

/// The arguments of structs, by their names.
pub(super) type Given = HashMap<String, Vec<TokenStream>>;

/// The same of const parameters alone: there is none at the place of a type.
pub(super) type ConstArguments = HashMap<String, Vec<Option<ConstArgument>>>;

/// What a const parameter of a struct is.
#[derive(Clone)]
pub(super) struct ConstArgument {
    pub(super) ty: Type,
    pub(super) value: Expr,
}

/// Whether there are parameters other than lifetimes.
pub(super) fn has_parameters(generics: &Generics) -> bool {
    generics.type_params().next().is_some() || generics.const_params().next().is_some()
}

impl Module {
    /// The module as a function sees it, if there are structs with parameters in its signature.
    ///
    /// # Errors
    ///
    /// A struct with several sets of arguments.
    pub(super) fn as_seen_by(&self, item: &ItemFn) -> Result<Option<Module>, Refusal> {
        let structs: HashMap<String, &Item> = self.structs().collect();
        if !structs.values().any(|it| has_parameters(generics_of(it))) {
            return Ok(None);
        }
        let mut uses = Uses { structs: &structs, open: HashSet::new(), found: Vec::new() };
        uses.visit_signature(&item.sig);
        uses.visit_block(&item.block);
        let mut given = Given::new();
        uses.with_fields(0, &mut given);
        let (of_function, named) = (uses.found.len(), uses.visit_named_by(item, self.items()));
        for (name, arguments, span) in &uses.found {
            let Some(known) = given.get(name) else { continue };
            if !same(known, arguments) {
                return Err(several(name, known, arguments, *span));
            }
        }
        // those of what is called, and those that are made in bodies alone
        let is_one = |name: &str, found: &[Found]| {
            let mut all = found.iter().filter(|(of, ..)| of == name).map(|(_, arguments, _)| arguments);
            let first = all.next();
            first.is_some_and(|first| all.all(|other| same(first, other)))
        };
        let called: Vec<Found> = uses.found.split_off(of_function);
        uses.found.extend(called.iter().filter(|(name, ..)| is_one(name, &called)).cloned());
        uses.with_fields(of_function, &mut given);
        let float = float_of(item);
        for (name, of) in structs.iter().filter(|(name, _)| named.contains(*name)) {
            let is_known = given.contains_key(name) || called.iter().any(|(of, ..)| of == name);
            let generics = generics_of(of);
            if !is_known && generics.const_params().next().is_none() {
                let arguments = generics.type_params().map(|_| float.clone()).collect();
                uses.found.push((name.clone(), arguments, Span::call_site()));
            }
        }
        uses.with_fields(of_function, &mut given);
        given.retain(|_, arguments| !arguments.is_empty());
        if given.is_empty() {
            return Ok(None);
        }
        let items = self.items().iter().filter_map(|item| specialised(item, &given));
        let mut seen = Module::read(&items.collect::<Vec<_>>());
        for (name, arguments) in &given {
            let params = generics_of(structs[name]).params.iter().filter(|param| !is_lifetime(param));
            let consts = params.zip(arguments).map(|(param, argument)| match param {
                GenericParam::Const(param) => {
                    let value = syn::parse2(argument.clone()).ok()?;
                    Some(ConstArgument { ty: param.ty.clone(), value })
                }
                _ => None,
            });
            seen.const_arguments.insert(name.clone(), consts.collect());
        }
        seen.const_arguments.retain(|_, arguments| arguments.iter().any(Option::is_some));
        seen.struct_arguments = given;
        Ok(Some(seen))
    }

    fn structs(&self) -> impl Iterator<Item = (String, &Item)> {
        self.items().iter().filter_map(|item| Some((declared(item)?.to_string(), item)))
    }
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

/// The float type of a signature, which is that of structs that are made in the body if nothing else is said: where
/// they are of another type, the types in the body do not agree.
fn float_of(item: &ItemFn) -> TokenStream {
    let names = super::hygiene::names(item.sig.to_token_stream());
    if names.contains("f32") && !names.contains("f64") { quote!(f32) } else { quote!(f64) }
}

fn same(a: &[TokenStream], b: &[TokenStream]) -> bool {
    a.iter().map(ToString::to_string).eq(b.iter().map(ToString::to_string))
}

fn several(name: &str, known: &[TokenStream], other: &[TokenStream], span: Span) -> Refusal {
    let shown = |list: &[TokenStream]| list.iter().map(tidy).collect::<Vec<_>>().join(", ");
    Refusal::new(
        span,
        format!("`{name}<{}>` beside `{name}<{}>`", shown(other), shown(known)),
        "a struct with parameters has one set of arguments in a module and the signature that is differentiated",
        "write a struct for each, or move the functions of one of them to a module of their own",
    )
}

/// Finds the structs of the module in types, with their arguments.
struct Uses<'a> {
    structs: &'a HashMap<String, &'a Item>,
    /// Parameters of the items around.
    open: HashSet<String>,
    found: Vec<Found>,
}

/// The name of a struct, its arguments, and where they are written.
type Found = (String, Vec<TokenStream>, Span);

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
}

impl Uses<'_> {
    /// Gives the structs that were found from a position on their arguments, and those in their fields.
    fn with_fields(&mut self, mut at: usize, given: &mut Given) {
        let structs = self.structs;
        while let Some((name, arguments, _)) = self.found.get(at).cloned() {
            at += 1;
            let Some(of) = structs.get(&name).filter(|_| !given.contains_key(&name)) else { continue };
            let of = with_arguments(of, &arguments);
            given.insert(name, arguments);
            self.visit_item(&of);
        }
    }

    /// What a function may call, by names alone, and what that may call; the names.
    fn visit_named_by(&mut self, item: &ItemFn, items: &[Item]) -> HashSet<String> {
        let mut names = super::hygiene::names(item.block.to_token_stream());
        let mut seen = HashSet::new();
        loop {
            let before = seen.len();
            for (at, of_module) in items.iter().enumerate() {
                match of_module {
                    Item::Fn(function)
                        if names.contains(&function.sig.ident.to_string()) && seen.insert((at, 0)) =>
                    {
                        names.extend(super::hygiene::names(function.to_token_stream()));
                        self.visit_item_fn(function);
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
                return names;
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
            let Some(of) = self.structs.get(&name) else { continue };
            let arguments = match &segment.arguments {
                PathArguments::AngleBracketed(args) => arguments(args),
                _ => Vec::new(),
            };
            let generics = generics_of(of);
            let count = generics.type_params().count() + generics.const_params().count();
            let is_open = arguments.iter().any(|it| {
                let names = super::hygiene::names(it.clone());
                !names.is_disjoint(&self.open) || names.contains("_")
            });
            if arguments.len() == count && !is_open {
                self.found.push((name, arguments, path.span()));
            }
        }
    }
}

/// The types and constants between brackets.
pub(super) fn arguments(args: &syn::AngleBracketedGenericArguments) -> Vec<TokenStream> {
    let arguments = args.args.iter().filter_map(|arg| match arg {
        GenericArgument::Type(ty) => Some(ty.to_token_stream()),
        GenericArgument::Const(value) => Some(value.to_token_stream()),
        _ => None,
    });
    arguments.collect()
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

/// An item of the module; nothing where it is an `impl` for other arguments.
fn specialised(item: &Item, given: &Given) -> Option<Item> {
    match item {
        Item::Struct(_) | Item::Enum(_) => {
            let arguments = declared(item).and_then(|name| given.get(&name.to_string()));
            Some(arguments.map_or_else(|| item.clone(), |arguments| with_arguments(item, arguments)))
        }
        Item::Impl(of) => match specialised_impl(of, given) {
            Some(of) => of.map(Item::Impl),
            None => Some(item.clone()),
        },
        Item::Fn(of) => Some(Item::Fn(specialised_function(of, given))),
        item => Some(item.clone()),
    }
}

/// A function with the arguments of structs in its signature as defaults of its parameters: what is left of such a
/// struct says nothing of these.
fn specialised_function(of: &ItemFn, given: &Given) -> ItemFn {
    /// The parameters that are arguments of structs, with what these have.
    struct Find<'a>(&'a Given, HashMap<String, TokenStream>);
    impl Visit for Find<'_> {
        fn visitor(&mut self) -> &mut dyn Visit {
            self
        }

        fn visit_path(&mut self, path: &Path) {
            visit::visit_path(self, path);
            let Some(last) = path.segments.last() else { return };
            let (Some(known), PathArguments::AngleBracketed(args)) =
                (self.0.get(&last.ident.to_string()), &last.arguments)
            else {
                return;
            };
            let pairs = arguments(args).into_iter().zip(known);
            self.1.extend(pairs.map(|(argument, known)| (argument.to_string(), known.clone())));
        }
    }
    let mut find = Find(given, HashMap::new());
    find.visit_signature(&of.sig);
    let mut special = of.clone();
    for param in special.sig.generics.type_params_mut() {
        let known = find.1.get(&param.ident.to_string());
        let ty: Option<Type> = known.and_then(|known| syn::parse2(known.clone()).ok());
        param.default = ty.map(|ty| (Default::default(), ty));
    }
    special
}

/// An `impl` with the arguments of its struct as defaults; an inner `None` if it is for other arguments, an outer
/// one if it is of something else.
fn specialised_impl(of: &ItemImpl, given: &Given) -> Option<Option<ItemImpl>> {
    let own = match &*of.self_ty {
        Type::Reference(reference) => &reference.elem,
        own => own,
    };
    let Type::Path(own) = own else { return None };
    let segment = own.path.segments.last()?;
    let known = given.get(&segment.ident.to_string())?;
    let PathArguments::AngleBracketed(args) = &segment.arguments else { return None };
    let mut special = of.clone();
    let mut seen: HashMap<String, String> = HashMap::new();
    for (argument, known) in arguments(args).iter().zip(known) {
        // `impl<const N: usize> Matrix<N, N>` is for no `Matrix<2, 3>`
        let first = seen.entry(argument.to_string()).or_insert_with(|| known.to_string());
        if *first != known.to_string() {
            return Some(None);
        }
        let param = special.generics.params.iter_mut().find(|param| match param {
            GenericParam::Type(param) => param.ident == argument.to_string(),
            GenericParam::Const(param) => param.ident == argument.to_string(),
            GenericParam::Lifetime(_) => false,
        });
        match param {
            Some(GenericParam::Type(param)) => {
                let ty: Option<Type> = syn::parse2(known.clone()).ok();
                param.default = ty.map(|ty| (Default::default(), ty));
            }
            Some(GenericParam::Const(param)) => {
                let value: Option<Expr> = syn::parse2(known.clone()).ok();
                param.default = value.map(|value| (Default::default(), value));
            }
            _ if argument.to_string() == known.to_string() => {}
            _ => return Some(None),
        }
    }
    Some(Some(special))
}
