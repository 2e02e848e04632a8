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
}

impl HostValue {
    /// A value behind `depth` indices; `outer` is the element of the outermost array if there is one.
    pub(super) fn new(content: Content, depth: usize, outer: Option<&Type>) -> HostValue {
        let mut leaves = Vec::new();
        collect(&content, depth, &mut Vec::new(), outer, &mut leaves);
        let record = content.record().cloned();
        let elements = Some(content).filter(|content| depth == 1 && content.has_vectors());
        HostValue { leaves, record, elements }
    }

    pub(super) fn has_floats(&self) -> bool {
        self.leaves.iter().any(|leaf| leaf.elem.is_float())
    }
}

fn collect(
    content: &Content,
    depth: usize,
    path: &mut Vec<(usize, Member)>,
    outer: Option<&Type>,
    leaves: &mut Vec<HostLeaf>,
) {
    match content {
        Content::Scalar(elem) => {
            let of_records = path.iter().any(|(depth, _)| *depth > 0);
            let outer = outer.filter(|_| of_records).cloned();
            leaves.push(HostLeaf { elem: *elem, path: path.clone(), outer, of_enum: None });
        }
        Content::Array(elem) => collect(elem, depth + 1, path, outer, leaves),
        // where each of several vectors begins
        Content::Vector(elem, ty)
            if depth > 1
                || depth == 1 && (path.iter().any(|(depth, _)| *depth > 0) || content.is_ragged()) =>
        {
            leaves.push(HostLeaf { elem: Ty::USIZE, path: path.clone(), outer: None, of_enum: None });
            collect(elem, depth + 1, path, Some(ty), leaves);
        }
        Content::Vector(elem, ty) => collect(elem, depth + 1, path, Some(ty), leaves),
        // no parameter and no result is of a struct with an open field
        Content::Open | Content::Unknown { .. } => {}
        Content::Record(record) => {
            for (at, field) in record.fields.iter().enumerate() {
                let first = leaves.len();
                path.push((depth, field.member.clone()));
                let inner = if depth == 0 { array_element(&field.ty) } else { outer };
                collect(&field.content, depth, path, inner, leaves);
                path.pop();
                if let Some(reading) = reading(record, at) {
                    let reading = Rc::new(reading);
                    leaves[first..].iter_mut().for_each(|leaf| leaf.of_enum = Some(reading.clone()));
                }
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
