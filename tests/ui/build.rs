//! Makes every accepted program a module of the test `accepted`: one crate to build and to link for all of them.

use std::fmt::Write;
use std::path::{Path, PathBuf};

fn main() {
    println!("cargo::rerun-if-changed=accepted");
    let folder = std::fs::canonicalize("accepted").expect("the folder of programs");
    let mut programs: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("the folder can be read")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
        .collect();
    programs.sort();
    let mut modules = String::new();
    for path in &programs {
        let name = path.file_stem().and_then(|stem| stem.to_str()).expect("a name");
        write!(modules, "#[path = {path:?}]\nmod {name};\n#[test]\nfn {name}() {{\n    {name}::main()\n}}\n")
            .expect("text can be written to");
    }
    let out = std::env::var("OUT_DIR").expect("cargo sets OUT_DIR");
    std::fs::write(Path::new(&out).join("accepted.rs"), modules).expect("the list can be written");
}
