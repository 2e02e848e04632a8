//! Loops over members of records in lanes: written out, or left alone.

use super::{Arg, assert_same, in_blocks};

/// The loop over `i` in blocks, with a loop over `s` of so many iterations around an operation.
fn with(array: &str, trips: &str, operation: &str) -> String {
    let text = format!(
        "
        fn f(a: in {array}, b: inout {array}, e: in f64[_], n: in usize) -> total: f64
          total = 0.0
          for i in 0..n
            scope t: f64
              t = e[i]
              for s in {trips}
                scope u: f64
                  u = a[i, s] * a[i, 0]
                  {operation}
                  t += u * e[s]
              total += t
        "
    );
    same(&text, array)
}

/// The loop over `i` in blocks, which compute the same.
fn same(text: &str, array: &str) -> String {
    let (before, after, refused) = in_blocks(text);
    assert_eq!(refused, None);
    let members = array
        .split_once(", ")
        .map_or(1, |(_, members)| members.trim_end_matches(']').parse().expect("a number"));
    for n in [0, 3, 130] {
        let args = |name: &str| match name {
            "n" => Arg::Size(n),
            "e" => Arg::Floats(n + members),
            _ => Arg::Records(n, members),
        };
        assert_same(&before, &after, &args);
    }
    after.to_string()
}

#[test]
fn members_are_written_out() {
    let text = with("f64[_, 3]", "0..3", "b[i, s] = u + b[i, s]");
    assert!(!text.contains("for s") && text.contains("a[b.2 + l, 2]"), "{text}");
    // in the order of the loop
    let down = with("f64[_, 3]", "0..3 down", "b[i, 0] = b[i, 0] * 0.5 + u * s as f64");
    let order = [2, 1, 0].map(|s| down.find(&format!(" * {s} as f64")));
    assert!(order.iter().all(Option::is_some) && order.is_sorted(), "{down}");
}

#[test]
fn other_loops_stay() {
    // more members than a cache line has, and elements of which the lanes have none
    assert!(with("f64[_, 9]", "0..9", "b[i, s] = u").contains("for s"));
    let text = "
        fn f(e: in f64[_], b: inout f64[_, 1], n: in usize) -> total: f64
          total = 0.0
          for i in 0..n
            for s in 0..3
              b[i, 0] = b[i, 0] * 0.5 + e[s % 1]
        ";
    let text = same(text, "f64[_]");
    assert!(text.contains("for s"), "{text}");
}
