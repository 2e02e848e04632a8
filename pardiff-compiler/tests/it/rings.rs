//! Neighbours on periodic grids gather, and the ends of loops stand apart from what is between them.

use crate::scheduled::many_chunks;
use crate::schemes::{check, numbers, program};
use crate::shifts::gathered;
use pardiff_compiler::ir::interp::Array;
use pardiff_compiler::ir::{Exec, Program, StmtKind};
use pardiff_compiler::schedule::{Options, Scheduled, schedule};

fn size(value: usize) -> Array<f64> {
    Array::int(value as i128)
}

/// The schedule of a nest, which computes the same for all of these sizes.
fn for_sizes(
    head: &str,
    nest: &[&str],
    args: impl Fn(usize) -> Vec<Array<f64>>,
    sizes: std::ops::Range<usize>,
) -> Scheduled {
    let lines: Vec<&str> = [head].into_iter().chain(nest.iter().copied()).collect();
    let mut last = Scheduled::sequential(program(&lines));
    for n in sizes {
        last = check(&lines, args(n));
    }
    last
}

const LINE: &str = "fn f(d: inout f64[_], e: in f64[_], n: in usize)";

fn on_a_line(nest: &[&str]) -> Scheduled {
    for_sizes(LINE, nest, |n| vec![numbers(n + 1), numbers(n + 1), size(n)], 0..9)
}

/// The bodies of the loops over lanes.
fn in_lanes(program: &Program) -> String {
    let mut found = String::new();
    program.body.iter().for_each(|stmt| {
        stmt.walk(&mut |stmt| {
            if let StmtKind::For(each) = &stmt.kind
                && matches!(each.exec, Exec::Lanes { .. })
            {
                found += &format!("{:?}\n", each.body);
            }
        });
    });
    found
}

#[test]
fn neighbours_around_a_ring_gather() {
    let forms = [
        ("(i + 1) % n", "(i + n - 1) % n"),
        ("select(i + 1 < n, wrapping_add(i, 1), 0)", "select(0 < i, wrapping_sub(i, 1), wrapping_sub(n, 1))"),
        ("(i + 2) % n", "(i + (n - 1)) % n"),
        ("((i as i64 + 3) % (n as i64)) as usize", "int::rem_euclid(i as i32 - 3, n as i32) as usize"),
        ("(i + 2 * n - 2) % n", "i"),
    ];
    for (next, last) in forms {
        let made = for_sizes(
            LINE,
            &[
                "  for i in 0..n",
                &format!("    d[{next}] += e[i] * e[i]"),
                &format!("    d[{last}] += e[i] * 2.0"),
            ],
            |n| vec![numbers(n + 3), numbers(n + 3), size(n)],
            3..11,
        );
        let (all, in_tasks) = gathered(&made.program);
        assert!(in_tasks > 0, "{next}: {all}\n{}", made.program);
        assert!(!made.program.to_string().contains("private_copies"), "{}", made.program);
    }
}

#[test]
fn what_an_iteration_reads_around_the_ring_is_found_from_the_element() {
    let made = on_a_line(&[
        "  for i in 0..n",
        "    d[(i + 1) % n] += e[(i + 1) % n] * e[i]",
        "    d[(i + n - 1) % n] += e[(i + n - 1) % n] * 3.0",
    ]);
    assert!(gathered(&made.program).1 > 0, "{}", made.program);
}

#[test]
fn names_between_the_loops_are_no_obstacle() {
    let head = "fn f(d: inout f64[_], e: in f64[_], n: in usize, m: in usize)";
    let made = for_sizes(
        head,
        &[
            "  for i in 0..n",
            "    scope next: usize, last: usize",
            "      next = select(i + 1 < n, wrapping_add(i, 1), 0)",
            "      last = (i + n - 2) % n",
            "      for j in 0..m",
            "        d[next * m + j] += e[i * m + j]",
            "        d[last * m + j] += e[i * m + j] * 2.0",
            "        d[i * m + (j + 1) % m] += e[i * m + j] * 3.0",
            "        d[i * m + j] += e[next * m + j]",
        ],
        |n| vec![numbers(n * 5), numbers(n * 5), size(n), size(5)],
        2..7,
    );
    assert!(gathered(&made.program).1 > 0, "{}", made.program);
}

