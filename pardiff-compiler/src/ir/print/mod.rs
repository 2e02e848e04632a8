//! The text form.
//!
//! *Comes in*: any program, also one that the verifier would refuse. *Goes out*: text that a person can read and
//! that the parser reads back. *Guarantees*: printing what was read back gives the same text.
//! *Never*: panics, or leaves out anything but spans, tokens and buffers that nothing mentions.
//!
//! ```text
//! fn loss(w: in f64[_], d_w: adjoint(w) f64[len(w)], n: in usize) -> total: f64
//!   total = 0.0
//!   scope t: f64, t_tape: tape f64[n]
//!     for i in 0..n
//!       check i < len(w) index "w" "w[i]"
//!       t = exp(w[i])
//!       total += t * t
//! ```
//!
//! - Names are unique in the whole text: the second `t` is `t.2`, and a name that is a word of the text form gets
//!   a number as well (`swap.1`).
//! - An extent that the caller decides, or that grows, is `_`; in expressions extents are `len(x)`, `len(x, 1)`.
//! - A literal has a suffix where its type differs from what its surroundings say (without any: `usize`, `f64`).
//! - A line ends in `# adjoint` where the statement's phase is not that of the statement around it. `{:#}` prints
//!   the phase and the number of the primal statement on every line.

#[cfg(feature = "verify")]
mod expr;
mod names;
#[cfg(feature = "verify")]
mod stmt;
#[cfg(feature = "verify")]
mod words;

pub use names::Names;

#[cfg(feature = "verify")]
pub(crate) use {
    expr::{first_operand, operand, strength},
    words::{LEVELS, PHASES, SCHEMES},
};

#[cfg(feature = "verify")]
impl std::fmt::Display for super::Program {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names = Names::new(self);
        f.write_str(&stmt::program(self, &names, f.alternate()))
    }
}

/// The first line of a statement, without its phase.
#[cfg(feature = "verify")]
pub fn line(program: &super::Program, stmt: &super::Stmt) -> String {
    stmt::line(program, &Names::new(program), stmt)
}
