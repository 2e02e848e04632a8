//! Neighbouring iterations of the loops around lanes are executed together where that pays and is legal.

use super::{Arg, assert_same, assert_text, blocks, changed};
use crate::ir::{Program, verify};
use crate::schedule::lanes::jam;
use std::collections::HashSet;

/// A nest over the locals `t` and `u` of an iteration, which have `d + 1` and `d + 4` elements, before and after.
fn jammed(nest: &str) -> (Program, Program) {
    let text = format!(
        "
        fn f(x: in f64[_], e: in f64[_], y: inout f64[_], z: inout f64[_], n: in usize, d: in usize) -> total: f64
          total = 0.0
          for i in 0..n
            scope s: f64, t: f64[d + 1], u: f64[d + 4]
              s = x[i]
              for j in 0..d + 1
                t[j] = x[i * d + j]
              for k in 0..d + 4
                u[k] = x[i + k] + s
{}
              for last in 0..d + 4
                y[i * (d + 4) + last] = u[last] * s
              for end in 0..d + 1
                y[i * (d + 4) + end] += t[end]
        ",
        nest.lines().map(|line| format!("              {line}")).collect::<Vec<_>>().join("\n")
    );
    let mut over_lanes = HashSet::new();
    let (before, mut after) = changed(&text, &mut |program, stmt| {
        let Some(for_) = stmt.as_for() else { return };
        match blocks::blocks(program, stmt, for_) {
            Ok(blocks) => {
                *stmt = blocks.stmt;
                over_lanes.extend(blocks.over_lanes);
            }
            Err(why) => panic!("{why}"),
        }
    });
    jam(&mut after, &over_lanes, &HashSet::new());
    let errors = verify::verify(&after).err().unwrap_or_default();
    assert!(errors.is_empty(), "{errors:?}\n{after}");
    for (n, d) in (0..10).flat_map(|d| [(1, d), (9, d), (130, d)]) {
        let args = |name: &str| match name {
            "n" => Arg::Size(n),
            "d" => Arg::Size(d),
            "e" | "z" => Arg::Floats(d * d + 72),
            _ => Arg::Floats(n * (d + 4) + 16),
        };
        assert_same(&before, &after, &args);
    }
    (before, after)
}

/// How the loops of the nest over `a` and `b` count.
fn steps(program: &Program, iter: &str) -> Vec<String> {
    let text = program.to_string();
    let header = |line: &str| {
        let line = line.trim();
        let (name, rest) = line.strip_prefix("for ")?.split_once(" in ")?;
        let step = rest.split_once("step ").map_or("1", |(_, step)| step);
        let of = name.split('.').next() == Some(iter);
        of.then(|| step.split(' ').next().unwrap_or_default().to_owned())
    };
    text.lines().filter_map(header).filter(|step| step != "1" && step != "lanes").collect()
}

#[test]
fn rows_and_columns_of_a_triangular_product_share_their_operands() {
    let (_, after) = jammed(
        "for a in 0..d\n  for b in a + 1..d\n    check a * d + b < len(e) index \"e\" \"e[b]\"\n    u[b] += e[a * d + b] * t[a]",
    );
    assert_eq!((steps(&after, "a"), steps(&after, "b")), (vec!["4".into()], vec!["2".into()]), "{after}");
    // the columns that not all rows have
    assert_text(
        &after,
        "
        u_held = u[a + 3, l.4]
        u_held += e[a * d + (a + 3)] * t_value
        t_value.2 = t[a + 1, l.4]
        u_held.2 += e[(a + 1) * d + (a + 2)] * t_value.2
        ",
    );
    assert_text(
        &after,
        "
        u_held.4 = u[b.2, l.5]
        t_value.3 = t[a, l.5]
        u_held.4 += e[a * d + b.2] * t_value.3
        ",
    );
    // of rows that end before or behind the last row of a tile, one after the other
    for bounds in ["a + 1..d + 1", "a + 2..d"] {
        let nest = format!("for a in 0..d\n  for b in {bounds}\n    u[b] += e[a * 2 + b] * t[a]");
        let (_, after) = jammed(&nest);
        assert_eq!(steps(&after, "a"), ["4"], "{after}");
        assert!(after.to_string().contains("for a.2 in a..a + 4 sequential"), "{after}");
    }
}

