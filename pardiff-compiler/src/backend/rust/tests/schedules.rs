//! Task loops and lane loops, from the text of scheduled programs.

use super::super::code;
use super::super::emitter::Emitter;
use super::super::isa_dispatch::is_worth_levels;
use super::super::names::Names;
use super::super::storage::Storage;
use crate::ir::{BufferId, Program, parse, verify};

/// The code of a program's body and of its tasks, as tokens with single spaces.
pub(super) fn emitted(text: &str) -> (String, String) {
    emitted_of(text, true)
}

/// The same; `fuses` is whether products and sums may be one operation.
pub(super) fn emitted_of(text: &str, fuses: bool) -> (String, String) {
    emitted_in(text, fuses, false)
}

/// The same; `levels` is whether the body is compiled for each level.
fn emitted_in(text: &str, fuses: bool, levels: bool) -> (String, String) {
    let mut program = parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    program.fuses = fuses;
    emitted_program(&program, text, levels)
}

/// The same of the program of a text.
pub(super) fn emitted_program(program: &Program, text: &str, levels: bool) -> (String, String) {
    if let Err(violations) = verify::verify(program) {
        panic!("{violations:?}\n{text}");
    }
    let mut names = Names::default();
    let storage = |names: &mut Names, param: BufferId| {
        let buffer = &program[param];
        let name = names.fresh(&buffer.name);
        match buffer.rank() {
            0 => (param, Storage::Scalar { name, reference: false }),
            _ => (param, Storage::Host { name, fields: Default::default() }),
        }
    };
    let host = program.params.iter().map(|&param| storage(&mut names, param)).collect();
    let consts = syn::Generics::default();
    let mut emitter = Emitter::new(program, code!(rt), &consts, &mut names, host);
    emitter.by_level = levels;
    let body = emitter.function(&[], &program.body).to_string();
    let tasks = emitter.tasks.take().items.to_string();
    (body, tasks)
}

/// The body of the function that all levels share.
pub(super) fn task(text: &str) -> String {
    let (_, tasks) = emitted(text);
    let start = tasks.find("Vector as _ } ;").expect("a task") + "Vector as _ } ;".len();
    let end = tasks.find("fn _task_0_baseline").expect("its wrappers");
    tasks[start..end].trim().trim_end_matches('}').trim().to_owned()
}

/// `text` with a lane loop over `l` in `0..n` around `body`.
pub(super) fn lanes(body: &str) -> String {
    let params = "n: in usize, s: in f64, x: in f64[_], k: in usize[_], y: inout f64[_]";
    let body = body.trim_matches('\n').replace("\n", "\n      ");
    task(&format!(
        "fn f({params})\n  for c in 0..1 parallel(task)\n    for l in 0..n lanes(128)\n      {body}\n"
    ))
}

#[track_caller]
pub(super) fn contains(code: &str, part: &str) {
    assert!(code.contains(part), "no `{part}` in\n{code}");
}

#[track_caller]
pub(super) fn lacks(code: &str, part: &str) {
    assert!(!code.contains(part), "`{part}` in\n{code}");
}

#[test]
fn a_loop_over_integers_alone_loads_them_in_whole_registers() {
    let of = |body: &str| {
        task(&format!(
            "fn f(n: in usize, x: in f64[_], k: in u32[_], m: inout u32[_], y: inout f64[_])
  for c in 0..1 parallel(task)
    for l in 0..n lanes(128)
      {body}
"
        ))
    };
    let code = of("m[l] = wrapping_add(k[l], m[l])");
    contains(&code, "k_run . whole (at)");
    contains(&code, "m_run . whole (at)");
    // elements beside each other, and loops without floats
    lacks(&of("m[l] = k[l * 2]"), "whole (");
    lacks(&of("y[l] = x[l] * k[l] as f64"), "whole (");
}

