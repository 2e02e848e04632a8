//! States of loops over time in their tapes: which loops, what is copied around what they write, and the same numbers.

use super::live_in_tapes;
use crate::equivalence::{Args, assert_same, assert_unchanged, program};
use crate::ir::interp::{Array, Value};

/// Steps that write `next` by the lines of a nest.
fn steps(nest: &[&str]) -> String {
    let head = [
        "fn f(x: inout f64[_], y: inout f64[_], n: in usize, m: in usize, steps: in usize)",
        "  scope u: f64[len(x)], next: f64[len(x)]",
        "    for a in 0..len(x)",
        "      u[a] = x[a]",
        "    for b in 0..len(x)",
        "      next[b] = x[b] * 0.5",
        "    scope t: tape f64[steps, len(x)]",
        "      for s in 0..steps",
        "        for e in 0..len(u)",
        "          t[s, e] = u[e]",
    ];
    let behind = [
        "        swap u, next",
        "      for r in 0..steps down",
        "        for z in 0..len(x)",
        "          y[z] = y[z] * 0.5 + t[r, z]",
        "      for q in 0..len(x)",
        "        x[q] = u[q] + next[q] * 3.0",
    ];
    let nest = nest.iter().map(|line| format!("        {line}"));
    let lines = head.into_iter().map(str::to_owned).chain(nest).chain(behind.into_iter().map(str::to_owned));
    lines.collect::<Vec<_>>().join("\n")
}

fn args(len: usize, n: i128, m: i128, steps: i128) -> Args {
    let numbers =
        |by: usize| Array::floats(&(0..len).map(|k| (k * by % 13) as f64 - 3.0).collect::<Vec<_>>());
    let size = |value| Array::scalar(Value::Int(value));
    vec![numbers(5), numbers(7), size(n), size(m), size(steps)]
}

/// Grids of several sizes, also such that are larger than the array, and rows that overlap.
fn runs() -> Vec<Args> {
    let mut all = Vec::new();
    for steps in 0..4 {
        for (len, n, m) in [(12, 3, 4), (20, 4, 4), (9, 1, 9), (6, 3, 2), (0, 0, 0), (16, 5, 4), (12, 4, 1)] {
            all.push(args(len, n, m, steps));
        }
    }
    all
}

/// Whether the copy of a step is gone; the program computes the same.
#[track_caller]
fn lives(nest: &[&str]) {
    let before = program(&steps(nest));
    let after = live_in_tapes(before.clone());
    assert!(!after.to_string().contains("t[s, e] = u[e]"), "{after}");
    assert!(!after.to_string().contains("swap"), "{after}");
    assert_same(&before, &after, runs());
}

const INNER: [&str; 4] = [
    "for i in 1..n",
    "  for j in 1..m",
    "    check i * m + j < len(x) index \"next\" \"next[c]\"",
    "    next[i * m + j] = u[i * m + j - 1] * 2.0 + u[(i - 1) * m + j]",
];

#[test]
fn a_step_writes_where_the_reverse_sweep_reads() {
    lives(&INNER);
    let after = live_in_tapes(program(&steps(&INNER))).to_string();
    for line in [
        "t[s + 2, i.2 * m + j] = t[s + 1, i.2 * m + j - 1] * 2.0 + t[s + 1, (i.2 - 1) * m + j]",
        "y[z] = y[z] * 0.5 + t[r + 1, z]",
        "t[s + 2, e.3] = t[s, e.3]",
    ] {
        assert!(after.contains(line), "{line}\n{after}");
    }
}

