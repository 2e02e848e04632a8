//! What is known of a program: affine forms, integer sets, accesses, dependences.
//!
//! *Comes in*: a program that the verifier accepts. *Goes out*: an [`Analysis`] of it, which lists its accesses and
//! loops and answers questions about pairs of them. *Guarantees*: an answer other than [`Answer::Unknown`] is a proof,
//! in Rust's integers on machines of 32 and 64 bits, with overflow checks or without, of every run that comes to its
//! end (what a run did before it panicked, nobody reads). *Never*: changes a program, or believes what is neither proved
//! nor checked in the program itself.
//!
//! Accesses are named by [`AccessId`]; [`Analysis::at`] finds that of a load or target by the identity of its node.

mod access;
mod affine;
mod analysis;
mod checked_products;
mod chunk_counts;
mod convert;
mod coverage;
mod delinearise;
mod dependence;
mod enter_loops;
mod memo;
mod no_wrap;
mod parallel;
mod permutations;
mod points;
mod postconditions;
mod range;
mod reify;
mod runtime_facts;
mod set;
mod solver;
mod structure;
#[cfg(test)]
mod tests;

pub use access::{Access, AccessId, AccessKind, Loop, PointId};
pub use affine::{Affine, Operation, Sym, SymKind, Symbol, Symbols};
pub use analysis::Analysis;
pub use checked_products::Scale;
pub use delinearise::Strides;
pub use dependence::{Carried, Reason, Verdict};
pub use parallel::{BufferDependence, Proof};
pub use reify::elements_of;
pub use runtime_facts::{Distinct, Fact, Fits, Rows};
pub use set::{Answer, Constraint, Set};
pub use structure::{Lifetime, NestId, StmtId};
