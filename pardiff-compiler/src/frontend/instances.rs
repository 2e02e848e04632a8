//! Generic functions as they are differentiated: once for each choice of types that their parameters may stand for.
//!
//! ```text
//! fn norm<T: Float>(x: &[T]) -> T { … T::zero() … }
//! fn norm(x: &[f64]) -> f64 { … T::zero() … }           where `T` is `f64`
//! ```
//!
//! *Comes in*: a function with type parameters, and the types that `with(…)` names. *Goes out*: instances of it, in
//! each of which every written type is one that the rest of the front end knows. The paths of a parameter,
//! `T::zero()`, stay for `resolve/num_traits`. *Guarantees*: each instance meets the bounds, or the function itself
//! could not be called.

use super::Refusals;
use super::display::{same_text, tidy};
use super::fill_types::fill_types;
use super::given_types;
use super::linked;
use super::module::Module;
use super::num_traits;
use super::options::{Options, With};
use super::param_types;
use crate::ir::{Int, Ty};
use crate::refusal::Refusal;
use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident};
use syn::spanned::Spanned;
use syn::{
    GenericArgument, GenericParam, Generics, Ident, ItemFn, PathArguments, Signature, Type, TypeParamBound,
};

/// What the type parameters of a function stand for, in order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Instance(pub Vec<(Ident, Ty)>);

impl Instance {
    /// The end of a name of its own: `f64_f32`
    pub fn suffix(&self) -> String {
        self.0.iter().map(|(_, ty)| ty.to_string()).collect::<Vec<_>>().join("_")
    }

    /// `T` is `f32`
    pub fn shown(&self) -> String {
        self.0.iter().map(|(name, ty)| format!("`{name}` is `{ty}`")).collect::<Vec<_>>().join(" and ")
    }

    /// The type that a parameter stands for.
    pub(super) fn of(&self, name: &Ident) -> Option<Ty> {
        self.0.iter().find(|(of, _)| of == name).map(|(_, ty)| *ty)
    }

    /// What a type is, if it is a parameter.
    fn of_type(&self, ty: &Type) -> Option<Ty> {
        match ty {
            Type::Path(path) => path.path.get_ident().and_then(|name| self.of(name)),
            _ => None,
        }
    }

    /// The tokens with the types in place of the parameters.
    pub(super) fn filled(&self, tokens: TokenStream) -> TokenStream {
        let name = |ty: &Ty| format_ident!("{}", ty.to_string()).into_token_stream();
        let types = self.0.iter().map(|(param, ty)| (param.to_string(), name(ty)));
        super::hygiene::replaced(tokens, &types.collect())
    }

