//! The program `benches/peers/jacobians.py`.

use crate::message::case_message;
use crate::pipes::Program;
use pardiff_workloads::cases::Workload;
use std::path::Path;
use std::process::Command;

/// The running program.
pub struct Jax(Program);

impl Jax {
    /// Starts it by a Python that has JAX, on one thread.
    pub fn start(python: &str) -> Result<Jax, String> {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("peers/jacobians.py");
        Program::start("JAX", Command::new(python).arg(script).arg("1")).map(Jax)
    }

    /// Gives it a case, which it compiles.
    pub fn load(&mut self, name: &str, case: &str, workload: &dyn Workload) -> Result<(), String> {
        let message = case_message(workload);
        match self.0.ask(&format!("load {name} {case} {}", message.len()), &message)?.as_str() {
            "ok" => Ok(()),
            answer => Err(self.0.answered(answer)),
        }
    }

    /// Milliseconds of one Jacobian.
    pub fn time(&mut self) -> Result<f64, String> {
        let [nanoseconds] = self.0.numbers("time")?;
        Ok(nanoseconds * 1e-6)
    }

    /// The Jacobian, one direction after the other.
    pub fn jacobian(&mut self) -> Result<Vec<f64>, String> {
        let [len] = self.0.numbers("jacobian")?;
        self.0.floats(len as usize)
    }
}
