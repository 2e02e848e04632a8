//! Parts of arrays as one loop, printed; and parts that stay.

use super::Options;
use super::coalesce_strips::coalesce;
use crate::ir::{parse, verify};

fn coalesced(text: &str) -> String {
    let mut program = parse(text).unwrap_or_else(|error| panic!("{error}"));
    coalesce(&mut program, &Options::default());
    if let Err(errors) = verify::verify(&program) {
        panic!("{program}\n{}", errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"));
    }
    program.to_string()
}

const SIDE_BY_SIDE: &str = "\
fn f(x: in f64[_], y: inout f64[_])
  scope parts: usize, parts.2: usize, shorter: usize
    parts = trip_count(0, len(x), 16)
    parts.2 = trip_count(0, len(y), 16)
    shorter = int::min(parts, parts.2)
    for part in 0..shorter marks(rayon)
      scope start: usize, len_of: usize, len_of.2: usize
        start = part * 16
        len_of = int::min(16, len(x) - part * 16)
        len_of.2 = int::min(16, len(y) - 16 * part)
        scope shorter.2: usize
          shorter.2 = int::min(len_of, len_of.2)
          for k in 0..shorter.2
            scope at: usize
              at = start + k
              y[at] = sin(x[part * 16 + k])
";

#[test]
fn parts_side_by_side_become_one_loop() {
    assert_eq!(
        coalesced(SIDE_BY_SIDE),
        "\
fn f(x: in f64[_], y: inout f64[_])
  scope parts: usize, parts.2: usize, shorter: usize
    parts = trip_count(0, len(x), 16)
    parts.2 = trip_count(0, len(y), 16)
    shorter = int::min(parts, parts.2)
    for k in 0..int::min(len(x), len(y)) marks(rayon)
      scope at: usize
        at = k
        y[at] = sin(x[k])
"
    );
}

#[test]
fn parts_stay_where_more_depends_on_them() {
    let printed = |text: &str| parse(text).unwrap_or_else(|error| panic!("{error}")).to_string();
    for (from, to) in [
        // an element follows from the one before it
        ("y[at] = sin(x[part * 16 + k])", "y[at] = y[at - 1] + x[at]"),
        // the number of the part, the place in it, and its length say something
        ("sin(x[part * 16 + k])", "sin(x[part])"),
        ("sin(x[part * 16 + k])", "sin(x[k])"),
        ("sin(x[part * 16 + k])", "shorter.2 as f64"),
        // parts are not of one size
        ("int::min(16, len(y) - 16 * part)", "int::min(8, len(y) - 16 * part)"),
        ("trip_count(0, len(y), 16)", "trip_count(0, len(y), 8)"),
        // an array whose last part is left out
        ("int::min(parts, parts.2)", "parts"),
        ("start = part * 16", "start = part * 8"),
    ] {
        let text = SIDE_BY_SIDE.replace(from, to);
        assert_ne!(text, SIDE_BY_SIDE);
        assert_eq!(coalesced(&text), printed(&text), "{to}");
    }
}
