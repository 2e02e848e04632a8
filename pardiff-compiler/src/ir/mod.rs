//! The one intermediate representation, from the front end to the back ends.
//!
//! *Comes in*: nothing; this module imports nothing of ours. *Goes out*: the types of a program, with a printer, a
//! parser of the printed form, a verifier and an interpreter. *Guarantees*: what the printer prints, the parser
//! reads back; what the verifier accepts, the interpreter can run. *Never*: decides anything about a program.
//!
//! A program is parameters, buffers and a tree of statements ([`Program`], [`Stmt`]); expressions are typed scalars
//! with explicit loads ([`Expr`]). Every scalar variable is a buffer of rank 0.

mod arithmetic;
mod communication;
mod construct;
mod counted;
mod edge_conditions;
mod effects;
mod exact;
mod expr;
mod func;
#[cfg(feature = "verify")]
pub mod interp;
mod kernel;
pub mod layout;
mod loop_facts;
mod modular_steps;
mod offset;
mod order;
#[cfg(feature = "verify")]
mod parse;
pub mod print;
mod product;
mod program;
mod rewrite;
mod rising;
mod select_program;
mod stmt;
mod types;
mod user_call;
#[cfg(feature = "verify")]
pub mod verify;
mod walk;

pub(crate) use arithmetic::negated;
pub use communication::{Communication, Operation, Scan, Side, Sweep};
pub use construct::{Update, over_elements, scoped, scoped_as, unscoped};
pub(crate) use edge_conditions::{Margin, turned_round};
pub use effects::{BufferSet, Effects, declared, mentioned, only_iteration, written};
pub(crate) use exact::said_exact;
pub use exact::{exactness, is_length};
pub use expr::{BinOp, Expr, ExprKind, Flavour, Place, UnOp};
pub use func::{Contribution, Cost, Cuda, Func, Kind, Lanes, Row, Rule, Value as FuncValue, contributions};
pub use kernel::{block_loops, has_block_loops, thread_loops};
pub use loop_facts::LoopFacts;
pub(crate) use modular_steps::{Turned, turned};
pub use offset::{offset_of, slope};
pub use order::Sort;
#[cfg(feature = "verify")]
pub use parse::{ParseError, parse};
pub use product::{Matrix, Product};
pub use program::{
    Buffer, BufferId, Derivative, Grain, Iter, IterId, Layout, Opaque, OpaqueId, Program, Rayon, RayonId,
    Role, Space, SpanId,
};
pub use rewrite::{
    Names, change_exprs, clone_stmts, rename_buffer, rename_loads, replace_loads, substitute, substitute_all,
};
pub use rising::{added, counts_up};
pub use select_program::{Cases, select_program};
pub use stmt::{
    Block, Callee, Checkpoint, Count, Exec, For, Lengths, Level, Marks, Message, Order, Origin, Phase,
    Provide, ReduceOp, Scheme, Stmt, StmtKind, While,
};
pub use types::{Float, Int, Ty};
pub use user_call::{UserArg, UserCall, UserPath};
pub use walk::{all, any, descend_mut, each_part, walk, walk_mut};
