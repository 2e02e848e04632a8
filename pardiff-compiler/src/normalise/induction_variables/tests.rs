use super::close;
use crate::equivalence::{Args, assert_pass, assert_same, assert_unchanged, program};
use crate::ir::interp::Array;

fn floats(count: usize) -> Array<f64> {
    Array::floats(&(0..count).map(|k| 1.0 + k as f64 / 7.0).collect::<Vec<_>>())
}

fn sizes(list: &[i128], count: usize) -> Vec<Args> {
    list.iter().map(|&n| vec![floats(count), Array::int(n)]).collect()
}

#[test]
fn a_rectangular_nest_with_reads_on_both_sides() {
    assert_pass(
        close,
        "
        fn f(x: in f64[_], n: in usize) -> s: f64, end: usize
          scope p: usize
            s = 0.0
            p = 2
            for i in 0..n
              check p < len(x) index \"x\" \"x[p]\"
              s += x[p]
              p = p + 1
              for j in 0..3
                check p < len(x) index \"x\" \"x[p]\"
                s += 2.0 * x[p]
                p = 1 + p
              check p < len(x) index \"x\" \"x[p]\"
              s += x[p]
            end = p
        ",
        "
        fn f(x: in f64[_], n: in usize) -> s: f64, end: usize
          scope p: usize
            s = 0.0
            p = 2
            for i in 0..n
              check i + i * 3 + 2 < len(x) index \"x\" \"x[p]\"
              s += x[i + i * 3 + 2]
              for j in 0..3
                check i + i * 3 + j + 3 < len(x) index \"x\" \"x[p]\"
                s += 2.0 * x[i + i * 3 + j + 3]
              check i + i * 3 + 6 < len(x) index \"x\" \"x[p]\"
              s += x[i + i * 3 + 6]
            p = n + n * 3 + 2
            end = p
        ",
        sizes(&[0, 1, 4, 50], 40),
    );
}

#[test]
fn a_strict_upper_triangle() {
    assert_pass(
        close,
        "
        fn f(l: in f64[_], d: in usize) -> s: f64, end: usize
          scope p: usize
            s = 0.0
            p = d
            for i in 0..d
              for j in i + 1..d
                check p < len(l) index \"l\" \"l[p]\"
                s += l[p] * 0.5
                p = p + 1
            end = p
        ",
        "
        fn f(l: in f64[_], d: in usize) -> s: f64, end: usize
          scope p: usize
            s = 0.0
            p = d
            for i in 0..d
              for j in i + 1..d
                check d + (i * d - (i * i + i) / 2) + (j - (i + 1)) < len(l) index \"l\" \"l[p]\"
                s += l[d + (i * d - (i * i + i) / 2) + (j - (i + 1))] * 0.5
            p = d + (d * d - (d * d + d) / 2)
            end = p
        ",
        sizes(&[0, 1, 2, 5, 9], 40),
    );
}

#[test]
fn lower_triangles_from_any_constant() {
    assert_pass(
        close,
        "
        fn f(l: in f64[_], d: in usize) -> s: f64, end: usize
          scope p: usize
            s = 0.0
            p = 0
            for i in 2..d
              for j in 0..i
                check p < len(l) index \"l\" \"l[p]\"
                s += l[p]
                p = p + 1
            for r in 0..d
              for c in 0..=r
                check p < len(l) index \"l\" \"l[p]\"
                s += l[p]
                p = p + 1
            end = p
        ",
        "
        fn f(l: in f64[_], d: in usize) -> s: f64, end: usize
          scope p: usize
            s = 0.0
            p = 0
            for i in 2..d
              for j in 0..i
                check (i * i - i) / 2 - 1 + j < len(l) index \"l\" \"l[p]\"
                s += l[(i * i - i) / 2 - 1 + j]
            p = (int::max(d, 2) * int::max(d, 2) - int::max(d, 2)) / 2 - 1
            scope p_start: usize
              p_start = p
              for r in 0..d
                for c in 0..=r
                  check p_start + (r * r + r) / 2 + c < len(l) index \"l\" \"l[p]\"
                  s += l[p_start + (r * r + r) / 2 + c]
              p = p_start + (d * d + d) / 2
            end = p
        ",
        sizes(&[0, 1, 2, 3, 5, 9], 60),
    );
}

