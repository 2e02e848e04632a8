//! The function as its caller sees it. Reads the signature alone, so that the stub module of a refused function
//! still has the right items.

use super::Refusals;
use super::display::tidy_type;
use super::failures;
use super::host_values::{HostLeaf, HostValue};
use super::known_crates;
use super::module::Module;
use super::options::{self, Options};
use super::param_kinds::{self, HostParam};
use super::param_types::{self, Shape};
use crate::ir::BufferId;
use crate::refusal::Refusal;
use crate::signature::{Leaf, Param, ParamKind, ResultShape, Returned, Signature, member_name};
use proc_macro2::Span;
use quote::{ToTokens, format_ident};
use std::collections::HashSet;
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{FnArg, GenericParam, Ident, ItemFn, Pat, ReturnType, Safety, Type};

/// The signature with what the lowering needs besides.
pub(super) struct Interface {
    pub(super) signature: Signature,
    pub(super) params: Vec<InterfaceParam>,
    pub(super) results: Vec<InterfaceResult>,
    /// The type of the value as it is written, if the function returns anything.
    pub(super) value: Option<Type>,
}

/// A parameter; those of [`Signature`] in the same order.
pub(super) struct InterfaceParam {
    pub(super) name: Ident,
    /// As written.
    pub(super) ty: Type,
    pub(super) host: HostParam,
    /// `mut name`
    pub(super) rebound: bool,
    pub(super) named: bool,
    pub(super) span: Span,
}

/// A member of the result.
pub(super) struct InterfaceResult {
    pub(super) ty: Type,
    pub(super) value: HostValue,
}

/// Reads the signature as far as possible.
pub(super) fn read(options: &Options, module: &Module, item: &ItemFn, refusals: &mut Refusals) -> Interface {
    qualifiers(item, refusals);
    let mut params = Vec::new();
    let mut refused = Vec::new();
    for (position, arg) in item.sig.inputs.iter().enumerate() {
        let arg = match arg {
            FnArg::Receiver(receiver) => {
                refusals.push(
                    receiver.span(),
                    "the method of an `impl` that the attribute does not see",
                    "an attribute on a method sees neither the fields of `Self` nor a place for the module of derivatives",
                    "put the attribute on a module with the type: `#[differentiate] mod m { pub struct S { … } impl S { … } }`",
                );
                continue;
            }
            FnArg::Typed(arg) => arg,
        };
        super::configured::refuse(&arg.attrs, refusals);
        let (name, rebound, named) = match &*arg.pat {
            Pat::Ident(pat) if pat.by_ref.is_none() && pat.subpat.is_none() => {
                (pat.ident.clone(), pat.mutability.is_some(), true)
            }
            other => {
                // `ref x` and `x @ y`; other patterns have a name by now
                if !matches!(other, Pat::Wild(_)) {
                    refusals.push(
                        other.span(),
                        "this pattern as a parameter",
                        "the adjoint of a parameter follows the parameter by name",
                        "give the parameter a name, and take it apart by a `let` in the body",
                    );
                }
                (format_ident!("arg{}", position, span = other.span()), false, false)
            }
        };
        match param_kinds::param(module, &name.to_string(), &arg.ty) {
            Ok(HostParam { kind: ParamKind::NdArray { .. }, .. }) if !options.features.ndarray => {
                refused.push(name.unraw().to_string());
                refusals.push(
                    arg.ty.span(),
                    format!("the type `{}`", tidy_type(&arg.ty)),
                    "arrays of `ndarray` are accepted where the feature `ndarray` of pardiff is on, and it is off",
                    "switch it on in `Cargo.toml`: `pardiff = { version = \"…\", features = [\"ndarray\"] }`",
                );
            }
            Ok(host) => {
                let (ty, span) = ((*arg.ty).clone(), arg.pat.span());
                let param = InterfaceParam { name, ty, host, rebound, named, span };
                let (active, name) = (is_active(options, &param), param.name.to_string());
                let refusal = param_kinds::refuse_lent(options, &param.host, &name, active, arg.ty.span());
                refused.extend(refusal.iter().map(|_| param.name.unraw().to_string()));
                refusals.0.extend(refusal);
                params.push(param);
            }
            Err(refusal) => {
                let refusal = switched_off(options, &arg.ty).unwrap_or(refusal);
                refused.push(name.unraw().to_string());
                if !is_refused_parameter(item, &arg.ty) {
                    refusals.0.push(refusal);
                }
            }
        }
    }
    activity_of_names(options, &params, refused, refusals);
    let mut next = 0;
    let leaves: Vec<Vec<Leaf>> = params.iter().map(|param| numbered(&param.host.value, &mut next)).collect();
    let (value, failure) = match &item.sig.output {
        ReturnType::Default => (None, None),
        ReturnType::Type(_, ty) => match failures::value_of(ty, options) {
            Some((value, failure)) => (Some(value), Some(failure)),
            None => (Some((**ty).clone()), None),
        },
    };
    let failure = failure.map(|failure| failures::nameable(failure, &item.sig.generics, refusals));
    let (result, results) = result(module, value.as_ref(), next, refusals);
    let signature = Signature {
        vis: item.vis.clone(),
        name: item.sig.ident.clone(),
        owner: None,
        module: options.module.clone().unwrap_or_else(|| item.sig.ident.clone()),
        krate: options.krate(),
        generics: conditions_on_parameters(&item.sig.generics),
        attrs: item
            .attrs
            .iter()
            .filter(|attr| ["cfg", "cfg_attr", "deprecated"].iter().any(|name| attr.path().is_ident(name)))
            .cloned()
            .collect(),
        params: params
            .iter()
            .zip(leaves)
            .map(|(param, leaves)| Param {
                name: param.name.clone(),
                ty: param.host.ty.clone(),
                kind: param.host.kind,
                vector: param.host.vector,
                leaves,
                record: param.host.value.record.clone().filter(|_| !param.host.kind.is_communicator()),
                elements: param.host.value.elements.clone(),
                active: is_active(options, param),
                product: None,
            })
            .collect(),
        borrowed: Vec::new(),
        result,
        lends: false,
        over_ranks: options.result.or(options.results),
        failure,
        consts: Vec::new(),
        called_with: Vec::new(),
        has_unnamed_types: false,
        functions: Vec::new(),
        bounds: Vec::new(),
        written: None,
    };
    refuse_products(options, &signature, refusals);
    anything_to_differentiate(item, &signature, &results, refusals);
    Interface { signature, params, results, value }
}

