//! The types of parameters of the differentiated function: which are accepted, and what to write in place of the others.

use super::borrowed_params::{self, Obstacle};
use super::communicators;
use super::host_values::HostValue;
use super::module::Module;
use super::options::Options;
use super::param_types::{Shape, array_element, bare, content, lent, shape};
use super::rows;
use super::vector_params;
use crate::ir::Ty;
use crate::ndarray::Form;
use crate::refusal::Refusal;
use crate::signature::{Content, ParamKind, Record, Vector, is_product};
use proc_macro2::Span;
use std::rc::Rc;
use syn::Type;
use syn::spanned::Spanned;

/// A parameter of the differentiated function.
pub(super) struct HostParam {
    pub(super) kind: ParamKind,
    pub(super) value: HostValue,
    /// The type in generated functions.
    pub(super) ty: Type,
    /// The vector that the function itself takes, if that is another type.
    pub(super) vector: Option<Vector>,
}

impl HostParam {
    fn new(kind: ParamKind, value: HostValue, ty: &Type) -> HostParam {
        HostParam { kind, value, ty: ty.clone(), vector: None }
    }

    /// Whether the function may change what it holds, and nobody sees it.
    pub(super) fn is_by_value(&self) -> bool {
        matches!(self.kind, ParamKind::Scalar | ParamKind::Array)
            || self.vector.is_some_and(|vector| vector.moved)
    }
}

/// Reads the type of a parameter.
pub(super) fn param(module: &Module, name: &str, ty: &Type) -> Result<HostParam, Refusal> {
    let param = match vector_params::as_lent(module, ty)? {
        Some((slice, vector)) => HostParam { vector: Some(vector), ..read_param(module, name, &slice)? },
        None => read_param(module, name, ty)?,
    };
    if param.value.leaves.is_empty() && !matches!(param.kind, ParamKind::Scalar | ParamKind::ScalarRef { .. })
    {
        return Err(Refusal::new(
            ty.span(),
            format!("`{name}` is an array of what holds no numbers"),
            "a parameter is a scalar, a slice or an array of floats, integers or booleans",
            "pass the number of its elements: `n: usize`",
        ));
    }
    Ok(param)
}

/// Refuses structs that own vectors, enums, options, and vectors of vectors where a function takes other forms of them.
pub(super) fn refuse_lent(
    options: &Options,
    param: &HostParam,
    name: &str,
    active: bool,
    span: Span,
) -> Option<Refusal> {
    let is = match (param.kind, &param.value.record) {
        (ParamKind::Rows { .. }, _) => "a vector of vectors",
        (_, _) if param.value.elements.as_ref().is_some_and(Content::is_vector) => "a vector of vectors",
        (_, Some(record)) if record.is_option => "an option",
        (_, Some(record)) if record.owns_vectors() => "a struct that owns vectors",
        (kind, Some(record)) if is_product(record, kind, active) => match record.has_sum_types() {
            true => "a value of enums or options",
            false if record.has_private() => "a value of private numbers",
            false => "a struct with fields whose types are not known",
        },
        _ => return None,
    };
    let is_sum = |record: &Rc<Record>| !record.owns_vectors() && is_product(record, param.kind, active);
    let is_sum = param.value.record.as_ref().is_some_and(is_sum);
    let has_sum_types = param.value.record.as_ref().is_some_and(|record| record.has_sum_types());
    let refuse = |option: &str, why: &str, help: &str| {
        let what = format!("`{name}`, {is}, with the option `{option}`");
        Some(Refusal::new(span, what, why, help))
    };
    match (&options.cuda, options.asked.batch) {
        (Some(_), _) => refuse(
            "cuda",
            "arguments of functions on a GPU are numbers and slices, and structs of numbers alone",
            "pass what it holds as parameters of their own, `x: &[f64]`, or remove `cuda`",
        ),
        _ if options.asked.split && param.kind.is_output() && has_sum_types => refuse(
            "split",
            "its adjoint is of the variants before the call, which `backward` is not told",
            "return what is written, or remove `split`",
        ),
        (None, Some(_)) if active && !is_sum => refuse(
            "batch",
            "several of it would be several values of that type, each with parts of its own",
            "pass what is differentiated as parameters of their own, `x: &[f64]`, or remove `batch`",
        ),
        _ => None,
    }
}

