use super::{agrees, close};
use pardiff_contract_tests::outputs;

#[test]
fn seeds_have_the_shape_of_the_result() {
    let mut d_x = [0.0; 3];
    let result = outputs::tuple::vjp(&[1.0, -2.0, 3.0], &mut d_x, (1.0, 10.0_f32));
    assert_eq!(result, (14.0, 2, 2.0));
    assert_eq!(d_x, [12.0, 6.0, 16.0]);
    let mut d_x = 0.0;
    assert_eq!(outputs::one_float::vjp(3.0, &mut d_x, 4, 2.0), (5, 9.0));
    assert_eq!(d_x, 12.0);
    let mut d_x = 1.0;
    assert_eq!(outputs::powers::vjp(2.0, &mut d_x, [1.0, 10.0, 100.0]), [2.0, 4.0, 8.0]);
    assert_eq!(d_x, 1.0 + 1.0 + 40.0 + 1200.0);
    assert_eq!(outputs::powers::value(2.0), [2.0, 4.0, 8.0]);
}

#[test]
fn adjoints_of_outputs_are_seeds() {
    let (mut y, mut d_y, mut d_s) = (vec![2.0, 3.0], vec![1.0, 10.0], 0.0);
    outputs::scale_in_place::vjp(&mut y, &mut d_y, 0.5, &mut d_s);
    assert_eq!(y, [2.0, 4.5]);
    assert_eq!(d_y, [2.0, 30.0]);
    assert_eq!(d_s, 4.0 + 90.0);
    outputs::scale_in_place::vjp_into(&mut [1.0], &mut [1.0], 3.0, &mut d_s);
    assert_eq!(d_s, 1.0);
    let (mut d_x, mut y, mut d_y) = ([0.0; 2], [0.0; 2], [1.0, 7.0]);
    outputs::unit::vjp(&[3.0, 4.0], &mut d_x, &mut y, &mut d_y);
    assert_eq!((d_x, y, d_y), ([4.0, 3.0], [12.0, 0.0], [0.0, 7.0]));
}

#[test]
fn outputs_and_value_are_both_seeds() {
    let x = [0.5, -1.5, 2.0];
    let (mut d_x, mut y, mut d_y) = ([0.0; 3], [0.0; 3], [1.0, 2.0, 3.0]);
    let (mut total, mut d_total) = (3.0, 10.0);
    let value = outputs::both::grad(&x, &mut d_x, &mut y, &mut d_y, &mut total, &mut d_total);
    let all = |x: &[f64]| {
        let (mut y, mut total) = ([0.0; 3], 3.0);
        let value = outputs::both(x, &mut y, &mut total);
        value + y[0] + 2.0 * y[1] + 3.0 * y[2] + 10.0 * total
    };
    for i in 0..3 {
        let at = |xi: f64| {
            let mut x = x;
            x[i] = xi;
            all(&x)
        };
        agrees(d_x[i], at, x[i]);
    }
    assert_eq!(d_y, [0.0; 3]);
    close(d_total, 10.0 * value);
    close(total, 3.0 * value);
    assert_eq!(y, [0.25, 2.25, 4.0]);
}

#[test]
fn integer_outputs_are_written_as_by_the_function() {
    let (mut d_x, mut best) = ([0.0; 3], 7);
    assert_eq!(outputs::winner::grad(&[1.0, 5.0, 5.0], &mut d_x, &mut best), 5.0);
    assert_eq!((d_x, best), ([0.0, 1.0, 0.0], 1));
    assert_eq!(outputs::winner::gradient(&[3.0, 2.0], &mut best).1.x, [1.0, 0.0]);
    assert_eq!(best, 0);
}
