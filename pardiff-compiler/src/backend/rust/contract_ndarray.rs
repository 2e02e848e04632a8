//! Arrays of `ndarray` in the contract: their types, and the slices that bodies compute with.
//!
//! ```text
//! fn accumulate(a: ArrayView2<'_, f64>, mut d_a: ArrayViewMut2<'_, f64>) {
//!     …checks of shapes…
//!     let (a_dim0, a_dim1) = a.dim();
//!     let a = dense(a.view(), arena);                       // a copy where `a` is not in standard layout
//!     let mut d_a_dense = DenseMut::written(d_a.view_mut(), overwrite, arena);    // written back when it is dropped
//!     let d_a = d_a_dense.slice();
//!     …the body, with a[i * a_dim1 + j]…
//! }
//! ```
//!
//! Generated code names the types of `ndarray` through the runtime: what the user imports is not known in the module, and
//! where the user's crate has another version of `ndarray`, rustc says so at the call of the body.

use super::contract::Contract;
use super::names::Names;
use super::storage::Storage;
use super::{Code, code, literal, user};
use crate::backend::interface::{Access, Argument};
use crate::modes::{Entry, Mode};
use crate::ndarray::{self, Form};
use crate::signature::{Param, ParamKind};
use proc_macro2::{Ident, Span};
use syn::Type;

/// The type of the elements, if it is a type of `ndarray`, or a reference to one.
pub(super) fn element(ty: &Type) -> Option<&Type> {
    ndarray::written(super::contract_types::referent(ty))?.ok().map(|array| array.elem)
}

