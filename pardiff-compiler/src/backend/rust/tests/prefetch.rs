//! What is asked for before it is needed.

use super::schedules::{contains, lacks, lanes, task};

#[test]
fn arrays_of_the_user_are_asked_for_ahead_and_scratch_is_not() {
    let code = lanes("y[l] += s * x[l]");
    contains(&code, "x_run . ahead (at) ;");
    contains(&code, "y_run . ahead (at) ;");
    let text = "fn f(n: in usize, s: in f64)
  for c in 0..1 parallel(task)
    scope t: f64[n] thread
      for l in 0..n lanes(128)
        t[l] = s
";
    lacks(&task(text), "ahead");
}

#[test]
fn rows_that_are_written_for_later_are_asked_for_ahead() {
    let code = |dims: &str, index: &str, rest: &str| {
        task(&format!(
            "fn f(n: in usize, s: in f64)
  for c in 0..1 parallel(task)
    scope t: f64[{dims}] thread
      for a in 0..n
        for b in 0..n
          for l in 0..n lanes(128)
            t[{index}] = s
            {rest}
"
        ))
    };
    contains(&code("n, n, n", "a, b, l", ""), "t_run . ahead_to_write (at) ;");
    // rows of one loop stay in the cache
    lacks(&code("n, n", "b, l", ""), "ahead");
    // what is read is there
    lacks(&code("n, n, n", "a, b, l", "t[a, b, l] += s"), "ahead");
    lacks(&code("n, n, n", "a, b, l", "t[a, b, l] = t[b, a, l] * s"), "ahead");
}

#[test]
fn rows_one_behind_the_other_are_asked_for_ahead() {
    let code = |outer: &str, row: &str, loops: &str| {
        let loops = loops.replace("ROW", row);
        task(&format!(
            "fn f(n: in usize, s: in f64, start: in usize[_], x: in f64[_], k: in usize[_], y: inout f64[_])
  for c in 0..1 parallel(task)
    scope t: f64[n] thread, sum: f64 thread
      for i in 0..n{outer}
        {loops}
"
        ))
    };
    let row = "start[i]..start[i + 1]";
    let sums = "for a in ROW\n          sum += x[a] * x[k[a]] * t[a]";
    let both = code("", row, &format!("{sums}\n        for b in ROW\n          y[b] = x[b]"));
    contains(&both, "rt :: ahead :: row (k . as_ptr () , & row) ;");
    contains(&both, "rt :: ahead :: row (x . as_ptr () , & row) ;");
    contains(&both, "rt :: ahead :: row_to_write (y . as_ptr () , & row_2) ;");
    // an array is asked for once a row, and what is local is in a cache
    assert_eq!(both.matches("ahead :: row").count(), 3, "{both}");
    // the next row begins where this one began, or before that
    lacks(&code("", "0..n", sums), "ahead");
    lacks(&code(" down", row, sums), "ahead");
    lacks(&code("", row, "for a in ROW down\n          sum += x[a]"), "ahead");
    // elements that are somewhere, and rows in which loops run
    lacks(&code("", row, "for a in ROW\n          sum += x[t[a] as usize]"), "ahead");
    lacks(&code("", row, "for a in ROW\n          for b in 0..n\n            sum += x[a] * x[b]"), "ahead");
}

#[test]
fn records_one_behind_the_other_are_asked_for_ahead() {
    let code = lanes("\ny[l * 3 + 2] = s\ny[l * 3] = x[l * 4 + 1]\ny[l * 3 + 1] = -s");
    contains(&code, "let y_records = rt :: ahead :: Records :: new (y . as_ptr () ,");
    contains(&code, "y_records . ahead_to_write (at) ;");
    contains(&code, "x_records . ahead (at) ;");
    // once for all elements of a record
    assert_eq!(code.matches("Records :: new").count(), 2, "{code}");
    let code = lanes("y[l] = x[l * 5] + x[l * 5 + 3]");
    assert_eq!(code.matches("Records :: new").count(), 1, "{code}");
    // what is somewhere, what lies backwards or far apart, and what not every iteration accesses
    for element in ["k[l] * 3", "30 - l * 3", "l * 40", "l * n", "0"] {
        lacks(&lanes(&format!("y[l] = x[{element}]")), "Records");
    }
    lacks(&lanes("\nif x[l] < s\n  y[l * 3] = s"), "Records");
}

#[test]
fn records_of_scratch_and_of_short_loops_are_not_asked_for() {
    let text = |array: &str, hi: &str| {
        task(&format!(
            "fn f(n: in usize, s: in f64, x: inout f64[_])
  for c in 0..1 parallel(task)
    scope t: f64[n] thread
      for l in 0..{hi} lanes(128)
        {array}[l * 3] = s
"
        ))
    };
    contains(&text("x", "n"), "x_records . ahead_to_write (at) ;");
    lacks(&text("t", "n"), "Records");
    lacks(&text("x", "16"), "Records");
}