#[test]
fn whatever_the_runs_are_the_rest_is_copied() {
    // downwards, every other row, runs that overlap, in one loop, in columns of several rows, with something behind
    lives(&[
        "for i in 1..n down",
        "  for j in 0..m down",
        INNER[2],
        "    next[i * m + j] = u[i * m + j] + 1.0",
    ]);
    lives(&[
        "for i in 0..n",
        "  for j in 0..m",
        "    check i * 2 * m + j < len(x) index \"next\" \"next[c]\"",
        "    next[i * 2 * m + j] = u[j]",
    ]);
    lives(&[
        "for i in 0..n",
        "  for j in 0..m",
        "    check i + j < len(x) index \"next\" \"next[c]\"",
        "    next[i + j] = u[i] * 2.0 + u[i + j]",
    ]);
    lives(&["for i in n..len(x)", "  next[i] = u[i] - 1.0"]);
    lives(&["y[0] += next[0] * u[1]", "for i in 1..len(x)", "  next[i] = u[i] - 1.0"]);
    lives(&["for i in n..m", "  check i < len(x) index \"next\" \"next[i]\"", "  next[i] = u[i] - 1.0"]);
    lives(&["for i in 2..len(x)", "  next[i - 2] = u[i] - 1.0", "next[n] += 2.0", "y[0] += next[0] + u[1]"]);
}

#[test]
fn three_arrays_change_places() {
    let nest =
        ["for i in 1..len(x)", "  new[i] = u[i] * 2.0 - next[i] + u[i - 1]", "new[n] += 1.0", "swap next, u"];
    let text = steps(&nest).replace("        swap u, next\n", "        swap u, new\n");
    let text = text.replace("next: f64[len(x)]", "next: f64[len(x)], new: f64[len(x)]");
    let text = text.replace("    for b in", "    for c in 0..len(x)\n      new[c] = 2.0\n    for b in");
    let text =
        text.replace("t: tape f64[steps, len(x)]", "t: tape f64[steps, len(x)], o: tape f64[steps, len(x)]");
    let text = text.replace(
        "        for e in",
        "        for d in 0..len(x)\n          o[s, d] = next[d]\n        for e in",
    );
    let text = text.replace("+ t[r, z]", "+ t[r, z] - o[r, z] * 0.25");
    let before = program(&text);
    let after = live_in_tapes(before.clone());
    let made = after.to_string();
    assert!(!made.contains("t: tape") && !made.contains("swap"), "{made}");
    for line in [
        "o[s + 3, i] = o[s + 2, i] * 2.0 - o[s + 1, i] + o[s + 2, i - 1]",
        "y[z] = y[z] * 0.5 + o[r + 2, z] - o[r + 1, z] * 0.25",
    ] {
        assert!(made.contains(line), "{line}\n{made}");
    }
    let all = (0..4).flat_map(|steps| [(5, 2), (3, 0), (9, 8)].map(|(len, n)| args(len, n, 1, steps)));
    assert_same(&before, &after, all.collect());
}

/// Steps that write `u` itself, by the lines of a nest.
fn written_back(nest: &[&str]) -> String {
    let computed = ["for i in 1..len(x)", "  next[i] = u[i] * 2.0 + u[i - 1]"];
    steps(&[&computed, nest].concat()).replace("        swap u, next\n", "")
}

#[test]
fn an_array_that_keeps_its_name_has_a_slot_more_than_steps() {
    let text = written_back(&["for k in 1..len(x)", "  u[k] = next[k]", "u[0] += 1.0", "y[0] += u[n]"]);
    let before = program(&text);
    let after = live_in_tapes(before.clone());
    let made = after.to_string();
    for line in [
        "t: tape f64[saturating_add(steps, 1), len(x)]",
        "next[i] = t[s, i] * 2.0 + t[s, i - 1]",
        "t[s + 1, k] = next[k]",
        "t[s + 1, 0] += 1.0",
        "y[0] += t[s + 1, n]",
        "y[z] = y[z] * 0.5 + t[r, z]",
    ] {
        assert!(made.contains(line), "{line}\n{made}");
    }
    let all = (0..4).flat_map(|steps| [(5, 2), (3, 0), (9, 8)].map(|(len, n)| args(len, n, 1, steps)));
    assert_same(&before, &after, all.collect());
}

