//! What of real kernels has a place on a GPU, and what is refused.

use crate::frontend::Options;
use crate::refusal::Refusal;
use syn::{Item, ItemFn, Meta};

fn compiled(attr: &str, function: ItemFn) -> Result<String, Vec<Refusal>> {
    let options = Options::parse(attr.parse().expect("tokens")).expect("options");
    crate::compile(&options, function).map(|tokens| tokens.to_string())
}

/// The text of the expansion of a function with these options.
fn text(attr: &str, function: &str) -> Result<String, String> {
    let function = syn::parse_str(function).expect("a function");
    let words = |it: &Refusal| format!("{}: {}; {}", it.what, it.why, it.help);
    compiled(attr, function).map_err(|refusals| refusals.iter().map(words).collect::<Vec<_>>().join("\n"))
}

/// Workloads that must have kernels.
const ACCEPTED: [&str; 6] = ["gmm", "ba", "minibude", "matvec", "spmv", "heat2d"];

#[test]
fn workloads_have_kernels_or_reasons() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../workloads");
    let mut kernels = 0;
    for entry in std::fs::read_dir(folder).expect("the workloads") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|it| it != "rs") {
            continue;
        }
        let file = syn::parse_file(&std::fs::read_to_string(&path).expect("a file")).expect("Rust");
        for item in file.items {
            let Item::Fn(mut function) = item else { continue };
            let is_ours = |attr: &syn::Attribute| attr.path().is_ident("differentiate");
            let Some(at) = function.attrs.iter().position(is_ours) else { continue };
            let attr = match function.attrs.remove(at).meta {
                Meta::List(list) => format!("cuda, {}", list.tokens),
                _ => "cuda".to_owned(),
            };
            let name = function.sig.ident.to_string();
            match compiled(&attr, function) {
                Ok(text) => {
                    assert!(text.contains("PD_KERNEL"), "{name}");
                    kernels += 1;
                }
                Err(refusals) => {
                    assert!(!ACCEPTED.contains(&name.as_str()), "{name}: {refusals:?}");
                    assert!(
                        refusals.iter().all(|it| it.help.contains("remove `cuda`")),
                        "{name}: {refusals:?}"
                    );
                }
            }
        }
    }
    assert!(kernels >= 20, "{kernels}");
}

const SCATTER: &str =
    "fn f(x: &[f64], to: &[usize], y: &mut [f64]) { for i in 0..x.len() { y[to[i]] += x[i] * x[i]; } }";

#[test]
fn atomics_are_the_last_resort_and_can_be_denied() {
    let accepted = text("cuda", SCATTER).unwrap();
    assert!(accepted.contains("pd_atomic_add"));
    assert!(accepted.contains("atomic additions"), "the plan names them");
    let refused = text("cuda, deny(atomics)", SCATTER).unwrap_err();
    assert!(refused.contains("the sum into `y` needs atomic additions on the GPU"), "{refused}");
    let sum = "fn f(x: &[f64]) -> f64 { let mut s = 0.0; for i in 0..x.len() { s += x[i] * x[i]; } s }";
    let denied = text("cuda, deny(atomics)", sum).unwrap();
    assert!(denied.contains("pd_of_block<PD_ADD>") && !denied.contains("pd_atomic_add"));
}

#[test]
fn neighbouring_threads_are_neighbouring_columns() {
    let rows = "fn f(x: &[f64], y: &mut [f64], n: usize) {
        for i in 0..n { for j in 0..n { y[i * n + j] = 2.0 * x[i * n + j]; } }
    }";
    let accepted = text("cuda", rows).unwrap();
    assert!(accepted.contains("(at % count_j"), "two loops are one kernel: {accepted}");
    // a running sum is carried by the inner loop: each thread has a row
    let sums = "fn f(x: &[f64], y: &mut [f64], n: usize) {
        for i in 0..n { for j in 1..n { y[i * n + j] = y[i * n + j - 1] + x[i * n + j]; } }
    }";
    assert!(!text("cuda", sums).unwrap().contains("(at % count_j"));
}

#[test]
fn what_is_sequential_is_one_thread() {
    let sum = "fn f(x: &[f64]) -> f64 { let mut s = 0.0; for i in 0..x.len() { s += x[i] * x[i]; } s }";
    for attr in ["cuda, sequential", "cuda, strict"] {
        let one = text(attr, sum).unwrap();
        assert!(!one.contains("pd_of_block<") && one.contains("_once("), "{attr}: {one}");
    }
}

#[test]
fn refusals_say_what_to_write_instead() {
    for (function, word) in [
        (
            "fn f(x: &[f64]) -> f64 { let mut s = 0.0; for i in 0..x.len() { s += x[i].clamp(0.0, 1.0); } s }",
            "`clamp`",
        ),
        ("fn f(x: &[f64]) -> [f64; 2] { [x[0], x[1]] }", "a result that is no scalar"),
        ("fn f(x: [f64; 2]) -> f64 { x[0] * x[1] }", "an array by value"),
        (
            "fn f(x: f64) -> f64 { let mut y = x; while y > 1.0 { y = y.sqrt() - 0.01; } y }",
            "grows as it is written",
        ),
        ("fn f(x: &[f64], n: u128) -> f64 { x[0] * n as f64 }", "128 bits"),
    ] {
        let refused = text("cuda", function).unwrap_err();
        assert!(refused.contains(word) && refused.contains("remove `cuda`"), "{refused}");
    }
}
