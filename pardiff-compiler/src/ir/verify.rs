//! Every invariant of the IR.
