//! Kernels as users write them, through the front end: which loads of floats find their element overwritten later.

use crate::frontend::{Options, lower};
use crate::ir::{Program, parse};
use crate::normalise::normalise;
use crate::poly::{AccessKind, Analysis};

fn program(source: &str) -> Program {
    let item = syn::parse_str(source).expect("a function");
    let lowered = lower(&Options::default(), item).expect("an accepted function");
    normalise(lowered.cases.into_general())
}

/// For each load of a float from a buffer that is written and not a scalar, in order: its buffer, with a `!` if its
/// element may be overwritten afterwards.
fn loads(program: &Program) -> Vec<String> {
    let analysis = Analysis::new(program);
    let loads = analysis.accesses().iter().filter(|access| {
        let buffer = &program[access.buffer];
        let written = analysis.writes(access.buffer).next().is_some();
        access.kind == AccessKind::Read && buffer.elem.is_float() && buffer.rank() > 0 && written
    });
    let text = |access: &crate::poly::Access<'_>| {
        let in_place = analysis.overwritten_after(access.id).answer.is_no();
        format!("{}{}", program[access.buffer].name, if in_place { "" } else { "!" })
    };
    loads.map(text).collect()
}

#[track_caller]
fn assert_loads(source: &str, expected: &str) {
    assert_eq!(loads(&program(source)).join(" "), expected);
}

#[test]
fn factorisations_in_place() {
    // what is read in the own row or above it is final, also the diagonal where `i != j`; the element itself is overwritten
    assert_loads(
        "fn cholesky(a: &mut [f64], n: usize) {
            for i in 0..n {
                for j in 0..=i {
                    let mut s = a[i * n + j];
                    for k in 0..j { s -= a[i * n + k] * a[j * n + k]; }
                    if i == j { a[i * n + i] = s.sqrt(); } else { a[i * n + j] = s / a[j * n + j]; }
                }
            }
        }",
        "a! a a a",
    );
    assert_loads(
        "fn lu(a: &mut [f64], n: usize) {
            for k in 0..n {
                for i in k + 1..n {
                    a[i * n + k] /= a[k * n + k];
                    for j in k + 1..n { a[i * n + j] -= a[i * n + k] * a[k * n + j]; }
                }
            }
        }",
        "a! a a! a a",
    );
}

#[test]
fn histories_kept_by_the_user() {
    assert_loads(
        "fn history(x: &[f64], w: f64, n: usize, d: usize) -> f64 {
            let mut h = vec![0.0; (n + 1) * d];
            for t in 0..n {
                for j in 0..d { h[(t + 1) * d + j] = (h[t * d + j] * w + x[t * d + j]).tanh(); }
            }
            let mut s = 0.0;
            for j in 0..d { s += h[n * d + j] * h[n * d + j]; }
            s
        }",
        "h h h",
    );
}

#[test]
fn stencils() {
    assert_loads(
        "fn heat(u0: &[f64], steps: usize) -> f64 {
            let n = u0.len();
            let mut u = u0.to_vec();
            let mut v = vec![0.0; n];
            for _ in 0..steps {
                for i in 1..n - 1 { v[i] = u[i] * u[i - 1] + u[i + 1]; }
                std::mem::swap(&mut u, &mut v);
            }
            let mut s = 0.0;
            for i in 0..n { s += u[i] * u[i]; }
            s
        }",
        "u! u! u! u! v! u u",
    );
    // one sweep in place: what is above and on the left was updated before, the rest is updated later
    let sweep = "fn sweep(u: &mut [f64], n: usize) {
        for i in 1..n - 1 {
            for j in 1..n - 1 { u[i * n + j] = u[(i - 1) * n + j] * u[i * n + j - 1] + u[i * n + j + 1]; }
        }
    }";
    assert_loads(sweep, "u u u!");
    let program = program(sweep);
    let analysis = Analysis::new(&program);
    let inner = program.iters.len() as u32 - 1;
    let carried = analysis.carried_by(crate::ir::IterId(inner));
    assert!(!carried[0].flow.is_no() && !carried[0].anti.is_no() && carried[0].output.is_no());
}

#[test]
fn a_bound_that_may_wrap_is_believed_only_under_checks() {
    let checked = "fn f(u: &mut [f64], n: usize) { for i in 0..n - 1 { u[i] = u[i] * 2.0; u[n] = u[i]; } }";
    assert_loads(checked, "u! u");
    // without checks the loop may run from 0 to any number
    let unchecked = parse(
        "
        fn f(u: inout f64[_], n: in usize)
          for i in 0..n - 1
            u[n] = u[i]
        ",
    );
    assert_eq!(loads(&unchecked.expect("a program")), ["u!"]);
}

#[test]
fn rows_and_aliases() {
    assert_loads(
        "fn rows(x: &mut [f64], n: usize, d: usize) {
            for i in 0..n {
                let row = &mut x[i * d..(i + 1) * d];
                let mut s = 0.0;
                for j in 0..d { s += row[j] * row[j]; }
                for j in 1..d { row[j] = row[j - 1] / s; }
            }
        }",
        "x! x! x",
    );
    assert_loads(
        "fn two(x: &mut [[f64; 3]], n: usize) {
            for i in 1..n { for k in 0..3 { x[i][k] = x[i - 1][k] * x[i][k]; } }
        }",
        "x x!",
    );
    assert_loads(
        "fn fold(x: &mut [f64], n: usize) {
            for i in (0..n).rev() { let j = n - 1 - i; if i < j { x[j] = x[i] * x[j]; } }
        }",
        "x x!",
    );
    assert_loads("fn pairs(x: &mut [f64], n: usize) { for i in 0..n / 2 { x[2 * i] = x[2 * i + 1]; } }", "x");
}

#[test]
fn the_mixture_model_of_the_example() {
    let text = include_str!("../../../../workloads/gmm.rs");
    let function = &text[text.find("pub fn gmm").expect("the kernel")..];
    assert_loads(function, "diagonal centred centred y y log_det term term term diagonal diagonal log_det");
}
