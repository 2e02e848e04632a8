//! Type parameters that stand for structs, enums, tuples and arrays, which the option `with` names, and const
//! parameters whose numbers it names.
//!
//! ```text
//! #[differentiate(with(B = CatmullRom))]
//! fn spline<B: Basis>(x: f64, knots: &[f64]) -> f64 { … B::MATRIX … }
//!
//! fn spline(x: f64, knots: &[f64]) -> f64 { … B::MATRIX … }     // `B` is `CatmullRom`; called: `spline::<CatmullRom>`
//!
//! #[differentiate(with(at = Polar<f64>))]
//! fn harmonic(l: u32, at: &impl Coordinates) -> f64 { … }       // `at` is a `&Polar<f64>`
//! ```
//!
//! Legal because rustc checks the call of the function with that type, bounds included.

use super::display::tidy_type;
use super::fill_types::fill_types;
use super::generic_structs::filled;
use super::instances::name_of_parameter;
use super::options::Options;
use super::records::SELF;
use super::{GivenType, Module, Target};
use crate::ir::Ty;
use crate::refusal::Refusal;
use quote::ToTokens;
use std::collections::HashMap;
use syn::spanned::Spanned;
use syn::{FnArg, GenericParam, Ident, Pat, Type, TypeParamBound};

/// The function without the type parameters that are named, each with its type in its place, and without that for which
/// `Self` stands in what a trait provides for a struct.
///
/// # Errors
///
/// Names of something else, and types that the attribute does not see.
pub fn given_types(
    named: &[(Ident, Type)],
    module: &Module,
    mut target: Target,
) -> Result<Target, Vec<Refusal>> {
    let mut refusals = Vec::new();
    let params = target.item.sig.generics.type_params();
    let own = params.filter_map(|param| match &param.default {
        Some((_, ty)) if param.ident == SELF && Ty::from_name(&tidy_type(ty)).is_none() => {
            Some((param.ident.clone(), ty.clone()))
        }
        _ => None,
    });
    let mut given: Vec<(Ident, Type)> = own.collect();
    for (name, of) in named {
        let generics = &target.item.sig.generics;
        let is_parameter = match of {
            Type::Verbatim(_) => generics.const_params().any(|param| param.ident == *name),
            _ => generics.type_params().any(|param| param.ident == *name),
        };
        match refusal(of, module) {
            _ if !is_parameter && target.behind_trait(name).is_none() => {
                refusals.push(no_parameter(name, matches!(of, Type::Verbatim(_))));
            }
            Some((why, help)) => {
                let what = format!("`{name} = {}` in `with`", tidy_type(of));
                refusals.push(Refusal::new(of.span(), what, why, help));
            }
            None => given.push((name.clone(), of.clone())),
        }
    }
    for (name, of) in given {
        if let Some(ty) = target.behind_trait(&name) {
            let bounds = take_bounds(ty, of.clone());
            target.types.push(GivenType { values: vec![name.clone()], name, of, bounds, at: None });
            continue;
        }
        target.take_parameter(&name, of.clone());
        if let Type::Verbatim(number) = &of {
            target.fill(&HashMap::from([(name.to_string(), number.clone())]));
            continue;
        }
        let of_name = |text: &Ident| (*text == name).then(|| of.clone());
        fill_types(&mut target.item, module, &of_name);
        if let Some(owner) = &mut target.owner {
            let given = HashMap::from([(name.to_string(), of.to_token_stream())]);
            owner.path = filled(std::mem::take(&mut owner.path), &given);
        }
    }
    if refusals.is_empty() { Ok(target) } else { Err(refusals) }
}

impl Options {
    /// The types and numbers that parameters of a function stand for, sizes that the item says elsewhere among them.
    pub(crate) fn types_for(&self, target: &Target) -> Vec<(Ident, Type)> {
        let mut types = self.with_types.clone();
        for (name, of) in &self.sizes {
            let is_its = |param: &GenericParam| *name == name_of_parameter(param);
            if target.item.sig.generics.params.iter().any(is_its) && types.iter().all(|(it, _)| it != name) {
                types.push((name.clone(), of.clone()));
            }
        }
        types
    }
}

