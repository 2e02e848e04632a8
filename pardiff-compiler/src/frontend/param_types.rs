//! The types that the user writes, read from their syntax alone.

use super::communicators;
use super::host_values::HostValue;
use super::known_crates;
use super::module::Module;
use super::rows;
use super::std_types;
use super::vector_params;
use crate::ir::Ty;
use crate::ndarray::{self, Form};
use crate::refusal::Refusal;
use crate::signature::{Content, Field, Record, element_in_bodies, sharing_pointer, vector_element};
use proc_macro2::Span;
use quote::ToTokens;
use std::rc::Rc;
use syn::spanned::Spanned;
use syn::{Expr, GenericArgument, Member, PathArguments, Type};

/// A type as written.
#[derive(Clone)]
pub(super) enum Shape {
    Scalar(Ty),
    /// `[T; N]`
    Array(Box<Shape>, Box<Expr>),
    /// `[T]`
    Slice(Box<Shape>),
    /// `Vec<T>`, `Box<[T]>`, or `Arc` or `Rc` of a vector or a slice.
    Vec(Box<Shape>),
    /// The value and its type as written.
    Option(Box<Shape>, Box<Type>),
    Ref(bool, Box<Shape>),
    /// Its members as written, and what they are.
    Tuple(Vec<(Type, Shape)>),
    /// A struct of the module.
    Record(Rc<Record>),
    /// An array of `ndarray` with so many dimensions.
    NdArray(Form, usize, Ty),
    /// `_`
    Infer,
    /// A type parameter of a helper.
    Parameter(String),
}

/// The type without the groups that `macro_rules!` and parentheses put around it.
pub(super) fn bare(ty: &Type) -> &Type {
    match ty {
        Type::Group(group) => bare(&group.elem),
        Type::Paren(paren) => bare(&paren.elem),
        other => other,
    }
}

fn refuse(span: Span, what: String, help: &str) -> Refusal {
    Refusal::new(span, what, "the accepted types are floats, integers, booleans and arrays of them", help)
}

/// Reads a type.
pub(super) fn shape(module: &Module, ty: &Type) -> Result<Shape, Refusal> {
    shape_within(module, &|_| false, ty)
}

/// Reads a type in a helper, some names of which are type parameters.
pub(super) fn shape_within(
    module: &Module,
    is_parameter: &dyn Fn(&str) -> bool,
    ty: &Type,
) -> Result<Shape, Refusal> {
    let span = ty.span();
    let shape = |ty: &Type| shape_within(module, is_parameter, ty);
    let own = matches!(bare(ty), Type::Path(path) if module.record(&path.path).is_some());
    if let Some(known) = communicators::record(bare(ty)).filter(|_| !own) {
        return known.map(Shape::Record);
    }
    Ok(match bare(ty) {
        Type::Array(array) => Shape::Array(Box::new(shape(&array.elem)?), Box::new(array.len.clone())),
        Type::Slice(slice) => Shape::Slice(Box::new(shape(&slice.elem)?)),
        Type::Reference(reference) => {
            Shape::Ref(reference.mutability.is_some(), Box::new(shape(&reference.elem)?))
        }
        Type::Tuple(tuple) => {
            let members = tuple.elems.iter().map(|member| Ok((member.clone(), shape(member)?)));
            Shape::Tuple(members.collect::<Result<_, _>>()?)
        }
        Type::Infer(_) => Shape::Infer,
        Type::Path(path) if path.path.get_ident().is_some_and(|name| is_parameter(&name.to_string())) => {
            Shape::Parameter(path.path.get_ident().map(ToString::to_string).unwrap_or_default())
        }
        Type::Path(path) if path.qself.is_none() => {
            return match ndarray::written(ty) {
                Some(_) if module.record(&path.path).is_some() => named(module, is_parameter, path, span),
                Some(written) => nd_array(module, ty, written),
                None => named(module, is_parameter, path, span),
            };
        }
        ty if is_function(ty) => {
            return Err(Refusal::new(
                span,
                "a function as a value",
                "which function it is would be known only at run time",
                "name a parameter, `#[differentiate(with(f = path))]`; write a closure for a local variable, \
                 `let f = |x: f64| x.sin();`; in place of one that is returned, return its value",
            ));
        }
        ty if is_iterator(ty) => {
            return Err(Refusal::new(
                span,
                "an iterator as a parameter or a result",
                "an iterator is known here only where it is used up",
                "take what is iterated over, `x: &[f64]`; in place of one that is returned, write `-> Vec<f64>`, \
                 and `.collect()` at its end",
            ));
        }
        Type::ImplTrait(_) | Type::TraitObject(_) => {
            return Err(Refusal::new(
                span,
                "a type behind a trait",
                "an attribute sees no definition of it, so it cannot be differentiated",
                "write the concrete type, `f64` or `&[f64]`, and call a helper `fn` nested in the body",
            ));
        }
        Type::Ptr(_) => {
            return Err(refuse(span, "a raw pointer".to_owned(), "write a slice, `&[f64]` or `&mut [f64]`"));
        }
        other => {
            let text = super::display::tidy_type(other);
            return Err(refuse(span, format!("the type `{text}`"), "write `f64`, `&[f64]` or `[f64; N]`"));
        }
    })
}

