//! Which sums through an index copy the window between the least and the greatest element, and how it is found.

use crate::schemes::{check, indices, numbers, schemes};
use pardiff_compiler::ir::Scheme;
use pardiff_compiler::ir::interp::Array;

const GATHER: [&str; 14] = [
    "fn f(d_x: inout f64[_], at: in usize[_], w: in f64[_], n: in usize)",
    "  for i in 0..n",
    "    check i < len(w) index \"w\" \"w[i]\"",
    "    check i < len(at) index \"at\" \"at[i]\"",
    "    scope a: usize, s: f64",
    "      a = at[i]",
    "      s = w[i] * 3.0",
    "      for k in 0..20",
    "        s = s * w[i] + w[i] * 2.0 - w[i]",
    "      check a * 2 < len(d_x) index \"d_x\" \"d_x[2 * a]\"",
    "      d_x[a * 2] += s",
    "      if a < 3",
    "        check a * 2 + 1 < len(d_x) index \"d_x\" \"d_x[2 * a + 1]\"",
    "        d_x[a * 2 + 1] += w[i]",
];

fn gathered() -> Vec<Array<f64>> {
    let w = Array::floats(&[1.0, -1.0, 2.0, 0.0, 1.0, 1.0, -1.0]);
    vec![numbers(10), indices(&[1, 3, 1, 0, 4, 4, 1]), w, Array::int(7)]
}

#[test]
fn updates_through_an_index_array_are_copied_in_windows() {
    let made = check(&GATHER, gathered());
    assert!(schemes(&made.program).contains(&Scheme::WindowCopies), "{}", made.program);
    // no iteration, so no window
    let mut empty = gathered();
    empty[3] = Array::int(0);
    check(&GATHER, empty);
}

#[test]
fn a_window_is_not_looked_for_by_repeating_the_loops_inside() {
    let text = [
        "fn f(d_x: inout f64[_], at: in usize[_], w: in f64[_], n: in usize)",
        "  for i in 0..n",
        "    check i < len(w) index \"w\" \"w[i]\"",
        "    for j in 0..len(at)",
        "      scope a: usize, s: f64",
        "        a = at[j]",
        "        s = w[i] * 3.0",
        "        for k in 0..20",
        "          s = s * w[i] + w[i] * 2.0 - w[i]",
        "        check a < len(d_x) index \"d_x\" \"d_x[a]\"",
        "        d_x[a] += s",
    ];
    let made = check(&text, gathered());
    assert!(schemes(&made.program).contains(&Scheme::PrivateCopies), "{}", made.program);
    assert!(!schemes(&made.program).contains(&Scheme::WindowCopies), "{}", made.program);
}

#[test]
fn an_index_that_depends_on_what_the_loop_does_has_no_window() {
    // under a condition on floats
    let mut text = GATHER;
    text[11] = "      if s < 3.0";
    let made = check(&text, gathered());
    assert!(schemes(&made.program).contains(&Scheme::PrivateCopies), "{}", made.program);
    assert!(!schemes(&made.program).contains(&Scheme::WindowCopies), "{}", made.program);
    // at an index of floats
    let mut text = GATHER;
    text[5] = "      a = (w[i] as usize) * at[0]";
    let made = check(&text, gathered());
    assert!(!schemes(&made.program).contains(&Scheme::WindowCopies), "{}", made.program);
    // a scan would cost as much as the loop
    let mut text = GATHER;
    text[7] = "      for k in 0..0";
    let made = check(&text, gathered());
    assert!(!schemes(&made.program).contains(&Scheme::WindowCopies), "{}", made.program);
}

#[test]
fn updates_beside_each_other_are_scanned_at_their_ends() {
    let updates = [
        "      check a + 3 < len(d_x) index \"d_x\" \"d_x[a + 3]\"",
        "      d_x[a + 1] += s",
        "      d_x[a + 3] += s",
        "      d_x[a] += s",
        "      d_x[a + 3] += w[i]",
        "      if a < 3",
        "        d_x[a + 4] += s",
    ];
    let text = [&GATHER[..9], &updates].concat();
    let made = check(&text, gathered()).program.to_string();
    // one of each for the four, and one of each under the condition
    assert_eq!(made.matches("d_x_low_part min=").count(), 2, "{made}");
    assert_eq!(made.matches("d_x_end_part max=").count(), 2, "{made}");
    assert!(made.contains("d_x_low_part min= a @"), "{made}");
    assert!(made.contains("d_x_end_part max= saturating_add(saturating_add(a, 3), 1) @"), "{made}");
}
