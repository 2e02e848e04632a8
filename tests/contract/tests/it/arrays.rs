use ndarray::{arr1, arr2};
use pardiff_contract_tests::arrays;

#[test]
fn the_gradient_has_owned_arrays() {
    let (a, x, y) =
        (arr2(&[[1.0, 2.0], [3.0, 4.0], [0.0, 1.0]]), arr1(&[1.0, -1.0]), arr1(&[0.0_f32, 0.5, 1.0]));
    let (value, gradient) = arrays::residual::gradient(&a, x.view(), &y.view(), 3);
    assert_eq!(value, 7.25);
    assert_eq!(gradient.a, arr2(&[[-2.0, 2.0], [-3.0, 3.0], [-4.0, 4.0]]));
    assert_eq!(gradient.x, arr1(&[-11.0, -20.0]));
    assert_eq!(gradient.y, arr1(&[2.0_f32, 3.0, 4.0]));
    assert_eq!(gradient.clone(), gradient);
    assert!(format!("{gradient:?}").starts_with("Gradient { a: [[-2.0, 2.0],"));
}

#[test]
fn adjoints_are_views_where_the_arrays_are() {
    let (mut x, mut d_x, mut d_by) = (arr1(&[1.0, 2.0]), arr1(&[1.0, 10.0]), 0.0);
    arrays::scale::vjp(x.view_mut(), d_x.view_mut(), 3.0, &mut d_by);
    assert_eq!((x, d_x, d_by), (arr1(&[3.0, 6.0]), arr1(&[3.0, 30.0]), 21.0));
}

#[test]
fn a_function_in_a_function() {
    assert_eq!(arrays::inside(), 15.0);
}
