//! Which loops become task loops, by which scheme each summation is done, and why not where it is not.

use crate::scheduled::many_chunks;
use pardiff_compiler::ir::interp::{Array, Given, run, run_racing};
use pardiff_compiler::ir::verify::verify;
use pardiff_compiler::ir::{Exec, Level, OpaqueId, Program, Scheme, StmtKind, parse};
use pardiff_compiler::schedule::cost::Costs;
use pardiff_compiler::schedule::{Options, Scheduled, refuse_marks, schedule};

pub(crate) fn program(lines: &[&str]) -> Program {
    let text = lines.join("\n") + "\n";
    match parse(&text) {
        Ok(program) => program,
        Err(error) => panic!("{error:?}\n{text}"),
    }
}

pub(crate) fn tasks(program: &Program) -> usize {
    let mut tasks = 0;
    program.body.iter().for_each(|stmt| {
        stmt.walk(&mut |stmt| {
            let is_task =
                matches!(&stmt.kind, StmtKind::For(each) if each.exec == Exec::Parallel(Level::Task));
            tasks += usize::from(is_task);
        });
    });
    tasks
}

/// The schemes of the summations in task loops, in order.
pub(crate) fn schemes(program: &Program) -> Vec<Scheme> {
    let mut found = Vec::new();
    program.body.iter().for_each(|stmt| {
        stmt.walk(&mut |stmt| {
            if let StmtKind::For(each) = &stmt.kind
                && each.exec == Exec::Parallel(Level::Task)
            {
                each.body.iter().for_each(|stmt| {
                    stmt.walk(&mut |stmt| {
                        if let StmtKind::Reduce { scheme, .. } = &stmt.kind {
                            found.push(*scheme);
                        }
                    });
                });
            }
        });
    });
    found
}

/// Schedules a program for several numbers of chunks; each version computes the same (the floats are small integers,
/// so that every order of additions gives the same bits), without a race in any order of the tasks. Gives the last.
pub(crate) fn check(lines: &[&str], args: Vec<Array<f64>>) -> Scheduled {
    check_with(lines, args, &[])
}

/// The same for a program with constant tables.
pub(crate) fn check_with(lines: &[&str], args: Vec<Array<f64>>, tables: &[(&str, &[i128])]) -> Scheduled {
    let before = program(lines);
    let paths = |opaque: OpaqueId| {
        let values = tables.iter().find(|(name, _)| *name == before[opaque].text)?.1;
        Some(Given::Table(Array::ints(values)))
    };
    let expected = match run::<f64>(&before, args.clone(), &paths) {
        Ok(outcome) => outcome,
        Err(fault) => panic!("{fault:?}\n{before}"),
    };
    let mut last = None;
    for most in 1..6 {
        let scheduled = schedule(before.clone(), &many_chunks(most)).jammed();
        if let Err(errors) = verify(&scheduled.program) {
            panic!("{errors:?}\n{}", scheduled.program);
        }
        for seed in 0..3 {
            match run_racing::<f64>(&scheduled.program, args.clone(), &paths, seed) {
                Ok(outcome) => {
                    let arrays = |list: &[Array<f64>]| {
                        list.iter().map(|it| format!("{:?}", it.data)).collect::<Vec<_>>()
                    };
                    assert_eq!(arrays(&expected.params), arrays(&outcome.params), "\n{}", scheduled.program);
                    assert_eq!(
                        arrays(&expected.results),
                        arrays(&outcome.results),
                        "\n{}",
                        scheduled.program
                    );
                }
                Err(fault) => panic!("{fault:?}\n{}", scheduled.program),
            }
        }
        last = Some(scheduled);
    }
    last.unwrap_or_else(|| Scheduled::sequential(before))
}

pub(crate) fn numbers(count: usize) -> Array<f64> {
    Array::floats(&(0..count).map(|k| ((k * 7 + 3) % 11) as f64 - 4.0).collect::<Vec<_>>())
}

pub(crate) fn indices(values: &[i128]) -> Array<f64> {
    Array::ints(values)
}

fn reasons(scheduled: &Scheduled) -> String {
    let mut all: Vec<&String> = scheduled.decisions.loops.values().collect();
    all.sort();
    all.into_iter().cloned().collect::<Vec<_>>().join("\n")
}

