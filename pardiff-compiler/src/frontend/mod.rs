//! Rust to IR: types, lowering, and every refusal with its span and help line.
//!
//! *Comes in*: the options of the attribute, the user's function, and the module around it if the attribute stands there. *Goes out*: a [`Program`] with one check an
//! access, the [`Signature`] that its caller sees, and the primal without marks; or all refusals of the function.
//! *Guarantees*: what is lowered computes what the function computes, bit for bit and panic for panic (overflow
//! checks as the program is built). *Never*: guesses what an attribute cannot see, or panics on any input.
//!
//! Two phases: `resolve` (names and types, a typed tree) and `emit` (the tree to IR, places and aliases to buffers).

mod alias;
mod arguments;
mod associated_types;
mod blanket_impls;
mod borrowed_params;
mod build;
mod chain;
mod communicators;
mod configured;
mod destructured_params;
mod display;
mod emit;
mod enums;
mod errors;
mod failures;
mod fill_types;
mod forwarding;
mod function_fields;
mod generic_structs;
mod given_functions;
mod given_types;
mod host_values;
mod hygiene;
mod imports;
mod infer;
mod instances;
mod integers_of_mpi;
mod interface;
pub(crate) mod known_crates;
mod length;
mod lifetimes;
pub mod linked;
mod macros_by_example;
mod marks;
mod methods;
mod module;
pub(crate) mod num_traits;
mod option_syntax;
mod options;
mod other_words;
mod over_ranks;
mod param_kinds;
mod param_types;
mod phantoms;
mod pointers;
mod products;
mod records;
mod resolve;
mod results;
mod returned_iterators;
mod returned_references;
mod returned_vectors;
mod returns;
mod rows;
mod rule;
mod std_types;
mod structs;
mod tree;
mod unchecked;
mod vector_params;

pub(crate) use arguments::change_each as change_each_argument;
pub use borrowed_params::writes_through;
pub use display::tidy_type;
pub use given_functions::{given_functions, takes_or_returns_functions};
pub use given_types::given_types;
pub use hygiene::{names as names_in, replaced};
pub use instances::{Instance, bounds_of_structs, holds_number_behind, instances};
pub use macros_by_example::{expand_in_impls, items_of_macros};
pub use marks::{strip, strip_item};
pub use module::Module;
pub(crate) use num_traits::{is_known as is_trait_of_numbers, takes_argument};
pub(crate) use option_syntax::{given_in, with_types_of_option};
pub use options::{Asked, Features, Options, is_ours};
pub(crate) use over_ranks::{refuse_options, refuse_segments};
pub(crate) use phantoms::without as without_phantoms;
pub(crate) use records::is_operator;
pub use resolve::user_function::{SeenRule, types_of_rule};
pub use results::value_and_error;
pub use returned_references::returns_argument;
pub use rule::Rule;

use crate::ir::{Cases, Program};
use crate::refusal::Refusal;
use crate::signature::{GivenFunction, Owner, Signature};
use generic_structs::{EarlyTypes, filled};
use proc_macro2::{Span, TokenStream, TokenTree};
use quote::ToTokens;
use std::collections::{HashMap, HashSet};
use syn::ext::IdentExt;
use syn::{FnArg, GenericArgument, GenericParam, Ident, ItemFn, Pat, Type, TypeParamBound, WherePredicate};

/// A function that is differentiated.
#[derive(Clone)]
pub struct Target {
    /// The function; of a method, one beside its `impl` that does the same.
    pub item: ItemFn,
    /// The type whose method it is.
    pub owner: Option<Owner>,
    /// The parameter that its body calls `self`.
    pub receiver: Option<Ident>,
    /// What its type parameters stand for, if it has some.
    pub instance: Option<Instance>,
    /// The functions that stand in the place of parameters, which it has no more.
    pub functions: Vec<GivenFunction>,
    /// What stands in the place of type parameters that it has no more.
    pub types: Vec<GivenType>,
}

