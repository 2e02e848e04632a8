//! How each buffer of a program is represented in the generated function.

use super::emitter::Emitter;
use super::{Code, code, literal};
use crate::ir::{BufferId, Expr, ExprKind, Layout, Place, Program, Ty, layout};
use crate::limits::ELEMENTS_ON_THE_STACK;
use crate::signature::Reading;
use proc_macro2::Ident;
use std::rc::Rc;
use syn::Member;

/// The members on the way from a host value to a buffer.
#[derive(Clone, Default)]
pub(super) struct Fields {
    /// What the host value is called.
    pub(super) host: String,
    /// Each with the number of indices in front of it.
    pub(super) path: Vec<(usize, Member)>,
    /// The type of the elements of the outermost array, if that is one of structs.
    pub(super) outer: Option<Code>,
    /// Whether that type names const parameters of the function.
    pub(super) generic: bool,
    /// How the last member of the path is read from an enum, where it is a number of one, and the type of that number.
    pub(super) of_enum: Option<(Rc<Reading>, Ty)>,
    /// Whether the host value is a reference to that enum.
    pub(super) is_reference: bool,
}

impl Fields {
    /// Whether the value is in an array of structs.
    pub(super) fn is_of_records(&self) -> bool {
        self.path.iter().any(|(depth, _)| *depth > 0)
    }

