//! How long the attribute takes: tokens in, tokens out, the fastest of ten expansions of each workload, as a table.
//!
//! Users compile the compiler without optimisation, so it is measured that way:
//! `cargo run -p pardiff-compiler --example expansion_time`; names of workloads behind `--` choose some.
//! With the feature `verify`, and `PARDIFF_VERIFY` set in the environment, the verifier runs after every pass, which it
//! does not do for users.

use proc_macro2::TokenStream;
use std::error::Error;
use std::path::Path;
use std::str::FromStr;
use std::time::{Duration, Instant};

fn main() -> Result<(), Box<dyn Error>> {
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../workloads");
    let mut files: Vec<_> = std::fs::read_dir(folder)?.collect::<Result<Vec<_>, _>>()?;
    files.sort_by_key(|file| file.file_name());
    println!("| kernel | lines | expansion, ms | characters that come out |\n| --- | --- | --- | --- |");
    for file in files {
        let path = file.path();
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let is_kernel = path.extension().is_some_and(|it| it == "rs") && name != "lib";
        if !is_kernel || !(wanted.is_empty() || wanted.contains(&name)) {
            continue;
        }
        let source = std::fs::read_to_string(&path)?;
        let (attribute, item) = annotated(&source).ok_or_else(|| format!("{name}: nothing is annotated"))?;
        let (mut fastest, mut length) = (Duration::MAX, 0);
        for _ in 0..10 {
            // in a thread of its own, for which nothing is remembered from the expansion before
            let expanded = std::thread::scope(|scope| scope.spawn(|| expansion(attribute, item)).join());
            let (time, text) = expanded.map_err(|_| format!("{name}: the expansion panicked"))??;
            if text.contains("compile_error") {
                return Err(format!("{name}: refused").into());
            }
            fastest = fastest.min(time);
            length = text.len();
        }
        println!("| {name} | {} | {:.0} | {length} |", item.lines().count(), fastest.as_secs_f64() * 1e3);
    }
    Ok(())
}

/// The first attribute's arguments, and what it stands on.
fn annotated(source: &str) -> Option<(&str, &str)> {
    let (_, from) = source.split_once("#[differentiate")?;
    let (attribute, item) = from.split_once("]\n")?;
    let arguments = attribute.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
    Some((arguments.unwrap_or_default(), item))
}

/// How long the expansion takes, and what comes out.
fn expansion(attribute: &str, item: &str) -> Result<(Duration, String), String> {
    let tokens = |text| TokenStream::from_str(text).map_err(|error| error.to_string());
    let (attribute, item) = (tokens(attribute)?, tokens(item)?);
    let start = Instant::now();
    let expanded = pardiff_compiler::expand(attribute, item);
    Ok((start.elapsed(), expanded.to_string()))
}
