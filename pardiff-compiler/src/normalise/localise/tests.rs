use super::localise;
use crate::equivalence::{assert_pass, assert_unchanged};
use crate::ir::interp::Array;

#[test]
fn temporaries_of_an_iteration_live_in_it() {
    let runs = [(0, 2), (1, 2), (3, 2), (2, 0)].map(|(n, d): (usize, usize)| {
        let x: Vec<f64> = (0..n * d).map(|k| 0.5 + k as f64).collect();
        vec![Array::floats(&x), Array::int(n as i128), Array::int(d as i128)]
    });
    assert_pass(
        localise,
        "
        fn f(x: in f64[_], n: in usize, d: in usize) -> total: f64
          total = 0.0
          scope y: f64[d], s: f64
            for k in 0..d
              y[k] = 0.0
            for i in 0..n
              for j in 0..d
                check i * d + j < len(x) index \"x\" \"x[i * d + j]\"
                y[j] = x[i * d + j]
              s = 0.0
              for a in 0..d
                for b in a + 1..d
                  y[b] += y[a] * 0.25
              for j.2 in 0..d
                s += y[j.2] * y[j.2]
              total += s
        ",
        "
        fn f(x: in f64[_], n: in usize, d: in usize) -> total: f64
          total = 0.0
          for k in 0..d
            scope y: f64[d]
              y[k] = 0.0
          for i in 0..n
            scope y.2: f64[d], s: f64
              for j in 0..d
                check i * d + j < len(x) index \"x\" \"x[i * d + j]\"
                y.2[j] = x[i * d + j]
              s = 0.0
              for a in 0..d
                for b in a + 1..d
                  y.2[b] += y.2[a] * 0.25
              for j.2 in 0..d
                s += y.2[j.2] * y.2[j.2]
              total += s
        ",
        runs.to_vec(),
    );
}

#[test]
fn a_local_of_several_loops_is_split_between_them() {
    assert_pass(
        localise,
        "
        fn f(x: in f64[_]) -> total: f64
          total = 0.0
          scope t: f64, k: usize
            for i in 0..len(x)
              t = x[i] * 2.0
              total += t
            k = 1
            for i.2 in 0..len(x)
              if x[i.2] > 0.0
                t = 1.0
              else
                t = x[i.2]
              total += t * t
            total += k as f64
        ",
        "
        fn f(x: in f64[_]) -> total: f64
          total = 0.0
          scope k: usize
            for i in 0..len(x)
              scope t: f64
                t = x[i] * 2.0
                total += t
            k = 1
            for i.2 in 0..len(x)
              scope t.2: f64
                if x[i.2] > 0.0
                  t.2 = 1.0
                else
                  t.2 = x[i.2]
                total += t.2 * t.2
            total += k as f64
        ",
        vec![vec![Array::floats(&[1.0, -2.0])]],
    );
}

#[test]
fn matrices_and_recurrences_inside_an_iteration_are_covered() {
    let x: Vec<f64> = (0..24).map(|k| k as f64 * 0.25 - 2.0).collect();
    assert_pass(
        localise,
        "
        fn f(x: in f64[6, 2, 2], y: inout f64[6])
          scope m: f64[2, 2], p: f64[4]
            for i in 0..6
              for a in 0..2
                for b in 0..2
                  m[a, b] = x[i, a, b]
              p[0] = m[0, 0]
              for c in 1..4
                p[c] = p[c - 1] * m[1, 1] + 1.0
              y[i] += p[3] * m[1, 0]
        ",
        "
        fn f(x: in f64[6, 2, 2], y: inout f64[6])
          for i in 0..6
            scope m: f64[2, 2], p: f64[4]
              for a in 0..2
                for b in 0..2
                  m[a, b] = x[i, a, b]
              p[0] = m[0, 0]
              for c in 1..4
                p[c] = p[c - 1] * m[1, 1] + 1.0
              y[i] += p[3] * m[1, 0]
        ",
        vec![vec![Array { dims: vec![6, 2, 2], ..Array::floats(&x) }, Array::floats(&[1.0; 6])]],
    );
}

#[test]
fn a_local_used_in_one_arm_lives_there() {
    assert_pass(
        localise,
        "
        fn f(x: in f64) -> y: f64
          scope t: f64
            if x > 0.0
              t = x * x
              y = t * t
            else
              y = 1.0
        ",
        "
        fn f(x: in f64) -> y: f64
          if x > 0.0
            scope t: f64
              t = x * x
              y = t * t
          else
            y = 1.0
        ",
        vec![vec![Array::float(2.0)], vec![Array::float(-2.0)]],
    );
}

#[test]
fn values_that_flow_between_iterations_keep_their_local_outside() {
    // an accumulator, a recurrence, a buffer that is read before it is written, swapped buffers
    assert_unchanged(
        localise,
        "
        fn f(x: in f64[_], d: in usize) -> total: f64
          scope s: f64, previous: f64, y: f64[d], a: f64[4], b: f64[4]
            s = 0.0
            previous = 0.0
            for k in 0..d
              y[k] = 0.0
            for k.2 in 0..4
              a[k.2] = x[k.2]
            for i in 0..len(x)
              s += x[i] * previous
              previous = x[i]
              for j in 0..d
                y[j] += x[i]
              for k.3 in 0..4
                b[k.3] = a[k.3] * 0.5
              swap a, b
            for k.4 in 0..d
              s += y[k.4] * a[0]
            total = s
        ",
    );
}

