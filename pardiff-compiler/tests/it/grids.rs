//! Flat grids of three and more dimensions: parallel, and gathered, where a check says that no index wraps; as before where
//! it does.

use crate::schemes::{check, check_with, numbers, program, schemes, tasks};
use crate::shifts::gathered;
use pardiff_compiler::ir::Scheme;
use pardiff_compiler::ir::interp::Array;
use pardiff_compiler::schedule::Scheduled;

fn size(value: i128) -> Array<f64> {
    Array::int(value)
}

const INDICES: [&str; 2] = ["(i * m + j) * p + k", "i * m * p + j * p + k"];

/// The lines of a nest over the inner elements of a grid of `n * m * p`, with `#` for the index.
fn nest(index: &str, body: &[&str]) -> Vec<String> {
    let head = [
        "fn f(d: inout f64[_], e: in f64[_], n: in usize, m: in usize, p: in usize)",
        "  for i in 1..n - 1",
        "    for j in 1..m - 1",
        "      for k in 1..p - 1",
    ];
    let body = body.iter().map(|line| format!("        {}", line.replace('#', index)));
    head.into_iter().map(str::to_owned).chain(body).collect()
}

fn checked(lines: &[String], sizes: [i128; 3], last: &mut Option<Scheduled>) {
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let count = sizes.iter().product::<i128>() as usize;
    let [n, m, p] = sizes.map(size);
    *last = Some(check(&lines, vec![numbers(count), numbers(count), n, m, p]));
}

const SIZES: [[i128; 3]; 2] = [[3, 4, 3], [4, 5, 4]];

#[test]
fn inner_elements_are_written_in_parallel() {
    for index in INDICES {
        let body = ["check # < len(e) \"e\"", "check # < len(d) \"d\"", "d[#] = e[#] * 2.0 + d[#]"];
        let lines = nest(index, &body);
        let mut made = None;
        SIZES.into_iter().for_each(|sizes| checked(&lines, sizes, &mut made));
        let made = made.expect("sizes");
        assert!(tasks(&made.program) > 0, "{}", made.program);
        assert!(made.program.to_string().contains("holds"), "{}", made.program);
    }
}

#[test]
fn seven_points_gather() {
    let body = [
        "d[((i - 1) * m + j) * p + k] += e[#]",
        "d[((i + 1) * m + j) * p + k] += e[#] * 2.0",
        "d[(i * m + j - 1) * p + k] += e[#] * 3.0",
        "d[(i * m + j + 1) * p + k] += e[#] * 4.0",
        "d[# - 1] += e[#] * 5.0",
        "d[# + 1] += e[#] * 6.0",
        "d[#] += e[#] * 7.0",
    ];
    for index in INDICES {
        let lines = nest(index, &body);
        let mut made = None;
        SIZES.into_iter().for_each(|sizes| checked(&lines, sizes, &mut made));
        let made = made.expect("sizes");
        let (all, in_tasks) = gathered(&made.program);
        assert!(all > in_tasks && in_tasks > 0, "{}", made.program);
        assert!(!made.program.to_string().contains("private_copies"), "{}", made.program);
    }
}

/// The schedule of a loop over the rows of a grid of `n * m` that writes these elements, which computes the same for all sizes.
fn in_places(array: &str, places: &[&str]) -> Scheduled {
    let mut lines = vec![
        format!("fn f(d: inout {array}, e: in f64[_], n: in usize, m: in usize)"),
        "  for i in 0..n".to_owned(),
        "    for j in 0..m".to_owned(),
        "      check i * m + j < len(e) \"e\"".to_owned(),
    ];
    for place in places {
        let first = place.split(", ").next().unwrap_or(place);
        lines.push(format!("      check {first} < len(d) \"d\""));
        lines.push(format!("      d[{place}] = e[i * m + j] * 2.0 + d[{place}]"));
    }
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let mut made = None;
    for (n, m) in [(3, 4), (1, 1), (0, 3), (4, 17)] {
        let (count, columns) = (3 * (n * m + 1), if array.contains(", 2") { 2 } else { 1 });
        let d = numbers(count * columns);
        let d = if columns == 2 { d.shaped(&[count, 2]) } else { d };
        made = Some(check(&lines, vec![d, numbers(n * m), size(n as i128), size(m as i128)]));
    }
    made.expect("sizes")
}

#[test]
fn planes_and_records_are_written_in_parallel_and_in_lanes() {
    let planes = ["i * m + j", "n * m + (i * m + j)", "2 * (n * m) + (i * m + j)"];
    let records = ["i * m + j, 0", "i * m + j, 1"];
    for (array, places) in [("f64[_]", &planes[..]), ("f64[_, 2]", &records)] {
        let made = in_places(array, places);
        assert!(tasks(&made.program) > 0, "{}", made.program);
        // along a row, in which records are near, and not down a column
        assert!(made.program.to_string().contains("for j in 0..m lanes(128)"), "{}", made.program);
    }
    // elements of one row are three apart in two of its places
    let made = in_places("f64[_]", &["i * m + j", "i * m + j + 3"]);
    assert_eq!(tasks(&made.program), 0, "{}", made.program);
    assert!(!made.program.to_string().contains("lanes"), "{}", made.program);
}

