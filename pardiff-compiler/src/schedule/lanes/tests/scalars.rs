//! Scalars between rows, in lanes for a batch of iterations.

use super::batches::in_batches;
use super::{Arg, Lifted, assert_same, assert_text, changed, lift, lifted};
use crate::ir::Program;

/// Rows that end in `link` of their sum, and the reverse of that.
fn regression(link: &str) -> String {
    format!(
        "
        fn f(w: in f64[_], d_w: inout f64[_], x: in f64[_], y: in f64[_], d_y: inout f64[_], n: in usize, m: in usize) -> total: f64
          total = 0.0
          for i in 0..n
            scope s: f64, p: f64, d_s: f64
              s = 0.0
              for j in 0..m
                s += x[i * m + j] * w[j]
              {link}
              d_s = 0.0
              if s > 0.5
                d_s += p
              total += p * y[i]
              d_y[i] += d_s
              for j.2 in 0..m
                d_w[j.2] += d_s * x[i * m + j.2]
        "
    )
}

fn args(n: usize, m: usize) -> impl Fn(&str) -> Arg {
    move |name: &str| match name {
        "n" => Arg::Size(n),
        "m" => Arg::Size(m),
        _ => Arg::Floats((n + 1) * (m + 2)),
    }
}

fn batched(text: &str) -> Option<[Program; 2]> {
    in_batches(text, &|before, after| {
        for (n, m) in [(0, 3), (1, 0), (3, 3), (8, 1), (19, 9)] {
            assert_same(before, after, &args(n, m));
        }
    })
}

#[test]
fn functions_between_rows_run_in_lanes_for_a_batch() {
    let [after, jammed] = batched(&regression("p = exp(s)")).expect("batches");
    assert_text(
        &after,
        "
        for b in 0..n step 8 sequential
          scope w.2: usize
            w.2 = int::min(8, n - b)
            scope s: f64[8], d_s: f64[8]
              for turn in 0..w.2 sequential
                s[turn] = 0.0
                for j in 0..m lanes(128)
                  s[turn] += x[(b + turn) * m + j] * w[j]
              for turn.2 in 0..w.2 lanes(128)",
    );
    // derivatives of conditions are sums of what is chosen
    assert_text(&after, "d_s_held += select(s_value > 0.5, p, -0.0)");
    // rows are summed one by one, and added to one row together
    let text = jammed.to_string();
    assert_eq!(text.matches(" step 4").count(), 1, "{text}");
    assert_eq!(text.matches("d_w[j.2] = d_w_held").count(), 1, "{text}");
    assert_eq!(text.matches("d_w_held += ").count(), 4, "{text}");
}

#[test]
fn scalars_without_functions_stay_between_their_rows() {
    assert!(batched(&regression("p = s * s + 1.0")).is_none());
}

#[test]
fn what_each_iteration_has_an_array_for_stays_there() {
    let text = regression("q[0] = s\n              p = exp(q[0])");
    let text = text.replace("d_s: f64\n", "d_s: f64, q: f64[2]\n");
    assert!(text.contains("q: f64[2]"));
    assert!(batched(&text).is_none());
}

#[test]
fn what_goes_over_a_stride_stays_with_its_row() {
    for at in ["d_y[2 * i]", "d_y[m]"] {
        let text = regression("p = exp(s)")
            .replace("total += p * y[i]", &format!("total += p * {at}"))
            .replace("d_y[i] += d_s", "");
        let made = batched(&text);
        assert_eq!(made.is_some(), at == "d_y[m]", "{at}");
    }
}

#[test]
fn batches_are_made_where_sums_may_be_reordered() {
    let text = regression("p = exp(s)");
    let (_, _, made) = lifted(&text);
    assert!(matches!(&made, Lifted::Inner { turns, .. } if !turns.is_empty()), "{made:?}");
    let mut made = Lifted::Serial { reason: String::new() };
    changed(&text, &mut |program, stmt| made = lift(program, stmt, true, &[]));
    assert!(!matches!(&made, Lifted::Inner { turns, .. } if !turns.is_empty()), "{made:?}");
}
