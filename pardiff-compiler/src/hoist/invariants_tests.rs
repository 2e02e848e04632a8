use super::invariants::move_out;
use crate::equivalence::{assert_pass, assert_unchanged};
use crate::ir::interp::Array;

/// A loop that never runs may read what nothing writes.
#[test]
fn what_a_loop_declares_stays_in_it() {
    assert_unchanged(
        move_out,
        "
        fn f(x: inout f64[_], s: in f64, n: in usize)
          for i in 0..n
            scope t: f64, p: usize[1]
              check p[0] < len(x) index \"x\" \"x[p[0]]\"
              x[i] += x[p[0]] + exp(t)
        ",
    );
}

#[test]
fn functions_and_quotients_of_scalars_move_out() {
    let runs = [(0, 1), (2, 3), (2, 0)]
        .map(|(n, m)| vec![Array::floats(&[1.0, 2.0]), Array::float(0.5), Array::int(n), Array::int(m)]);
    assert_pass(
        move_out,
        "
        fn f(x: inout f64[_], s: in f64, n: in usize, m: in usize)
          for i in 0..n
            x[i] = x[i] / exp(s) + 1.0 / s
            for j in 0..m
              scope t: f64
                t = exp(s) * (i as f64)
                x[i] += t + x[0] / s
        ",
        "
        fn f(x: inout f64[_], s: in f64, n: in usize, m: in usize)
          scope exp_value: f64, quotient: f64, exp_value.2: f64
            if 0 < n
              exp_value = exp(s)
              quotient = 1.0 / s
            else
              exp_value = 0.0
              quotient = 0.0
            if (0 < n) & (0 < m)
              exp_value.2 = exp(s)
            else
              exp_value.2 = 0.0
            for i in 0..n
              x[i] = x[i] / exp_value + quotient
              for j in 0..m
                scope t: f64
                  t = exp_value.2 * (i as f64)
                  x[i] += t + x[0] / s
        ",
        runs.to_vec(),
    );
}

#[test]
fn what_varies_or_is_not_always_computed_stays() {
    assert_unchanged(
        move_out,
        "
        fn f(x: inout f64[_], s: inout f64, w: in f64, n: in usize)
          for i in 0..n
            x[i] = exp(s)
            s = x[0]
            if x[i] > 0.0
              x[i] = exp(w)
            for j in 0..i
              x[i] += sqrt(x[0]) + sin(w + (j as f64))
        ",
    );
}

#[test]
fn elements_that_stand_apart_move_out_behind_their_checks() {
    let rows = |list: &[i128]| {
        let list: Vec<_> = list.iter().map(|&at| at as _).collect();
        vec![
            Array::floats(&[1.0, 2.0, 3.0]),
            Array::ints(&list),
            Array::floats(&[0.5, 0.25]),
            Array::floats(&[0.0, 0.0]),
        ]
    };
    assert_pass(
        move_out,
        "
        fn f(x: in f64[_], of: in u32[_], w: in f64[_], y: inout f64[_])
          for i in 0..len(of)
            scope v: usize
              v = of[i] as usize
              for k in 0..2
                check k < len(w) index \"w\" \"w[k]\"
                check v < len(x) index \"x\" \"x[v]\"
                y[k] += w[k] * x[v]
                check v < len(x) index \"x\" \"x[v]\"
                check i < len(w) index \"w\" \"w[i]\"
                y[k] += exp(w[i]) * x[v]
        ",
        "
        fn f(x: in f64[_], of: in u32[_], w: in f64[_], y: inout f64[_])
          for i in 0..len(of)
            scope v: usize
              v = of[i] as usize
              scope x_value: f64, exp_value: f64
                if 0 < 2
                  check v < len(x) index \"x\" \"x[v]\"
                  x_value = x[v]
                  check i < len(w) index \"w\" \"w[i]\"
                  exp_value = exp(w[i])
                else
                  x_value = 0.0
                  exp_value = 0.0
                for k in 0..2
                  check k < len(w) index \"w\" \"w[k]\"
                  y[k] += w[k] * x_value
                  check i < len(w) index \"w\" \"w[i]\"
                  y[k] += exp_value * x_value
        ",
        vec![rows(&[]), rows(&[2, 0]), rows(&[1, 3]), rows(&[1])],
    );
}

#[test]
fn elements_stay_that_are_written_or_not_checked_or_not_always_read() {
    assert_pass(
        move_out,
        "
        fn f(x: inout f64[_], z: in f64[_], of: in u32[_], rows: in u32[_], w: in f64[_])
          for i in 0..len(of)
            scope v: usize
              v = of[i] as usize
              for k in 0..2
                check v < len(x) index \"x\" \"x[v]\"
                x[k] = w[k] * x[v]
              for k.2 in 0..2
                x[k.2] += z[v]
              for k.3 in 0..2
                if w[k.3] > 0.0
                  check v < len(z) index \"z\" \"z[v]\"
                  x[k.3] += z[v]
              for k.4 in 0..(rows[i] as usize)
                check v < len(z) index \"z\" \"z[v]\"
                x[k.4] += z[v]
              for k.5 in 0..i
                check v < len(z) index \"z\" \"z[v]\"
                x[k.5] += exp(z[v])
        ",
        "
        fn f(x: inout f64[_], z: in f64[_], of: in u32[_], rows: in u32[_], w: in f64[_])
          for i in 0..len(of)
            scope v: usize
              v = of[i] as usize
              if 0 < 2
                check v < len(x) index \"x\" \"x[v]\"
              for k in 0..2
                x[k] = w[k] * x[v]
              for k.2 in 0..2
                x[k.2] += z[v]
              for k.3 in 0..2
                if w[k.3] > 0.0
                  check v < len(z) index \"z\" \"z[v]\"
                  x[k.3] += z[v]
              for k.4 in 0..(rows[i] as usize)
                check v < len(z) index \"z\" \"z[v]\"
                x[k.4] += z[v]
              for k.5 in 0..i
                check v < len(z) index \"z\" \"z[v]\"
                x[k.5] += exp(z[v])
        ",
        Vec::new(),
    );
}
