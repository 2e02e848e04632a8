//! Sums of all lanes, from the text of scheduled programs.

use super::schedules::{contains, emitted, emitted_of, lacks, lanes};

#[test]
fn frames_are_aligned_where_sums_fill_the_registers() {
    let of = |sums: usize| {
        let list: Vec<String> = (0..sums).map(|k| format!("      g[{k}] += x[l] * w[{k}]\n")).collect();
        let text = format!(
            "fn f(n: in usize, x: in f64[_], w: in f64[9], g: inout f64[9])\n  for c in 0..n parallel(task)\n    \
             for l in 0..n lanes(128)\n{}",
            list.concat()
        );
        emitted(&text).1
    };
    contains(&of(6), "_task_0_avx2 (c : usize");
    assert_eq!(of(6).matches("align_frame").count(), 2);
    lacks(&of(5), "align_frame");
    // an element of its own for each lane needs no accumulator
    let (_, tasks) = emitted(
        "fn f(n: in usize, x: in f64[_], y: inout f64[_, 9])
  for c in 0..n parallel(task)
    for l in 0..n lanes(128)
      y[l, 0] += x[l]
      y[l, 1] += x[l]
      y[l, 2] += x[l]
      y[l, 3] += x[l]
      y[l, 4] += x[l]
      y[l, 5] += x[l]
",
    );
    lacks(&tasks, "align_frame");
}

#[test]
fn sums_into_one_element_are_folded_behind_the_loop() {
    let code = lanes("y[n] += x[l] * x[l]");
    contains(&code, "let mut y_lanes = S :: F64 :: splat (- 0.0) ;");
    contains(&code, "y_lanes = rt :: math :: mul_add (");
    let fold = "+= (y_lanes + y_lanes_2 + y_lanes_3 + y_lanes_4) . sum () ;";
    assert!(code.find(fold).expect("the fold") > code.rfind("while").unwrap());
    let rows = |fuses| {
        let text = "fn f(n: in usize, x: in f64[_], y: inout f64[_])
  for c in 0..1 parallel(task)
    for l in 0..n lanes(128)
      y[l] += x[l] * x[l]
      y[l] += -(x[l] * x[l])
";
        emitted_of(text, fuses).1
    };
    contains(&rows(true), "mul_add");
    lacks(&rows(false), "mul_add");
    // only if it was reached, where it stands under a condition
    contains(&lanes("if x[l] > s\n  y[n] += x[l]"), "if y_lanes_any {");
    // elements that differ are updated one after the other
    let scattered = lanes("y[k[l]] += x[l]");
    contains(&scattered, "rt :: access :: each (y ,");
    lacks(&scattered, "y_lanes");
}

#[test]
fn sums_that_would_fill_the_registers_are_kept_in_one_each() {
    let sums = |count: usize, op: &str| {
        let sum = |k: usize| format!("y[n + {k}] {op} x[l + {k}] * x[l]\n");
        lanes((0..count).map(sum).collect::<String>().trim_end())
    };
    let many = sums(6, "+=");
    contains(&many, "let mut y_lanes = S :: SumF64 :: zero () ;");
    contains(&many, "y_lanes = y_lanes . plus_product (");
    contains(&many, "let sums = S :: SumF64 :: totals ([");
    // a lane that is not active adds nothing
    contains(&many, "y_lanes = y_lanes . plus (S :: F64 :: select (tail ,");
    // a short body has a sum for each of its copies
    contains(&sums(2, "+="), "+= (y_lanes + y_lanes_2 + y_lanes_3 + y_lanes_4) . total () ;");
    // fewer fit, and other operations have no such register
    lacks(&sums(1, "+="), "SumF64");
    lacks(&sums(6, "max="), "SumF64");
}

#[test]
fn sums_that_end_at_one_loop_are_folded_at_once() {
    let all = lanes("y[0] += x[l]\ny[1] += x[l] * s\ny[2] += x[l] * x[l]\ny[3] max= x[l]\ny[4] += x[l] + s");
    contains(&all, "let sums = S :: SumF64 :: totals ([");
    assert_eq!(all.matches(":: totals (").count(), 1);
    // another operation stands between; the last one is alone
    contains(&all, ". max_lane ()");
    assert_eq!(all.matches(". total ()").count(), 1);
    // two are faster one after the other, and a sum that nothing comes to touches no element
    lacks(&lanes("y[0] += x[l]\ny[1] += x[l] * s"), ":: totals (");
    let some = "if x[l] > s\n  y[0] += x[l]\n  y[1] += s\n  y[2] += x[l] * s";
    lacks(&lanes(some), ":: totals (");
}

#[test]
fn sums_into_elements_side_by_side_are_added_with_one_check() {
    let code = lanes("y[n + 1] += x[l]\ny[0] += x[l] * s\ny[n] += x[l] + s\ny[n + 2] += x[l] * x[l]");
    contains(
        &code,
        "unsafe { rt :: access :: add_row (y , n , [sums [2] , sums [0] , sums [3]] , & rt :: access :: Site (\"f\" , \"y\" , \"y[n]\")) } ;",
    );
    contains(&code, "(y , 0 , & rt :: access :: Site (\"f\" , \"y\" , \"y[0]\")) } += sums [1] ;");
    // elements that lie apart
    let apart = lanes("y[n] += x[l]\ny[n + 2] += x[l] * s\ny[2 * n + 1] += x[l] + s");
    lacks(&apart, "add_row");
}

#[test]
fn vectors_of_sums_begin_at_the_first_iteration() {
    // which lane adds what decides the bits of a sum; what is written elsewhere may be as well
    for body in ["y[0] += x[l]", "y[l] = x[l]\ny[0] += x[l]", "if x[l] > s\n  y[l] = x[l]", "y[2 * l] = x[l]"]
    {
        lacks(&lanes(&format!("\n{body}")), "before_line");
    }
}
