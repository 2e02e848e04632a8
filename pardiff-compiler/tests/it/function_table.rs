//! What `docs/adding.md` says of functions: a float function is named in its row, and nowhere else in the compiler.

use pardiff_compiler::ir::{Func, Kind};
use std::path::{Path, PathBuf};

/// Functions that passes are about: running extrema, fused products, square roots of distances, signs, and the pair that
/// `sin_cos` gives.
const IDIOMS: [&str; 10] = ["Max", "Min", "Clamp", "MulAdd", "Sqrt", "Abs", "Powi", "Sin", "Cos", "Copysign"];

/// The table, and the oracle whose derivatives are written apart from it on purpose.
const NAMING: [&str; 2] = ["ir/func/table.rs", "ir/interp/dual.rs"];

fn sources(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()) {
        if entry.is_dir() && entry.file_name().is_some_and(|name| name != "tests") {
            sources(&entry, out);
        } else if entry.extension().is_some_and(|end| end == "rs") {
            out.push(entry);
        }
    }
}

/// The text without its unit tests.
fn code(text: &str) -> &str {
    text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default()
}

#[test]
fn a_float_function_is_named_in_its_row_alone() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&root, &mut files);
    let mut named = String::new();
    for file in files {
        let inside = file.strip_prefix(&root).expect("a file of the compiler").display().to_string();
        let text = std::fs::read_to_string(&file).expect("text");
        if NAMING.contains(&inside.as_str()) || inside.ends_with("tests.rs") {
            continue;
        }
        let words = || code(&text).split(|c: char| !c.is_alphanumeric() && c != ':' && c != '_');
        for &func in Func::ALL.iter().filter(|func| func.kind() == Kind::Float) {
            let name = format!("{func:?}");
            let full = format!("Func::{name}");
            if !IDIOMS.contains(&name.as_str()) && words().any(|word| word.ends_with(&full)) {
                named += &format!("{inside} names {full}\n");
            }
        }
        if words().any(|word| word.ends_with("Func::")) || text.contains("use Func::*") {
            named += &format!("{inside} imports functions by their names\n");
        }
    }
    assert!(named.is_empty(), "\n{named}");
}
