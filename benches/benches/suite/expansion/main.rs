//! A program of its own that the suite compiles: milliseconds of the fastest of ten expansions of the kernel in each file
//! named by the arguments, a line each. The compiler is not optimised, as in a user's development build.

use proc_macro2::TokenStream;
use std::error::Error;
use std::str::FromStr;
use std::time::Instant;

fn main() -> Result<(), Box<dyn Error>> {
    for path in std::env::args().skip(1) {
        let source = std::fs::read_to_string(&path)?;
        let (_, from) = source.split_once("#[differentiate").ok_or("no annotated function")?;
        let (attribute, function) = from.split_once("]\n").ok_or("no end of the attribute")?;
        let attribute = attribute.strip_prefix('(').map_or(attribute, |a| a.strip_suffix(')').unwrap_or(a));
        let mut fastest = f64::MAX;
        for _ in 0..10 {
            let (attribute, function) = (TokenStream::from_str(attribute)?, TokenStream::from_str(function)?);
            let start = Instant::now();
            let expanded = pardiff_compiler::expand(attribute, function);
            fastest = fastest.min(start.elapsed().as_secs_f64() * 1e3);
            drop(expanded);
        }
        println!("{fastest}");
    }
    Ok(())
}
