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

use super::contract_lent::{Lent, members};
use super::contract_records::{respanned, written_place};
use super::contract_rows::{Dense, Rows};
use super::contract_types::bare;
use super::conversions::discriminant;
use super::names::unraw;
use super::reading::path;
use super::storage::Storage;
use super::{Code, code, literal, user};
use crate::backend::interface::Access;
use crate::ir::BufferId;
use crate::signature::{Content, Leaf, ParamKind, Record, member_name, sharing_pointer};
use proc_macro2::{Ident, Span};
use quote::format_ident;
use syn::{Member, Type};

/// What is gathered: its variable, and the buffer into which it is copied.
struct Gathered {
    name: String,
    variable: Ident,
    leaf: (BufferId, Leaf),
    what: What,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum What {
    /// Rows of numbers.
    Rows,
    /// The lengths of vectors.
    Lengths,
    /// Numbers that have no place in the element, such as those of variants.
    Values,
}

/// What gathers the numbers of a place, and as many where the value is of another variant.
#[derive(Default)]
struct Statements {
    present: Code,
    absent: Code,
}

impl Statements {
    fn is_empty(&self) -> bool {
        self.present.is_empty() && self.absent.is_empty()
    }
}

impl FromIterator<Statements> for Statements {
    fn from_iter<I: IntoIterator<Item = Statements>>(parts: I) -> Statements {
        let (present, absent): (Vec<Code>, Vec<Code>) =
            parts.into_iter().map(|it| (it.present, it.absent)).unzip();
        Statements { present: present.into_iter().collect(), absent: absent.into_iter().collect() }
    }
}

/// The way through the elements.
struct Gather<'l> {
    /// The buffers of what is found next, as far as the body has them.
    leaves: std::vec::IntoIter<(&'l Leaf, Option<BufferId>)>,
    gathered: Vec<Gathered>,
    mutable: bool,
    runtime: &'l Code,
    arena: &'l Ident,
}

impl Gather<'_> {
    /// The variable for what is found next, if the body has it.
    fn next(&mut self, name: &str, what: What) -> Option<Ident> {
        let (leaf, buffer) = self.leaves.next()?;
        let buffer = buffer?;
        let (name, word) = match what {
            What::Lengths => (format!("{name}_starts"), "lengths"),
            What::Rows => (name.to_owned(), "rows"),
            What::Values => (name.to_owned(), "values"),
        };
        let variable = format_ident!("{word}_of_{name}_{}", self.gathered.len(), span = Span::mixed_site());
        let leaf = (buffer, Leaf::plain(buffer, leaf.elem));
        self.gathered.push(Gathered { name, variable: variable.clone(), leaf, what });
        Some(variable)
    }