#[test]
fn conditions_of_iterators_are_part_of_what_is_gathered() {
    let made = on_a_line(&[
        "  for i in 0..n",
        "    scope t: f64",
        "      t = e[i] * e[i] * e[i]",
        "      if i + 1 < n",
        "        d[i + 1] += t",
        "      else",
        "        d[i] += t * 2.0",
        "      if i > 0",
        "        d[i - 1] += t",
    ]);
    let text = made.program.to_string();
    assert!(gathered(&made.program).1 > 0, "{text}");
    // nothing is stored: what the condition decides is zero where it does not hold
    assert!(!text.contains("given"), "{text}");
}

#[test]
fn neighbours_that_end_at_a_wall_gather() {
    for (next, last) in [
        ("select(i + 1 < n, wrapping_add(i, 1), i)", "select(0 < i, wrapping_sub(i, 1), i)"),
        ("select(i + 1 < n, wrapping_add(i, 1), i)", "select(0 < i, wrapping_sub(i, 1), wrapping_add(i, 1))"),
    ] {
        let made = for_sizes(
            LINE,
            &[
                "  for i in 0..n",
                &format!("    d[{next}] += e[i] * e[i]"),
                &format!("    d[{last}] += e[i] * 2.0"),
                "    d[i] += e[i]",
            ],
            |n| vec![numbers(n + 3), numbers(n + 3), size(n)],
            0..9,
        );
        assert!(gathered(&made.program).1 > 0, "{}", made.program);
    }
}

#[test]
fn a_choice_that_the_nest_decides_itself_is_no_neighbour() {
    let made = on_a_line(&[
        "  for i in 0..n",
        "    scope q: usize",
        "      q = 0",
        "      if e[i] < 1.0",
        "        q = 1",
        "      d[select(q < 1, wrapping_add(i, 1), i)] += e[i]",
        "      d[i] += e[i] * 2.0",
    ]);
    assert_eq!(gathered(&made.program).0, 0, "{}", made.program);
}

#[test]
fn one_value_under_a_condition_is_stored_once() {
    let made = on_a_line(&[
        "  for i in 0..n",
        "    if i > 0",
        "      scope t: f64",
        "        t = e[i] * e[i - 1]",
        "        d[i] += t",
        "        d[i - 1] += -t",
        "    d[i] += e[i]",
    ]);
    let text = made.program.to_string();
    assert!(text.contains("scope given: f64[n]\n") || !text.contains("given.2"), "{text}");
    assert!(gathered(&made.program).1 > 0, "{text}");
    // how often a loop adds is no part of the value
    on_a_line(&[
        "  for i in 0..n",
        "    if i > 0",
        "      for k in 0..n",
        "        d[i] += 3.0",
        "      d[i - 1] += 3.0",
        "    d[i] += e[i]",
    ]);
}

#[test]
fn what_a_condition_guards_is_not_read_in_front_of_it() {
    on_a_line(&[
        "  for i in 0..n",
        "    if i + 2 < n",
        "      d[i + 1] += e[i + 2] * e[i]",
        "    d[i] += e[i]",
    ]);
}

#[test]
fn other_rings_do_not_gather() {
    let nests: [&[&str]; 6] = [
        // of another length
        &["  for i in 0..n", "    d[(i + 1) % 4] += e[i]", "    d[i] += e[i]"],
        // not all numbers of the ring
        &["  for i in 1..n", "    d[(i + 1) % n] += e[i]", "    d[i] += e[i]"],
        // not a step of the whole index
        &["  for i in 0..n", "    d[(i + 1) % n + i - i] += e[i]", "    d[i] += e[i]"],
        // a step in front of another one
        &["  for i in 0..n", "    d[(i + 1) % n + 1] += e[i]", "    d[i] += e[i]"],
        // below zero this is no step
        &[
            "  for i in 0..n",
            "    d[int::max((i as i64 - 1) % (n as i64), 0) as usize] += e[i]",
            "    d[i] += e[i]",
        ],
        // the nest looks at the target
        &["  for i in 0..n", "    d[(i + 1) % n] += e[i]", "    d[i] += d[(i + 2) % n] * e[i]"],
    ];
    for nest in nests {
        let lines: Vec<&str> = [LINE].into_iter().chain(nest.iter().copied()).collect();
        let made = schedule(program(&lines), &many_chunks(3));
        assert_eq!(gathered(&made.program).0, 0, "{}", made.program);
        on_a_line(nest);
    }
}

