//! Names that the generated code would like to use are taken already.

use pardiff::differentiate;

/// `d_x`, `seed`, `overwrite`, `value` and `runtime` are parameters.
#[differentiate]
pub fn taken(x: f64, d_x: f64, seed: f64, overwrite: f64, value: f64, runtime: f64) -> f64 {
    x * d_x + seed * overwrite + value * runtime
}

/// Raw identifiers are unrawed in the names of adjoints.
#[differentiate]
pub fn raw(r#type: f64, r#match: &[f64]) -> f64 {
    r#type * r#match[0]
}

/// A raw name.
#[differentiate]
pub fn r#loop(x: f64) -> f64 {
    x * x
}

/// A module of this name is here already.
pub mod taken_module {
    /// What the module is for.
    pub const WHY: &str = "to take the name";
}

/// The generated module gets another name.
#[differentiate(module = taken_module_gradient)]
pub fn taken_module(x: f64) -> f64 {
    x * x * x
}