/// An array of `ndarray`.
fn nd_array(
    module: &Module,
    ty: &Type,
    written: Result<ndarray::Written<'_>, ndarray::Unknown>,
) -> Result<Shape, Refusal> {
    let what = format!("the type `{}`", super::display::tidy_type(ty));
    match written {
        Ok(array) => match shape(module, array.elem)? {
            Shape::Scalar(elem) => Ok(Shape::NdArray(array.form, array.rank, elem)),
            _ => {
                let why = "the elements of an array of `ndarray` are floats, integers or booleans";
                Err(Refusal::new(
                    array.elem.span(),
                    what,
                    why,
                    "write one array for each number: `Array2<f64>`",
                ))
            }
        },
        Err(unknown) => Err(Refusal::new(unknown.span, what, unknown.why, unknown.help)),
    }
}

fn named(
    module: &Module,
    is_parameter: &dyn Fn(&str) -> bool,
    path: &syn::TypePath,
    span: Span,
) -> Result<Shape, Refusal> {
    let path = &path.path;
    let is_open = super::hygiene::names(path.to_token_stream()).iter().any(|name| is_parameter(name));
    if let Some(record) = module.with_arguments_of(path).filter(|_| !is_open) {
        return record.map(Shape::Record);
    }
    if let Some(record) = module.record(path) {
        return record.map(Shape::Record);
    }
    let Some(last) = path.segments.last() else {
        return Err(refuse(span, "this type".to_owned(), "write `f64` or `f32`"));
    };
    let name = last.ident.to_string();
    let prefix: Vec<String> =
        path.segments.iter().take(path.segments.len() - 1).map(|segment| segment.ident.to_string()).collect();
    let prefix: Vec<&str> = prefix.iter().map(String::as_str).collect();
    if matches!(prefix[..], [] | ["std" | "core", "primitive"])
        && last.arguments.is_none()
        && let Some(ty) = Ty::from_name(&name)
    {
        return Ok(Shape::Scalar(ty));
    }
    if name == "Vec" && matches!(prefix[..], [] | ["std" | "alloc", "vec"]) {
        if let PathArguments::AngleBracketed(args) = &last.arguments
            && let [GenericArgument::Type(elem)] = &args.args.iter().collect::<Vec<_>>()[..]
        {
            return Ok(Shape::Vec(Box::new(shape_within(module, is_parameter, elem)?)));
        }
        return Ok(Shape::Vec(Box::new(Shape::Infer)));
    }
    if let Some(elem) = element_in_bodies(last) {
        return Ok(Shape::Vec(Box::new(shape_within(module, is_parameter, elem)?)));
    }
    if name == "Box"
        && matches!(prefix[..], [] | ["std" | "alloc", "boxed"])
        && let PathArguments::AngleBracketed(args) = &last.arguments
        && let [GenericArgument::Type(held)] = &args.args.iter().collect::<Vec<_>>()[..]
        && let Type::Slice(slice) = bare(held)
    {
        return Ok(Shape::Vec(Box::new(shape_within(module, is_parameter, &slice.elem)?)));
    }
    if let ("Arc", [] | ["std" | "alloc", "sync"]) | ("Rc", [] | ["std" | "alloc", "rc"]) =
        (name.as_str(), &prefix[..])
        && let PathArguments::AngleBracketed(args) = &last.arguments
        && let [GenericArgument::Type(held)] = &args.args.iter().collect::<Vec<_>>()[..]
        && let Ok(Shape::Slice(elem) | Shape::Vec(elem)) = shape_within(module, is_parameter, held)
        && sharing_pointer(held).is_none()
    {
        return Ok(Shape::Vec(elem));
    }
    if name == "Option"
        && matches!(prefix[..], [] | ["std" | "core", "option"])
        && let PathArguments::AngleBracketed(args) = &last.arguments
        && let [GenericArgument::Type(of)] = &args.args.iter().collect::<Vec<_>>()[..]
    {
        return Ok(Shape::Option(Box::new(shape_within(module, is_parameter, of)?), Box::new(of.clone())));
    }
    let text = super::display::tidy_type(path);
    if let Some((why, help)) = std_types::refused(&name) {
        // a function in a box is refused as one
        if let PathArguments::AngleBracketed(args) = &last.arguments
            && let Some(GenericArgument::Type(held @ Type::TraitObject(_))) = args.args.first()
        {
            shape_within(module, is_parameter, held).map_err(|refusal| match is_function(held) {
                true => Refusal {
                    help: format!(
                        "write `&{}`, and name it: `#[differentiate(with(f = path))]`",
                        super::display::tidy_type(held)
                    ),
                    ..refusal
                },
                false => refusal,
            })?;
        }
        return Err(Refusal::new(span, format!("the type `{text}`"), why, help));
    }
    Err(match name.as_str() {
        "Self" => Refusal::new(
            span,
            "`Self`",
            "an attribute on a function does not see the type it belongs to",
            "write a free function over slices and scalars, and call it from the method",
        ),
        "Option" | "Result" => Refusal::new(
            span,
            format!("the type `{text}`"),
            "a function that is differentiated takes and returns numbers, and of a helper both types of a `Result` must be seen",
            "return a flag beside the value, `(bool, f64)`, or open it: `helper(x).unwrap_or(0.0)`",
        ),
        "f16" | "f128" => {
            refuse(span, format!("the type `{text}`"), "write `f64`, or `f32`, and convert with `as` outside")
        }
        _ if let Some((why, help)) = known_crates::not_an_instance(last) => {
            Refusal::new(span, format!("the type `{text}`"), why, help)
        }
        _ if text.trim_start_matches('&').starts_with("std::") => Refusal::new(
            span,
            format!("the type `{text}`"),
            "only some types of the standard library are known here",
            "pass slices and numbers: `x: &[f64]`",
        ),
        _ => Refusal::new(
            span,
            format!("the type `{text}`"),
            "an attribute does not see what stands elsewhere: an alias, or a struct",
            format!(
                "write `#[differentiate(export)]` before `{name}` and `uses({})` here; for a number, `f64` or `f32` \
                 itself, and for a type of a known crate its own name, or its alias in the module under the attribute",
                text.trim_start_matches('&')
            ),
        ),
    })
}

