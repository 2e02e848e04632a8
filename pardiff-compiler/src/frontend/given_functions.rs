//! Parameters that stand for functions, which the option `with` names: they are closures in the body, and no
//! parameters of what is generated.
//!
//! ```text
//! #[differentiate(with(F = pressure))]
//! fn integral<F: Fn(f64) -> f64>(f: F, a: f64, b: f64) -> f64 { … f(x) … }
//!
//! fn integral(a: f64, b: f64) -> f64 { let f = |x0: f64| pressure(x0); … f(x) … }       integral::grad(a, d_a, b, d_b)
//! ```
//!
//! A type parameter is named, or the parameter of the function itself: `f: impl Fn(f64) -> f64`, `f: fn(f64) -> f64`.
//! Legal because a call of the closure is one of the function.

use super::Target;
use super::param_types::{bare, is_function_bound, is_function_value, is_iterator};
use crate::refusal::Refusal;
use crate::signature::GivenFunction;
use quote::{ToTokens, format_ident, quote_spanned};
use syn::spanned::Spanned;
use syn::{FnArg, Generics, Ident, Pat, Path, PathArguments, Stmt, Type, TypeParamBound, WherePredicate};

/// The function without the parameters that are named, each with the function that it stands for.
///
/// # Errors
///
/// Names of something else.
pub fn given_functions(named: &[(Ident, Path)], target: &Target) -> Result<Target, Vec<Refusal>> {
    let mut target = target.clone();
    let mut refusals = Vec::new();
    for (name, function) in named {
        if take(name, function, &mut target).is_none() {
            refusals.push(Refusal::new(
                name.span(),
                format!("`{name} = {}` in `with`", super::display::tidy(function)),
                format!("`{name}` is no parameter of the function that stands for a function"),
                "name one: `with(F = pressure)` for `F: Fn(f64) -> f64`, `with(f = pressure)` for `f: fn(f64) -> f64`",
            ));
        }
    }
    if refusals.is_empty() { Ok(target) } else { Err(refusals) }
}

/// Whether a parameter or the result is a function, `f: impl Fn(f64) -> f64`, `f: &dyn Fn(f64) -> f64` or
/// `f: fn(f64) -> f64`, or a parameter is an iterator.
pub fn takes_or_returns_functions(item: &syn::ItemFn) -> bool {
    let takes = item.sig.inputs.iter().any(|arg| match arg {
        FnArg::Typed(arg) => is_function_value(&arg.ty) || is_iterator(behind_reference(&arg.ty)),
        FnArg::Receiver(_) => false,
    });
    takes || matches!(&item.sig.output, syn::ReturnType::Type(_, ty) if is_function_value(ty))
}

fn behind_reference(ty: &Type) -> &Type {
    match bare(ty) {
        Type::Reference(reference) => bare(&reference.elem),
        ty => ty,
    }
}

/// Takes the parameters of a name out of the function; `None` if there are none.
fn take(name: &Ident, function: &Path, target: &mut Target) -> Option<()> {
    let is_of_name = |ty: &Type| matches!(bare(ty), Type::Path(path) if path.path.is_ident(name));
    let behind = |ty: &Type| match bare(ty) {
        Type::Reference(reference) => (*reference.elem).clone(),
        ty => ty.clone(),
    };
    let sig = &mut target.item.sig;
    let of_parameter = arity_of_parameter(&sig.generics, name);
    let arity = |ty: &Type| match bare(ty) {
        ty if is_of_name(ty) => of_parameter.clone(),
        Type::FnPtr(ty) => Some(ty.inputs.iter().map(|input| input.ty.clone()).collect()),
        Type::ImplTrait(ty) => arity_of(ty.bounds.iter()),
        Type::TraitObject(ty) => arity_of(ty.bounds.iter()),
        _ => None,
    };
    let mut taken: Vec<(usize, Ident, Vec<Type>)> = Vec::new();
    for (at, arg) in sig.inputs.iter().enumerate() {
        let FnArg::Typed(arg) = arg else { continue };
        let Pat::Ident(pat) = &*arg.pat else { continue };
        let ty = behind(&arg.ty);
        if is_of_name(&ty) || pat.ident == *name {
            taken.push((at, pat.ident.clone(), arity(&ty)?));
        }
    }
    if taken.is_empty() {
        return None;
    }
    let is_reference = |at: usize| match &sig.inputs[at] {
        FnArg::Typed(arg) => matches!(bare(&arg.ty), Type::Reference(_)),
        FnArg::Receiver(_) => false,
    };
    // counted are the parameters of the function as it is written
    let as_written = |at| target.functions.iter().fold(at, |at, given| at + usize::from(given.at <= at));
    let (mut stmts, mut positions) = (Vec::<Stmt>::new(), Vec::new());
    for (at, local, types) in &taken {
        let span = function.span();
        let args: Vec<Ident> = (0..types.len()).map(|at| format_ident!("x{at}", span = span)).collect();
        let closure = quote_spanned!(span=> |#(#args: #types),*| #function(#(#args),*));
        stmts.push(syn::parse2(quote_spanned!(span=> let #local = #closure;)).ok()?);
        let is_reference = is_reference(*at);
        positions.push(GivenFunction { at: as_written(*at), path: function.clone(), is_reference });
    }
    let inputs = std::mem::take(&mut sig.inputs).into_iter().enumerate();
    let is_kept = |at: usize| taken.iter().all(|(of, ..)| *of != at);
    sig.inputs = inputs.filter(|(at, _)| is_kept(*at)).map(|(_, arg)| arg).collect();
    target.take_parameter(name, syn::parse_quote!(_));
    target.functions.extend(positions);
    target.functions.sort_by_key(|given| given.at);
    target.item.block.stmts.splice(0..0, stmts);
    Some(())
}

/// The types of what a function behind a type parameter takes.
fn arity_of_parameter(generics: &Generics, name: &Ident) -> Option<Vec<Type>> {
    let declared =
        generics.type_params().filter(|param| param.ident == *name).flat_map(|param| &param.bounds);
    let clauses = generics.where_clause.iter().flat_map(|clause| &clause.predicates);
    let of_clauses = clauses.filter_map(|predicate| match predicate {
        WherePredicate::Type(of) if *name == of.bounded_ty.to_token_stream().to_string() => Some(&of.bounds),
        _ => None,
    });
    arity_of(declared.chain(of_clauses.flatten()))
}

/// The types of what a function takes: `Fn(f64, usize) -> f64`.
fn arity_of<'a>(mut bounds: impl Iterator<Item = &'a TypeParamBound>) -> Option<Vec<Type>> {
    let bound = bounds.find(|bound| is_function_bound(bound))?;
    let TypeParamBound::Trait(bound) = bound else { return None };
    match &bound.path.segments.last()?.arguments {
        PathArguments::Parenthesized(args) => {
            Some(args.inputs.iter().map(|input| input.ty.clone()).collect())
        }
        _ => None,
    }
}
