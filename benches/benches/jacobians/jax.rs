//! The program `benches/peers/jacobians.py`, spoken to through pipes.

use crate::message::case_message;
use pardiff_workloads::cases::Workload;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// The running program.
pub struct Jax {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Jax {
    /// Starts it by a Python that has JAX, on one thread.
    pub fn start(python: &str) -> Result<Jax, String> {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("peers/jacobians.py");
        let mut child = Command::new(python)
            .arg(script)
            .arg("1")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("{python}: {error}"))?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err("JAX has no pipes".to_owned());
        };
        Ok(Jax { child, input, output: BufReader::new(output) })
    }

    /// Gives it a case, which it compiles.
    pub fn load(&mut self, name: &str, case: &str, workload: &dyn Workload) -> Result<(), String> {
        let message = case_message(workload);
        match self.ask(&format!("load {name} {case} {}", message.len()), &message)?.as_str() {
            "ok" => Ok(()),
            answer => Err(format!("JAX answered {answer}")),
        }
    }

    /// Milliseconds of one Jacobian.
    pub fn time(&mut self) -> Result<f64, String> {
        let answer = self.ask("time", &[])?;
        answer
            .parse()
            .map(|nanoseconds: f64| nanoseconds * 1e-6)
            .map_err(|_| format!("JAX answered {answer}"))
    }

    /// The Jacobian, one direction after the other.
    pub fn jacobian(&mut self) -> Result<Vec<f64>, String> {
        let answer = self.ask("jacobian", &[])?;
        let len: usize = answer.parse().map_err(|_| format!("JAX answered {answer}"))?;
        let mut bytes = vec![0; 8 * len];
        self.output.read_exact(&mut bytes).map_err(ended)?;
        Ok(bytes.as_chunks().0.iter().map(|&b| f64::from_le_bytes(b)).collect())
    }

    fn ask(&mut self, command: &str, data: &[u8]) -> Result<String, String> {
        let message = [command.as_bytes(), b"\n", data].concat();
        self.input.write_all(&message).and_then(|()| self.input.flush()).map_err(ended)?;
        let mut line = String::new();
        match self.output.read_line(&mut line) {
            Ok(0) => Err("JAX stopped".to_owned()),
            Ok(_) => Ok(line.trim().to_owned()),
            Err(error) => Err(ended(error)),
        }
    }
}

impl Drop for Jax {
    fn drop(&mut self) {
        // by its handle: it would end by itself once its input is closed, but that comes after this
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn ended(error: std::io::Error) -> String {
    format!("JAX does not answer: {error}")
}