#[test]
fn sums_of_all_lanes_are_made_together() {
    let nest = "for a in 0..d down\n  for b in a + 1..d down\n    s += u[b] * e[a]\n    z[a * d + b] += u[b] * t[a]\n    \
                t[a] += u[b] * e[a * d + b]";
    let (_, after) = jammed(nest);
    // `s` is added to in every iteration, so the rows keep their order
    assert_eq!((steps(&after, "a").len(), steps(&after, "b")), (0, vec!["4".into()]), "{after}");
    let without = nest.replace("s += u[b] * e[a]\n    ", "");
    let (_, after) = jammed(&without);
    assert_eq!((steps(&after, "a"), steps(&after, "b")), (vec!["2".into()], vec!["4".into()]), "{after}");
}

#[test]
fn sums_in_each_lane_and_sums_of_all_lanes_are_jammed_apart() {
    let both = "for b in 0..d\n  u[0] += t[b] * e[b]\n  u[1] += t[b] * e[b + 1]\n  u[2] += t[b] * e[b + 2]\n  u[3] += t[b] * e[b + 3]\n  \
                z[b] += t[b] * x[i]\n  z[b + 1] += t[b] * x[i + 1]\n  z[b + 2] += t[b] * x[i + 2]\n  z[b + 3] += t[b] * x[i + 3]";
    let (_, after) = jammed(both);
    assert_eq!(steps(&after, "b"), ["4", "2"], "{after}");
    // one group reads what the other one writes
    let (_, after) = jammed(&both.replace("z[b + 3] += t[b] * x[i + 3]", "z[b + 3] += t[b] * u[3]"));
    assert!(steps(&after, "b").len() < 2, "{after}");
    // few sums are jammed together
    let (_, after) = jammed("for b in 0..d\n  u[0] += t[b] * e[b]\n  z[b] += t[b] * x[i]");
    assert_eq!(steps(&after, "b").len(), 1, "{after}");
}

#[test]
fn all_shapes_of_nests_are_covered() {
    for (rows, columns) in [
        ("0..d", "0..d"),
        ("0..d down", "0..d"),
        ("1..d", "a..d"),
        ("0..d", "0..a"),
        ("0..d down", "0..a + 1 down"),
        ("0..d", "d - a - 1..d"),
        ("2..d", "2..d - a"),
        ("0..d", "a..a + 4"),
        ("0..d down", "a..a + 4 down"),
        ("0..d", "a..d down"),
    ] {
        let (_, after) = jammed(&format!("for a in {rows}\n  for b in {columns}\n    u[b] += e[a] * t[a]"));
        assert_eq!(steps(&after, "a"), ["4"], "{rows}, {columns}\n{after}");
        let (_, after) = jammed(&format!("for a in {rows}\n  for b in {columns}\n    u[a] += e[b] * t[a]"));
        assert!(!steps(&after, "b").is_empty(), "{rows}, {columns}\n{after}");
    }
}

#[test]
fn copies_follow_each_other_in_a_recurrence_over_one_loop() {
    let (_, after) = jammed("for b in 1..d\n  u[b] = u[b - 1] * t[b] + u[b + 1] * t[b]");
    // nothing may be held: the neighbours meet
    assert!(!after.to_string().contains("u_held"), "{after}");
}

#[test]
fn rows_that_meet_elsewhere_than_in_a_column_keep_their_order() {
    for nest in [
        // a row reads what another column of the row before it wrote
        "for a in 0..d\n  for b in 1..d\n    u[b] = u[b - 1] * e[a] + t[a]",
        "for a in 0..d\n  for b in 0..d\n    u[b] = u[b + 1] * e[a] + t[a]",
        // the rows write what the columns read
        "for a in 0..d\n  for b in 0..d\n    t[a] += e[a] * t[b]",
        "for a in 0..d\n  for b in 0..d\n    u[a + b] = u[a] * e[a]",
        // a sum that is read
        "for a in 0..d\n  for b in 0..d\n    s += e[a] * t[b]\n    u[b] += s * t[a]",
        // two operations on one sum
        "for a in 0..d\n  for b in 0..d\n    s += e[a] * t[b]\n    s max= e[b] * t[a]",
        // bounds that may go both ways
        "for a in 0..d\n  for b in 0..a * (d - a)\n    u[a] += e[a] * t[a]",
    ] {
        let (_, after) = jammed(nest);
        assert!(steps(&after, "a").is_empty(), "{nest}\n{after}");
    }
}

