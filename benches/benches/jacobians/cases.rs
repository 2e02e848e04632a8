//! What is timed of a case, and the cases.

use crate::bundle::Bundle;
use crate::hands::{Complicated, Simple};
use pardiff_workloads::cases::{Constants, REFERENCED, WORKLOADS, Workload};

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
    let data = Data::of(&*workload);
    let residuals: Box<dyn Residuals> = match name {
        "ba" => Box::new(Bundle::new(data)),
        "hand_simple" => Box::new(Simple::new(data)),
        "hand_complicated" => Box::new(Complicated::new(data)),
        _ => return None,
    };
    Some((workload, residuals))
}

/// What a workload is made of.
pub struct Data {
    /// The differentiated arguments.
    pub parameters: Vec<f64>,
    /// Sizes.
    pub sizes: Vec<usize>,
    /// Arrays of indices.
    pub indices: Vec<Vec<u32>>,
    /// Arrays of floats.
    pub floats: Vec<Vec<f64>>,
}

impl Data {
    fn of(workload: &dyn Workload) -> Data {
        let Constants { sizes, indices, floats } = workload.constants();
        Data { parameters: workload.parameters(), sizes, indices, floats }
    }
}
