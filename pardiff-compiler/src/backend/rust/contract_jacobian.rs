//! `jacobian` and `Jacobian`, `hessian` and `Hessian`: the derivatives of all floats that are returned, or of the gradient, by
//! all inputs, where all have a constant size: a unit direction, or a batch of them, after the other; or, of a
//! Jacobian, the same by unit seeds, see [`super::contract_row_jacobian`].

use super::contract::{Contract, generated};
use super::contract_check::moved;
use super::contract_docs as docs;
use super::contract_records::Made;
use super::contract_types::{bare, batched, has_floats, referent};
use super::names::unraw;
use super::{Code, code, user};
use crate::backend::interface::Argument;
use crate::ir::Derivative;
use crate::modes::Function;
use crate::signature::{Param, ParamKind};
use proc_macro2::{Ident, Span};
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
    pub(super) all: Ident,
}

/// The fields of the structure, each with a derivative in the place of each number, and zeros for them.
pub(super) struct Fields {
    declared: Code,
    pub(super) initial: Code,
}

/// What belongs to the inputs one after the other.
struct Columns {
    /// The arguments of the body: the function's own, unit directions, and what else there is.
    arguments: Vec<Code>,
    /// Where the derivatives by a number go.
    stored: Code,
    /// How many numbers there are.
    numbers: Code,
}

