//! Rows behind an index: which accesses are made together.

use super::schedules::{contains, lacks, lanes, task};

/// A whole vector and the last one.
const TWICE: usize = 2;

#[test]
fn elements_beside_each_other_are_one_gather() {
    let code = lanes("y[l] = (x[k[l] + 1] + x[k[l] + 5]) * x[k[l] + 2]");
    assert_eq!(code.matches("access :: rows (x ,").count(), TWICE, "{code}");
    contains(&code, "[S :: F64 ; 5]");
    contains(&code, "row [0]");
    contains(&code, "row [4]");
    // a row that is not in the array fails once, for the accesses that are made anyhow
    contains(
        &code,
        "Sites (\"f\" , \"x\" , & [(0 , \"x[k[l] + 1]\") , (1 , \"x[k[l] + 2]\") , (4 , \"x[k[l] + 5]\") ,])",
    );
    lacks(&code, "check_column");
    lacks(&code, "access :: gather");
}

#[test]
fn ends_of_rows_are_stored_by_their_number() {
    for body in ["y[l] = x[l] * 2.0", "y[l] += x[l]"] {
        let code = lanes(body);
        contains(&code, ". store_first (at ,");
        lacks(&code, "store_masked");
    }
}

#[test]
fn what_is_stored_under_conditions_or_read_again_is_stored_under_a_mask() {
    for body in ["if x[l] < 1.0\n  y[l] = x[l]", "y[l] = y[l] * x[l]"] {
        let code = lanes(&format!("\n{body}"));
        contains(&code, "store_masked");
        lacks(&code, "store_first");
    }
}

