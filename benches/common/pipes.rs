//! Another program that takes its turns: commands to its standard input, answers from its standard output.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// The running program.
pub struct Program {
    name: &'static str,
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Program {
    /// Starts it; errors call it by this name.
    pub fn start(name: &'static str, command: &mut Command) -> Result<Program, String> {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("{}: {error}", command.get_program().display()))?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(format!("{name}: no pipes"));
        };
        Ok(Program { name, child, input, output: BufReader::new(output) })
    }

    /// Gives it a command, with data behind it, and returns the line that it answers.
    pub fn ask(&mut self, command: &str, data: &[u8]) -> Result<String, String> {
        let message = [command.as_bytes(), b"\n", data].concat();
        self.input
            .write_all(&message)
            .and_then(|()| self.input.flush())
            .map_err(|error| self.ended(error))?;
        let mut line = String::new();
        match self.output.read_line(&mut line) {
            Ok(0) => Err(format!("{}: it stopped", self.name)),
            Ok(_) => Ok(line.trim().to_owned()),
            Err(error) => Err(self.ended(error)),
        }
    }

    /// The same where the answer is so many numbers.
    pub fn numbers<const N: usize>(&mut self, command: &str) -> Result<[f64; N], String> {
        let line = self.ask(command, &[])?;
        let numbers: Option<Vec<f64>> = line.split(' ').map(|word| word.parse().ok()).collect();
        numbers.and_then(|n| n.try_into().ok()).ok_or_else(|| self.answered(&line))
    }

    /// The floats that follow an answer.
    pub fn floats(&mut self, len: usize) -> Result<Vec<f64>, String> {
        let mut bytes = vec![0; 8 * len];
        self.output.read_exact(&mut bytes).map_err(|error| self.ended(error))?;
        Ok(bytes.as_chunks().0.iter().map(|&b| f64::from_le_bytes(b)).collect())
    }

    /// What is said of an answer that is not understood.
    pub fn answered(&self, line: &str) -> String {
        format!("{}: it answered {line}", self.name)
    }

    fn ended(&self, error: std::io::Error) -> String {
        format!("{}: it does not answer: {error}", self.name)
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // by its handle: it would end by itself once its input is closed, but that comes after this
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
