//! Parameters that are vectors: generated functions take slices in their place, to which a caller lends a vector.
//!
//! ```text
//! fn f(x: &Vec<f64>, y: &mut Vec<f64>, k: Vec<usize>, w: Box<[f64]>) -> f64
//! f::grad(x: &[f64], d_x: &mut [f64], y: &mut [f64], d_y: &mut [f64], k: &[usize], w: &[f64], d_w: &mut [f64])
//! ```
//!
//! A struct that owns vectors and is moved into the function is passed behind a reference, `layer: Layer` as
//! `layer: &Layer`.
//!
//! The length of what is behind a `&mut` is then that which it had before the call: a function that changes it is refused
//! where it does. What is moved into the function is read from a slice, and copied where the function changes it.

use super::module::Module;
use super::param_types::{Shape, bare, content, lent, shape};
use super::rows;
use crate::refusal::Refusal;
use crate::signature::{Vector, sharing_pointer, vector_element};
use syn::{GenericArgument, PathArguments, Type, TypeReference};

/// The slice or reference in place of a parameter of this type, if it is a vector of values that slices have, or a
/// struct that owns vectors.
pub(super) fn as_lent(module: &Module, ty: &Type) -> Result<Option<(Type, Vector)>, Refusal> {
    let (reference, held) = match bare(ty) {
        Type::Reference(reference) => (Some(reference), bare(&reference.elem)),
        held => (None, held),
    };
    let elem = match shape(module, held)? {
        Shape::Vec(elem) => elem,
        shape => {
            let record = lent(&shape).filter(|_| reference.is_none());
            let is_moved = record.is_some_and(|of| of.record().is_some_and(|it| it.owns_vectors()));
            let vector = Vector { boxed: false, moved: true };
            return Ok(is_moved.then(|| (syn::parse_quote!(&#held), vector)));
        }
    };
    let is_known =
        content(&elem).is_some() || element(held).is_some_and(|(ty, _)| rows::element(&elem, &ty).is_some());
    let Some((elem, boxed)) = element(held).filter(|_| is_known) else { return Ok(None) };
    let mut lent: TypeReference = syn::parse_quote!(&[#elem]);
    if let Some(TypeReference { lifetime, mutability, .. }) = reference {
        lent.lifetime.clone_from(lifetime);
        lent.mutability = *mutability;
        // a slice of what is in the box could not be put back where a function replaces the box
        if boxed && mutability.is_some() {
            return Ok(None);
        }
    }
    Ok(Some((Type::Reference(lent), Vector { boxed, moved: reference.is_none() })))
}

/// The type of the elements, and whether they are in a box or shared.
pub(super) fn element(held: &Type) -> Option<(Type, bool)> {
    let Type::Path(path) = Some(held).filter(|held| vector_element(held).is_some())? else { return None };
    let PathArguments::AngleBracketed(args) = &path.path.segments.last()?.arguments else { return None };
    let GenericArgument::Type(of) = args.args.first()? else { return None };
    match bare(of) {
        Type::Slice(slice) => Some(((*slice.elem).clone(), true)),
        of if sharing_pointer(held).is_some() => element(of).map(|(elem, _)| (elem, true)),
        of => Some((of.clone(), false)),
    }
}
