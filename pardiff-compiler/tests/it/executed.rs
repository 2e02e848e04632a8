//! Programs that are emitted as Rust, compiled by rustc and run compute what the interpreter computes, bit for bit:
//! also those constructs that no front end makes yet.

use pardiff_compiler::backend::Cuda;
use pardiff_compiler::backend::rust;
use pardiff_compiler::frontend::Asked;
use pardiff_compiler::ir::interp::{self, Array};
use pardiff_compiler::ir::{Program, parse, verify};
use pardiff_compiler::modes::{Entry, Mode};
use pardiff_compiler::plan::Plan;
use pardiff_compiler::signature::{Leaf, Param, ParamKind, ResultShape, Signature};
use std::path::{Path, PathBuf};
use std::process::Command;

/// All programs have these parameters.
const INTERFACE: &str = "n: in usize, x: in f64[_], k: in i64[_], y: inout f64[_], c: inout i64[_]";
const N: usize = 6;
const X: [f64; 8] = [0.5, -1.25, 3.0, -0.0, 7.5, 0.1, 2.0, -4.0];
const K: [i64; 8] = [3, -2, 7, 0, 5, -9, 1, 4];
const OUT: usize = 40;

/// A name and the body of a program.
const CASES: &[(&str, &str)] = &[
    (
        "floats",
        "
  for i in 0..n
    y[i] = (x[i] + 2.0) * -x[i + 1] - (x[i] - (x[i + 1] - 1.0)) / (2.0 / (x[i] / 3.0))
    y[i + 8] = exp(-x[i]) + abs(-2.0) + powf(abs(x[i]), -0.5) + powi(x[i], 3 as i32)
    y[i + 16] = x[i] as f32 as f64 + (0.1f32 as f64) + k[i] as f64 * 0.1
    y[i + 24] = select(x[i] < 0.0, 1.0, x[i]) * 2.0
    c[i] = x[i] as i64 + (x[i] >= 0.0) as i64 + (-x[i] as u8) as i64
    c[i + 8] = (is_nan(x[i] - x[i]) | ((x[i] < 1.0) & !(x[i] < 0.0))) as i64
  y[36] = f64::INFINITY
  y[37] = f64::NEG_INFINITY
  y[38] = -0.0
  y[39] = 1e300 * 1e-310
",
    ),
    (
        "integers",
        "
  for i in 0..n
    c[i] = (k[i] - 3) * (k[i] + 2) / 2 % 5 - (k[i] - (1 - k[i]))
    c[i + 8] = (k[i] << 3u32) + (k[i] >> 1u32) ^ 5 & k[i] | 64
    c[i + 16] = int::min(k[i], 2) * int::max(k[i], -1) + int::pow(k[i], 2u32) + int::rem_euclid(k[i], 4)
    c[i + 24] = wrapping_mul(k[i], 9223372036854775807) + -k[i] + !k[i]
    c[i + 32] = (checked_add_ok(k[i], 9223372036854775803) as i64) + (abs_diff(k[i], 2) as i64)
    y[i] = trip_count(k[i], 5, 2) as f64 + trip_count(0u8, 255u8, 7) as f64 + count_ones(k[i]) as f64
",
    ),
    (
        "ranges",
        "
  scope p: usize
    p = 0
    for a: u8 in 250u8..=255u8
      c[p] = a as i64
      p = p + 1
    for b: i8 in -128i8..=127i8 step 100 down
      c[p] = b as i64
      p = p + 1
    for d: u64 in 1u64..n as u64 step 2 down
      c[p] = d as i64
      p = p + 1
    for e in 1..=n step 3 down
      c[p] = e as i64
      p = p + 1
    for f in n..0 down
      c[p] = 99
      p = p + 1
    for g in 0..n step n
      c[p] = g as i64
      p = p + 1
    for h: i64 in k[1]..=k[0] down
      c[p] = h
      p = p + 1
",
    ),
    (
        "control",
        "
  scope p: usize, t: f64
    p = 0
    loop trip
      t = x[trip]
      while (p < n) & (t != 7.5)
      if t > 1.0
        y[p] = t
      else
        if t < 0.0
          y[p] = -t
        else
          y[p] = 0.25
      if t > 1.0
      else
        c[p] = trip as i64
      p = p + 1
    guard n > 3
      c[20] = 1
    otherwise
      c[20] = 2
    guard n > 30
      c[21] = 1
    otherwise
      c[21] = 2
    fork
      task
        y[20] = 1.0
      task
        y[21] = 2.0
",
    ),
    (
        "reductions",
        "
  y[0] = 1.0
  y[1] = 0.0
  y[2] = 100.0
  y[3] = -100.0
  c[2] = 100
  for i in 0..n
    y[0] = y[0] * (x[i] + 1.0)
    y[1] += -x[i]
    y[2] min= x[i]
    y[3] max= x[i]
    c[0] += k[i]
    c[1] += -k[i]
    c[2] min= k[i]
",
    ),
    (
        "layouts",
        "
  scope small: f64[3, 4], m: usize
    m = n + 1
    for i in 0..3
      for j in 0..4
        small[i, j] = x[i] * j as f64
    scope wide: f64[n, m], deep: i64[2, n, 3], packed: tape f64[2, n, n] triangular,
          rows: tape f64[_, 3] reached, list: f64[_] growing, table: f64[_, 2] growing, huge: f64[5000]
      for i.2 in 0..n
        for j.2 in 0..m
          wide[i.2, j.2] = x[i.2] + j.2 as f64
        for l in 0..3
          deep[1, i.2, l] = k[i.2] * l as i64
        for q in 0..=i.2
          packed[1, i.2, q] = x[i.2] * x[q]
          packed[0, i.2, q] = -x[q]
      for i.3 in 0..n
        call reach [i.3 + 1] reads() writes(rows)
        for j.3 in 0..i.3 % 3
          rows[i.3, j.3] = x[i.3] + j.3 as f64
        list[i.3] = x[i.3]
        table[i.3, 0] = x[i.3]
        table[i.3, 1] = -x[i.3]
      huge[4999] = 2.5
      y[0] = small[2, 3] + wide[n - 1, m - 1] + wide[0, m - 1]
      y[1] = packed[1, 5, 5] + packed[1, 5, 0] + packed[0, 4, 3] + packed[1, 0, 0]
      y[2] = rows[5, 1] + rows[2, 0] + rows[4, 0]
      y[3] = list[5] + table[3, 1] + table[5, 0] + huge[4999]
      c[0] = deep[1, 5, 2] + deep[1, 0, 1]
      c[1] = len(wide, 1) as i64 * 100 + len(list) as i64 * 10 + len(table) as i64
      c[2] = len(wide) as i64 + len(deep, 2) as i64 + len(small, 1) as i64
",
    ),
    (
        "swaps",
        "
  scope a: f64[n], b: f64[n], s: f64[4], t: f64[4], p: f64, q: f64
    for i in 0..n
      a[i] = x[i]
      b[i] = -1.0
    for j in 0..4
      s[j] = x[j]
      t[j] = 8.0
    p = 1.5
    q = 2.5
    swap a, b
    swap s, t
    swap p, q
    for l in 0..n
      y[l] = a[l] + 10.0 * b[l]
    y[10] = s[1] + 10.0 * t[1] + 100.0 * p
",
    ),
];

