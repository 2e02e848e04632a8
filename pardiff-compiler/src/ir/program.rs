//! A program: parameters, buffers and a tree of statements.

use super::{Block, Expr, ExprKind, Marks, Ty};
use proc_macro2::{Span, TokenStream};

macro_rules! ids {
    ($($(#[$doc:meta])* $id:ident => $field:ident: $item:ident;)*) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
            pub struct $id(pub u32);

            impl std::ops::Index<$id> for Program {
                type Output = $item;
                fn index(&self, id: $id) -> &$item { &self.$field[id.0 as usize] }
            }

            impl std::ops::IndexMut<$id> for Program {
                fn index_mut(&mut self, id: $id) -> &mut $item { &mut self.$field[id.0 as usize] }
            }
        )*
    };
}

ids! {
    /// A buffer of the program.
    BufferId => buffers: Buffer;
    /// A loop iterator of the program.
    IterId => iters: Iter;
    /// A user path of the program.
    OpaqueId => opaques: Opaque;
    /// A place in the user's source.
    SpanId => spans: Span;
    /// A loop that is one of rayon's in the user's source.
    RayonId => rayon: Rayon;
}

/// A program.
#[derive(Clone, Debug)]
pub struct Program {
    /// The user's function.
    pub name: String,
    /// Parameters in order: buffers of role `Input` or `InOut` (and adjoints or tangents of such). A scalar
    /// parameter is a buffer of rank 0.
    pub params: Vec<BufferId>,
    /// What is returned: buffers of role `Output`, unspecified until written.
    pub results: Vec<BufferId>,
    /// All buffers.
    pub buffers: Vec<Buffer>,
    /// All loop iterators.
    pub iters: Vec<Iter>,
    /// All user paths.
    pub opaques: Vec<Opaque>,
    /// Places in the user's source; the first is the function's name.
    pub spans: Vec<Span>,
    /// What the types of rayon's iterators prove.
    pub rayon: Vec<Rayon>,
    /// Whether a product and the sum that it is added to may be one operation, rounded once, where the machine has it.
    pub fuses: bool,
    /// The pass that changes it now, if one does.
    pub pass: &'static str,
    /// What is executed.
    pub body: Block,
}

/// An array, or a scalar if it has no dimensions.
#[derive(Clone, PartialEq, Debug)]
pub struct Buffer {
    /// The user's name, or one derived from it. Not unique; the printer makes it so.
    pub name: String,
    /// Element type.
    pub elem: Ty,
    /// Extents, outermost first, each a `usize` that is invariant in the buffer's scope. A parameter whose
    /// length the caller decides has `Extent(itself, dimension)`; so has a dimension that grows.
    pub dims: Vec<Expr>,
    /// From logical index to memory.
    pub layout: Layout,
    /// Where it lives.
    pub space: Space,
    /// What it is for.
    pub role: Role,
    /// The pass that made it; empty where it is of the source.
    pub origin: &'static str,
}

/// How a logical index becomes a position in memory.
#[derive(Clone, PartialEq, Debug)]
pub enum Layout {
    /// The last index is contiguous.
    RowMajor,
    /// Row-major with the last dimension padded to a multiple of so many elements.
    Padded(usize),
    /// Of the last two indices `i, j` only `j <= i` occur: `i * (i + 1) / 2 + j`. Outer dimensions are row-major.
    PackedTriangular,
    /// Row-major; the outermost dimension grows as it is written.
    Growing,
    /// Row-major; the outermost dimension grows where the program says so: see [`Callee::Reserve`](super::Callee::Reserve).
    Reserved,
}

/// Where a buffer lives.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Space {
    /// Memory that all threads see.
    Global,
    /// Memory of one thread.
    Thread,
    /// Memory of one block of a GPU.
    Shared,
    /// A scalar of the host of a GPU, which may be read back from the device.
    Host,
}

/// What a buffer is for. Roles nest: the buffer that an adjoint or a tangent belongs to has its own role.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Role {
    /// A parameter that is not written.
    Input,
    /// A result.
    Output,
    /// A `&mut` parameter.
    InOut,
    /// A local of the user, or one that a pass made.
    Local,
    /// A constant table of the user: the array behind a user path, never written. Its extents are numbers where its type
    /// says them, or `Extent(itself, dimension)`.
    Table(OpaqueId),
    /// The messages under way, see [`Communication`](super::Communication): a float that nothing but calls mention.
    Wire,
    /// Holds values for the reverse pass.
    Tape,
    /// A copy, in the shared memory of a block of a GPU, of the part of an array that the block reads.
    Tile,
    /// The adjoint of a buffer.
    Adjoint(BufferId),
    /// The tangent of a buffer.
    Tangent(BufferId),
}