#[test]
fn a_task_is_a_function_for_every_level_and_takes_what_it_mentions() {
    let (body, tasks) = emitted(
        "fn f(n: in usize, s: in f64, x: in f64[_], w: in f64[_, 3], y: inout f64[_, 2])
  for c in 0..n parallel(task)
    y[c, 1] += x[c] * w[c, 2]
",
    );
    contains(
        &body,
        "let (chunks , w_dim0 , y_dim0 , x , w , y ,) = (n , w . len () , y . len () , & x [..] , w [..] . as_flattened () , rt :: Disjoint :: new (y [..] . as_flattened_mut ()) ,) ;",
    );
    contains(&body, "rt :: simd :: Level :: Avx512 => Self :: _task_0_avx512");
    contains(&body, "rt :: tasks (chunks , & move | c | unsafe { task (c , w_dim0 , y_dim0 , x , w , y");
    lacks(&body, ", s");
    contains(
        &tasks,
        "# [inline (always)] fn _task_0 < S : rt :: simd :: Isa > (_level : S , c : usize , w_dim0 : usize , y_dim0 : usize , x : & [f64] , w : & [f64] , y : rt :: Disjoint < '_ , f64 >",
    );
    contains(&tasks, "# [target_feature (enable = \"avx2,fma\")] unsafe fn _task_0_avx2");
    contains(&tasks, "x [c] * w [c * 3 + 2]");
    // one body, three wrappers
    assert_eq!(tasks.matches("x [c]").count(), 1);
    assert_eq!(tasks.matches("Self :: _task_0 (rt :: simd ::").count(), 3);
}

#[test]
fn serial_code_of_some_weight_is_worth_a_version_for_each_level() {
    let is_worth = |body: &str| {
        let text =
            format!("fn f(n: in usize, x: in f64[_], y: inout f64[_])\n  {}\n", body.replace('\n', "\n  "));
        let program = parse(&text).expect("a program");
        let consts = syn::Generics::default();
        let emitter = Emitter::new(&program, code!(rt), &consts, &mut Names::default(), Vec::new());
        is_worth_levels(&emitter, &program.body)
    };
    assert!(is_worth("for i in 0..n\n  y[i] += poly::exp(x[i])"));
    assert!(is_worth("for i in 0..n\n  for j in 0..i\n    y[i] += x[j] * x[i]"));
    // constant bounds, std's functions, sums of parts, tasks
    assert!(!is_worth("for i in 0..3\n  y[i] += poly::exp(x[i])"));
    assert!(!is_worth("for i in 0..n\n  y[i] += exp(x[i])"));
    assert!(!is_worth("for i in 0..n\n  for j in 0..3\n    y[j] += x[i]"));
    assert!(!is_worth("for i in 0..n parallel(task)\n  y[i] += poly::exp(x[i])"));
}

#[test]
fn the_only_chunk_of_a_row_in_a_loop_runs_in_place() {
    let text = |body: &str| {
        let body = body.replace('\n', "\n  ");
        format!("fn f(n: in usize, m: in usize, x: in f64[_], y: inout f64[_])\n  {body}\n")
    };
    let row = "for t in 0..n sequential\n  for c in 0..m parallel(task)\n";
    let in_place = "if chunks == 1 { Self :: _task_0 (_level , 0_usize , n";
    let (body, tasks) =
        emitted_in(&text(&format!("{row}    for i in 0..n sequential\n      y[i] += x[c]")), true, true);
    contains(&body, in_place);
    contains(&body, "} else { let task : unsafe fn");
    assert_eq!(tasks.matches("+= x [c]").count(), 1, "{tasks}");
    // loops in blocks are rows
    let blocks = "    for b in 0..n step 128 sequential\n      for l in 0..128 lanes(128)\n        y[b + l] += x[b + l]";
    contains(&emitted_in(&text(&format!("{row}{blocks}")), true, true).0, in_place);
    // many rows in a task, no loop around it, code that is compiled once
    let rows = "    for i in 0..n sequential\n      for j in 0..n sequential\n        y[i * n + j] += x[c]";
    lacks(&emitted_in(&text(&format!("{row}{rows}")), true, true).0, "chunks == 1");
    let alone = "for c in 0..m parallel(task)\n  for i in 0..n sequential\n    y[i] += x[c]";
    lacks(&emitted_in(&text(alone), true, true).0, "chunks == 1");
    lacks(
        &emitted_in(&text(&format!("{row}    for i in 0..n sequential\n      y[i] += x[c]")), true, false).0,
        "chunks == 1",
    );
}