#[test]
fn an_array_that_is_changed_in_place_stays() {
    for nest in [
        &["for k in 1..len(x)", "  u[k] = next[k] - u[k]"][..],
        &["for k in 1..len(x)", "  u[k] = next[k] * u[k - 1]"],
        &["for k in 1..len(x)", "  u[k] += next[k]"],
        &["u[0] += 1.0", "for k in 1..len(x)", "  u[k] = next[k]"],
        &["for k in 1..len(x)", "  if next[k] > 0.0", "    u[k] = next[k]"],
        // nothing is written
        &["y[0] += u[1]"],
    ] {
        assert_unchanged(live_in_tapes, &written_back(nest));
    }
    // the copy is made when the step is over
    let text = written_back(&["for k in 1..len(x)", "  u[k] = next[k]"]);
    let copy = "        for e in 0..len(u)\n          t[s, e] = u[e]\n";
    let behind = text.replace(copy, "").replace("      for r in", &format!("{copy}      for r in"));
    assert_unchanged(live_in_tapes, &behind);
}

/// Two fields, each of which has two arrays.
fn fields(nest: &[&str], swaps: &[&str]) -> String {
    let text = steps(&[nest, swaps].concat());
    let text = text.replace("next: f64[len(x)]", "next: f64[len(x)], v: f64[len(x)], other: f64[len(x)]");
    let fill = "    for c in 0..len(x)\n      v[c] = x[c] - 2.0\n    for o in 0..len(x)\n      other[o] = 3.0\n    for b in";
    let text =
        text.replace("    for b in", fill).replace("x[q] = u[q]", "x[q] = v[q] * 7.0 - other[q] + u[q]");
    let text =
        text.replace("t: tape f64[steps, len(x)]", "t: tape f64[steps, len(x)], w: tape f64[steps, len(x)]");
    let copy = "        for d in 0..len(x)\n          w[s, d] = v[d]\n        for e in";
    text.replace("        for e in", copy).replace("+ t[r, z]", "+ t[r, z] - w[r, z] * 0.25")
}

const TOGETHER: [&str; 3] =
    ["for i in 1..len(x)", "  next[i] = u[i] * 2.0 - v[i - 1]", "  other[i] = v[i] + u[i - 1] * 0.5"];

#[test]
fn two_fields_change_places_apart() {
    let apart = [
        "for i in 1..len(x)",
        "  next[i] = u[i] * 2.0 - v[i - 1]",
        "for k in 0..len(x)",
        "  other[k] = v[k] + next[k] * 0.5",
    ];
    for nest in [&TOGETHER[..], &apart] {
        let before = program(&fields(nest, &["swap v, other"]));
        let after = live_in_tapes(before.clone());
        let made = after.to_string();
        assert!(!made.contains("w[s, d]") && !made.contains("t[s, e]") && !made.contains("swap"), "{made}");
        assert_same(&before, &after, runs());
    }
}

#[test]
fn what_changes_places_with_others_stays() {
    // of three arrays two are written; one that is none of the cycle comes in
    for swaps in [&["swap u, other", "swap v, other"][..], &["swap v, other", "swap v, other", "swap u, v"]] {
        let before = program(&fields(&TOGETHER, swaps));
        assert_same(&before, &live_in_tapes(before.clone()), runs());
    }
}

#[test]
fn a_bound_that_wraps_is_left_to_the_checks() {
    let nest = [
        "for i in 1..wrapping_sub(n, 1)",
        "  for j in 1..m",
        "    check wrapping_add(wrapping_mul(i, m), j) < len(x) index \"next\" \"next[c]\"",
        "    next[i * m + j] = u[j]",
    ];
    let before = program(&steps(&nest));
    let after = live_in_tapes(before.clone());
    assert_ne!(before.to_string(), after.to_string());
    assert_same(&before, &after, vec![args(12, 0, 4, 2), args(0, 0, 2, 1), args(12, 4, 3, 2)]);
}