/// Refuses what bodies return as products where functions are asked for that are not told of variants, or that return
/// numbers alone.
fn refuse_products(options: &Options, signature: &Signature, refusals: &mut Refusals) {
    for result in signature.result.members() {
        let Some(record) = &result.record else { continue };
        let (option, why) = match (&options.cuda, options.asked.split) {
            (Some(_), _) if record.has_products() => {
                ("cuda", "results of functions on a GPU are numbers, and structs of numbers alone")
            }
            (_, true) if record.has_sum_types() && result.is_product() => {
                ("split", "a seed is of the variant that is returned, which `backward` is not told")
            }
            _ => continue,
        };
        let what = format!(
            "the return type `{}`, which holds {}, with the option `{option}`",
            tidy_type(&result.ty),
            if record.has_sum_types() { "enums or options" } else { "private numbers" }
        );
        refusals.push(result.ty.span(), what, why, "return the numbers alone");
    }
}

/// Refuses a type of a crate that is known where a feature is on.
fn switched_off(options: &Options, ty: &Type) -> Option<Refusal> {
    let names = super::hygiene::names(ty.to_token_stream());
    let mut features = names.iter().filter_map(|name| known_crates::switched_off(name, options.features));
    let feature = features.next()?;
    Some(Refusal::new(
        ty.span(),
        format!("the type `{}`", tidy_type(ty)),
        format!(
            "types of `{feature}` are known where the feature `{feature}` of pardiff is on, and it is off"
        ),
        format!(
            "switch it on in `Cargo.toml`: `pardiff = {{ version = \"…\", features = [\"{feature}\"] }}`"
        ),
    ))
}

/// The generics without conditions on other types than parameters, which hold or the function cannot be called.
fn conditions_on_parameters(generics: &syn::Generics) -> syn::Generics {
    let mut generics = generics.clone();
    let parameters: HashSet<String> = generics
        .params
        .iter()
        .map(|param| match param {
            GenericParam::Lifetime(param) => param.lifetime.ident.to_string(),
            GenericParam::Type(param) => param.ident.to_string(),
            GenericParam::Const(param) => param.ident.to_string(),
        })
        .collect();
    if let Some(clause) = &mut generics.where_clause {
        let predicates = std::mem::take(&mut clause.predicates).into_iter();
        clause.predicates = predicates
            .filter(|predicate| !super::hygiene::names(predicate.to_token_stream()).is_disjoint(&parameters))
            .collect();
    }
    generics
}

