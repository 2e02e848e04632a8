//! Every invariant of the IR.
//!
//! *Comes in*: any program. *Goes out*: nothing, or the list of what is wrong with it. *Guarantees*: a program that
//! is accepted has all the properties below. *Never*: changes a program, or panics.
//!
//! What a program has to be, by the [`Rule`] that a violation names:
//!
//! **Declarations**
//! - [`Rule::Id`]: every buffer, iterator, user path and span that is mentioned exists.
//! - [`Rule::DeclaredOnce`]: a buffer is declared in one place: it is one of the parameters, one of the results, a
//!   constant table, or in the list of one `Scope`.
//! - [`Rule::Role`]: parameters are inputs, in/outs, or adjoints or tangents of something; results are outputs or
//!   tangents; a `Scope` declares locals, wires, tapes, tiles, adjoints and tangents; a table belongs to one user
//!   path, which is nothing else. An adjoint or tangent is a float, of the type of the buffer that it belongs to,
//!   and that chain ends.
//! - [`Rule::Extents`]: extents are `usize` expressions over what is visible where the buffer is declared. Of the
//!   buffer itself they mention at most `Extent(itself, the same dimension)`, and that only where the caller
//!   decides or the layout grows; of the buffers beside it in the `Scope` only the extents of earlier ones. The
//!   outermost extent of a growing buffer is that.
//! - [`Rule::Invariant`]: while a buffer is alive, no statement writes what its extents read.
//! - [`Rule::Layout`]: a permutation permutes the buffer's dimensions; a padding is positive; a packed triangle has
//!   two dimensions or more, all other layouts but row-major one or more; what the caller owns does not grow; the
//!   starts of rows are `usize`, have one dimension less, and are declared before.
//!
//! **Names**
//! - [`Rule::Scope`]: a buffer is mentioned only where it is alive: a parameter, result or table anywhere, another
//!   one inside its `Scope`.
//! - [`Rule::Iterator`]: an iterator belongs to one loop, has an integer type, and is mentioned only in the blocks
//!   of that loop (and in a `while`'s condition). The counter of a `While` is a `usize`.
//!
//! **Types**
//! - [`Rule::Constant`]: a constant is one that its type can hold.
//! - [`Rule::Type`]: every expression has the type that its operands give it, as in Rust: no implicit conversion;
//!   indices are `usize`, as many as the buffer has dimensions; conditions are `bool`; a value has the element type
//!   of its target; bounds have the type of the iterator; what a message shows is `usize`.
//!
//! **Statements**
//! - [`Rule::ReadOnly`]: inputs, tables, seeds (parameters that are the adjoint of a result), and tangents of such
//!   are not written.
//! - [`Rule::ResultWritten`]: every result is written by some statement.
//! - [`Rule::Step`]: a constant step is positive.
//! - [`Rule::Execution`]: a block of lanes has lanes; a loop is not marked both
//!   parallel and sequential.
//! - [`Rule::Reduce`]: the value does not read the element that is updated; the elements are numbers, or `bool` for a maximum.
//! - [`Rule::Swap`]: the two buffers differ, and agree in element type, extents and layout.
//! - [`Rule::Product`]: a product reads left, right and target, in this order, and writes the target, which is none of the
//!   other two; all are row-major arrays of floats of one type.
//! - [`Rule::Order`]: a prefix sum reads and writes one array of `usize`; a sort reads keys, and writes keys and order, different
//!   arrays of `u32`. All have one dimension and are row-major.
//! - [`Rule::User`]: a call of a function of the user lends what it reads, each once: arrays of one dimension,
//!   row-major, of storage that does not grow, and scalars to be written. It writes what is lent as `&mut`, in this
//!   order, and then scalars for what is returned, at most a value and its tangent.
//! - [`Rule::Communication`]: an operation between ranks reads the wire and what is sent, and writes the wire and
//!   what is received, row-major arrays of one type.
//! - [`Rule::Fork`]: no task writes a scalar that another one reads or writes, but for updates by one operation.
//!
//! **Derivatives**
//! - [`Rule::Derivative`]: while no loop and no sum is decided, nothing decides by a derivative: no condition, index, bound, extent, integer
//!   or bool is computed from an adjoint or a tangent, nor from a float that is. So the tangent of a program has its control, and
//!   several directions share it. Scheduling may skip what a zero adds.
//!
//! **Schedules**
//! - [`Rule::Task`]: a task loop (`Exec::Parallel(Level::Task)`) counts a `usize` upwards from 0 by 1, and stands in
//!   no other one and in no lane loop. Of the buffers that live around it, it writes only elements of arrays whose
//!   storage does not grow: no scalar, no swap; what belongs to one thread (`Space::Thread`) it does not touch. It
//!   contains no `Fork` and no `Call`. That no two iterations touch one element is what the interpreter's race mode
//!   looks for.
//! - [`Rule::Lanes`]: a lane loop stands in no other lane loop, and counts a `usize` upwards by 1.
//!   It contains assignments, reductions, `If`s, checks, `Scope`s with constant extents, and loops that are not
//!   parallel, whose bounds may differ between lanes. It assigns no element that is the same for all lanes,
//!   unless each lane has a buffer of its own (one whose `Scope` is inside).
//! - [`Rule::Block`]: a loop over the threads of a block stands in a loop of level `Grid` and in no other one over threads. Of what
//!   lives around it in the iteration of that loop it writes elements of arrays, and sums up scalars. An array in shared memory has
//!   constant extents and is declared in an iteration of a loop of level `Grid` that contains loops over threads, outside of these.
//!   A tile lies there, and loops over threads copy elements to it, nothing else. What stands outside of these loops all threads do
//!   alike, so that no condition around a loop over threads differs between them.
//!   The back end puts the barriers where they are needed; the device on the CPU looks for missing ones.

