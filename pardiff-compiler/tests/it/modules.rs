//! Random programs as modules: two of three are lowered in other clothes than they are printed in.

use crate::property::style;
use crate::random::{Dressed, Program, dress, program_of_everything};

/// The program as a module, if it is to be one; which, and how, follows from its name.
pub fn module(source: &Program, item: &syn::ItemFn) -> Option<Dressed> {
    let digits = source.main.name.trim_start_matches(|c: char| !c.is_ascii_digit());
    let seed = digits.parse::<u64>().ok().filter(|seed| !seed.is_multiple_of(3))?;
    Some(dress(item.clone(), seed))
}

/// The program as it is lowered.
pub fn shown(source: &Program) -> String {
    let text = source.source();
    match syn::parse_str(&text).ok().and_then(|item| module(source, &item)) {
        Some(module) => format!("{text}\n{}", module.source()),
        None => text,
    }
}

/// The forms that programs are dressed in all occur.
#[test]
fn programs_wear_every_form() {
    let mut all = String::new();
    for seed in 1..400 {
        let source = program_of_everything(seed, style(seed));
        let Ok(item) = syn::parse_str(&source.source()) else { continue };
        all += &dress(item, seed).source();
    }
    for form in [
        "into_par_iter",
        "par_iter",
        "par_windows",
        "par_chunks_exact",
        "for_each",
        "break 'l",
        "continue 'l",
        "& self",
        "(self",
        "* self",
        "impl Fn",
        "impl Fixed",
        "let h1 = |",
        ". held",
        "let pair",
    ] {
        assert!(all.contains(form), "no program has `{form}`");
    }
}
