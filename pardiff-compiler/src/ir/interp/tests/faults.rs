//! What ends a run early.

use super::{execute, program};
use crate::ir::interp::{Array, Dual, FaultKind, Limits, ModPrime, no_paths, run_limited};

/// The fault of `body` in a program with one of everything.
#[track_caller]
fn fault(body: &str) -> (FaultKind, String) {
    let text = format!("fn f(x: in f64[_], n: in usize, k: inout i32) -> out: f64\n  out = 0.0\n{body}");
    let args = vec![Array::floats(&[1.0, 2.0]), Array::int(2), Array::int(-1)];
    match execute::<f64>(&text, args) {
        Ok(_) => panic!("no fault\n{text}"),
        Err(fault) => {
            assert!(fault.origin.is_some());
            (fault.kind, fault.message)
        }
    }
}

#[test]
fn checks() {
    let (kind, message) = fault("  check n < len(x) index \"x\" \"x[n]\"");
    assert_eq!(kind, FaultKind::Check);
    assert_eq!(message, "index 2 is out of range for `x` of length 2: `x[n]`");
    let (_, message) = fault("  check n + 1 <= len(x) slice \"x\" \"x[1..n + 1]\" (1, n + 1, len(x))");
    assert_eq!(message, "slice 1..3 is out of range for `x` of length 2: `x[1..n + 1]`");
    assert_eq!(fault("  check k >= 0 \"k is negative\""), (FaultKind::Check, "k is negative".to_owned()));
}

#[test]
fn accesses_outside_the_extents() {
    assert_eq!(fault("  out = x[n]").0, FaultKind::OutOfRange);
    assert_eq!(fault("  scope t: f64[3, n]\n    t[0, 2] = 1.0").0, FaultKind::OutOfRange);
    assert_eq!(fault("  scope t: f64[n, n] triangular\n    t[0, 1] = 1.0").0, FaultKind::OutOfRange);
    assert_eq!(fault("  scope t: f64[_] growing\n    t[0] = 1.0\n    out = t[1]").0, FaultKind::OutOfRange);
}

#[test]
fn reads_of_what_was_never_written() {
    assert_eq!(fault("  scope t: f64\n    out = t").0, FaultKind::Unspecified);
    assert_eq!(fault("  scope t: f64[n]\n    t[0] = 1.0\n    out = t[1]").0, FaultKind::Unspecified);
    assert_eq!(fault("  scope t: f64[n]\n    t[0] += 1.0").0, FaultKind::Unspecified);
    assert_eq!(
        fault("  for i in 0..2\n    scope t: f64\n      if i > 0\n        out = t\n      t = 1.0").0,
        FaultKind::Unspecified
    );
    let grown = "  scope t: f64[_] growing\n    t[2] = 1.0\n    out = t[1]";
    assert_eq!(fault(grown).0, FaultKind::Unspecified);
    let text = "fn f(y: inout f64[_])\n  y[0] += 1.0";
    let fault = execute::<f64>(text, vec![Array::unspecified(&[2])]).unwrap_err();
    assert_eq!(fault.kind, FaultKind::Unspecified);
}

/// The compiler copies whole arrays; whoever reads such an element of the copy is told.
#[test]
fn copies_of_what_was_never_written() {
    let copied =
        "  scope t: f64[n], u: f64[n]\n    t[0] = 1.0\n    for i in 0..2\n      u[i] = t[i] # adjoint\n";
    let text = |at| format!("fn f(n: in usize) -> out: f64\n{copied}    out = u[{at}]");
    assert_eq!(execute::<f64>(&text(0), vec![Array::int(3)]).unwrap().results[0], Array::float(1.0));
    let fault = execute::<f64>(&text(1), vec![Array::int(3)]).unwrap_err();
    assert_eq!(fault.kind, FaultKind::Unspecified);
    let own = execute::<f64>(&text(0).replace(" # adjoint", ""), vec![Array::int(3)]).unwrap_err();
    assert_eq!(own.kind, FaultKind::Unspecified);
}

#[test]
fn integers_that_do_not_fit() {
    assert_eq!(fault("  out = (n - 3) as f64").0, FaultKind::Overflow);
    assert_eq!(fault("  k = k - 2147483647 - 1").0, FaultKind::Overflow);
    assert_eq!(fault("  k = k * 2147483647 * 2").0, FaultKind::Overflow);
    assert_eq!(fault("  k = 1 << 32").0, FaultKind::Overflow);
    assert_eq!(fault("  k = 1 << k").0, FaultKind::Overflow);
    assert_eq!(fault("  k = int::abs(-2147483648)").0, FaultKind::Overflow);
    assert_eq!(fault("  k = int::pow(10, 10)").0, FaultKind::Overflow);
    assert_eq!(fault("  k = k / (k + 1)").0, FaultKind::DivisionByZero);
    assert_eq!(fault("  k = -2147483648 % k").0, FaultKind::Overflow);
}