#[test]
fn programs_without_tasks_dispatch_nothing() {
    let (body, tasks) = emitted("fn f(x: in f64[_], y: inout f64[_])\n  for i in 0..3\n    y[i] += x[i]\n");
    assert_eq!(tasks, "");
    assert_eq!(body, "for i in 0 .. 3_usize { y [i] += x [i] ; }");
}

#[test]
fn what_grows_in_a_loop_keeps_its_memory() {
    let code = task(
        "fn f(n: in usize, y: inout f64[_])
  for c in 0..n parallel(task)
    for b in 0..n sequential
      scope t: f64[_] growing thread
        t[b] = 1.0
        y[c] += t[b]
",
    );
    assert!(code.find("Growing :: < f64 > :: new").unwrap() < code.find("for b").unwrap(), "{code}");
    assert!(code.find("t . clear ()").unwrap() > code.find("for b").unwrap(), "{code}");
    assert_eq!(code.matches("Growing :: < f64 > :: new").count(), 1);
}

#[test]
fn what_calls_a_task_owns_its_memory() {
    let text = |extent: &str| {
        format!(
            "fn f(n: in usize, y: inout f64[_])
  for c in 0..n parallel(task)
    scope t: f64[{extent}] thread
      t[0] = 1.0
      y[c] += t[0]
"
        )
    };
    let (body, tasks) = emitted(&text("n"));
    contains(&tasks, "fn _task_0 < S : rt :: simd :: Isa > (_level : S , arena : & rt :: Arena , c : usize");
    contains(&tasks, "Self :: _task_0 (rt :: simd :: Avx512 , arena , c , n , y)");
    contains(&body, "task (& rt :: Arena :: new () , c , n , y)");
    lacks(&tasks, "Arena :: new");
    // a task without such memory has none
    let (body, tasks) = emitted(&text("4"));
    lacks(&body, "Arena");
    lacks(&tasks, "Arena");
}

#[test]
fn scratch_of_a_chunk_is_taken_once() {
    let text = |extent: &str| {
        format!(
            "fn f(n: in usize, y: inout f64[_])
  for c in 0..n parallel(task)
    for b in 0..n sequential
      scope t: f64[{extent}] thread
        t[0] = 1.0
        y[c] += t[0]
"
        )
    };
    let once = task(&text("2 * n"));
    assert!(once.find("arena . scratch").unwrap() < once.find("for b").unwrap(), "{once}");
    // the size may be another one in each iteration
    let inside = task(&text("b + 1"));
    assert!(inside.find("rt :: Room :: < f64 > :: new").unwrap() < inside.find("for b").unwrap(), "{inside}");
    assert!(inside.find("t_room . array (").unwrap() > inside.find("for b").unwrap(), "{inside}");
    // a few elements stay on the stack
    contains(&task(&text("4")), "let mut t = [0.0_f64 ; 4] ;");
}

#[test]
fn a_range_that_every_iteration_reads_is_checked_before_the_loop() {
    let code = lanes("y[l] = x[l + 1] * s");
    contains(
        &code,
        "let x_run = rt :: access :: run (x , 1_usize , count , & rt :: access :: Site (\"f\" , \"x\" , \"x[l + 1]\")) ;",
    );
    contains(
        &code,
        "y_run . store (at , unsafe { x_run . load :: < S :: F64 > (at) } * S :: F64 :: splat (s))",
    );
    assert!(code.find("x_run").unwrap() < code.find("while").unwrap());
    let strided = lanes("y[l] = x[3 * l + n]");
    contains(&strided, "rt :: access :: strided (x , n , (3) , count ,");
}

