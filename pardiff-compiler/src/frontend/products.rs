//! Values of sum types, enums and options, in the signature of bodies: each is the product of all that it may hold. So is
//! one of a type whose members are private: the product of these.
//!
//! ```text
//! enum Shape { Ball { radius: f64 }, Slab([f64; 2]), Nothing }
//! fn area(shapes: &[Shape]) -> f64                        // bodies take `shapes: &[(i64, f64, [f64; 2])]`
//!
//! struct Filter { taps: Vec<f64>, last: Option<f64> }
//! fn step(filter: &mut Filter, x: f64) -> f64             // bodies take `filter_taps: &mut [f64]`,
//!                                                         // `filter_last: &mut (bool, f64)` and `x: f64`
//!
//! fn turned(by: &UnitQuaternion<f64>, at: Vector3<f64>) -> Vector3<f64>      // bodies take `by: &(Quaternion<f64>,)`
//!
//! struct Spring { name: String, stiffness: f64 }
//! fn energy(all: &[Spring], x: f64) -> f64                // bodies take `all: &[((), f64)]`
//! ```
//!
//! Legal because a product has the buffers of the sum in the same order: a program knows neither. What a value does not
//! hold is zero in the product, and is read nowhere. Functions around bodies convert arguments and results.

use super::host_values::{HostLeaf, HostValue};
use super::param_types::{array_element, bare, tuple};
use crate::signature::{
    Content, Field, Leaf, Param, ParamKind, Part, Product, Record, ResultShape, Returned, Signature,
    member_name, sharing_pointer,
};
use quote::format_ident;
use std::rc::Rc;
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Member, Type};

/// The signature of bodies where a value is a product in them, and another one outside.
pub(super) fn as_products(signature: &Signature) -> Option<Signature> {
    let results = signature.result.members();
    if !signature.params.iter().any(Param::is_product) && !results.iter().any(Returned::is_product) {
        return None;
    }
    let params = signature.params.iter().flat_map(|param| match (&param.record, param.is_product()) {
        (Some(record), true) if record.is_open_sum() => vec![alone(param, record)],
        (Some(record), true) if record.owns_vectors() => parts(param, record),
        (Some(record), true) => vec![whole(param, record)],
        _ => vec![param.clone()],
    });
    let returned = |of: &Returned| match &of.record {
        Some(record) if of.is_product() => {
            let (ty, record, leaves) = product_of(&of.ty, record, &of.leaves);
            let product_of = of.record.clone();
            Returned { ty, record: Some(record), leaves, product_of }
        }
        _ => of.clone(),
    };
    let result = match &signature.result {
        ResultShape::Unit => ResultShape::Unit,
        ResultShape::One(one) => ResultShape::One(returned(one)),
        ResultShape::Tuple(members) => ResultShape::Tuple(members.iter().map(returned).collect()),
    };
    Some(Signature { params: params.collect(), result, ..signature.clone() })
}

/// A parameter that is a product as a whole.
fn whole(param: &Param, record: &Rc<Record>) -> Param {
    let (ty, product, leaves) = product_of(&param.ty, record, &param.leaves);
    let of = Product {
        of: param.name.clone(),
        way: Vec::new(),
        ty: param.ty.clone(),
        record: Some(record.clone()),
        pointer: None,
        is_one: false,
    };
    Param { ty, record: Some(product), leaves, product: Some(Rc::new(of)), vector: None, ..param.clone() }
}