fn read_param(module: &Module, name: &str, ty: &Type) -> Result<HostParam, Refusal> {
    let span = ty.span();
    let bad = |what: &str, help: String| {
        let why = "a parameter is a scalar, a slice or an array of floats, integers or booleans";
        Err(Refusal::new(span, format!("`{name}` is {what}"), why, help))
    };
    let no_numbers = |value: &Shape| {
        match value {
        Shape::Record(record) if record.is_lent() => {
            let of = element(value);
            bad(
                "a struct that owns vectors, and not behind a reference",
                format!("write `{name}: &{of}` or `{name}: &mut {of}`; of several, one parameter for each"),
            )
        }
        value => match (borrowed_params::obstacle(module, name, ty), value) {
            (Some(Obstacle { part, why }), _) => Err(Refusal::new(
                span,
                format!("`{part}` in the parameter `{name}`"),
                why,
                "pass what it holds as parameters of their own, `x: &[f64]`, and make the value in the body",
            )),
            (None, Shape::Record(_)) => bad(
                "several structs that hold slices or references",
                "pass what they hold as parameters of their own, `x: &[f64]`, and make the structs in the body"
                    .to_owned(),
            ),
            (None, _) => bad(
                "a tuple with members that are no numbers",
                "write one parameter for each member".to_owned(),
            ),
        },
    }
    };
    let rows_of = |what: &str, elem: &Shape| {
        let elem = element(elem);
        let help = format!(
            "pass their elements one behind the other, `{name}: &[{elem}]`, and where each begins: `start: &[usize]`"
        );
        bad(what, help)
    };
    let no_option = |what: &str, of: &Shape| {
        let of = if let Shape::Option(of, _) = of { of } else { of };
        let inside = if let Shape::Ref(_, inside) = of { inside } else { of };
        let elem = element(of);
        if let (Shape::Ref(true, _), Shape::Vec(_)) = (of, inside) {
            return bad(what, format!("write `{name}: Option<&mut [{elem}]>`, and pass `as_deref_mut()`"));
        }
        let mutable = if matches!(of, Shape::Ref(true, _)) { "mut " } else { "" };
        let ty = match inside {
            Shape::Vec(_) | Shape::Slice(_) => format!("&{mutable}[{elem}]"),
            _ => elem,
        };
        bad(what, format!("write a `bool` beside the value: `has_{name}: bool, {name}: {ty}`"))
    };
    let outer = array_element(ty);
    match shape(module, ty)? {
        value if is_of_ranks(&value) => bad(
            "a rank, a request or a scope of the caller",
            format!(
                "pass the communicator and the number of the rank, `world: &impl Communicator, {name}: i32`"
            ),
        ),
        value if is_communicator(&value) => {
            bad("a communicator by value", format!("write `{name}: &impl Communicator`, and pass `&{name}`"))
        }
        value @ (Shape::Scalar(_) | Shape::Record(_) | Shape::Tuple(_)) => match content(&value) {
            Some(content) => Ok(HostParam::new(ParamKind::Scalar, HostValue::new(content, 0, outer), ty)),
            None => no_numbers(&value),
        },
        Shape::Array(elem, _) => match content(&elem) {
            Some(elem) => Ok(HostParam::new(ParamKind::Array, HostValue::new(elem, 1, outer), ty)),
            None => bad("an array of something else", format!("write `{name}: [f64; N]`")),
        },
        Shape::NdArray(form, rank, elem) => match form {
            Form::View | Form::ViewMut => Ok(nd_param(form, rank, elem, false, form == Form::ViewMut, ty)),
            Form::Owned | Form::Ref => bad(
                "an array of `ndarray` by value",
                format!("write `{name}: &Array{rank}<{elem}>` or `{name}: ArrayView{rank}<'_, {elem}>`"),
            ),
        },
        value @ Shape::Option(..) => match (content(&value), value) {
            (Some(content), _) => {
                Ok(HostParam::new(ParamKind::Scalar, HostValue::new(content, 0, outer), ty))
            }
            (None, of) => no_option("an `Option` of these", &of),
        },
        Shape::Vec(elem) => match *elem {
            Shape::Vec(_) | Shape::Slice(_) | Shape::Ref(..) => {
                rows_of("a vector of vectors or slices", &elem)
            }
            elem => {
                bad("a vector of these", format!("write `{name}: &[{}]`, and pass `&{name}`", element(&elem)))
            }
        },
        Shape::Slice(elem) => {
            bad("a slice without a reference", format!("write `{name}: &[{}]`", element(&elem)))
        }
        Shape::Infer | Shape::Parameter(_) => bad("of type `_`", format!("write `{name}: f64`")),
        Shape::Ref(_, inner) if is_communicator(&inner) => match content(&inner) {
            Some(content) => {
                Ok(HostParam::new(ParamKind::Communicator, HostValue::new(content, 0, outer), ty))
            }
            None => no_numbers(&inner),
        },
        Shape::Ref(mutable, inner) => match *inner {
            value @ (Shape::Scalar(_) | Shape::Record(_) | Shape::Tuple(_)) => {
                match content(&value).or_else(|| lent(&value)) {
                    Some(content) => {
                        let kind = ParamKind::ScalarRef { mutable };
                        Ok(HostParam::new(kind, HostValue::new(content, 0, outer), ty))
                    }
                    None => no_numbers(&value),
                }
            }
            Shape::Slice(elem) => match content(&elem).or_else(|| rows::element(&elem, outer?)) {
                Some(Content::Vector(of, _)) if is_float(&of) => match is_boxed_row(ty) {
                    true => rows_of("a slice of vectors or slices", &elem),
                    false => {
                        Ok(HostParam::new(ParamKind::Rows { mutable }, HostValue::new(*of, 2, None), ty))
                    }
                },
                Some(elem) => {
                    Ok(HostParam::new(ParamKind::Slice { mutable }, HostValue::new(elem, 1, outer), ty))
                }
                None => match &*elem {
                    Shape::Vec(_) | Shape::Slice(_) | Shape::Ref(..) => {
                        rows_of("a slice of vectors or slices", &elem)
                    }
                    Shape::Option(of, _) => bad("a slice of `Option`s of these", without_options(name, of)),
                    Shape::Record(_) => no_numbers(&elem),
                    Shape::Tuple(_) => bad(
                        "a slice of tuples that hold more than numbers, arrays and rows of numbers",
                        "write one parameter for each member".to_owned(),
                    ),
                    elem => bad("a slice of something else", format!("write `{name}: &[{}]`", element(elem))),
                },
            },
            Shape::Array(elem, _) => match content(&elem) {
                Some(elem) => {
                    Ok(HostParam::new(ParamKind::ArrayRef { mutable }, HostValue::new(elem, 1, outer), ty))
                }
                None => bad("an array of something else", format!("write `{name}: &[f64; N]`")),
            },
            Shape::NdArray(Form::View, rank, elem) if mutable => bad(
                "a view that is read, behind a `&mut`",
                format!(
                    "write `{name}: ArrayViewMut{rank}<'_, {elem}>`, or without `mut` if it is read alone"
                ),
            ),
            Shape::NdArray(form, rank, elem) => Ok(nd_param(form, rank, elem, true, mutable, ty)),
            Shape::Vec(elem) => match *elem {
                Shape::Vec(_) | Shape::Slice(_) | Shape::Ref(..) => {
                    rows_of("a vector of vectors or slices", &elem)
                }
                elem => {
                    let mutable = if mutable { "mut " } else { "" };
                    let help = format!("write `{name}: &{mutable}[{}]`", element(&elem));
                    bad("a reference to a vector or a box of these", help)
                }
            },
            value @ Shape::Option(..) => match (content(&value).or_else(|| lent(&value)), value) {
                (Some(content), _) => {
                    let kind = ParamKind::ScalarRef { mutable };
                    Ok(HostParam::new(kind, HostValue::new(content, 0, outer), ty))
                }
                (None, of) => no_option("a reference to an `Option` of these", &of),
            },
            Shape::Ref(..) => bad("a reference to a reference", format!("write `{name}: &[f64]`")),
            Shape::Infer | Shape::Parameter(_) => bad("of type `_`", format!("write `{name}: &f64`")),
        },
    }
}

