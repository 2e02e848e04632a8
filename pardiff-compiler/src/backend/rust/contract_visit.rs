//! How a check visits the floats of a value.

use super::contract_records::written_place;
use super::names::unraw;
use super::reading::path;
use super::{Code, code, literal};
use crate::signature::{Content, Leaf, Record, member_name, sharing_pointer};
use proc_macro2::{Ident, Span};
use syn::Member;

/// A part of a value that is visited.
struct Visit<'a> {
    visitor: &'a Ident,
    runtime: &'a Code,
    /// What the part is called.
    name: String,
}

/// Visits a part of the value `place`, which is behind a reference, and is or consists of the record. Arrays around the
/// part are loops; what is not in the value, since it is of another variant, is left out.
pub(super) fn leaf_visit(
    place: &Ident,
    text: &str,
    (leaf, record): (&Leaf, Option<&Record>),
    visitor: &Ident,
    runtime: &Code,
) -> Code {
    let mut visit = Visit { visitor, runtime, name: text.to_owned() };
    let visited = match record {
        Some(record) => visit.record(record, &leaf.path, 0, (code!(#place), true)),
        None => visit.numbers(code!(#place), true),
    };
    let name = literal::string(&visit.name);
    code!(#visitor.part(#name); #visited)
}

impl Visit<'_> {
    fn numbers(&self, place: Code, is_reference: bool) -> Code {
        let (visitor, runtime) = (self.visitor, self.runtime);
        let reference = (!is_reference).then(|| code!(&mut));
        code!(#runtime::check::Numbers::visit(#reference #place, #visitor);)
    }

    /// Follows the rest of a way, `depth` arrays of which are around the place.
    fn record(
        &mut self,
        record: &Record,
        way: &[(usize, Member)],
        depth: usize,
        (place, is_reference): (Code, bool),
    ) -> Code {
        let Some(((arrays, member), rest)) = way.split_first() else {
            return self.numbers(place, is_reference);
        };
        let visitor = self.visitor;
        if *arrays > depth {
            self.name += "[]";
            let each = Ident::new("record", Span::mixed_site());
            let inner = self.record(record, way, depth + 1, (code!(#each), true));
            return code!(#visitor.each(&mut #place[..], |#each, #visitor| { #inner }););
        }
        let Some(at) = record.fields.iter().position(|field| field.member == *member) else { return code!() };
        let content = &record.fields[at].content;
        let held = Ident::new("held", Span::mixed_site());
        let whole = if is_reference { code!(*#place) } else { place.clone() };
        if record.is_option {
            let inner = self.content(content, rest, *arrays, (code!(#held), true));
            return code! {
                if let ::core::option::Option::Some(#held) = ::core::option::Option::as_mut(&mut #whole) { #inner }
            };
        }
        let of_variant = record.variants.iter().find_map(|variant| {
            let (member, _) = variant.holds.iter().find(|(_, field)| *field == at)?;
            Some((variant, member))
        });
        if let Some((variant, member)) = of_variant {
            self.name += &format!(".{}.{}", unraw(&variant.name), member_name(member));
            let (path, member) = (path(record, variant), super::contract_records::respanned(member));
            let inner = self.content(content, rest, *arrays, (code!(#held), true));
            return code!(if let #path { #member: #held, .. } = &mut #whole { #inner });
        }
        // the one field of a type of a crate is no name that its users know
        if record.of_crate.is_none() || record.fields.len() > 1 {
            self.name += &format!(".{}", member_name(member));
        }
        if record.is_private() {
            let (runtime, index) = (self.runtime, syn::Index::from(at));
            let inner = self.content(content, rest, *arrays, (code!(#held.#index), false));
            return code! {
                #whole = {
                    let mut #held = #runtime::known::Private::members(&#whole);
                    #inner
                    #runtime::known::Private::of_members(#held)
                };
            };
        }
        let place = written_place(code!(#place.#member), sharing_pointer(&record.fields[at].ty));
        self.content(content, rest, *arrays, (place, false))
    }

    fn content(
        &mut self,
        content: &Content,
        way: &[(usize, Member)],
        depth: usize,
        place: (Code, bool),
    ) -> Code {
        match content.record() {
            Some(record) => self.record(record, way, depth, place),
            None => self.numbers(place.0, place.1),
        }
    }
}