#[test]
fn a_sum_into_a_variable_is_a_scalar_reduction() {
    let made = check(
        &[
            "fn f(x: in f64[_]) -> total: f64",
            "  total = 2.0",
            "  for i in 0..len(x)",
            "    total += x[i] * x[i]",
        ],
        vec![numbers(13)],
    );
    assert_eq!(tasks(&made.program), 1);
    assert!(schemes(&made.program).contains(&Scheme::ScalarReduction), "{}", made.program);
}

#[test]
fn a_variable_that_the_loop_reads_is_no_reduction() {
    let made = check(
        &[
            "fn f(x: in f64[_], y: inout f64[_]) -> total: f64",
            "  total = 0.0",
            "  for i in 0..len(x)",
            "    check i < len(y) index \"y\" \"y[i]\"",
            "    total += x[i]",
            "    y[i] = total",
        ],
        vec![numbers(9), numbers(9)],
    );
    assert_eq!(tasks(&made.program), 0, "{}", made.program);
    assert!(
        reasons(&made).contains("reads what another iteration wrote (the variable `total`"),
        "{}",
        reasons(&made)
    );
}

#[test]
fn elements_of_their_own_need_no_scheme() {
    let made = check(
        &[
            "fn f(x: in f64[_], y: inout f64[_])",
            "  for i in 0..len(x)",
            "    check i < len(y) index \"y\" \"y[i]\"",
            "    y[i] += x[i] * 3.0",
        ],
        vec![numbers(9), numbers(9)],
    );
    assert_eq!(tasks(&made.program), 1);
    assert_eq!(schemes(&made.program), [Scheme::NoneNeeded], "{}", made.program);
}

const COLUMN_SUMS: [&str; 6] = [
    "fn f(x: in f64[_], y: inout f64[_], n: in usize)",
    "  for i in 0..n",
    "    for j in 0..len(y)",
    "      for k in 0..5",
    "        check i < len(x) index \"x\" \"x[i]\"",
    "        y[j] += x[i] * 2.0",
];

#[test]
fn the_copies_of_several_arrays_are_merged_by_the_same_tasks() {
    let text = [
        "fn f(x: in f64[_], y: inout f64[_], z: inout f64[_], n: in usize)",
        "  for i in 0..n",
        "    check i < len(x) index \"x\" \"x[i]\"",
        "    for k in 0..5",
        "      for j in 0..len(y)",
        "        y[j] += x[i] * 2.0",
        "      for m in 0..len(z)",
        "        z[m] += x[i] * 3.0",
    ];
    let made = check(&text, vec![numbers(7), numbers(40), numbers(3), Array::int(7)]);
    // the chunks, and the pieces of both arrays
    assert_eq!(tasks(&made.program), 2, "{}", made.program);
    let copies = schemes(&made.program).into_iter().filter(|it| *it == Scheme::PrivateCopies).count();
    assert_eq!(copies, 2, "{}", made.program);
}

#[test]
fn an_array_that_every_iteration_updates_is_copied() {
    let made = check(&COLUMN_SUMS, vec![numbers(7), numbers(4), Array::int(7)]);
    assert!(schemes(&made.program).contains(&Scheme::PrivateCopies), "{}", made.program);
}

#[test]
fn several_elements_that_do_not_depend_on_the_loop_are_variables() {
    let made = check(
        &[
            "fn f(x: in f64[_], y: inout f64[_], p: in usize)",
            "  for i in 0..len(x)",
            "    if x[i] < 1.0",
            "      check p < len(y) index \"y\" \"y[p]\"",
            "      y[p] += x[i] * 2.0",
            "    if x[i] > 1.0",
            "      check 0 < len(y) index \"y\" \"y[0]\"",
            "      y[0] += x[i] * 3.0",
        ],
        vec![numbers(9), numbers(3), Array::int(2)],
    );
    assert_eq!(schemes(&made.program), [Scheme::ScalarReduction; 2], "{}", made.program);
    // elements that do not exist and are never updated do no harm
    check(
        &[
            "fn f(x: in f64[_], y: inout f64[_], p: in usize)",
            "  for i in 0..len(x)",
            "    if x[i] > 100.0",
            "      check p < len(y) index \"y\" \"y[p]\"",
            "      y[p] += x[i] * 2.0",
        ],
        vec![numbers(9), numbers(3), Array::int(77)],
    );
}

