//! The gradients of the crate that renames pardiff.

use pardiff_renamed_tests::{direct, through_reexport};

#[test]
fn gradients_through_other_names() {
    let mut d_x = [0.0; 2];
    assert_eq!(direct::grad(&[1.0, 3.0], &mut d_x, 1), 9.0);
    assert_eq!(d_x, [0.0, 6.0]);
    assert_eq!(through_reexport::gradient(&[1.0, 3.0]).1.x, [2.0, 6.0]);
}
