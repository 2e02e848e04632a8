use pardiff_contract_tests::panics::sum_of;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The message of the panic of `call`.
fn message(call: impl FnOnce()) -> String {
    let payload = match catch_unwind(AssertUnwindSafe(call)) {
        Ok(()) => return "no panic".to_owned(),
        Err(payload) => payload,
    };
    match payload.downcast_ref::<String>() {
        Some(text) => text.clone(),
        None => payload.downcast_ref::<&str>().copied().unwrap_or_default().to_owned(),
    }
}

/// The line of `panics.rs` that holds `code`.
fn line(code: &str) -> usize {
    let source = include_str!("../../src/panics.rs");
    1 + source.lines().position(|line| line.contains(code)).unwrap_or_default()
}

#[test]
fn a_wrong_adjoint_length_is_found_before_anything_is_written() {
    let (mut d_x, mut d_w) = ([5.0; 4], [5.0; 3]);
    let text = message(|| _ = sum_of::grad_into(&[1.0; 4], &mut d_x, &[1.0; 2], &mut d_w, 2));
    assert_eq!(text, "sum_of: the length of the adjoint `d_w` is 3 but the length of `w` is 2");
    assert_eq!((d_x, d_w), ([5.0; 4], [5.0; 3]));
}

#[test]
fn an_index_out_of_range_names_function_array_access_line_index_and_length() {
    let at = line("x[2 * i + 1]");
    let expected = format!(
        "sum_of: index out of range in `x[2 * i + 1]` (line {at}): the index is 5 but the length of `x` is 4"
    );
    let (mut d_x, mut d_w) = ([0.0; 4], [0.0; 3]);
    assert_eq!(message(|| _ = sum_of::grad(&[1.0; 4], &mut d_x, &[1.0; 3], &mut d_w, 3)), expected);
    assert_eq!(message(|| _ = sum_of::value(&[1.0; 4], &[1.0; 3], 3)), expected);
    let text = message(|| _ = sum_of::gradient(&[1.0; 6], &[], 1));
    assert_eq!(
        text,
        format!(
            "sum_of: index out of range in `w[i]` (line {at}): the index is 0 but the length of `w` is 0"
        )
    );
}

#[test]
fn assertions_keep_their_text() {
    let text = message(|| _ = sum_of::gradient(&[], &[], 100));
    assert!(text.starts_with("sum_of: ") && text.contains("too many"), "{text}");
}

#[test]
fn empty_arrays_and_empty_loops_are_legal() {
    assert_eq!(sum_of::gradient(&[], &[], 0).0, 0.0);
}