#[test]
fn an_invariant_step_a_reset_and_a_loop_that_goes_down() {
    assert_pass(
        close,
        "
        fn f(x: in f64[_], d: in usize) -> s: f64
          s = 0.0
          for i in 0..4
            scope p: usize
              p = i * d
              for j in 0..3 down
                check p < len(x) index \"x\" \"x[p]\"
                s += x[p]
                p = p + d
              for k in 1..d step 2
                p = p + 1
                check p < len(x) index \"x\" \"x[p]\"
                s += x[p]
        ",
        "
        fn f(x: in f64[_], d: in usize) -> s: f64
          s = 0.0
          for i in 0..4
            scope p: usize
              p = i * d
              for j in 0..3 down
                check i * d + (3 - j - 1) * d < len(x) index \"x\" \"x[p]\"
                s += x[i * d + (3 - j - 1) * d]
              p = i * d + 3 * d
              for k in 1..d step 2
                check i * d + 3 * d + (k - 1) / 2 + 1 < len(x) index \"x\" \"x[p]\"
                s += x[i * d + 3 * d + (k - 1) / 2 + 1]
        ",
        sizes(&[0, 1, 2, 5], 60),
    );
}

#[test]
fn inside_rows_of_their_own_length_only_the_row_is_closed() {
    assert_pass(
        close,
        "
        fn f(x: in f64[_], n: in usize, ptr: in usize[_]) -> s: f64
          scope p: usize
            s = 0.0
            p = 0
            for i in 0..n
              for k in ptr[i]..ptr[i + 1]
                check p < len(x) index \"x\" \"x[p]\"
                s += x[p]
                p = p + 1
        ",
        "
        fn f(x: in f64[_], n: in usize, ptr: in usize[_]) -> s: f64
          scope p: usize
            s = 0.0
            p = 0
            for i in 0..n
              scope p_start: usize
                p_start = p
                for k in ptr[i]..ptr[i + 1]
                  check p_start + (k - ptr[i]) < len(x) index \"x\" \"x[p]\"
                  s += x[p_start + (k - ptr[i])]
                p = p_start + trip_count(ptr[i], ptr[i + 1], 1)
        ",
        vec![vec![floats(9), Array::int(4), Array::usizes(&[1, 3, 3, 2, 7])]],
    );
}

#[test]
fn anything_else_stays_an_integer_variable() {
    for body in [
        // under a condition
        "if x[i] > 0.0\n                    p = p + 1",
        // the step changes in the nest
        "p = p + q\n                  q = q + p",
        // set to something else on the way
        "p = p + 1\n                  p = p * 2",
        // a counter of another type than the iterator
        "c = c + 1i32",
    ] {
        let text = format!(
            "
            fn f(x: in f64[_], n: in usize) -> s: f64
              scope p: usize, q: usize, c: i32
                s = 0.0
                p = 0
                q = 1
                c = 0
                for i in 0..n
                  {body}
            "
        );
        assert_unchanged(close, &text);
    }
}

#[test]
fn only_the_inner_loop_where_half_of_a_square_might_overflow() {
    // no `Check` keeps this counter small
    assert_pass(
        close,
        "
        fn f(n: in usize) -> end: usize
          scope p: usize
            p = 0
            for i in 0..n
              for j in 0..i
                end = p
                p = p + 1
            end = p
        ",
        "
        fn f(n: in usize) -> end: usize
          scope p: usize
            p = 0
            for i in 0..n
              scope p_start: usize
                p_start = p
                for j in 0..i
                  end = p_start + j
                p = p_start + i
            end = p
        ",
        [0, 1, 5].map(|n| vec![Array::int(n)]).to_vec(),
    );
}

#[test]
fn a_counter_that_overflows_panics_still() {
    let text = "
        fn f(start: in u32, n: in u32) -> s: f64
          scope p: u32
            s = 0.0
            p = start
            for i: u32 in 0..n
              s += p as f64
              p = p + 1000000000
    ";
    let before = program(text);
    let after = close(before.clone());
    assert!(after.to_string().contains("start + i * 1000000000"), "{after}");
    let runs = [(0, 0), (0, 4), (0, 5), (1000000000, 3), (1000000000, 4)];
    let runs = runs.map(|(start, n)| vec![Array::int(start), Array::int(n)]);
    assert_same(&before, &after, runs.to_vec());
}
