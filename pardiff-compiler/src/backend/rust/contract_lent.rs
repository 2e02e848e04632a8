//! Structs that own vectors in the contract: bodies take their fields, each as a reference or a slice.
//!
//! ```text
//! fn accumulate(domain: &mut Domain, d_domain: &mut Domain) {      struct Domain { e: Vec<f64>, node: Vec<usize>, dt: f64 }
//!     if d_domain.e.len() != domain.e.len() { …panic… }
//!     let domain_e: &mut [f64] = &mut domain.e;
//!     let domain_node: &mut [usize] = &mut domain.node;
//!     let domain_dt: &mut f64 = &mut domain.dt;
//!     let d_domain_e: &mut [f64] = &mut d_domain.e;
//!     …the body, with domain_e[i]…
//! }
//! ```
//!
//! A matrix of `nalgebra` lends its elements and its numbers of rows and columns: `m.data.as_slice()`, `&m.nrows()`.
//! What comes behind, tasks and tapes, then knows slices and references alone. Of an adjoint only the floats are
//! looked at.

use super::contract::Contract;
use super::contract_alike::Compared;
use super::contract_records::{cleared, written_place};
use super::contract_rows::{Dense, Rows};
use super::names::{Names, unraw};
use super::{Code, code, literal, user};
use crate::backend::interface::{Access, Argument};
use crate::ir::{BufferId, Program};
use crate::modes::{Entry, Mode};
use crate::signature::{Content, Field, Leaf, Param, ParamKind, Part, Record, member_name, sharing_pointer};
use proc_macro2::Ident;
use syn::Member;

/// A field that a body takes.
pub(super) struct Lent {
    /// What it is called there.
    pub(super) name: Ident,
    /// What stands in front of the body.
    pub(super) bound: Code,
    /// Its type there.
    pub(super) ty: Code,
    /// What kind of value it is there.
    pub(super) kind: ParamKind,
    /// Its buffers, with the ways from it.
    pub(super) leaves: Vec<(BufferId, Leaf)>,
    /// Of a copy of rows, how it is indexed.
    pub(super) rows: Option<Rows>,
}

/// The struct that owns vectors, if a parameter is one.
pub(super) fn owner(param: &Param) -> Option<&Record> {
    param.record.as_deref().filter(|record| record.is_open())
}

/// A field of an argument with the buffers of it.
pub(super) struct Owned<'r> {
    pub(super) way: Vec<Member>,
    pub(super) field: &'r Field,
    /// Whether it is of a known crate, whose own functions lend it.
    pub(super) is_of_crate: bool,
    /// Its buffers, with the ways from it.
    pub(super) leaves: Vec<(BufferId, Leaf)>,
}

impl Owned<'_> {
    /// What bodies call it.
    pub(super) fn name(&self, argument: &Argument<'_>, names: &mut Names) -> Ident {
        let words: Vec<String> = self.way.iter().map(member_name).collect();
        names.fresh(&format!("{}_{}", unraw(&argument.name), words.join("_")))
    }
}

/// The fields of a struct of which an argument has buffers.
fn owned<'r>(argument: &Argument<'_>, record: &'r Record, program: &Program) -> Vec<Owned<'r>> {
    let leaves = argument.leaves(program);
    let parts = record.parts().into_iter().map(|Part { way, field, is_of_crate }| {
        let of_field = leaves.iter().filter(|(_, leaf)| starts_with(leaf, &way)).map(|(buffer, leaf)| {
            let path = leaf.path[way.len()..].to_vec();
            (*buffer, Leaf { path, ..(*leaf).clone() })
        });
        Owned { leaves: of_field.collect(), way, field, is_of_crate }
    });
    parts.filter(|part| !part.leaves.is_empty()).collect()
}

