//! What is generated of methods computes what the methods do, whatever they are called.

use pardiff_contract_tests::methods::{Measure, kernels, local, made, uses};

#[test]
fn methods_of_all_kinds() {
    let of = kernels::Bodies::new(1.5);
    let (value, gradient) = kernels::bodies::grad::gradient(&of, 0.5);
    assert_eq!(value, of.grad(0.5));
    assert_eq!((gradient.this.value, gradient.overwrite), (1.5, 3.0));
    assert_eq!(kernels::bodies::power::gradient(&of, 3).1.this.value, 3.0 * 1.5 * 1.5);
    let (mut state, mut d_state, mut out) = (of, of, [0.0; 2]);
    d_state.value = 0.0;
    let (mut d_by, mut d_out) = ([0.0; 2], [1.0, 10.0]);
    kernels::bodies::shift::grad(&mut state, &mut d_state, &[1.0, 2.0], &mut d_by, &mut out, &mut d_out);
    assert_eq!((out, d_by, d_out), ([5.0, 9.0], [23.0, 21.0], [0.0, 0.0]));
    assert_eq!(d_state.value, 23.0);
    let along = |value: f64| kernels::Bodies::new(value);
    let (value, tangent) = kernels::bodies::measure::jvp(&of, &along(1.0), 2.0, 0.0);
    assert_eq!((value, tangent), (of.measure(2.0), 6.0));
    assert_eq!(kernels::choice::weight::gradient(kernels::Choice::First, 3.0).1.x, 6.0);
    assert_eq!(kernels::choice::weight::gradient(kernels::Choice::Second, 3.0).1.x, 1.0);
    assert_eq!((of.of_private(), of.text("m").1.as_str(), *of.parts()[0]), (2, "1.5 m", 1.5));
    assert_eq!(made::made::scaled::gradient(&made::Made(1.5), 2.0).1.this.0, 6.0 + 3.0);
    assert_eq!((local(), uses()), (6.0, 4.0 + 2.0 + 9.0 + 2.0 + 3.0));
}