/// `impl Iterator<Item = f64>`, `dyn Iterator<Item = f64>`.
pub(super) fn is_iterator(ty: &Type) -> bool {
    let bounds = match ty {
        Type::ImplTrait(ty) => &ty.bounds,
        Type::TraitObject(ty) => &ty.bounds,
        _ => return false,
    };
    bounds.iter().filter_map(super::num_traits::name_of).any(|name| name.ends_with("Iterator"))
}

/// `fn(f64) -> f64`, `impl Fn(f64) -> f64`, `dyn FnMut(f64)`.
pub(super) fn is_function(ty: &Type) -> bool {
    match ty {
        Type::FnPtr(_) => true,
        Type::ImplTrait(ty) => ty.bounds.iter().any(is_function_bound),
        Type::TraitObject(ty) => ty.bounds.iter().any(is_function_bound),
        _ => false,
    }
}

/// Whether a type is that of functions, also behind a pointer: `Box<dyn Fn(f64) -> f64>`.
pub(super) fn is_function_value(ty: &Type) -> bool {
    match bare(ty) {
        Type::Reference(of) => is_function_value(&of.elem),
        Type::Path(path) => path.path.segments.last().is_some_and(|last| {
            let is_pointer = ["Box", "Arc", "Rc"].iter().any(|name| last.ident == name);
            let held = super::generic_structs::arguments_of(last);
            is_pointer && matches!(&held[..], [GenericArgument::Type(of)] if is_function(bare(of)))
        }),
        ty => is_function(ty),
    }
}

