use super::scalarise;
use crate::equivalence::{assert_pass, assert_unchanged};
use crate::ir::interp::Array;

#[test]
fn vectors_and_matrices_become_scalars() {
    let x: Vec<f64> = (0..6).map(|k| k as f64 * 0.5 - 1.0).collect();
    assert_pass(
        scalarise,
        "
        fn f(x: in f64[2, 3], y: inout f64[2])
          for i in 0..2
            scope r: f64[3], m: f64[2, 2], s: f64
              for k in 0..3
                check k < 3 index \"r\" \"r[k]\"
                r[k] = x[i, k]
              for a in 0..2
                for b in 0..2 down
                  scope t: f64
                    t = r[a + b] * 2.0
                    m[a, b] = t
              s = 0.0
              for j in 0..2
                s += m[j, 1 - j]
              y[i] += s * r[2]
        ",
        "
        fn f(x: in f64[2, 3], y: inout f64[2])
          for i in 0..2
            scope r_0: f64, r_1: f64, r_2: f64, m_0_0: f64, m_0_1: f64, m_1_0: f64, m_1_1: f64, s: f64
              check 0 < 3 index \"r\" \"r[k]\"
              r_0 = x[i, 0]
              check 1 < 3 index \"r\" \"r[k]\"
              r_1 = x[i, 1]
              check 2 < 3 index \"r\" \"r[k]\"
              r_2 = x[i, 2]
              scope t: f64
                t = r_1 * 2.0
                m_0_1 = t
              scope t.2: f64
                t.2 = r_0 * 2.0
                m_0_0 = t.2
              scope t.3: f64
                t.3 = r_2 * 2.0
                m_1_1 = t.3
              scope t.4: f64
                t.4 = r_1 * 2.0
                m_1_0 = t.4
              s = 0.0
              s += m_0_1
              s += m_1_0
              y[i] += s * r_2
        ",
        vec![vec![Array { dims: vec![2, 3], ..Array::floats(&x) }, Array::floats(&[1.0, 2.0])]],
    );
}

#[test]
fn other_indices_many_iterations_and_marked_loops_keep_the_array() {
    // an index from memory, an outer loop, a bound from outside, a long loop, an index out of range
    for body in [
        "t[n] = x[0]",
        "t[i] = x[0]",
        "for k in 0..n\n        t[k] = x[k]",
        "for k in 0..9\n        t[k % 3] = x[k]\n        t[0] = x[1]\n        t[1] = x[2]",
        "for k in 0..4\n        check k < 3 index \"t\" \"t[k]\"\n        t[k] = x[k]",
    ] {
        assert_unchanged(
            scalarise,
            &format!(
                "
fn f(x: inout f64[_], n: in usize)
  for i in 0..3
    scope t: f64[3]
      t[2] = x[0]
      {body}
      x[0] = t[2]
"
            ),
        );
    }
}

#[test]
fn what_rustc_would_refuse_is_not_unrolled() {
    assert_unchanged(
        scalarise,
        "
        fn f(x: inout f64[_], n: in usize)
          scope t: f64[3]
            for k in 0..3
              t[k] = x[k]
              if k > n
                x[k - 1] = t[k]
        ",
    );
}

#[test]
fn swapped_arrays_and_loops_without_small_arrays_stay() {
    assert_unchanged(
        scalarise,
        "
        fn f(x: inout f64[_], n: in usize)
          scope t: f64[2], u: f64[2]
            for k in 0..2
              t[k] = x[k]
              u[k] = 1.0
            swap t, u
            for j in 0..2
              x[j] = t[j]
          for j.2 in 0..3
            x[j.2] += 1.0
        ",
    );
}

#[test]
fn triangular_loops_are_unrolled_where_their_bounds_become_constants() {
    assert_pass(
        scalarise,
        "
        fn f(x: in f64[3], y: inout f64[1])
          scope m: f64[3]
            for k in 0..3
              m[k] = x[k]
            for k.2 in 0..2
              for i in k.2 + 1..3
                for j in k.2..i down
                  m[i] += m[j] * 2.0
            y[0] += m[2]
        ",
        "
        fn f(x: in f64[3], y: inout f64[1])
          scope m_0: f64, m_1: f64, m_2: f64
            m_0 = x[0]
            m_1 = x[1]
            m_2 = x[2]
            m_1 += m_0 * 2.0
            m_2 += m_1 * 2.0
            m_2 += m_0 * 2.0
            m_2 += m_1 * 2.0
            y[0] += m_2
        ",
        vec![vec![Array::floats(&[1.0, 2.0, 3.0]), Array::floats(&[0.5])]],
    );
    // a bound that another loop decides, which is not unrolled, or one that leaves the array
    for bounds in ["k.2..n", "k.2..5"] {
        assert_unchanged(
            scalarise,
            &format!(
                "
        fn f(x: in f64[3], y: inout f64[1], n: in usize)
          scope m: f64[3]
            m[0] = x[0]
            for k.2 in 0..2
              for i in {bounds}
                m[i] += x[0] * 2.0
            y[0] += m[2]
        "
            ),
        );
    }
}

#[test]
fn an_array_that_grows_in_an_unrolled_loop_has_an_extent_of_its_own() {
    assert_pass(
        scalarise,
        "
        fn f(x: in f64[_], y: inout f64[1])
          scope m: f64[2]
            for k in 0..2
              scope t: f64[_] growing
                t[0] = x[k]
                m[k] = t[0]
            y[0] += m[0] * m[1]
        ",
        "
        fn f(x: in f64[_], y: inout f64[1])
          scope m_0: f64, m_1: f64
            scope t: f64[_] growing
              t[0] = x[0]
              m_0 = t[0]
            scope t.2: f64[_] growing
              t.2[0] = x[1]
              m_1 = t.2[0]
            y[0] += m_0 * m_1
        ",
        vec![vec![Array::floats(&[2.0, 3.0]), Array::floats(&[0.5])]],
    );
}