#[test]
fn rows_at_equal_distances_are_read_and_added_to_as_rows() {
    let code = lanes("y[l] = x[l * 5 + 1] * x[l * 5] * x[l * 5 + 3]");
    assert_eq!(code.matches("access :: rows (x ,").count(), TWICE, "{code}");
    contains(&code, "[S :: F64 ; 4]");
    lacks(&code, "access :: strided");
    let code = lanes("\ny[l * 5] += s\ny[l * 5 + 2] += x[l]\ny[l * 5 + 1] += s");
    assert_eq!(code.matches("access :: add_rows (y ,").count(), TWICE, "{code}");
    // rows that are vectors already, sums with a gap, few elements
    for body in [
        "y[l] = x[l] * x[l + 1] * x[l + 2]",
        "\ny[l * 5] += s\ny[l * 5 + 1] += x[l]\ny[l * 5 + 3] += s",
        "y[l] = x[l * 5 + 1] * x[l * 5]",
    ] {
        let code = lanes(body);
        lacks(&code, "access :: rows");
        lacks(&code, "access :: add_rows");
    }
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
fn a_row_is_read_once_for_what_stands_under_conditions_too() {
    let text = "
y[l] = x[k[l]]
if x[l] > 0.0
  if s > 0.0
    y[l] += x[k[l] + 2]
  else
    y[l] += x[k[l] + 1]";
    let code = lanes(text);
    assert_eq!(code.matches("access :: rows_where_there (x ,").count(), TWICE, "{code}");
    contains(&code, "[S :: F64 ; 3]");
    // each access is the one that fails where its element does not exist
    contains(&code, "check_column (x , 0_usize , row_start , 2 , active");
    lacks(&code, "access :: gather");
    // nobody outside of the condition asks for it
    let other = "
scope a: usize thread
  a = k[l]
  y[l] = x[a] * x[a + 1]
  if x[l] > 0.0
    y[l] += x[a + 2]
  a = k[l + 1]
  if x[l] > 1.0
    y[l] += x[a] * x[a + 1] * x[a + 2]";
    let code = lanes(other);
    assert_eq!(code.matches("access :: rows_where_there (x ,").count(), TWICE, "{code}");
    assert_eq!(code.matches("access :: rows (x ,").count(), TWICE, "{code}");
    assert!(code.find("access :: rows_where_there (x ,") < code.find("if active"), "{code}");
    // a third vector for three elements that are seldom used
    let wide: String = (8..11).map(|by| format!("\n  y[l] += x[k[l] + {by}]")).collect();
    let code = lanes(&format!("\ny[l] = x[k[l]] * x[k[l] + 3] * x[k[l] + 7]\nif x[l] > 0.0{wide}"));
    contains(&code, "[S :: F64 ; 8]");
    contains(&code, "[S :: F64 ; 3]");
}

#[test]
fn a_row_is_read_before_a_condition_that_is_the_same_for_all() {
    let text = "
scope a: usize thread, t: f64 thread
  a = k[l]
  if s > 0.0
    t = x[a]
  else
    t = x[l]
  y[l] = t
  if t > 0.0
    if s > 0.0
      y[l] += x[a + 1] * x[a + 2]";
    let code = lanes(text);
    assert_eq!(code.matches("access :: rows_where_there (x ,").count(), TWICE, "{code}");
    contains(&code, "= if s > 0.0 { let row_start : [usize ; 8] = a ;");
    lacks(&code, "access :: gather");
    // not where the later accesses stand under another condition, or the row moves before the first one
    for (from, to) in [
        ("    if s > 0.0\n      y", "    if s > 1.0\n      y"),
        ("    t = x[a]\n", "    a = k[l + 1]\n    t = x[a]\n"),
    ] {
        assert!(text.contains(from));
        let code = lanes(&text.replace(from, to));
        lacks(&code, "access :: rows");
    }
}

#[test]
fn what_the_lanes_have_in_common_is_not_in_the_start_of_a_row() {
    let sums: String = (0..3).map(|by| format!("\ny[(l * 0 + n + k[l]) * 6 + {by} - n] += s")).collect();
    let code = lanes(&sums);
    contains(&code, "let row_start : [usize ; 8] = rt :: simd :: map2 (");
    let at = "usize :: wrapping_sub (";
    contains(&code, at);
    // a difference times something is left whole: its part might not fit
    let sums: String = (0..3).map(|by| format!("\ny[(k[l] - n) * 6 + {by}] += s")).collect();
    contains(&lanes(&sums), "add_rows (y , 0 ,");
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
fn lanes_that_are_not_active_add_nothing_to_their_own_rows_of_a_chunk() {
    let of = |dims: &str, first: &str, more: &str| {
        task(&format!(
            "fn f(n: in usize, k: in usize[_], x: in f64[_], y: inout f64[{dims}])
  for c in 0..n parallel(task)
    for l in 0..n lanes(128)
      y[{first}, k[l], 0] += x[l]
      y[{first}, k[l], 1] += x[l]
      y[{first}, k[l], 2] += x[l]
{more}"
        ))
    };
    let own = "c * (y_dim1 * 3) .. (c + 1) * (y_dim1 * 3) ,";
    assert_eq!(of("_, _, 3", "c", "").matches(own).count(), TWICE);
    // a row that is not the chunk's, and another access of the array that may be another chunk's
    for code in [of("_, _, 3", "n", ""), of("_, _, 3", "c", "    y[n, c, 0] += 1.0\n")] {
        lacks(&code, own);
        assert_eq!(code.matches("access :: add_rows (y ,").count(), TWICE, "{code}");
        assert_eq!(code.matches(", 0 .. 0 ,").count(), TWICE, "{code}");
    }
}

#[test]
fn sums_with_gaps_or_readers_between_them_are_made_where_they_stand() {
    let sums = |between: &str| format!("\ny[k[l]] += s\ny[k[l] + 1] += s\n{between}y[k[l] + 2] += s");
    contains(&lanes(&sums("")), "access :: add_rows");
    // elements between them may be another chunk's
    lacks(&lanes(&sums("").replace("+ 2]", "+ 3]")), "access :: add_rows");
    lacks(&lanes(&sums("y[l] = s\n")), "access :: add_rows");
    lacks(&lanes(&sums("scope t: f64 thread\n  t = y[l]\n")), "access :: add_rows");
    lacks(&lanes(&sums("").replace("+ 2] += s", "+ 2] += y[k[l]]")), "access :: add_rows");
}

#[test]
fn elements_beside_each_other_are_assigned_as_rows() {
    let code = lanes("\ny[l * 3 + 2] = s\ny[l * 3] = x[l]\ny[l * 3 + 1] = -s");
    assert_eq!(code.matches("access :: set_rows (y ,").count(), TWICE, "{code}");
    contains(&code, "[row , row_2 , row_3]");
    // assigned or added to, as a condition says that is the same for all
    let either = |cond: &str| {
        let element = |k: usize| format!("\ny[l * 3 + {k}] = select({cond}, 0.0, y[l * 3 + {k}]) + x[l]");
        lanes(&(0..3).map(element).collect::<String>())
    };
    let code = either("n < 3");
    assert_eq!(code.matches("if n < 3 { rt :: access :: set_rows (y ,").count(), TWICE, "{code}");
    assert_eq!(code.matches("else { rt :: access :: add_rows (y ,").count(), TWICE, "{code}");
    lacks(&either("x[l] < s"), "set_rows");
    // a product that was contracted with its sum; one that the caller wrote is rounded once
    let contracted = |func: &str| {
        let old = |k: usize| format!("select(n < 3, 0.0, y[l * 3 + {k}])");
        let products = (1..3).map(|k| format!("\ny[l * 3 + {k}] = {func}(x[l], s, {})", old(k)));
        let products: String = products.collect();
        lanes(&format!("\ny[l * 3 + 0] = {} + x[l]{products}", old(0)))
    };
    let code = contracted("poly::mul_add");
    assert_eq!(code.matches("if n < 3 { rt :: access :: set_rows (y ,").count(), TWICE, "{code}");
    contains(&code, "* S :: F64 :: splat (s) ;");
    lacks(&contracted("mul_add"), "set_rows");
    // in the lanes that come there
    let code = lanes("\nif x[l] < s\n  y[l * 3] = s\n  y[l * 3 + 1] = x[l]\n  y[l * 3 + 2] = s");
    contains(&code, "[row , row_2 , row_3] , active ,");
    // with a gap, partly under a condition, too few
    lacks(&lanes("\ny[l * 5] = s\ny[l * 5 + 1] = x[l]\ny[l * 5 + 3] = s"), "set_rows");
    lacks(&lanes("\ny[l * 3] = s\nif x[l] < s\n  y[l * 3 + 1] = x[l]\ny[l * 3 + 2] = s"), "set_rows");
    lacks(&lanes("\ny[l * 3] = s\ny[l * 3 + 1] = x[l]"), "set_rows");
}

#[test]
fn assignments_stay_in_front_of_what_touches_their_array() {
    let with = |between: &str| format!("\ny[l * 3] = s\ny[l * 3 + 1] = x[l]\n{between}y[l * 3 + 2] = s");
    contains(&lanes(&with("")), "set_rows");
    for between in [
        "y[l * 3 + 1] = s\n",
        "y[l * 3 + 1] += s\n",
        "y[k[l]] = s\n",
        "y[0] += s\n",
        "scope t: f64 thread\n  t = y[l]\n",
    ] {
        lacks(&lanes(&with(between)), "set_rows");
    }
    // one of the assignments itself
    for value in ["y[l * 3 + 1]", "y[k[l]]", "select(n < 3, 0.0, y[l * 3 + 2]) + y[l * 3]"] {
        lacks(&lanes(&with("").replace("2] = s", &format!("2] = {value}"))), "set_rows");
    }
    contains(&lanes(&with("").replace("2] = s", "2] = x[k[l]]")), "set_rows");
}

/// The code of a task that does this, one iteration after the other.
fn in_order(body: &str) -> String {
    let params = "n: in usize, s: in f64, x: in f64[_], w: in f64[_, 5], k: in usize[_], y: inout f64[_, 5]";
    let body = body.trim_matches('\n').replace("\n", "\n      ");
    task(&format!(
        "fn f({params})\n  for c in 0..1 parallel(task)\n    for i in 0..n sequential\n      {body}\n"
    ))
}

#[test]
fn elements_beside_each_other_have_one_check_in_order_too() {
    let code = in_order(
        "
scope p: usize thread, t: f64 thread
  p = k[i]
  t = w[p + 1, 0] - w[p, 4]
  y[p, 2] += t @ none_needed
  y[p, 0] += -t @ none_needed
  t = t * w[p, 2]
  y[p, 1] += t @ none_needed",
    );
    contains(
        &code,
        "let w_row : [f64 ; 4] = rt :: access :: row (w , p * 5 + 2 , & rt :: access :: Sites (\"f\" , \"w\" , & [(0 ,",
    );
    contains(&code, "= w_row [3] - w_row [2] ;");
    contains(&code, "t *= w_row [0] ;");
    contains(&code, "let y_row : f64 = - t ;");
    contains(&code, "unsafe { rt :: access :: add_to_row (y , p * 5 , [y_row , y_row_2 , y_row_3] ,");
    lacks(&code, "access :: element");
}

#[test]
fn accesses_between_which_something_happens_have_checks_of_their_own() {
    let sums = |between: &str| {
        let between = between.replace('\n', "\n  ");
        in_order(&format!(
            "\nscope p: usize thread\n  p = k[i]\n  y[p, 0] += s @ none_needed\n  y[p, 1] += s @ none_needed\n  {between}y[p, 2] += s @ none_needed"
        ))
    };
    contains(&sums(""), "add_to_row");
    // the position changes, the array is read, an element gets a second term, something may fail or happens sometimes
    for between in [
        "p = k[i + 1]\n",
        "y[i, 0] = y[p, 1]\n",
        "y[i, 0] += s @ none_needed\n",
        "y[p, 1] += s @ none_needed\n",
        "check p < n \"out\"\n",
        "if s > 0.0\n  y[p, 3] += s @ none_needed\n",
    ] {
        lacks(&sums(between), "add_to_row");
    }
    // few elements, elements far apart, a gap among sums
    for body in [
        "y[i, 0] += x[k[i]] * x[k[i] + 1] @ none_needed",
        "y[i, 0] += x[k[i]] * x[k[i] + 1] * x[k[i] + 9] @ none_needed",
        "\ny[i, 0] += s @ none_needed\ny[i, 1] += s @ none_needed\ny[i, 3] += s @ none_needed",
    ] {
        let code = in_order(body);
        lacks(&code, "access :: row");
        lacks(&code, "add_to_row");
    }
}

/// A loop over lanes of integers and of floats.
fn of_integers(body: &str) -> String {
    task(&format!(
        "fn f(n: in usize, p: in u32[_], q: in i32[_], x: in f64[_], y: inout f64[_])\n  \
         for c in 0..1 parallel(task)\n    for l in 0..n lanes(128)\n      {body}\n"
    ))
}

#[test]
fn lanes_are_converted_compared_and_scattered_by_functions_with_names() {
    let code = of_integers("if p[l] == p[l + 1]\n        y[p[l] as usize] += x[l]");
    for name in [
        "< u32 as rt :: simd :: As < usize >> :: cast)",
        "rt :: simd :: eq :: < u32 >)",
        ":: core :: ops :: Add :: add)",
    ] {
        contains(&code, name);
    }
    lacks(&code, "|");
    contains(&of_integers("y[p[l] as usize] = x[l]"), "rt :: access :: replaced)");
    // sums of what is zero in lanes that are not active need no question for each lane; a quotient does
    let code = of_integers("if x[l] < 1.0\n        y[l] = (q[l] - q[l + 1]) as f64");
    contains(&code, "rt :: simd :: keep (");
    lacks(&code, "map_active");
    contains(&of_integers("if x[l] < 1.0\n        y[l] = (q[l] / q[l + 1]) as f64"), "map_active");
}
