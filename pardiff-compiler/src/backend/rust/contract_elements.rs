//! Slices and vectors of structs and tuples with vectors in the contract: bodies compute with an array for each
//! number in them, and with where the vectors begin in it, which have lengths of their own.
//!
//! ```text
//! struct Layer { weights: Vec<Vec<f64>>, slope: f64 }
//! fn accumulate(layers: &[Layer], …) {
//!     let mut rows_of_layers_weights: Vec<&[f64]> = …;
//!     let mut lengths_of_layers_weights: [Vec<usize>; 2] = …;
//!     let mut rows_of_layers_slope: Vec<&[f64]> = …;
//!     for each in layers {
//!         lengths_of_layers_weights[0].push(each.weights.len());
//!         for each in &each.weights {
//!             lengths_of_layers_weights[1].push(each.len());
//!             rows_of_layers_weights.push(each);
//!         }
//!         rows_of_layers_slope.push(slice::from_ref(&each.slope));
//!     }
//!     let layers_weights: &[f64] = rows::dense(&rows_of_layers_weights, arena);
//!     …the body, with weights[starts_1[starts_0[i] + j] + k]…
//! }
//! ```
//!
//! What is copied is in the order of [`HostValue`](crate::frontend), one buffer behind the other.

use super::contract::Contract;
use super::contract_lent::{Lent, members, shown};
use super::contract_records::{respanned, written_place};
use super::contract_rows::{Dense, Rows};
use super::names::unraw;
use super::storage::Storage;
use super::{Code, code, literal};
use crate::backend::interface::{Access, Argument};
use crate::ir::BufferId;
use crate::signature::{Content, Leaf, ParamKind, Record, member_name, sharing_pointer};
use proc_macro2::{Ident, Span};
use quote::format_ident;
use syn::{Member, Type};

/// Rows that are gathered: their variable, and the buffer into which they are copied.
struct Gathered {
    name: String,
    variable: Ident,
    leaf: (BufferId, Leaf),
    /// Whether they are the lengths of vectors.
    lengths: bool,
}

/// The way through the elements.
struct Gather<'l> {
    /// The buffers of what is found next, as far as the body has them.
    leaves: std::vec::IntoIter<(&'l Leaf, Option<BufferId>)>,
    rows: Vec<Gathered>,
    mutable: bool,
}