/// The buffers of a value, numbered from `next`.
fn numbered(value: &HostValue, next: &mut u32) -> Vec<Leaf> {
    let leaves = value.leaves.iter().map(|leaf| {
        *next += 1;
        let HostLeaf { elem, path, outer, of_enum, is_constant } = leaf.clone();
        Leaf { buffer: BufferId(*next - 1), elem, path, outer, of_enum, is_constant }
    });
    leaves.collect()
}

fn is_active(options: &Options, param: &InterfaceParam) -> bool {
    param.host.value.has_floats()
        && match &options.wrt {
            None => true,
            Some(wrt) => {
                param.host.kind.is_output() || wrt.iter().any(|name| name.unraw() == param.name.unraw())
            }
        }
}

/// `wrt` may name a parameter whose type was refused: that is one error, not two.
fn activity_of_names(
    options: &Options,
    params: &[InterfaceParam],
    refused: Vec<String>,
    refusals: &mut Refusals,
) {
    let names = |float: bool| -> Vec<String> {
        let those = params.iter().filter(|param| param.host.value.has_floats() == float);
        those.map(|param| param.name.unraw().to_string()).collect()
    };
    let floats = [names(true), refused].concat();
    options::check_wrt(options, &floats, &names(false), refusals);
}

fn anything_to_differentiate(
    item: &ItemFn,
    signature: &Signature,
    results: &[InterfaceResult],
    refusals: &mut Refusals,
) {
    if !refusals.0.is_empty() {
        return;
    }
    let span = item.sig.ident.span();
    if !signature.params.iter().any(|param| param.active) {
        refusals.push(
            span,
            "there is nothing to differentiate",
            "no parameter holds floats",
            "pass the floats as parameters, `x: &[f64]` or `s: f64`",
        );
    } else if !results.iter().any(|result| result.value.has_floats())
        && !signature.params.iter().any(|param| param.active && param.kind.is_output())
    {
        refusals.push(
            span,
            "there is nothing to differentiate",
            "the function neither returns a float nor has a `&mut` float parameter",
            "return the value, `-> f64`, or write it to a `y: &mut [f64]`",
        );
    }
}

fn qualifiers(item: &ItemFn, refusals: &mut Refusals) {
    let sig = &item.sig;
    if let Some(token) = &sig.asyncness {
        refusals.push(
            token.span(),
            "an `async` function",
            "a gradient is computed at once",
            "remove `async`",
        );
    }
    if let Safety::Unsafe(token) = &sig.safety {
        refusals.push(
            token.span(),
            "an `unsafe` function",
            "the generated functions are safe for every input",
            "write it without `unsafe`, with slices and checked indices",
        );
    }
    if let Some(abi) = &sig.abi {
        refusals.push(
            abi.span(),
            "a function with a foreign ABI",
            "the generated functions are ordinary Rust functions",
            "differentiate an ordinary `fn` and call it from the `extern` one",
        );
    }
    if let Some(variadic) = &sig.variadic {
        refusals.push(variadic.span(), "a variadic function", "its parameters have no names", "pass a slice");
    }
    for param in &sig.generics.params {
        if let GenericParam::Type(param) = param {
            let what = format!("the type parameter `{}`", param.ident);
            if stands_for_functions(&sig.generics, param) {
                refusals.push(
                    param.span(),
                    what,
                    "it stands for a function, and an attribute does not see which one",
                    format!(
                        "name it, `#[differentiate(with({} = path))]`, or call a nested helper `fn` by its name",
                        param.ident
                    ),
                );
                continue;
            }
            refusals.push(
                param.span(),
                what,
                "an attribute does not see which type it stands for",
                "write `f64` or `f32` itself; one function for each type that you need",
            );
        }
    }
}

