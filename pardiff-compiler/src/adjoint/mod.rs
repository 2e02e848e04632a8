//! Reverse mode: a program goes in, the program that also computes its adjoints comes out.
//!
//! *Comes in*: a verified, normalised program and the inputs to differentiate. *Goes out*: a program that runs the
//! primal (the forward sweep, with stores to tapes) and then its reversal (the reverse sweep). Its parameters are those of
//! the primal, each active one followed by its adjoint, then one seed for each float result. *Guarantees*: every value
//! that the reverse sweep uses has the bits it had in the forward sweep; tapes are indexed by loop iterators; checks and
//! panics of the primal stay where they were. *Never*: changes what the primal computes, or refuses with a panic.
//!
//! | file | question |
//! | --- | --- |
//! | `activity` | which buffers carry a derivative? |
//! | `structure` | when can a value change? |
//! | `derivatives` | what is the derivative of a primitive? |
//! | `provide` | where does the reverse sweep find a value: in place, recomputed, stored? |
//! | `slots` | where in its tape does a stored value stand? |
//! | `sweep` | how is a statement reversed? |
//! | `contribute` | what does an assignment add to which adjoints? |

mod activity;
mod contribute;
pub mod derivatives;
mod keep;
mod provide;
mod slots;
mod structure;
mod sweep;
#[cfg(test)]
mod tests;

pub use activity::Activity;
pub use sweep::{Unsupported, reverse};