    /// A row of `len` numbers.
    fn row(&mut self, name: &str, row: Code, len: Code) -> Statements {
        let Some(rows) = self.next(name, What::Rows) else { return Statements::default() };
        let arena = self.arena;
        Statements {
            present: code!(#rows.push(#row);),
            absent: code!(#rows.push(#arena.scratch_zeroed(#len));),
        }
    }

    /// A number that is computed.
    fn value(&mut self, name: &str, value: Code) -> Statements {
        let Some(values) = self.next(name, What::Values) else { return Statements::default() };
        Statements {
            present: code!(#values.push(#value);),
            absent: code!(#values.push(::core::default::Default::default());),
        }
    }

    /// The statements that gather what is in a place.
    fn content(
        &mut self,
        content: &Content,
        ty: &Type,
        name: &str,
        place: Code,
        of_crate: bool,
    ) -> Statements {
        let each = Ident::new("each", Span::mixed_site());
        let (reference, from, by) = match self.mutable {
            true => (code!(&mut), code!(::core::slice::from_mut), code!(iter_mut)),
            false => (code!(&), code!(::core::slice::from_ref), code!(iter)),
        };
        match content {
            Content::Scalar(_) => self.row(name, code!(#from(#reference #place)), code!(1)),
            Content::Array(_) => {
                let len = match bare(ty) {
                    Type::Array(array) => user(&array.len),
                    _ => code!(0),
                };
                self.row(name, code!(#reference #place[..]), len)
            }
            Content::Record(record) if record.is_sum() => self.sum(record, name, place),
            Content::Record(record) if record.is_private() && !record.is_open() => {
                let runtime = self.runtime;
                self.value(name, code!(#runtime::known::Private::members(&#place).0))
            }
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
                let lengths = self.next(name, What::Lengths);
                let absent = lengths.iter().map(|lengths| code!(#lengths.push(0);)).collect();
                let lengths = lengths.map(|lengths| code!(#lengths.push(#slice.len());));
                let gathered = match &**elem {
                    Content::Scalar(_) => self.row(name, code!(#reference #slice), code!(0)).present,
                    elem => {
                        let inner = self.content(elem, of, name, code!((*#each)), false).present;
                        code!(for #each in #slice.#by() { #inner })
                    }
                };
                Statements { present: code!(#lengths #gathered), absent }
            }
            Content::Open | Content::Unknown { .. } => Statements::default(),
        }
    }

    fn record(&mut self, record: &Record, name: &str, place: Code) -> Statements {
        let fields = record.fields.iter().map(|field| {
            let (member, name) = (respanned(&field.member), format!("{name}_{}", member_name(&field.member)));
            let of_crate = record.of_crate.is_some();
            self.content(&field.content, &field.ty, &name, code!(#place.#member), of_crate)
        });
        fields.collect()
    }

    /// The number of the variant, and of each variant what it holds.
    fn sum(&mut self, record: &Record, name: &str, place: Code) -> Statements {
        let held = |at: usize| format_ident!("held_{at}", span = Span::mixed_site());
        let number = Ident::new("number", Span::mixed_site());
        let fields = record.fields.iter().enumerate().map(|(at, field)| {
            let (name, held) = (format!("{name}_{}", member_name(&field.member)), held(at));
            match at {
                0 => self.value(&name, code!(#number)),
                _ => self.content(&field.content, &field.ty, &name, code!((*#held)), false),
            }
        });
        let fields: Vec<Statements> = fields.collect();
        if fields.iter().all(Statements::is_empty) {
            return Statements::default();
        }
        let reference = if self.mutable { code!(&mut) } else { code!(&) };
        // the fields that are there, each with its member
        let arm = |pattern: Code, own: Code, there: &[(Code, usize)]| {
            let is_there = |at: usize| at == 0 || there.iter().any(|(_, field)| *field == at);
            let members =
                there.iter().filter(|(_, at)| !fields[*at].present.is_empty()).map(|(member, at)| {
                    let held = held(*at);
                    code!(#member: #held,)
                });
            let parts = fields.iter().enumerate();
            let parts = parts.map(|(at, it)| if is_there(at) { &it.present } else { &it.absent });
            code!(#pattern { #(#members)* .. } => { let #number = #own; #(#parts)* })
        };
        let arms: Vec<Code> = match record.is_option {
            true => vec![
                arm(code!(::core::option::Option::Some), code!(true), &[(code!(0), 1)]),
                arm(code!(::core::option::Option::None), code!(false), &[]),
            ],
            false => { record.variants.iter() }
                .map(|variant| {
                    let there = variant.holds.iter().map(|(member, at)| (respanned(member), *at));
                    arm(path(record, variant), discriminant(variant), &there.collect::<Vec<_>>())
                })
                .collect(),
        };
        let absent = fields.iter().map(|it| it.absent.clone()).collect();
        Statements { present: code!(match #reference #place { #(#arms)* }), absent }
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
        let (runtime, arena) = (runtime, self.arena);
        let mut gather = Gather { leaves, gathered: Vec::new(), mutable, runtime, arena };
        let words: Vec<String> = way.iter().map(member_name).collect();
        let (of, each) = (&argument.name, Ident::new("each", Span::mixed_site()));
        let name = [vec![unraw(of)], words].concat().join("_");
        // the type of an element says nothing that its content does not: what is shared is no element
        let inner = gather.content(elem, &argument.param.ty, &name, code!((*#each)), false).present;
        let (by, members) = (if mutable { code!(iter_mut) } else { code!(iter) }, members(way));
        let declared = gather.gathered.iter().map(|Gathered { variable, leaf, what, .. }| {
            let elem = literal::ty(program[leaf.0].elem);
            let row = match (what, mutable) {
                (What::Lengths | What::Values, _) => elem,
                (What::Rows, false) => code!(&[#elem]),
                (What::Rows, true) => code!(&mut [#elem]),
            };
            code!(let mut #variable: ::std::vec::Vec<#row> = ::std::vec::Vec::new();)
        });
        let declared: Code = declared.collect();
        let mut gathered = code!(#declared for #each in #of #members.#by() { #inner });
        let mut lent = Vec::new();
        for Gathered { name, variable, leaf, what } in gather.gathered {
            let name = self.names.fresh(&name);
            let mut part = match (what, program[leaf.0].rank()) {
                (What::Lengths, _) => {
                    let (runtime, arena) = (&self.contract.runtime, self.arena);
                    self.numbers(name, code!(#runtime::rows::starts(&#variable, #arena)), leaf)
                }
                (What::Values, _) => self.numbers(name, code!(&#variable), leaf),
                (What::Rows, 1) => {
                    let extent = code!(#runtime::rows::elements(&#variable));
                    self.dense(name, code!(#variable), extent, leaf)
                }
                (What::Rows, _) => {
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

    /// Numbers that no function changes.
    fn numbers(&mut self, name: Ident, of: Code, leaf: (BufferId, Leaf)) -> Lent {
        let len = self.names.fresh(&format!("{name}_dim0"));
        let elem = literal::ty(self.program[leaf.0].elem);
        let bound = code! {
            let #name: &[#elem] = #of;
            let #len = #name.len();
        };
        let storage = Storage::Flat { name: name.clone(), extents: vec![Some(len.clone())], disjoint: false };
        let rows = Some(Rows { extents: vec![(len, code!(usize))], storage });
        let kind = ParamKind::Slice { mutable: false };
        Lent { name, bound, ty: code!(&[#elem]), kind, leaves: vec![leaf], rows }
    }
}

/// How many elements are in the vectors with floats of all elements of a vector.
pub(super) fn total(elem: &Content, place: Code) -> Option<Code> {
    fn within(content: &Content, place: Code, of_crate: bool) -> Vec<Code> {
        match content {
            Content::Record(record) if record.is_open_sum() => {
                vec![in_variants(record, &place, |content, place| {
                    let parts = within(content, place, false).into_iter();
                    parts.reduce(|all, part| code!(#all + #part)).unwrap_or_else(|| code!(0))
                })]
            }
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

/// The sum of a number for each value that a variant of this value holds.
fn in_variants(record: &Record, place: &Code, number: impl Fn(&Content, Code) -> Code) -> Code {
    let held = Ident::new("held", Span::mixed_site());
    let of_field = |pattern: Code, member: Code, at: usize| {
        let number = number(&record.fields[at].content, code!((*#held)));
        let others = (record.is_option || record.variants.len() > 1).then(|| code!(_ => 0,));
        code!((match &#place { #pattern { #member: #held, .. } => #number, #others }))
    };
    let parts: Vec<Code> = match record.is_option {
        true => vec![of_field(code!(::core::option::Option::Some), code!(0), 1)],
        false => {
            let held = record.variants.iter().flat_map(|variant| {
                variant.holds.iter().map(move |(member, at)| (path(record, variant), respanned(member), *at))
            });
            let held = held.filter(|(.., at)| record.fields[*at].content.has_vectors());
            held.map(|(path, member, at)| of_field(path, member, at)).collect()
        }
    };
    parts.into_iter().reduce(|all, part| code!(#all + #part)).unwrap_or_else(|| code!(0))
}