/// The function or the trait that is all that a type says of a value behind pointers: `dyn Kernel` of `&dyn Kernel`.
pub(super) fn behind_trait(ty: &Type) -> Option<&Type> {
    match bare(ty) {
        Type::Reference(of) => behind_trait(&of.elem),
        ty @ (Type::TraitObject(_) | Type::FnPtr(_)) => Some(ty),
        Type::Path(path) => {
            let last = path.path.segments.last()?;
            let is_pointer = ["Box", "Arc", "Rc"].iter().any(|name| last.ident == name);
            match &last.arguments {
                syn::PathArguments::AngleBracketed(held) if is_pointer => match held.args.first()? {
                    GenericArgument::Type(of) => behind_trait(of),
                    _ => None,
                },
                _ => None,
            }
        }
        _ => None,
    }
}

/// Whether a bound is that of functions.
pub(super) fn is_function_bound(bound: &syn::TypeParamBound) -> bool {
    let syn::TypeParamBound::Trait(bound) = bound else { return false };
    bound
        .path
        .segments
        .last()
        .is_some_and(|last| ["Fn", "FnMut", "FnOnce"].iter().any(|name| last.ident == name))
}

/// What a function can return: a value of constant shape, or a vector of such.
pub(super) fn returned(shape: &Shape, ty: &Type) -> Option<HostValue> {
    let known = |shape: &Shape| {
        let mut shape = shape;
        while let Shape::Array(elem, len) = shape {
            if matches!(**len, Expr::Infer(_)) {
                return false;
            }
            shape = elem;
        }
        true
    };
    let (of, depth, outer) = match shape {
        Shape::Vec(elem) => (&**elem, 1, Some(vector_element(ty)?)),
        shape => (shape, 0, array_element(ty)),
    };
    let owner = || lent(of).filter(|it| depth == 0 && it.record().is_some_and(|of| of.is_returned()));
    let is_made = known(of) && sharing_pointer(ty).is_none();
    let content = is_made.then(|| made_anew(of).or_else(owner)).flatten()?;
    Some(HostValue::new(content, depth, outer))
}

/// What a field of the type holds: vectors of numbers, and structs that own such, as well.
pub(super) fn held(shape: &Shape, ty: &Type) -> Option<Content> {
    match shape {
        Shape::Vec(elem) => Some(Content::Vector(
            Box::new(content(elem).or_else(|| {
                let is_own = |of: &Content| !of.is_ragged() || sharing_pointer(ty).is_none();
                rows::element(elem, &element_of_vector(ty)?).filter(is_own)
            })?),
            Box::new(element_of_vector(ty)?),
        )),
        Shape::Option(of, inner) => content(shape).or_else(|| open_option(of, inner)),
        shape => content(shape).or_else(|| lent(shape)),
    }
}

/// An option of a value with vectors, `Option<Vec<f64>>`.
fn open_option(of: &Shape, ty: &Type) -> Option<Content> {
    let value = held(of, ty).filter(|value| value.has_vectors() && rows::is_gathered(value, ty))?;
    Some(Content::Record(option(value, ty)))
}

/// An option of a value of this type: whether there is one, and the value.
pub(super) fn option(value: Content, ty: &Type) -> Rc<Record> {
    let field = |at, ty: Type, content| {
        let index = syn::Index { index: at, span: ty.span() };
        Field { member: Member::Unnamed(index), ty, content }
    };
    let flag = field(0, syn::parse_quote_spanned!(ty.span()=> bool), Content::Scalar(Ty::Bool));
    Rc::new(Record {
        name: None,
        arguments: Vec::new(),
        fields: vec![flag, field(1, ty.clone(), value)],
        derives: Vec::new(),
        variants: Vec::new(),
        of_crate: None,
        is_option: true,
    })
}

