//! Which sums run in two turns of chunks, and what runs where the windows of chunks are not apart.

use crate::schemes::{check, indices, numbers, schemes};
use pardiff_compiler::ir::Scheme;
use pardiff_compiler::ir::interp::Array;

/// Frames of `m` samples, `hop` apart, each with much to do; `#` for the place of a sample.
const FRAMES: [&str; 10] = [
    "fn f(d_x: inout f64[_], w: in f64[_], n: in usize, m: in usize, hop: in usize)",
    "  for f in 0..n",
    "    scope s: f64",
    "      s = 1.0",
    "      for k in 0..m",
    "        check k < len(w) index \"w\" \"w[k]\"",
    "        s = w[k] - s + w[k] * 2.0 - 3.0 * w[k] + s * 0.0",
    "      for t in 0..m",
    "        check # < len(d_x) index \"d_x\" \"d_x[#]\"",
    "        d_x[#] += s * 2.0",
];

fn frames(place: &str, [n, m, hop]: [i128; 3], len: usize) -> Vec<Scheme> {
    let lines = FRAMES.map(|line| line.replace('#', place));
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let args = vec![numbers(len), numbers(m as usize), Array::int(n), Array::int(m), Array::int(hop)];
    schemes(&check(&lines, args).program)
}

#[test]
fn frames_that_overlap_with_neighbours_run_in_two_turns() {
    for sizes in [[12, 4, 2], [12, 2, 4], [12, 4, 1], [7, 1, 1], [1, 5, 3], [0, 5, 3], [3, 0, 2]] {
        assert!(frames("f * hop + t", sizes, 60).contains(&Scheme::BlockColouring), "{sizes:?}");
    }
    // frames that all meet, or meet in many others: the windows are not apart
    for sizes in [[12, 4, 0], [12, 30, 1]] {
        assert!(frames("f * hop + t", sizes, 60).contains(&Scheme::BlockColouring), "{sizes:?}");
    }
    for place in ["t + f * hop", "f * hop + t * 2", "(n - 1 - f) * hop + t", "(f * hop + t) / 2"] {
        frames(place, [12, 4, 2], 60);
    }
}

#[test]
fn patches_of_a_grid_run_in_two_turns() {
    let place = "(r * stride + i) * nx + (c * stride + j)";
    let lines = [
        "fn f(d_x: inout f64[_], w: in f64[_], n: in usize, k: in usize, stride: in usize, nx: in usize)"
            .to_owned(),
        "  for r in 0..n".to_owned(),
        "    for c in 0..n".to_owned(),
        "      for i in 0..k".to_owned(),
        "        for j in 0..k".to_owned(),
        "          check i < len(w) index \"w\" \"w[i]\"".to_owned(),
        format!("          check {place} < len(d_x) index \"d_x\" \"d_x[place]\""),
        format!("          d_x[{place}] += w[i] * 2.0"),
    ];
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    for [n, k, stride, nx] in [[6, 3, 1, 8], [4, 2, 2, 8], [3, 8, 0, 8], [6, 0, 1, 8]] {
        let sizes = [n, k, stride, nx].map(Array::int);
        let args = [numbers(64), numbers(k as usize)].into_iter().chain(sizes).collect();
        let made = check(&lines, args);
        assert!(schemes(&made.program).contains(&Scheme::BlockColouring), "{}", made.program);
    }
}

#[test]
fn what_does_not_move_with_the_loop_or_goes_through_an_array_is_not_coloured() {
    let made = frames("t * hop", [12, 4, 2], 60);
    assert!(made.contains(&Scheme::PrivateCopies) && !made.contains(&Scheme::BlockColouring), "{made:?}");
    let text = [
        "fn f(d_x: inout f64[_], at: in usize[_], n: in usize)",
        "  for i in 0..n",
        "    for t in 0..n",
        "      check i < len(at) index \"at\" \"at[i]\"",
        "      check at[i] + t < len(d_x) index \"d_x\" \"d_x[at[i] + t]\"",
        "      d_x[at[i] + t] += 2.0",
    ];
    let made = check(&text, vec![numbers(10), indices(&[1, 3, 1, 0, 4]), Array::int(5)]);
    assert!(!schemes(&made.program).contains(&Scheme::BlockColouring), "{}", made.program);
}

#[test]
fn a_sum_that_is_read_is_not_coloured() {
    let text = [
        "fn f(d_x: inout f64[_], n: in usize, hop: in usize)",
        "  for f in 0..n",
        "    for t in 0..n",
        "      check f * hop + t < len(d_x) index \"d_x\" \"d_x[f * hop + t]\"",
        "      d_x[f * hop + t] += d_x[t] * 2.0",
    ];
    let made = check(&text, vec![numbers(40), Array::int(5), Array::int(3)]);
    assert!(!schemes(&made.program).contains(&Scheme::BlockColouring), "{}", made.program);
}