/// What stands in the place of a type parameter.
#[derive(Clone)]
pub struct GivenType {
    name: Ident,
    of: Type,
    /// The traits before it.
    bounds: Vec<TypeParamBound>,
    /// The parameters of the function whose type it was, or a reference to it.
    values: Vec<Ident>,
    /// Its position where the function is called by its name; none where it stands in the path of that.
    at: Option<usize>,
}

impl GivenType {
    /// Whether it is that of a parameter `p: impl Trait`, by the name of which it is called.
    fn is_unnamed(&self) -> bool {
        self.values.contains(&self.name)
    }
}

impl Target {
    /// Takes out a type or const parameter, in whose place that type or number stands.
    fn take_parameter(&mut self, name: &Ident, of: Type) {
        let of_owner = self.owner.as_ref().map_or(0, |owner| owner.params.len());
        let sig = &mut self.item.sig;
        let is_it = |param: &GenericParam| match param {
            GenericParam::Type(param) => param.ident == *name,
            GenericParam::Const(param) => param.ident == *name,
            GenericParam::Lifetime(_) => false,
        };
        let mut counted = sig.generics.params.iter().filter(|it| !matches!(it, GenericParam::Lifetime(_)));
        let Some(at) = counted.position(is_it) else { return };
        // what stands for a size has the members of its text, whatever traits of its crate stand before it
        let bounds = match known_crates::is_size(&of) {
            true => Vec::new(),
            false => instances::bounds_of(&sig.generics, name).into_iter().cloned().collect(),
        };
        let values = sig.inputs.iter().filter_map(|arg| match arg {
            FnArg::Typed(arg) => match &*arg.pat {
                Pat::Ident(pat) if resolve::parameter_of(&sig.generics, &arg.ty)? == name => {
                    Some(pat.ident.clone())
                }
                _ => None,
            },
            FnArg::Receiver(_) => None,
        });
        let values = values.collect();
        // counted are the parameters of the function as it is written
        let as_written = |at| {
            self.types.iter().filter_map(|it| it.at).fold(at, |at, before| at + usize::from(before <= at))
        };
        let at = at.checked_sub(of_owner).map(as_written);
        if at.is_none() {
            self.owner.iter_mut().for_each(|owner| owner.params.retain(|param| param != name));
        }
        self.types.push(GivenType { name: name.clone(), of, bounds, values, at });
        self.types.sort_by_key(|given| given.at);
        let generics = &mut sig.generics;
        generics.params = std::mem::take(&mut generics.params).into_iter().filter(|it| !is_it(it)).collect();
        if let Some(clause) = &mut generics.where_clause {
            let left: HashSet<String> = generics.params.iter().map(instances::name_of_parameter).collect();
            // what is said of no other parameter is said of the type, and rustc checks it where the function is called
            let is_of_others = |it: &WherePredicate| match it {
                WherePredicate::Type(it) if *name == it.bounded_ty.to_token_stream().to_string() => false,
                it => !hygiene::names(it.to_token_stream()).is_disjoint(&left),
            };
            let predicates = std::mem::take(&mut clause.predicates).into_iter();
            clause.predicates = predicates.filter(is_of_others).collect();
        }
    }

    /// Writes others in place of names, wherever these stand.
    fn fill(&mut self, others: &HashMap<String, TokenStream>) {
        if let Ok(item) = syn::parse2(filled(self.item.to_token_stream(), others)) {
            self.item = item;
        }
        if let Some(owner) = &mut self.owner {
            owner.path = filled(std::mem::take(&mut owner.path), others);
        }
    }
}

impl From<ItemFn> for Target {
    fn from(item: ItemFn) -> Target {
        Target { item, owner: None, receiver: None, instance: None, functions: Vec::new(), types: Vec::new() }
    }
}

/// A function that was lowered.
pub struct Lowered {
    /// What it computes: where calls in which lengths are equal are simpler, a program for these as well.
    pub cases: Cases<Program>,
    /// What its caller sees.
    pub signature: Signature,
    /// Rules by hand that it calls, if second derivatives are taken.
    pub rules: Vec<SeenRule>,
}

