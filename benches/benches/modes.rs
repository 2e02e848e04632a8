//! What the other derivative modes cost, on one thread, in one interleaved run.
//!
//! ```text
//! cargo bench --bench modes --features modes -- [--only WORKLOAD,…] [--reps 9] [--markdown]
//! ```
//!
//! Compared are minima of all repetitions of the kernel as written, its gradient, `jvp`, `hvp`, batches of eight,
//! and the two sweeps apart. `--markdown` rewrites the table of `docs/performance.md`. All modes of all kernels take
//! minutes to compile.

#[path = "../common/awake.rs"]
mod awake;

use awake::awake;
use pardiff_workloads::cases::{Entry, REFERENCED, WIDTH, WORKLOADS};
use pardiff_workloads::data::{Aligned, Lcg};
use std::fmt::Write as _;
use std::hint::black_box;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

const BEGIN: &str = "<!-- modes: begin -->";
const END: &str = "<!-- modes: end -->";

/// What is timed, in turn.
const VARIANTS: [&str; 7] = ["primal", "vjp", "jvp", "hvp", "jvp_batch", "vjp_batch", "sweeps"];
/// The columns of the table: a variant, what it is compared with, and its heading.
const RATIOS: [(usize, usize, &str); 5] = [
    (2, 0, "jvp / primal"),
    (3, 1, "hvp / vjp"),
    (4, 0, "jvp_batch(8) / primal"),
    (5, 1, "vjp_batch(8) / vjp"),
    (6, 1, "split / vjp"),
];

/// Milliseconds of each variant of a case.
struct Row {
    name: String,
    times: [f64; VARIANTS.len()],
}

fn main() -> ExitCode {
    let (mut only, mut reps, mut markdown, mut bench) = (None, 9, false, false);
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--bench" => bench = true,
            "--markdown" => markdown = true,
            "--only" => only = arguments.next(),
            "--reps" => reps = arguments.next().and_then(|reps| reps.parse().ok()).unwrap_or(reps),
            _ => {
                eprintln!("error: unknown argument `{argument}`");
                return ExitCode::FAILURE;
            }
        }
    }
    if !bench {
        println!("the costs of modes are measured under `cargo bench --bench modes --features modes`");
        return ExitCode::SUCCESS;
    }
    match run(only.as_deref(), reps, markdown) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}

fn run(only: Option<&str>, reps: usize, markdown: bool) -> Result<(), String> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().map_err(|error| error.to_string())?;
    let wanted = |entry: &&Entry| only.is_none_or(|only| only.split(',').any(|name| name == entry.workload));
    let mut rows = Vec::new();
    for entry in WORKLOADS.iter().chain(&REFERENCED).filter(wanted) {
        let row = pool.install(|| measure(entry, reps))?;
        println!("{}", line(&row));
        rows.push(row);
    }
    let means = means(&rows);
    println!("{means}");
    if markdown { write(&rows, &means) } else { Ok(()) }
}

fn measure(entry: &Entry, reps: usize) -> Result<Row, String> {
    let case = entry.cases[0];
    let workload = (entry.load)(case).ok_or_else(|| format!("{} has no case {case}", entry.workload))?;
    let workload = &*workload;
    let p = Aligned::of(&workload.parameters());
    let mut random = Lcg(71);
    let p_dot = Aligned::of(&random.floats(p.len(), -1.0, 1.0));
    let p_dots = Aligned::of(&random.floats(WIDTH * p.len(), -1.0, 1.0));
    let (mut g, mut gs) = (Aligned::zeros(p.len()), Aligned::zeros(WIDTH * p.len()));
    let mut sweeps = workload.sweeps();
    let mut times = [f64::INFINITY; VARIANTS.len()];
    // the first time finds cold memory
    for repetition in 0..=reps {
        for (variant, time) in times.iter_mut().enumerate() {
            awake();
            let start = Instant::now();
            match variant {
                0 => black_box(workload.primal(black_box(&p))),
                1 => black_box(workload.grad(black_box(&p), &mut g)),
                2 => black_box(workload.jvp(black_box(&p), &p_dot)).1,
                3 => black_box(workload.hvp(black_box(&p), &p_dot, &mut g)).1,
                4 => black_box(workload.jvp_batch(black_box(&p), &p_dots)).0,
                5 => black_box(workload.vjp_batch(black_box(&p), &mut gs, [1.0; WIDTH])),
                _ => black_box(sweeps(black_box(&p), &mut g)),
            };
            let elapsed = start.elapsed().as_secs_f64() * 1e3;
            if repetition > 0 {
                *time = time.min(elapsed);
            }
        }
    }
    Ok(Row { name: format!("{} {case}", entry.workload), times })
}

fn line(row: &Row) -> String {
    let mut line = format!("| {} |", row.name);
    for time in row.times {
        let _ = write!(line, " {} |", significant(time));
    }
    for (variant, to, _) in RATIOS {
        let _ = write!(line, " {} |", significant(row.times[variant] / row.times[to]));
    }
    line
}

/// The geometric means of the ratios in words.
fn means(rows: &[Row]) -> String {
    let means = RATIOS.map(|(variant, to, name)| {
        let logarithms: f64 = rows.iter().map(|row| (row.times[variant] / row.times[to]).ln()).sum();
        format!("{name} {:.2}", (logarithms / rows.len() as f64).exp())
    });
    format!("Geometric means: {}.", means.join(", "))
}

fn significant(x: f64) -> String {
    let digits = (2 - x.abs().log10().floor() as i32).clamp(0, 4) as usize;
    format!("{x:.digits$}")
}

/// Replaces the table in the documentation.
fn write(rows: &[Row], means: &str) -> Result<(), String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/performance.md");
    let text = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let (Some((before, _)), Some((_, after))) = (text.split_once(BEGIN), text.split_once(END)) else {
        return Err(format!("{} has not the marks {BEGIN} and {END}", path.display()));
    };
    let headings: Vec<&str> = VARIANTS.into_iter().chain(RATIOS.map(|(_, _, name)| name)).collect();
    let mut table =
        format!("| workload, case | {} |\n|{}\n", headings.join(" | "), " --- |".repeat(headings.len() + 1));
    for row in rows {
        table += &line(row);
        table.push('\n');
    }
    let text = format!("{before}{BEGIN}\n\n{table}\n{means}\n\n{END}{after}");
    std::fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))
}
