//! The experts' program: built here, spoken to through pipes. `benches/experts/src/main.rs` lists the commands.

use crate::message::case_message;
use crate::pipes::Program;
use pardiff_workloads::cases::Workload;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Builds the program for this machine, beside the other things that Cargo built.
pub fn build() -> Result<PathBuf, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    let target = target.join("experts");
    let status = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args(["build", "--quiet", "--package", "pardiff-experts", "--profile", "experts", "--target-dir"])
        .arg(&target)
        .current_dir(&root)
        .env_remove("CARGO_ENCODED_RUSTFLAGS")
        .env("RUSTFLAGS", "-C target-cpu=native")
        .status()
        .map_err(|error| format!("cargo did not start: {error}"))?;
    if !status.success() {
        return Err("the experts did not compile".to_owned());
    }
    Ok(target.join("experts").join(format!("pardiff-experts{}", std::env::consts::EXE_SUFFIX)))
}

/// The running program.
pub struct Experts(Program);

impl Experts {
    /// Starts it with a pool of threads.
    pub fn start(program: &Path, threads: usize) -> Result<Experts, String> {
        Program::start("experts", Command::new(program).arg(threads.to_string())).map(Experts)
    }

    /// Gives it a case.
    pub fn load(&mut self, name: &str, workload: &dyn Workload) -> Result<(), String> {
        match self.0.ask(&format!("load {name}"), &case_message(workload))?.as_str() {
            "ok" => Ok(()),
            answer => Err(self.0.answered(answer)),
        }
    }

    /// Milliseconds and value of one run.
    pub fn time(&mut self, variant: &str) -> Result<(f64, f64), String> {
        let [nanoseconds, value] = self.0.numbers(&format!("time {variant}"))?;
        Ok((nanoseconds * 1e-6, value))
    }

    /// Value and gradient, from zero.
    pub fn gradient(&mut self, variant: &str) -> Result<(f64, Vec<f64>), String> {
        let [value] = self.0.numbers(&format!("gradient {variant}"))?;
        let [word] = self.0.floats(1)?[..] else { unreachable!("one was asked for") };
        Ok((value, self.0.floats(word.to_bits() as usize)?))
    }

    /// Billions of float operations and of bytes a second.
    pub fn machine(&mut self) -> Result<[f64; 2], String> {
        self.0.numbers("machine")
    }
}
