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
//! A field that is a vector of vectors is lent in the same way. Of a slice of structs or tuples with vectors, each
//! member is gathered from all of them:
//!
//! ```text
//! let data_0: Vec<&[f64]> = data.iter().map(|each| &each.0[..]).collect();         // data: &[(Vec<f64>, f64)]
//! let data_1: Vec<&[f64]> = data.iter().map(|each| slice::from_ref(&each.1)).collect();
//! ```

use super::contract::Contract;
use super::contract_lent::{Lent, Owned, members, shown};
use super::contract_ndarray::Slice;
use super::contract_records::written_place;
use super::contract_types::referent;
use super::names::{Names, unraw};
use super::storage::Storage;
use super::{Code, code, literal, user};
use crate::backend::interface::{Access, Argument};
use crate::ir::Program;
use crate::modes::Mode;
use crate::signature::{Content, ParamKind, Part, Record, sharing_pointer, vector_element};
use proc_macro2::{Ident, Span};
use quote::format_ident;
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
        self.copied(part, code!(#of #way), Code::new(), "")
    }

    /// The members of the elements of a slice.
    pub(super) fn of_elements(&mut self, parts: Vec<Owned<'_>>) -> Vec<Lent> {
        let (of, each) = (&self.argument.name, Ident::new("each", Span::mixed_site()));
        let rows: Vec<Ident> = parts
            .iter()
            .map(|part| format_ident!("rows_of_{}", part.name(self.argument, self.names)))
            .collect();
        let mutable = self.argument.access != Access::Read;
        let (row_type, by) = match mutable {
            true => (code!(&mut), code!(iter_mut)),
            false => (code!(&), code!(iter)),
        };
        let [mut pattern, mut types, mut values] = [code!(()), code!(()), code!(())];
        for (part, name) in parts.iter().zip(&rows).rev() {
            let elem = self.elem(part);
            let row = row_of(part, code!(#each), mutable);
            let binding = mutable.then(|| code!(mut));
            pattern = code!((#binding #name, #pattern));
            types = code!((::std::vec::Vec<#row_type [#elem]>, #types));
            values = code!((#row, #values));
        }
        let mut gathered = code!(let #pattern: #types = #of.#by().map(|#each| #values).unzip(););
        let lent = parts
            .into_iter()
            .zip(rows)
            .map(|(part, rows)| self.copied(part, code!(#rows), std::mem::take(&mut gathered), "[]"));
        lent.collect()
    }

    fn elem(&self, part: &Owned<'_>) -> Ident {
        format_ident!("{}", self.program[part.leaves[0].0].elem.to_string())
    }

    /// A copy of what `rows` names, which stands behind `before`.
    fn copied(&mut self, part: Owned<'_>, rows: Code, before: Code, of_elements: &str) -> Lent {
        let (runtime, arena, argument) = (&self.contract.runtime, self.arena, self.argument);
        let name = part.name(argument, self.names);
        let elem = self.elem(&part);
        let rank = self.program[part.leaves[0].0].rank();
        let (mut bound, mut extents, mut locals) = (before, vec![None; rank], Vec::new());
        if argument.is_primal() || self.contract.is_alone(self.mode, argument) {
            let function = literal::string(&self.contract.signature.shown());
            let text =
                literal::string(&format!("{}{of_elements}{}", unraw(&argument.name), shown(&part.way)));
            locals =
                (0..rank).map(|dim| self.names.fresh(&format!("{name}_dim{dim}"))).collect::<Vec<Ident>>();
            bound.push(match &locals[..] {
                [rows_of, len] => {
                    code!(let (#rows_of, #len) = #runtime::rows::extents(#function, #text, &#rows);)
                }
                locals => locals.iter().map(|local| code!(let #local = #rows.len();)).collect(),
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
        Lent { name, bound, ty, kind, leaves: part.leaves, rows: Some(Rows { extents, storage }) }
    }
}

/// The numbers of a member as a row.
fn row_of(part: &Owned<'_>, each: Code, mutable: bool) -> Code {
    let way = members(&part.way);
    let (reference, from) = match mutable {
        true => (code!(&mut), code!(::core::slice::from_mut)),
        false => (code!(&), code!(::core::slice::from_ref)),
    };
    match &part.field.content {
        _ if part.is_of_crate && mutable => code!(#each #way.as_mut_slice()),
        _ if part.is_of_crate => code!(#each #way.as_slice()),
        Content::Scalar(_) => code!(#from(#reference #each #way)),
        _ => {
            let pointer = sharing_pointer(&part.field.ty).filter(|_| mutable);
            let place = written_place(code!(#each #way), pointer);
            code!(#reference #place[..])
        }
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

    /// The checks that the vectors in the elements of a companion are as long as those of its parameter.
    pub(super) fn lengths_in_elements(&self, argument: &Argument<'_>, record: &Record) -> Code {
        let Argument { primal, name, .. } = argument;
        let (runtime, function) = (&self.runtime, literal::string(&self.signature.shown()));
        let derivative = literal::string(argument.word());
        let with_floats = record.parts().into_iter().filter(|Part { field, .. }| match &field.content {
            Content::Vector(elem, _) => elem.has_floats(),
            _ => false,
        });
        let checks = with_floats.map(|Part { way, is_of_crate, .. }| {
            let [own, array] =
                [name, primal].map(|of| literal::string(&format!("{}[]{}", unraw(of), shown(&way))));
            let way = members(&way);
            let row = if is_of_crate { code!(each #way.as_slice()) } else { code!(&each #way[..]) };
            let [rows, of_primal] =
                [name, primal].map(|of| code!(&#of.iter().map(|each| #row).collect::<::std::vec::Vec<_>>()));
            code!(#runtime::rows::same_shape(#function, #derivative, #own, #rows, #array, #of_primal);)
        });
        checks.collect()
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