/// Whether a function has type parameters that stand for numbers, and not for communicators.
pub fn has_type_parameters(item: &ItemFn) -> bool {
    communicators::without_parameters(item.clone()).sig.generics.type_params().next().is_some()
}

/// The refusals of one function.
#[derive(Default, Debug)]
struct Refusals(Vec<Refusal>);

impl Refusals {
    fn push(&mut self, span: Span, what: impl Into<String>, why: impl Into<String>, help: impl Into<String>) {
        self.0.push(Refusal::new(span, what, why, help));
    }

    /// Without repetitions: a helper that is inlined twice is refused once.
    fn distinct(self) -> Vec<Refusal> {
        let mut seen = Vec::new();
        let mut out = Vec::new();
        for refusal in self.0 {
            let key = (format!("{:?}", refusal.span), refusal.what.clone());
            if !seen.contains(&key) {
                seen.push(key);
                out.push(refusal);
            }
        }
        out
    }
}

/// The signature as far as it can be read, for the stub module of a function that is refused.
pub fn signature(options: &Options, item: &ItemFn) -> (Signature, Vec<Refusal>) {
    signature_in(options, &Module::default(), &item.clone().into())
}

/// The same of a function of a module.
pub fn signature_in(options: &Options, module: &Module, target: &Target) -> (Signature, Vec<Refusal>) {
    let mut refusals = Refusals::default();
    let item = communicators::without_parameters(target.item.clone());
    let lends = returned_references::lends(&item);
    let mut item = returned_references::without(destructured_params::named(module.prepared(item)));
    integers_of_mpi::written_out(&mut item, module);
    if let Some(instance) = &target.instance {
        instance.fill(module, &mut item);
    }
    let (item, borrowed) = borrowed_params::taken_apart(module, None, item);
    let options = &borrowed_params::options(options, &borrowed);
    let mut signature = interface::read(options, module, &item, &mut refusals).signature;
    (signature.owner, signature.lends) = (target.owner.clone(), lends);
    signature.borrowed = borrowed;
    (signature, refusals.distinct())
}

/// Lowers a function.
///
/// # Errors
///
/// Everything in the function that is outside the accepted language, all at once.
pub fn lower(options: &Options, item: ItemFn) -> Result<Lowered, Vec<Refusal>> {
    lower_in(options, &Module::default(), item.into())
}