#[test]
fn what_the_previous_iteration_wrote_is_not_read_in_parallel() {
    let made = check(
        &["fn f(y: inout f64[_])", "  for i in 2..len(y)", "    y[i] = y[i - 2] + 1.0"],
        vec![numbers(9)],
    );
    assert_eq!(tasks(&made.program), 0);
    assert!(reasons(&made).contains("(an element of `y`, at distance 2)"), "{}", reasons(&made));
}

#[test]
fn sweeps_inside_a_time_loop_are_parallel() {
    let made = check(
        &[
            "fn f(u: inout f64[_], n: in usize, steps: in usize)",
            "  check n <= len(u) \"n\"",
            "  scope next: f64[n]",
            "    for t in 0..steps",
            "      for i in 0..n",
            "        next[i] = u[i] + 1.0",
            "      for j in 0..n",
            "        u[j] = next[j]",
        ],
        vec![numbers(9), Array::int(9), Array::int(3)],
    );
    assert_eq!(tasks(&made.program), 2, "{}", made.program);
    assert!(reasons(&made).contains("what another iteration"), "{}", reasons(&made));
}

const FEW: [&str; 6] = [
    "fn f(x: in f64[_], y: inout f64[4, _])",
    "  for t in 0..3",
    "    for i in 0..len(x)",
    "      if i < len(y, 1)",
    "        y[t, i] = x[i] * x[i] + 3.0",
    "    y[t, 0] = 1.0",
];

#[test]
fn the_loop_inside_a_few_iterations_is_cut() {
    let args = || vec![numbers(9), Array { dims: vec![4, 9], data: numbers(36).data }];
    let made = check(&FEW, args());
    assert_eq!(tasks(&made.program), 1, "{}", made.program);
    assert!(reasons(&made).contains("few iterations; the loops inside have more"), "{}", reasons(&made));
    // not where the loop inside is not parallel, does not do the work, or has as few iterations
    for (at, line) in
        [(4, "        y[t, i] = y[t, 0] + x[i]"), (2, "    for i in 0..3"), (1, "  for t in 0..len(y)")]
    {
        let mut text = FEW;
        text[at] = line;
        let made = check(&text, args());
        assert!(!reasons(&made).contains("few iterations"), "{}", made.program);
    }
}

#[test]
fn the_largest_of_parts_is_the_largest() {
    let made = check(
        &[
            "fn f(x: in f64[_]) -> top: f64, low: f64",
            "  top = -100.0",
            "  low = 100.0",
            "  for i in 0..len(x)",
            "    if x[i] > 0.0",
            "      top max= x[i]",
            "    low min= x[i]",
        ],
        vec![numbers(11)],
    );
    assert_eq!(schemes(&made.program), [Scheme::ScalarReduction; 2], "{}", made.program);
}

#[test]
fn products_and_signed_sums_keep_their_order() {
    for (ty, zero, step) in [("f64", "1.0", "all = all * x[i]"), ("i32", "0", "all += x[i]")] {
        let made = check(
            &[
                &format!("fn f(x: in {ty}[_]) -> all: {ty}"),
                &format!("  all = {zero}"),
                "  for i in 0..len(x)",
                &format!("    {step}"),
            ],
            vec![if ty == "f64" { numbers(5) } else { indices(&[1, -2, 3]) }],
        );
        assert_eq!(tasks(&made.program), 0, "{}", made.program);
    }
    let made = check(
        &["fn f(x: in u32[_]) -> all: u32", "  all = 0", "  for i in 0..len(x)", "    all += x[i]"],
        vec![indices(&[1, 2, 3])],
    );
    assert_eq!(tasks(&made.program), 1, "{}", made.program);
}

#[test]
fn counts_from_a_natural_number_have_parts() {
    for (first, parallel) in [("0", 1), ("7", 1), ("-1", 0)] {
        let lines = [
            "fn f(x: in i32[_]) -> all: i32",
            &format!("  all = {first}i32"),
            "  for i in 0..len(x)",
            "    if x[i] > 0i32",
            "      all += 2i32",
        ];
        let made = check(&lines, vec![indices(&[1, -2, 3, 4, 0])]);
        assert_eq!(tasks(&made.program), parallel, "{}", made.program);
    }
}