/// One step from a buffer to a derivative of it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Derivative {
    /// To its adjoint.
    Adjoint,
    /// To its tangent.
    Tangent,
}

impl Role {
    /// The buffer that it is a derivative of, and which.
    pub fn derivative(self) -> Option<(BufferId, Derivative)> {
        match self {
            Role::Adjoint(of) => Some((of, Derivative::Adjoint)),
            Role::Tangent(of) => Some((of, Derivative::Tangent)),
            _ => None,
        }
    }

    /// The buffer that it is a derivative of, to be renamed.
    pub fn derived_from_mut(&mut self) -> Option<&mut BufferId> {
        match self {
            Role::Adjoint(of) | Role::Tangent(of) => Some(of),
            _ => None,
        }
    }
}

/// A loop iterator.
#[derive(Clone, PartialEq, Debug)]
pub struct Iter {
    /// The user's name, or one derived from it.
    pub name: String,
    /// An integer type.
    pub ty: Ty,
}

/// What the types prove of a loop that is one of rayon's in the user's source, and of its copies in other phases.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Rayon {
    /// Buffers of which an iteration touches only elements that are handed out to it as `&mut`. The index of an adjoint is
    /// one of the primal, so the same holds for their adjoints.
    pub owned: Vec<BufferId>,
    /// What an iteration is.
    pub grain: Grain,
}

/// What an iteration of a loop of rayon's is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Grain {
    /// An item of an iterator.
    #[default]
    Item,
    /// A part of an array, of some length: worth a task.
    Part,
    /// A task of the user's.
    Task,
    /// An element of the array whose parts were tasks of the user's.
    Element,
}

impl RayonId {
    /// Of a loop whose body starts tasks, before the program has it.
    pub const TASKS: RayonId = RayonId(u32::MAX);
}

/// A user path, a plain value in the scope of the function.
#[derive(Clone, Debug)]
pub struct Opaque {
    /// As it prints.
    pub text: String,
    /// As the user wrote it.
    pub tokens: TokenStream,
    /// The type that unification found; the generated code asserts it.
    pub ty: Ty,
    /// The least and the greatest element of a constant table of integers whose literals are in sight.
    pub range: Option<(i128, i128)>,
}

impl Program {
    /// A program without statements.
    pub fn new(name: &str, span: Span) -> Program {
        Program {
            name: name.to_owned(),
            params: Vec::new(),
            results: Vec::new(),
            buffers: Vec::new(),
            iters: Vec::new(),
            opaques: Vec::new(),
            spans: vec![span],
            rayon: Vec::new(),
            fuses: false,
            pass: "",
            body: Vec::new(),
        }
    }

    /// The program, with an empty one left in its place.
    pub(crate) fn take(&mut self) -> Program {
        std::mem::replace(self, Program::new("", Span::call_site()))
    }

    /// Adds a buffer.
    pub fn add_buffer(&mut self, buffer: Buffer) -> BufferId {
        self.buffers.push(Buffer { origin: self.pass, ..buffer });
        BufferId(self.buffers.len() as u32 - 1)
    }

    /// An extent of a buffer: the number that it is declared as, where it is one.
    pub fn extent(&self, buffer: BufferId, dim: usize) -> Expr {
        match &self[buffer].dims[dim] {
            declared if matches!(declared.kind, ExprKind::Int(_)) => declared.clone(),
            _ => Expr::extent(buffer, dim),
        }
    }

    /// Adds a scalar buffer.
    pub fn add_scalar(&mut self, name: &str, elem: Ty, role: Role) -> BufferId {
        self.add_buffer(Buffer::new(name, elem, Vec::new(), role))
    }

    /// Adds an iterator.
    pub fn add_iter(&mut self, name: &str, ty: Ty) -> IterId {
        self.iters.push(Iter { name: name.to_owned(), ty });
        IterId(self.iters.len() as u32 - 1)
    }