#[test]
fn operations_outside_their_domain() {
    assert_eq!(fault("  out = clamp(out, 1.0, 0.0)").0, FaultKind::Domain);
    assert_eq!(fault("  k = int::clamp(k, 1, 0)").0, FaultKind::Domain);
    assert_eq!(fault("  out = ilog2(n - 2) as f64").0, FaultKind::Domain);
    assert_eq!(fault("  k = isqrt(k)").0, FaultKind::Domain);
    assert_eq!(fault("  for i in 0..n step n - 2\n    out += 1.0").0, FaultKind::Domain);
    assert!(FaultKind::Domain.is_panic() && !FaultKind::OutOfRange.is_panic());
}

#[test]
fn what_is_not_looked_into() {
    let text = "fn f(x: in f64) -> y: f64\n  y = x / 2.0";
    assert_eq!(execute::<ModPrime>(text, vec![Array::float(1.0)]).unwrap_err().kind, FaultKind::Unsupported);
    let text = "fn f(x: in f64) -> y: f64\n  y = exp(x)";
    assert_eq!(execute::<ModPrime>(text, vec![Array::float(1.0)]).unwrap_err().kind, FaultKind::Unsupported);
    let text = "fn f(x: in f64) -> y: f64\n  y = 0.0\n  if x > 0.0\n    y = 1.0";
    assert_eq!(execute::<ModPrime>(text, vec![Array::float(1.0)]).unwrap_err().kind, FaultKind::Unsupported);
}

#[test]
fn arguments_that_do_not_fit() {
    let text = "fn f(x: in f64[_], n: in usize, y: in f64[n])";
    let run = |args| execute::<f64>(text, args).map(|_| ()).map_err(|fault| (fault.kind, fault.message));
    let wrong = |message: &str| Err((FaultKind::Arguments, message.to_owned()));
    let (x, n) = (Array::floats(&[1.0, 2.0]), Array::int(2));
    assert_eq!(run(vec![x.clone(), n.clone(), x.clone()]), Ok(()));
    assert_eq!(run(vec![x.clone()]), wrong("1 arguments for 3 parameters"));
    assert_eq!(run(vec![n.clone(), n.clone(), x.clone()]), wrong("the argument `x` has the wrong rank"));
    assert_eq!(
        run(vec![x.clone(), Array::int(-1), x.clone()]),
        wrong("the argument `n` has the wrong element type")
    );
    assert_eq!(
        run(vec![x.clone(), Array::int(3), x.clone()]),
        wrong("dimension 0 of the argument `y` is 2, not 3")
    );
    let holes = Array { dims: vec![3], data: vec![None] };
    assert_eq!(run(vec![x, n, holes]), wrong("the argument `y` has the wrong number of elements"));
    let text = "fn f() -> y: f64\n  opaque PI: f64 = \"PI\"\n  y = PI";
    assert_eq!(execute::<f64>(text, vec![]).unwrap_err().kind, FaultKind::Arguments);
}

#[test]
fn limits() {
    let p = program("fn f() -> y: f64\n  y = 0.0\n  loop k\n    while true\n    y += 1.0");
    let limits = Limits { steps: 1000, elements: 1000 };
    let fault = run_limited::<f64>(&p, vec![], &no_paths, limits).unwrap_err();
    assert_eq!(fault.kind, FaultKind::OutOfFuel);
    for body in ["scope t: f64[n, n, n]\n    n = 1", "scope t: f64[_] growing\n    t[n] = 1.0"] {
        let p = program(&format!("fn f(n: in usize, m: inout usize)\n  {body}").replace("n = 1", "m = 1"));
        for n in [1i128 << 62, 1001] {
            let args = vec![Array::int(n), Array::int(0)];
            let fault = run_limited::<f64>(&p, args, &no_paths, limits).unwrap_err();
            assert_eq!(fault.kind, FaultKind::OutOfFuel);
        }
    }
}

#[test]
fn a_program_that_the_verifier_refuses_faults() {
    use crate::ir::parse;
    for body in [
        "y = x[0]",
        "y = x + 1.0f32 as f64 * len(x) as f64",
        "for i in 0..3\n    y = 1.0\n  y = i as f64",
        "scope t: f64\n    t = 1.0\n  y = t",
        "y = select(x, 2.0, 3.0)",
        "y = exp(1usize)",
        "swap x, t\n  scope t: f64",
    ] {
        let p = parse(&format!("fn f(x: in f64) -> y: f64\n  {body}")).unwrap();
        assert!(crate::ir::verify::verify(&p).is_err(), "{body}");
        let out = crate::ir::interp::run::<Dual>(&p, vec![Array::float(1.0)], &no_paths);
        assert_eq!(out.map_err(|fault| fault.kind).unwrap_err(), FaultKind::Unsupported, "{body}");
    }
}
