//! Elements of slices and vectors that are vectors, or tuples and structs with vectors.

use super::known_crates;
use super::param_types::{Shape, content, element_of_vector, held, option, tuple};
use crate::signature::{Content, Field, Record, sharing_pointer};
use syn::spanned::Spanned;
use syn::{Member, Type};

/// An element with vectors in it, which have lengths of their own; those of a vector of vectors of floats have one.
/// Besides these it holds numbers and arrays of numbers, also in other structs, tuples, enums and options.
pub(super) fn element(shape: &Shape, ty: &Type) -> Option<Content> {
    let element = match shape {
        Shape::Vec(of) if sharing_pointer(ty).is_none() => {
            let inner = element_of_vector(ty)?;
            let of = content(of).or_else(|| element(of, &inner))?;
            Content::Vector(Box::new(of), Box::new(inner))
        }
        Shape::Record(record) if record.is_lent() => Content::Record(record.clone()),
        Shape::Option(of, ty) => Content::Record(option(held(of, ty)?, ty)),
        Shape::Tuple(members) => {
            let fields = members.iter().enumerate().map(|(position, (ty, member))| {
                let index = syn::Index { index: position as u32, span: ty.span() };
                Some(Field { member: Member::Unnamed(index), ty: ty.clone(), content: held(member, ty)? })
            });
            Content::Record(tuple(fields.collect::<Option<_>>()?))
        }
        _ => return None,
    };
    (element.has_vectors() && is_gathered(&element, ty)).then_some(element)
}

/// Whether the numbers in a value of the type are copied, each into an array of its own.
pub(super) fn is_gathered(content: &Content, ty: &Type) -> bool {
    let is_number = |content: &Content| matches!(content, Content::Scalar(_));
    match content {
        Content::Scalar(_) | Content::Unknown { .. } => true,
        Content::Array(of) => is_number(of),
        Content::Vector(of, _) if is_number(of) => true,
        Content::Vector(of, elem) => sharing_pointer(ty).is_none() && is_gathered(of, elem),
        Content::Record(record) => is_gathered_record(record),
        Content::Open => false,
    }
}

fn is_gathered_record(record: &Record) -> bool {
    // of a matrix of a known crate, its numbers of rows and columns are no fields
    if record.of_crate.is_some() {
        let is_vector = record.fields.iter().all(|field| field.content.is_vector());
        return record.fields.len() == 1 && (is_vector || known_crates::is_of_std(record));
    }
    record.fields.iter().all(|field| is_gathered(&field.content, &field.ty))
}
