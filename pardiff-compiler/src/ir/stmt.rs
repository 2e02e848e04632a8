//! Statements: a tree, executed in order. Every node keeps its origin.

use super::{
    BufferId, Communication, Expr, IterId, OpaqueId, Place, Product, RayonId, Sort, SpanId, UserCall,
};

/// A sequence of statements.
pub type Block = Vec<Stmt>;

/// A statement and where it comes from.
#[derive(Clone, PartialEq, Debug)]
pub struct Stmt {
    /// What it does.
    pub kind: StmtKind,
    /// Where it comes from.
    pub origin: Origin,
}

/// The primal statement that a statement comes from and what it is to it: for the plan, for spans, and so that a
/// proof made for the primal holds for what was derived from it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Origin {
    /// Number of the primal statement, counted by the front end.
    pub stmt: u32,
    /// Primal, replayed, adjoint or tangent.
    pub phase: Phase,
    /// The user's tokens, for messages.
    pub span: SpanId,
}

/// What a statement is to its primal statement.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Phase {
    /// The primal statement itself.
    Primal,
    /// Executed again so that the reverse pass has its values.
    Replay,
    /// Its adjoint, or the store that its adjoint needs.
    Adjoint,
    /// Its tangent.
    Tangent,
}

impl Phase {
    /// Whether the statement is one of a derivative, which the primal does not have.
    pub fn is_derived(self) -> bool {
        matches!(self, Phase::Adjoint | Phase::Tangent)
    }
}

/// What a statement does.
#[derive(Clone, PartialEq, Debug)]
pub enum StmtKind {
    /// A counted loop.
    For(For),
    /// A loop whose trip count is known only when it ends.
    While(While),
    /// Both arms may be empty.
    If {
        /// Evaluated once.
        cond: Expr,
        /// If true.
        then: Block,
        /// If false.
        els: Block,
    },
    /// `target = value`
    Assign {
        /// The element written.
        target: Place,
        /// Evaluated before the write.
        value: Expr,
    },
    /// `target = target op value`; `Reduce`s of one operation commute with each other, a read of the target
    /// orders them.
    Reduce {
        /// The operation.
        op: ReduceOp,
        /// The element updated.
        target: Place,
        /// Does not read the target.
        value: Expr,
        /// How the sum is given one owner.
        scheme: Scheme,
    },
    /// Buffers that live while `body` runs; their content is unspecified until written.
    Scope {
        /// The buffers; extents are evaluated at entry, in order.
        buffers: Vec<BufferId>,
        /// Where they live.
        body: Block,
    },
    /// Exchanges the contents of two buffers of equal element type and extents.
    Swap {
        /// One.
        a: BufferId,
        /// The other.
        b: BufferId,
    },
    /// Tasks without a dependence between them.
    Fork {
        /// Run in any order.
        tasks: Vec<Block>,
    },
    /// Panics unless `cond` holds.
    Check {
        /// Evaluating it panics only where evaluating the index or condition of the source does.
        cond: Expr,
        /// What the panic says.
        message: Message,
    },
    /// `if fact { then } else { els }` where the passes may use `fact` inside `then`.
    Guarded {
        /// Checked at run time.
        fact: Expr,
        /// The version that relies on the fact.
        then: Block,
        /// The version that does not.
        els: Block,
    },
    /// Something that is not looked into.
    Call {
        /// What is called.
        callee: Callee,
        /// Buffers it may read.
        reads: Vec<BufferId>,
        /// Buffers it may write.
        writes: Vec<BufferId>,
    },
}