#[test]
fn strict_programs_keep_the_order_of_float_sums() {
    let strict = Options { strict: true, ..many_chunks(3) };
    let text = [
        "fn f(x: in f64[_], y: inout f64[_]) -> total: f64",
        "  total = 0.0",
        "  for i in 0..len(x)",
        "    total += x[i]",
        "  for j in 0..len(x)",
        "    check j < len(y) index \"y\" \"y[j]\"",
        "    y[j] = exp(x[j]) + x[j] * x[j]",
    ];
    let made = schedule(program(&text), &strict);
    assert_eq!(tasks(&made.program), 1, "{}", made.program);
    assert!(!made.program.to_string().contains("mul_add"), "{}", made.program);
    let made = schedule(program(&text), &many_chunks(3));
    assert_eq!(tasks(&made.program), 2, "{}", made.program);
    assert!(made.program.to_string().contains("mul_add"), "{}", made.program);
}

/// Every loop of Rust: with a step, downwards, up to and with a bound, over other types.
#[test]
fn loops_of_every_form_are_cut() {
    for head in [
        "for i in 1..n",
        "for i in 1..n step 3",
        "for i in 0..=n down",
        "for i in 2..=n step 2 down",
        "for i in n..n",
    ] {
        let made = check(
            &[
                "fn f(y: inout f64[_], n: in usize) -> total: f64",
                "  total = 0.0",
                &format!("  {head}"),
                "    check i < len(y) index \"y\" \"y[i]\"",
                "    total += y[i]",
                "    y[i] = (i as f64)",
            ],
            vec![numbers(20), Array::int(17)],
        );
        assert_eq!(tasks(&made.program), 1, "{}", made.program);
    }
    for (ty, lo) in [("i32", "n - 20i32"), ("u8", "n - 9u8"), ("i64", "n - 25i64")] {
        let made = check(
            &[
                &format!("fn f(n: in {ty}) -> total: f64"),
                "  total = 0.0",
                &format!("  for i: {ty} in {lo}..n"),
                "    total += (i as f64)",
            ],
            vec![Array::int(17)],
        );
        assert_eq!(tasks(&made.program), 1, "{}", made.program);
    }
}

#[test]
fn copies_that_cost_more_than_the_work_are_not_made() {
    let gather = [
        "fn f(d_x: inout f64[_], at: in usize[_], d_y: in f64[_])",
        "  for i in 0..len(at)",
        "    check i < len(d_y) index \"d_y\" \"d_y[i]\"",
        "    check at[i] < len(d_x) index \"d_x\" \"d_x[at[i]]\"",
        "    d_x[at[i]] += d_y[i]",
    ];
    let costs = Costs { copied_element: 100, worth_a_check: 100.0, ..many_chunks(4).costs };
    let made = schedule(program(&gather), &Options { costs, ..many_chunks(4) });
    assert_eq!(tasks(&made.program), 0, "{}", made.program);
    assert!(reasons(&made).contains("copies of `d_x` would cost more than the work"), "{}", reasons(&made));
    // where sizes decide, both versions are there
    let made = check(&gather, vec![numbers(5), indices(&[1, 3, 1, 0, 4, 4, 1]), numbers(7)]);
    assert!(tasks(&made.program) > 0 && made.program.to_string().contains("else"), "{}", made.program);
}

#[test]
fn loops_with_little_work_are_left_alone() {
    let small = program(&["fn f(y: inout f64[8])", "  for i in 0..8", "    y[i] = y[i] * 2.0"]);
    let made = schedule(small, &Options::default());
    assert_eq!(tasks(&made.program), 0);
    assert!(reasons(&made).contains("too little work"), "{}", reasons(&made));
    let beside = program(&[
        "fn f(y: inout f64[_], z: inout f64[_])",
        "  for i in 0..len(y)",
        "    y[i] = 2.0",
        "  for j in 0..len(z)",
        "    for k in 0..len(y)",
        "      for l in 0..len(y)",
        "        z[j] += exp(y[k]) * y[l]",
    ]);
    let made = schedule(beside, &Options::default());
    assert!(reasons(&made).contains("little work beside the other loops"), "{}", reasons(&made));
    assert_eq!(tasks(&made.program), 1, "{}", made.program);
}

