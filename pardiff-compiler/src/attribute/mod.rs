//! The attribute: what it stands on, and what comes back when something is refused.
//!
//! *Comes in*: the tokens of the attribute and of its item. *Goes out*: the function and its gradient, or the item with
//! its errors and a module of the right signatures. *Guarantees*: the user's item comes back in every case, so that the
//! rest of the crate, and the editor, keep working. *Never*: panics.

mod bindings;
mod by_itself;
mod common_module;
mod configured;
mod instances;
mod known_crates;
mod known_macros;
mod link;
mod methods;
mod module;
mod names_taken;
mod nested;
mod nested_modules;
mod sizes;

use crate::backend::rust;
use crate::frontend::{self, Features, Module, Options, Target};
use crate::refusal::Refusal;
use crate::signature::{Param, ParamKind, ResultShape, Returned, Signature};
use link::Sources;
use proc_macro2::TokenStream;
use quote::quote;
use syn::spanned::Spanned;
use syn::{FnArg, Item, ItemFn, ItemImpl, Pat, ReturnType, Type};

/// What the attribute `#[differentiate(attr)] item` expands to; without rustc, conditions are read as they are written.
pub fn expand(attr: TokenStream, item: TokenStream) -> TokenStream {
    match parsed(&item) {
        Ok(parsed) => expanded(Features::default(), attr, &parsed, item),
        Err(refused) => refused,
    }
}

/// The same where only these features of pardiff are on, and rustc decides conditions first.
pub fn expand_with(features: Features, attr: TokenStream, item: TokenStream) -> TokenStream {
    match parsed(&item) {
        Ok(parsed) => configured::asked(&attr, &parsed, &item)
            .unwrap_or_else(|| expanded(features, attr, &parsed, item)),
        Err(refused) => refused,
    }
}

fn parsed(item: &TokenStream) -> Result<Item, TokenStream> {
    match syn::parse2::<Item>(item.clone()) {
        Ok(Item::Verbatim(_)) => {
            Err(beside(item, &[not_an_item(&syn::Error::new(item.span(), "unknown syntax"))]))
        }
        Ok(parsed) => Ok(parsed),
        Err(error) => Err(beside(item, &[not_an_item(&error)])),
    }
}

/// Goes on with an item whose conditions rustc has decided: the input of the derive `__Configured`.
pub fn configured(features: Features, holder: TokenStream) -> TokenStream {
    let Some((attr, item)) = configured::answered(holder) else { return TokenStream::new() };
    match parsed(&item) {
        Ok(parsed) => expanded(features, attr, &parsed, item),
        Err(refused) => refused,
    }
}