/// The type with something in the place of the numbers, and a value of it.
fn filled(ty: &Type, number: &Code, zero: &Code) -> (Code, Code) {
    match bare(ty) {
        Type::Array(array) => {
            let (ty, value) = filled(&array.elem, number, zero);
            let len = user(&array.len);
            (code!([#ty; #len]), code!(::core::array::from_fn(|_| #value)))
        }
        _ => (number.clone(), zero.clone()),
    }
}

/// How many arrays are around a number.
pub(super) fn depth(ty: &Type) -> usize {
    match bare(ty) {
        Type::Array(array) => 1 + depth(&array.elem),
        _ => 0,
    }
}

impl Contract<'_> {
    /// Whether all active inputs and all that is returned are numbers and arrays of constant size, and nothing is written.
    pub(super) fn has_columns(&self, row: &Function) -> bool {
        let is_constant = |it: &Argument<'_>| {
            let kinds = [
                ParamKind::Scalar,
                ParamKind::Array,
                ParamKind::ScalarRef { mutable: false },
                ParamKind::ArrayRef { mutable: false },
            ];
            kinds.contains(&it.param.kind) && it.param.record.is_none()
        };
        let writes =
            |param: &Param| param.kind.is_output() && has_floats(&param.ty, param.record.as_deref(), false);
        let mut companions = self.interface.companions(row.mode);
        let seeds = &self.interface.seeds;
        // each rank has columns of its own, and a call is for a direction of all ranks
        self.communicator().is_none()
            && self.signature.generics.params.is_empty()
            && self.interface.companions(row.mode).next().is_some()
            && companions.all(is_constant)
            && !self.signature.params.iter().any(writes)
            && !seeds.is_empty()
            && seeds.iter().all(|seed| seed.member.record.is_none())
            && !self.signature.returns_vectors()
    }

    /// The fields of type `column`, a parameter each.
    pub(super) fn columns_of(&self, row: &Function, column: &Code, zero: &Code) -> Fields {
        let mut fields = Fields { declared: Code::new(), initial: Code::new() };
        for it in self.interface.companions(row.mode).filter(|it| it.steps.len() == 1) {
            let written = self.inside(&it.param.ty);
            let (field, value) = filled(referent(&written), column, zero);
            let (name, doc) =
                (generated(&it.param.name), docs::attribute(&docs::column(&unraw(&it.param.name))));
            fields.declared.push(code!(#doc pub #name: #field,));
            fields.initial.push(code!(#name: #value,));
        }
        fields
    }

    /// An argument of the function, for one of several calls; `other` is how one is handed on that need not be cloned.
    pub(super) fn given_again(&self, it: &Argument<'_>, other: Code) -> Code {
        let runtime = &self.runtime;
        match moved(it.param).filter(|_| it.is_primal()) {
            Some(record) => Made { runtime, path: Some(code!(super)), keeps_floats: true }
                .like(it.param, record, &it.name),
            None => other,
        }
    }

    /// The columns, each of which is `own`; `other` is how an argument that is no direction is handed on.
    fn columns(&self, row: &Function, own: &Code, other: impl Fn(&Argument<'_>) -> Code) -> Columns {
        let (runtime, Locals { first, member, all, .. }) = (&self.runtime, &self.locals);
        let mut columns = Columns { arguments: Vec::new(), stored: Code::new(), numbers: code!(0_usize) };
        for it in self.interface.of_mode(row.mode) {
            if it.steps != [Derivative::Tangent] {
                columns.arguments.push(self.given_again(it, other(it)));
                continue;
            }
            let offset = columns.numbers.clone();
            let written = self.inside(&it.param.ty);
            let ty = referent(&written);
            let name = generated(&it.param.name);
            let made = match it.batch {
                None => code!(#runtime::directions::direction(#first, #offset)),
                Some(_) if depth(ty) == 0 => code!(#runtime::directions::directions(#first, #offset)),
                Some(_) => code!(#runtime::directions::directions_of_array(#first, #offset)),
            };
            columns.arguments.push(match it.param.kind {
                ParamKind::ScalarRef { .. } | ParamKind::ArrayRef { .. } => code!(&#made),
                _ => made,
            });
            let shape = user(&ty);
            let len = code!(<#shape as #runtime::directions::Floats>::LEN);
            let at = code!((#first + #member).wrapping_sub(#offset));
            columns.stored.push(match depth(ty) {
                0 => code!(if #at == 0 { #all.#name = #own; }),
                depth => {
                    let flat: Code = (1..depth).map(|_| code!(.flatten())).collect();
                    code! {
                        if let ::core::option::Option::Some(at) = #all.#name.iter_mut() #flat .nth(#at) {
                            *at = #own;
                        }
                    }
                }
            });
            columns.numbers = code!(#offset + #len);
        }
        columns
    }

    /// The structure `name` and the public function that fills it.
    pub(super) fn filling(&self, row: &Function, name: &str, fields: Fields, loops: Code) -> Code {
        let (name, all) = (Ident::new(name, Span::mixed_site()), &self.locals.all);
        let Fields { declared, initial } = fields;
        let doc = docs::attribute(&docs::columns(&name.to_string(), &self.signature.shown()));
        let body = code! {
            let mut #all = #name { #initial };
            #loops
        };
        let output = self.result_type(true);
        let output = self.returning(Some(code!((#output, #name))), true, true);
        let function = self.declared(row, &[], Some(output), body);
        code! {
            #doc
            #[derive(::core::clone::Clone, ::core::fmt::Debug, ::core::cmp::PartialEq)]
            #[non_exhaustive]
            pub struct #name { #declared }
            #function
        }
    }

    /// The loop over so many numbers, `width` after each `call`, of each of which `stored` is done.
    pub(super) fn over_numbers(&self, numbers: &Code, width: usize, call: Code, stored: Code) -> Code {
        let (Locals { first, member, all, .. }, value) = (&self.locals, &self.value);
        let width = super::literal::usize(width);
        let returned = self.succeeded(code!((#value, #all)));
        code! {
            let mut #first = 0_usize;
            loop {
                #call
                for #member in 0..#width {
                    #stored
                }
                #first += #width;
                if #first >= #numbers {
                    return #returned;
                }
            }
        }
    }

    /// A column of the Jacobian, and zeros for it.
    pub(super) fn column(&self) -> Option<(Code, Code)> {
        let runtime = &self.runtime;
        let zeros: Vec<Code> = self.interface.seeds.iter().map(|_| code!(#runtime::Zero::ZERO)).collect();
        Some((self.seed_type(true, false)?, together(&zeros)))
    }

    /// `jacobian` and `Jacobian`, where there is one; by rows where those are fewer batches, or as many
    /// batches of fewer.
    pub(super) fn jacobian(&self, row: &Function) -> Option<Code> {
        let width = self.batch.filter(|_| self.has_columns(row))?;
        let (column, zero) = self.column()?;
        let fields = self.columns_of(row, &column, &zero);
        let Locals { member, tangents, column: own, .. } = &self.locals;
        let members = self.interface.seeds.iter().enumerate().map(|(at, seed)| {
            let of = match self.interface.seeds.len() {
                1 => code!(#tangents),
                _ => {
                    let at = syn::Index::from(at);
                    code!(#tangents.#at)
                }
            };
            self.member_of(&of, &seed.member.ty, member)
        });
        let members = together(&members.collect::<Vec<_>>());
        let Columns { arguments, stored, numbers } = self.columns(row, &code!(#own), |it| {
            let name = &it.name;
            code!(#name)
        });
        let (value, call) = (&self.value, self.opened(self.call(row, arguments)));
        let call = code!(let (#value, #tangents) = #call;);
        let by_columns = self.over_numbers(&numbers, width, call, code!(let #own = #members; #stored));
        let (rows, by_rows) = self.rows();
        let batch = super::literal::usize(width);
        let loops = code! {
            if (#rows.div_ceil(#batch), #rows) < ((#numbers).div_ceil(#batch), #numbers) {
                #by_rows
            }
            #by_columns
        };
        Some(self.filling(row, "Jacobian", fields, loops))
    }

    /// `hessian` and `Hessian`, where there is one: of vectors of directions if there is a batch.
    pub(super) fn hessian(&self, row: &Function) -> Option<Code> {
        if self.lone_float().is_none() || !self.has_columns(row) {
            return None;
        }
        let (runtime, Locals { member, .. }, value) = (&self.runtime, &self.locals, &self.value);
        let products = || self.interface.of_mode(row.mode).filter(|it| it.steps.len() == 2);
        let (mut zeros, mut parts, mut locals) = (Code::new(), Code::new(), Code::new());
        for it in products() {
            let (name, field, written) = (&it.name, generated(&it.param.name), self.inside(&it.param.ty));
            let ty = referent(&written);
            let (part, local) = match it.batch {
                None => (code!(#name), ty.clone()),
                Some(width) => (self.member_of(&code!(#name), ty, member), batched(ty, width)),
            };
            let local = user(&local);
            locals.push(code!(let mut #name: #local = #runtime::Zero::ZERO;));
            parts.push(code!(#field: #part,));
            zeros.push(code!(#field: #runtime::Zero::ZERO,));
        }
        let own = code!(Gradient { #parts });
        let fields = self.columns_of(row, &code!(Gradient), &code!(Gradient { #zeros }));
        let Columns { arguments, stored, numbers } = self.columns(row, &own, |it| {
            let name = &it.name;
            if it.is_primal() { code!(#name) } else { code!(&mut #name) }
        });
        let call = self.opened(self.call(row, arguments));
        let call = code!(#locals let (#value, _) = #call;);
        let loops = self.over_numbers(&numbers, self.batch.unwrap_or(1), call, stored);
        Some(self.filling(row, "Hessian", fields, loops))
    }

    /// A member of a batch of values of this type.
    pub(super) fn member_of(&self, batch: &Code, ty: &Type, member: &Ident) -> Code {
        let runtime = &self.runtime;
        match depth(ty) {
            0 => code!(#batch[#member]),
            _ => code!(#runtime::directions::member_of(&#batch, #member)),
        }
    }
}

/// One, or a tuple of several.
pub(super) fn together(parts: &[Code]) -> Code {
    match parts {
        [one] => one.clone(),
        several => code!((#(#several),*)),
    }
}
