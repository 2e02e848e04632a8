//! Iterations in batches that sweep together, and rows of their sweeps executed together.

use super::{Arg, Lifted, assert_same, assert_text, changed, inner, lift, lifted, row_sweeps};
use crate::ir::{BufferSet, Program, verify};
use crate::schedule::lanes::jam;

/// Scores of a query against keys, their maximum, and what they weigh of the values; and the reverse of that.
fn attention(key: &str, cond: &str) -> String {
    format!(
        "
        fn f(q: in f64[_], k: in f64[_], v: in f64[_], y: inout f64[_], d_q: inout f64[_], d_k: inout f64[_], p: in usize[_],
            n: in usize, m: in usize, d: in usize) -> total: f64
          total = 0.0
          for i in 0..n
            scope e: f64[m], tape: f64[m], most: f64, start: usize
              most = -100.0
              start = i * d
              for t in 0..m
                e[t] = 0.0
                tape[t] = 0.0
              for t.2 in 0..m
                scope j: usize
                  j = {key}
                  if {cond}
                    tape[t.2] = most
                    scope s: f64
                      s = 0.0
                      for x in 0..d
                        s += q[start + x] * k[j * d + x]
                      e[t.2] = s * 0.5
                      most max= e[t.2]
              for t.3 in 0..m
                scope j.2: usize
                  j.2 = {key_2}
                  if {cond_2}
                    for x.2 in 0..d
                      y[i * d + x.2] += (e[t.3] - most) * v[j.2 * d + x.2]
              for t.4 in 0..m down
                scope j.3: usize, d_s: f64
                  j.3 = {key_3}
                  if {cond_3}
                    d_s = 0.25 * e[t.4] + tape[t.4]
                    total += d_s
                    for x.3 in 0..d
                      d_q[start + x.3] += d_s * k[j.3 * d + x.3]
                      d_k[j.3 * d + x.3] += d_s * q[start + x.3]
        ",
        key_2 = key.replace("t.2", "t.3"),
        key_3 = key.replace("t.2", "t.4"),
        cond_2 = cond.replace('j', "j.2"),
        cond_3 = cond.replace('j', "j.3"),
    )
}

fn args(n: usize, m: usize, d: usize) -> impl Fn(&str) -> Arg {
    move |name: &str| match name {
        "n" => Arg::Size(n),
        "m" => Arg::Size(m),
        "d" => Arg::Size(d),
        "p" => Arg::Indices((0..m + n).map(|k| k * 5 % 7 % (n + 1)).collect()),
        _ => Arg::Floats((n + m + 8) * (d + 1) + 64),
    }
}

/// The program whose loop over `i` runs in batches, and the same with several rows at once. Nothing if there are no batches.
/// `same` asserts that another program computes what one did.
pub(super) fn in_batches(text: &str, same: &dyn Fn(&Program, &Program)) -> Option<[Program; 2]> {
    let mut turns = Vec::new();
    let (before, after) = changed(text, &mut |program, stmt| {
        inner::mark(program, &BufferSet::new(), false, &[], stmt);
        turns = row_sweeps::batch(program, stmt, &[]);
    });
    if turns.is_empty() {
        assert!(!after.to_string().contains(" step 8"), "{after}");
        return None;
    }
    let mut jammed = after.clone();
    jam(&mut jammed, &[].into(), &turns.into_iter().collect());
    let errors = verify::verify(&jammed).err().unwrap_or_default();
    assert!(errors.is_empty(), "{errors:?}\n{jammed}");
    same(&before, &after);
    same(&before, &jammed);
    Some([after, jammed])
}

fn batched(text: &str) -> Option<[Program; 2]> {
    in_batches(text, &|before, after| {
        for (n, m, d) in [(0, 3, 2), (1, 0, 2), (3, 3, 0), (7, 2, 3), (8, 9, 9), (9, 4, 17), (19, 11, 8)] {
            assert_same(before, after, &args(n, m, d));
        }
    })
}

