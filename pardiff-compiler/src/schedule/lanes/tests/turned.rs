//! Which loops that count down are turned upwards.

use super::{Arg, SIZES, assert_same, changed};
use crate::schedule::lanes::turn_upwards;

/// How many loops count down in the loop over `i` of a program, after it was treated.
fn down(text: &str, strict: bool) -> usize {
    let (before, after) = changed(text, &mut |program, stmt| {
        let mut block = vec![stmt.clone()];
        crate::schedule::in_order(&mut block);
        turn_upwards(program, &mut block, strict);
        *stmt = block.remove(0);
    });
    for n in SIZES {
        assert_same(&before, &after, &|name| rows(name, n));
    }
    let mut down = 0;
    after.body.iter().for_each(|stmt| {
        stmt.walk(&mut |stmt| {
            down += usize::from(stmt.as_for().is_some_and(|it| it.order == crate::ir::Order::Down));
        });
    });
    down
}

const ROWS: &str = "
        fn f(d_v: inout f64[_], d_x: inout f64[_], v: in f64[_], col: in usize[_], n: in usize)
          for i in 0..n
            for k in 2 * i..2 * i + 2 down
              d_v[k] += v[i]
              d_x[col[k]] += v[k]
";

fn rows(name: &str, n: usize) -> Arg {
    match name {
        "n" => Arg::Size(n),
        "col" => Arg::Indices((0..2 * n).map(|k| k * 7 % 5).collect()),
        "d_x" => Arg::Floats(5),
        _ => Arg::Floats(2 * n),
    }
}

#[test]
fn sums_and_elements_of_an_iteration_are_visited_upwards() {
    assert_eq!(down(ROWS, false), 0);
}

#[test]
fn strict_sums_keep_their_order() {
    assert_eq!(down(ROWS, true), 1);
    let elements = ROWS.replace("d_x[col[k]] += v[k]", "d_v[k] += v[k]");
    assert_eq!(down(&elements, true), 0);
}

#[test]
fn what_iterations_hand_on_keeps_their_order() {
    let running = ROWS.replace("d_v[k] += v[i]", "d_v[k] += d_v[2 * i]");
    assert_eq!(down(&running, false), 1);
    let last = ROWS.replace("d_x[col[k]] += v[k]", "d_x[col[k]] = v[k]");
    assert_eq!(down(&last, false), 1);
    let checked = ROWS.replace("d_v[k] += v[i]", "check k < len(d_v) \"k < d_v.len()\"");
    assert_eq!(down(&checked, false), 1);
}
