//! Scheduled programs, emitted, compiled and run: what the interpreter computes, at every level of the instruction set
//! and with the same bits at any number of threads.

use pardiff_compiler::ir::interp::{self, Array, Value};
use pardiff_compiler::ir::parse;
use pardiff_compiler::ir::verify::verify;
use programs::{INTERFACE, PROGRAMS};
use std::process::Command;

#[path = "../../scheduled/programs.rs"]
#[allow(dead_code, reason = "shared with the build script")]
mod programs;

#[allow(warnings, reason = "nobody wrote these")]
mod emitted {
    include!(concat!(env!("OUT_DIR"), "/scheduled_programs.rs"));
}

const SIZES: [usize; 9] = [0, 1, 7, 8, 9, 127, 128, 129, 1000];
const M: usize = 5;
const SCALE: f64 = 0.75;

/// What a program reads and writes.
#[derive(Clone, Debug)]
struct Data {
    x: Vec<f64>,
    w: Vec<[f64; 3]>,
    s: Vec<f32>,
    k: Vec<usize>,
    y: Vec<f64>,
    v: Vec<[f64; 2]>,
    t: Vec<f32>,
    c: Vec<i64>,
}

impl Data {
    fn new(n: usize) -> Data {
        let random = |seed, len| pardiff_programs::random(seed, len);
        Data {
            x: random(1, 4 * n + 64),
            w: random(2, 3 * n + 64 * 3).chunks_exact(3).map(|row| [row[0], row[1], row[2]]).collect(),
            s: random(3, n + 64).iter().map(|&x| x as f32).collect(),
            k: random(4, n + 64).iter().map(|x| ((x + 1.0) * 10.0) as usize).collect(),
            y: random(5, 4 * n + 64),
            v: random(6, 2 * n + 128).chunks_exact(2).map(|row| [row[0], row[1]]).collect(),
            t: random(7, n + 64).iter().map(|&x| x as f32).collect(),
            c: (0..2 * n as i64 + 64).collect(),
        }
    }
}

type Run = fn(usize, &mut Data);

/// The emitted functions by name.
macro_rules! functions {
    ($($name:ident)*) => {
        const FUNCTIONS: &[(&str, Run)] = &[$((stringify!($name), |n, d| {
            emitted::$name::$name::value(
                n, M, SCALE, &d.x, &d.w, &d.s, &d.k, &mut d.y, &mut d.v, &mut d.t, &mut d.c,
            );
        }),)*];
    };
}

functions! {
    elements lanes_of_everything sums integer_sums gather_and_scatter expanded_blocks lane_locals guarded
    scalar_loop_in_lanes tapes_and_swaps large_body short_bodies checks_in_tasks
}

fn floats<T: Copy + Into<f64>>(list: &[T], row: usize) -> Array<f64> {
    let values: Vec<f64> = list.iter().map(|&x| x.into()).collect();
    let mut array = Array::floats(&values);
    if row > 1 {
        array.dims = vec![list.len() / row, row];
    }
    array
}

