//! Loops over blocks: what they look like, and that they compute the same.

use super::{Arg, SIZES, assert_same, assert_text, in_blocks};

#[test]
fn a_loop_runs_outside_and_its_statements_in_lanes() {
    let (before, after, refused) = in_blocks(
        "
        fn f(x: in f64[_], e: in f64[_], d_e: inout f64[_], n: in usize, d: in usize) -> total: f64
          total = 0.0
          for i in 0..n
            scope q: f64[d], s: f64
              s = 0.0
              for j in 0..d
                check i * d + j < len(x) index \"x\" \"x[i * d + j]\"
                q[j] = e[j] * x[i * d + j]
              for j.2 in 0..d
                s += q[d - 1 - j.2] * q[d - 1 - j.2]
              total += s * s
              for j.3 in 0..len(q) down
                d_e[j.3] += q[j.3] * x[i * d + j.3]
        ",
    );
    assert_text(
        &after,
        "
  scope lanes: usize
    lanes = int::min(int::min(int::max(65536 / saturating_add(saturating_mul(8, d), 8) * 8, 64), 128), int::max(div_ceil(n, 8), 1) * 8)
    scope q: f64[d, lanes] thread, s: f64[lanes] thread
      for b in 0..n step lanes sequential
        scope w: usize
          w = int::min(lanes, n - b)
          for l in 0..w lanes(128)
            s[l] = 0.0
          for j in 0..d sequential
            check (b + (w - 1)) * d + j < len(x) index \"x\" \"x[i * d + j]\"
            for l.2 in 0..w lanes(128)
              q[j, l.2] = e[j] * x[(b + l.2) * d + j]
          for j.2 in 0..d sequential
            for l.3 in 0..w lanes(128)
              s[l.3] += q[d - 1 - j.2, l.3] * q[d - 1 - j.2, l.3]
          for l.4 in 0..w lanes(128)
            total += s[l.4] * s[l.4]
          for j.3 in 0..len(q) down sequential
            for l.5 in 0..w lanes(128)
              d_e[j.3] += q[j.3, l.5] * x[(b + l.5) * d + j.3]
        ",
    );
    for n in SIZES {
        let args = |name: &str| match name {
            "n" => Arg::Size(n),
            "d" => Arg::Size(3),
            "x" => Arg::Floats(3 * n),
            _ => Arg::Floats(3),
        };
        assert_same(&before, &after, &args);
    }
    assert_eq!(refused, None);
}

#[test]
fn what_is_the_same_for_all_lanes_is_computed_once() {
    let (before, after, _) = in_blocks(
        "
        fn f(x: in f64[_], y: inout f64[_], n: in usize, s: in f64) -> total: f64
          total = 0.0
          for i in 0..n
            scope t: f64, u: f64
              u = s * 2.0
              t = x[i] * u
              u = s * 3.0
              y[i] = t * u
              total += u
        ",
    );
    assert_text(
        &after,
        "
      u = s * 2.0
      for l in 0..w lanes(128)
        t[l] = x[b + l] * u
      u = s * 3.0
      for l.2 in 0..w lanes(128)
        y[b + l.2] = t[l.2] * u
        total += u
        ",
    );
    for n in SIZES {
        let args = |name: &str| match name {
            "n" => Arg::Size(n),
            "s" => Arg::Number(1.5),
            _ => Arg::Floats(n),
        };
        assert_same(&before, &after, &args);
    }
}

#[test]
fn what_cannot_run_in_lanes_runs_lane_after_lane() {
    let (before, after, _) = in_blocks(
        "
        fn f(start: in usize[_], x: in f64[_], y: inout f64[_], n: in usize) -> total: f64
          total = 0.0
          for i in 0..n
            scope s: f64
              s = 0.0
              for k in start[i]..start[i + 1]
                s += x[k]
              y[i] += s * s
              total += s
        ",
    );
    assert_text(
        &after,
        "
        for l.2 in 0..w sequential
          for k in start[b + l.2]..start[b + l.2 + 1]
            s[l.2] += x[k]
        ",
    );
    for n in SIZES {
        let args = |name: &str| match name {
            "n" => Arg::Size(n),
            "start" => Arg::Indices(
                (0..=n)
                    .map(|i| i * i % 7 + 2 * i)
                    .scan(0, |most, at| {
                        *most = at.max(*most);
                        Some(*most)
                    })
                    .collect(),
            ),
            "x" => Arg::Floats(2 * n + 8),
            _ => Arg::Floats(n),
        };
        assert_same(&before, &after, &args);
    }
}

