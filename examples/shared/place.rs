//! Where the picture of an example goes.

use std::path::{Path, PathBuf};

/// The path behind the name of the program, or `NAME.svg` in the folder of build outputs.
pub fn picture(name: &str) -> PathBuf {
    let target = || {
        // two folders above this crate
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap_or(Path::new("."));
        std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from)
    };
    std::env::args_os().nth(1).map_or_else(|| target().join(name).with_extension("svg"), PathBuf::from)
}
