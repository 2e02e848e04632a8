//! Arrays of structs: a buffer for each number in them, all with the same outermost indices.
//!
//! ```text
//! atoms: &[Atom]        struct Atom { pos: [f64; 3], q: f64 }
//! atoms_pos[n, 3], atoms_q[n]       atoms[i] is the struct of atoms_pos[i, ..] and atoms_q[i]
//! ```
//!
//! Vectors in these have lengths of their own. Their elements are one behind the other, beside where each vector
//! begins:
//!
//! ```text
//! nodes: &[Node]        struct Node { of: Vec<f64> }
//! nodes_of_starts[n + 1], nodes_of[_]         nodes[i].of[k] is nodes_of[nodes_of_starts[i] + k]
//! ```

use super::super::infer::Type;
use super::super::tree::{Len, LocalId};
use super::Emit;
use super::value::{Value, View, add, sub};
use crate::ir::{Buffer, BufferId, Expr, Role, Ty};
use crate::signature::{Leaf, member_name};
use std::rc::Rc;

/// The buffers of an array of structs.
#[derive(Debug)]
pub(super) struct Group {
    /// How many indices stand in front of the members.
    depth: usize,
    members: Vec<Member>,
    /// Whether an element is the one member itself: a vector in a vector.
    of_vectors: bool,
}

/// A member of the structs.
#[derive(Clone, Debug)]
enum Member {
    Leaf(BufferId),
    Group(Rc<Group>),
    /// Vectors: where each begins and the last one ends, and the elements of all.
    Vectors(BufferId, Box<Member>),
    /// The one element of an array: an enum or an option with vectors in it.
    One(Box<Member>),
}

impl Member {
    /// Every buffer of numbers, in order.
    fn buffers(&self) -> Vec<BufferId> {
        match self {
            Member::Leaf(buffer) => vec![*buffer],
            Member::Group(group) => group.buffers(),
            Member::Vectors(_, of) | Member::One(of) => of.buffers(),
        }
    }

    /// The first buffer, if it holds numbers: its outermost extents are those of the others.
    fn first(&self) -> Option<BufferId> {
        match self {
            Member::Leaf(buffer) => Some(*buffer),
            Member::Group(group) => group.members.iter().find_map(Member::first),
            Member::Vectors(..) | Member::One(_) => None,
        }
    }

    /// Where the vectors begin that are first in it.
    fn first_starts(&self) -> Option<BufferId> {
        match self {
            Member::Leaf(_) | Member::One(_) => None,
            Member::Group(group) => group.members.iter().find_map(Member::first_starts),
            Member::Vectors(starts, _) => Some(*starts),
        }
    }
}

impl Group {
    pub(super) fn depth(&self) -> usize {
        self.depth
    }

    /// Whether vectors with lengths of their own are in it.
    pub(super) fn has_vectors(&self) -> bool {
        self.members.iter().any(|member| member.first_starts().is_some())
    }

    /// Every buffer, in order.
    fn buffers(&self) -> Vec<BufferId> {
        self.members.iter().flat_map(Member::buffers).collect()
    }
}

impl View {
    /// The buffers that it is a part of: one, or those of all members of structs.
    pub(super) fn buffers(&self) -> Vec<BufferId> {
        self.group.as_ref().map_or_else(|| vec![self.buffer], |group| group.buffers())
    }
}

/// Declares a buffer of a name, a scalar type and extents; those of the buffer named last are shared.
type Declare<'a, E> =
    dyn FnMut(&mut E, &str, crate::ir::Ty, &[Option<Expr>], Option<Shared>) -> BufferId + 'a;

/// A buffer, and how many of its outermost extents others have as well.
type Shared = (BufferId, usize);