#[test]
fn a_check_is_made_in_the_lane_that_decides() {
    for (check, made) in [
        ("i * 2 < len(x) + n", "check (b + (w - 1)) * 2 < len(x) + n"),
        ("n - 1 - i < len(x)", "check n - 1 - b < len(x)"),
        ("i < len(x) + n - i", "check b + (w - 1) < len(x) + n - (b + (w - 1))"),
        ("n + 1 - i > len(x) - len(x)", "check n + 1 - (b + (w - 1)) > len(x) - len(x)"),
        ("p[i] < len(x)", "check p_value < len(x)"),
        ("i % 3 < len(x)", "check (b + l) % 3 < len(x)"),
    ] {
        let (before, after, _) = in_blocks(&format!(
            "
        fn f(x: in f64[_], p: in usize[_], n: in usize) -> total: f64
          total = 0.0
          for i in 0..n
            check {check} \"too far\"
            total += p[i] as f64
        "
        ));
        assert_text(&after, &format!("\n{made}"));
        for n in SIZES {
            for len in [n, n / 2] {
                let args = |name: &str| match name {
                    "n" => Arg::Size(n),
                    "p" => Arg::Indices((0..n).collect()),
                    _ => Arg::Floats(len),
                };
                assert_same(&before, &after, &args);
            }
        }
    }
}

#[test]
fn a_loop_that_assigns_one_element_again_and_again_stays() {
    let (before, after, refused) = in_blocks(
        "
        fn f(x: in f64[_], y: inout f64[_], n: in usize)
          for i in 0..n
            y[0] = x[i]
        ",
    );
    assert_eq!(before.to_string(), after.to_string());
    assert!(refused.is_some_and(|reason| reason.contains("same element of `y`")));
}

#[test]
fn an_array_whose_size_differs_between_iterations_stays() {
    let (before, after, refused) = in_blocks(
        "
        fn f(x: in f64[_], n: in usize) -> total: f64
          total = 0.0
          for i in 0..n
            scope t: f64[i + 1]
              t[0] = x[i]
              for j in 0..i + 1
                t[j] = x[j]
              for j.2 in 0..i + 1
                total += t[j.2]
        ",
    );
    assert_eq!(before.to_string(), after.to_string());
    assert!(refused.is_some_and(|reason| reason.contains("size of `t` differs")));
}

#[test]
fn strided_loads_that_a_loop_repeats_are_made_once_for_a_block() {
    let text = |element: &str, update: &str| {
        format!(
            "
        fn f(x: in f64[_], m: in f64[_], y: inout f64[_], n: in usize, d: in usize, k: in usize) -> total: f64
          total = 0.0
          for i in 0..n
            scope q: f64[d]
              for c in 0..k
                for j in 0..d
                  q[j] = {element} - m[c]
                for j.2 in 0..d
                  total += q[d - 1 - j.2] * {element_2}
              {update}
        ",
            element_2 = element.replace("+ j", "+ j.2")
        )
    };
    let args = |n: usize, k: usize| {
        move |name: &str| match name {
            "n" => Arg::Size(n),
            "d" => Arg::Size(3),
            "k" => Arg::Size(k),
            "m" => Arg::Floats(k),
            "y" => Arg::Floats(n),
            _ => Arg::Floats(3 * n + 3),
        }
    };
    let (before, after, _) = in_blocks(&text("x[i * d + j]", "y[i] += 1.0"));
    assert_text(
        &after,
        "
        if 0 < k
          for j in 0..d sequential
            for l in 0..w lanes(128)
              x_tile[j, l] = x[(b + l) * d + j]
        for c in 0..k sequential
          for j.2 in 0..d sequential
            for l.2 in 0..w lanes(128)
              q[j.2, l.2] = x_tile[j.2, l.2] - m[c]
          for j.3 in 0..d sequential
            for l.3 in 0..w lanes(128)
              total += q[d - 1 - j.3, l.3] * x_tile[j.3, l.3]
        ",
    );
    for n in SIZES {
        assert_same(&before, &after, &args(n, 4));
        assert_same(&before, &after, &args(n, 0));
    }
    // not where neighbouring lanes load neighbours, and not what the loop writes
    for (element, update) in [("x[i + j]", "y[i] += 1.0"), ("y[i * d + j]", "y[i * d] = 1.0")] {
        let (_, after, _) = in_blocks(&text(element, update));
        assert!(!after.to_string().contains("tile"), "{after}");
    }
}