/// Lowers a function of a module.
///
/// # Errors
///
/// Everything in the function, and in what it uses of the module, that is outside the accepted language.
pub fn lower_in(options: &Options, module: &Module, target: Target) -> Result<Lowered, Vec<Refusal>> {
    let Target { item, mut owner, receiver, instance, functions, types } = target;
    let item = module.prepared(communicators::without_parameters(item));
    let lends = returned_references::lends(&item);
    let mut item = returned_references::without(destructured_params::named(item));
    let integers = integers_of_mpi::written_out(&mut item, module);
    let mut refusals = Refusals::default();
    let mut called_with = called_with(&item, instance.as_ref());
    let generic = item.clone();
    if let Some(instance) = &instance {
        instance.fill(module, &mut item);
    }
    if let Some(owner) = &mut owner {
        // those of the type come first, and its path has them
        called_with.drain(..owner.params.len().min(called_with.len()));
        if let Some(instance) = &instance {
            owner.path = instance.filled(std::mem::take(&mut owner.path));
        }
    }
    for GivenType { of, at, .. } in &types {
        if let Some(at) = at {
            called_with.insert((*at).min(called_with.len()), GenericArgument::Type(of.clone()));
        }
    }
    let (mut borrowed, mut receiver) = (Vec::new(), receiver);
    match options.custom {
        Some(_) => item.block = call_of_itself(&item, module, &mut refusals),
        None => (item, borrowed) = borrowed_params::taken_apart(module, receiver.as_ref(), item),
    }
    if let (Some(option), Some(of)) = (&options.cuda, borrowed.first()) {
        refusals.push(
            option.span(),
            format!("`{}`, which borrows, with the option `cuda`", of.name.unraw()),
            "arguments of functions on a GPU are numbers and slices, and structs of numbers alone",
            "pass what it holds as parameters of their own, `x: &[f64]`, or remove `cuda`",
        );
    }
    receiver.take_if(|receiver| borrowed.iter().any(|of| of.name == *receiver));
    let options = &borrowed_params::options(options, &borrowed);
    if let (Some(owner), false) = (&mut owner, borrowed.is_empty()) {
        owner.path = borrowed_params::without_lifetimes(std::mem::take(&mut owner.path));
    }
    let mut interface = interface::read(options, module, &item, &mut refusals);
    interface.signature.lends = lends;
    if lends {
        returned_references::refuse_others(&interface.signature, &mut refusals);
    }
    let mut returning = None;
    if refusals.0.is_empty() && interface.signature.returns_vectors() {
        item = returned_vectors::written(item, &interface.signature);
        let written = interface::read(options, module, &item, &mut refusals);
        returning = Some(std::mem::replace(&mut interface, written).signature);
    }
    let resolved = |early| {
        let mut resolver = resolve::Resolver::new(options, module, &item, early);
        for param in &item.sig.generics.params {
            if let syn::GenericParam::Const(param) = param {
                resolver.declare_const_generic(&param.ident, &param.ty);
            }
        }
        if let Some(instance) = &instance {
            resolver.declare_instance(instance, &generic);
        }
        let params = resolver.parameters(&item, &interface);
        resolver.declare_given_types(&types);
        if let Some(receiver) = &receiver {
            resolver.call_self(receiver);
        }
        let results: Vec<Option<infer::Type>> =
            interface.results.iter().map(|result| resolver.type_of(&result.ty)).collect();
        let (body, ty, id) = resolver.function_body(&resolver.with_converted_exits(&item));
        if let Some(returned) = resolver.returned(&interface)
            && resolver.infer.unify(&returned, &ty).is_err()
        {
            let (want, have) = (resolver.infer.show(&returned), resolver.infer.show(&ty));
            resolver.refusals.push(
                item.sig.ident.span(),
                format!("the body has type `{have}`, the function returns `{want}`"),
                "both must be one type",
                "let the last expression have the return type",
            );
        }
        resolver.finish();
        resolver.refuse_replaced(&body);
        (resolver, params, results, (body, id))
    };
    let mut made = resolved(EarlyTypes::Fallback);
    if !made.0.refusals.0.is_empty() && made.0.has_early_types {
        made = resolved(EarlyTypes::Usual);
    }
    let (mut resolver, params, results, (body, id)) = made;
    refusals.0.append(&mut resolver.refusals.0);
    if !refusals.0.is_empty() {
        return Err(refusals.distinct());
    }
    let rules = resolver.seen_rules(&interface.signature.module);
    let source = emit::Source { name: &item.sig.ident, interface: &interface, params, results, body, id };
    let cases = emit::emit(&source, &resolver).map_err(Refusals::distinct)?;
    let mut signature = interface.signature;
    signature.borrowed = borrowed;
    signature.consts = needed_items(resolver.items, cases.general(), &item.sig.generics);
    signature.owner = owner;
    signature.called_with = called_with;
    signature.functions = functions;
    signature.bounds = resolver.trusted.into_iter().chain(integers).collect();
    if let Some(returning) = returning {
        let (consts, owner) = (signature.consts.clone(), signature.owner.clone());
        let (called_with, bounds) = (signature.called_with.clone(), signature.bounds.clone());
        let (functions, borrowed) = (signature.functions.clone(), signature.borrowed.clone());
        // the function's own call comes before bodies
        let written = Some(Box::new(Signature { failure: None, ..signature }));
        signature =
            Signature { consts, owner, called_with, functions, borrowed, bounds, written, ..returning };
    }
    signature.has_unnamed_types = types.iter().any(GivenType::is_unnamed);
    if let Some(of_bodies) = products::as_products(signature.of_bodies()) {
        signature.written = Some(Box::new(Signature { failure: None, written: None, ..of_bodies }));
    }
    Ok(Lowered { cases, signature, rules })
}