/// An enum or an option with vectors in it: a slice of one.
fn alone(param: &Param, record: &Rc<Record>) -> Param {
    let mutable = param.kind.is_output();
    let held = match bare(&param.ty) {
        Type::Reference(reference) => &*reference.elem,
        held => held,
    };
    let mutability = mutable.then(<syn::Token![mut]>::default);
    let of = param.name.clone();
    let product =
        Product { of, way: Vec::new(), ty: param.ty.clone(), record: None, pointer: None, is_one: true };
    Param {
        ty: syn::parse_quote!(&#mutability [#held]),
        kind: ParamKind::Slice { mutable },
        vector: None,
        elements: Some(Content::Record(record.clone())),
        product: Some(Rc::new(product)),
        ..param.clone()
    }
}

/// The parts of a struct that owns vectors, a parameter each.
fn parts(param: &Param, record: &Rc<Record>) -> Vec<Param> {
    let mutable = param.kind.is_output();
    let mut leaves = param.leaves.iter();
    let parts = record.parts().into_iter().map(|Part { way, field, .. }| {
        let (of, referent) = match &field.content {
            Content::Vector(of, elem) if of.is_vector() && !of.is_ragged() => {
                (ParamKind::Rows { mutable }, slice_of(elem))
            }
            Content::Vector(_, elem) => (ParamKind::Slice { mutable }, slice_of(elem)),
            content if content.open_sum().is_some() => (ParamKind::Slice { mutable }, slice_of(&field.ty)),
            Content::Array(_) => (ParamKind::ArrayRef { mutable }, field.ty.clone()),
            _ => (ParamKind::ScalarRef { mutable }, field.ty.clone()),
        };
        let mutability = mutable.then(<syn::Token![mut]>::default);
        let ty: Type = syn::parse_quote!(&#mutability #referent);
        let count = HostValue::new(field.content.clone(), 0, None).leaves.len();
        let own: Vec<Leaf> = leaves
            .by_ref()
            .take(count)
            .map(|leaf| Leaf { path: leaf.path[way.len()..].to_vec(), ..leaf.clone() })
            .collect();
        let words: Vec<String> = way.iter().map(member_name).collect();
        let name = format_ident!("{}_{}", param.name.unraw(), words.join("_"), span = param.name.span());
        let active = param.active && own.iter().any(|leaf| leaf.elem.is_float());
        let part = Param {
            name,
            ty: ty.clone(),
            kind: of,
            vector: None,
            leaves: own,
            record: field.content.record().cloned(),
            elements: match &field.content {
                Content::Vector(of, _) if of.is_ragged() => Some((**of).clone()),
                content => content.open_sum().map(|_| content.clone()),
            },
            active,
            product: None,
        };
        let whole = match &part.record {
            Some(record) if record.has_products() && part.elements.is_none() => whole(&part, record),
            _ => part,
        };
        let record = whole.product.as_ref().and_then(|it| it.record.clone());
        let pointer = sharing_pointer(&field.ty).cloned();
        let (of, is_one) = (param.name.clone(), field.content.open_sum().is_some());
        let product = Product { of, way, ty, record, pointer, is_one };
        Param { product: Some(Rc::new(product)), ..whole }
    });
    parts.collect()
}

fn slice_of(elem: &Type) -> Type {
    syn::parse_quote!([#elem])
}

/// A value of this type as a product: its type, its record, its buffers.
fn product_of(ty: &Type, record: &Rc<Record>, leaves: &[Leaf]) -> (Type, Rc<Record>, Vec<Leaf>) {
    let (product, ty) = (product(record), product_type(ty, record));
    let host = HostValue::new(Content::Record(product.clone()), arrays_around(&ty), array_element(&ty));
    let leaves = host.leaves.into_iter().zip(leaves).map(|(host, leaf)| {
        let HostLeaf { elem, path, outer, of_enum, is_constant } = host;
        Leaf { buffer: leaf.buffer, elem, path, outer, of_enum, is_constant }
    });
    (ty, product, leaves.collect())
}

/// How many arrays are around a record.
fn arrays_around(ty: &Type) -> usize {
    match bare(ty) {
        Type::Reference(reference) => arrays_around(&reference.elem),
        Type::Array(array) => 1 + arrays_around(&array.elem),
        Type::Slice(slice) => 1 + arrays_around(&slice.elem),
        _ => 0,
    }
}

/// The tuple of all that a value may hold.
fn product(record: &Rc<Record>) -> Rc<Record> {
    if !record.has_products() {
        return record.clone();
    }
    let fields = record.fields.iter().enumerate().map(|(at, field)| {
        let index = syn::Index { index: at as u32, span: field.ty.span() };
        let ty = match (&field.content, field.content.record()) {
            (Content::Unknown { .. }, _) => syn::parse_quote!(()),
            (_, Some(record)) => product_type(&field.ty, record),
            (_, None) => field.ty.clone(),
        };
        Field { member: Member::Unnamed(index), ty, content: product_content(&field.content) }
    });
    tuple(fields.collect())
}

fn product_content(content: &Content) -> Content {
    match content {
        Content::Record(record) => Content::Record(product(record)),
        Content::Array(elem) => Content::Array(Box::new(product_content(elem))),
        other => other.clone(),
    }
}

/// The type of a value with products at the bottom of it.
fn product_type(ty: &Type, record: &Rc<Record>) -> Type {
    if !record.has_products() {
        return ty.clone();
    }
    match bare(ty) {
        Type::Reference(reference) => {
            let elem = Box::new(product_type(&reference.elem, record));
            Type::Reference(syn::TypeReference { elem, ..reference.clone() })
        }
        Type::Slice(slice) => {
            let elem = Box::new(product_type(&slice.elem, record));
            Type::Slice(syn::TypeSlice { elem, ..slice.clone() })
        }
        Type::Array(array) => {
            let elem = Box::new(product_type(&array.elem, record));
            Type::Array(syn::TypeArray { elem, ..array.clone() })
        }
        _ => {
            let fields: Vec<Type> = product(record).fields.iter().map(|field| field.ty.clone()).collect();
            syn::parse_quote!((#(#fields,)*))
        }
    }
}