    /// Writes the types in place of the parameters, which are parameters no more.
    pub(super) fn fill(&self, module: &Module, item: &mut ItemFn) {
        let is_other = |param: &GenericParam| matches!(param, GenericParam::Type(param) if self.of(&param.ident).is_some());
        let generics = &mut item.sig.generics;
        generics.params =
            std::mem::take(&mut generics.params).into_iter().filter(|it| !is_other(it)).collect();
        if let Some(clause) = &mut generics.where_clause {
            let is_of_ours = |predicate: &syn::WherePredicate| {
                let names = super::hygiene::names(predicate.to_token_stream());
                self.0.iter().any(|(name, _)| names.contains(&name.to_string()))
            };
            clause.predicates =
                std::mem::take(&mut clause.predicates).into_iter().filter(|it| !is_of_ours(it)).collect();
        }
        if generics.params.is_empty() {
            (generics.lt_token, generics.gt_token) = (None, None);
        }
        if generics.where_clause.as_ref().is_some_and(|clause| clause.predicates.is_empty()) {
            generics.where_clause = None;
        }
        fill_types(item, module, &|name| {
            let of = format_ident!("{}", self.of(name)?.to_string(), span = name.span());
            Some(syn::parse_quote!(#of))
        });
    }
}

/// The instances of a function: none where it has no type parameters.
///
/// # Errors
///
/// Parameters that stand for no number, bounds that are not known, and types that do not meet them.
pub fn instances(options: &Options, module: &Module, item: &ItemFn) -> Result<Vec<Instance>, Vec<Refusal>> {
    let mut refusals = Refusals::default();
    let generics = &item.sig.generics;
    for with in &options.with {
        if !generics.type_params().any(|param| param.ident == with.param) {
            refusals.0.push(given_types::no_type_parameter(&with.param));
        }
    }
    let mut instances = vec![Instance(Vec::new())];
    for param in generics.type_params() {
        let types = types_of(options, module, &item.sig, param, &mut refusals);
        let each = |instance: Instance| {
            let longer = types.iter().map(move |ty| {
                let mut instance = instance.clone();
                instance.0.push((param.ident.clone(), *ty));
                instance
            });
            longer.collect::<Vec<_>>()
        };
        instances = instances.into_iter().flat_map(each).collect();
    }
    // a type in `with` that is no number is refused where the option is read
    if !refusals.0.is_empty() || options.with.iter().any(|with| with.types.is_empty()) {
        return Err(refusals.distinct());
    }
    instances.retain(|instance| !instance.0.is_empty());
    let (all, fitting): (_, Vec<Instance>) =
        (instances.clone(), instances.into_iter().filter(|it| are_met(module, generics, it)).collect());
    Ok(if fitting.is_empty() { all } else { fitting })
}

/// Whether types meet the bounds that hold between parameters: the operands of an operator of floats have one type,
/// `C: Mul<T, Output = T>`, and a trait of the module has an `impl` for them, `P: Interpolate<F>`.
fn are_met(module: &Module, generics: &Generics, instance: &Instance) -> bool {
    instance.0.iter().all(|(name, own)| {
        bounds_of(generics, name).into_iter().all(|bound| {
            let TypeParamBound::Trait(bound) = bound else { return true };
            let Some(last) = bound.path.segments.last() else { return true };
            let PathArguments::AngleBracketed(args) = &last.arguments else { return true };
            let is_operator = super::is_word(
                "Add AddAssign Div DivAssign Mul MulAssign Rem RemAssign Sub SubAssign",
                &last.ident.to_string(),
            );
            if !is_operator {
                return has_impl(module, &last.ident, *own, args, instance);
            }
            args.args.iter().all(|arg| match arg {
                GenericArgument::Type(ty) => instance.of_type(ty).is_none_or(|ty| ty == *own),
                GenericArgument::AssocType(output) => {
                    instance.of_type(&output.ty).is_none_or(|ty| ty == *own)
                }
                _ => true,
            })
        })
    })
}

/// Whether one of the `impl`s of a trait of the module, if it has any, is for these types.
fn has_impl(
    module: &Module,
    name: &Ident,
    own: Ty,
    args: &syn::AngleBracketedGenericArguments,
    instance: &Instance,
) -> bool {
    let given: Vec<Option<Ty>> = types_in(args).map(|ty| instance.of_type(ty)).collect();
    let impls = module.items().iter().filter_map(|item| match item {
        syn::Item::Impl(item) => {
            let last = item.trait_.as_ref()?.0.segments.last()?;
            (last.ident == *name).then_some((item, &last.arguments))
        }
        _ => None,
    });
    let is_for = |(item, written): (&syn::ItemImpl, &PathArguments)| {
        let mut instance = Instance(Vec::new());
        let mut fits =
            |ty: &Type, of: Ty| match item.generics.type_params().find(|it| is_named(ty, &it.ident)) {
                Some(param) => {
                    let known = instance.of(&param.ident);
                    instance.0.push((param.ident.clone(), of));
                    known.is_none_or(|known| known == of)
                }
                None => Ty::from_name(&tidy(ty)) == Some(of),
            };
        let fits = match written {
            _ if !fits(&item.self_ty, own) => false,
            PathArguments::AngleBracketed(written) => {
                types_in(written).zip(&given).all(|(ty, of)| of.is_none_or(|of| fits(ty, of)))
            }
            _ => true,
        };
        fits && are_met(module, &item.generics, &instance)
    };
    let mut impls = impls.peekable();
    impls.peek().is_none() || impls.any(is_for)
}

fn types_in(args: &syn::AngleBracketedGenericArguments) -> impl Iterator<Item = &Type> {
    args.args.iter().filter_map(|arg| match arg {
        GenericArgument::Type(ty) => Some(ty),
        _ => None,
    })
}

fn is_named(ty: &Type, name: &Ident) -> bool {
    matches!(ty, Type::Path(path) if path.path.is_ident(name))
}

/// The bounds of the parameters of a function, where a struct or an enum in its signature asks them of its own:
/// `struct Point<T: Num>`.
pub fn bounds_of_structs(module: &Module, item: &ItemFn) -> Vec<(Ident, Vec<TypeParamBound>)> {
    let named = super::hygiene::names(item.sig.to_token_stream());
    let asks = |of: &syn::Item| {
        let (name, generics) = match of {
            syn::Item::Struct(of) => (&of.ident, &of.generics),
            syn::Item::Enum(of) => (&of.ident, &of.generics),
            _ => return false,
        };
        let has_bounds = generics.type_params().any(|param| !param.bounds.is_empty());
        named.contains(&name.to_string()) && (has_bounds || generics.where_clause.is_some())
    };
    if !module.items().iter().any(asks) {
        return Vec::new();
    }
    let generics = &item.sig.generics;
    let bounds = generics.type_params().map(|param| {
        let of = bounds_of(generics, &param.ident).into_iter();
        (param.ident.clone(), of.filter(|bound| num_traits::name_of(bound).is_some()).cloned().collect())
    });
    bounds.collect()
}

/// The types that a parameter stands for.
fn types_of(
    options: &Options,
    module: &Module,
    sig: &Signature,
    param: &syn::TypeParam,
    refusals: &mut Refusals,
) -> Vec<Ty> {
    let (name, of, generics) = (&param.ident, &sig.ident, &sig.generics);
    let what = format!("the type parameter `{name}`");
    let bounds = bounds_of(generics, name);
    if bounds.iter().any(|bound| param_types::is_function_bound(bound)) {
        refusals.push(
            param.span(),
            what,
            "it stands for a function, and an attribute does not see which one",
            format!(
                "name it, `#[differentiate(with({name} = path))]`, or put `{of}` into a \
                 `#[differentiate] mod m {{ … }}`, and beside it a function for each: `pub fn {of}_of_squares(x: f64) -> f64 {{ {of}(|t| t * t, x) }}`"
            ),
        );
        return Vec::new();
    }
    let given = options.with.iter().find(|with| with.param == *name);
    let before = refusals.0.len();
    for bound in &bounds {
        known(options, module, name, bound, 0, refusals);
    }
    if refusals.0.len() > before {
        return Vec::new();
    }
    let fits = |ty: &Ty| {
        bounds.iter().all(|bound| converts(bound, *ty) && is_seen_of(module, bound, *ty))
            && is_source(generics, name, *ty)
    };
    match given {
        Some(With { types, .. }) => {
            let is_other = |ty: Ty| ty.is_float() && options.float.is_some_and(|float| float != ty);
            for (ty, span) in types.iter().filter(|(ty, _)| is_other(*ty)) {
                refusals.push(
                    *span,
                    format!("`{name} = {ty}` in `with`"),
                    "types of known crates that have type parameters have one float in an item",
                    "name one float, and write a function for the other",
                );
            }
            for (ty, span) in types.iter().filter(|(ty, _)| !fits(ty)) {
                refusals.push(
                    *span,
                    format!("`{name} = {ty}` in `with`"),
                    format!("`{ty}` does not meet the bounds of `{name}`"),
                    "name a type that the function may be called with",
                );
            }
            types.iter().map(|(ty, _)| *ty).collect()
        }
        // what an `impl` for a number has of its trait
        None if param.default.is_some() => {
            let of = param.default.as_ref().map(|(_, ty)| ty.to_token_stream().to_string());
            of.and_then(|of| Ty::from_name(&of)).into_iter().collect()
        }
        None => {
            let is_one = |ty: &Ty| options.float.is_none_or(|float| float == *ty);
            let types: Vec<Ty> = [Ty::F64, Ty::F32].into_iter().filter(fits).filter(is_one).collect();
            if types.is_empty() {
                let structs = module.records().structs_behind(bounds.clone());
                let example = structs.first().map_or("usize".to_owned(), |of| linked::plain(of));
                refusals.push(
                    param.span(),
                    what,
                    "neither `f64` nor `f32` meets its bounds",
                    format!(
                        "write the type itself, or name it: `#[differentiate(with({name} = {example}))]`"
                    ),
                );
            }
            types
        }
    }
}

/// The name of a parameter.
pub(super) fn name_of_parameter(param: &GenericParam) -> String {
    match param {
        GenericParam::Type(param) => param.ident.to_string(),
        GenericParam::Const(param) => param.ident.to_string(),
        GenericParam::Lifetime(param) => param.lifetime.ident.to_string(),
    }
}

/// The bounds of a parameter, before and after `where`.
pub(super) fn bounds_of<'a>(generics: &'a Generics, name: &Ident) -> Vec<&'a TypeParamBound> {
    let declared =
        generics.type_params().filter(|param| param.ident == *name).flat_map(|param| &param.bounds);
    let clauses = generics.where_clause.iter().flat_map(|clause| &clause.predicates);
    let of_clauses = clauses.filter_map(|predicate| match predicate {
        syn::WherePredicate::Type(of) => match &of.bounded_ty {
            Type::Path(path) if path.path.is_ident(name) => Some(&of.bounds),
            _ => None,
        },
        _ => None,
    });
    declared.chain(of_clauses.flatten()).collect()
}

