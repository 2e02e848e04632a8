//! The one intermediate representation, from the front end to the back ends.
//!
//! *Comes in*: nothing; this module imports nothing of ours. *Goes out*: the types of a program, with a printer, a
//! parser of the printed form, a verifier and an interpreter. *Guarantees*: what the printer prints, the parser
//! reads back; what the verifier accepts, the interpreter can run. *Never*: decides anything about a program.
//!
//! A program is parameters, buffers and a tree of statements ([`Program`], [`Stmt`]); expressions are typed scalars
//! with explicit loads ([`Expr`]). Every scalar variable is a buffer of rank 0.

mod arithmetic;
mod duplicate;
mod effects;
mod either;
mod exact;
mod expr;
mod func;
pub mod interp;
pub mod layout;
mod margin;
mod offset;
mod order;
mod parse;
pub mod print;
mod product;
mod program;
mod ring;
mod rising;
mod stmt;
mod types;
pub mod verify;

pub use duplicate::duplicate;
pub use effects::{BufferSet, declared, mentioned, only_iteration, written};
pub use either::either;
pub(crate) use exact::said_exact;
pub use exact::{exactness, is_length};
pub use expr::{BinOp, Expr, ExprKind, Flavour, Place, UnOp};
pub use func::{Func, Kind};
pub(crate) use margin::Margin;
pub use offset::offset_of;
pub use order::Sort;
pub use parse::{ParseError, parse};
pub use product::{Matrix, Product};
pub use program::{
    Buffer, BufferId, Grain, Iter, IterId, Layout, Opaque, OpaqueId, Program, Rayon, RayonId, Role, Space,
    SpanId,
};
pub(crate) use ring::{Turned, turned};
pub use rising::{added, counts_up};
pub use stmt::{
    Block, Callee, Checkpoint, Exec, For, Level, Marks, Message, Order, Origin, Phase, Provide, ReduceOp,
    Scheme, Stmt, StmtKind, While,
};
pub use types::{Float, Int, Ty};