#[test]
fn an_array_that_grows_is_written_in_order() {
    let made = check(
        &[
            "fn f(x: in f64[_]) -> last: f64",
            "  last = 0.0",
            "  scope kept: f64[_] growing",
            "    for i in 0..len(x)",
            "      kept[i] = x[i]",
            "    last = kept[0]",
        ],
        vec![numbers(5)],
    );
    assert_eq!(tasks(&made.program), 0, "{}", made.program);
    assert!(reasons(&made).contains("`kept` grows as it is written"), "{}", reasons(&made));
}

#[test]
fn a_mark_is_checked() {
    let carried = program(&[
        "fn f(y: inout f64[_])",
        "  for i in 1..len(y) marks(parallel)",
        "    y[i] = y[i - 1] + 1.0",
    ]);
    let refusals = refuse_marks(&carried, &Options::default());
    let [refusal] = refusals.as_slice() else { panic!("{refusals:?}") };
    assert_eq!(refusal.what, "the loop over `i` is not proved to be parallel");
    assert_eq!(
        refusal.why,
        "an iteration reads what another iteration wrote (an element of `y`, at distance 1)"
    );
    assert!(refusal.help.contains("write into another array"), "{}", refusal.help);
    let sum = program(&[
        "fn f(y: in f64[_]) -> total: f64",
        "  total = 0.0",
        "  for i in 1..len(y) marks(parallel)",
        "    total += y[i]",
    ]);
    assert!(refuse_marks(&sum, &Options::default()).is_empty());
    let strict = refuse_marks(&sum, &Options { strict: true, ..Options::default() });
    assert!(strict[0].why.contains("`strict` keeps the order"), "{strict:?}");
}

#[test]
fn a_few_heavy_iterations_are_several_chunks() {
    let size = |scalar: bool| {
        let text = program(&[
            "fn f(x: in f64[_], n: in usize, m: in usize) -> total: f64",
            "  total = 0.0",
            "  for i in 0..n",
            "    check i < len(x) index \"x\" \"x[i]\"",
            "    for k in 0..m",
            "      total += exp(x[i])",
        ]);
        let made = schedule(text, &Options { scalar, ..Options::default() }).program.to_string();
        let found = made.lines().find(|line| line.trim_start().starts_with("size = "));
        found.map(|line| line.trim().to_owned()).unwrap_or_else(|| panic!("no chunks: {made}"))
    };
    let lanes = size(false);
    // whole blocks, or vectors where that leaves fewer than four chunks
    assert!(lanes.starts_with("size = int::min(saturating_add(int::max(div_ceil(trip, "), "{lanes}");
    assert!(
        lanes.contains(", 127) / 128 * 128, saturating_add(int::max(div_ceil(trip, int::min("),
        "{lanes}"
    );
    assert!(lanes.ends_with(", 4)), 1), 7) / 8 * 8)"), "{lanes}");
    // without lanes any number of iterations is a chunk
    let one_by_one = size(true);
    assert!(!one_by_one.contains("* 128") && !one_by_one.contains("* 8"), "{one_by_one}");
}

/// How many loops are parallel beside a nest over nodes, features and features, of which one over edges, or over all
/// elements of a node, is a thousandth if all sizes are the same.
fn beside(lines: &[&str]) -> usize {
    let head = [
        "fn f(x: inout f64[_], y: inout f64[_], p: in usize[_], n: in usize, m: in usize)",
        "  for i in 0..n",
        "    for j in 0..m",
        "      for k in 0..m",
        "        check i * m + j < len(y) \"y\"",
        "        y[i * m + j] += x[k] * x[j]",
    ];
    let lines: Vec<&str> = head.iter().chain(lines).copied().collect();
    let plenty = Options { costs: Costs { worth_a_task: 0, ..Costs::default() }, ..Options::default() };
    tasks(&schedule(program(&lines), &plenty).program) - 1
}

#[test]
fn only_loops_over_the_sizes_of_a_larger_one_have_little_work_beside_it() {
    let edges =
        ["  for e in 0..len(p)", "    for f in 0..m", "      y[p[e] * m + f] += x[f] * x[f] * x[e] * x[e]"];
    assert!(beside(&edges) > 0);
    let nodes = ["  for a in 0..n", "    for f in 0..m", "      y[a * m + f] += x[f] * x[f] * x[a] * x[a]"];
    assert_eq!(beside(&nodes), 0);
    // as fast as memory
    assert_eq!(beside(&["  for e in 0..len(x)", "    x[e] = 0.0"]), 0);
}