/// The bounds of the parameters of a function.
pub(super) fn all_bounds(generics: &Generics) -> Vec<TypeParamBound> {
    generics.type_params().flat_map(|param| bounds_of(generics, &param.ident)).cloned().collect()
}

/// These bounds, and those above them in the module.
pub(super) fn with_those_above(module: &Module, mut bounds: Vec<TypeParamBound>) -> Vec<TypeParamBound> {
    let mut at = 0;
    while let Some(bound) = bounds.get(at) {
        let item = num_traits::name_of(bound).and_then(|name| module.records().trait_(&name));
        let above = item.into_iter().flat_map(|item| &item.supertraits);
        let above: Vec<TypeParamBound> =
            above.filter(|above| !bounds.iter().any(|it| same_text(it, *above))).cloned().collect();
        bounds.extend(above);
        at += 1;
    }
    bounds
}

/// Whether a type parameter that may stand for a number is in a type.
pub fn holds_number_behind(generics: &Generics, ty: &Type) -> bool {
    let names = super::hygiene::names(ty.to_token_stream());
    generics.type_params().any(|param| {
        let mut bounds = bounds_of(generics, &param.ident).into_iter();
        let is_other = |bound: &TypeParamBound| {
            let is_integer = num_traits::name_of(bound).is_some_and(|name| num_traits::is_of_integers(&name));
            is_integer || param_types::is_function_bound(bound)
        };
        names.contains(&param.ident.to_string()) && !bounds.any(is_other)
    })
}