#[test]
fn a_strict_program_keeps_its_order() {
    let lines = [LINE, "  for i in 0..n", "    d[(i + 1) % n] += e[i]", "    d[i] += e[i]"];
    let made = schedule(program(&lines), &Options { strict: true, ..many_chunks(3) });
    assert_eq!(gathered(&made.program).0, 0, "{}", made.program);
}

#[test]
fn ends_stand_apart() {
    let loops: [&[&str]; 4] = [
        &["  for i in 0..n", "    d[i] = e[select(i + 1 < n, wrapping_add(i, 1), 0)] * e[i]"],
        &["  for i in 0..n down", "    d[i] = e[(i + 2) % n] * e[i]"],
        &["  for i in 0..n", "    if i == 0", "      d[i] = 1.0", "    else", "      d[i] = e[i - 1] * 2.0"],
        &["  for i in 0..n", "    d[i] = select((i > 0) & (i < n - 1), 1.0, 2.0) * e[i]"],
    ];
    for nest in loops {
        let made = on_a_line(nest);
        let lanes = in_lanes(&made.program);
        assert!(!lanes.is_empty(), "{}", made.program);
        assert!(
            !lanes.contains("Select") && !lanes.contains("Rem") && !lanes.contains("If {"),
            "{}",
            made.program
        );
    }
}

#[test]
fn names_of_neighbours_leave_their_checks_to_the_loop() {
    let made = on_a_line(&[
        "  for i in 0..n",
        "    scope next: usize",
        "      next = select(i + 1 < n, wrapping_add(i, 1), 0)",
        "      check next < len(e) index \"e\" \"e[next]\"",
        "      d[i] = e[next] * e[i]",
    ]);
    assert!(made.program.to_string().contains("e[b + l + 1]"), "{}", made.program);
}

#[test]
fn loops_stay_whole_where_nothing_is_saved() {
    let loops: [&[&str]; 5] = [
        // one iteration after the other
        &["  for i in 1..n", "    if i + 1 < n", "      d[i] = d[i - 1] * e[i]"],
        // short
        &["  for i in 0..n", "    for j in 0..8", "      if j > 0", "        d[i] = e[i] * 2.0"],
        // not decided by the ends
        &["  for i in 0..n", "    if i * 2 < n", "      d[i] = e[i]"],
        &["  for i in 0..n", "    if e[i] < 1.0", "      d[i] = e[i]"],
        &["  for i in 0..n", "    if i + 20 != n", "      d[i] = e[i]"],
    ];
    for nest in loops {
        let made = on_a_line(nest);
        let lines: Vec<&str> = [LINE].into_iter().chain(nest.iter().copied()).collect();
        let scalar = schedule(program(&lines), &Options { scalar: true, ..many_chunks(3) });
        let stores = |program: &Program| program.to_string().matches("d[").count();
        assert_eq!(stores(&made.program), stores(&scalar.program), "{}", made.program);
    }
}

#[test]
fn one_neighbour_of_each_of_two_arrays_is_gathered_in_a_cube() {
    let made = for_sizes(
        "fn f(d: inout f64[_], g: inout f64[_], e: in f64[_], n: in usize)",
        &[
            "  for i in 0..n",
            "    for j in 0..n",
            "      for k in 0..n",
            "        d[((i + 1) % n * n + j) * n + k] += e[(i * n + j) * n + k] * 3.0",
            "        g[(i * n + (j + n - 1) % n) * n + k] += e[(i * n + j) * n + k]",
        ],
        |n| vec![numbers(n * n * n), numbers(n * n * n), numbers(n * n * n), size(n)],
        0..5,
    );
    assert!(!made.program.to_string().contains("private_copies"), "{}", made.program);
}

#[test]
fn a_step_around_a_ring_has_one_owner_for_each_element() {
    // a permutation: no two iterations meet, though the loop around is not the one that turns
    let made = for_sizes(
        "fn f(d: inout f64[_, 4], e: in f64[_], n: in usize)",
        &["  for i in 0..n", "    for c in 0..4", "      d[(i + 2) % n, c] += e[i] * c as f64"],
        |n| vec![Array { dims: vec![n, 4], ..numbers(4 * n) }, numbers(n), size(n)],
        0..7,
    );
    assert!(!made.program.to_string().contains("private_copies"), "{}", made.program);
}
