//! Numbers of enums, as they are read from values of the host.

use super::contract::generated;
use super::contract_records::respanned;
use super::storage::suffixed_zero;
use super::{Code, code, literal};
use crate::ir::{Int, Ty};
use crate::signature::{Reading, Record, Variant};
use proc_macro2::{Ident, Span};

impl Reading {
    /// The number, of type `elem`, of the value that is in a place. Patterns take references, so that nothing is asked
    /// of what the enum derives.
    pub(crate) fn number(&self, place: &Code, elem: Ty) -> Code {
        match self {
            Reading::Cast => code!((#place as i64)),
            Reading::Position(of) => {
                let arms = of.variants.iter().map(|variant| {
                    let (pattern, position) = (path(of, variant), variant.discriminant);
                    let position = literal::int(Int::I64, i128::from(position), true);
                    code!(#pattern { .. } => #position,)
                });
                code!((match &#place { #(#arms)* }))
            }
            Reading::Held { of, variant, member } => {
                let held = &of.variants[*variant];
                let (pattern, member) = (path(of, held), respanned(member));
                let value = Ident::new("value", Span::mixed_site());
                let zero = suffixed_zero(elem);
                let others = if of.variants.len() > 1 { code!(_ => #zero,) } else { code!() };
                code!((match &#place { #pattern { #member: #value, .. } => *#value, #others }))
            }
        }
    }
}

/// `Payoff::Call`
pub(super) fn path(of: &Record, variant: &Variant) -> Code {
    let of = of.name.as_ref().map(generated);
    let variant = generated(&variant.name);
    code!(#of::#variant)
}
