//! Runs a program, over plain numbers, dual numbers, or integers modulo a prime.
//!
//! *Comes in*: a program, its arguments, and the values behind its user paths. *Goes out*: the parameters as the
//! program leaves them and its results, or the [`Fault`] that ended the run. *Guarantees*: a program that the
//! verifier accepts runs with the meaning that the types of the IR document; integers overflow exactly where
//! Rust's do; a read of what was never written, or an access outside the extents, is a fault and never a value.
//! *Never*: panics, whatever the program, and never runs longer than the limits allow.
//!
//! - [`f64`]: the numbers that the generated code computes (`f32` is rounded after each operation).
//! - [`Dual`]: the oracle for derivatives.
//! - [`ModPrime`]: exact, for programs of `+ - *`.
//!
//! Both flavours of a function are computed as std does. Integers are those of a 64-bit machine.
//!
//! [`run_ranks`] runs several ranks, which exchange messages; for [`run`] there is one.
//!
//! [`run`] takes the iterations of every loop in order; [`run_racing`] shuffles those of task loops and finds the
//! elements that two iterations of a task or lane loop must not both touch.

mod array;
mod communication;
mod dual;
mod eval;
mod fault;
mod ints;
mod machine;
mod modular;
mod number;
mod order;
mod product;
mod race;
mod ranks;
mod store;
#[cfg(test)]
mod tests;

pub use array::{Array, Function, Given, Value};
pub use communication::run_ranks;
pub use dual::Dual;
pub use fault::{Fault, FaultKind};
pub use modular::ModPrime;
pub use number::Number;

use super::{OpaqueId, Program};
use machine::Machine;

/// What a run leaves behind.
#[derive(Clone, PartialEq, Debug)]
pub struct Outcome<N> {
    /// The parameters, in order.
    pub params: Vec<Array<N>>,
    /// The results, in order; elements that were not written are unspecified.
    pub results: Vec<Array<N>>,
    /// What the seam read, in order, where the program has one.
    pub kept: Vec<Array<N>>,
}

/// How much a run may take.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Statements and iterations executed.
    pub steps: u64,
    /// Elements alive at one time.
    pub elements: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { steps: 100_000_000, elements: 1 << 26 }
    }
}

/// Runs a program. `args` are the parameters in order, with elements in memory order; `paths` gives the value of
/// a user path, or `None` if there is none (a fault only when the program reads it).
pub fn run<N: Number>(
    program: &Program,
    args: Vec<Array<N>>,
    paths: &dyn Fn(OpaqueId) -> Option<Given<N>>,
) -> Result<Outcome<N>, Fault> {
    run_limited(program, args, paths, Limits::default())
}

/// [`run`] with limits of one's own.
pub fn run_limited<N: Number>(
    program: &Program,
    args: Vec<Array<N>>,
    paths: &dyn Fn(OpaqueId) -> Option<Given<N>>,
    limits: Limits,
) -> Result<Outcome<N>, Fault> {
    let mut machine = Machine::new(program, limits);
    machine.bind(args, paths)?;
    machine.block(&program.body)?;
    Ok(machine.finish())
}

/// [`run`] in race mode: task loops and `Fork`s run in an order that `seed` decides, and a [`FaultKind::Race`] says
/// which two iterations of a parallel loop touch one element that one of them changes. Two lanes may update one element
/// by one operation. Without a fault the outcome is that of [`run`], bit for bit.
pub fn run_racing<N: Number>(
    program: &Program,
    args: Vec<Array<N>>,
    paths: &dyn Fn(OpaqueId) -> Option<Given<N>>,
    seed: u64,
) -> Result<Outcome<N>, Fault> {
    let mut machine = Machine::new(program, Limits::default());
    machine.bind(args, paths)?;
    machine.races = Some(race::Races::new(seed));
    machine.block(&program.body)?;
    Ok(machine.finish())
}

/// How long a run takes on one thread and on as many as it can use, in statements and iterations executed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Effort {
    /// All of them.
    pub work: u64,
    /// Those that follow each other whatever the number of threads: of a task loop the longest iteration.
    pub span: u64,
}

/// What [`run`] takes of a scheduled program.
pub fn effort<N: Number>(
    program: &Program,
    args: Vec<Array<N>>,
    paths: &dyn Fn(OpaqueId) -> Option<Given<N>>,
) -> Result<Effort, Fault> {
    let limits = Limits::default();
    let mut machine = Machine::new(program, limits);
    machine.bind(args, paths)?;
    machine.block(&program.body)?;
    Ok(Effort { work: machine.burnt(limits.steps), span: machine.span })
}

/// The values behind user paths of a program that has none.
pub fn no_paths<N>(_: OpaqueId) -> Option<Given<N>> {
    None
}