fn program(name: &str, body: &str) -> Program {
    let text = format!("fn {name}({INTERFACE})\n{}", body.trim_matches('\n'));
    let program = parse(&text).unwrap_or_else(|error| panic!("{name}: {error}\n{text}"));
    if let Err(violations) = verify::verify(&program) {
        let list: Vec<String> = violations.iter().map(ToString::to_string).collect();
        panic!("{name}: {}", list.join("\n"));
    }
    program
}

/// `fn name(n: usize, x: &[f64], k: &[i64], y: &mut [f64], c: &mut [i64])` without an active parameter, so that the
/// program serves as its own adjoint.
fn signature(program: &Program) -> Signature {
    let ident = |name: &str| syn::parse_str(name).expect("a name");
    let types = ["usize", "&[f64]", "&[i64]", "&mut [f64]", "&mut [i64]"];
    let params = program.params.iter().zip(types).map(|(buffer, ty)| Param {
        name: ident(&program[*buffer].name),
        ty: syn::parse_str(ty).expect("a type"),
        kind: match ty {
            "usize" => ParamKind::Scalar,
            ty => ParamKind::Slice { mutable: ty.starts_with("&mut") },
        },
        leaves: vec![Leaf::plain(*buffer, program[*buffer].elem)],
        elements: None,
        record: None,
        vector: None,
        active: false,
        product: None,
    });
    Signature {
        vis: syn::parse_quote!(pub),
        name: ident(&program.name),
        owner: None,
        module: ident(&program.name),
        krate: syn::parse_quote!(crate),
        generics: syn::Generics::default(),
        attrs: Vec::new(),
        params: params.collect(),
        result: ResultShape::Unit,
        lends: false,
        over_ranks: None,
        failure: None,
        consts: Vec::new(),
        called_with: Vec::new(),
        has_unnamed_types: false,
        functions: Vec::new(),
        borrowed: Vec::new(),
        bounds: Vec::new(),
        written: None,
    }
}

