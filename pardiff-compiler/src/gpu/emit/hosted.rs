//! Arguments that lie on the host also when the function runs on a GPU: structs, arrays by value, arrays of `ndarray`, and results.
//! Their elements are copied for the call, field by field.
//!
//! ```text
//! let mass = { let mut all = Vec::new(); for each in atoms.iter() { all.push(each.mass.clone()); } call.upload(&all)? };
//! …
//! { let mut all = d_mass.download()?.into_iter(); for each in d_atoms.iter_mut() { each.mass = all.next() } }
//! ```

use super::host::HostWriter;
use crate::backend::interface::Argument;
use crate::backend::rust::{Code, code, literal};
use crate::ir::{BufferId, Program};
use crate::signature::{Leaf, ParamKind};
use proc_macro2::{Ident, Span};
use syn::Member;

/// Whether an argument lies on the host, and is passed as on the CPU.
pub(super) fn is_hosted(argument: &Argument<'_>) -> bool {
    argument.param.record.is_some() || matches!(argument.kind(), ParamKind::Array | ParamKind::NdArray { .. })
}

/// A buffer whose elements lie in a value of the host.
#[derive(Clone)]
pub(super) struct Hosted {
    pub(super) buffer: BufferId,
    /// The value.
    value: Ident,
    leaf: Leaf,
    /// Whether the value is an array of `ndarray`, which is walked through at once.
    at_once: bool,
    /// Whether the value is a reference to a single one.
    is_reference: bool,
    /// Whether the caller sees what is written.
    pub(super) is_written: bool,
}

impl Hosted {
    pub(super) fn new(
        buffer: BufferId,
        value: &Ident,
        leaf: &Leaf,
        kind: ParamKind,
        is_written: bool,
    ) -> Hosted {
        let at_once = matches!(kind, ParamKind::NdArray { .. });
        let is_reference = matches!(kind, ParamKind::ScalarRef { .. });
        Hosted { buffer, value: value.clone(), leaf: leaf.clone(), at_once, is_reference, is_written }
    }

    /// An extent that the caller decides.
    pub(super) fn extent(&self, dim: usize) -> Code {
        let value = &self.value;
        match self.at_once {
            true => {
                let dim = literal::usize(dim);
                code!(#value.shape()[#dim])
            }
            false => code!(#value.len()),
        }
    }

    /// The members that have a name: the numbers of an enum have none.
    fn members(&self) -> &[(usize, Member)] {
        let path = &self.leaf.path;
        &path[..path.len() - usize::from(self.leaf.of_enum.is_some())]
    }

    /// Does something with each element, in order; `leaf` is given the element, as a place.
    fn each(&self, program: &Program, mutable: bool, leaf: impl FnOnce(Code) -> Code) -> Code {
        let (value, each) = (&self.value, Ident::new("each", Span::mixed_site()));
        let rank = program[self.buffer].rank();
        let mut place = code!(#value);
        let mut loops = Vec::new();
        let mut is_reference = self.leaf.of_enum.is_some() && self.is_reference;
        let walk = if mutable { code!(iter_mut) } else { code!(iter) };
        for depth in 0..=rank {
            let members = self.members().iter().filter(|(at, _)| *at == depth);
            for (_, member) in members {
                place = code!(#place.#member);
                is_reference = false;
            }
            let last = depth == rank || (self.at_once && depth == 1);
            if last {
                break;
            }
            loops.push(code!(for #each in #place.#walk()));
            place = code!(#each);
            is_reference = true;
        }
        let place = if is_reference { code!((*#place)) } else { place };
        let place = match &self.leaf.of_enum {
            Some(reading) => reading.number(&place, self.leaf.elem),
            None => place,
        };
        loops.into_iter().rev().fold(leaf(place), |body, head| code!(#head { #body }))
    }

    /// The elements on the device, or the scalar.
    pub(super) fn bound(&self, writer: &HostWriter<'_>) -> Code {
        let (call, program) = (&writer.call, writer.program);
        let (name, elem) = (writer.buffer(self.buffer), literal::ty(program[self.buffer].elem));
        if program[self.buffer].rank() == 0 {
            let value = self.each(program, false, |place| code!(#place));
            let mutable = if self.is_written { code!(mut) } else { code!() };
            return code!(let #mutable #name: #elem = #value;);
        }
        let all = Ident::new("all", Span::mixed_site());
        let push = self.each(program, false, |place| code!(#all.push(#place);));
        code! {
            let #name = {
                let mut #all: ::std::vec::Vec<#elem> = ::std::vec::Vec::new();
                #push
                #call.upload::<#elem>(&#all)?
            };
        }
    }

    /// The elements, or the scalar, back to the host.
    pub(super) fn returned(&self, writer: &HostWriter<'_>) -> Code {
        let program = writer.program;
        let name = writer.buffer(self.buffer);
        if program[self.buffer].rank() == 0 {
            return self.each(program, true, |place| code!(#place = #name;));
        }
        let all = Ident::new("all", Span::mixed_site());
        let value = Ident::new("value", Span::mixed_site());
        let store = self.each(program, true, |place| {
            code! {
                if let ::core::option::Option::Some(#value) = #all.next() {
                    #place = #value;
                }
            }
        });
        code! {
            {
                let mut #all = #name.download()?.into_iter();
                #store
            }
        }
    }
}