mod communication;
mod declarations;
mod derivatives;
#[cfg(test)]
mod derivatives_tests;
mod expr;
mod scheduled;
#[cfg(test)]
mod scheduled_tests;
mod stmt;
#[cfg(test)]
mod tests;
mod user_call;

use super::{BufferId, IterId, Origin, Program, Stmt};
use std::fmt;

/// An invariant; the module's documentation says which.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs, reason = "the module documents them")]
pub enum Rule {
    Id,
    DeclaredOnce,
    Role,
    Extents,
    Invariant,
    Layout,
    Scope,
    Iterator,
    Constant,
    Type,
    ReadOnly,
    ResultWritten,
    Step,
    Execution,
    Reduce,
    Swap,
    Fork,
    Product,
    Order,
    User,
    Communication,
    Derivative,
    Task,
    Lanes,
    Block,
}

/// Something that is wrong with a program.
#[derive(Clone, PartialEq, Debug)]
pub struct Violation {
    /// The invariant that does not hold.
    pub rule: Rule,
    /// What is wrong, in words.
    pub message: String,
    /// The statement, as its first line prints; empty for a declaration.
    pub context: String,
    /// Where the statement comes from.
    pub origin: Option<Origin>,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {}", self.rule, self.message)?;
        if !self.context.is_empty() {
            write!(f, "\n  in `{}`", self.context)?;
        }
        Ok(())
    }
}

/// Checks every invariant. All violations are collected, up to a hundred.
pub fn verify(program: &Program) -> Result<(), Vec<Violation>> {
    let mut verifier = Verifier {
        program,
        alive: vec![false; program.buffers.len()],
        declared: vec![false; program.buffers.len()],
        frozen: vec![0; program.buffers.len()],
        written: vec![false; program.buffers.len()],
        open: vec![false; program.iters.len()],
        used: vec![false; program.iters.len()],
        scheduled: scheduled::Scheduled::default(),
        current: None,
        violations: Vec::new(),
    };
    verifier.declarations();
    verifier.block(&program.body);
    verifier.current = None;
    verifier.results_written();
    if verifier.violations.is_empty() {
        verifier.decisions();
    }
    if verifier.violations.is_empty() { Ok(()) } else { Err(verifier.violations) }
}

struct Verifier<'a> {
    program: &'a Program,
    /// Buffers that may be mentioned here.
    alive: Vec<bool>,
    /// Buffers whose declaration was seen.
    declared: Vec<bool>,
    /// How many of the buffers alive have extents that read this one.
    frozen: Vec<u32>,
    /// Buffers that some statement writes.
    written: Vec<bool>,
    /// Iterators whose loop is around.
    open: Vec<bool>,
    /// Iterators whose loop was seen.
    used: Vec<bool>,
    /// The task loop and the lane loop around the statement.
    scheduled: scheduled::Scheduled,
    current: Option<&'a Stmt>,
    violations: Vec<Violation>,
}

impl Verifier<'_> {
    fn violate(&mut self, rule: Rule, message: impl Into<String>) {
        if self.violations.len() >= 100 {
            return;
        }
        let context = self.current.map_or(String::new(), |stmt| super::print::line(self.program, stmt));
        let origin = self.current.map(|stmt| stmt.origin);
        self.violations.push(Violation { rule, message: message.into(), context, origin });
    }

    fn require(&mut self, holds: bool, rule: Rule, message: impl FnOnce() -> String) {
        if !holds {
            self.violate(rule, message());
        }
    }

    /// Whether the buffer exists; a violation if not.
    fn exists(&mut self, id: BufferId) -> bool {
        let exists = (id.0 as usize) < self.program.buffers.len();
        self.require(exists, Rule::Id, || format!("there is no {id:?}"));
        exists
    }

    /// Whether the iterator exists; a violation if not.
    fn iter_exists(&mut self, id: IterId) -> bool {
        let exists = (id.0 as usize) < self.program.iters.len();
        self.require(exists, Rule::Id, || format!("there is no {id:?}"));
        exists
    }

    /// Whether the buffer exists and is alive; a violation if not.
    fn visible(&mut self, id: BufferId) -> bool {
        if !self.exists(id) {
            return false;
        }
        let alive = self.alive[id.0 as usize];
        self.require(alive, Rule::Scope, || {
            format!("`{}` is mentioned outside its scope", self.program[id].name)
        });
        alive
    }
}
