//! Functions that are differentiated and may fail: what they return, and what their derivatives return then.
//!
//! ```text
//! fn f(x: &[f64]) -> Result<f64, Error>       f::grad(x, d_x) -> Result<f64, Error>
//! fn f(x: &[f64]) -> Option<[f64; 2]>         f::vjp(x, d_x, seed: [f64; 2]) -> Option<[f64; 2]>
//! ```
//!
//! A derivative first runs the function itself, and returns its error as it is: no error is made from numbers. Behind that there is
//! a value, and the program computes it alone.

use super::Refusals;
use super::options::Options;
use super::param_types::bare;
use super::results;
use crate::signature::Failure;
use crate::visit::{self, Visit};
use quote::ToTokens;
use syn::spanned::Spanned;
use syn::{GenericArgument, PathArguments, Type};

/// The type of the value of a function that may fail, and what it returns otherwise.
pub(super) fn value_of(ty: &Type, options: &Options) -> Option<(Type, Failure)> {
    let ty = bare(ty);
    if let Some((value, error)) = results::value_and_error(ty) {
        let error = error.or_else(|| error_of_alias(ty, options))?;
        return Some((value, Failure::Error(error)));
    }
    let Type::Path(path) = ty else { return None };
    let names = super::names(&path.path);
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    if !matches!(names[..], ["Option"] | ["option", "Option"] | ["std" | "core", "option", "Option"]) {
        return None;
    }
    let PathArguments::AngleBracketed(args) = &path.path.segments.last()?.arguments else { return None };
    match args.args.first()? {
        GenericArgument::Type(value) if args.args.len() == 1 => Some((value.clone(), Failure::Absent)),
        _ => None,
    }
}

/// The error of `anyhow::Result<f64>` or `io::Result<f64>`, which the alias names.
fn error_of_alias(ty: &Type, options: &Options) -> Option<Type> {
    let Type::Path(path) = ty else { return None };
    let (mut alias, runtime) = (path.clone(), options.runtime());
    alias.path.segments.last_mut()?.arguments = PathArguments::AngleBracketed(syn::parse_quote!(<()>));
    Some(syn::parse_quote!(<#alias as #runtime::Fallible>::Error))
}

/// Refuses an error whose type depends on the call: it has a name beside the function. The stub then has none of it.
pub(super) fn nameable(failure: Failure, generics: &syn::Generics, refusals: &mut Refusals) -> Failure {
    let Failure::Error(error) = &failure else { return failure };
    let mut borrows = Borrows(false);
    borrows.visit_type(error);
    let named = super::hygiene::names(error.to_token_stream());
    let of_call = generics.const_params().any(|param| named.contains(&param.ident.to_string()));
    if !borrows.0 && !of_call && !matches!(bare(error), Type::ImplTrait(_)) {
        return failure;
    }
    refusals.push(
        error.span(),
        format!("the error type `{}`, which depends on the call", super::display::tidy_type(error)),
        "generated functions name the type of the error beside the function, without its parameters and lifetimes",
        "return an error that owns what it holds: `String`, or an enum",
    );
    Failure::Error(syn::parse_quote!(()))
}

/// Whether a lifetime other than `'static` is in a type.
struct Borrows(bool);

impl Visit for Borrows {
    fn visitor(&mut self) -> &mut dyn Visit {
        self
    }

    fn visit_lifetime(&mut self, lifetime: &syn::Lifetime) {
        self.0 |= lifetime.ident != "static";
    }

    fn visit_type(&mut self, ty: &Type) {
        self.0 |= matches!(ty, Type::Reference(reference) if reference.lifetime.is_none());
        visit::visit_type(self, ty);
    }
}
