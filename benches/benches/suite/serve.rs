//! The kernels as a program that other tools are compared with: one command at a time from standard input, its answer to
//! standard output. `benches/peers/compare.py` speaks to it.
//!
//! | command | answer |
//! | --- | --- |
//! | `load WORKLOAD CASE` | a number of bytes, and these: the case as the experts are given it |
//! | `time VARIANT CALLS` | the nanoseconds of so many calls in a row of `primal`, `value`, `grad` or `grad_into` |
//! | `gradient` | value; then the number of entries of the gradient, and these |
//! | `memory` | bytes that a first gradient allocates, and the kernel as written |

use crate::allocations;
use crate::measure::time_own;
use crate::message::case_message;
use pardiff_workloads::cases::{REFERENCED, WORKLOADS, Workload};
use pardiff_workloads::data::Aligned;
use rayon::ThreadPool;
use std::io::{BufRead, Write};

struct Loaded {
    workload: Box<dyn Workload>,
    p: Aligned,
    g: Aligned,
}

/// Answers until the input ends.
pub fn serve(threads: usize) -> Result<(), String> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().map_err(|e| e.to_string())?;
    let mut loaded: Option<Loaded> = None;
    for line in std::io::stdin().lock().lines() {
        let line = line.map_err(|error| error.to_string())?;
        let words: Vec<&str> = line.split_whitespace().collect();
        match (words.as_slice(), &mut loaded) {
            (["load", workload, case], _) => {
                // the memory of the case before goes first
                drop(loaded.take());
                let workload = load(workload, case).ok_or_else(|| format!("no {workload} {case}"))?;
                let message = case_message(&*workload);
                send(&message.len().to_string(), &message)?;
                let p = Aligned::of(&workload.parameters());
                let g = Aligned::zeros(p.len());
                loaded = Some(Loaded { workload, p, g });
            }
            (["time", variant, calls], Some(Loaded { workload, p, g })) => {
                let calls: usize = calls.parse().map_err(|_| format!("no number of calls: {line}"))?;
                let nanoseconds = |_| (time_own(variant, &**workload, p, g).0 * 1e6).to_string();
                let times: Vec<String> = pool.install(|| (0..calls).map(nanoseconds).collect());
                send(&times.join(" "), &[])?;
            }
            (["gradient"], Some(Loaded { workload, p, g })) => {
                let value = pool.install(|| workload.grad_into(p, g));
                let mut bytes = (g.len() as u64).to_le_bytes().to_vec();
                bytes.extend(g.iter().flat_map(|x| x.to_le_bytes()));
                send(&format!("{value:?}"), &bytes)?;
            }
            (["memory"], Some(loaded)) => send(&memory(loaded, &pool), &[])?,
            _ => return Err(format!("not a command here: {line}")),
        }
    }
    Ok(())
}

fn load(workload: &str, case: &str) -> Option<Box<dyn Workload>> {
    let entry = WORKLOADS.iter().chain(&REFERENCED).find(|entry| entry.workload == workload)?;
    (entry.load)(case)
}

fn memory(loaded: &mut Loaded, pool: &ThreadPool) -> String {
    let Loaded { workload, p, g } = loaded;
    pardiff::release_scratch();
    let (_, gradient) = allocations::peak(|| pool.install(|| workload.grad_into(p, g)));
    let (_, primal) = allocations::peak(|| workload.primal(p));
    format!("{gradient} {primal}")
}

fn send(line: &str, bytes: &[u8]) -> Result<(), String> {
    let mut output = std::io::stdout().lock();
    let sent =
        writeln!(output, "{line}").and_then(|()| output.write_all(bytes)).and_then(|()| output.flush());
    sent.map_err(|error| error.to_string())
}
