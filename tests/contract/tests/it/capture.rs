use super::{agrees, close};
use pardiff_contract_tests::{capture, clashes};

#[test]
fn paths_mean_what_they_mean_beside_the_function() {
    let mut d_x = 0.0;
    assert_eq!(capture::inner::scaled::grad(2.0, &mut d_x), 3.0 * 2.0 + 5.0 * 4.0);
    assert_eq!(d_x, 3.0 + 2.0 * 5.0 * 2.0);
    assert_eq!(capture::value(), 11.0);
}

#[test]
fn constants_in_the_signature() {
    let (x, rows) = ([1.0, 2.0, 3.0, 4.0], [[1.0, 0.5, 0.0, 2.0], [3.0, 1.0, 1.0, 1.0]]);
    let (mut d_x, mut d_rows) = ([0.0; 4], [[0.0; 4]; 2]);
    let out = capture::fixed::vjp(&x, &mut d_x, &rows, &mut d_rows, [1.0, 10.0, 0.0, 0.0]);
    assert_eq!(out, capture::fixed(&x, &rows));
    assert_eq!(d_x, [2.0 + 4.0, 10.0 * (4.0 + 1.5), 0.0, 0.0]);
    assert_eq!(d_rows, [[1.0, 20.0, 0.0, 0.0]; 2]);
}

#[test]
fn tables() {
    let x = [1.0, 2.0, 3.0];
    let (value, gradient) = capture::weighted::gradient(&x, 0.5);
    close(value, capture::weighted(&x, 0.5));
    for i in 0..3 {
        let at = |xi: f64| {
            let mut x = x;
            x[i] = xi;
            capture::weighted(&x, 0.5)
        };
        agrees(gradient.x[i], at, x[i]);
    }
    agrees(gradient.scale, |scale| capture::weighted(&x, scale), 0.5);
}

#[test]
fn tables_behind_references() {
    let (value, gradient) = capture::referenced::gradient(&[2.0, 3.0]);
    close(value, (1.0 + 4.5 + 12.0) * std::f64::consts::PI);
    close(gradient.x[0], (0.5 + 6.0) * std::f64::consts::PI);
    close(gradient.x[1], (1.5 + 4.0) * std::f64::consts::PI);
}

#[test]
fn functions_from_macros() {
    let mut d_x = 0.0;
    assert_eq!(capture::cube::grad(1.5, &mut d_x), 27.0);
    agrees(d_x, capture::cube, 1.5);
    let (value, gradient) = capture::square::gradient(3.0_f32);
    assert_eq!((value, gradient.x), (9.0, 6.0));
}

#[test]
fn names_that_are_taken() {
    let mut d = [0.0; 6];
    let [a, b, c, e, f, g] = &mut d;
    assert_eq!(clashes::taken::grad(1.0, a, 2.0, b, 3.0, c, 4.0, e, 5.0, f, 6.0, g), 44.0);
    assert_eq!(d, [2.0, 1.0, 4.0, 3.0, 6.0, 5.0]);
    let (value, gradient) = clashes::raw::gradient(2.0, &[3.0]);
    assert_eq!((value, gradient.r#type, gradient.r#match), (6.0, 3.0, vec![2.0]));
    assert_eq!(clashes::r#loop::gradient(3.0).1.x, 6.0);
    assert_eq!(clashes::taken_module_gradient::gradient(2.0).1.x, 12.0);
    assert_eq!(clashes::taken_module::WHY, "to take the name");
}