    /// Adds a user path.
    pub fn add_opaque(&mut self, opaque: Opaque) -> OpaqueId {
        self.opaques.push(opaque);
        OpaqueId(self.opaques.len() as u32 - 1)
    }

    /// Adds a place in the user's source.
    pub fn add_span(&mut self, span: Span) -> SpanId {
        self.spans.push(span);
        SpanId(self.spans.len() as u32 - 1)
    }

    /// Changes the body, of which the program has none meanwhile.
    pub fn with_body<T>(&mut self, change: impl FnOnce(&mut Program, &mut Block) -> T) -> T {
        let mut body = std::mem::take(&mut self.body);
        let changed = change(self, &mut body);
        self.body = body;
        changed
    }

    /// All buffers with their ids.
    pub fn buffer_ids(&self) -> impl Iterator<Item = BufferId> + use<> {
        (0..self.buffers.len() as u32).map(BufferId)
    }

    /// What is known of a loop of rayon's.
    pub fn rayon_of(&self, marks: &Marks) -> Option<&Rayon> {
        marks.rayon.and_then(|RayonId(id)| self.rayon.get(id as usize))
    }

    /// Adds a loop of rayon's.
    pub fn add_rayon(&mut self, rayon: Rayon) -> RayonId {
        self.rayon.push(rayon);
        RayonId(self.rayon.len() as u32 - 1)
    }

    /// The buffer at the end of the chain of roles, and the steps from there: the tangent of the adjoint of `x` is
    /// `(x, [Adjoint, Tangent])`, `x` itself `(x, [])`.
    pub fn root(&self, buffer: BufferId) -> (BufferId, Vec<Derivative>) {
        match self[buffer].role.derivative() {
            None => (buffer, Vec::new()),
            Some((of, step)) => {
                let (root, mut steps) = self.root(of);
                steps.push(step);
                (root, steps)
            }
        }
    }

    /// Whether these steps lead from `root` to the buffer.
    pub fn is_derivative_of(&self, buffer: BufferId, root: BufferId, steps: &[Derivative]) -> bool {
        match steps.split_last() {
            None => buffer == root,
            Some((last, steps)) => self[buffer]
                .role
                .derivative()
                .is_some_and(|(of, step)| step == *last && self.is_derivative_of(of, root, steps)),
        }
    }

    /// Whether the buffer is an adjoint or a tangent of something.
    pub fn is_derivative(&self, buffer: BufferId) -> bool {
        self[buffer].role.derivative().is_some()
    }

    /// The value of a scalar buffer.
    pub fn load_scalar(&self, buffer: BufferId) -> Expr {
        super::Place::scalar(buffer).load(self[buffer].elem)
    }
}

impl Buffer {
    /// A row-major buffer in global memory.
    pub fn new(name: &str, elem: Ty, dims: Vec<Expr>, role: Role) -> Buffer {
        let (layout, space) = (Layout::RowMajor, Space::Global);
        Buffer { name: name.to_owned(), elem, dims, layout, space, role, origin: "" }
    }

    /// The number of dimensions.
    pub fn rank(&self) -> usize {
        self.dims.len()
    }
}

#[cfg(test)]
mod tests {
    use super::Derivative::{Adjoint, Tangent};
    use crate::ir::parse;

    #[test]
    fn roots_are_found_along_the_chain_of_roles() {
        let text = "
fn f(x: in f64[_], d_x: adjoint(x) f64[len(x)], x_dot: tangent(x) f64[len(x)], h_x: tangent(d_x) f64[len(x)]) -> s: f64
  s = x[0]";
        let program = parse(text.trim_start()).unwrap_or_else(|error| panic!("{error}"));
        let [x, d_x, x_dot, h_x] = program.params[..] else { panic!("{program}") };
        let all: [(_, &[_]); 4] =
            [(x, &[]), (d_x, &[Adjoint]), (x_dot, &[Tangent]), (h_x, &[Adjoint, Tangent])];
        for (buffer, steps) in all {
            assert_eq!(program.root(buffer), (x, steps.to_vec()));
            assert_eq!(program.is_derivative(buffer), !steps.is_empty());
            for (other, steps) in all {
                assert_eq!(program.is_derivative_of(buffer, x, steps), buffer == other);
            }
        }
        assert_eq!(program.root(program.results[0]), (program.results[0], Vec::new()));
    }
}
