//! Arrays of structs: a buffer for each number in them, all with the same outermost indices.
//!
//! ```text
//! atoms: &[Atom]        struct Atom { pos: [f64; 3], q: f64 }
//! atoms_pos[n, 3], atoms_q[n]       atoms[i] is the struct of atoms_pos[i, ..] and atoms_q[i]
//! ```

use super::super::infer::Type;
use super::super::tree::LocalId;
use super::Emit;
use super::value::{Value, View};
use crate::ir::{Buffer, BufferId, Expr, Role};
use crate::signature::{Leaf, member_name};
use std::rc::Rc;

/// The buffers of an array of structs.
#[derive(Debug)]
pub(super) struct Group {
    /// How many indices stand in front of the members.
    depth: usize,
    members: Vec<Member>,
}

/// A member of the structs.
#[derive(Clone, Debug)]
enum Member {
    Leaf(BufferId),
    Group(Rc<Group>),
}

impl Member {
    /// The first buffer, if it holds numbers: its outermost extents are those of the others.
    fn first(&self) -> Option<BufferId> {
        match self {
            Member::Leaf(buffer) => Some(*buffer),
            Member::Group(group) => group.members.iter().find_map(Member::first),
        }
    }
}

impl Group {
    pub(super) fn depth(&self) -> usize {
        self.depth
    }

    /// Every buffer, in order.
    fn buffers(&self) -> Vec<BufferId> {
        let buffers = self.members.iter().flat_map(|member| match member {
            Member::Leaf(buffer) => vec![*buffer],
            Member::Group(group) => group.buffers(),
        });
        buffers.collect()
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
        Value::Tuple(group.members.iter().map(|member| self.member(member, prefix)).collect())
    }

    fn member(&self, member: &Member, prefix: &[Expr]) -> Value {
        match member {
            Member::Leaf(buffer) if self.program[*buffer].rank() == prefix.len() => {
                let place = crate::ir::Place::new(*buffer, prefix.to_vec());
                Value::Place(place, self.program[*buffer].elem)
            }
            Member::Group(group) if group.depth == prefix.len() => self.members(group, prefix),
            member => Value::View(self.view_of(member, prefix.to_vec())),
        }
    }

    fn view_of(&self, member: &Member, prefix: Vec<Expr>) -> View {
        // arrays of what holds nothing are refused
        let buffer = member.first().unwrap_or(BufferId(0));
        let len = match &prefix[..] {
            [] => self.whole_view(buffer).len,
            prefix => self.program[buffer].dims[prefix.len()].clone(),
        };
        let group = match member {
            Member::Leaf(_) => None,
            Member::Group(group) => Some(group.clone()),
        };
        View { buffer, prefix, offset: None, len, step: 1, axes: None, cuts: Vec::new(), owned: false, group }
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
                let elem = leaves.get(next).map_or(elem, |leaf| leaf.elem);
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
        let member = self.declared(ty, name, &mut Vec::new(), &mut None, &mut declare);
        self.member(&member, &[])
    }

    /// Declares a buffer for each number of a value of the type, in order.
    fn declared(
        &mut self,
        ty: &Type,
        name: &str,
        dims: &mut Vec<Option<Expr>>,
        first: &mut Option<Shared>,
        declare: &mut Declare<'_, Self>,
    ) -> Member {
        let ty = self.infer.peel(ty);
        match &ty {
            Type::Array(elem, len) => {
                let len = len.known();
                dims.push(len.map(|len| self.constant(&len)));
                let member = self.declared(elem, name, dims, first, declare);
                dims.pop();
                member
            }
            Type::Tuple(_) | Type::Record(_) => {
                let names = member_names(&ty);
                let parts = ty.members().unwrap_or_default().to_vec();
                let mut members = Vec::new();
                for (part, member) in parts.iter().zip(names) {
                    // fields that are vectors have extents of their own
                    let mut own = None;
                    let first = if dims.is_empty() { &mut own } else { &mut *first };
                    members.push(self.declared(part, &format!("{name}_{member}"), dims, first, declare));
                    // and so have vectors in these
                    if let Some((_, shared)) = first {
                        *shared = dims.len();
                    }
                }
                Member::Group(Rc::new(Group { depth: dims.len(), members }))
            }
            scalar => {
                let elem = self.element_type(scalar);
                let buffer = declare(self, name, elem, dims, *first);
                first.get_or_insert((buffer, dims.len()));
                Member::Leaf(buffer)
            }
        }
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
        let member = self.declared(&elem, name, &mut Vec::new(), &mut None, &mut declare);
        if is_open {
            let span = self.program[self.origin.span];
            self.refuse(
                span,
                "an array of tuples or structs that hold slices or vectors",
                "how many numbers each of them has would be known only at run time",
                "name each where it is used, or call a helper for each: `part(a) + part(b)`",
            );
        }
        let member = deepened(&member, dims.len());
        self.view_of(&member, Vec::new())
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
        let skipped = group.depth;
        let length = self.new_length(name, &dims, local);
        let mut extents = None;
        let member = self.copied_group(group, &mut |this, buffer| {
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

    fn copied_group(
        &mut self,
        group: &Group,
        copy: &mut dyn FnMut(&mut Self, BufferId) -> BufferId,
    ) -> Member {
        let members = group.members.iter().map(|member| match member {
            Member::Leaf(buffer) => Member::Leaf(copy(self, *buffer)),
            Member::Group(group) => self.copied_group(group, copy),
        });
        let members = members.collect();
        Member::Group(Rc::new(Group { depth: group.depth, members }))
    }
}

/// The member behind so many more indices.
fn deepened(member: &Member, by: usize) -> Member {
    deepened_by(member, by, 0)
}

fn deepened_by(member: &Member, by: usize, less: usize) -> Member {
    match member {
        Member::Leaf(buffer) => Member::Leaf(*buffer),
        Member::Group(group) => Member::Group(Rc::new(Group {
            depth: group.depth + by - less,
            members: group.members.iter().map(|member| deepened_by(member, by, less)).collect(),
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
