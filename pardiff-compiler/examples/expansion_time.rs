//! How long the attribute takes: tokens in, tokens out, the fastest of ten expansions of each kernel.
//!
//! Users compile the compiler without optimisation, so measure it that way:
//! `cargo run -p pardiff-compiler --example expansion_time --config 'profile.dev.package.pardiff-compiler.opt-level=0'`.
//! With `PARDIFF_VERIFY` set in the environment the verifier runs after every pass, which it does not do for users.

use proc_macro2::TokenStream;
use std::process::ExitCode;
use std::str::FromStr;
use std::time::{Duration, Instant};

const KERNELS: [(&str, &str); 5] = [
    ("dot product", include_str!("../tests/it/kernels/dot.rs")),
    ("triangular solve", include_str!("../tests/it/kernels/triangular_solve.rs")),
    ("heat equation", include_str!("../tests/it/kernels/heat.rs")),
    ("sparse product", include_str!("../tests/it/kernels/csr_product.rs")),
    ("mixture model", include_str!("../../workloads/gmm.rs")),
];

fn main() -> ExitCode {
    for (name, source) in KERNELS {
        let (mut fastest, mut length) = (Duration::MAX, 0);
        for _ in 0..10 {
            // in a thread of its own, for which nothing is remembered from the expansion before
            let expanded = std::thread::spawn(move || expansion(source)).join();
            match expanded {
                Ok(Some((time, text))) if !text.contains("compile_error") => {
                    fastest = fastest.min(time);
                    length = text.len();
                }
                _ => {
                    eprintln!("{name}: refused");
                    return ExitCode::FAILURE;
                }
            }
        }
        println!("{name:20} {:8.2} ms  {length:7} characters", fastest.as_secs_f64() * 1e3);
    }
    ExitCode::SUCCESS
}

/// How long the expansion of the annotated function takes, and what comes out.
fn expansion(source: &str) -> Option<(Duration, String)> {
    let (attr, item) = annotated(source)?;
    let start = Instant::now();
    let expanded = pardiff_compiler::expand(attr, item);
    Some((start.elapsed(), expanded.to_string()))
}

/// The attribute's tokens and the function's.
fn annotated(source: &str) -> Option<(TokenStream, TokenStream)> {
    let (_, from) = source.split_once("#[differentiate")?;
    let (attr, function) = from.split_once("]\n")?;
    let attr = attr.trim_start_matches('(').trim_end_matches(')');
    // the closing parenthesis of `wrt(…)` was trimmed with the attribute's own
    let attr = if attr.contains('(') { format!("{attr})") } else { attr.to_owned() };
    Some((TokenStream::from_str(&attr).ok()?, TokenStream::from_str(function).ok()?))
}