#[test]
fn other_loops_stay() {
    let nests: [&[&str]; 6] = [
        // it sees what was there, or may leave it there
        &["for i in 0..len(x)", "  next[i] = next[i] * 0.5 + u[i]"],
        &["for i in 0..len(x)", "  next[i] += u[i]"],
        &["for i in 0..len(x)", "  if u[i] > 0.0", "    next[i] = u[i]"],
        // no runs
        &["for i in 0..n", "  next[i * m] = u[i]"],
        // the copied array changes in the step
        &["for i in 0..len(x)", "  next[i] = u[i]", "u[0] = 1.0"],
        // a step is not over when names change
        &["for i in 0..len(x)", "  next[i] = u[i]", "swap u, next", "y[0] += 1.0"],
    ];
    for nest in nests {
        assert_unchanged(live_in_tapes, &steps(nest));
    }
    let text = steps(&INNER);
    for (from, to) in [
        // another shape, no local, a tape that somebody asks for its length, steps from another number on
        ("next: f64[len(x)]", "next: f64[len(x) + 1]"),
        ("y[z] * 0.5", "y[z] * (len(t) as f64)"),
        ("for s in 0..steps", "for s in 1..steps"),
        ("for e in 0..len(u)", "for e in 0..m"),
    ] {
        assert_ne!(text, text.replace(from, to));
        assert_unchanged(live_in_tapes, &text.replace(from, to));
    }
}