impl Emit<'_> {
    /// The struct at the indices `prefix`.
    pub(super) fn members(&self, group: &Group, prefix: &[Expr]) -> Value {
        match &group.members[..] {
            [vectors] if group.of_vectors => self.member(vectors, prefix),
            members => Value::Tuple(members.iter().map(|member| self.member(member, prefix)).collect()),
        }
    }

    fn member(&self, member: &Member, prefix: &[Expr]) -> Value {
        match member {
            Member::Leaf(buffer) if self.program[*buffer].rank() == prefix.len() => {
                let place = crate::ir::Place::new(*buffer, prefix.to_vec());
                Value::Place(place, self.program[*buffer].elem)
            }
            Member::Group(group) if group.depth == prefix.len() => self.members(group, prefix),
            Member::Vectors(starts, elements) if prefix.len() == 1 => {
                let at = |index: Expr| crate::ir::Place::new(*starts, vec![index]).load(Ty::USIZE);
                let (start, end) = (at(prefix[0].clone()), at(add(prefix[0].clone(), Expr::usize(1))));
                let (len, starts) = (sub(end, start.clone()), Some(*starts));
                Value::View(View { offset: Some(start), len, starts, ..self.view_of(elements, Vec::new()) })
            }
            Member::One(of) if prefix.is_empty() => self.member(of, &[Expr::usize(0)]),
            member => Value::View(self.view_of(member, prefix.to_vec())),
        }
    }

    /// The vectors whose elements are one behind the other in an array.
    pub(super) fn vectors_of(&self, elements: View, starts: &View) -> View {
        let of = elements.group.map_or(Member::Leaf(elements.buffer), Member::Group);
        self.view_of(&Member::Vectors(starts.buffer, Box::new(of)), Vec::new())
    }

    fn view_of(&self, member: &Member, prefix: Vec<Expr>) -> View {
        // arrays of what holds nothing are refused
        let buffer = member.first().or_else(|| member.first_starts()).unwrap_or(BufferId(0));
        let len = match &prefix[..] {
            [] if member.first().is_none()
                && member.first_starts().is_some_and(|starts| !self.lengths.contains_key(&starts)) =>
            {
                sub(Expr::extent(buffer, 0), Expr::usize(1))
            }
            [] => self.whole_view(buffer).len,
            prefix => self.program[buffer].dims[prefix.len()].clone(),
        };
        let group = match member {
            Member::Leaf(_) => None,
            Member::Group(group) => Some(group.clone()),
            Member::Vectors(..) | Member::One(_) => {
                let members = vec![member.clone()];
                Some(Rc::new(Group { depth: 1, members, of_vectors: true }))
            }
        };
        View { prefix, len, group, ..self.whole_view(buffer) }
    }

    /// Vectors of these elements, of which it is known where each begins.
    pub(super) fn rows(&self, starts: BufferId, elements: &View) -> View {
        let elements = match &elements.group {
            Some(group) => Member::Group(group.clone()),
            None => Member::Leaf(elements.buffer),
        };
        self.view_of(&Member::Vectors(starts, Box::new(elements)), Vec::new())
    }

    /// The elements of all vectors in a vector.
    pub(super) fn elements_of_rows(&self, rows: &View) -> View {
        match rows.group.as_ref().map(|group| &group.members[..]) {
            Some([Member::Vectors(_, elements)]) => self.view_of(elements, Vec::new()),
            _ => rows.clone(),
        }
    }

    /// A new vector of vectors like another one, which has a length and is empty.
    pub(super) fn alloc_rows_like(&mut self, rows: &View, name: &str, len: BufferId) -> View {
        let empty = vec![Expr::usize(0)];
        let starts = self.alloc_with(&format!("{name}_starts"), Ty::USIZE, empty, None, Some(len)).buffer;
        let of = self.elements_of_rows(rows);
        let member = of.group.map_or(Member::Leaf(of.buffer), Member::Group);
        let elements = self.copied_member(&member, &mut |this, buffer| {
            let Buffer { name: own, elem, mut dims, .. } = this.program[buffer].clone();
            dims[0] = Expr::usize(0);
            this.alloc_with(&format!("{name}_{own}"), elem, dims, None, Some(len)).buffer
        });
        self.view_of(&Member::Vectors(starts, Box::new(elements)), Vec::new())
    }

    /// Declares the buffers of a parameter or a result; its value. Those of one array have the extents of the first.
    pub(super) fn interface_value(
        &mut self,
        ty: &Type,
        name: &str,
        leaves: &[Leaf],
        role: Role,
        list: impl Fn(&mut crate::ir::Program) -> &mut Vec<BufferId>,
    ) -> Value {
        let mut next = 0;
        let mut declare =
            |this: &mut Self, name: &str, elem, dims: &[Option<Expr>], first: Option<Shared>| {
                let leaf = leaves.get(next);
                let elem = leaf.map_or(elem, |leaf| leaf.elem);
                let role = if leaf.is_some_and(|leaf| leaf.is_constant) { Role::Input } else { role };
                next += 1;
                let buffer = this.program.add_buffer(Buffer::new(name, elem, Vec::new(), role));
                list(&mut this.program).push(buffer);
                let dims = dims.iter().enumerate();
                let dims = dims.map(|(dim, len)| {
                    let of = first.filter(|(_, shared)| dim < *shared).map_or(buffer, |(first, _)| first);
                    len.clone().unwrap_or_else(|| Expr::extent(of, dim))
                });
                let dims = dims.collect();
                this.program[buffer].dims = dims;
                buffer
            };
        let member = self.declared(ty, name, (&mut Vec::new(), false), &mut None, &mut declare);
        self.member(&member, &[])
    }

    /// Declares a buffer for each number of a value of the type, in order: behind arrays of these extents, and in an
    /// element of them or the array of the next extent.
    fn declared(
        &mut self,
        ty: &Type,
        name: &str,
        (dims, in_element): (&mut Vec<Option<Expr>>, bool),
        first: &mut Option<Shared>,
        declare: &mut Declare<'_, Self>,
    ) -> Member {
        let ty = self.infer.peel(ty);
        match &ty {
            Type::Array(elem, Len::Dynamic) if in_element || dims.len() > 1 || self.is_ragged(dims, elem) => {
                let starts = declare(self, &format!("{name}_starts"), Ty::USIZE, dims, None);
                self.program[starts].role = Role::Input;
                let elements = self.declared(elem, name, (&mut vec![None], true), &mut None, declare);
                Member::Vectors(starts, Box::new(elements))
            }
            Type::Array(elem, len) => {
                let len = len.known();
                dims.push(len.map(|len| self.constant(&len)));
                let member = self.declared(elem, name, (dims, in_element), first, declare);
                dims.pop();
                member
            }
            Type::Tuple(_) | Type::Record(_) if dims.is_empty() && !in_element && self.is_open_sum(&ty) => {
                let one = self.declared(&ty, name, (&mut vec![None], true), &mut None, declare);
                Member::One(Box::new(one))
            }
            Type::Tuple(_) | Type::Record(_) => {
                let names = member_names(&ty);
                let parts = ty.members().unwrap_or_default().to_vec();
                let mut members = Vec::new();
                for (part, member) in parts.iter().zip(names) {
                    // fields that are vectors have extents of their own
                    let mut own = None;
                    let first = if dims.is_empty() { &mut own } else { &mut *first };
                    let (name, in_element) = (format!("{name}_{member}"), !dims.is_empty());
                    members.push(self.declared(part, &name, (dims, in_element), first, declare));
                    // and so have vectors in these
                    if let Some((_, shared)) = first {
                        *shared = dims.len();
                    }
                }
                Member::Group(Rc::new(Group { depth: dims.len(), members, of_vectors: false }))
            }
            scalar => {
                let elem = self.element_type(scalar);
                let buffer = declare(self, name, elem, dims, *first);
                first.get_or_insert((buffer, dims.len()));
                Member::Leaf(buffer)
            }
        }
    }

    /// Refuses an assignment to the number of a variant beside vectors, of which arrays hold the numbers.
    pub(super) fn refuse_other_variant(&mut self, span: proc_macro2::Span) {
        self.refuse(
            span,
            "another variant of an enum, or another `Option`, beside vectors",
            "an adjoint is of the variants of the argument, and says it before the function runs",
            "change what is in it, `if let Some(v) = &mut x.scale { *v *= 2.0; }`",
        );
    }

    /// Whether it is an enum with vectors in it, or an option of what has some.
    fn is_open_sum(&self, ty: &Type) -> bool {
        match ty {
            Type::Record(of) => of.record.is_open_sum(),
            Type::Tuple(parts) => match &parts[..] {
                [flag, of] => {
                    matches!(self.infer.peel(flag), Type::Scalar(Ty::Bool)) && self.is_open_value(of)
                }
                _ => false,
            },
            _ => false,
        }
    }

    /// Whether vectors are in a value of the type.
    fn is_open_value(&self, ty: &Type) -> bool {
        match self.infer.peel(ty) {
            Type::Array(of, len) => len.known().is_none() || self.is_open_value(&of),
            ty => ty.members().is_some_and(|parts| parts.iter().any(|part| self.is_open_value(part))),
        }
    }

    /// Whether vectors of these elements, which are in a vector, have lengths of their own.
    fn is_ragged(&self, dims: &[Option<Expr>], elem: &Type) -> bool {
        dims.len() == 1 && !matches!(self.infer.peel(elem), Type::Scalar(Ty::Float(_)))
    }

    /// A new local array of type `ty` with these extents.
    pub(super) fn alloc_of(
        &mut self,
        ty: &Type,
        name: &str,
        dims: Vec<Expr>,
        local: Option<LocalId>,
    ) -> View {
        let length = self.new_length(name, &dims, local);
        self.alloc_of_length(ty, name, dims, local, length)
    }

    /// The same, of an array that grows if it has a length.
    pub(super) fn alloc_of_length(
        &mut self,
        ty: &Type,
        name: &str,
        dims: Vec<Expr>,
        local: Option<LocalId>,
        length: Option<BufferId>,
    ) -> View {
        let mut elem = self.infer.peel(ty);
        while let Type::Array(inner, _) = elem {
            self.refuse_places(&inner);
            elem = self.infer.peel(&inner);
        }
        if elem.members().is_none() {
            let elem = self.element_type(ty);
            return self.alloc_with(name, elem, dims, local, length);
        }
        let mut extents = None;
        let mut is_open = false;
        let mut declare = |this: &mut Self, name: &str, elem, inner: &[Option<Expr>], _| {
            // the first evaluates the extents
            let outer: Vec<Expr> = extents.clone().unwrap_or_else(|| dims.clone());
            is_open |= inner.iter().any(Option::is_none);
            let inner = inner.iter().map(|len| len.clone().unwrap_or_else(|| Expr::usize(0)));
            let all = outer.into_iter().chain(inner).collect();
            let view = this.alloc_with(name, elem, all, local, length);
            let outer = this.program[view.buffer].dims[..dims.len()].to_vec();
            extents.get_or_insert(outer);
            view.buffer
        };
        let member = self.declared(&elem, name, (&mut Vec::new(), false), &mut None, &mut declare);
        if is_open {
            self.refuse_vectors_in_elements();
        }
        let member = deepened(&member, dims.len());
        self.view_of(&member, Vec::new())
    }

    fn refuse_vectors_in_elements(&mut self) {
        let span = self.program[self.origin.span];
        self.refuse(
            span,
            "an array of tuples or structs that hold slices or vectors",
            "how many numbers each of them has would be known only at run time",
            "name each where it is used, or call a helper for each: `part(a) + part(b)`",
        );
    }

    /// Refuses elements that stand for what is elsewhere and is written to.
    fn refuse_places(&mut self, elem: &Type) {
        match self.infer.shallow(elem) {
            Type::Ref(true, _) => {
                let span = self.program[self.origin.span];
                self.refuse(
                    span,
                    "an array of `&mut` references",
                    "an array holds numbers, and which variable each of them stands for would be known only at run time",
                    "write it where it is iterated over, `for x in [&mut a, &mut b] { … }`, or change each by its name",
                );
            }
            elem => elem.members().unwrap_or_default().iter().for_each(|member| self.refuse_places(member)),
        }
    }

    /// A new local array like that of a view, with these outermost extents.
    pub(super) fn alloc_like(
        &mut self,
        view: &View,
        name: &str,
        dims: Vec<Expr>,
        local: Option<LocalId>,
    ) -> View {
        let Some(group) = &view.group else {
            let elem = self.program[view.buffer].elem;
            return self.alloc(name, elem, dims, local);
        };
        if group.has_vectors() {
            self.refuse_vectors_in_elements();
        }
        let skipped = group.depth;
        let length = self.new_length(name, &dims, local);
        let mut extents = None;
        let group = Member::Group(group.clone());
        let member = self.copied_member(&group, &mut |this, buffer| {
            let Buffer { name: own, elem, dims: inner, .. } = this.program[buffer].clone();
            let outer: Vec<Expr> = extents.clone().unwrap_or_else(|| dims.clone());
            let all = outer.into_iter().chain(inner.into_iter().skip(skipped)).collect();
            let view = this.alloc_with(&format!("{name}_{own}"), elem, all, local, length);
            let outer = this.program[view.buffer].dims[..dims.len()].to_vec();
            extents.get_or_insert(outer);
            view.buffer
        });
        let member = deepened_by(&member, dims.len(), skipped);
        self.view_of(&member, Vec::new())
    }

    /// New buffers for the numbers of a view of vectors, or of structs with vectors, as long as its buffers, which say
    /// where vectors begin in them as well.
    pub(super) fn alloc_with_vectors(&mut self, view: &View, group: &Rc<Group>, name: &str) -> View {
        let group = Member::Group(group.clone());
        let member = self.copied_member(&group, &mut |this, buffer| {
            let Buffer { name: own, elem, dims, .. } = this.program[buffer].clone();
            this.alloc(&format!("{name}_{own}"), elem, dims, None).buffer
        });
        let View { buffer, group, .. } = self.view_of(&member, Vec::new());
        View { buffer, group, ..view.clone() }
    }

    fn copied_member(
        &mut self,
        member: &Member,
        copy: &mut dyn FnMut(&mut Self, BufferId) -> BufferId,
    ) -> Member {
        match member {
            Member::Leaf(buffer) => Member::Leaf(copy(self, *buffer)),
            Member::Vectors(starts, of) => Member::Vectors(*starts, Box::new(self.copied_member(of, copy))),
            Member::One(of) => Member::One(Box::new(self.copied_member(of, copy))),
            Member::Group(group) => {
                let members = group.members.iter().map(|member| self.copied_member(member, copy)).collect();
                Member::Group(Rc::new(Group { members, ..**group }))
            }
        }
    }
}

/// The member behind so many more indices.
fn deepened(member: &Member, by: usize) -> Member {
    deepened_by(member, by, 0)
}

fn deepened_by(member: &Member, by: usize, less: usize) -> Member {
    match member {
        Member::Leaf(_) | Member::Vectors(..) | Member::One(_) => member.clone(),
        Member::Group(group) => Member::Group(Rc::new(Group {
            depth: group.depth + by - less,
            members: group.members.iter().map(|member| deepened_by(member, by, less)).collect(),
            of_vectors: group.of_vectors,
        })),
    }
}

/// The names of the members of a tuple or a struct.
pub(super) fn member_names(ty: &Type) -> Vec<String> {
    match ty {
        Type::Record(record) => record.record.fields.iter().map(|field| member_name(&field.member)).collect(),
        other => (0..other.members().map_or(0, <[Type]>::len)).map(|member| member.to_string()).collect(),
    }
}
