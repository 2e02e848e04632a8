//! The attribute verifies every program of this crate after every pass.

fn main() {
    println!("cargo::rustc-env=PARDIFF_VERIFY=1");
    println!("cargo::rerun-if-changed=build.rs");
}