/// Whether it is of the crate `mpi`, and no communicator.
fn is_of_ranks(shape: &Shape) -> bool {
    match shape {
        Shape::Record(record) => communicators::is_known(record) && !communicators::is_communicator(record),
        Shape::Ref(_, of)
        | Shape::Slice(of)
        | Shape::Array(of, _)
        | Shape::Vec(of)
        | Shape::Option(of, _) => is_of_ranks(of),
        _ => false,
    }
}

fn is_float(of: &Content) -> bool {
    matches!(of, Content::Scalar(Ty::Float(_)))
}

/// Whether the rows of `&[Box<[T]>]` are boxes.
fn is_boxed_row(ty: &Type) -> bool {
    array_element(ty).and_then(|row| vector_params::element(bare(row))).is_some_and(|(_, boxed)| boxed)
}

fn is_communicator(shape: &Shape) -> bool {
    matches!(shape, Shape::Record(record) if communicators::is_communicator(record))
}

/// How the numbers of a type are written that holds vectors, slices or references of them.
fn element(shape: &Shape) -> String {
    match shape {
        Shape::Scalar(ty) => ty.to_string(),
        Shape::Vec(elem) | Shape::Slice(elem) | Shape::Ref(_, elem) | Shape::Option(elem, _) => element(elem),
        Shape::Array(elem, len) => format!("[{}; {}]", element(elem), super::display::tidy(len)),
        Shape::Tuple(parts) => {
            let parts: Vec<String> = parts.iter().map(|(_, part)| element(part)).collect();
            format!("({})", parts.join(", "))
        }
        Shape::Record(record) => record.name.as_ref().map_or("f64".to_owned(), ToString::to_string),
        Shape::NdArray(..) | Shape::Infer | Shape::Parameter(_) => "f64".to_owned(),
    }
}

/// What to write in place of a slice of `Option`s of vectors or slices.
fn without_options(name: &str, of: &Shape) -> String {
    let of = element(of);
    format!("write flags beside rows of one length: `has_{name}: &[bool], {name}: &[Vec<{of}>]`")
}

fn nd_param(form: Form, rank: usize, elem: Ty, reference: bool, mutable: bool, ty: &Type) -> HostParam {
    let kind = ParamKind::NdArray { form, rank, reference, mutable };
    HostParam::new(kind, HostValue::new(Content::Scalar(elem), rank, None), ty)
}