fn rustc(arguments: &[&str], directory: &Path) {
    let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    let output = Command::new(rustc).args(arguments).current_dir(directory).output().expect("rustc runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Compiles and runs the emitted programs; the outputs of each as a line of bits.
fn executed(programs: &[Program]) -> Vec<String> {
    let directory = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("executed");
    std::fs::create_dir_all(&directory).expect("a directory for the test");
    let mut source = "extern crate pardiff_runtime as runtime;\nfn main() {\n".to_owned();
    for program in programs {
        let name = &program.name;
        source += &format!(
            "let (mut y, mut c) = ([0.0; {OUT}], [0; {OUT}]);\n\
             {name}::{name}::value({N}, &{X:?}, &{K:?}, &mut y, &mut c);\n\
             println!(\"{{:?}} {{:?}}\", y.map(f64::to_bits), c);\n"
        );
    }
    source += "}\n";
    for program in programs {
        let name = &program.name;
        let entries = Mode::ALWAYS.map(|mode| Entry::new(mode, program.clone()));
        let code =
            rust::emit(&signature(program), &entries, Asked::default(), &Plan::default(), &Cuda::default())
                .unwrap_or_else(|refusals| {
                    panic!("{name}: {refusals:?}");
                });
        source += &format!(
            "mod {name} {{ pub fn {name}(_: usize, _: &[f64], _: &[i64], _: &mut [f64], _: &mut [i64]) {{}}\n{code} }}\n"
        );
    }
    std::fs::write(directory.join("main.rs"), source).expect("the source is written");
    let runtime = format!("{}/../pardiff-runtime/src/lib.rs", env!("CARGO_MANIFEST_DIR"));
    let library =
        ["--edition=2024", "--crate-type=rlib", "--crate-name=pardiff_runtime", "-Awarnings", &runtime];
    rustc(&library, &directory);
    rustc(&["--edition=2024", "-L.", "-Awarnings", "main.rs"], &directory);
    let output = Command::new(directory.join("main")).output().expect("the program runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect()
}

/// The outputs of the interpreter in the same form.
fn interpreted(program: &Program) -> String {
    let ints: Vec<i128> = K.iter().map(|&k| i128::from(k)).collect();
    let args = vec![
        Array::int(N as i128),
        Array::floats(&X),
        Array::ints(&ints),
        Array::floats(&[0.0; OUT]),
        Array::ints(&[0; OUT]),
    ];
    let outcome = interp::run::<f64>(program, args, &interp::no_paths)
        .unwrap_or_else(|fault| panic!("{}: {fault}", program.name));
    let bits: Vec<u64> = outcome.params[3].reals().into_iter().map(f64::to_bits).collect();
    format!("{bits:?} {:?}", outcome.params[4].integers())
}

#[test]
fn emitted_programs_compute_what_the_interpreter_computes() {
    let programs: Vec<Program> = CASES.iter().map(|(name, body)| program(name, body)).collect();
    let lines = executed(&programs);
    assert_eq!(lines.len(), programs.len());
    for (program, line) in programs.iter().zip(lines) {
        assert_eq!(line, interpreted(program), "{}", program.name);
    }
}
