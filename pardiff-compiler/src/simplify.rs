//! Exact simplification: what it changes has the same bits and the same panics.