#[test]
fn a_sweep_over_rows_of_all_iterations_is_made_by_eight_of_them() {
    let [after, jammed] = batched(&attention("t.2", "j < m")).expect("batches");
    assert_text(
        &after,
        "
        for b in 0..n step 8 sequential
          scope w: usize
            w = int::min(8, n - b)",
    );
    assert_text(
        &after,
        "scope e: f64[8, m] padded(8), tape: f64[8, m] padded(8), most: f64[8], start: usize[8]",
    );
    assert_text(
        &after,
        "
        for t.3 in 0..m
          for turn.3 in 0..w sequential
            scope j.2: usize
              j.2 = t.3",
    );
    // where the condition holds for all rows of a tile they are one loop, elsewhere they follow each other
    assert_text(
        &jammed,
        "
        if holds & holds.2 & holds.3 & holds.4
          s = 0.0",
    );
    assert_text(
        &jammed,
        "
        else
          for t.3 in t.2..t.2 + 4",
    );
    let steps = jammed.to_string().matches(" step 4").count();
    assert_eq!(steps, 3, "{jammed}");
}

#[test]
fn rows_that_are_shifted_from_one_iteration_to_the_next_are_shared() {
    for key in ["i + t.2", "(i + t.2 * p[0] + 3) - 3", "i * p[1] + t.2 * p[1]"] {
        assert!(batched(&attention(key, "j < n")).is_some(), "{key}");
    }
}

#[test]
fn rows_of_one_iteration_alone_are_not_worth_a_batch() {
    for key in ["i * m + t.2", "p[t.2] + i * 2", "p[i + t.2]", "i"] {
        assert!(batched(&attention(key, "j < n")).is_none(), "{key}");
    }
    let short = attention("t.2", "j < m").replace("0..m", "0..15");
    assert!(batched(&short).is_none());
}

#[test]
fn a_condition_that_rows_change_is_asked_for_each_of_them() {
    let [_, jammed] = batched(&attention("t.2", "most < 1.0")).expect("batches");
    assert_eq!(jammed.to_string().matches(" step 4").count(), 2, "the first sweep writes it\n{jammed}");
    // and one with another arm stays as it is
    let text = attention("t.2", "j < m").replace(
        "                      y[i * d + x.2] += (e[t.3] - most) * v[j.2 * d + x.2]\n",
        "                      y[i * d + x.2] += (e[t.3] - most) * v[j.2 * d + x.2]\n                  else\n                    e[t.3] = 1.0\n",
    );
    let [_, jammed] = batched(&text).expect("batches");
    assert_eq!(jammed.to_string().matches(" step 4").count(), 2, "{jammed}");
}

#[test]
fn what_iterations_have_of_their_own_size_is_in_no_batch() {
    let text = attention("t.2", "j < m");
    for (from, to) in [
        ("e: f64[m]", "e: f64[m + i]"),
        ("for t.2 in 0..m", "for t.2 in 0..i"),
        ("e: f64[m]", "e: f64[p[i] + m]"),
    ] {
        assert!(text.contains(from));
        let made = batched(
            &text
                .replace(from, to)
                .replace("for t.3 in 0..m", "for t.3 in 0..i")
                .replace("for t.4 in 0..m", "for t.4 in 0..i"),
        );
        assert!(made.is_none(), "{to}");
    }
}

#[test]
fn batches_are_made_where_inner_loops_are_lanes_and_sums_may_be_reordered() {
    let text = attention("t.2", "j < m");
    let (_, _, made) = lifted(&text);
    assert!(matches!(&made, Lifted::Inner { turns, .. } if !turns.is_empty()), "{made:?}");
    let mut made = Lifted::Serial { reason: String::new() };
    changed(&text, &mut |program, stmt| made = lift(program, stmt, true, &[]));
    let none = match &made {
        Lifted::Inner { turns, .. } => turns.is_empty(),
        _ => true,
    };
    assert!(none, "{made:?}");
}
