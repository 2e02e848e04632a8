//! The arguments.

use pardiff_workloads::cases::{Entry, REFERENCED, WORKLOADS};
use std::path::PathBuf;

/// What to run, and where results go.
pub struct Options {
    /// File for one JSON object a line.
    pub json: Option<PathBuf>,
    /// Workloads to run; all if empty.
    pub only: Vec<String>,
    /// The one case to run.
    pub case: Option<String>,
    /// Sizes of the thread pools.
    pub threads: Vec<usize>,
    /// Repetitions.
    pub reps: usize,
    /// Whether to record the costs of compilation.
    pub compile: bool,
    /// Whether to write the table and the plot of the documentation.
    pub markdown: bool,
    /// Whether to take commands from standard input.
    pub serve: bool,
}

impl Options {
    /// None when Cargo does not ask for benchmarks.
    pub fn parse(arguments: impl Iterator<Item = String>) -> Result<Option<Options>, String> {
        let mut options = Options {
            json: None,
            only: Vec::new(),
            case: None,
            threads: vec![1, 2],
            reps: 15,
            compile: false,
            markdown: false,
            serve: false,
        };
        let mut asked = false;
        let mut arguments = arguments;
        while let Some(argument) = arguments.next() {
            let mut value = || arguments.next().ok_or_else(|| format!("{argument} needs a value"));
            match argument.as_str() {
                "--bench" => asked = true,
                "--json" => options.json = Some(from_shell(value()?)),
                "--only" => options.only = value()?.split(',').map(str::to_owned).collect(),
                "--case" => options.case = Some(value()?),
                "--threads" => {
                    let threads: Result<_, _> = value()?.split(',').map(str::parse).collect();
                    options.threads = threads.map_err(|_| "--threads takes numbers like 1,2".to_owned())?;
                }
                "--reps" => {
                    options.reps = value()?.parse().map_err(|_| "--reps takes a number".to_owned())?;
                }
                "--compile" => options.compile = true,
                "--markdown" => options.markdown = true,
                "--serve" => options.serve = true,
                _ => return Err(format!("unknown argument {argument}; the head of the suite lists them")),
            }
        }
        let known = |name: &String| name == "projection" || kernels().any(|entry| entry.workload == name);
        if let Some(name) = options.only.iter().find(|name| !known(name)) {
            let names: Vec<_> = kernels().map(|entry| entry.workload).collect();
            return Err(format!("no workload {name}; there are projection, {}", names.join(", ")));
        }
        if options.threads.is_empty() || options.threads.contains(&0) || options.reps == 0 {
            return Err("--threads and --reps take positive numbers".to_owned());
        }
        Ok(asked.then_some(options))
    }

    /// Whether a workload is to be run.
    pub fn wants(&self, workload: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|name| name == workload)
    }

    /// The cases to run.
    pub fn cases(&self) -> Vec<(&'static Entry, &str)> {
        let wanted = kernels().filter(|entry| self.wants(entry.workload));
        match &self.case {
            Some(case) => wanted.map(|entry| (entry, case.as_str())).collect(),
            None => wanted.flat_map(|entry| entry.cases.iter().map(move |&case| (entry, case))).collect(),
        }
    }
}

/// All kernels: those with gradients by hand, then those that are compared with another tool.
fn kernels() -> impl Iterator<Item = &'static Entry> {
    WORKLOADS.iter().chain(&REFERENCED)
}

/// A path as the shell's user means it: Cargo starts benchmarks in their package's directory.
fn from_shell(path: String) -> PathBuf {
    std::env::var_os("PWD").map(PathBuf::from).unwrap_or_default().join(path)
}
