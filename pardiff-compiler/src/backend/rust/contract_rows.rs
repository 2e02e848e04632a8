//! Vectors of vectors in the contract: bodies compute with one array, into which rows of one length are copied, and
//! from which they are written back.
//!
//! ```text
//! fn accumulate(x: &[Vec<f64>], d_x: &mut [Vec<f64>]) {
//!     …the rows of `d_x` are as long as those of `x`, or a panic…
//!     let (x_dim0, x_dim1) = rows::extents("f", "x", x);          // panics where rows have several lengths
//!     let x = rows::dense(x, arena);
//!     let mut d_x_dense = rows::DenseMut::new(d_x, arena);        // written back when it is dropped
//!     let d_x = d_x_dense.slice();
//!     …the body, with x[i * x_dim1 + j]…
//! }
//! ```

use super::contract::Contract;
use super::contract_ndarray::Slice;
use super::contract_types::referent;
use super::names::{Names, unraw};
use super::storage::Storage;
use super::{Code, code, literal, user};
use crate::backend::interface::{Access, Argument};
use crate::modes::Mode;
use crate::signature::vector_element;
use proc_macro2::Ident;
use syn::Type;

/// The type of the elements of `&[Vec<T>]`.
pub(super) fn element(ty: &Type) -> Option<&Type> {
    match referent(ty) {
        Type::Slice(slice) => vector_element(&slice.elem),
        _ => None,
    }
}

impl Contract<'_> {
    /// The elements of the argument `name` as a slice of that name.
    pub(super) fn slice_of_rows(
        &self,
        argument: &Argument<'_>,
        mode: Mode,
        arena: &Ident,
        names: &mut Names,
    ) -> Option<Slice> {
        let Argument { param, name, .. } = argument;
        let runtime = &self.runtime;
        let elem = user(element(&param.ty)?);
        let (mut arguments, mut bound, mut extents) = (Vec::new(), Code::new(), vec![None; 2]);
        if argument.is_primal() || self.is_alone(mode, argument) {
            let (function, shown) = (literal::string(&self.signature.shown()), literal::string(&unraw(name)));
            let locals: Vec<Ident> = (0..2).map(|dim| names.fresh(&format!("{name}_dim{dim}"))).collect();
            bound.push(code!(let (#(#locals),*) = #runtime::rows::extents(#function, #shown, #name);));
            extents = locals.iter().cloned().map(Some).collect();
            arguments.extend(locals.into_iter().map(|local| (local, code!(usize))));
        }
        let (ty, storage) = match argument.access {
            Access::Read => {
                bound.push(code!(let #name = #runtime::rows::dense(#name, #arena);));
                (code!(&[#elem]), Storage::Flat { name: name.clone(), extents, disjoint: false })
            }
            Access::Add | Access::Through => {
                let dense = names.fresh(&format!("{name}_dense"));
                bound.push(code! {
                    let mut #dense = #runtime::rows::DenseMut::new(#name, #arena);
                    let #name = #dense.slice();
                });
                (code!(&mut [#elem]), Storage::Heap { name: name.clone(), extents, grows: false })
            }
        };
        arguments.push((name.clone(), ty));
        Some(Slice { bound, arguments, storage })
    }

    /// The check that a companion has the lengths of its parameter.
    pub(super) fn shape_of_rows(&self, argument: &Argument<'_>) -> Code {
        let Argument { primal, name, .. } = argument;
        let (runtime, function) = (&self.runtime, literal::string(&self.signature.shown()));
        let derivative = literal::string(argument.word());
        let [own, array] = [name, primal].map(|of| literal::string(&unraw(of)));
        code!(#runtime::rows::same_shape(#function, #derivative, #own, #name, #array, #primal);)
    }
}
