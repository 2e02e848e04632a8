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
//!
//! A field that is a vector of vectors is lent in the same way. What is in the elements of slices and vectors of
//! structs is gathered (see `contract_elements`).

use super::contract::Contract;
use super::contract_lent::{Lent, Owned, members, shown};
use super::contract_ndarray::Slice;
use super::contract_types::referent;
use super::names::{Names, unraw};
use super::storage::Storage;
use super::{Code, code, literal, user};
use crate::backend::interface::{Access, Argument};
use crate::ir::{BufferId, Program};
use crate::modes::Mode;
use crate::signature::{Leaf, ParamKind, vector_element};
use proc_macro2::Ident;
use syn::Type;

/// How a copy of rows is indexed.
pub(super) struct Rows {
    /// The extents that a body takes beside it.
    pub(super) extents: Vec<(Ident, Code)>,
    pub(super) storage: Storage,
}

/// Copies of the rows of an argument.
pub(super) struct Dense<'a> {
    pub(super) contract: &'a Contract<'a>,
    pub(super) argument: &'a Argument<'a>,
    pub(super) program: &'a Program,
    pub(super) mode: Mode,
    pub(super) arena: &'a Ident,
    pub(super) names: &'a mut Names,
}

impl Dense<'_> {
    /// A field that is a vector of vectors.
    pub(super) fn of_field(&mut self, part: Owned<'_>) -> Lent {
        let (of, way) = (&self.argument.name, members(&part.way));
        self.of_one_length(part, code!(#of #way))
    }

    /// A copy of the rows of one length of a field.
    fn of_one_length(&mut self, part: Owned<'_>, rows: Code) -> Lent {
        let (runtime, argument, name) =
            (&self.contract.runtime, self.argument, part.name(self.argument, self.names));
        let text = literal::string(&format!("{}{}", unraw(&argument.name), shown(&part.way)));
        let function = literal::string(&self.contract.signature.shown());
        let extents = code!(#runtime::rows::extents(#function, #text, &#rows));
        let [(buffer, leaf)] = &part.leaves[..] else { unreachable!("rows are of numbers") };
        self.dense(name, rows, extents, (*buffer, leaf.clone()))
    }

    /// A copy of what `rows` names, an array with these extents.
    pub(super) fn dense(&mut self, name: Ident, rows: Code, of: Code, leaf: (BufferId, Leaf)) -> Lent {
        let (runtime, arena, argument) = (&self.contract.runtime, self.arena, self.argument);
        let (elem, rank) = (literal::ty(self.program[leaf.0].elem), self.program[leaf.0].rank());
        let (mut bound, mut extents, mut locals) = (Code::new(), vec![None; rank], Vec::new());
        if argument.is_primal() || self.contract.is_alone(self.mode, argument) {
            let new = |dim| self.names.fresh(&format!("{name}_dim{dim}"));
            locals = (0..rank).map(new).collect::<Vec<Ident>>();
            bound.push(match &locals[..] {
                [len] => code!(let #len = #of;),
                locals => code!(let (#(#locals),*) = #of;),
            });
            extents = locals.iter().cloned().map(Some).collect();
        }
        let mutable = argument.access != Access::Read;
        let (ty, storage) = match mutable {
            false => {
                bound.push(code!(let #name: &[#elem] = #runtime::rows::dense(&#rows, #arena);));
                (code!(&[#elem]), Storage::Flat { name: name.clone(), extents, disjoint: false })
            }
            true => {
                let dense = self.names.fresh(&format!("{name}_dense"));
                bound.push(code! {
                    let mut #dense = #runtime::rows::DenseMut::new(&mut #rows, #arena);
                    let #name: &mut [#elem] = #dense.slice();
                });
                (code!(&mut [#elem]), Storage::Heap { name: name.clone(), extents, grows: false })
            }
        };
        let extents = locals.into_iter().map(|local| (local, code!(usize))).collect();
        let kind = ParamKind::Slice { mutable };
        Lent { name, bound, ty, kind, leaves: vec![leaf], rows: Some(Rows { extents, storage }) }
    }
}

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
