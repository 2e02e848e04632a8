//! `jacobian` and `Jacobian`: the derivatives of all floats that are returned by all inputs, where both have a constant
//! size: a batch of unit directions after the other.

use super::contract::{Contract, generated};
use super::contract_docs as docs;
use super::contract_types::{bare, has_floats, referent};
use super::names::unraw;
use super::{Code, code, user};
use crate::backend::interface::Argument;
use crate::modes::Function;
use crate::signature::ParamKind;
use proc_macro2::Ident;
use syn::Type;

/// The locals of the function, named apart from its arguments.
pub(super) struct Locals {
    /// The number of the first direction of a batch.
    pub(super) first: Ident,
    /// Which of the batch.
    pub(super) member: Ident,
    /// What the batch gives.
    pub(super) tangents: Ident,
    /// The derivative by one input.
    pub(super) column: Ident,
    /// All of them.
    pub(super) jacobian: Ident,
}

/// The type with something in the place of the numbers, and a value of it.
fn filled(ty: &Type, number: &Code, zero: &Code) -> (Code, Code) {
    match bare(ty) {
        Type::Array(array) => {
            let (ty, value) = filled(&array.elem, number, zero);
            let len = user(&array.len);
            (code!([#ty; #len]), code!([#value; #len]))
        }
        _ => (number.clone(), zero.clone()),
    }
}

/// How many arrays are around a number.
fn depth(ty: &Type) -> usize {
    match bare(ty) {
        Type::Array(array) => 1 + depth(&array.elem),
        _ => 0,
    }
}

impl Contract<'_> {
    /// Whether all active inputs and all that is returned are numbers and arrays of constant size, and nothing is written.
    fn has_jacobian(&self, row: &Function) -> bool {
        let is_constant = |it: &Argument<'_>| {
            let kinds = [
                ParamKind::Scalar,
                ParamKind::Array,
                ParamKind::ScalarRef { mutable: false },
                ParamKind::ArrayRef { mutable: false },
            ];
            kinds.contains(&it.param.kind) && it.param.record.is_none()
        };
        let writes = |param: &crate::signature::Param| {
            param.kind.is_output() && has_floats(&param.ty, param.record.as_deref(), false)
        };
        let mut companions = self.interface.companions(row.mode);
        let seeds = &self.interface.seeds;
        self.signature.generics.params.is_empty()
            && self.interface.companions(row.mode).next().is_some()
            && companions.all(is_constant)
            && !self.signature.params.iter().any(writes)
            && !seeds.is_empty()
            && seeds.iter().all(|seed| seed.member.record.is_none())
    }

    /// `jacobian` and `Jacobian`, where there is one.
    pub(super) fn jacobian(&self, row: &Function) -> Option<Code> {
        let width = self.batch.map(super::literal::usize).filter(|_| self.has_jacobian(row))?;
        let column = self.seed_type(true, false)?;
        let (runtime, Locals { first, member, tangents, column: own, jacobian }) =
            (&self.runtime, &self.locals);
        let zeros: Vec<Code> = self.interface.seeds.iter().map(|_| code!(#runtime::Zero::ZERO)).collect();
        let zero = match &zeros[..] {
            [one] => one.clone(),
            several => code!((#(#several),*)),
        };
        let (mut fields, mut initial, mut directions, mut stored) =
            (Code::new(), Code::new(), Vec::new(), Code::new());
        let mut offset = code!(0_usize);
        for it in self.interface.of_mode(row.mode) {
            if it.is_primal() {
                let name = &it.name;
                directions.push(code!(#name));
                continue;
            }
            let written = self.inside(&it.param.ty);
            let ty = referent(&written);
            let (name, doc) =
                (generated(&it.param.name), docs::attribute(&docs::column(&unraw(&it.param.name))));
            let (field, value) = filled(ty, &column, &zero);
            fields.push(code!(#doc pub #name: #field,));
            initial.push(code!(#name: #value,));
            let made = if depth(ty) == 0 { code!(directions) } else { code!(directions_of_array) };
            let made = code!(#runtime::directions::#made(#first, #offset));
            directions.push(match it.param.kind {
                ParamKind::ScalarRef { .. } | ParamKind::ArrayRef { .. } => code!(&#made),
                _ => made,
            });
            let shape = user(&ty);
            let len = code!(<#shape as #runtime::directions::Floats>::LEN);
            let at = code!((#first + #member).wrapping_sub(#offset));
            stored.push(match depth(ty) {
                0 => code!(if #at == 0 { #jacobian.#name = #own; }),
                depth => {
                    let flat: Code = (1..depth).map(|_| code!(.flatten())).collect();
                    code! {
                        if let ::core::option::Option::Some(at) = #jacobian.#name.iter_mut() #flat .nth(#at) {
                            *at = #own;
                        }
                    }
                }
            });
            offset = code!(#offset + #len);
        }
        let members = self.interface.seeds.iter().enumerate().map(|(at, seed)| {
            let of = match self.interface.seeds.len() {
                1 => code!(#tangents),
                _ => {
                    let at = syn::Index::from(at);
                    code!(#tangents.#at)
                }
            };
            match depth(&seed.member.ty) {
                0 => code!(#of[#member]),
                _ => code!(#runtime::directions::member_of(&#of, #member)),
            }
        });
        let members: Vec<Code> = members.collect();
        let members = match &members[..] {
            [one] => one.clone(),
            several => code!((#(#several),*)),
        };
        let doc = docs::attribute(&docs::jacobian_struct(&unraw(&self.signature.name)));
        let structure = code! {
            #doc
            #[derive(::core::clone::Clone, ::core::fmt::Debug, ::core::cmp::PartialEq)]
            #[non_exhaustive]
            pub struct Jacobian { #fields }
        };
        let (value, call) = (&self.value, self.call(row, directions));
        let body = code! {
            let mut #jacobian = Jacobian { #initial };
            let mut #first = 0_usize;
            loop {
                let (#value, #tangents) = #call;
                for #member in 0..#width {
                    let #own = #members;
                    #stored
                }
                #first += #width;
                if #first >= #offset {
                    return (#value, #jacobian);
                }
            }
        };
        let output = self.result_type(true);
        let function = self.declared(row, &[], Some(code!(-> (#output, Jacobian))), body);
        Some(code!(#structure #function))
    }
}