    /// `.a.b` behind so many indices.
    pub(super) fn at(&self, depth: usize) -> Code {
        let named = self.path.len() - usize::from(self.of_enum.is_some());
        let members = self.path[..named].iter().filter(|(at, _)| *at == depth);
        members
            .map(|(_, member)| {
                let member = super::user(member);
                code!(.#member)
            })
            .collect()
    }

    /// The number in a place of the host: the place itself, or what is read from the enum in it.
    pub(super) fn number(&self, place: Code) -> Code {
        let Some((reading, elem)) = &self.of_enum else { return place };
        match self.is_reference {
            false => reading.number(&place, *elem),
            true => reading.number(&code!(*#place), *elem),
        }
    }

    /// Members and indices behind the first `from` indices.
    pub(super) fn behind(&self, from: usize, index: &[Code]) -> Code {
        let mut tokens = Code::new();
        for depth in from..=index.len() {
            if depth > from {
                let index = &index[depth - 1];
                tokens.push(code!([#index]));
            }
            tokens.push(self.at(depth));
        }
        tokens
    }
}

/// The representation of a buffer.
#[derive(Clone)]
pub(super) enum Storage {
    /// A scalar: a local, or behind a reference.
    Scalar {
        /// Its name.
        name: Ident,
        /// Whether the name is a reference to it.
        reference: bool,
    },
    /// A value of the caller's type, indexed as the user does: `x[i][j]`, `x[i].mass`.
    Host {
        /// Its name.
        name: Ident,
        /// The members on the way to it.
        fields: Rc<Fields>,
    },
    /// In a task: a member of the structs of a slice, or of a `Disjoint` of them.
    Records {
        /// The name of the slice.
        name: Ident,
        /// The members behind its index.
        fields: Rc<Fields>,
        /// The locals that hold its extents, for those that are not constants.
        extents: Vec<Option<Ident>>,
        /// Whether it is a `Disjoint`.
        disjoint: bool,
    },
    /// A local array `[T; N]` in the order of its layout.
    Stack {
        /// Its name.
        name: Ident,
        /// The number of elements.
        elements: usize,
    },
    /// A slice to write, in the order of its layout: one that the arena lends, or the elements of an argument.
    Heap {
        /// Its name.
        name: Ident,
        /// The locals that hold its extents, for those that are not read from elsewhere.
        extents: Vec<Option<Ident>>,
        /// Whether it grows as it is written.
        grows: bool,
    },
    /// An array in the order of its layout, as a slice to read or, in a task, as a `Disjoint`.
    Flat {
        /// Its name.
        name: Ident,
        /// The locals that hold its extents, for those that are not read from elsewhere.
        extents: Vec<Option<Ident>>,
        /// Whether it is a `Disjoint`.
        disjoint: bool,
    },
}

impl Storage {
    /// The name of the local or parameter.
    pub(super) fn name(&self) -> &Ident {
        match self {
            Storage::Scalar { name, .. }
            | Storage::Host { name, .. }
            | Storage::Records { name, .. }
            | Storage::Stack { name, .. }
            | Storage::Heap { name, .. }
            | Storage::Flat { name, .. } => name,
        }
    }

    /// How people call the array.
    pub(super) fn shown(&self) -> String {
        match self {
            Storage::Records { fields, .. } => fields.host.clone(),
            storage => storage.name().to_string(),
        }
    }

    /// `.a.b` behind so many indices, for people.
    pub(super) fn members_shown(&self, depth: usize) -> String {
        match self {
            Storage::Host { fields, .. } | Storage::Records { fields, .. } => {
                fields.at(depth).to_string().replace(' ', "")
            }
            _ => String::new(),
        }
    }

    /// The representation of a local buffer; `name` makes names unique.
    pub(super) fn local(program: &Program, buffer: BufferId, mut name: impl FnMut(&str) -> Ident) -> Storage {
        let it = &program[buffer];
        let own = name(&it.name);
        if it.rank() == 0 {
            return Storage::Scalar { name: own, reference: false };
        }
        if it.layout.grows() {
            let extents = (0..it.rank()).map(|dim| extent_local(program, buffer, dim, &own, &mut name));
            let grows = it.layout == Layout::Growing;
            return Storage::Heap { extents: extents.collect(), name: own, grows };
        }
        match constant_size(program, buffer) {
            Some(elements) if elements <= ELEMENTS_ON_THE_STACK => Storage::Stack { name: own, elements },
            _ if it.rank() == 1 && it.layout == Layout::RowMajor => {
                Storage::Heap { name: own, extents: vec![None], grows: false }
            }
            _ => {
                let extents = (0..it.rank()).map(|dim| extent_local(program, buffer, dim, &own, &mut name));
                Storage::Heap { extents: extents.collect(), name: own, grows: false }
            }
        }
    }
}

/// The local for an extent that has to be evaluated at entry of the buffer's scope.
fn extent_local(
    program: &Program,
    buffer: BufferId,
    dim: usize,
    own: &Ident,
    name: &mut dyn FnMut(&str) -> Ident,
) -> Option<Ident> {
    let extent = &program[buffer].dims[dim];
    (!is_fixed(extent)).then(|| name(&format!("{own}_dim{dim}")))
}

/// Whether the extent can be evaluated again wherever it is needed: what it reads does not change while the buffer
/// lives, so the question is only whether a reader would write it twice.
fn is_fixed(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Int(_) | ExprKind::Opaque(_) | ExprKind::Extent(..) => true,
        ExprKind::Load(place) => place.index.is_empty(),
        _ => false,
    }
}

/// The number of elements, where every extent is a constant.
pub(super) fn constant_size(program: &Program, buffer: BufferId) -> Option<usize> {
    let it = &program[buffer];
    let extents: Option<Vec<Option<usize>>> =
        it.dims.iter().map(|extent| Some(Some(extent.as_usize()?))).collect();
    layout::size(&it.layout, &extents?)?
}

impl Emitter<'_> {
    /// The declaration of a local buffer of a `Scope`, filled with a constant; unspecified content is zero.
    pub(super) fn declare(&self, buffer: BufferId, fill: Option<&Expr>) -> Code {
        let it = &self.program[buffer];
        let ty = literal::ty(it.elem);
        let zero = zero(it.elem);
        let mutable = self.mutable(buffer);
        match self.storage(buffer) {
            Storage::Scalar { name, .. } => code!(let #mutable #name: #ty = #zero;),
            // parameters and results are declared by the body, with the user's types
            Storage::Host { .. } | Storage::Flat { .. } | Storage::Records { .. } => code!(),
            Storage::Stack { name, elements } => {
                let fill = fill.map_or_else(|| suffixed_zero(it.elem), |fill| self.untyped(fill));
                let elements = literal::usize(*elements);
                code!(let #mutable #name = [#fill; #elements];)
            }
            Storage::Heap { name, extents, .. } => {
                let bound = self.bound_extents(buffer, extents);
                let (runtime, arena) = (&self.runtime, self.arena());
                if it.layout.grows() {
                    return code!(#bound let #mutable #name = #runtime::Growing::<#ty>::new(#arena););
                }
                let size = self.size(buffer);
                let mutable = if self.swapped.contains(buffer) { code!(mut) } else { code!() };
                let zeroed = fill.is_some_and(is_zero);
                let taken = if zeroed { code!(scratch_zeroed) } else { code!(scratch) };
                let filled = fill.filter(|_| !zeroed).map(|fill| {
                    let fill = self.typed(fill);
                    code!(#name.fill(#fill);)
                });
                code!(#bound let #mutable #name = #arena.#taken::<#ty>(#size); #filled)
            }
        }
    }

    /// What leaving the scope of a buffer does that [`declare`](Emitter::declare) has declared.
    pub(super) fn leave(&self, buffer: BufferId) -> Code {
        match self.storage(buffer) {
            _ if self.is_kept(buffer) => code!(),
            Storage::Heap { name, .. } if self.program[buffer].layout.grows() => code!(#name.end();),
            Storage::Heap { name, .. } => {
                let arena = self.arena();
                // Safety: the variable is a reference of its own to a whole buffer: it was bound to what the arena gave, or has changed
                // names with another such one. What is borrowed from it is used in its scope alone, and so is its name, and here
                // the scope ends.
                code!(unsafe { #arena.give_back(#name) })
            }
            _ => code!(),
        }
    }

    /// What entering the scope of a buffer does whose memory is there already.
    pub(super) fn enter(&self, buffer: BufferId) -> Code {
        match self.storage(buffer) {
            Storage::Heap { name, extents, .. } if self.program[buffer].layout.grows() => {
                let bound = self.bound_extents(buffer, extents);
                code!(#bound #name.clear();)
            }
            Storage::Heap { name, extents, .. } if let Some(room) = self.rooms.get(&buffer) => {
                let (bound, size) = (self.bound_extents(buffer, extents), self.size(buffer));
                code!(#bound let #name = #room.array(#size);)
            }
            _ => code!(),
        }
    }

    /// The extents of a buffer that are evaluated at entry of its scope, once.
    pub(super) fn bound_extents(&self, buffer: BufferId, extents: &[Option<Ident>]) -> Code {
        let bound = extents.iter().zip(&self.program[buffer].dims).filter_map(|(local, extent)| {
            let local = local.as_ref()?;
            let value = self.extent_value(buffer, extent);
            Some(code!(let #local: usize = #value;))
        });
        bound.collect()
    }

    /// The element as a place that can be read; growing buffers are written through `slot`.
    pub(super) fn place(&self, place: &Place) -> Code {
        self.element(place, true)
    }

    /// The element as a value: other tasks may read it as well.
    pub(super) fn loaded(&self, place: &Place) -> Code {
        self.in_row(place).unwrap_or_else(|| self.element(place, false))
    }

    fn element(&self, place: &Place, written: bool) -> Code {
        match self.storage(place.buffer) {
            Storage::Scalar { name, reference: false } => code!(#name),
            Storage::Scalar { name, reference: true } => code!(*#name),
            Storage::Host { name, fields } => {
                let index: Vec<Code> = place.index.iter().map(|index| self.index(index)).collect();
                let members = fields.behind(0, &index);
                fields.number(code!(#name #members))
            }
            Storage::Records { name, fields, disjoint, .. } => {
                let index: Vec<Code> = place.index.iter().map(|index| self.index(index)).collect();
                let (first, members) = (&index[0], fields.behind(1, &index));
                if !disjoint {
                    return fields.number(code!(#name[#first] #members));
                }
                let (runtime, site) = (&self.runtime, self.site(place));
                let borrow = if written { code!(&mut) } else { code!(&) };
                fields.number(
                    code!(*unsafe { #borrow (*#runtime::access::record(#name, #first, #site)) #members }),
                )
            }
            Storage::Flat { name, disjoint: true, .. } => {
                let position = self.index(&self.position(place));
                let (runtime, site) = (&self.runtime, self.site(place));
                code!(*unsafe { #runtime::access::element(#name, #position, #site) })
            }
            storage => {
                let name = storage.name();
                let position = self.index(&self.position(place));
                code!(#name[#position])
            }
        }
    }

    /// The access as a panic of a task names it, a reference to a constant.
    pub(super) fn site(&self, place: &Place) -> Code {
        let (runtime, function) = (&self.runtime, &self.function);
        let array = self.string(&self.storage(place.buffer).shown());
        let access = self.string(&self.formula(&place.clone().load(Ty::USIZE), false));
        code!(&#runtime::access::Site(#function, #array, #access))
    }

    /// The accesses of a row of an array, with their numbers in it, as a panic names them; each number once.
    pub(super) fn sites<'p>(&self, accesses: impl IntoIterator<Item = (usize, &'p Place)>) -> Code {
        let (runtime, function) = (&self.runtime, &self.function);
        let (mut array, mut known, mut written) = (code!(""), Vec::new(), Code::new());
        for (k, place) in accesses {
            if !known.contains(&k) {
                array = self.string(&self.storage(place.buffer).shown());
                let access = self.string(&self.formula(&place.clone().load(Ty::USIZE), false));
                let number = literal::usize(k);
                written.push(code!((#number, #access),));
                known.push(k);
            }
        }
        code!(&#runtime::access::Sites(#function, #array, &[#written]))
    }

    /// Position in memory of a logical index of a local buffer.
    pub(super) fn position(&self, place: &Place) -> Expr {
        let buffer = place.buffer;
        let it = &self.program[buffer];
        let extents: Vec<Expr> = (0..it.rank())
            .map(|dim| match it.dims[dim].as_usize() {
                Some(extent) => Expr::usize(extent),
                None => Expr::extent(buffer, dim),
            })
            .collect();
        layout::position(&it.layout, &extents, &place.index)
    }
}

/// Whether the constant has the bits of zero.
fn is_zero(constant: &Expr) -> bool {
    match constant.kind {
        ExprKind::Float(value) => value.to_bits() == 0,
        ExprKind::Int(value) => value == 0,
        ExprKind::Bool(value) => !value,
        _ => false,
    }
}

/// The zero of a type, where the context says the type.
pub(super) fn zero(ty: Ty) -> Code {
    match ty {
        Ty::Float(_) => code!(0.0),
        Ty::Int(_) => code!(0),
        Ty::Bool => code!(false),
    }
}

/// The zero of a type.
pub(super) fn suffixed_zero(ty: Ty) -> Code {
    match ty {
        Ty::Float(float) => literal::float(float, 0.0, true),
        Ty::Int(int) => literal::int(int, 0, true),
        Ty::Bool => code!(false),
    }
}