impl Gather<'_> {
    /// The variable for what is found next, if the body has it.
    fn next(&mut self, name: &str, lengths: bool) -> Option<Ident> {
        let (leaf, buffer) = self.leaves.next()?;
        let buffer = buffer?;
        let (name, word) = match lengths {
            true => (format!("{name}_starts"), "lengths"),
            false => (name.to_owned(), "rows"),
        };
        let variable = format_ident!("{word}_of_{name}_{}", self.rows.len(), span = Span::mixed_site());
        let leaf = (buffer, Leaf::plain(buffer, leaf.elem));
        self.rows.push(Gathered { name, variable: variable.clone(), leaf, lengths });
        Some(variable)
    }

    fn row(&mut self, name: &str, row: Code) -> Code {
        self.next(name, false).map_or(Code::new(), |rows| code!(#rows.push(#row);))
    }

    /// The statements that gather what is in a place.
    fn content(&mut self, content: &Content, ty: &Type, name: &str, place: Code, of_crate: bool) -> Code {
        let each = Ident::new("each", Span::mixed_site());
        let (reference, from, by) = match self.mutable {
            true => (code!(&mut), code!(::core::slice::from_mut), code!(iter_mut)),
            false => (code!(&), code!(::core::slice::from_ref), code!(iter)),
        };
        match content {
            Content::Scalar(_) => self.row(name, code!(#from(#reference #place))),
            Content::Array(_) => self.row(name, code!(#reference #place[..])),
            Content::Record(record) => self.record(record, name, place),
            Content::Vector(elem, of) => {
                let slice = match (of_crate, self.mutable) {
                    (false, _) => {
                        let place = written_place(place, sharing_pointer(ty).filter(|_| self.mutable));
                        code!((#place)[..])
                    }
                    (true, false) => code!((*#place.as_slice())),
                    (true, true) => code!((*#place.as_mut_slice())),
                };
                let lengths = self.next(name, true);
                let lengths = lengths.map(|lengths| code!(#lengths.push(#slice.len());));
                let gathered = match &**elem {
                    Content::Scalar(_) => self.row(name, code!(#reference #slice)),
                    elem => {
                        let inner = self.content(elem, of, name, code!((*#each)), false);
                        code!(for #each in #slice.#by() { #inner })
                    }
                };
                code!(#lengths #gathered)
            }
            Content::Open | Content::Unknown { .. } => Code::new(),
        }
    }

    fn record(&mut self, record: &Record, name: &str, place: Code) -> Code {
        let fields = record.fields.iter().map(|field| {
            let (member, name) = (respanned(&field.member), format!("{name}_{}", member_name(&field.member)));
            let of_crate = record.of_crate.is_some();
            self.content(&field.content, &field.ty, &name, code!(#place.#member), of_crate)
        });
        fields.collect()
    }
}

impl Dense<'_> {
    /// What is in the elements of a slice or a vector at the end of a way.
    pub(super) fn of_elements(&mut self, way: &[Member], elem: &Content) -> Vec<Lent> {
        let (argument, program, runtime) = (self.argument, self.program, &self.contract.runtime);
        let (present, alone) = (argument.leaves(program), self.contract.is_alone(self.mode, argument));
        let own = argument.param.leaves.iter().filter(|leaf| super::contract_lent::starts_with(leaf, way));
        let leaves = own.map(|leaf| {
            let is_it = |(_, of): &&(BufferId, &Leaf)| std::ptr::eq(*of, leaf);
            let shape = (alone && program.params.contains(&leaf.buffer)).then_some(leaf.buffer);
            (leaf, present.iter().find(is_it).map(|(buffer, _)| *buffer).or(shape))
        });
        let (leaves, mutable) = (leaves.collect::<Vec<_>>().into_iter(), argument.access != Access::Read);
        let mut gather = Gather { leaves, rows: Vec::new(), mutable };
        let words: Vec<String> = way.iter().map(member_name).collect();
        let (of, each) = (&argument.name, Ident::new("each", Span::mixed_site()));
        let name = [vec![unraw(of)], words].concat().join("_");
        // the type of an element says nothing that its content does not: what is shared is no element
        let inner = gather.content(elem, &argument.param.ty, &name, code!((*#each)), false);
        let (by, members) = (if mutable { code!(iter_mut) } else { code!(iter) }, members(way));
        let declared = gather.rows.iter().map(|Gathered { variable, leaf, lengths, .. }| {
            let elem = literal::ty(program[leaf.0].elem);
            match (lengths, mutable) {
                (true, _) => code!(let mut #variable: ::std::vec::Vec<usize> = ::std::vec::Vec::new();),
                (false, false) => {
                    code!(let mut #variable: ::std::vec::Vec<&[#elem]> = ::std::vec::Vec::new();)
                }
                (false, true) => {
                    code!(let mut #variable: ::std::vec::Vec<&mut [#elem]> = ::std::vec::Vec::new();)
                }
            }
        });
        let declared: Code = declared.collect();
        let mut gathered = code!(#declared for #each in #of #members.#by() { #inner });
        let mut lent = Vec::new();
        for Gathered { name, variable, leaf, lengths } in gather.rows {
            let name = self.names.fresh(&name);
            let mut part = match (lengths, program[leaf.0].rank()) {
                (true, _) => self.starts(name, variable, leaf),
                (false, 1) => {
                    let extent = code!(#runtime::rows::elements(&#variable));
                    self.dense(name, code!(#variable), extent, leaf)
                }
                (false, _) => {
                    let len = code!(#variable.first().map_or(0, |row| row.len()));
                    self.dense(name, code!(#variable), code!((#variable.len(), #len)), leaf)
                }
            };
            let (bound, own) = (std::mem::take(&mut gathered), part.bound);
            part.bound = code!(#bound #own);
            lent.push(part);
        }
        lent
    }

    /// Where vectors of these lengths begin.
    fn starts(&mut self, name: Ident, lengths: Ident, leaf: (BufferId, Leaf)) -> Lent {
        let (runtime, arena) = (&self.contract.runtime, self.arena);
        let len = self.names.fresh(&format!("{name}_dim0"));
        let bound = code! {
            let #name: &[usize] = #runtime::rows::starts(&#lengths, #arena);
            let #len = #name.len();
        };
        let storage = Storage::Flat { name: name.clone(), extents: vec![Some(len.clone())], disjoint: false };
        let rows = Some(Rows { extents: vec![(len, code!(usize))], storage });
        let kind = ParamKind::Slice { mutable: false };
        Lent { name, bound, ty: code!(&[usize]), kind, leaves: vec![leaf], rows }
    }
}

/// How many elements are in the vectors with floats of all elements of a vector.
pub(super) fn total(elem: &Content, place: Code) -> Option<Code> {
    fn within(content: &Content, place: Code, of_crate: bool) -> Vec<Code> {
        match content {
            Content::Record(record) => {
                let fields = record.fields.iter().flat_map(|field| {
                    let member = respanned(&field.member);
                    within(&field.content, code!(#place.#member), record.of_crate.is_some())
                });
                fields.collect()
            }
            Content::Vector(elem, _) if elem.has_floats() => {
                let place = if of_crate { code!(#place.as_slice()) } else { place };
                let inner = total(elem, place.clone());
                [code!(#place.len())].into_iter().chain(inner).collect()
            }
            _ => Vec::new(),
        }
    }
    let parts = within(elem, code!(each), false);
    let all = parts.into_iter().reduce(|all, part| code!(#all + #part))?;
    Some(code!(#place.iter().map(|each| #all).sum::<usize>()))
}

/// A derivative and its model: what both are called, with a `{}` for each index, and where they are.
pub(super) struct Compared {
    pub(super) names: [String; 2],
    pub(super) places: [Code; 2],
    pub(super) indices: Vec<Ident>,
}

impl Compared {
    fn member(&self, member: &Member) -> Compared {
        let own = respanned(member);
        Compared {
            names: self.names.each_ref().map(|name| format!("{name}{}", shown([member]))),
            places: self.places.each_ref().map(|place| code!(#place.#own)),
            indices: self.indices.clone(),
        }
    }
}

impl Contract<'_> {
    /// The checks that the vectors with floats in the elements of a companion are as long as those of its parameter.
    pub(super) fn lengths_in_elements(&self, argument: &Argument<'_>, elem: &Content) -> Code {
        let Argument { primal, name, .. } = argument;
        let names = [unraw(name), unraw(primal)];
        let compared = Compared { names, places: [code!(#name), code!(#primal)], indices: Vec::new() };
        self.elements_as_long(elem, argument.word(), compared)
    }

    /// The checks that both have as many elements, whose vectors are as long.
    pub(super) fn elements_as_long(&self, elem: &Content, derivative: &str, compared: Compared) -> Code {
        let Compared { names: [name, model], places: [own, of], indices } = &compared;
        let (runtime, function) = (&self.runtime, literal::string(&self.signature.shown()));
        let word = literal::string(derivative);
        let [name_text, model_text] = [name, model].map(|text| literal::string(text));
        let check = code! {
            if #own.len() != #of.len() {
                let (own, model) = (
                    ::std::format!(#name_text, #(#indices),*),
                    ::std::format!(#model_text, #(#indices),*),
                );
                #runtime::wrong_shape(#function, #word, &own, #own.len(), &model, #of.len())
            }
        };
        let at = format_ident!("at_{}", indices.len(), span = Span::mixed_site());
        let [each, each_of] = ["each", "each_of"].map(|name| Ident::new(name, Span::mixed_site()));
        let inner = Compared {
            names: [name, model].map(|name| format!("{name}[{{}}]")),
            places: [code!(#each), code!(#each_of)],
            indices: indices.iter().cloned().chain([at.clone()]).collect(),
        };
        let inner = self.as_long_within(elem, derivative, inner, false);
        if inner.is_empty() {
            return check;
        }
        code! {
            #check
            for (#at, (#each, #each_of)) in #own.iter().zip(#of.iter()).enumerate() { #inner }
        }
    }

    /// The same of the vectors in a value.
    fn as_long_within(
        &self,
        content: &Content,
        derivative: &str,
        compared: Compared,
        of_crate: bool,
    ) -> Code {
        match content {
            Content::Record(record) => {
                let fields = record.fields.iter().map(|field| {
                    let compared = compared.member(&field.member);
                    self.as_long_within(&field.content, derivative, compared, record.of_crate.is_some())
                });
                fields.collect()
            }
            Content::Vector(elem, _) if elem.has_floats() => {
                let places = compared.places.each_ref().map(|place| match of_crate {
                    true => code!(#place.as_slice()),
                    false => place.clone(),
                });
                self.elements_as_long(elem, derivative, Compared { places, ..compared })
            }
            _ => Code::new(),
        }
    }
}
