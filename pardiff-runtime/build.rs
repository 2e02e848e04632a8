//! Tells the crate whether it is built without optimisation, where only operators are inlined by force.
//!
//! LLVM gives each value of an unoptimised function its own place in the frame, and an inlined function has its own
//! places each time. A body of a few hundred operations on vectors had 1.5 MB of them, and test threads have 2 MiB;
//! it was half a million lines of LLVM's assembly as well. Debug assertions do not tell: people optimise their
//! development builds.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(unoptimised)");
    if std::env::var("OPT_LEVEL").is_ok_and(|level| level == "0") {
        println!("cargo::rustc-cfg=unoptimised");
    }
}