#[test]
fn what_is_read_after_the_loop_stays_outside() {
    assert_unchanged(
        localise,
        "
        fn f(x: in f64[_], d: in usize) -> total: f64
          scope last: f64, y: f64[d]
            last = 0.0
            total = 0.0
            for k in 0..d
              y[k] = 0.0
            for i in 0..len(x)
              last = x[i]
              for j in 0..d
                y[j] = x[i] * 2.0
              total += last
            for k.2 in 0..d
              total += y[k.2]
            total += last
        ",
    );
}

#[test]
fn partial_and_conditional_writes_cover_nothing() {
    // one element short, every other element, under a condition, another row, as many as some number says
    for write in [
        "for j in 1..d\n        y[j] = x[i]",
        "for j in 0..d step 2\n        y[j] = x[i]",
        "for j in 0..d\n        if x[i] > 0.0\n          y[j] = x[i]",
        "for j in 0..i\n        y[j] = x[i]",
        "for j in 0..e\n        y[j] = x[i]",
    ] {
        assert_unchanged(
            localise,
            &format!(
                "
fn f(x: in f64[_], d: in usize, e: in usize) -> total: f64
  total = 0.0
  scope y: f64[d]
    for k in 0..d
      y[k] = 0.0
    for i in 0..len(x)
      {write}
      for j.2 in 0..d
        total += y[j.2]
"
            ),
        );
    }
}

#[test]
fn an_element_written_later_in_the_iteration_covers_nothing() {
    assert_unchanged(
        localise,
        "
        fn f(x: in f64[_], d: in usize) -> total: f64
          total = 0.0
          scope y: f64[d], z: f64[d]
            for k in 0..d
              y[k] = 0.0
            for k.2 in 0..d
              z[k.2] = 0.0
            for i in 0..len(x)
              for j in 0..d
                total += y[d - 1 - j]
                y[j] = x[i]
              for j.2 in 0..d
                total += z[j.2]
              for j.3 in 0..d
                z[j.3] = x[i]
        ",
    );
}

#[test]
fn extents_and_what_they_read_stay() {
    assert_unchanged(
        localise,
        "
        fn f(x: in f64[_], n: in usize) -> total: f64
          total = 0.0
          scope m: usize
            m = n / 2
            for i in 0..len(x)
              scope y: f64[m]
                for j in 0..m
                  y[j] = x[i]
                for j.2 in 0..m
                  total += y[j.2]
        ",
    );
}

#[test]
fn a_scalar_made_of_what_it_was_is_a_new_one() {
    assert_pass(
        localise,
        "
        fn f(x: in f64[_], y: inout f64[_])
          for i in 0..len(x)
            scope u: f64
              u = 1.0
              for j in 0..3
                u += x[j]
              u = u / x[i]
              u = u * u + u
              y[i] = u * x[i]
        ",
        "
        fn f(x: in f64[_], y: inout f64[_])
          for i in 0..len(x)
            scope u: f64, u.2: f64, u.3: f64
              u = 1.0
              for j in 0..3
                u += x[j]
              u.2 = u / x[i]
              u.3 = u.2 * u.2 + u.2
              y[i] = u.3 * x[i]
        ",
        vec![vec![Array::floats(&[1.0, 2.0, 4.0]), Array::floats(&[0.0; 3])]],
    );
}

#[test]
fn a_scalar_that_may_be_what_it_was_is_the_same() {
    // under a condition, and from iteration to iteration
    for lines in
        ["if x[i] > 0.0\n                u = u / x[i]", "for j in 0..3\n                u = u / x[j]"]
    {
        assert_unchanged(
            localise,
            &format!(
                "
        fn f(x: in f64[_], y: inout f64[_])
          for i in 0..len(x)
            scope u: f64
              u = 1.0
              {lines}
              y[i] = u * x[i]
        "
            ),
        );
    }
}

/// What reads the old one may find what stands before the condition.
#[test]
fn a_scalar_that_may_be_changed_before_it_becomes_a_new_one_is_one_until_then() {
    assert_pass(
        localise,
        "
        fn f(x: in f64[_], n: in usize) -> result: f64
          scope k: usize
            k = 0
            if n >= 2
              k = n - 1
            k = k + 0
            result = x[k]
        ",
        "
        fn f(x: in f64[_], n: in usize) -> result: f64
          scope k: usize, k.2: usize
            k = 0
            if n >= 2
              k = n - 1
            k.2 = k + 0
            result = x[k.2]
        ",
        vec![
            vec![Array::floats(&[1.0, 2.0]), Array::int(1)],
            vec![Array::floats(&[1.0, 2.0]), Array::int(2)],
        ],
    );
}
