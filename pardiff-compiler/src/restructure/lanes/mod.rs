//! Block execution: the element loop of a task runs in lanes.
//!
//! *Comes in*: an element loop `for i in lo..hi` whose iterations commute but for `Reduce`s, as the scheduler proved.
//! *Goes out*: the same loop as blocks of lanes, or with its innermost loops as lanes, or as it was, whichever the
//! price in [`cost`] prefers; and why. *Guarantees*: the same values up to the order of sums, the same panics, no
//! index that the loop did not have. *Never*: looks at anything outside the loop, or decides which loop is parallel.
//!
//! ```text
//! for i in lo..hi                          scope q: f64[d, 128] thread
//!   scope q: f64[d]                          for b in lo..hi step 128 sequential
//!     for j in 0..d                            scope w: usize
//!       q[j] = e[j] * x[i * d + j]               w = int::min(128, hi - b)
//!     for j in 0..d                              for j in 0..d
//!       d_e[j] += q[j] * q[j]                      for l in 0..w lanes(128)
//!                                                    q[j, l] = e[j] * x[(b + l) * d + j]
//!                                                for j in 0..d
//!                                                  for l in 0..w lanes(128)
//!                                                    d_e[j] += q[j, l] * q[j, l]
//! ```

mod blocks;
mod checks;
mod cost;
mod distribute;
mod divergence;
mod laneable;
mod stride;
#[cfg(test)]
mod tests;

use crate::ir::{Program, Stmt};

/// What became of an element loop.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Lifted {
    /// Blocks of at most so many iterations, a lane each.
    Blocks {
        /// Lanes of a block.
        lanes: u32,
        /// Why, in words.
        reason: String,
    },
    /// The loop runs one iteration after the other; so many of its innermost loops run in lanes.
    Inner {
        /// Innermost loops that run in lanes.
        loops: usize,
        /// Why, in words.
        reason: String,
    },
    /// As it was.
    Serial {
        /// Why, in words.
        reason: String,
    },
}

/// Runs an element loop in lanes where that pays. `element` is the `For` itself, which may be detached from
/// `program.body`; the statement that takes its place may be a `Scope` around the loop over blocks.
///
/// The caller vouches for this: iterations of the loop commute, that is, every dependence between different
/// iterations is between `Reduce`s of one operation whose target the body does not read, and every buffer that the
/// body assigns and that is not declared in it has its element to itself in each iteration.
pub fn lift(program: &mut Program, element: &mut Stmt) -> Lifted {
    match blocks::blocks(program, element) {
        Ok(blocks) => {
            *element = blocks;
            Lifted::Blocks { lanes: cost::LANES, reason: "its iterations run in lanes".to_owned() }
        }
        Err(reason) => Lifted::Serial { reason },
    }
}
