//! Rows behind an index: which accesses are made together.

use super::schedules::{contains, lacks, lanes};

/// A whole vector and the last one.
const TWICE: usize = 2;

#[test]
fn elements_beside_each_other_are_one_gather() {
    let code = lanes("y[l] = (x[k[l] + 1] + x[k[l] + 5]) * x[k[l] + 2]");
    assert_eq!(code.matches("access :: rows (x ,").count(), TWICE, "{code}");
    contains(&code, "[S :: F64 ; 5]");
    contains(&code, "row [0]");
    contains(&code, "row [4]");
    // each access is the one that fails where its element does not exist
    contains(
        &code,
        "check_column (x , row_start , 4 , S :: Mask :: splat (true) , & rt :: access :: Site (\"f\" , \"x\" , \"x[k[l] + 5]\"))",
    );
    lacks(&code, "access :: gather");
}

#[test]
fn elements_that_are_few_or_far_apart_are_gathered_alone() {
    for body in ["y[l] = x[k[l]] * x[k[l] + 1]", "y[l] = x[k[l]] * x[k[l] + 1] * x[k[l] + 90]"] {
        let code = lanes(body);
        lacks(&code, "access :: rows");
        contains(&code, "access :: gather");
    }
}

#[test]
fn a_row_ends_where_its_position_changes() {
    let text = "
scope a: usize thread
  a = k[l]
  y[l] = x[a] * x[a + 1]
  a = k[l + 1]
  y[l] += x[a + 2] * x[a + 3]";
    lacks(&lanes(text), "access :: rows");
    contains(&lanes(&text.replace("  a = k[l + 1]\n", "")), "access :: rows");
}

#[test]
fn a_row_is_not_read_for_lanes_that_do_not_ask_for_it() {
    let text = "
y[l] = x[k[l]] * x[k[l] + 1]
if x[l] > 0.0
  y[l] += x[k[l] + 2]";
    lacks(&lanes(text), "access :: rows");
}

#[test]
fn sums_beside_each_other_are_one_scatter() {
    let code = lanes("\ny[k[l] + 2] += s\ny[k[l]] += x[l]\ny[k[l] + 1] += -s\ny[k[l] + 1] += x[l]");
    assert_eq!(code.matches("access :: add_rows (y ,").count(), TWICE, "{code}");
    contains(&code, "[row , row_2 , row_3]");
    contains(&code, "let row_2 : S :: F64 = row_2 + (");
    lacks(&code, "access :: each");
}

#[test]
fn sums_with_gaps_or_readers_between_them_are_made_where_they_stand() {
    let sums = |between: &str| format!("\ny[k[l]] += s\ny[k[l] + 1] += s\n{between}y[k[l] + 2] += s");
    contains(&lanes(&sums("")), "access :: add_rows");
    // elements between them may be another chunk's
    lacks(&lanes(&sums("").replace("+ 2]", "+ 3]")), "access :: add_rows");
    lacks(&lanes(&sums("y[l] = s\n")), "access :: add_rows");
    lacks(&lanes(&sums("scope t: f64 thread\n  t = y[l]\n")), "access :: add_rows");
}