impl Target {
    /// The type of a parameter that stands behind a trait: of `p: &impl Shape` it is `impl Shape`.
    fn behind_trait(&mut self, name: &Ident) -> Option<&mut Type> {
        self.item.sig.inputs.iter_mut().find_map(|arg| match arg {
            FnArg::Typed(arg) => match &*arg.pat {
                Pat::Ident(pat) if pat.ident == *name => behind_trait(&mut arg.ty),
                _ => None,
            },
            FnArg::Receiver(_) => None,
        })
    }
}

/// The part of a type that stands behind traits: `impl Shape` of itself and of `&impl Shape`, `dyn Shape` of
/// `&dyn Shape`.
fn behind_trait(ty: &mut Type) -> Option<&mut Type> {
    match ty {
        Type::Group(ty) => behind_trait(&mut ty.elem),
        Type::Paren(ty) => behind_trait(&mut ty.elem),
        Type::Reference(ty) => behind_trait(&mut ty.elem),
        Type::ImplTrait(_) | Type::TraitObject(_) => Some(ty),
        _ => None,
    }
}

/// Puts a type in the place of one behind traits; these traits.
fn take_bounds(ty: &mut Type, of: Type) -> Vec<TypeParamBound> {
    match std::mem::replace(ty, of) {
        Type::ImplTrait(ty) => ty.bounds.into_iter().collect(),
        Type::TraitObject(ty) => ty.bounds.into_iter().collect(),
        _ => Vec::new(),
    }
}

/// Why a type cannot be named there, and what to do.
fn refusal(of: &Type, module: &Module) -> Option<(&'static str, String)> {
    let ty = module.type_without_aliases(of);
    match &ty {
        Type::Verbatim(_) => return None,
        Type::Array(ty) => return refusal_of_part(&ty.elem, module),
        Type::Tuple(ty) => return ty.elems.iter().find_map(|part| refusal_of_part(part, module)),
        _ => {}
    }
    if let Some(number) = Ty::from_name(&super::display::tidy(&ty)) {
        return Some(("it is a number under another name", format!("write `{number}` itself")));
    }
    let Type::Path(ty) = &ty else {
        return Some(("it is no struct, enum, tuple or array", "name one".to_owned()));
    };
    let last = ty.path.segments.last()?;
    let shown = super::display::tidy(&last.ident);
    match module.record(&ty.path) {
        None if module.is_module() => Some((
            "the attribute sees no such type",
            format!(
                "write `{shown}` into the module, or `#[differentiate(export)]` before it and `uses({shown})` in the attribute of the module"
            ),
        )),
        None => Some((
            "the attribute sees no such type",
            format!(
                "write `#[differentiate(export)]` before `{shown}` and before its `impl`s, and name them in `uses(…)` here"
            ),
        )),
        Some(_) if module.template(&last.ident.to_string()).is_some() && last.arguments.is_none() => {
            Some(("it has parameters itself", format!("write them: `{shown}<f64>`")))
        }
        Some(_) => None,
    }
}

/// The same of a part of a tuple or an array, which may be a number as well.
fn refusal_of_part(ty: &Type, module: &Module) -> Option<(&'static str, String)> {
    let is_number = Ty::from_name(&tidy_type(&module.type_without_aliases(ty))).is_some();
    if is_number { None } else { refusal(ty, module) }
}

/// Refuses a name in `with` that is no parameter of the kind that is asked for.
fn no_parameter(name: &Ident, is_number: bool) -> Refusal {
    if !is_number {
        return no_type_parameter(name);
    }
    Refusal::new(
        name.span(),
        format!("`{name}` in `with` is not a const parameter"),
        "a number says what a const parameter of the function stands for",
        format!(
            "write `with(N = 3)` where the function has a parameter `const N: usize`, or remove `{name}`"
        ),
    )
}

/// Refuses a name in `with` that is no type parameter.
pub(super) fn no_type_parameter(name: &Ident) -> Refusal {
    Refusal::new(
        name.span(),
        format!("`{name}` in `with` is not a type parameter"),
        "it says what the type parameters of the function stand for",
        format!("write `with(T = f64)` where the function has a parameter `T`, or remove `{name}`"),
    )
}
