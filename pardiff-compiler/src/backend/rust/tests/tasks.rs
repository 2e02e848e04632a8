//! Tasks that do the same are one function.

use super::schedules::{contains, emitted_program};
use crate::ir::parse;

/// Two loops of tasks, in order, over these bodies.
fn two(first: &str, second: &str) -> (String, String) {
    let body = |c: &str, body: &str| {
        format!("  for {c} in 0..n parallel(task)\n    {}\n", body.replace('\n', "\n    "))
    };
    let params = "n: in usize, m: in usize, x: in f64[_], w: in f64[_], y: inout f64[_]";
    let text = format!("fn f({params})\n{}{}", body("c", first), body("d", &second.replace("[c]", "[d]")));
    let mut program = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    program.iters[1].name = "c".to_owned();
    program
        .buffers
        .iter_mut()
        .filter(|buffer| buffer.name == "u")
        .for_each(|buffer| buffer.name = "t".to_owned());
    emitted_program(&program, &text, false)
}

#[test]
fn tasks_that_differ_in_the_names_of_locals_are_one_function() {
    let body = "scope t: f64\n  t = x[c] * 2.0\n  y[c] = t";
    let (calls, tasks) = two(body, "scope u: f64\n  u = x[c] * 2.0\n  y[c] = u");
    assert_eq!(tasks.matches("x [c] * 2.0").count(), 1, "{tasks}");
    assert_eq!(calls.matches("Self :: _task_0_avx512").count(), 2, "{calls}");
    // what is taken has another name outside
    contains(&calls, "let (chunks , x , y ,) = (n , & x [..] , rt :: Disjoint :: new (& mut y [..]) ,) ;");
}

#[test]
fn tasks_over_other_arrays_numbers_or_lengths_are_not() {
    let body = "y[c] = x[c] * 2.0";
    for other in ["y[c] = w[c] * 2.0", "y[c] = x[c] * 3.0", "y[c] = x[m] * 2.0", "y[c] += x[c] * 2.0"] {
        let (calls, tasks) = two(body, other);
        assert!(calls.contains("Self :: _task_1_avx512"), "{other}: {calls}");
        assert!(tasks.contains("fn _task_1 <"), "{other}: {tasks}");
    }
}
