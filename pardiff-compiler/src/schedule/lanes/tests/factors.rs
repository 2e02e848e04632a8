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

/// A row of products in an innermost loop, with what is divided by in the loop.
const ROWS: &str = "
        fn f(x: in f64[_], y: in f64[_], w: in f64[_], d_k: inout f64[_], d_s: inout f64[_], n: in usize, s: in f64)
          for i in 0..n
            for j in 0..8
              scope t: f64, u: f64
                t = x[i * 8 + j] * y[j] / s
                d_k[i] += t
                u = w[i] / s
                d_s[0] += -(t * u)
        ";

/// The program with the innermost loop over `j` in lanes, and without the factors of its sums.
fn in_rows(text: &str) -> crate::ir::Program {
    let (before, after) = super::changed(text, &mut |program, stmt| {
        assert_eq!(super::inner::mark(program, &crate::ir::BufferSet::new(), false, &[], stmt), 1);
        crate::schedule::lanes::factor::factor_out_of_rows(program, std::slice::from_mut(stmt));
    });
    for n in [0, 1, 3, 9] {
        let args = |name: &str| match name {
            "x" => Arg::Floats(8 * n + 8),
            "y" => Arg::Floats(8),
            name => args(n + 1)(name),
        };
        let args = |name: &str| if name == "n" { Arg::Size(n) } else { args(name) };
        assert_same(&before, &after, &args);
    }
    after
}

#[test]
fn rows_give_up_the_factors_of_products_that_have_names() {
    assert_text(
        &in_rows(ROWS),
        "
        for j in 0..8 lanes(128)
          d_k_sum += x[i * 8 + j] * y[j] @ factor_out
        if d_k_sum != 0.0
          d_k[i] += d_k_sum * (1.0 / s)
          d_s[0] += d_k_sum * -(1.0 / s * (w[i] / s))",
    );
}

#[test]
fn a_product_that_changes_is_what_it_is_called() {
    for (from, to) in [
        ("d_k[i] += t", "t = t * y[j]\n                d_k[i] += t"),
        ("t = x[i * 8 + j] * y[j] / s", "t = exp(x[i * 8 + j]) / s"),
        ("t = x[i * 8 + j] * y[j] / s", "t = x[i * 8 + j] * y[j]"),
    ] {
        let text = ROWS.replace(from, to);
        assert_ne!(text, ROWS);
        assert!(in_rows(&text).to_string().contains("t_sum += t"), "{to}");
    }
}

#[test]
fn a_product_is_opened_where_its_factors_are_declared() {
    let inner = "scope q: f64, v: f64
                v = exp(x[i * 8 + j])
                q = v / s
                d_s[0] += q
                d_k[i] += q";
    let text = |inner: &str| {
        let head = ROWS.split("scope").next().unwrap_or_default();
        format!("{head}{inner}\n")
    };
    assert!(in_rows(&text(inner)).to_string().contains("v @ factor_out"));
    let apart = "scope q: f64
                scope v: f64
                  v = exp(x[i * 8 + j])
                  q = v / s
                d_s[0] += q
                d_k[i] += q";
    assert!(in_rows(&text(apart)).to_string().contains("q_sum += q @ factor_out"));
}