#[test]
fn accesses_under_a_condition_or_in_a_loop_are_checked_where_they_stand() {
    let code = lanes("if x[l] > 0.0\n  y[l] = x[l + 1]");
    lacks(&code, "rt :: access :: run (x , 1_usize");
    contains(
        &code,
        "rt :: access :: load_masked :: < _ , S :: F64 > (x , usize :: wrapping_add (1_usize , l) , active",
    );
    let code = lanes("for j in 0..n\n  y[l] += x[l + j]");
    lacks(&code, "rt :: access :: run");
    contains(&code, "rt :: access :: load");
}

#[test]
fn what_a_loop_that_runs_anyway_accesses_is_checked_before_the_lanes() {
    let in_loop = |bounds: &str, index: &str| lanes(&format!("for j in {bounds}\n  y[l] += x[{index}]"));
    let strided = "rt :: access :: strided (x , n , (3) , count ,";
    let code = in_loop("0..3", "3 * l + n");
    contains(&code, strided);
    assert!(code.find(strided).unwrap() < code.find("while").unwrap());
    contains(&in_loop("0..3", "l + n"), "rt :: access :: run (x , n , count ,");
    // a loop that may have no iteration, and an index that its iterations change
    for (bounds, index) in [("0..n", "3 * l + n"), ("3..3", "3 * l + n"), ("0..3", "3 * l + j")] {
        lacks(&in_loop(bounds, index), "rt :: access :: strided (x");
    }
    // under a condition in the loop
    lacks(&lanes("for j in 0..3\n  if j > n\n    y[l] += x[3 * l + n]"), "rt :: access :: strided (x");
    // in a loop that may have no iteration, around it
    lacks(&lanes("for i in 0..n\n  for j in 0..3\n    y[l] += x[3 * l + n]"), "rt :: access :: strided (x");
}

#[test]
fn what_no_iteration_changes_is_loaded_before_the_loop() {
    let code = lanes("y[l] = x[n]");
    let load = code.find("let x_here : f64 = x [n] ;").expect("the load");
    assert!(load < code.find("while").unwrap());
    // under a condition the element need not exist
    lacks(&lanes("if k[l] > 3\n  y[l] = x[n]"), "x_here");
    // and what the loop writes may change
    lacks(&lanes("y[l + 1] = y[0]"), "y_here");
}

#[test]
fn rows_of_scratch_are_written_in_whole_vectors() {
    let text = |space: &str| {
        format!(
            "fn f(n: in usize, x: in f64[_], y: inout f64[_])
  for c in 0..1 parallel(task)
    scope q: f64[4, 128]{space}, w: usize
      w = int::min(n, 128)
      for l in 0..w lanes(128)
        q[1, l] = 2.0
      y[0] = q[1, 0]
"
        )
    };
    let whole = task(&text(" thread"));
    lacks(&whole, "S :: Mask :: first");
    contains(&whole, "let count = usize :: saturating_add (count , 7) / 8 * 8 ;");
    // memory of others has no room behind the last element
    contains(&task(&text("")), "S :: Mask :: first");
}

#[test]
fn rows_of_as_many_lanes_as_fit_are_written_in_whole_vectors() {
    let text = |lanes: &str| {
        format!(
            "fn f(n: in usize, x: in f64[_], y: inout f64[_])
  for c in 0..1 parallel(task)
    scope lanes: usize
      lanes = {lanes}
      scope q: f64[n, lanes] thread, w: usize
        w = int::min(n, lanes)
        for l in 0..w lanes(128)
          q[n - 1, l] = 2.0
        y[0] = q[0, 0]
"
        )
    };
    for lanes in ["int::min(int::max(65536 / n * 8, 64), 128)", "8 * n + 16"] {
        lacks(&task(&text(lanes)), "S :: Mask :: first");
    }
    for lanes in ["n", "int::min(8 * n, 100)", "saturating_mul(8, n)", "8 * n + 1"] {
        contains(&task(&text(lanes)), "S :: Mask :: first");
    }
    // nor what is assigned twice
    let twice = text("64").replace("      lanes = 64", "      lanes = 64\n      lanes = 64");
    contains(&task(&twice), "S :: Mask :: first");
}