fn expanded(features: Features, attr: TokenStream, parsed: &Item, item: TokenStream) -> TokenStream {
    let (kept, (options, _)) = (by_itself::kept(parsed), Options::read(attr.clone()));
    if !options.uses.is_empty() {
        let krate = options.krate();
        let asked = link::asked(&quote!(#krate), &options.uses, &attr, &item);
        return quote!(#kept #asked);
    }
    let generated = by_itself::generated(features, attr, parsed, Sources::default());
    quote!(#kept #generated)
}

/// Goes on with an attribute that uses what stands elsewhere: the input of the macro `__with`, which the first answer of a
/// source is given to.
pub fn with(features: Features, input: TokenStream) -> TokenStream {
    match link::resumed(input) {
        Ok(Ok(link::Resumed { attr, item, sources })) => match syn::parse2::<Item>(item) {
            Ok(item) => by_itself::generated(features, attr, &item, sources),
            Err(error) => error.to_compile_error(),
        },
        Ok(Err(next)) => next,
        Err(refusal) => refusal.to_tokens(),
    }
}

/// The function as rustc reads it.
fn stripped(function: &ItemFn) -> ItemFn {
    let mut primal = function.clone();
    frontend::strip(&mut primal);
    primal
}

/// What is generated for a function, or a stub and everything that is refused.
fn differentiated(
    options: &Options,
    mut refusals: Vec<Refusal>,
    module: &Module,
    target: &Target,
) -> (TokenStream, Vec<Refusal>) {
    let given = frontend::given_functions(&options.with_functions, target);
    let target = match &given {
        Ok(given) => given,
        Err(more) => {
            refusals.extend(more.clone());
            target
        }
    };
    let given =
        frontend::given_types(&options.types_for(target), module, target.clone()).unwrap_or_else(|more| {
            refusals.extend(more);
            target.clone()
        });
    let target = &frontend::without_phantoms(module, given);
    if frontend::has_type_parameters(&target.item) {
        return instances::differentiated(options, refusals, module, target);
    }
    match crate::compile_in(options, module, target.clone()) {
        Ok(tokens) if refusals.is_empty() => return (tokens, refusals),
        Ok(_) => {}
        Err(more) => refusals.extend(more),
    }
    (stubbed(options, module, target), refusals)
}

/// The stub of a function that is refused.
fn stubbed(options: &Options, module: &Module, target: &Target) -> TokenStream {
    // by itself a method stands in an `impl`, where no module can
    if target.item.sig.inputs.iter().any(|arg| matches!(arg, FnArg::Receiver(_))) {
        return TokenStream::new();
    }
    let signature = stub_signature(options, module, target);
    let on_gpu = match options.cuda {
        #[cfg(feature = "cuda")]
        Some(_) if options.features.cuda => crate::gpu::emit::stub(&signature, options.asked),
        _ => crate::backend::Cuda::default(),
    };
    rust::stub(&signature, options.asked, &on_gpu)
}

/// The tokens with the errors behind them.
fn beside(tokens: &TokenStream, refusals: &[Refusal]) -> TokenStream {
    let errors = refusals.iter().map(Refusal::to_tokens);
    quote!(#tokens #(#errors)*)
}

/// The signature for a stub: parameters and results of types that were refused are taken for active ones. Which lifetime a
/// result has would follow from all parameters, of which the stub has more.
fn stub_signature(options: &Options, module: &Module, target: &Target) -> Signature {
    let (mut signature, _) = frontend::signature_in(options, module, target);
    let function = &target.item;
    let mut known = std::mem::take(&mut signature.params);
    for arg in &function.sig.inputs {
        let FnArg::Typed(arg) = arg else { continue };
        let Pat::Ident(pat) = &*arg.pat else { continue };
        let borrowed = signature.borrowed.iter().find(|of| of.name == pat.ident);
        if borrowed.is_some() || known.first().is_some_and(|param| param.name == pat.ident) {
            let count = borrowed.map_or(1, |of| of.parts.len());
            signature.params.extend(known.drain(..count.min(known.len())));
            continue;
        }
        let mutable = matches!(&*arg.ty, Type::Reference(reference) if reference.mutability.is_some());
        signature.params.push(Param {
            name: pat.ident.clone(),
            ty: module.with_lifetimes(&module.type_without_aliases(&arg.ty)),
            kind: ParamKind::Slice { mutable },
            vector: None,
            leaves: Vec::new(),
            elements: None,
            record: None,
            active: options.wrt.as_ref().is_none_or(|wrt| mutable || wrt.contains(&pat.ident)),
            product: None,
        });
    }
    signature.params.append(&mut known);
    if let (ResultShape::Unit, None, ReturnType::Type(_, ty)) =
        (&signature.result, &signature.failure, &function.sig.output)
        && !matches!(&**ty, Type::Tuple(_))
        && !frontend::returns_argument(function)
    {
        let ty = module.lasting(&module.type_without_aliases(ty));
        signature.result =
            ResultShape::One(Returned { ty, leaves: Vec::new(), record: None, product_of: None });
    }
    signature
}

fn not_a_function(item: &Item) -> Refusal {
    Refusal::new(
        item.span(),
        "`#[differentiate]` on something that is neither a function nor a module",
        "only functions have gradients",
        "put it on a free function, `#[differentiate] fn f(x: &[f64]) -> f64 { … }`, or on the module around it",
    )
}

fn impl_by_itself(item: &ItemImpl) -> Refusal {
    let of = frontend::tidy_type(&item.self_ty);
    let mut path = item.self_ty.clone();
    if let Type::Path(path) = &mut *path {
        path.path.segments.iter_mut().for_each(|segment| segment.arguments = syn::PathArguments::None);
    }
    let used = frontend::tidy_type(&path);
    Refusal::new(
        item.span(),
        "`#[differentiate]` on an `impl`",
        format!("an attribute sees only what stands behind it, and not which fields `{of}` has"),
        format!(
            "write `#[differentiate(export)]` before `{of}` and `#[differentiate(uses({used}))]` here, or put both into one module"
        ),
    )
}

fn not_an_item(error: &syn::Error) -> Refusal {
    Refusal::new(
        error.span(),
        "`#[differentiate]` on something that is not a function with a body",
        error.to_string(),
        "put it on a free function, `#[differentiate] fn f(x: &[f64]) -> f64 { … }`",
    )
}

#[cfg(test)]
mod tests;