/// A tuple of these.
pub(super) fn tuple(fields: Vec<Field>) -> Rc<Record> {
    Rc::new(Record {
        name: None,
        arguments: Vec::new(),
        fields,
        derives: Vec::new(),
        variants: Vec::new(),
        of_crate: None,
        is_option: false,
    })
}

/// A struct that owns vectors, or an enum or option with vectors in it.
pub(super) fn lent(shape: &Shape) -> Option<Content> {
    match shape {
        Shape::Record(record) if record.is_lent() => Some(Content::Record(record.clone())),
        Shape::Option(of, ty) => open_option(of, ty),
        _ => None,
    }
}

/// The elements of a vector.
pub(super) fn element_of_vector(ty: &Type) -> Option<Type> {
    vector_params::element(bare(ty)).map(|(elem, _)| elem)
}

/// The elements of the outermost array of a type.
pub(super) fn array_element(ty: &Type) -> Option<&Type> {
    match bare(ty) {
        Type::Reference(reference) => array_element(&reference.elem),
        Type::Slice(slice) => Some(&slice.elem),
        Type::Array(array) => Some(&array.elem),
        _ => None,
    }
}

/// Whether a local variable can be of the type, although it does not say how many numbers are in it: slices, vectors,
/// references and structs of these.
pub(super) fn is_open(shape: &Shape) -> bool {
    match shape {
        Shape::Slice(elem) | Shape::Vec(elem) => {
            matches!(**elem, Shape::Vec(_) | Shape::Option(..)) && is_open(elem) || content(elem).is_some()
        }
        Shape::Ref(_, of) => matches!(**of, Shape::NdArray(..)) || is_open(of) || content(of).is_some(),
        Shape::NdArray(form, ..) => matches!(form, Form::View | Form::ViewMut | Form::Owned),
        Shape::Tuple(members) => {
            members.iter().all(|(_, member)| is_open(member) || content(member).is_some())
        }
        Shape::Record(record) => record.is_open(),
        Shape::Option(of, _) => matches!(**of, Shape::Ref(false, _)) && is_open(of),
        Shape::Array(..) | Shape::Scalar(_) | Shape::Infer | Shape::Parameter(_) => false,
    }
}

/// A field of a type that is not known in a value of a struct or in those of a vector.
pub(super) fn unknown(shape: &Shape) -> Option<(&Record, &Field)> {
    match shape {
        Shape::Record(record) => record.unknown(),
        Shape::Vec(of) | Shape::Array(of, _) | Shape::Option(of, _) => unknown(of),
        Shape::Tuple(members) => members.iter().find_map(|(_, member)| unknown(member)),
        _ => None,
    }
}

/// The numbers of a value of constant shape that derivatives may make themselves: no unknown fields are in it.
pub(super) fn made_anew(shape: &Shape) -> Option<Content> {
    content(shape).filter(|content| content.record().is_none_or(|record| !record.has_unknown()))
}

/// The numbers of a value of constant shape.
pub(super) fn content(shape: &Shape) -> Option<Content> {
    Some(match shape {
        Shape::Scalar(elem) => Content::Scalar(*elem),
        Shape::Array(elem, _) => Content::Array(Box::new(content(elem)?)),
        Shape::Record(record) if record.is_open() => return None,
        Shape::Option(of, ty) => Content::Record(option(made_anew(of)?, ty)),
        Shape::Record(record) => Content::Record(record.clone()),
        Shape::Tuple(members) if !members.is_empty() => {
            let fields = members.iter().enumerate().map(|(position, (ty, member))| {
                let index = syn::Index { index: position as u32, span: ty.span() };
                Some(Field { member: Member::Unnamed(index), ty: ty.clone(), content: content(member)? })
            });
            Content::Record(tuple(fields.collect::<Option<_>>()?))
        }
        _ => return None,
    })
}
