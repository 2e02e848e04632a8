//! Uniform factors leave the sums of lanes.

use super::{Arg, SIZES, assert_same, assert_text, in_blocks};

fn args(n: usize) -> impl Fn(&str) -> Arg {
    move |name: &str| match name {
        "n" => Arg::Size(n),
        "s" | "u" => Arg::Number(1.5),
        "k" | "d_k" => Arg::Floats(4),
        _ => Arg::Floats(n),
    }
}

#[test]
fn sums_of_one_value_share_an_accumulator() {
    let (before, after, refused) = in_blocks(
        "
        fn f(x: in f64[_], k: in f64[_], d_k: inout f64[_], n: in usize, s: in f64)
          for i in 0..n
            scope t: f64, u: f64
              t = x[i] * x[i]
              u = k[2]
              d_k[0] += t * u
              d_k[1] += -(t * s)
              d_k[3] += t
        ",
    );
    assert_text(
        &after,
        "
      scope t_sum: f64 thread
        t_sum = 0.0
        for l in 0..w lanes(128)
          scope t: f64
            t = x[b + l] * x[b + l]
            t_sum += t @ factor_out
        if t_sum != 0.0
          d_k[0] += t_sum * u
          d_k[1] += t_sum * -s
          d_k[3] += t_sum
        ",
    );
    for n in SIZES {
        assert_same(&before, &after, &args(n));
    }
    assert_eq!(refused, None);
}

#[test]
fn what_varies_or_is_written_in_the_loop_stays_in_the_sum() {
    for stmts in [
        // another value
        ["d_k[0] += x[i] * s", "d_k[1] += x[i] * x[i]"],
        // a factor that varies
        ["d_k[0] += x[i] * y[i]", "d_k[1] += x[i] * s"],
    ] {
        let [first, second] = stmts;
        let text = format!(
            "
        fn f(x: in f64[_], y: inout f64[_], d_k: inout f64[_], n: in usize, s: in f64)
          for i in 0..n
            y[i] = 2.0 * x[i]
            {first}
            {second}
        "
        );
        let (before, after, _) = in_blocks(&text);
        assert!(!after.to_string().contains("factor_out"), "{after}");
        assert_same(&before, &after, &args(130));
    }
    // what the value is computed from changes between the two
    let (before, after, _) = in_blocks(
        "
        fn f(x: in f64[_], d_k: inout f64[_], n: in usize, s: in f64)
          for i in 0..n
            scope t: f64
              t = x[i]
              d_k[0] += t * s
              t = t * t
              d_k[1] += t * s
        ",
    );
    assert!(!after.to_string().contains("factor_out"), "{after}");
    assert_same(&before, &after, &args(130));
}

#[test]
fn behind_the_loop_no_element_is_touched_that_no_lane_came_to() {
    let (before, after, _) = in_blocks(
        "
        fn f(x: in f64[_], k: in f64[_], d_k: inout f64[_], n: in usize, m: in usize, u: in f64)
          for i in 0..n
            if x[i] > 1e9
              check m < len(k) index \"k\" \"k[m]\"
              d_k[m] += x[i] / u
              d_k[0] += x[i] * k[m]
        ",
    );
    assert!(after.to_string().contains("factor_out"), "{after}");
    let args = |name: &str| if name == "m" { Arg::Size(77) } else { args(130)(name) };
    assert_same(&before, &after, &args);
}

#[test]
fn sums_of_different_types_have_nothing_in_common() {
    let (before, after, _) = in_blocks(
        "
        fn f(x: in f64[_], d_k: inout f64[_], n: in usize, s: in f64, c: inout f32[_])
          for i in 0..n
            if x[i] < 1.0
              d_k[0] += s
              c[0] += s as f32
              d_k[1] += 1.0
        ",
    );
    assert_text(
        &after,
        "
        if d_k_sum != 0.0
          d_k[0] += d_k_sum * s
          d_k[1] += d_k_sum * 1.0
        ",
    );
    let args = |name: &str| if name == "c" { Arg::Floats(4) } else { args(130)(name) };
    assert_same(&before, &after, &args);
}