#[test]
fn a_load_under_a_condition_is_not_made_earlier() {
    let (_, after, _) = in_blocks(
        "
        fn f(x: in f64[_], n: in usize, d: in usize, k: in usize) -> total: f64
          total = 0.0
          for i in 0..n
            for c in 0..k
              if c > 3
                for j in 0..d
                  total += x[i * d + j]
        ",
    );
    assert!(!after.to_string().contains("tile"), "{after}");
}

#[test]
fn a_place_is_loaded_once_in_a_lane_loop() {
    let (before, after, _) = in_blocks(
        "
        fn f(p: in usize[_], x: in f64[_], y: in f64[_], d_x: inout f64[_], n: in usize) -> total: f64
          total = 0.0
          for i in 0..n
            scope a: usize, e: f64
              a = p[i]
              e = x[a * 2] * y[i]
              total += e * e
              d_x[a * 2] += e * x[a * 2]
              a = p[n - 1 - i]
              d_x[a * 2 + 1] += x[a * 2 + 1] * y[p[i]] + y[p[i]]
              d_x[a * 2 + 1] += x[a * 2 + 1]
        ",
    );
    // `a` has two values, so nothing at an index of it is held
    assert_text(
        &after,
        "
      for l in 0..w lanes(128)
        scope a: usize, e: f64, p_value: usize, y_value: f64
          p_value = p[b + l]
          a = p_value
          e = x[a * 2] * y[b + l]
          total += e * e
          d_x[a * 2] += e * x[a * 2]
          a = p[n - 1 - (b + l)]
          y_value = y[p_value]
          d_x[a * 2 + 1] += x[a * 2 + 1] * y_value + y_value
          d_x[a * 2 + 1] += x[a * 2 + 1]
        ",
    );
    for n in SIZES {
        let args = |name: &str| match name {
            "n" => Arg::Size(n),
            "p" => Arg::Indices((0..n).map(|i| i * i % n.max(1)).collect()),
            _ => Arg::Floats(2 * n),
        };
        assert_same(&before, &after, &args);
    }
}

#[test]
fn a_uniform_statement_does_not_part_what_stands_around_it() {
    let (before, after, _) = in_blocks(
        "
        fn f(x: in f64[_], p: in usize[_], y: inout f64[_], n: in usize, s: in f64)
          for i in 0..n
            scope t: f64, u: f64
              check p[i] < len(x) \"far\"
              t = x[p[i]] * 2.0
              u = s * 3.0
              if s > 0.0
                u = s
              y[i] = t * u
        ",
    );
    assert_text(
        &after,
        "
          u = s * 3.0
          if s > 0.0
            u = s
          for l in 0..w lanes(128)
            scope t: f64, p_value: usize
              p_value = p[b + l]
              check p_value < len(x) \"far\"
              t = x[p_value] * 2.0
              y[b + l] = t * u
        ",
    );
    for n in SIZES {
        for len in [n, n / 2] {
            let args = |name: &str| match name {
                "n" => Arg::Size(n),
                "s" => Arg::Number(1.5),
                "p" => Arg::Indices((0..n).rev().collect()),
                "x" => Arg::Floats(len),
                _ => Arg::Floats(n),
            };
            assert_same(&before, &after, &args);
        }
    }
}

#[test]
fn an_array_that_every_lane_fills_alike_and_reads_elsewhere_is_one_for_each() {
    let (before, after, refused) = in_blocks(
        "
        fn f(x: in f64[_], y: inout f64[_], n: in usize)
          for i in 0..n
            for j in 0..2
              scope u: f64[3]
                for k in 0..3
                  u[k] = 2.0
                y[i] += u[(i + j) % 3] * x[i]
        ",
    );
    assert_eq!(refused, None);
    assert!(after.to_string().contains("u: f64[3, 128] thread"), "{after}");
    for n in SIZES {
        let args = |name: &str| match name {
            "n" => Arg::Size(n),
            _ => Arg::Floats(n),
        };
        assert_same(&before, &after, &args);
    }
}

#[test]
fn an_extent_that_is_computed_in_the_block_sets_no_width() {
    let (before, after, refused) = in_blocks(
        "
        fn f(y: inout f64[_], n: in usize) -> total: f64
          total = 0.0
          for i in 0..n
            scope len: usize
              len = n * 2
              for k in 0..n
                scope order: f64[len]
                  for j in 0..2
                    order[j] = y[i] * 0.5
                  for j.2 in 0..2
                    total += order[1 - j.2] * order[j.2]
        ",
    );
    assert_eq!(refused, None);
    assert!(after.to_string().contains("f64[len.1, 64]"), "{after}");
    for n in SIZES {
        assert_same(&before, &after, &|name| if name == "n" { Arg::Size(n) } else { Arg::Floats(n) });
    }
}
