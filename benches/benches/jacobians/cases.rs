//! What is timed of a case, and the cases.

use crate::bundle::Bundle;
use crate::hands::{Complicated, Simple};
use pardiff_workloads::cases::{REFERENCED, WORKLOADS, Workload};

/// A program with residuals, and room for their Jacobian.
pub trait Residuals {
    /// The residuals.
    fn primal(&mut self);
    /// The Jacobian by generated code.
    fn ours(&mut self);
    /// The Jacobian by dual numbers.
    fn duals(&mut self);
    /// What generated code found: the derivatives of all residuals along one direction after the other.
    fn of_ours(&self) -> Vec<f64>;
    /// What dual numbers found, in the same order.
    fn of_duals(&self) -> Vec<f64>;
}

/// A workload by name, and its residuals.
pub fn load(name: &str, case: &str) -> Option<(Box<dyn Workload>, Box<dyn Residuals>)> {
    let mut entries = WORKLOADS.iter().chain(&REFERENCED);
    let workload = entries.find(|entry| entry.workload == name).and_then(|entry| (entry.load)(case))?;
    let residuals: Box<dyn Residuals> = match name {
        "ba" => Box::new(Bundle::of(&*workload)),
        "hand_simple" => Box::new(Simple::load(case)?),
        "hand_complicated" => Box::new(Complicated::load(case)?),
        _ => return None,
    };
    Some((workload, residuals))
}