/// The fields that a body takes of a struct.
fn fields(argument: &Argument<'_>, owned: Vec<Owned<'_>>, names: &mut Names) -> Vec<Lent> {
    let mutable = argument.access != Access::Read;
    let reference = if mutable { code!(&mut) } else { code!(&) };
    let mut fields = Vec::new();
    for part in owned {
        let name = part.name(argument, names);
        let Owned { way, field, leaves, is_of_crate, .. } = part;
        let (kind, ty) = match &field.content {
            Content::Vector(_, elem) => {
                let elem = user(elem);
                (ParamKind::Slice { mutable }, code!(#reference [#elem]))
            }
            content => {
                let ty = user(&field.ty);
                let kind = match content {
                    Content::Array(_) => ParamKind::ArrayRef { mutable },
                    _ => ParamKind::ScalarRef { mutable },
                };
                (kind, code!(#reference #ty))
            }
        };
        let (of, way) = (&argument.name, members(&way));
        let bound = match (is_of_crate, field.content.is_vector(), mutable) {
            (false, ..) => {
                let pointer = sharing_pointer(&field.ty).filter(|_| mutable);
                let place = written_place(code!(#of #way), pointer);
                code!(let #name: #ty = #reference #place;)
            }
            (true, true, false) => code!(let #name: #ty = #of #way.as_slice();),
            (true, true, true) => code!(let #name: #ty = #of #way.as_mut_slice();),
            // a number of rows, which no function changes
            (true, false, _) => code!(let #name: #ty = #reference #of #way();),
        };
        fields.push(Lent { name, bound, ty, kind, leaves, rows: None });
    }
    fields
}

impl Lent {
    /// Sets the floats of an adjoint to zero that the program does not set by itself, by tasks if it has some.
    pub(super) fn cleared(&self, entry: &Entry, runtime: &Code, tasks: bool) -> Code {
        let name = &self.name;
        let unset = self.leaves.iter().filter(|(buffer, _)| !entry.zeroed.contains(buffer));
        let zeros = unset.map(|(_, leaf)| match (leaf.path.is_empty(), self.kind) {
            (true, ParamKind::Slice { .. }) if tasks => code!(#runtime::fill(#name, #runtime::Zero::ZERO);),
            (true, ParamKind::Slice { .. }) => code!(#name.fill(#runtime::Zero::ZERO);),
            (true, _) => code!(*#name = #runtime::Zero::ZERO;),
            (false, kind) => cleared(name, leaf, kind, runtime),
        });
        zeros.collect()
    }
}

impl Contract<'_> {
    /// The fields that a body takes of an argument; `None` if it is passed as a whole.
    pub(super) fn fields(
        &self,
        argument: &Argument<'_>,
        program: &Program,
        mode: Mode,
        arena: &Ident,
        names: &mut Names,
    ) -> Option<Vec<Lent>> {
        let mut dense = Dense { contract: self, argument, program, mode, arena, names };
        if let Some(elem) = &argument.param.elements {
            return Some(dense.of_elements(&[], elem));
        }
        let owned = owned(argument, owner(argument.param)?, program);
        let is_of_rows =
            |part: &Owned<'_>| matches!(&part.field.content, Content::Vector(elem, _) if elem.has_vectors());
        let (rows, others): (Vec<_>, Vec<_>) = owned.into_iter().partition(is_of_rows);
        let lent = rows.into_iter().map(|part| match &part.field.content {
            Content::Vector(elem, _) if elem.is_ragged() => dense.of_elements(&part.way, elem),
            _ => vec![dense.of_field(part)],
        });
        let mut lent: Vec<Lent> = lent.flatten().collect();
        lent.extend(fields(argument, others, names));
        Some(lent)
    }

    /// The checks that the vectors of a companion are as long as those of its parameter.
    pub(super) fn lengths_of_vectors(&self, argument: &Argument<'_>) -> Code {
        if let Some(elem) = &argument.param.elements {
            return self.lengths_in_elements(argument, elem);
        }
        let Some(record) = owner(argument.param) else { return code!() };
        let Argument { primal, name, .. } = argument;
        let own = (unraw(name), code!(#name));
        let fills = argument.access != Access::Read;
        self.as_long(record, argument.word(), own, (unraw(primal), code!(#primal)), fills)
    }

    /// The checks that the vectors of a derivative are as long as those of its model, both as they are called and as
    /// code.
    pub(super) fn as_long(
        &self,
        record: &Record,
        word: &str,
        (name, own): (String, Code),
        (model_name, model): (String, Code),
        fills: bool,
    ) -> Code {
        let (runtime, function) = (&self.runtime, literal::string(&self.signature.shown()));
        let derivative = literal::string(word);
        let named =
            |way: &[Member]| [&name, &model_name].map(|of| literal::string(&format!("{of}{}", shown(way))));
        let checks = record.parts().into_iter().filter_map(|Part { way, field, is_of_crate, .. }| {
            let Content::Vector(elem, _) = &field.content else { return None };
            let part_way = way.clone();
            if is_of_crate {
                let way = &way[..way.len() - 1];
                let ([of_own, of_model], way) = (named(way), members(way));
                return Some(code!(#runtime::known::same_shape(
                    #function, #derivative, #of_own, &#own #way, #of_model, &#model #way
                );));
            }
            if !elem.has_floats() {
                return None;
            }
            let ([of_own, of_model], way) = (named(&way), members(&way));
            if elem.is_ragged() {
                let names = [&name, &model_name].map(|of| format!("{of}{}", shown(&part_way)));
                let places = [code!(#own #way), code!(#model #way)];
                let compared = Compared { names, places, indices: Vec::new(), fills };
                return Some(self.elements_as_long(elem, word, compared));
            }
            if elem.is_vector() {
                return Some(code!(#runtime::rows::same_shape(
                    #function, #derivative, #of_own, &#own #way, #of_model, &#model #way
                );));
            }
            Some(code! {
                if #own #way.len() != #model #way.len() {
                    #runtime::wrong_shape(#function, #derivative, #of_own, #own #way.len(), #of_model, #model #way.len())
                }
            })
        });
        checks.collect()
    }

    /// The lengths of the vectors of an argument by which a tape is known, in words and as code. Vectors without floats
    /// are not asked of a companion.
    pub(super) fn stamped_parts(&self, argument: &Argument<'_>, primal: &Ident) -> Vec<(String, Code)> {
        let (name, of) = (&argument.name, unraw(primal));
        if let Some(elem) = &argument.param.elements {
            let total = super::contract_elements::total(elem, code!(#name));
            return total
                .map(|total| (format!("the lengths of the vectors in `{of}`"), total))
                .into_iter()
                .collect();
        }
        let Some(record) = owner(argument.param) else { return Vec::new() };
        let parts = record.parts().into_iter().flat_map(|Part { way, field, .. }| {
            let (text, members) = (shown(&way), members(&way));
            let length = || (format!("the length of `{of}{text}`"), code!(#name #members.len()));
            match &field.content {
                Content::Vector(elem, _) if !elem.has_floats() => Vec::new(),
                Content::Vector(elem, _) if elem.is_ragged() => {
                    let total = super::contract_elements::total(elem, code!(#name #members));
                    let what = format!("the lengths of the vectors in `{of}{text}`");
                    [length()].into_iter().chain(total.map(|total| (what, total))).collect()
                }
                Content::Vector(elem, _) if elem.is_vector() => {
                    let row = code!(#name #members.first().map_or(0, |row| row.len()));
                    vec![length(), (format!("the length of the rows of `{of}{text}`"), row)]
                }
                Content::Vector(..) => vec![length()],
                _ => Vec::new(),
            }
        });
        parts.collect()
    }
}

/// What the argument or companion of this name is called outside: `model.layers` of the part `model_layers`.
pub(super) fn called(argument: &Argument<'_>, name: &Ident) -> String {
    let name = unraw(name);
    let Some(product) = &argument.param.product else { return name };
    let words: String = product.way.iter().map(|member| format!("_{}", member_name(member))).collect();
    match name.strip_suffix(&words) {
        Some(of) => format!("{of}{}", shown(&product.way)),
        None => name,
    }
}

pub(super) fn starts_with(leaf: &Leaf, way: &[Member]) -> bool {
    leaf.path.len() >= way.len() && leaf.path.iter().zip(way).all(|((_, member), of)| member == of)
}

/// `.a.b`
pub(super) fn members(way: &[Member]) -> Code {
    way.iter()
        .map(|member| {
            let member = user(member);
            code!(.#member)
        })
        .collect()
}

pub(super) fn shown<'a>(way: impl IntoIterator<Item = &'a Member>) -> String {
    way.into_iter().map(|member| format!(".{}", member_name(member))).collect()
}
