//! Generated gradients against gradients by hand, in one interleaved run.
//!
//! ```text
//! cargo bench --bench suite -- [--json PATH] [--only WORKLOAD,…] [--case CASE] [--threads 1,2] [--reps 15]
//!                              [--compile] [--markdown] [--serve]
//! ```
//!
//! Every repetition runs each variant once, one after the other: the kernel as written, its generated value, its
//! generated gradients, and the gradients by hand, which for the nine large workloads are a program of its own, built with
//! link-time optimisation for this machine, that takes its turns through a pipe. Ours is plain `release`. What is compared are
//! minima; medians show how quiet the machine was.
//!
//! `--json` writes one object a line; `--compile` also records what the kernels cost to compile; `--markdown` writes the
//! table and the plot of `docs/performance.md`; `--serve` takes commands from
//! `benches/peers/compare.py` instead. `PARDIFF_DATA` names the directory of published data.

mod allocations;
#[path = "../../common/awake.rs"]
mod awake;
mod child;
mod compile;
mod json;
mod machine;
mod markdown;
mod measure;
#[path = "../../common/message.rs"]
mod message;
mod options;
#[path = "../../common/pipes.rs"]
mod pipes;
mod plot;
mod serve;
mod spread;
mod table;

use child::Experts;
use measure::Row;
use options::Options;
use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: allocations::Counting = allocations::Counting;

fn main() -> ExitCode {
    match Options::parse(std::env::args().skip(1)) {
        Ok(Some(options)) => match run(&options) {
            Ok(()) => ExitCode::SUCCESS,
            Err(message) => {
                eprintln!("error: {message}");
                ExitCode::FAILURE
            }
        },
        Ok(None) => {
            println!("the suite runs under `cargo bench --bench suite`");
            ExitCode::SUCCESS
        }
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> Result<(), String> {
    if options.serve {
        return serve::serve(options.threads[0]);
    }
    let program = child::build()?;
    let mut sink = json::Sink::create(options.json.as_deref())?;
    let mut rows: Vec<Row> = Vec::new();
    let mut machines = Vec::new();
    for &threads in &options.threads {
        let mut experts = Experts::start(&program, threads)?;
        let machine = machine::Machine::measure(&mut experts, threads)?;
        println!("{machine}");
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().map_err(|e| e.to_string())?;
        for (entry, case) in options.cases() {
            let row = measure::measure(entry, case, &pool, threads, &mut experts, options, &rows)?;
            println!("{}", table::line(&row, &machine));
            sink.write(&json::row(&row, &machine))?;
            rows.push(row);
        }
        if threads == 1 && options.wants("projection") {
            for spread in spread::measure() {
                println!("{spread}");
                sink.write(&spread.json(&machine))?;
            }
        }
        machines.push(machine);
    }
    table::print(&rows, &machines);
    if options.compile {
        for cost in compile::measure(options)? {
            println!("{cost}");
            sink.write(&cost.json())?;
        }
    }
    if options.markdown {
        markdown::write(&rows, &machines)?;
    }
    Ok(())
}
