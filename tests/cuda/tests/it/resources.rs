//! What kernels take of a multiprocessor, by the assembler: registers, spilled bytes, shared memory. It needs no GPU.

use crate::nvrtc::{library, ptxas};
use crate::{blast, nests, workloads};
use pardiff::cuda::{Gpu, OnCpu};
use pardiff::runtime::cuda::nvrtc::{Nvrtc, Target, prelude};
use pardiff::runtime::cuda::{Module, loaded_on_cpu};
use pardiff_cuda_tests::cases;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Of a kernel.
#[derive(Debug)]
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

/// Of the kernels of a function together.
#[derive(Default)]
struct Together {
    kernels: usize,
    registers: u32,
    spilled: u32,
    stack: u32,
    shared: u32,
}

#[test]
fn kernels_fit_into_registers() {
    let (Some(library), Some(ptxas)) = (library(), ptxas()) else { return };
    let nvrtc = Nvrtc::load(Some(&library)).unwrap_or_else(|error| panic!("{error}"));
    let gpu = Gpu::on_cpu(OnCpu::default()).unwrap_or_else(|error| panic!("{error}"));
    workloads::compute_all(&gpu);
    nests::threads_of_a_block_exchange_values_by_a_tile();
    blast::volumes_of_elements();
    blast::forces_against_hourglass_modes();
    blast::gas_by_materials();
    let names: Vec<&str> = cases::WORKLOADS.iter().chain(&cases::REFERENCED).map(|it| it.workload).collect();
    // the functions of a workload of several are called otherwise
    let own = ["tiles", "volumes", "hourglasses", "materials"];
    let names: Vec<&str> = names.iter().map(|name| name.trim_start_matches("hand_")).chain(own).collect();
    // of those in `f64` and in `f32`, which have the same names: the former
    let is_in_f64 = |module: &&&Module| module.text.contains("double");
    let of = |module: &Module| {
        let name = module.kernels[0].name.strip_prefix("pardiff_")?;
        let known = names.iter().filter(|known| name.starts_with(&format!("{known}_")));
        known.max_by_key(|known| known.len()).map(|known| (*known).to_owned())
    };
    let mut all: BTreeMap<String, Together> = BTreeMap::new();
    for module in loaded_on_cpu().iter().filter(is_in_f64) {
        let Some(name) = of(module) else { continue };
        let together = all.entry(name).or_default();
        for it in resources(module, nvrtc, &ptxas) {
            // what merges and sums up is the same everywhere; one thread has all registers it wants
            if ["_merge_", "_sums", "_once"].iter().any(|part| it.kernel.contains(part)) {
                continue;
            }
            assert!(it.registers > 0 && it.registers <= 255, "{it:?}");
            assert!(it.shared <= 48 << 10, "{it:?}");
            together.kernels += 1;
            together.registers = together.registers.max(it.registers);
            together.spilled = together.spilled.max(it.spilled);
            together.stack = together.stack.max(it.stack);
            together.shared = together.shared.max(it.shared);
        }
    }
    assert_eq!(all.len(), names.len(), "every function has kernels");
    let mut table =
        "| function | kernels | registers | bytes spilled | bytes of stack | bytes of shared memory |\n"
            .to_owned();
    table += "| --- | ---: | ---: | ---: | ---: | ---: |\n";
    for (name, Together { kernels, registers, spilled, stack, shared }) in &all {
        table += &format!("| `{name}` | {kernels} | {registers} | {spilled} | {stack} | {shared} |\n");
    }
    assert!(all["tiles"].shared >= 64 * 8, "tiles are shared: {}", pardiff_cuda_tests::tiles::DECISIONS);
    if std::env::var_os("PARDIFF_UPDATE_DOCS").is_some() {
        let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/gpu.md");
        let text = std::fs::read_to_string(&file).unwrap();
        let (before, rest) = text.split_once(BEGIN).expect("the place of the table");
        let (_, after) = rest.split_once(END).expect("the end of the table");
        std::fs::write(&file, format!("{before}{BEGIN}{table}{END}{after}")).unwrap();
    }
}