/// Refuses a bound where it is not known which numbers meet it.
fn known(
    options: &Options,
    module: &Module,
    param: &Ident,
    bound: &TypeParamBound,
    depth: usize,
    refusals: &mut Refusals,
) {
    let TypeParamBound::Trait(written) = bound else { return };
    let Some(name) = num_traits::name_of(bound) else { return };
    let what = format!("the type parameter `{param}` behind the trait `{name}`");
    if let Some(item) = module.records().trait_(&name).filter(|_| written.path.segments.len() == 1) {
        // rustc refuses circles
        if depth < 16 {
            item.supertraits
                .iter()
                .for_each(|above| known(options, module, param, above, depth + 1, refusals));
        }
        return;
    }
    if num_traits::is_of_std(&name) {
        return;
    }
    if num_traits::is_known(&name) {
        let (of_crate, feature, is_on) = num_traits::origin(&name, options.features);
        if !is_on {
            let (why, help) = num_traits::switched_off(of_crate, feature);
            refusals.push(bound.span(), what, why, help);
        }
        return;
    }
    let given = options.with.iter().any(|with| with.param == *param);
    if num_traits::is_of_integers(&name) {
        if !given {
            let help = format!("write `usize` itself, or name it: `#[differentiate(with({param} = usize))]`");
            refusals.push(bound.span(), what, "it stands for integers, and which ones is not said", help);
        }
        return;
    }
    if super::is_word("Iterator IntoIterator DoubleEndedIterator ExactSizeIterator AsRef Borrow Deref", &name)
    {
        refusals.push(
            bound.span(),
            what,
            "an attribute sees a definition of no type that it may stand for",
            "take what is iterated over, `x: &[f64]`; callers write `&v` for a vector `v`",
        );
        return;
    }
    if !given && super::is_word("Dim DimName DimMin DimMax DimAdd DimSub DimDiff IsNotStaticOne", &name) {
        refusals.push(
            bound.span(),
            what,
            "it stands for a size, and which one is not said",
            format!("name it: `#[differentiate(with({param} = nalgebra::U3))]`"),
        );
        return;
    }
    if !given {
        refusals.push(
            bound.span(),
            what,
            "which numbers have it is not seen by the attribute",
            format!("name one: `#[differentiate(with({param} = f64))]`"),
        );
    }
}

