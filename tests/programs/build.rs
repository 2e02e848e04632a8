//! Writes a sample of the compiler's random programs as tests: each goes through the real macro, is compiled and run,
//! and is compared with what the interpreter's oracle says.

#[path = "arrays/generate.rs"]
mod arrays_of_ndarray;
#[path = "casts/generate.rs"]
mod casts;
#[path = "messages/generate.rs"]
mod messages;
#[allow(dead_code, reason = "shared with the compiler's tests")]
#[path = "../../pardiff-compiler/tests/it/oracle.rs"]
mod oracle;
#[path = "../../pardiff-compiler/tests/it/racing.rs"]
mod racing;
#[allow(dead_code, unused_imports, reason = "shared with the compiler's tests")]
#[path = "../../pardiff-compiler/tests/it/random/mod.rs"]
mod random;
#[path = "records/generate.rs"]
mod records;
#[path = "scheduled/emit.rs"]
mod scheduled;

use oracle::{arrays, execute, floats, jvp, outputs};
use pardiff_compiler::frontend;
use pardiff_compiler::ir::interp::{Array, Dual};
use random::inputs::{Argument, Arguments, Data, direction};
use random::program::{Program as Source, Shape, Tail};
use random::{Case, Dressed, Style, arguments, dress, program, program_of_everything};
use std::fmt::Write;
use std::path::Path;

/// The first program unless `PARDIFF_SEED` says otherwise, and how many unless `PARDIFF_SAMPLE` does.
const FIRST: u64 = 900_000;
const COUNT: u64 = 40;
/// How many programs with arrays of `ndarray`, unless `PARDIFF_ARRAYS` does.
const ARRAYS: u64 = 24;
/// How many programs with messages, unless `PARDIFF_MESSAGES` does.
const MESSAGES: u64 = 12;
/// How many loops over records, unless `PARDIFF_RECORDS` does.
const RECORDS: u64 = 32;

fn main() {
    // the attribute verifies every program of this crate after every pass
    println!("cargo::rustc-env=PARDIFF_VERIFY=1");
    // and cuts what has little work into several chunks
    println!("cargo::rustc-env=PARDIFF_GRAIN=4096");
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=../../pardiff-compiler/tests/it");
    let (first, count) = (setting("PARDIFF_SEED", FIRST), setting("PARDIFF_SAMPLE", COUNT));
    let mut out = String::new();
    let mut written = 0;
    for seed in first.. {
        let style = Style { exact: false, mixed: seed % 3 == 0 };
        let source = match seed % 4 {
            0 | 1 => program_of_everything(seed, style),
            _ => program(seed, style),
        };
        let case = match case(&source, seed) {
            Ok(Some(case)) => case,
            Ok(None) => continue,
            Err(error) => format!("#[test]\nfn f{seed}() {{\n    panic!(\"{{}}\", {error:?});\n}}\n"),
        };
        out += &case;
        written += 1;
        if written == count {
            break;
        }
    }
    let dir = std::env::var("OUT_DIR").expect("cargo sets OUT_DIR");
    println!("cargo::rerun-if-changed=scheduled");
    std::fs::write(Path::new(&dir).join("scheduled_programs.rs"), scheduled::emitted())
        .expect("the programs can be written");
    std::fs::write(Path::new(&dir).join("random_programs.rs"), out).expect("the sample can be written");
    println!("cargo::rerun-if-changed=messages");
    let messages = messages::programs(first, setting("PARDIFF_MESSAGES", MESSAGES));
    std::fs::write(Path::new(&dir).join("random_messages.rs"), messages)
        .expect("the programs can be written");
    println!("cargo::rerun-if-changed=records");
    let records = records::programs(first, setting("PARDIFF_RECORDS", RECORDS));
    std::fs::write(Path::new(&dir).join("random_records.rs"), records).expect("the programs can be written");
    println!("cargo::rerun-if-changed=arrays");
    println!("cargo::rerun-if-changed=casts");
    let arrays = arrays_of_ndarray::programs(first, setting("PARDIFF_ARRAYS", ARRAYS));
    std::fs::write(Path::new(&dir).join("random_arrays.rs"), arrays).expect("the programs can be written");
    std::fs::write(Path::new(&dir).join("casts.rs"), casts::programs()).expect("the programs can be written");
}

