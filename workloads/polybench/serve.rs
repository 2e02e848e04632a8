//! The kernels of PolyBench as a program that other tools are compared with: one command at a time from standard input, its answer
//! to standard output. `benches/peers/polybench/compare.py` speaks to it, and starts it as
//!
//! ```text
//! polybench --bench --serve --threads N
//! ```
//!
//! | command | answer |
//! | --- | --- |
//! | `list` | a line with the names, and each name's sizes behind it |
//! | `load NAME SIZES` | a number of bytes, and the parameters in these |
//! | `time VARIANT CALLS` | the nanoseconds of so many calls in a row of `primal` or `gradient` |
//! | `gradient` | value; then the number of entries of the gradient, and these |
//! | `plan NAME` | the number of bytes of what was decided for the kernel, and these |

#[path = "../../benches/common/awake.rs"]
mod awake;

use pardiff_polybench::cases::{Case, KERNELS, Kernel};
use rayon::ThreadPoolBuilder;
use std::error::Error;
use std::hint::black_box;
use std::io::{BufRead, Write};
use std::time::Instant;

/// A case, and where its gradient goes.
struct Loaded {
    case: Case,
    gradient: Vec<f64>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let Some(at) = arguments.iter().position(|argument| argument == "--threads") else {
        println!("PolyBench is timed by `benches/peers/polybench/compare.py`");
        return Ok(());
    };
    let threads = arguments.get(at + 1).ok_or("no number of threads")?.parse()?;
    let pool = ThreadPoolBuilder::new().num_threads(threads).build()?;
    let mut loaded = None;
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        let words: Vec<&str> = line.split(' ').collect();
        match (words.as_slice(), &mut loaded) {
            (["list"], _) => {
                let name = |kernel: &Kernel| {
                    let sizes = kernel
                        .sizes
                        .map(|size| size.iter().map(usize::to_string).collect::<Vec<_>>().join("x"));
                    format!("{} {}", kernel.name, sizes.join(" "))
                };
                send(&KERNELS.iter().map(name).collect::<Vec<_>>().join(","), &[])?;
            }
            (["load", name, sizes], _) => {
                // the memory of the case before goes first
                drop(loaded.take());
                let sizes: Result<Vec<usize>, _> = sizes.split('x').map(str::parse).collect();
                let case = (kernel(name)?.load)(&sizes?);
                let bytes: Vec<u8> = case.parameters.iter().flat_map(|x| x.to_le_bytes()).collect();
                send(&bytes.len().to_string(), &bytes)?;
                let gradient = vec![0.0; case.parameters.len()];
                loaded = Some(Loaded { case, gradient });
            }
            (["time", variant, calls], Some(Loaded { case, gradient })) => {
                let mut call = || {
                    awake::awake();
                    let p = black_box(case.parameters.as_slice());
                    let start = Instant::now();
                    let value = match *variant {
                        "primal" => (case.primal)(p),
                        _ => (case.gradient)(p, gradient),
                    };
                    black_box(value);
                    start.elapsed().as_nanos().to_string()
                };
                let calls: usize = calls.parse()?;
                let times: Vec<String> = pool.install(|| (0..calls).map(|_| call()).collect());
                send(&times.join(" "), &[])?;
            }
            (["gradient"], Some(Loaded { case, gradient })) => {
                let value = pool.install(|| (case.gradient)(&case.parameters, gradient));
                let mut bytes = (gradient.len() as u64).to_le_bytes().to_vec();
                bytes.extend(gradient.iter().flat_map(|x| x.to_le_bytes()));
                send(&format!("{value:?}"), &bytes)?;
            }
            (["plan", name], _) => {
                let plan = kernel(name)?.plan;
                send(&plan.len().to_string(), plan.as_bytes())?;
            }
            _ => return Err(format!("not a command here: {line}").into()),
        }
    }
    Ok(())
}

fn kernel(name: &str) -> Result<&'static Kernel, String> {
    KERNELS.iter().find(|kernel| kernel.name == name).ok_or_else(|| format!("no kernel {name}"))
}

fn send(line: &str, bytes: &[u8]) -> std::io::Result<()> {
    let mut output = std::io::stdout().lock();
    writeln!(output, "{line}")?;
    output.write_all(bytes)?;
    output.flush()
}
