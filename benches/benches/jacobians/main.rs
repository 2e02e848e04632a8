//! Jacobians of ADBench's bundle adjustment and hand tracking, on one thread, in one interleaved run, beside those of
//! the dual numbers of `num-dual` and, where a Python with JAX is named, of JAX.
//!
//! ```text
//! cargo bench --bench jacobians -- [--jax venv/bin/python] [--reps 21] [--markdown]
//! ```
//!
//! Each program computes every number of the Jacobian and keeps it. Compared are minima of all repetitions. JAX compiles
//! before the first one; for bundle adjustment it takes the faster of rows and columns. `--markdown` rewrites the table
//! of `docs/performance.md`.

mod bundle;
mod cases;
mod duals;
mod hands;
mod jax;
#[path = "../../common/message.rs"]
mod message;
#[path = "../../common/pipes.rs"]
mod pipes;
mod residuals;

use cases::{Residuals, load};
use jax::Jax;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

const BEGIN: &str = "<!-- jacobians: begin -->";
const END: &str = "<!-- jacobians: end -->";

/// The cases, by the names of the workloads.
const CASES: [(&str, &str); 3] =
    [("ba", "ba1"), ("hand_simple", "3200x544"), ("hand_complicated", "3200x544")];

/// How far two Jacobians may be apart, relative to the greatest number of one.
const TOLERANCE: f64 = 1e-8;

fn main() -> ExitCode {
    let (mut python, mut reps, mut markdown, mut bench) = (None, 21, false, false);
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--bench" => bench = true,
            "--markdown" => markdown = true,
            "--jax" => python = arguments.next(),
            "--reps" => reps = arguments.next().and_then(|reps| reps.parse().ok()).unwrap_or(reps),
            _ => {
                eprintln!("error: unknown argument `{argument}`");
                return ExitCode::FAILURE;
            }
        }
    }
    if !bench {
        println!("Jacobians are measured under `cargo bench --bench jacobians`");
        return ExitCode::SUCCESS;
    }
    match run(python.as_deref(), reps, markdown) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}

fn run(python: Option<&str>, reps: usize, markdown: bool) -> Result<(), String> {
    rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .use_current_thread()
        .build_global()
        .map_err(|e| e.to_string())?;
    let mut jax = python.map(Jax::start).transpose()?;
    let mut table = "| workload, case | primal | pardiff | num-dual | JAX | num-dual / pardiff | JAX / pardiff | error |\n\
                     | --- | --- | --- | --- | --- | --- | --- | --- |\n"
        .to_owned();
    for (name, case) in CASES {
        let (workload, mut residuals) =
            load(name, case).ok_or_else(|| format!("there is no case {case} of {name}"))?;
        if let Some(jax) = &mut jax {
            jax.load(name, case, &*workload)?;
        }
        // the pool has one thread, which is this one
        let row = measure(&mut *residuals, jax.as_mut(), reps)?;
        let line = row.line(name, case);
        print!("{line}");
        table += &line;
    }
    if markdown { write(&table) } else { Ok(()) }
}

/// Milliseconds of a case, and how far the Jacobians are apart.
struct Row {
    primal: f64,
    ours: f64,
    duals: f64,
    jax: Option<f64>,
    error: f64,
}

impl Row {
    fn line(&self, name: &str, case: &str) -> String {
        let jax = |f: &dyn Fn(f64) -> String| self.jax.map_or_else(|| "-".to_owned(), f);
        format!(
            "| {name} {case} | {:.3} | {:.3} | {:.3} | {} | {:.2} | {} | {:.0e} |\n",
            self.primal,
            self.ours,
            self.duals,
            jax(&|jax| format!("{jax:.3}")),
            self.duals / self.ours,
            jax(&|jax| format!("{:.2}", jax / self.ours)),
            self.error
        )
    }
}

fn measure(case: &mut dyn Residuals, mut jax: Option<&mut Jax>, reps: usize) -> Result<Row, String> {
    let mut times = [f64::INFINITY; 3];
    let mut of_jax = jax.as_ref().map(|_| f64::INFINITY);
    for _ in 0..=reps {
        for (time, variant) in times.iter_mut().zip([Residuals::primal, Residuals::ours, Residuals::duals]) {
            let start = Instant::now();
            variant(case);
            *time = time.min(start.elapsed().as_secs_f64() * 1e3);
        }
        if let (Some(jax), Some(time)) = (&mut jax, &mut of_jax) {
            *time = time.min(jax.time()?);
        }
    }
    let ours = case.of_ours();
    let mut error = distance(&ours, &case.of_duals());
    if let Some(jax) = jax {
        error = error.max(distance(&ours, &jax.jacobian()?));
    }
    if error.is_nan() || error > TOLERANCE {
        return Err(format!("the Jacobians differ by {error:e}"));
    }
    let [primal, ours, duals] = times;
    Ok(Row { primal, ours, duals, jax: of_jax, error })
}

/// The greatest difference, relative to the greatest number.
fn distance(a: &[f64], b: &[f64]) -> f64 {
    if a.len() != b.len() {
        return f64::NAN;
    }
    let greatest = a.iter().fold(0.0f64, |greatest, x| greatest.max(x.abs()));
    // a difference that is no number is greater than all
    a.iter().zip(b).map(|(x, y)| (x - y).abs()).fold(0.0, |most, e| if e <= most { most } else { e })
        / greatest
}

/// Replaces the table in the documentation.
fn write(table: &str) -> Result<(), String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/performance.md");
    let text = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let (Some((before, _)), Some((_, after))) = (text.split_once(BEGIN), text.split_once(END)) else {
        return Err(format!("{} has not the marks {BEGIN} and {END}", path.display()));
    };
    std::fs::write(&path, format!("{before}{BEGIN}\n\n{table}\n{END}{after}"))
        .map_err(|error| format!("{}: {error}", path.display()))
}