/// `for iter in (lo..hi).step_by(step)`, or over `lo..=hi`; bounds and step are evaluated once at entry.
/// The values are `lo, lo + step, …` as long as they are below (or equal to) `hi`; `Order::Down` visits the same
/// values from the last to the first.
#[derive(Clone, PartialEq, Debug)]
pub struct For {
    /// The iterator; its type is the type of the bounds. An iterator belongs to one primal loop; the loop's
    /// copies in other phases have iterators of their own.
    pub iter: IterId,
    /// First value.
    pub lo: Expr,
    /// Bound.
    pub hi: Expr,
    /// Whether `hi` itself is visited.
    pub inclusive: bool,
    /// A positive `usize` (a `Check` stands before the loop where it is not a constant).
    pub step: Expr,
    /// Direction.
    pub order: Order,
    /// How the back end runs it.
    pub exec: Exec,
    /// What the user's marks say.
    pub marks: Marks,
    /// The body.
    pub body: Block,
}

/// `counter = 0, 1, …`: run `head`, stop unless `cond`, run `body`.
#[derive(Clone, PartialEq, Debug)]
pub struct While {
    /// Number of finished iterations, a `usize`.
    pub counter: IterId,
    /// Statements that the condition needs.
    pub head: Block,
    /// Whether to go on.
    pub cond: Expr,
    /// The body.
    pub body: Block,
    /// `#[checkpoint]`: refuse unless it runs in segments.
    pub checkpoint: Option<Checkpoint>,
}

/// Direction of a loop.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Order {
    /// From the first value to the last.
    Up,
    /// From the last value to the first.
    Down,
}

/// How a loop is executed; passes decide, back ends obey.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Exec {
    /// Not decided yet.
    Undecided,
    /// One iteration after the other.
    Sequential,
    /// Iterations in any order.
    Parallel(Level),
    /// A block of iterations at once, `block` lanes.
    Lanes {
        /// Lanes in a block.
        block: u32,
    },
}

/// What a parallel loop is mapped to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Level {
    /// Tasks of the thread pool.
    Task,
    /// Blocks of a grid.
    Grid,
    /// Threads of a block.
    Block,
}

/// Marks of the user on a loop.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Marks {
    /// `#[parallel]`: refuse unless it is.
    pub parallel: bool,
    /// `#[sequential]`
    pub sequential: bool,
    /// One of rayon's in the user's source: that its iterations are independent follows from the types.
    pub rayon: Option<RayonId>,
    /// `#[replay]` or `#[store]`
    pub provide: Option<Provide>,
    /// `#[checkpoint]`: refuse unless it runs in segments.
    pub checkpoint: Option<Checkpoint>,
    /// No mark of the user: a pass has cut it into segments.
    pub segments: Option<Checkpoint>,
}

/// How a loop over time is cut into segments, whose tapes are filled again when the reverse sweep comes to them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Checkpoint {
    /// How long segments are.
    pub lengths: Lengths,
    /// `levels = l`: segments are in segments themselves.
    pub levels: Option<u8>,
}

/// What decides how many iterations a segment has.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Lengths {
    /// Tapes and saved states take the least memory.
    Least,
    /// `every = n`: so many iterations each.
    Every(Count),
    /// `states = n`: so many states are saved at most.
    States(Count),
    /// `memory = "n B"`: tapes and saved states take at most so many bytes, by the fewest levels.
    Memory(Count),
    /// `binomial = n`: keeps `n` states. A state is overwritten after its steps were reversed.
    Binomial(Count),
}

/// A number in a mark.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Count {
    /// A literal, or what constants in sight come to.
    Number(u64),
    /// A constant of the user's, a `usize`.
    Constant(OpaqueId),
}

impl Checkpoint {
    /// `#[checkpoint]`
    pub const LEAST: Checkpoint = Checkpoint { lengths: Lengths::Least, levels: None };

    /// `#[checkpoint(every = n)]`
    pub const fn every(steps: u32) -> Checkpoint {
        Checkpoint { lengths: Lengths::Every(Count::Number(steps as u64)), levels: None }
    }

    /// The constant of the user's that it names.
    pub fn constant_mut(&mut self) -> Option<&mut OpaqueId> {
        match &mut self.lengths {
            Lengths::Every(Count::Constant(id))
            | Lengths::States(Count::Constant(id))
            | Lengths::Memory(Count::Constant(id))
            | Lengths::Binomial(Count::Constant(id)) => Some(id),
            _ => None,
        }
    }

