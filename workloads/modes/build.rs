//! With the feature `modes`: the kernels with attributes that ask for every derivative mode.

use std::path::PathBuf;

/// Those of every kernel of the suite.
const MODES: &str = "forward, hvp, batch(8), split";

fn main() {
    println!("cargo::rerun-if-changed=modes/build.rs");
    if std::env::var_os("CARGO_FEATURE_MODES").is_none() {
        return;
    }
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let mut kernels: Vec<PathBuf> = std::fs::read_dir(".")
        .expect("the folder of the crate")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|it| it == "rs") && !path.ends_with("lib.rs"))
        .collect();
    kernels.sort();
    let mut list = String::new();
    for file in kernels {
        println!("cargo::rerun-if-changed={}", file.display());
        let source = std::fs::read_to_string(&file).expect("a kernel");
        let name = file.file_stem().and_then(|name| name.to_str()).expect("a name in Unicode");
        let path = out.join(format!("{name}.rs"));
        // a module's attribute is left as it is: those inside say what is differentiated
        let source = match source.contains("#[differentiate(wrt(") {
            true => source.replace("#[differentiate(wrt(", &format!("#[differentiate({MODES}, wrt(")),
            false => source.replace("#[differentiate]", &format!("#[differentiate({MODES})]")),
        };
        std::fs::write(&path, source).expect("the kernel can be written");
        list += &format!("#[path = {path:?}]\npub mod {name};\n");
    }
    std::fs::write(out.join("kernels.rs"), list).expect("the list can be written");
}