#[test]
fn copies_that_share_nothing_stay_apart() {
    for nest in [
        "for a in 0..d\n  u[a] = t[a] * e[a]",
        "for a in 0..d\n  for b in 0..d\n    z[a * d + b] += exp(t[a] + t[b])",
    ] {
        let (_, after) = jammed(nest);
        assert!(steps(&after, "a").is_empty() && steps(&after, "b").is_empty(), "{nest}\n{after}");
    }
}

#[test]
fn loops_that_carry_less_work_than_others_are_left_alone_but_for_short_sums() {
    let short = "for a in 0..d\n  s += t[a] * e[a]";
    let (_, after) = jammed(short);
    assert_eq!(steps(&after, "a"), ["4"], "{after}");
    let more = "for c in 1..d\n  for b in 0..d\n    u[b] += e[c] * t[c]";
    let (_, after) = jammed(&format!("{short}\n{more}"));
    assert_eq!((steps(&after, "a").len(), steps(&after, "c").len()), (1, 1), "{after}");
    let update = "for a in 0..d\n  u[a] += s * 2.0 + s * e[a]";
    for row in [short.replace("e[a]", "exp(t[a])").as_str(), update] {
        let (_, after) = jammed(&format!("{row}\n{more}"));
        assert_eq!((steps(&after, "a").len(), steps(&after, "c").len()), (0, 1), "{after}");
    }
}

#[test]
fn loops_that_are_not_over_blocks_are_left_alone() {
    let (before, after) = changed(
        "
        fn f(x: in f64[_], e: in f64[_], y: inout f64[_], n: in usize, m: in usize)
          for i in 0..n
            for j in 0..m
              y[i + j] = e[i] * x[j] + y[i + j]
        ",
        &mut |program, stmt| _ = super::inner::mark(program, &crate::ir::BufferSet::new(), false, &[], stmt),
    );
    assert_ne!(before.to_string(), after.to_string());
    let mut jammed = after.clone();
    assert_eq!(jam(&mut jammed, &HashSet::new(), &HashSet::new()), []);
    assert_eq!(jammed.to_string(), after.to_string());
}

#[test]
fn loops_whose_trips_are_numbers_have_no_copies_that_do_not_run() {
    let rows = |rows: &str| jammed(&format!("for a in {rows}\n  for b in 0..d\n    u[b] += e[a] * t[b]")).1;
    let of_a = |program: &Program| {
        let text = program.to_string();
        text.lines().filter(|line| line.trim().starts_with("for a")).count()
    };
    assert!(steps(&rows("0..1"), "a").is_empty());
    assert_ne!(steps(&rows("0..3"), "a"), ["4"]);
    // some are left over where the number of iterations is not known or not a multiple
    for (trip, loops) in [("0..64", 1), ("0..64 down", 1), ("0..65", 2), ("0..d", 2)] {
        let after = rows(trip);
        assert_eq!((steps(&after, "a"), of_a(&after)), (vec!["4".into()], loops), "{after}");
    }
}

#[test]
fn a_check_that_copies_make_alike_is_made_once() {
    let nest = |index: &str| {
        format!("for a in 0..d\n  check {index} < len(e) index \"e\" \"e[a]\"\n  u[0] += t[0] * e[a]")
    };
    let checks = |program: &Program| program.to_string().matches("check ").count();
    // in the tile, and for what is left over
    let (_, after) = jammed(&nest("d"));
    assert_eq!(checks(&after), 2, "{after}");
    let (_, after) = jammed(&nest("a"));
    assert_eq!(checks(&after), 5, "{after}");
}
