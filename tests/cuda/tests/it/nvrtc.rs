//! The compiler of kernels, where it can be had: it needs no GPU. `.ci/nvrtc` fetches it into the target folder.

use pardiff::runtime::cuda::Module;
use pardiff::runtime::cuda::nvrtc::{Nvrtc, Target, prelude};
use std::io::Write;
use std::path::PathBuf;

/// Where the script puts what it fetches.
fn folder() -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    let target = target.unwrap_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../target"));
    target.join("nvrtc")
}

/// The assembler that the script fetched.
pub(crate) fn ptxas() -> Option<PathBuf> {
    let fetched = folder().join("nvidia/cuda_nvcc/bin/ptxas");
    let required = std::env::var_os("PARDIFF_NVRTC_REQUIRED").is_some();
    assert!(
        fetched.exists() || !required,
        "there is no ptxas, and PARDIFF_NVRTC_REQUIRED is set: run .ci/nvrtc"
    );
    fetched.exists().then_some(fetched)
}

/// The library that the script fetched, or the one that `PARDIFF_NVRTC` names. Where there is none, a loud word, or a failure if
/// `PARDIFF_NVRTC_REQUIRED` is set.
pub(crate) fn library() -> Option<PathBuf> {
    let fetched = folder().join("nvidia/cuda_nvrtc/lib/libnvrtc.so.12");
    let named = std::env::var_os("PARDIFF_NVRTC").map(PathBuf::from);
    let found = named.or_else(|| fetched.exists().then_some(fetched));
    if found.is_none() {
        let required = std::env::var_os("PARDIFF_NVRTC_REQUIRED").is_some();
        assert!(!required, "there is no NVRTC, and PARDIFF_NVRTC_REQUIRED is set: run .ci/nvrtc");
        // past the test harness, which keeps what passing tests print
        let loud = "KERNELS WERE NOT COMPILED BY NVRTC: there is none here; `.ci/nvrtc` fetches it";
        let _ = writeln!(std::io::stderr(), "{loud}");
    }
    found
}

/// Compiles a module to machine code.
pub(crate) fn assert_compiles(name: &str, module: &Module) {
    let Some(library) = library() else { return };
    let nvrtc = Nvrtc::load(Some(&library)).unwrap_or_else(|error| panic!("{error}"));
    let text = format!("{}{}", prelude(), module.text);
    let target = nvrtc.target(90).unwrap();
    let image =
        nvrtc.compile(&text, &target).unwrap_or_else(|error| panic!("{name}: {error}\n{}", module.text));
    assert!(image.len() > 100);
}

#[test]
fn targets_are_the_newest_that_both_know() {
    let Some(library) = library() else { return };
    let nvrtc = Nvrtc::load(Some(&library)).unwrap();
    assert_eq!(nvrtc.target(90).unwrap().architecture, "sm_90");
    assert!(nvrtc.target(999).unwrap().architecture.starts_with("compute_1"));
    assert!(nvrtc.target(20).is_err());
    let target = Target { architecture: "compute_75".to_owned(), by: String::new() };
    let ptx = nvrtc.compile("extern \"C\" __global__ void k() {}", &target).unwrap();
    assert!(String::from_utf8_lossy(&ptx).contains(".target sm_75"));
    let error = nvrtc.compile("this is no kernel", &target).unwrap_err();
    assert!(error.to_string().contains("pardiff.cu"), "{error}");
}