fn named(runtime: &Code, form: Form, rank: usize, elem: &Code, lifetime: Code) -> Code {
    let name = Ident::new(&format!("{}{rank}", form.name()), Span::mixed_site());
    match form.is_view() {
        true => code!(#runtime::ndarray::#name<#lifetime, #elem>),
        false => code!(#runtime::ndarray::#name<#elem>),
    }
}

/// The type of an argument inside the module; `None` if it is no array of `ndarray`.
pub(crate) fn written_type(argument: &Argument<'_>, runtime: &Code) -> Option<Code> {
    match argument.is_primal() || argument.access == Access::Read {
        true => primal(argument.param, usize::from(argument.batch.is_some()), runtime),
        false => written_through(argument.param, usize::from(argument.batch.is_some()), runtime),
    }
}

/// The type of the parameter, with `more` axes.
fn primal(param: &Param, more: usize, runtime: &Code) -> Option<Code> {
    let ParamKind::NdArray { form, rank, reference, mutable } = param.kind else { return None };
    let array = ndarray::written(super::contract_types::referent(&param.ty))?.ok()?;
    let elem = user(&array.elem);
    let lifetime = array.lifetime.map_or_else(|| code!('_), |lifetime| user(&lifetime));
    let ty = named(runtime, form, rank + more, &elem, lifetime);
    let outer = match super::contract_types::bare(&param.ty) {
        Type::Reference(of) => of.lifetime.as_ref().map(|lifetime| user(&lifetime)),
        _ => None,
    };
    Some(match (reference, mutable) {
        (false, _) => ty,
        (true, false) => code!(&#outer #ty),
        (true, true) => code!(&#outer mut #ty),
    })
}

/// The type of a companion that is written: what the parameter would be if its elements were, with `more` axes.
fn written_through(param: &Param, more: usize, runtime: &Code) -> Option<Code> {
    let ParamKind::NdArray { form, rank, reference, .. } = param.kind else { return None };
    let elem = user(&element(&param.ty)?);
    let form = if form == Form::View { Form::ViewMut } else { form };
    let ty = named(runtime, form, rank + more, &elem, code!('_));
    Some(if reference { code!(&mut #ty) } else { ty })
}

/// The check that a companion of an argument has its shape, in a batch with one axis more: what the companion is, and
/// how it and the array are called.
pub(crate) fn alike(
    argument: &Argument<'_>,
    runtime: &Code,
    function: &Code,
    (derivative, companion): (&Code, &Code),
    array: &Code,
) -> Code {
    let Argument { primal, name, .. } = argument;
    match argument.batch.map(literal::usize) {
        None => code! {
            if #name.shape() != #primal.shape() {
                #runtime::ndarray::wrong_shape(#function, #derivative, #companion, #name.shape(), #array, #primal.shape())
            }
        },
        Some(width) => code! {
            if #name.shape().split_last() != ::core::option::Option::Some((&#width, #primal.shape())) {
                #runtime::ndarray::wrong_batch(#function, #derivative, #companion, #name.shape(), #array, #primal.shape(), #width)
            }
        },
    }
}

/// The type of a field of `Gradient`.
pub(super) fn owned(param: &Param, runtime: &Code) -> Option<Code> {
    let ParamKind::NdArray { rank, .. } = param.kind else { return None };
    let elem = user(&element(&param.ty)?);
    Some(named(runtime, Form::Owned, rank, &elem, code!()))
}

/// Zeros of the shape of the argument `name`.
pub(super) fn zeros(param: &Param, name: &Ident, runtime: &Code) -> Option<Code> {
    let ParamKind::NdArray { rank, .. } = param.kind else { return None };
    let array = Ident::new(&format!("Array{rank}"), Span::mixed_site());
    Some(code!(#runtime::ndarray::#array::zeros(#name.raw_dim())))
}

/// How the local `name`, of the type of a field, is handed on as the adjoint.
pub(super) fn lent(param: &Param, name: &Ident) -> Code {
    match param.kind {
        ParamKind::NdArray { form, reference: true, .. } if form.is_view() => code!(&mut #name.view_mut()),
        ParamKind::NdArray { form, .. } if form.is_view() => code!(#name.view_mut()),
        _ => code!(&mut #name),
    }
}

/// The slice that a body computes with instead of an array.
pub(super) struct Slice {
    /// What stands in front of the body.
    pub(super) bound: Code,
    /// The parameters of the body: the slice and the extents.
    pub(super) arguments: Vec<(Ident, Code)>,
    /// How the body finds the elements.
    pub(super) storage: Storage,
}

impl Contract<'_> {
    /// The elements of the argument `name` as a slice of that name, for a buffer of that many dimensions: those of the array,
    /// or one where its shape is not asked for. The extents are the primal's, so that an adjoint has none of its own where that is given.
    pub(super) fn slice(
        &self,
        argument: &Argument<'_>,
        mode: Mode,
        rank: usize,
        arena: &Ident,
        names: &mut Names,
    ) -> Option<Slice> {
        let Argument { param, name, .. } = argument;
        let runtime = &self.runtime;
        let elem = user(&element(&param.ty)?);
        let mut arguments = Vec::new();
        let mut bound = Code::new();
        let mut extents = vec![None; rank];
        if (argument.is_primal() || self.is_alone(mode, argument)) && rank > 1 {
            let locals: Vec<Ident> = (0..rank).map(|dim| names.fresh(&format!("{name}_dim{dim}"))).collect();
            bound.push(code!(let (#(#locals),*) = #name.dim();));
            extents = locals.iter().cloned().map(Some).collect();
            arguments.extend(locals.into_iter().map(|local| (local, code!(usize))));
        }
        let ty = if argument.access == Access::Read {
            bound.push(code!(let #name = #runtime::ndarray::dense(#name.view(), #arena);));
            code!(&[#elem])
        } else {
            let dense = names.fresh(&format!("{name}_dense"));
            let overwrite = &self.overwrite;
            let made = match argument.access {
                Access::Add if mode.accumulates() => code!(written(#name.view_mut(), #overwrite, #arena)),
                _ => code!(new(#name.view_mut(), #arena)),
            };
            bound.push(code! {
                let mut #dense = #runtime::ndarray::DenseMut::#made;
                let #name = #dense.slice();
            });
            code!(&mut [#elem])
        };
        arguments.push((name.clone(), ty));
        let storage = match argument.access != Access::Read {
            true => Storage::Heap { name: name.clone(), extents, grows: false },
            false => Storage::Flat { name: name.clone(), extents, disjoint: false },
        };
        Some(Slice { bound, arguments, storage })
    }
}

impl Contract<'_> {
    /// Zeros in the slices of the adjoints that are to be overwritten, but for those that the program sets by itself.
    pub(super) fn cleared_slices(&self, entry: &Entry, tasks: bool) -> Code {
        let arrays = self.interface.companions(entry.mode).filter(|it| {
            matches!(it.param.kind, ParamKind::NdArray { .. } | ParamKind::Rows { .. })
                && !self.unset(entry, it).is_empty()
        });
        let cleared = arrays.map(|Argument { name, .. }| {
            let runtime = &self.runtime;
            if tasks { code!(#runtime::fill(#name, 0.0);) } else { code!(#name.fill(0.0);) }
        });
        let cleared: Code = cleared.collect();
        let overwrite = &self.overwrite;
        if cleared.is_empty() { cleared } else { code!(if #overwrite { #cleared }) }
    }
}

/// `mut` where the argument is a view by value that is written through.
pub(crate) fn binding(argument: &Argument<'_>) -> Code {
    match argument.param.kind {
        ParamKind::NdArray { reference: false, .. } if argument.access != Access::Read => code!(mut),
        _ => code!(),
    }
}