fn setting(name: &str, default: u64) -> u64 {
    println!("cargo::rerun-if-env-changed={name}");
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// One program as a module with its test; nothing if its floats grow too large to compare.
fn case(source: &Source, seed: u64) -> Result<Option<String>, String> {
    let text = source.source();
    let item: syn::ItemFn = syn::parse_str(&text).map_err(|error| format!("{error}\n{text}"))?;
    let options = frontend::Options::default();
    // every other one as a module
    let module = seed.is_multiple_of(2).then(|| dress(syn::ItemFn::clone(&item), seed));
    let lowered = match &module {
        Some(it) => frontend::lower_in(&options, &frontend::Module::read(&it.items), it.main.clone().into()),
        None => frontend::lower(&options, item),
    };
    let lowered = match lowered {
        Ok(lowered) => lowered.cases.into_general(),
        Err(refusals) => {
            let what: Vec<String> = refusals.iter().map(|it| format!("{}: {}", it.what, it.why)).collect();
            return Err(format!("{}\n{text}", what.join("\n")));
        }
    };
    let args = arguments(source, seed, Case::Usual);
    let values: Vec<Array<f64>> = arrays(&args);
    let outcome = execute(source, &args, &lowered, values).map_err(|fault| format!("{fault:?}\n{text}"))?;
    let outs: Vec<Vec<f64>> = outputs(&lowered, &outcome).iter().filter_map(floats).collect();
    if outs.iter().flatten().any(|x| !x.is_finite() || x.abs() > 1e5) {
        return Ok(None);
    }
    // seeds of the outputs: `&mut` parameters, then results
    let lens: Vec<usize> = outs.iter().map(Vec::len).collect();
    let seeds = direction(seed, &lens, false);
    let active: Vec<&Argument> = args.list.iter().filter(|arg| arg.ty.is_float()).collect();
    let active_lens: Vec<usize> = active.iter().map(|arg| length(arg)).collect();
    let mut gradient: Vec<Vec<f64>> = active_lens.iter().map(|&len| vec![0.0; len]).collect();
    for n in 0..active.len() {
        for k in 0..active_lens[n] {
            let mut unit: Vec<Vec<f64>> = active_lens.iter().map(|&len| vec![0.0; len]).collect();
            unit[n][k] = 1.0;
            let tangents =
                jvp::<Dual>(source, &args, &lowered, &unit).map_err(|fault| format!("{fault:?}\n{text}"))?;
            let products = tangents.iter().flatten().zip(seeds.iter().flatten()).map(|(t, s)| t * s);
            gradient[n][k] = products.sum();
        }
    }
    if gradient.iter().flatten().any(|x| !x.is_finite() || x.abs() > 1e6) {
        return Ok(None);
    }
    Ok(Some(emit(source, module.as_ref(), &args, &outs, &seeds, &gradient)))
}

fn length(arg: &Argument) -> usize {
    match &arg.data {
        Data::Floats(values) => values.len(),
        Data::Ints(values) => values.len(),
    }
}

fn is_output(arg: &Argument) -> bool {
    arg.mutable && arg.shape != Shape::Scalar
}

/// The module: the function, and a test with the numbers written out.
fn emit(
    source: &Source,
    module: Option<&Dressed>,
    args: &Arguments,
    outs: &[Vec<f64>],
    seeds: &[Vec<f64>],
    gradient: &[Vec<f64>],
) -> String {
    let name = &source.main.name;
    let single = source.source().contains("f32");
    let tolerance = if single { "3e-3" } else { "1e-8" };
    let turbofish =
        if source.main.generic.is_some() { format!("::<{}>", args.generic) } else { String::new() };
    let item = match module {
        Some(module) => format!("mod kernels {{\n{}\n}}\nuse kernels::{name};", module.source()),
        None => source.source(),
    };
    let mut out = format!("mod {name} {{\n#[pardiff::differentiate]\n{item}\n");
    let _ = writeln!(out, "#[test]\nfn agrees_with_the_oracle() {{");
    let (mut plain, mut vjp, mut into, mut checks) = (Vec::new(), Vec::new(), Vec::new(), String::new());
    let (mut next, mut next_out) = (0, 0);
    for arg in &args.list {
        let n = &arg.name;
        let elements = match &arg.data {
            Data::Floats(values) => values.iter().map(|x| format!("{x:?}")).collect(),
            Data::Ints(values) if arg.ty.name() == "bool" => {
                values.iter().map(|x| format!("{}", *x != 0)).collect()
            }
            Data::Ints(values) => values.iter().map(|x| x.to_string()).collect::<Vec<_>>(),
        };
        let output = is_output(arg);
        let reference = match (&arg.shape, output) {
            (Shape::Scalar, _) => "",
            (_, true) => "&mut ",
            (_, false) => "&",
        };
        let _ = writeln!(out, "    let v_{n}: {} = {};", owned(arg), shaped(arg, &elements));
        let _ = writeln!(
            out,
            "    let (mut a_{n}, mut b_{n}, mut c_{n}) = (v_{n}.clone(), v_{n}.clone(), v_{n}.clone());"
        );
        plain.push(format!("{reference}a_{n}"));
        vjp.push(format!("{reference}b_{n}"));
        into.push(format!("{reference}c_{n}"));
        let _ = writeln!(
            checks,
            "    super::alike(&format!(\"{{a_{n}:?}}\"), &format!(\"{{b_{n}:?}}\"), {tolerance});"
        );
        if arg.ty.is_float() {
            let start: Vec<String> = if output {
                seeds[next_out].iter().map(|x| format!("{x:?}")).collect()
            } else {
                vec!["0.25".to_owned(); elements.len()]
            };
            let _ = writeln!(out, "    let mut d_{n}: {} = {};", owned(arg), shaped(arg, &start));
            let _ = writeln!(out, "    let mut e_{n} = d_{n}.clone();");
            vjp.push(format!("&mut d_{n}"));
            into.push(format!("&mut e_{n}"));
            let flat = |prefix: &str| match arg.shape {
                Shape::Scalar | Shape::ScalarRef => format!("&[{prefix}{n}]"),
                Shape::Slice => format!("&{prefix}{n}"),
                _ if arg.dims.len() == 2 => format!("{prefix}{n}.as_flattened()"),
                _ => format!("&{prefix}{n}"),
            };
            let shift = if output { 0.0 } else { 0.25 };
            let expected: Vec<f64> = gradient[next].iter().map(|x| x + shift).collect();
            let what = format!("\"adjoint of {n}\"");
            let _ = writeln!(checks, "    super::close({what}, {}, &{expected:?}, {tolerance});", flat("d_"));
            let (what, expected) = (format!("\"adjoint of {n}, overwritten\""), &gradient[next]);
            let _ = writeln!(checks, "    super::close({what}, {}, &{expected:?}, {tolerance});", flat("e_"));
            next += 1;
            if output {
                let (what, expected) = (format!("\"{n}\""), &outs[next_out]);
                let _ =
                    writeln!(checks, "    super::close({what}, {}, &{expected:?}, {tolerance});", flat("b_"));
                next_out += 1;
            }
        }
    }
    let rest = &seeds[next_out..];
    let float = |x: f64, ty: &str| format!("{x:?}_{ty}");
    let seed = match &source.main.result {
        Tail::Unit => None,
        Tail::Value(value) => Some(float(rest[0][0], value.ty.name())),
        Tail::Array(_, ty, _) => {
            let list: Vec<String> = rest[0].iter().map(|&x| float(x, ty.name())).collect();
            Some(format!("[{}]", list.join(", ")))
        }
        Tail::Tuple(values) => {
            let types = values.iter().filter(|value| value.ty.is_float());
            let list: Vec<String> =
                types.zip(rest).map(|(value, seed)| float(seed[0], value.ty.name())).collect();
            Some(if list.len() == 1 { list[0].clone() } else { format!("({})", list.join(", ")) })
        }
    };
    vjp.extend(seed.clone());
    into.extend(seed);
    let _ = writeln!(out, "    let primal = {name}{turbofish}({});", plain.join(", "));
    let _ = writeln!(out, "    let value = {name}::vjp{turbofish}({});", vjp.join(", "));
    let _ = writeln!(
        out,
        "    super::alike(&format!(\"{{primal:?}}\"), &format!(\"{{value:?}}\"), {tolerance});"
    );
    let _ = writeln!(out, "    let value = {name}::vjp_into{turbofish}({});", into.join(", "));
    let _ = writeln!(
        out,
        "    super::alike(&format!(\"{{primal:?}}\"), &format!(\"{{value:?}}\"), {tolerance});"
    );
    out + &checks + "}\n}\n"
}

/// The type of the variable behind an argument.
fn owned(arg: &Argument) -> String {
    let ty = arg.ty.name();
    match &arg.shape {
        Shape::Scalar | Shape::ScalarRef => ty.to_owned(),
        Shape::Slice => format!("Vec<{ty}>"),
        Shape::Rows(_) => format!("Vec<[{ty}; {}]>", arg.dims[1]),
        Shape::Array(_) => arg.dims.iter().rev().fold(ty.to_owned(), |ty, dim| format!("[{ty}; {dim}]")),
    }
}

/// Elements in the shape of an argument.
fn shaped(arg: &Argument, elements: &[String]) -> String {
    let list = |elements: &[String]| format!("[{}]", elements.join(", "));
    let vec = if matches!(arg.shape, Shape::Slice | Shape::Rows(_)) { "vec!" } else { "" };
    match arg.dims.len() {
        0 => elements[0].clone(),
        1 => vec.to_owned() + &list(elements),
        _ => {
            let rows: Vec<String> = elements.chunks(arg.dims[1]).map(list).collect();
            vec.to_owned() + &list(&rows)
        }
    }
}
