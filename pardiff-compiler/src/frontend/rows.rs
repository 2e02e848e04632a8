//! Rows of numbers: the elements of vectors of vectors, and of vectors of tuples and structs with vectors.

use super::param_types::{Shape, held, tuple};
use crate::signature::{Content, Field, sharing_pointer};
use syn::spanned::Spanned;
use syn::{Member, Type};

/// `Vec<T>` of numbers, where it is a row of a vector.
pub(super) fn is_row(shape: &Shape) -> bool {
    matches!(shape, Shape::Vec(elem) if matches!(**elem, Shape::Scalar(_)))
}

/// What such a row holds.
pub(super) fn row(shape: &Shape, ty: &Type) -> Option<Content> {
    (is_row(shape) && sharing_pointer(ty).is_none()).then(|| held(shape, ty)).flatten()
}

/// A struct or a tuple with vectors as an element of a slice: besides these it holds numbers and arrays of numbers.
pub(super) fn element_with_rows(shape: &Shape) -> Option<Content> {
    let record = match shape {
        // of a matrix of a known crate, its numbers of rows and columns are no fields
        Shape::Record(record) if record.of_crate.is_some() && record.fields.len() > 1 => return None,
        Shape::Record(record) if record.is_lent() && !record.is_enum() => record.clone(),
        Shape::Tuple(members) => {
            let fields = members.iter().enumerate().map(|(position, (ty, member))| {
                let index = syn::Index { index: position as u32, span: ty.span() };
                Some(Field { member: Member::Unnamed(index), ty: ty.clone(), content: held(member, ty)? })
            });
            tuple(fields.collect::<Option<_>>()?)
        }
        _ => return None,
    };
    let is_number = |content: &Content| matches!(content, Content::Scalar(_));
    let is_row_of = |field: &Field| match &field.content {
        Content::Vector(elem, _) | Content::Array(elem) => is_number(elem),
        Content::Unknown { .. } => true,
        content => is_number(content),
    };
    let has_rows = record.fields.iter().any(|field| matches!(field.content, Content::Vector(..)));
    (has_rows && record.fields.iter().all(is_row_of)).then_some(Content::Record(record))
}
