//! What a kernel costs to compile: expansion, rustc, and the machine code that comes out.

use crate::json;
use crate::options::Options;
use pardiff_workloads::cases::{Entry, WORKLOADS};
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

/// The costs of one kernel.
pub struct Cost {
    workload: &'static str,
    expansion_ms: f64,
    rustc_s: f64,
    code_bytes: usize,
}

/// Expands each kernel, and compiles it in a crate of its own, in which all entry points are public and so all compiled.
pub fn measure(options: &Options) -> Result<Vec<Cost>, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let root = root.canonicalize().map_err(|error| error.to_string())?;
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    let folder = target.join("suite");
    let kernels: Vec<&Entry> = WORKLOADS.iter().filter(|entry| options.wants(entry.workload)).collect();

    // one workspace, so that pardiff itself is compiled once
    let names = kernels.iter().map(|entry| entry.workload).chain(["expansion"]);
    let members: Vec<String> = names.map(|name| format!("\"{name}\"")).collect();
    write(
        &folder.join("Cargo.toml"),
        &format!("[workspace]\nresolver = \"3\"\nmembers = [{}]\n", members.join(", ")),
    )?;
    // the versions that are here already
    let lock = std::fs::read_to_string(root.join("Cargo.lock")).unwrap_or_default();
    write(&folder.join("Cargo.lock"), &lock)?;
    for entry in &kernels {
        let package = folder.join(entry.workload);
        let manifest = format!(
            "[package]\nname = \"{}\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[dependencies]\npardiff = {{ path = {:?} }}\n",
            entry.workload, root
        );
        write(&package.join("Cargo.toml"), &manifest)?;
        write(&package.join("src/lib.rs"), entry.source)?;
    }
    let expansions = expansions(&folder, &root, &target, &kernels)?;
    build(&folder, &target, &["--workspace", "--exclude", "expansion"])?;

    let mut costs = Vec::new();
    for (entry, expansion_ms) in kernels.into_iter().zip(expansions) {
        let mut rustc_s = f64::MAX;
        for _ in 0..2 {
            // a new time of change, and Cargo compiles it again
            write(&folder.join(entry.workload).join("src/lib.rs"), entry.source)?;
            let start = Instant::now();
            build(&folder, &target, &["--package", entry.workload])?;
            rustc_s = rustc_s.min(start.elapsed().as_secs_f64());
        }
        let library = target.join("suite-build/release").join(format!("lib{}.rlib", entry.workload));
        let library = std::fs::read(&library).map_err(|error| format!("{}: {error}", library.display()))?;
        let code_bytes = code_in_archive(&library);
        costs.push(Cost { workload: entry.workload, expansion_ms, rustc_s, code_bytes });
    }
    Ok(costs)
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    let folder = path.parent().unwrap_or(path);
    let written = std::fs::create_dir_all(folder).and_then(|()| std::fs::write(path, text));
    written.map_err(|error| format!("{}: {error}", path.display()))
}

fn build(folder: &Path, target: &Path, arguments: &[&str]) -> Result<(), String> {
    let status = cargo()
        .args(["build", "--release", "--quiet", "--target-dir"])
        .arg(target.join("suite-build"))
        .args(arguments)
        .current_dir(folder)
        .status()
        .map_err(|error| format!("cargo did not start: {error}"))?;
    status.success().then_some(()).ok_or_else(|| "a kernel did not compile in a crate of its own".to_owned())
}

/// Milliseconds of the expansion of each kernel, by a program of its own.
fn expansions(folder: &Path, root: &Path, target: &Path, kernels: &[&Entry]) -> Result<Vec<f64>, String> {
    let package = folder.join("expansion");
    let manifest = format!(
        "[package]\nname = \"expansion\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[dependencies]\n\
         pardiff-compiler = {{ path = {:?} }}\nproc-macro2 = \"1\"\n",
        root.join("pardiff-compiler")
    );
    write(&package.join("Cargo.toml"), &manifest)?;
    write(&package.join("src/main.rs"), include_str!("expansion/main.rs"))?;
    let output = cargo()
        .args(["run", "--quiet", "--package", "expansion", "--target-dir"])
        .arg(target.join("suite-build"))
        .arg("--")
        .args(kernels.iter().map(|entry| folder.join(entry.workload).join("src/lib.rs")))
        .current_dir(folder)
        .output()
        .map_err(|error| format!("cargo did not start: {error}"))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let times: Result<Vec<f64>, _> = text.lines().map(str::parse).collect();
    match times {
        Ok(times) if output.status.success() && times.len() == kernels.len() => Ok(times),
        _ => Err(format!("the expansions failed: {text}{}", String::from_utf8_lossy(&output.stderr))),
    }
}

/// Cargo, without the flags of this run.
fn cargo() -> Command {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.env_remove("CARGO_ENCODED_RUSTFLAGS");
    cargo
}

/// Bytes of executable sections in the object files of an `ar` archive.
fn code_in_archive(archive: &[u8]) -> usize {
    let mut rest = archive.strip_prefix(b"!<arch>\n").unwrap_or_default();
    let mut code = 0;
    while let Some((header, members)) = rest.split_at_checked(60) {
        let size = std::str::from_utf8(&header[48..58]).ok().and_then(|text| text.trim().parse().ok());
        let Some((member, after)) = size.and_then(|size: usize| members.split_at_checked(size)) else {
            break;
        };
        code += code_in_object(member).unwrap_or(0);
        rest = after.strip_prefix(b"\n").unwrap_or(after);
    }
    code
}

/// Bytes of executable sections of an ELF object; nothing for other files.
fn code_in_object(object: &[u8]) -> Option<usize> {
    const EXECUTABLE: u64 = 4;
    let number = |at: usize, bytes: usize| {
        let field = object.get(at..at + bytes)?;
        Some(field.iter().rev().fold(0u64, |number, &byte| number << 8 | u64::from(byte)))
    };
    if !object.starts_with(b"\x7fELF\x02\x01") {
        return None;
    }
    let (table, entry, count) = (number(40, 8)? as usize, number(58, 2)? as usize, number(60, 2)? as usize);
    let mut code = 0;
    for section in 0..count {
        let at = table + section * entry;
        if number(at + 8, 8)? & EXECUTABLE != 0 {
            code += number(at + 32, 8)? as usize;
        }
    }
    Some(code)
}

impl Cost {
    /// As a line of JSON.
    pub fn json(&self) -> String {
        json::Object::new()
            .text("workload", self.workload)
            .text("what", "compilation")
            .number("expansion_ms", self.expansion_ms)
            .number("rustc_s", self.rustc_s)
            .number("code_bytes", self.code_bytes as f64)
            .finish()
    }
}

impl fmt::Display for Cost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Cost { workload, expansion_ms, rustc_s, code_bytes } = self;
        write!(
            f,
            "{workload:<19} expansion {expansion_ms:.1} ms, cargo and rustc {rustc_s:.2} s, {} KiB of code",
            code_bytes / 1024
        )
    }
}