/// The outputs as the interpreter computes them.
fn interpreted(name: &str, body: &str, n: usize, data: &Data) -> Vec<Vec<f64>> {
    let text = format!("fn {name}({INTERFACE})\n{}", body.trim_matches('\n'));
    let program = parse(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
    if let Err(violations) = verify(&program) {
        let list: Vec<String> = violations.iter().map(ToString::to_string).collect();
        panic!("{name}: {}", list.join("\n"));
    }
    let ints = |list: &mut dyn Iterator<Item = i128>| Array::ints(&list.collect::<Vec<_>>());
    let args = vec![
        Array::int(n as i128),
        Array::int(M as i128),
        Array::scalar(Value::Float(SCALE)),
        floats(&data.x, 1),
        floats(data.w.as_flattened(), 3),
        floats(&data.s, 1),
        ints(&mut data.k.iter().map(|&k| k as i128)),
        floats(&data.y, 1),
        floats(data.v.as_flattened(), 2),
        floats(&data.t, 1),
        ints(&mut data.c.iter().map(|&c| i128::from(c))),
    ];
    let outcome =
        interp::run(&program, args, &interp::no_paths).unwrap_or_else(|fault| panic!("{name}({n}): {fault}"));
    outcome.params[7..]
        .iter()
        .map(|array| array.data.iter().map(|x| x.unwrap().real().unwrap()).collect())
        .collect()
}

fn outputs(data: &Data) -> Vec<Vec<f64>> {
    vec![
        data.y.clone(),
        data.v.as_flattened().to_vec(),
        data.t.iter().map(|&x| f64::from(x)).collect(),
        data.c.iter().map(|&x| x as f64).collect(),
    ]
}

/// Compares with the interpreter; sums may be rounded in another order, and products fused with them.
fn compare(name: &str, n: usize, found: &Data, expected: &[Vec<f64>]) {
    for (which, (found, expected)) in ["y", "v", "t", "c"].iter().zip(outputs(found).iter().zip(expected)) {
        let scale = expected.iter().filter(|x| x.is_finite()).fold(1.0, |a: f64, b| a.max(b.abs()));
        let tolerance = if *which == "t" { 1e-6 } else { 1e-13 * scale };
        for (i, (a, b)) in found.iter().zip(expected).enumerate() {
            let same = (a - b).abs() <= tolerance || a == b || (a.is_nan() && b.is_nan());
            assert!(same, "{name}, n = {n}: {which}[{i}] is {a} instead of {b}");
        }
    }
}

#[test]
fn agree_with_the_interpreter_at_any_number_of_threads() {
    let pools: Vec<rayon::ThreadPool> = [1, 2, 3, 5]
        .iter()
        .map(|&threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads"))
        .collect();
    assert_eq!(FUNCTIONS.len(), PROGRAMS.len());
    for ((name, body), (emitted, function)) in PROGRAMS.iter().zip(FUNCTIONS) {
        assert_eq!(name, emitted);
        for n in SIZES {
            let data = Data::new(n);
            let expected = interpreted(name, body, n, &data);
            let mut first: Option<String> = None;
            for pool in &pools {
                let mut data = data.clone();
                pool.install(|| function(n, &mut data));
                compare(name, n, &data, &expected);
                let bits =
                    format!("{:?}", outputs(&data).iter().flatten().map(|x| x.to_bits()).collect::<Vec<_>>());
                assert_eq!(first.get_or_insert(bits.clone()), &bits, "{name}, n = {n}: the bits");
            }
        }
    }
}

/// What a call panics with.
fn panic_of(name: &str, n: usize, data: &mut Data) -> String {
    let (_, function) = FUNCTIONS.iter().find(|(known, _)| *known == name).expect("a program");
    let call = std::panic::AssertUnwindSafe(|| function(n, data));
    let payload = std::panic::catch_unwind(call).expect_err("the call panics");
    payload.downcast_ref::<String>().cloned().unwrap_or_default()
}

#[test]
fn accesses_out_of_range_panic_with_their_names() {
    // the range of a whole lane loop
    let mut data = Data::new(50);
    data.x.truncate(20);
    assert_eq!(
        panic_of("short_bodies", 50, &mut data),
        "short_bodies: index out of range in `x[l]`: the index is 20 but the length of `x` is 20"
    );
    // a gathered element
    let mut data = Data::new(50);
    data.k[17] = 1 << 40;
    assert_eq!(
        panic_of("gather_and_scatter", 50, &mut data),
        "gather_and_scatter: index out of range in `x[k[l]]`: the index is 1099511627776 but the length of `x` is 264"
    );
    // elements under a condition: those of active lanes alone have to be there
    let mut data = Data::new(50);
    data.s.truncate(49);
    let (_, guarded) = FUNCTIONS.iter().find(|(name, _)| *name == "guarded").expect("a program");
    guarded(50, &mut data);
    data.s.truncate(48);
    assert_eq!(
        panic_of("guarded", 50, &mut data),
        "guarded: index out of range in `s[l]`: the index is 48 but the length of `s` is 48"
    );
    // a check of one lane, and of a task
    let mut data = Data::new(50);
    data.k[4] = 5000;
    let message = panic_of("checks_in_tasks", 1, &mut data);
    assert!(message.ends_with("the index is 5000 but the length of `y` is 5000"), "{message}");
    data.k[0] = 2000;
    let message = panic_of("checks_in_tasks", 1, &mut data);
    assert!(message.ends_with("the index is 2000 but the length of `k` is 1000"), "{message}");
}

#[test]
fn every_level_computes_it() {
    let this = std::env::current_exe().expect("the test's own file");
    for level in ["baseline", "avx2", "avx512"] {
        let test = "scheduled::agree_with_the_interpreter_at_any_number_of_threads";
        let output =
            Command::new(&this).args([test, "--exact"]).env("PARDIFF_ISA", level).output().expect("runs");
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && text.contains("1 passed"), "{level}: {text}");
    }
}
