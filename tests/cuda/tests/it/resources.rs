//! What kernels take of a multiprocessor, by the assembler: registers, spilled bytes, shared memory. It needs no GPU.

use crate::nvrtc::{library, ptxas};
use crate::{gradients, nests, workloads};
use pardiff::runtime::cuda::nvrtc::{Nvrtc, Target, prelude};
use pardiff::runtime::cuda::{Module, loaded_on_cpu};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Of a kernel.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Resources {
    kernel: String,
    registers: u32,
    spilled: u32,
    stack: u32,
    shared: u32,
}

/// The number in front of a word of the assembler's report.
fn number(line: &str, behind: &str) -> u32 {
    let before = line.split(behind).next().unwrap_or("");
    let found =
        line.contains(behind).then(|| before.rsplit(|c: char| !c.is_ascii_digit()).find(|it| !it.is_empty()));
    found.flatten().and_then(|it| it.parse().ok()).unwrap_or(0)
}

/// What the assembler reports about the kernels of a module.
fn resources(module: &Module, nvrtc: &Nvrtc, ptxas: &Path) -> Vec<Resources> {
    let text = format!("{}{}", prelude(), module.text);
    let target = Target { architecture: "compute_90".to_owned(), by: String::new() };
    let ptx = nvrtc.compile(&text, &target).unwrap_or_else(|error| panic!("{error}"));
    let name = module.kernels[0].name;
    let file = std::env::temp_dir().join(format!("pardiff-{}-{name}.ptx", std::process::id()));
    std::fs::write(&file, String::from_utf8_lossy(&ptx).trim_end_matches('\0')).unwrap();
    let assembled =
        Command::new(ptxas).args(["-v", "--gpu-name=sm_90", "-o", "/dev/null"]).arg(&file).output().unwrap();
    std::fs::remove_file(&file).unwrap();
    let report = String::from_utf8_lossy(&assembled.stderr).into_owned();
    assert!(assembled.status.success(), "{report}");
    let mut found: Vec<Resources> = Vec::new();
    for line in report.lines() {
        if let Some(kernel) = line.split("Compiling entry function '").nth(1) {
            let kernel = kernel.split('\'').next().unwrap_or("").to_owned();
            found.push(Resources { kernel, registers: 0, spilled: 0, stack: 0, shared: 0 });
        } else if let Some(last) = found.last_mut() {
            if line.contains("bytes stack frame") {
                last.stack = number(line, " bytes stack frame");
                last.spilled = number(line, " bytes spill stores") + number(line, " bytes spill loads");
            } else if line.contains("Used ") {
                last.registers = number(line, " registers");
                last.shared = number(line, " bytes smem");
            }
        }
    }
    found
}

const BEGIN: &str = "<!-- resources: made by the tests in tests/cuda with PARDIFF_UPDATE_DOCS=1 -->\n";
const END: &str = "<!-- end of resources -->";

#[test]
fn kernels_fit_into_registers() {
    let (Some(library), Some(ptxas)) = (library(), ptxas()) else { return };
    let nvrtc = Nvrtc::load(Some(&library)).unwrap_or_else(|error| panic!("{error}"));
    for test in [
        workloads::gmm,
        workloads::ba,
        workloads::minibude,
        gradients::matvec,
        gradients::spmv,
        gradients::heat,
        nests::threads_of_a_block_exchange_values_by_a_tile,
    ] {
        test();
    }
    let is_listed = |module: &&&Module| {
        let of = ["gmm", "ba", "minibude", "matvec", "spmv", "heat2d", "tiles"];
        of.iter().any(|name| module.kernels[0].name.starts_with(&format!("pardiff_{name}_")))
    };
    let modules = loaded_on_cpu();
    let mut all: Vec<Resources> =
        modules.iter().filter(is_listed).flat_map(|module| resources(module, nvrtc, &ptxas)).collect();
    all.sort();
    assert!(all.len() >= 14, "{all:?}");
    // what merges, clears and sums up is the same everywhere; one thread has all registers it wants
    let is_kernel = |it: &&Resources| {
        !["_clear_", "_merge_", "_sums", "_once"].iter().any(|part| it.kernel.contains(part))
    };
    let mut table =
        "| kernel | registers | bytes spilled | bytes of stack | bytes of shared memory |\n".to_owned();
    table += "| --- | ---: | ---: | ---: | ---: |\n";
    for it in all.iter().filter(is_kernel) {
        table += &format!(
            "| `{}` | {} | {} | {} | {} |\n",
            it.kernel, it.registers, it.spilled, it.stack, it.shared
        );
        assert!(it.registers > 0 && it.registers <= 255, "{it:?}");
        assert!(it.spilled <= 1024, "{it:?}");
        assert!(it.shared <= 48 << 10, "{it:?}");
    }
    let tiles = all.iter().find(|it| it.kernel.starts_with("pardiff_tiles_") && it.shared >= 64 * 8);
    assert!(tiles.is_some(), "tiles are shared: {}", pardiff_cuda_tests::tiles::PLAN);
    if std::env::var_os("PARDIFF_UPDATE_DOCS").is_some() {
        let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/gpu.md");
        let text = std::fs::read_to_string(&file).unwrap();
        let (before, rest) = text.split_once(BEGIN).expect("the place of the table");
        let (_, after) = rest.split_once(END).expect("the end of the table");
        std::fs::write(&file, format!("{before}{BEGIN}{table}{END}{after}")).unwrap();
    }
}