/// Whether a type meets a bound that is known.
fn converts(bound: &TypeParamBound, ty: Ty) -> bool {
    let TypeParamBound::Trait(bound) = bound else { return true };
    let Some(last) = bound.path.segments.last() else { return true };
    let PathArguments::AngleBracketed(args) = &last.arguments else { return true };
    let of = args.args.iter().find_map(|arg| match arg {
        GenericArgument::Type(of) => Ty::from_name(&tidy(of)),
        _ => None,
    });
    match (last.ident.to_string().as_str(), of) {
        ("From", Some(from)) => keeps(from, ty),
        ("Into", Some(into)) => keeps(ty, into),
        _ => true,
    }
}

/// Whether a type has a trait of the module, as far as that is seen.
fn is_seen_of(module: &Module, bound: &TypeParamBound, ty: Ty) -> bool {
    num_traits::name_of(bound).is_none_or(|name| {
        module.records().trait_(&name).is_none() || module.records().has_trait(&ty.to_string(), &name)
    })
}

/// `where f64: From<T>`
fn is_source(generics: &Generics, name: &Ident, ty: Ty) -> bool {
    let clauses = generics.where_clause.iter().flat_map(|clause| &clause.predicates);
    let mut conversions = clauses.filter_map(|predicate| match predicate {
        syn::WherePredicate::Type(of) => {
            let to = Ty::from_name(&tidy(&of.bounded_ty))?;
            let is_from =
                |bound: &TypeParamBound| tidy(bound).replace(' ', "").ends_with(&format!("From<{name}>"));
            of.bounds.iter().any(is_from).then_some(to)
        }
        _ => None,
    });
    conversions.all(|to| keeps(ty, to))
}

/// Whether there is a conversion that loses nothing.
fn keeps(from: Ty, to: Ty) -> bool {
    let bits = |ty: Ty| match ty {
        Ty::Int(Int::Usize | Int::Isize) => u32::MAX,
        Ty::Int(int) => int.bits(),
        _ => 8,
    };
    match (from, to) {
        _ if from == to => true,
        (Ty::F32, Ty::F64) => true,
        (Ty::Float(_), _) => false,
        (_, Ty::F64) => bits(from) <= 32,
        (_, Ty::F32) => bits(from) <= 16,
        // rustc is the judge of integers
        _ => true,
    }
}