#[test]
fn what_wraps_is_not_parallel() {
    // rows are four apart: of 2^62 rows, all begin at the first element
    let wrapped = "wrapping_add(wrapping_mul(wrapping_add(wrapping_mul(i * 4, m), j), p), k)";
    let lines = [
        "fn f(d: inout f64[_], n: in usize, m: in usize, p: in usize)",
        "  for i in 0..n",
        "    for j in 0..int::min(m, 3)",
        "      for k in 0..p",
        "        d[#] = d[#] * 2.0 + i as f64",
    ];
    let lines = lines.map(|line| line.replace('#', wrapped));
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    for (m, p) in [(1 << 62, 1), (1 << 61, 2), (1 << 63, 4), (3, 2), (5, 3)] {
        let made = check(&lines, vec![numbers(100), size(6.min(100 / (4 * m.min(5) * p))), size(m), size(p)]);
        assert!(tasks(&made.program) > 0, "{}", made.program);
    }
}

#[test]
fn a_bound_that_wraps_to_a_small_number_is_not_one_of_the_row() {
    // `m - q` is five for `m = 2` and `q = -3`
    let lines = [
        "fn f(d: inout f64[_], n: in usize, m: in usize, p: in usize, q: in usize)",
        "  for i in 0..n",
        "    for j in 1..wrapping_sub(m, q)",
        "      for k in 0..p",
        "        d[(i * m + j) * p + k] = d[(i * m + j) * p + k] * 2.0 + i as f64",
    ];
    for (m, q) in [(2, (1_i128 << 64) - 3), (4, 0), (4, 2)] {
        check(&lines, vec![numbers(60), size(3), size(m), size(2), size(q)]);
    }
    assert!(program(&lines).params.len() == 5);
}

/// Steps in slots of a tape; whether the loops over rows and along a row are parallel.
fn in_slots(step: &str) -> [bool; 2] {
    let lines = [
        "fn f(x: inout f64[_], n: in usize, m: in usize, steps: in usize)",
        "  scope t: tape f64[steps + 2, len(x)]",
        "    for z in 0..steps + 2",
        "      for a in 0..len(x)",
        "        t[z, a] = x[a] * z as f64",
        "    for s in 0..steps",
        "      for i in 1..n - 1",
        "        for j in 1..m - 1",
        "          check i * m + j < len(x) \"x\"",
        step,
        "    for b in 0..len(x)",
        "      x[b] = t[steps, b]",
    ];
    let mut made = None;
    for (n, m, steps) in [(3, 4, 2), (5, 4, 3), (4, 7, 1)] {
        made = Some(check(&lines, vec![numbers((n * m) as usize), size(n), size(m), size(steps)]));
    }
    let text = made.expect("sizes").program.to_string();
    [text.contains("for i in 1 + from"), text.contains("for j in 1..m - 1 lanes")]
}

#[test]
fn slots_of_a_tape_are_apart() {
    for step in [
        "          t[s + 1, i * m + j] = t[s, i * m + j - 1] + t[s, (i - 1) * m + j] * 2.0",
        "          t[s + 2, i * m + j] = t[s, i * m + j + 1] + t[s + 1, (i + 1) * m + j] * 2.0",
    ] {
        assert_eq!(in_slots(step), [true, true], "{step}");
    }
    for step in [
        "          t[s, i * m + j] = t[s, i * m + j - 1] + 1.0",
        "          t[s, i * m + j] = t[s, (i - 1) * m + j] + 1.0",
    ] {
        assert!(!in_slots(step)[1], "{step}");
    }
}

/// Populations that move to neighbours which tables name, and to the opposite population; how the sums of the two nests are
/// done where the tables are known to lie in these ranges.
fn moves(ranges: [&str; 2], steps: &[i128]) -> [Vec<Scheme>; 2] {
    let tables = format!("  table STEP: isize[_] = \"STEP\"{}", ranges[0]);
    let opposite = format!("  table OPPOSITE: usize[_] = \"OPPOSITE\"{}", ranges[1]);
    let head = "fn f(d: inout f64[_], e: in f64[_], n: in usize, m: in usize)";
    let to = "q * (n * m) + ((i as isize - STEP[q]) * m as isize + j as isize - STEP[2 - q]) as usize";
    let moved = [
        head,
        &tables,
        "  for q in 0..3",
        "    for i in 1..n - 1",
        "      for j in 1..m - 1",
        &format!("        check {to} < len(d) \"d\""),
        &format!("        d[{to}] += e[i * m + j]"),
    ];
    let of_opposite = "OPPOSITE[q] * (n * m) + (i * m + j)";
    let back = [
        head,
        &opposite,
        "  for i in 1..n - 1",
        "    for j in 1..m - 1",
        "      for q in 0..3",
        &format!("        check {of_opposite} < len(d) \"d\""),
        &format!("        d[{of_opposite}] += e[i * m + j] * 2.0"),
        "        d[q * (n * m) + (i * m + j)] += e[i * m + j]",
    ];
    let (n, m) = (5, 6);
    let args = vec![numbers(3 * n * m), numbers(n * m), size(n as i128), size(m as i128)];
    let of = |lines: &[&str], table| schemes(&check_with(lines, args.clone(), &[table]).program);
    [of(&moved, ("STEP", steps)), of(&back, ("OPPOSITE", &[2, 0, 1]))]
}

#[test]
fn what_tables_of_known_numbers_name_has_one_owner() {
    let owned =
        |schemes: &[Scheme]| !schemes.is_empty() && schemes.iter().all(|it| *it == Scheme::NoneNeeded);
    let [moved, back] = moves([" of -1..=1", " of 0..=2"], &[1, 0, -1]);
    assert!(owned(&moved) && owned(&back), "{moved:?} {back:?}");
    // nobody knows the tables, or one leaves the row
    let [moved, back] = moves(["", ""], &[1, 0, -1]);
    assert!(!owned(&moved) && !owned(&back), "{moved:?} {back:?}");
    let [moved, _] = moves([" of -2..=2", " of 0..=2"], &[1, 0, -1]);
    assert!(!owned(&moved), "{moved:?}");
}