/// What fills the array before the nest is left to the gaps; rows are filled, or copied, as a whole.
#[test]
fn what_is_filled_first_is_filled_where_the_nest_does_not_assign() {
    let fill = ["for k in 0..len(x)", "  next[k] = 4.0"];
    let filled = |nest: &[&'static str]| [&fill, nest].concat();
    lives(&filled(&INNER));
    let made = live_in_tapes(program(&steps(&filled(&INNER)))).to_string();
    assert!(made.matches("t[s + 2, ").count() == 3 && made.contains("t[s + 2, e.3] = 4.0"), "{made}");
    // read in between, or by the nest, or assigned anywhere: everything is filled
    for nest in [
        &["y[0] += next[1]", "for i in 1..len(x)", "  next[i] = u[i] - 1.0"][..],
        &["for i in 1..len(x)", "  next[i] = u[i] - next[i - 1]"],
        &["for i in 1..len(x)", "  next[i] += u[i]"],
        &["for i in 0..len(x)", "  next[i / 2] = u[i]"],
    ] {
        lives(&filled(nest));
        let made = live_in_tapes(program(&steps(&filled(nest)))).to_string();
        assert!(made.contains("t[s + 2, k] = 4.0"), "{made}");
    }
}

#[test]
fn rows_live_there_if_all_of_them_are_assigned() {
    let text = |fill: &str| {
        let nest = [
            "for k in 0..len(x)",
            "  for c in 0..2",
            fill,
            "for i in 0..len(x)",
            "  next[(i * 3) % len(x), i % 2] = u[i, 0] + u[i, 1]",
        ];
        let text = steps(&nest)
            .replace("f64[len(x)]", "f64[len(x), 2]")
            .replace("f64[steps, len(x)]", "f64[steps, len(x), 2]");
        text.replace("      u[a] = x[a]", "      u[a, 0] = x[a]\n      u[a, 1] = 2.0")
            .replace("      next[b] = x[b] * 0.5", "      next[b, 0] = x[b] * 0.5\n      next[b, 1] = 1.0")
            .replace(
                "          t[s, e] = u[e]",
                "          for e2 in 0..len(u, 1)\n            t[s, e, e2] = u[e, e2]",
            )
            .replace("+ t[r, z]", "+ t[r, z, 1] - t[r, z, 0]")
            .replace("x[q] = u[q] + next[q] * 3.0", "x[q] = u[q, 0] + next[q, 1] * 3.0")
    };
    for (fill, lives) in
        [("next[k, c] = 0.5", true), ("next[k, c] = u[k, 1 - c]", true), ("next[k, 0] = 1.0", false)]
    {
        let before = program(&text(&format!("    {fill}")));
        let after = live_in_tapes(before.clone());
        assert_eq!(!after.to_string().contains("swap"), lives, "{after}");
        let all = (0..4).flat_map(|steps| [1, 4, 5].map(|len| args(len, 2, 1, steps)));
        assert_same(&before, &after, all.collect());
    }
}

#[test]
fn planes_are_assigned_by_runs_of_their_own() {
    lives(&[
        "for i in 1..n",
        "  for j in 1..m",
        "    check 2 * m + i * m + j < len(x) index \"next\" \"next[2 * m + c]\"",
        "    next[2 * m + (i * m + j)] = u[i * m + j - 1] * 2.0 + u[(i - 1) * m + j]",
        "    next[i * m + j] = u[i * m + j] * 5.0",
    ]);
    // one of them under a condition
    let copied = steps(&[
        "for i in 1..n",
        "  for j in 1..m",
        "    check m + i * m + j < len(x) index \"next\" \"next[m + c]\"",
        "    next[m + (i * m + j)] = u[i * m + j - 1]",
        "    if j > 1",
        "      next[i * m + j] = u[i * m + j] * 5.0",
    ]);
    assert_unchanged(live_in_tapes, &copied);
}

#[test]
fn runs_of_planes_come_in_the_order_of_the_array() {
    for index in ["p * m + j + i", "i * m + j + p", "p * m * n + i * m + j"] {
        let lines = [
            "for i in 0..n".to_owned(),
            "  for p in 0..2".to_owned(),
            "    for j in 1..m".to_owned(),
            format!("      check {index} < len(x) index \"next\" \"next[c]\""),
            format!("      next[{index}] = u[{index}] * 2.0 + u[0]"),
        ];
        lives(&lines.each_ref().map(String::as_str));
    }
}

#[test]
fn members_of_records_are_assigned_together() {
    let steps = |nest: &[&str]| {
        let text = steps(nest)
            .replace("f64[len(x)]", "f64[len(x), 2]")
            .replace("f64[steps, len(x)]", "f64[steps, len(x), 2]");
        let over = |line: &str, array: &str, at: &str| {
            let (margin, iter) = (" ".repeat(line.len() - line.trim_start().len()), at);
            format!(
                "{margin}for {iter}{iter} in 0..2\n{margin}  {}",
                line.trim_start().replace(&format!("{array}[{at}]"), &format!("{array}[{at}, {at}{at}]"))
            )
        };
        let lines = text.lines().map(|line| match line.trim() {
            "u[a] = x[a]" => over(line, "u", "a"),
            "next[b] = x[b] * 0.5" => over(line, "next", "b"),
            "t[s, e] = u[e]" => over(line, "u", "e").replace("t[s, e]", "t[s, e, ee]"),
            _ => line
                .replace("t[r, z]", "t[r, z, 1]")
                .replace("u[q]", "u[q, 0]")
                .replace("next[q]", "next[q, 1]"),
        });
        lines.collect::<Vec<_>>().join("\n")
    };
    let check = |nest: &[&str]| {
        let before = program(&steps(nest));
        let after = live_in_tapes(before.clone());
        assert_same(&before, &after, runs());
        !after.to_string().contains("swap")
    };
    let head =
        ["for i in 1..n", "  for j in 1..m", "    check i * m + j < len(x) index \"next\" \"next[c]\""];
    let with = |lines: &[&str]| check(&head.iter().chain(lines).copied().collect::<Vec<_>>());
    let each = ["    for k in 0..2 down", "      next[i * m + j, k] = u[i * m + j - 1, k] * 2.0"];
    assert!(with(&each));
    assert!(with(&["    next[i * m + j, 1] = u[0, 1]", "    next[i * m + j, 0] = u[i * m + j, 0] * 2.0"]));
    // one member stays what it was
    assert!(!with(&["    next[i * m + j, 1] = u[0, 1]"]));
    assert!(!with(&["    for k in 0..1", "      next[i * m + j, k] = u[0, k]"]));
}
