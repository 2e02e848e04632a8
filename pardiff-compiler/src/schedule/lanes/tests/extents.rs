//! Arrays whose size the loop computes anew in each iteration.

use super::{Arg, SIZES, assert_same, in_blocks};

/// A loop whose array `q` has the size that `compute` assigns.
fn with_size(compute: &str) -> (String, Option<String>) {
    let (before, after, refused) = in_blocks(&format!(
        "
        fn f(x: in f64[_], p: in usize[_], n: in usize, d: in usize) -> total: f64
          total = 0.0
          for i in 0..n
            scope size: usize
              {compute}
              scope q: f64[size]
                for j in 0..size
                  q[j] = x[i] * 2.0
                for k in 0..size
                  total += q[k] * x[k]
        "
    ));
    for n in SIZES {
        let args = |name: &str| match name {
            "n" => Arg::Size(n),
            "d" => Arg::Size(3),
            "p" => Arg::Indices(vec![5; n]),
            _ => Arg::Floats(n + 20),
        };
        assert_same(&before, &after, &args);
    }
    (after.to_string(), refused)
}

#[test]
fn a_size_that_is_the_same_in_all_iterations_is_written_out() {
    let (text, refused) = with_size("size = (d + 1) * (d + 1)");
    assert_eq!(refused, None);
    assert!(text.contains("q: f64[(d + 1) * (d + 1), lanes]"), "{text}");
}

#[test]
fn a_size_that_may_change_stays() {
    for compute in ["size = p[i]", "size = d + 1\n              size = size + 1", "size = d + i % 2"] {
        let (text, refused) = with_size(compute);
        assert!(refused.is_some() && text.contains("q: f64[size]"), "{text}");
    }
}

#[test]
fn a_size_that_nothing_but_the_array_needs_belongs_to_who_uses_the_array() {
    let (before, after, refused) = in_blocks(
        "
        fn f(x: in f64[_], p: in usize[_], n: in usize) -> total: f64
          total = 0.0
          for i in 0..n
            scope size: usize, count: usize
              size = p[i]
              count = p[i]
              scope q: f64[size]
                for j in 0..count
                  q[j] = x[i] * 2.0
                total += x[i] * x[i]
        ",
    );
    for n in SIZES {
        let args = |name: &str| match name {
            "n" => Arg::Size(n),
            "p" => Arg::Indices(vec![5; n]),
            _ => Arg::Floats(n + 20),
        };
        assert_same(&before, &after, &args);
    }
    assert!(refused.is_some(), "{after}");
}