#[test]
fn locals_are_declared_by_their_first_assignment() {
    let code = lanes("scope t: f64 thread\n  t = x[l] * s\n  t += s\n  y[l] = t");
    contains(&code, "let mut t : S :: F64 = unsafe");
    lacks(&code, "let mut t : S :: F64 = S :: F64 :: splat (0.0_f64)");
    // not under a condition, nor by an update
    for first in ["if x[l] > s\n    t = s", "t += x[l]"] {
        let code = lanes(&format!("scope t: f64 thread\n  {first}\n  t = t + s\n  y[l] = t"));
        contains(&code, "let mut t : S :: F64 = S :: F64 :: splat (0.0_f64)");
    }
}

#[test]
fn a_body_without_a_vector_form_is_an_ordinary_loop() {
    // 300 vectors are a local array
    let code = task(
        "fn f(n: in usize, x: in f64[_], y: inout f64[_])
  for c in 0..1 parallel(task)
    for l in 0..n lanes(128)
      scope row: f64[300]
        row[0] = x[l]
        y[l] = row[0]
",
    );
    contains(&code, "S :: F64");
    let (_, tasks) = emitted(
        "fn f(n: in usize, x: in f64[_], y: inout f64[_])
  for c in 0..1 parallel(task)
    for l in 0..n lanes(128)
      scope row: f64[5000]
        row[0] = x[l]
        y[l] = row[0]
",
    );
    contains(&tasks, "for l in 0 .. n {");
    lacks(&tasks, "S :: F64");
}

#[test]
fn a_few_operations_run_under_a_mask_without_the_question_whether_a_lane_is_active() {
    let body = |then: &str| format!("\nscope t: f64 thread\n  t = x[l]\n  if t > s\n    {then}\n  y[l] = t");
    for then in ["t = t * 2.0 + s", "if t > 1.0\n      t += s\n    else\n      t = -t"] {
        let code = lanes(&body(then));
        contains(&code, "select (active");
        lacks(&code, ". any ()");
    }
    // what takes long, what touches memory, what may panic, and sums of all lanes
    for then in ["t = t / x[l]", "t = sqrt(t)", "t = x[l]", "t = x[2]", "check n < len(x) \"x\"", "y[0] += t"]
    {
        contains(&lanes(&body(then)), ". any ()");
    }
}

#[test]
fn the_first_value_of_a_local_goes_to_all_lanes() {
    let body = |arm: &str| {
        format!("\nscope t: f64 thread\n  if x[l] > s\n    {arm}\n  else\n    t = s / x[l]\n  y[l] = t")
    };
    let code = lanes(&body("t = x[l] / s"));
    let whole = code.split("while").nth(1).unwrap_or_default();
    assert_eq!(whole.matches("t = S :: F64 :: select (active").count(), 1, "{whole}");
    // what an earlier round of the loop left is kept
    let code = lanes(&body("for j in 0..2\n      t = x[l] / s"));
    contains(&code, "for j in 0 .. 2_usize { t = S :: F64 :: select (active ,");
}

#[test]
fn what_is_written_under_one_mask_alone_goes_to_all_lanes() {
    let code = lanes(
        "
scope t: f64[4] thread
  if x[l] > s
    for j in 0..4
      t[j] = s / x[l]
  if x[l] > s
    y[l] = t[2]",
    );
    contains(&code, "t [j] = ");
    lacks(&code, "select");
    // lanes that are active in one round keep their values in the next one
    let code = lanes(
        "
scope t: f64[4] thread
  for j in 0..4
    if x[l + j] > s
      t[j / 2] = s / x[l]
  y[l] = 1.0",
    );
    contains(&code, "= S :: F64 :: select (active");
}

