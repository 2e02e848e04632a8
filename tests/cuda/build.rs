//! The workloads with the option `cuda`, as modules of these tests.

use std::path::{Path, PathBuf};

const KERNELS: [&str; 8] =
    ["gmm", "ba", "minibude", "lennard_jones", "softmax_regression", "matvec", "spmv", "heat2d"];

fn main() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../workloads");
    let mut all = String::new();
    for name in KERNELS {
        let file = folder.join(format!("{name}.rs"));
        println!("cargo::rerun-if-changed={}", file.display());
        let text =
            std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let lines = text.lines().filter(|line| !line.starts_with("//!"));
        let text: String = lines.map(|line| format!("{line}\n")).collect();
        let text = text.replace("#[differentiate(", "#[differentiate(cuda, ");
        let text = text.replace("#[differentiate]", "#[differentiate(cuda)]");
        all += &format!("/// The workload `{name}`.\npub mod {name} {{\n{text}}}\n");
    }
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo says where"));
    std::fs::write(out.join("workloads.rs"), all).expect("the folder can be written");
}
