//! Why a run ended early.

use crate::ir::Origin;
use std::fmt;

/// Why a run ended early, and at which statement.
#[derive(Clone, PartialEq, Debug)]
pub struct Fault {
    /// What kind of fault.
    pub kind: FaultKind,
    /// What happened, in words.
    pub message: String,
    /// The innermost statement; none if the arguments were wrong.
    pub origin: Option<Origin>,
}

/// What kind of fault.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FaultKind {
    /// A `Check` failed.
    Check,
    /// An integer operation whose result does not fit its type.
    Overflow,
    /// An integer division by zero.
    DivisionByZero,
    /// Another operation that panics in Rust: `clamp` with `min > max`, `ilog2(0)`, a step of zero, ….
    Domain,
    /// An index outside the extents, with no `Check` before it that caught it.
    OutOfRange,
    /// A read of an element that was never written.
    Unspecified,
    /// Two iterations of a parallel loop touch one element, and one of them changes it; found in race mode.
    Race,
    /// All ranks wait for each other.
    Waits,
    /// Something that the interpreter, or the kind of number it runs over, cannot do; or an ill-typed program.
    Unsupported,
    /// The arguments do not fit the parameters.
    Arguments,
    /// The limits of the run are used up.
    OutOfFuel,
}

impl FaultKind {
    /// Whether the Rust program panics there as well, built with overflow checks; the other kinds are defects of
    /// the program or limits of the interpreter.
    pub fn is_panic(self) -> bool {
        use FaultKind::*;
        matches!(self, Check | Overflow | DivisionByZero | Domain)
    }
}

impl Fault {
    pub(super) fn new(kind: FaultKind, message: impl Into<String>) -> Fault {
        Fault { kind, message: message.into(), origin: None }
    }

    pub(super) fn unsupported(message: impl Into<String>) -> Fault {
        Fault::new(FaultKind::Unsupported, message)
    }

    /// The fault with its statement, unless an inner statement was named before.
    pub(super) fn at(mut self, origin: Origin) -> Fault {
        self.origin.get_or_insert(origin);
        self
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {}", self.kind, self.message)?;
        match self.origin {
            Some(origin) => write!(f, " (statement {}, {:?})", origin.stmt, origin.phase),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Fault {}