    /// The most levels that it has.
    pub fn levels(self) -> usize {
        let unsaid = if matches!(self.lengths, Lengths::Memory(_)) { 2 } else { 1 };
        self.levels.map_or(unsaid, usize::from).max(1)
    }
}

/// The user's choice of how a loop's values are provided.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Provide {
    /// Run again.
    Replay,
    /// Stored.
    Store,
}

/// The operation of a `Reduce`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ReduceOp {
    /// `+`
    Add,
    /// The smaller; the first one on a tie; NaN loses.
    Min,
    /// The larger; the first one on a tie; NaN loses.
    Max,
}

/// Who owns the elements of a summation; see section "Summations" of the design.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs, reason = "the names are the field's")]
pub enum Scheme {
    Undecided,
    Sequential,
    NoneNeeded,
    ScalarReduction,
    PrivateCopies,
    SharedCopies,
    WindowCopies,
    BlockColouring,
    FactorOut,
    Shift,
    InverseIndex,
    Atomic,
}

/// What a failed `Check` says.
#[derive(Clone, PartialEq, Debug)]
pub enum Message {
    /// An index out of range.
    Bounds {
        /// The array as the user calls it.
        array: String,
        /// The access as written.
        access: String,
        /// The index.
        index: Expr,
        /// The length it is compared with.
        len: Expr,
    },
    /// A slice `a[start..end]` out of range.
    Slice {
        /// The array as the user calls it.
        array: String,
        /// The slice as written.
        access: String,
        /// Its start.
        start: Expr,
        /// Its end.
        end: Expr,
        /// The length it is compared with.
        len: Expr,
    },
    /// An `assert!`, or another condition, in words.
    Text(String),
}

/// What a `Call` calls.
#[derive(Clone, PartialEq, Debug)]
pub enum Callee {
    /// A matrix product.
    Product(Box<Product>),
    /// On a GPU: element `k` of a row-major array of `usize` becomes the sum of the `k` elements in front of it, for `k` below this
    /// length. Sums saturate. The call reads and writes that array.
    Scan(Box<Expr>),
    /// On a GPU: numbers in order.
    Sort(Box<Sort>),
    /// An operation between ranks.
    Communication(Box<Communication>),
    /// The array, whose layout is [`Layout::Reserved`](super::Layout::Reserved), has so many rows from here on, if it has fewer.
    /// What the new ones hold is unspecified. Panics where they are more than `isize::MAX`.
    Reserve(Box<Expr>),
    /// Where a program is cut in two: what it reads is kept for the second one, which finds in what it writes nothing that it
    /// knows.
    Seam,
    /// A function of the user over arrays, or a rule of one.
    User(Box<UserCall>),
}

impl Stmt {
    /// A statement.
    pub fn new(kind: StmtKind, origin: Origin) -> Stmt {
        Stmt { kind, origin }
    }
}

impl Message {
    /// The expressions that the message shows.
    pub fn operands(&self) -> Vec<&Expr> {
        let mut all = Vec::new();
        self.each_operand(&mut |expr| all.push(expr));
        all
    }

    pub(super) fn each_operand<'a>(&'a self, visit: &mut dyn FnMut(&'a Expr)) {
        match self {
            Message::Bounds { index, len, .. } => {
                visit(index);
                visit(len);
            }
            Message::Slice { start, end, len, .. } => {
                visit(start);
                visit(end);
                visit(len);
            }
            Message::Text(_) => {}
        }
    }

    /// The same expressions, to be changed.
    pub fn operands_mut(&mut self) -> Vec<&mut Expr> {
        match self {
            Message::Bounds { index, len, .. } => vec![index, len],
            Message::Slice { start, end, len, .. } => vec![start, end, len],
            Message::Text(_) => Vec::new(),
        }
    }
}