/// `F: Fn(f64) -> f64`, in front or behind `where`.
fn stands_for_functions(generics: &syn::Generics, param: &syn::TypeParam) -> bool {
    let behind = generics.where_clause.iter().flat_map(|clause| &clause.predicates);
    let behind = behind.filter_map(|predicate| match predicate {
        syn::WherePredicate::Type(of) if names(&of.bounded_ty, param) => Some(&of.bounds),
        _ => None,
    });
    param.bounds.iter().chain(behind.flatten()).any(param_types::is_function_bound)
}

/// Whether a type parameter, which was refused where it is declared, is in the type.
fn is_refused_parameter(item: &ItemFn, ty: &syn::Type) -> bool {
    let names = super::hygiene::names(ty.to_token_stream());
    item.sig.generics.type_params().any(|param| names.contains(&param.ident.to_string()))
}

fn names(ty: &syn::Type, param: &syn::TypeParam) -> bool {
    matches!(ty, syn::Type::Path(path) if path.path.is_ident(&param.ident))
}

/// The shape of the result and its leaves; buffers are numbered after the parameters.
fn result(
    module: &Module,
    value: Option<&Type>,
    first: u32,
    refusals: &mut Refusals,
) -> (ResultShape, Vec<InterfaceResult>) {
    let Some(ty) = value else { return (ResultShape::Unit, Vec::new()) };
    let mut next = first;
    let mut results = Vec::new();
    let mut add = |ty: &Type, refusals: &mut Refusals| {
        let value = returned(module, ty, refusals)?;
        let (leaves, record) = (numbered(&value, &mut next), value.record.clone());
        results.push(InterfaceResult { ty: ty.clone(), value });
        Some(Returned { ty: ty.clone(), leaves, record, product_of: None })
    };
    let shape = match peel(ty) {
        Type::Tuple(tuple) if tuple.elems.is_empty() => ResultShape::Unit,
        Type::Tuple(tuple) => {
            ResultShape::Tuple(tuple.elems.iter().filter_map(|ty| add(ty, refusals)).collect())
        }
        _ => add(ty, refusals).map_or(ResultShape::Unit, ResultShape::One),
    };
    (shape, results)
}

fn peel(ty: &Type) -> &Type {
    match ty {
        Type::Group(group) => peel(&group.elem),
        Type::Paren(paren) => peel(&paren.elem),
        other => other,
    }
}

fn returned(module: &Module, ty: &Type, refusals: &mut Refusals) -> Option<HostValue> {
    let shape = match param_types::shape(module, ty) {
        Ok(shape) => shape,
        Err(refusal) => {
            refusals.0.push(refusal);
            return None;
        }
    };
    if let Some(value) = param_types::returned(&shape, ty) {
        return Some(value);
    }
    if let Some((of, field)) = param_types::unknown(&shape) {
        let (of, field) =
            (of.name.as_ref().map_or_else(String::new, ToString::to_string), member_name(&field.member));
        refusals.push(
            ty.span(),
            format!("the return type `{}`", tidy_type(ty)),
            format!("derivatives make what they return, and the type of the field `{field}` of `{of}` is not known"),
            format!("return the numbers in it, `(f64, f64)`, or change a parameter, `&mut {of}`, instead"),
        );
        return None;
    }
    let mixed = param_types::lent(&shape).is_some_and(|it| it.record().is_some_and(|of| of.has_products()));
    let why = match mixed {
        true => {
            "vectors stand in it beside enums, options or private numbers, and a function returns one or the other"
        }
        false => {
            "a function returns numbers, arrays of constant length and structs, vectors of these, and tuples of them"
        }
    };
    let help = match shape {
        _ if mixed => format!("change a parameter, `&mut {}`, instead", tidy_type(ty)),
        Shape::Vec(_) => {
            "return the numbers one behind the other, `Vec<f64>`, or write them to a parameter `y: &mut [f64]`"
                .to_owned()
        }
        Shape::NdArray(_, rank, elem) => {
            format!("write the result to a parameter `y: &mut Array{rank}<{elem}>`")
        }
        Shape::Option(..) => {
            "return a flag beside the value, `(bool, f64)`, or what stands for `None`: `f64::NAN`".to_owned()
        }
        _ => "return `f64`, `(f64, f64)` or `[f64; N]`, or write to a parameter `y: &mut [f64]`".to_owned(),
    };
    refusals.push(ty.span(), format!("the return type `{}`", tidy_type(ty)), why, help);
    None
}