#[test]
fn rows_of_tapes_that_are_visited_downwards_are_asked_for() {
    let code = |order: &str, role: &str, index: &str| {
        task(&format!(
            "fn f(n: in usize, y: inout f64[_])
  scope t: {role}f64[n, n]
    for a in 0..n{order}
      for c in 0..1 parallel(task)
        for l in 0..n lanes(128)
          y[l] += t[{index}]
"
        ))
    };
    contains(&code(" down", "tape ", "a, l"), "t_run . behind (at) ;");
    // upwards the core asks itself; so it does along a row, and for what is no tape
    lacks(&code("", "tape ", "a, l"), "behind");
    lacks(&code(" down", "tape ", "0, l"), "behind");
    lacks(&code(" down", "", "a, l"), "behind");
}

#[test]
fn lane_loops_in_no_task_are_vectors_where_the_code_is_compiled_for_each_level() {
    let text = "fn f(n: in usize, x: in f64[_], y: inout f64[_], k: in usize)
  for t in 0..n
    for l in 0..n lanes(128)
      y[k] += poly::exp(x[l])
";
    // without levels there are no vectors: the loop means the same
    let (body, _) = emitted(text);
    contains(&body, "for l in 0 .. n");
    let (body, _) = emitted_in(text, true, true);
    contains(&body, "let y = rt :: Disjoint :: new (& mut y [..]) ;");
    contains(&body, "y_lanes = y_lanes + ");
    lacks(&body, "for l in 0 .. n");
}

#[test]
fn vectors_begin_at_lines_of_what_is_written() {
    for body in ["y[l] = x[l]", "y[l] += x[l] * s", "scope t: f64 thread\n  t = x[l]\n  y[l] = t * t"] {
        let code = lanes(&format!("\n{body}"));
        contains(&code, "let mut part = y_run . before_line () ; loop { if part > 0 {");
        assert_eq!(
            code.matches("S :: Mask :: first").count(),
            1,
            "the body under a mask is there once: {code}"
        );
    }
}

#[test]
fn vectors_of_rows_with_room_begin_at_the_first_element() {
    // behind the first line, the last vector would end behind the room
    let code = task(
        "fn f(x: in f64[_], y: inout f64[_], n: in usize)
  for c in 0..1 parallel(task)
    scope t: f64[n] padded(8) thread
      for l in 0..n lanes(128)
        t[l] = x[l]
      for l.2 in 0..n lanes(128)
        y[l.2] = t[l.2] * x[l.2]
",
    );
    contains(&code, "t_run");
    lacks(&code, "before_line");
}

#[test]
fn a_position_that_a_local_stands_for_is_known() {
    let body = |from: &str, rest: &str| format!("\nscope from: isize thread\n  from = {from}\n  {rest}");
    let code = lanes(&body("(n as isize - 2) * n as isize + l as isize - 1", "y[l] = x[n + from as usize]"));
    contains(&code, "x_run . load");
    lacks(&code, "gather");
    // two values in one iteration, one under a condition, and one that does not move from element to element
    for (from, rest) in [
        ("l as isize", "y[l] = x[from as usize]\n  from = from + 1\n  y[l] += x[from as usize]"),
        ("l as isize / 2", "y[l] = x[from as usize]"),
        ("k[l] as isize", "y[l] = x[from as usize]"),
    ] {
        contains(&lanes(&body(from, rest)), "gather");
    }
}

#[test]
fn loops_write_rows_that_are_there() {
    let text = "fn f(n: in usize, m: in usize, x: in f64[_], y: inout f64[_])
  scope t: tape f64[_, m] reached
    for k in 0..n
      call reach [k + 1] reads() writes(t)
      for j in 0..m
        t[k, j] = x[j]
    for i in 0..n
      y[i] += t[i, 0]
";
    let code = emitted(text).0;
    assert!(code.contains("t . reach (k + 1 , m) ; for j in 0 .. m { t [k * m + j] = x [j] ; }"), "{code}");
}
