//! Values of the host as the numbers that they consist of.

use super::param_types::array_element;
use crate::ir::Ty;
use crate::signature::{Content, Reading, Record};
use std::rc::Rc;
use syn::{Member, Type};

/// A value of the host: which numbers it consists of.
pub(super) struct HostValue {
    /// The numbers, each with the way to it.
    pub(super) leaves: Vec<HostLeaf>,
    /// The struct or tuple at the bottom of it.
    pub(super) record: Option<Rc<Record>>,
    /// The elements of a slice that have vectors with lengths of their own.
    pub(super) elements: Option<Content>,
}

/// A number of a host value, or an array of numbers.
#[derive(Clone)]
pub(super) struct HostLeaf {
    pub(super) elem: Ty,
    /// As in [`Leaf`](crate::signature::Leaf).
    pub(super) path: Vec<(usize, Member)>,
    pub(super) outer: Option<Type>,
    pub(super) of_enum: Option<Rc<Reading>>,
    pub(super) is_constant: bool,
}

impl HostValue {
    /// A value behind `depth` indices; `outer` is the element of the outermost array if there is one.
    pub(super) fn new(content: Content, depth: usize, outer: Option<&Type>) -> HostValue {
        let record = content.record().cloned();
        let elements = Some(&content).filter(|content| depth == 1 && content.has_vectors()).cloned();
        let mut found = Found { path: Vec::new(), in_elements: elements.is_some(), leaves: Vec::new() };
        found.collect(&content, depth, outer);
        HostValue { leaves: found.leaves, record, elements }
    }

    pub(super) fn has_floats(&self) -> bool {
        self.leaves.iter().any(|leaf| leaf.elem.is_float())
    }
}

/// The numbers that are found in a value.
struct Found {
    /// The way to what is looked at.
    path: Vec<(usize, Member)>,
    /// Whether bodies take that as, or in, an element with vectors.
    in_elements: bool,
    leaves: Vec<HostLeaf>,
}

impl Found {
    fn push(&mut self, elem: Ty, outer: Option<Type>) {
        let path = self.path.clone();
        self.leaves.push(HostLeaf { elem, path, outer, of_enum: None, is_constant: false });
    }

    fn collect(&mut self, content: &Content, depth: usize, outer: Option<&Type>) {
        match content {
            Content::Scalar(elem) => {
                let of_records = self.path.iter().any(|(depth, _)| *depth > 0);
                self.push(*elem, outer.filter(|_| of_records).cloned());
            }
            Content::Array(elem) => self.collect(elem, depth + 1, outer),
            Content::Vector(elem, ty) => {
                // where each of several vectors begins
                let is_one_of_several = self.in_elements || depth > 1 || depth == 1 && content.is_ragged();
                if is_one_of_several {
                    self.push(Ty::USIZE, None);
                }
                let outer = std::mem::replace(&mut self.in_elements, is_one_of_several || elem.is_ragged());
                self.collect(elem, depth + 1, Some(ty));
                self.in_elements = outer;
            }
            // no parameter and no result is of a struct with an open field
            Content::Open | Content::Unknown { .. } => {}
            Content::Record(record) => {
                let around = self.in_elements;
                self.in_elements |= record.is_open_sum();
                self.members(record, depth, outer);
                self.in_elements = around;
            }
        }
    }

    fn members(&mut self, record: &Rc<Record>, depth: usize, outer: Option<&Type>) {
        for (at, field) in record.fields.iter().enumerate() {
            let first = self.leaves.len();
            self.path.push((depth, field.member.clone()));
            let inner = if depth == 0 { array_element(&field.ty) } else { outer };
            self.collect(&field.content, depth, inner);
            self.path.pop();
            let is_constant =
                self.in_elements && (record.is_sum() && at == 0 || record.is_private() && !record.is_open());
            self.leaves[first..].iter_mut().for_each(|leaf| leaf.is_constant |= is_constant);
            if let Some(reading) = reading(record, at) {
                let reading = Rc::new(reading);
                self.leaves[first..].iter_mut().for_each(|leaf| leaf.of_enum = Some(reading.clone()));
            }
        }
    }
}

/// How a number of an enum is read, `None` for a struct.
fn reading(record: &Rc<Record>, at: usize) -> Option<Reading> {
    if !record.is_enum() {
        return None;
    }
    if !record.is_moved() {
        return Some(Reading::Cast);
    }
    let mut held = record
        .variants
        .iter()
        .enumerate()
        .flat_map(|(variant, it)| it.holds.iter().map(move |(member, field)| (variant, member, *field)));
    Some(match held.find(|(.., field)| *field == at) {
        Some((variant, member, _)) => Reading::Held { of: record.clone(), variant, member: member.clone() },
        None => Reading::Position(record.clone()),
    })
}
