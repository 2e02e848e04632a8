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
            // in a thread of its own: what the compiler remembers from one kernel to the next, it keeps for its thread, and no
            // user expands one kernel ten times
            let expansion = || {
                let attribute = TokenStream::from_str(attribute).map_err(|error| error.to_string())?;
                let function = TokenStream::from_str(function).map_err(|error| error.to_string())?;
                let start = Instant::now();
                let expanded = pardiff_compiler::expand(attribute, function);
                let time = start.elapsed().as_secs_f64() * 1e3;
                drop(expanded);
                Ok::<_, String>(time)
            };
            let time = std::thread::scope(|scope| scope.spawn(expansion).join());
            fastest = fastest.min(time.map_err(|_| "an expansion panicked")??);
        }
        println!("{fastest}");
    }
    Ok(())
}
