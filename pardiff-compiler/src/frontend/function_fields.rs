//! Fields that hold functions, as parameters of their structs: which function a field holds is a part of its type.
//!
//! ```text
//! struct Layer { weights: Vec<f64>, act: fn(f64) -> f64 }
//! struct Layer<Function0 = fn()> { weights: Vec<f64>, act: Function0 }
//! ```
//!
//! Legal where two values of one type are never mixed whose functions differ, which unification refuses. A value of the
//! caller has functions that nobody sees: there the field is as any other of a type that is not known, `fn()`.

use super::instances::bounds_of;
use super::param_types::{is_function_bound, is_function_value};
use quote::format_ident;
use syn::{Generics, Ident, Item, Type};

/// How the parameters begin that stand for such fields.
const PARAMETER: &str = "__Function";

/// The struct with a parameter for each field that is a function.
pub(super) fn as_parameters(item: &mut Item) {
    let Item::Struct(item) = item else { return };
    for (at, field) in item.fields.iter_mut().enumerate() {
        if is_function_value(&field.ty) {
            let param = format_ident!("{PARAMETER}{at}");
            item.generics.params.push(syn::parse_quote!(#param = fn()));
            field.ty = syn::parse_quote!(#param);
        }
    }
}

/// Whether a parameter of a struct stands for functions.
pub(super) fn is_function_parameter(generics: &Generics, name: &Ident) -> bool {
    name.to_string().starts_with(PARAMETER) || bounds_of(generics, name).into_iter().any(is_function_bound)
}

/// The parameter of a struct that stands for functions which the type of a field is.
pub(super) fn parameter_of_field<'t>(generics: &Generics, field: &'t Type) -> Option<&'t Ident> {
    let Type::Path(path) = field else { return None };
    path.path.get_ident().filter(|name| is_function_parameter(generics, name))
}
