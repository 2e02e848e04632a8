//! The types that the user writes, read from their syntax alone.

use crate::ir::Ty;
use crate::refusal::Refusal;
use crate::signature::ParamKind;
use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::{Expr, GenericArgument, PathArguments, Type};

/// A type as written.
#[derive(Clone, Debug)]
pub(super) enum Shape {
    Scalar(Ty),
    /// `[T; N]`
    Array(Box<Shape>, Box<Expr>),
    /// `[T]`
    Slice(Box<Shape>),
    Vec(Box<Shape>),
    Ref(bool, Box<Shape>),
    Tuple(Vec<Shape>),
    /// `_`
    Infer,
}

/// The type without the groups that `macro_rules!` and parentheses put around it.
fn bare(ty: &Type) -> &Type {
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
pub(super) fn shape(ty: &Type) -> Result<Shape, Refusal> {
    let span = ty.span();
    Ok(match bare(ty) {
        Type::Array(array) => Shape::Array(Box::new(shape(&array.elem)?), Box::new(array.len.clone())),
        Type::Slice(slice) => Shape::Slice(Box::new(shape(&slice.elem)?)),
        Type::Reference(reference) => {
            Shape::Ref(reference.mutability.is_some(), Box::new(shape(&reference.elem)?))
        }
        Type::Tuple(tuple) => Shape::Tuple(tuple.elems.iter().map(shape).collect::<Result<_, _>>()?),
        Type::Infer(_) => Shape::Infer,
        Type::Path(path) if path.qself.is_none() => return named(path, span),
        Type::ImplTrait(_) | Type::TraitObject(_) | Type::FnPtr(_) => {
            return Err(Refusal::new(
                span,
                "a type behind a trait or a function pointer",
                "an attribute sees no definition of it, so it cannot be differentiated",
                "write the concrete type, `f64` or `&[f64]`, and call a helper `fn` nested in the body",
            ));
        }
        Type::Ptr(_) => {
            return Err(refuse(span, "a raw pointer".to_owned(), "write a slice, `&[f64]` or `&mut [f64]`"));
        }
        other => {
            let text = super::text::tidy_type(other);
            return Err(refuse(span, format!("the type `{text}`"), "write `f64`, `&[f64]` or `[f64; N]`"));
        }
    })
}

fn named(path: &syn::TypePath, span: Span) -> Result<Shape, Refusal> {
    let path = &path.path;
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
            return Ok(Shape::Vec(Box::new(shape(elem)?)));
        }
        return Ok(Shape::Vec(Box::new(Shape::Infer)));
    }
    let text = super::text::tidy_type(path);
    Err(match name.as_str() {
        "char" | "str" | "String" => {
            refuse(span, format!("the type `{text}`"), "pass an integer, `k: usize`, or a slice of integers")
        }
        "Self" => Refusal::new(
            span,
            "`Self`",
            "an attribute on a function does not see the type it belongs to",
            "write a free function over slices and scalars, and call it from the method",
        ),
        "Option" | "Result" | "Box" | "Rc" | "Arc" | "HashMap" | "BTreeMap" | "VecDeque" => {
            refuse(span, format!("the type `{text}`"), "write `f64`, `&[f64]` or `[f64; N]`")
        }
        _ => Refusal::new(
            span,
            format!("the type `{text}`"),
            "a float type behind an alias or a type parameter, and a struct, cannot be seen by an attribute",
            "write `f64` or `f32` itself; pass the fields of a struct as parameters",
        ),
    })
}

/// A parameter of the differentiated function.
pub(super) struct HostParam {
    pub(super) kind: ParamKind,
    pub(super) elem: Ty,
}

/// Reads the type of a parameter.
pub(super) fn param(name: &str, ty: &Type) -> Result<HostParam, Refusal> {
    let span = ty.span();
    let bad = |what: &str, help: String| {
        let why = "a parameter is a scalar, a slice or an array of floats, integers or booleans";
        Err(Refusal::new(span, format!("`{name}` is {what}"), why, help))
    };
    match shape(ty)? {
        Shape::Scalar(elem) => Ok(HostParam { kind: ParamKind::Scalar, elem }),
        Shape::Array(elem, _) => match elements(*elem) {
            Some((elem, _)) => Ok(HostParam { kind: ParamKind::Array, elem }),
            None => bad("an array of something else", format!("write `{name}: [f64; N]`")),
        },
        Shape::Vec(_) => bad("a `Vec`", format!("write `{name}: &[f64]`, and pass `&{name}`")),
        Shape::Tuple(_) => bad("a tuple", "write one parameter for each member".to_owned()),
        Shape::Slice(_) => bad("a slice without a reference", format!("write `{name}: &[f64]`")),
        Shape::Infer => bad("of type `_`", format!("write `{name}: f64`")),
        Shape::Ref(mutable, inner) => match *inner {
            Shape::Scalar(elem) => Ok(HostParam { kind: ParamKind::ScalarRef { mutable }, elem }),
            Shape::Slice(elem) => match elements(*elem) {
                Some((elem, _)) => Ok(HostParam { kind: ParamKind::Slice { mutable }, elem }),
                None => bad("a slice of something else", format!("write `{name}: &[f64]`")),
            },
            Shape::Array(elem, _) => match elements(*elem) {
                Some((elem, _)) => Ok(HostParam { kind: ParamKind::ArrayRef { mutable }, elem }),
                None => bad("an array of something else", format!("write `{name}: &[f64; N]`")),
            },
            Shape::Vec(_) => {
                let slice = if mutable { "&mut [f64]" } else { "&[f64]" };
                bad("a reference to a `Vec`", format!("write `{name}: {slice}`"))
            }
            Shape::Ref(..) => bad("a reference to a reference", format!("write `{name}: &[f64]`")),
            Shape::Tuple(_) => bad("a tuple", "write one parameter for each member".to_owned()),
            Shape::Infer => bad("of type `_`", format!("write `{name}: &f64`")),
        },
    }
}

/// The element type and the inner dimensions of `T` or `[[T; M]; …]`.
pub(super) fn elements(shape: Shape) -> Option<(Ty, Vec<Option<Expr>>)> {
    match shape {
        Shape::Scalar(elem) => Some((elem, Vec::new())),
        Shape::Array(elem, len) => {
            let (elem, mut dims) = elements(*elem)?;
            dims.insert(0, Some(*len));
            Some((elem, dims))
        }
        _ => None,
    }
}
