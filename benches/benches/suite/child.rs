//! The experts' program: built here, spoken to through pipes. `benches/experts/src/main.rs` lists the commands.

use crate::message::case_message;
use pardiff_workloads::cases::Workload;
use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

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
pub struct Experts {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Experts {
    /// Starts it with a pool of threads.
    pub fn start(program: &Path, threads: usize) -> Result<Experts, String> {
        let mut child = Command::new(program)
            .arg(threads.to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("{}: {error}", program.display()))?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err("the experts have no pipes".to_owned());
        };
        Ok(Experts { child, input, output: BufReader::new(output) })
    }

    /// Gives it a case.
    pub fn load(&mut self, name: &str, workload: &dyn Workload) -> Result<(), String> {
        let mut message = format!("load {name}\n").into_bytes();
        message.extend(case_message(workload));
        self.input.write_all(&message).and_then(|()| self.input.flush()).map_err(ended)?;
        match self.line()?.as_str() {
            "ok" => Ok(()),
            answer => Err(format!("the experts answered {answer}")),
        }
    }

    /// Milliseconds and value of one run.
    pub fn time(&mut self, variant: &str) -> Result<(f64, f64), String> {
        self.send(&format!("time {variant}"))?;
        let [nanoseconds, value] = self.numbers()?;
        Ok((nanoseconds * 1e-6, value))
    }

    /// Value and gradient, from zero.
    pub fn gradient(&mut self, variant: &str) -> Result<(f64, Vec<f64>), String> {
        self.send(&format!("gradient {variant}"))?;
        let [value] = self.numbers()?;
        let mut word = [0; 8];
        self.output.read_exact(&mut word).map_err(ended)?;
        let mut bytes = vec![0; 8 * u64::from_le_bytes(word) as usize];
        self.output.read_exact(&mut bytes).map_err(ended)?;
        Ok((value, bytes.as_chunks().0.iter().map(|&b| f64::from_le_bytes(b)).collect()))
    }

    /// Billions of float operations and of bytes a second.
    pub fn machine(&mut self) -> Result<[f64; 2], String> {
        self.send("machine")?;
        self.numbers()
    }

    fn send(&mut self, command: &str) -> Result<(), String> {
        let mut line = String::with_capacity(command.len() + 1);
        let _ = writeln!(line, "{command}");
        self.input.write_all(line.as_bytes()).and_then(|()| self.input.flush()).map_err(ended)
    }

    fn line(&mut self) -> Result<String, String> {
        let mut line = String::new();
        match self.output.read_line(&mut line) {
            Ok(0) => Err("the experts stopped".to_owned()),
            Ok(_) => Ok(line.trim().to_owned()),
            Err(error) => Err(ended(error)),
        }
    }

    fn numbers<const N: usize>(&mut self) -> Result<[f64; N], String> {
        let line = self.line()?;
        let numbers: Option<Vec<f64>> = line.split(' ').map(|word| word.parse().ok()).collect();
        numbers.and_then(|n| n.try_into().ok()).ok_or_else(|| format!("the experts answered {line}"))
    }
}

impl Drop for Experts {
    fn drop(&mut self) {
        // by its handle: it would end by itself once its input is closed, but that comes after this
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn ended(error: std::io::Error) -> String {
    format!("the experts do not answer: {error}")
}
