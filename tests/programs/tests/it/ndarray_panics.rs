//! What a wrong index into an array of `ndarray`, or an adjoint of a wrong shape, says.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2};
use pardiff::differentiate;
use std::panic::{AssertUnwindSafe, catch_unwind};

#[differentiate]
fn read(a: ArrayView2<'_, f64>, i: usize, j: usize) -> f64 {
    a[[i, j]] * 2.0
}

#[differentiate]
fn row(a: &Array2<f64>, i: usize, j: usize) -> f64 {
    a.row(i)[j] + a.column(j)[i]
}

#[differentiate]
fn one(x: ArrayView1<f64>, y: ArrayView1<f64>, i: usize) -> f64 {
    x[i] + x.dot(&y)
}

#[track_caller]
fn message(call: impl FnOnce() -> f64) -> String {
    let payload = catch_unwind(AssertUnwindSafe(call)).expect_err("the call panics");
    payload.downcast_ref::<String>().cloned().unwrap_or_default()
}

#[track_caller]
fn assert_says(call: impl FnOnce() -> f64, before: &str, after: &str) {
    let said = message(call);
    assert!(said.starts_with(before) && said.ends_with(after), "{said}");
}

#[test]
fn indices_are_named_with_their_dimension() {
    let a = Array2::zeros((2, 5));
    let mut d = a.clone();
    // inside of the memory, but not of the second dimension
    assert_says(
        || read::grad(a.view(), d.view_mut(), 0, 7),
        "read: index out of range in `a[[i, j]]` (line ",
        "): the index is 7 but the length of `a` along `Axis(1)` is 5",
    );
    assert_says(
        || read::value(a.view(), 2, 0),
        "read: index out of range in `a[[i, j]]` (line ",
        "): the index is 2 but the length of `a` along `Axis(0)` is 2",
    );
    assert_says(
        || row::gradient(&a, 3, 0).0,
        "row: index out of range in `a.row(i)` (line ",
        "): the index is 3 but the length of `a` along `Axis(0)` is 2",
    );
    assert_says(
        || row::gradient(&a, 1, 5).0,
        "row: index out of range in `a.row(i)[j]` (line ",
        "): the index is 5 but the length of `a` is 5",
    );
    let (x, y) = (Array1::zeros(3), Array1::zeros(4));
    assert_says(
        || one::value(x.view(), x.view(), 3),
        "one: index out of range in `x[i]` (line ",
        "): the index is 3 but the length of `x` is 3",
    );
    assert_says(
        || one::value(x.view(), y.view(), 0),
        "one: `x.dot(&y)`: the lengths of the arrays differ (line ",
        ")",
    );
}

#[test]
fn shapes_of_adjoints_are_checked_before_anything_is_written() {
    let a = Array2::zeros((2, 5));
    for shape in [(5, 2), (2, 4), (10, 1)] {
        let mut d = Array2::from_elem(shape, 1.0);
        let said = message(|| read::grad_into(a.view(), d.view_mut(), 0, 0));
        let expected = format!(
            "read: the shape of the adjoint `d_a` is [{}, {}] but the shape of `a` is [2, 5]",
            shape.0, shape.1
        );
        assert_eq!(said, expected);
        assert!(d.iter().all(|x| *x == 1.0));
    }
}
