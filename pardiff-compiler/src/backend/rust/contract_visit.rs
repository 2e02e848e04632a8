//! How a check visits the floats of a value.

use super::contract_lent::shown;
use super::names::unraw;
use super::{Code, code, literal};
use crate::signature::Leaf;
use proc_macro2::{Ident, Span};

/// Visits a part of the value `place`, which is behind a reference. Arrays around the part are loops.
pub(super) fn leaf_visit(place: &Ident, text: &str, leaf: &Leaf, visitor: &Ident, runtime: &Code) -> Code {
    if let Some(at) = leaf.of_option {
        let held = Ident::new("held", Span::mixed_site());
        let way = || leaf.path[..at].iter().map(|(_, member)| member);
        let members: Code = way().map(|member| code!(.#member)).collect();
        let option = if at == 0 { code!(*#place) } else { code!(#place #members) };
        let text = format!("{text}{}", shown(way()));
        let leaf = Leaf { path: leaf.path[at + 1..].to_vec(), of_option: None, ..leaf.clone() };
        let inner = leaf_visit(&held, &text, &leaf, visitor, runtime);
        return code! {
            if let ::core::option::Option::Some(#held) = ::core::option::Option::as_mut(&mut #option) { #inner }
        };
    }
    let depth = leaf.path.last().map_or(0, |(depth, _)| *depth);
    let members =
        |at: usize| leaf.path.iter().filter(move |(depth, _)| *depth == at).map(|(_, member)| member);
    let record = Ident::new("record", Span::mixed_site());
    let mut name = text.to_owned();
    for at in 0..=depth {
        let brackets = if at > 0 { "[]" } else { "" };
        name += brackets;
        for member in members(at) {
            name += &match member {
                syn::Member::Named(member) => format!(".{}", unraw(member)),
                syn::Member::Unnamed(index) => format!(".{}", index.index),
            };
        }
    }
    let place_of = |at: usize| {
        let base = if at == 0 { place } else { &record };
        let members = members(at).map(|member| code!(.#member));
        code!(#base #(#members)*)
    };
    let innermost = match leaf.path.last() {
        None => code!(#place),
        Some(_) => {
            let place = place_of(depth);
            code!(&mut #place)
        }
    };
    let visit = code!(#runtime::check::Numbers::visit(#innermost, #visitor););
    let visit = (0..depth).rev().fold(visit, |inner, at| {
        let place = place_of(at);
        code!(#visitor.each(&mut #place[..], |#record, #visitor| { #inner });)
    });
    let name = literal::string(&name);
    code!(#visitor.part(#name); #visit)
}
