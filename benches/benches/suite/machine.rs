//! What the machine can do, measured at the beginning of a run.

use crate::child::Experts;
use std::fmt;

/// A processor, and its limits on a number of threads.
pub struct Machine {
    /// The processor's name.
    pub name: String,
    /// The instruction set that generated code uses.
    pub isa: &'static str,
    /// Threads.
    pub threads: usize,
    /// Billions of float operations a second.
    pub operations: f64,
    /// Billions of bytes a second between memory and processor.
    pub bytes: f64,
    /// Load average when measured.
    pub load: f64,
}

impl Machine {
    /// Measures with the experts' program, which is compiled for the machine.
    pub fn measure(experts: &mut Experts, threads: usize) -> Result<Machine, String> {
        let [operations, bytes] = experts.machine()?;
        let read = |path| std::fs::read_to_string(path).unwrap_or_default();
        let information = read("/proc/cpuinfo");
        let name = information.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
        let load = read("/proc/loadavg").split(' ').next().and_then(|load| load.parse().ok()).unwrap_or(0.0);
        let name = name.map_or_else(|| std::env::consts::ARCH.to_owned(), |(_, name)| name.to_owned());
        Ok(Machine { name, isa: isa(), threads, operations, bytes, load })
    }
}

/// The level that run-time dispatch picks.
fn isa() -> &'static str {
    #[cfg(target_arch = "x86_64")]
    let best = if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512dq") {
        "avx512"
    } else if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
        "avx2"
    } else {
        "baseline"
    };
    #[cfg(not(target_arch = "x86_64"))]
    let best = "baseline";
    match std::env::var("PARDIFF_ISA").as_deref() {
        Ok("baseline") => "baseline",
        Ok("avx2") if best == "avx512" => "avx2",
        _ => best,
    }
}

impl fmt::Display for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Machine { name, isa, threads, operations, bytes, load } = self;
        write!(f, "{name}, {isa}, {threads} threads: {operations:.0} GF/s, {bytes:.0} GB/s; load {load:.1}")
    }
}