/// What stands between the brackets where the function is called by its name.
fn called_with(item: &ItemFn, instance: Option<&Instance>) -> Vec<syn::GenericArgument> {
    let arguments = item.sig.generics.params.iter().filter_map(|param| match param {
        syn::GenericParam::Lifetime(_) => None,
        syn::GenericParam::Const(param) => Some(&param.ident),
        syn::GenericParam::Type(param) => Some(&param.ident),
    });
    let argument = |name: &Ident| match instance.and_then(|instance| instance.of(name)) {
        Some(ty) => {
            let ty = quote::format_ident!("{}", ty.to_string(), span = name.span());
            syn::parse_quote!(#ty)
        }
        None => syn::parse_quote!(#name),
    };
    arguments.map(argument).collect()
}

/// The body of a function with a rule, which is not looked into: a call of it.
fn call_of_itself(item: &ItemFn, module: &Module, refusals: &mut Refusals) -> Box<syn::Block> {
    if !module.is_module() {
        refusals.push(
            item.sig.ident.span(),
            "`custom` on a function that stands by itself",
            "an attribute on a function sees neither its rule nor those that call it",
            "put the function, its rule and its callers into one `#[differentiate] mod m { … }`",
        );
        return item.block.clone();
    }
    let (name, args) = (
        &item.sig.ident,
        item.sig.inputs.iter().filter_map(|arg| match arg {
            syn::FnArg::Typed(arg) => Some(&arg.pat),
            syn::FnArg::Receiver(_) => None,
        }),
    );
    syn::parse2(quote::quote!({ #name(#(#args),*) })).map_or_else(|_| item.block.clone(), Box::new)
}

/// The items of the body that the program's paths need: constants that they name, directly or through each other,
/// and glob imports where a name comes from nowhere else.
fn needed_items(items: Vec<syn::Item>, program: &Program, generics: &syn::Generics) -> Vec<syn::Item> {
    let mut names: Vec<String> = Vec::new();
    for opaque in &program.opaques {
        identifiers(opaque.tokens.clone(), &mut names);
    }
    let constants: Vec<String> =
        items.iter().filter_map(|item| resolve::constant_name(item).map(ToString::to_string)).collect();
    let generics: Vec<String> = generics.const_params().map(|param| param.ident.to_string()).collect();
    let is_open = |name: &String| !constants.contains(name) && !generics.contains(name);
    let imported = program.opaques.iter().any(|opaque| !opaque.text.contains("::") && is_open(&opaque.text));
    let mut needed = vec![false; items.len()];
    loop {
        let mut changed = false;
        for (item, needed) in items.iter().zip(&mut needed) {
            let wanted = match resolve::constant_name(item) {
                Some(name) => names.contains(&name.to_string()),
                None => imported,
            };
            if wanted && !*needed {
                *needed = true;
                changed = true;
                identifiers(item.to_token_stream(), &mut names);
            }
        }
        if !changed {
            break;
        }
    }
    items.into_iter().zip(needed).filter_map(|(item, needed)| needed.then_some(item)).collect()
}

fn identifiers(tokens: TokenStream, names: &mut Vec<String>) {
    for tree in tokens {
        match tree {
            TokenTree::Ident(ident) => names.push(ident.to_string()),
            TokenTree::Group(group) => identifiers(group.stream(), names),
            _ => {}
        }
    }
}

/// The names in a path.
fn names(path: &syn::Path) -> Vec<String> {
    path.segments.iter().map(|segment| segment.ident.to_string()).collect()
}

/// Whether it is one of the words.
pub(crate) fn is_word(words: &str, name: &str) -> bool {
    words.split_whitespace().any(|word| word == name)
}
