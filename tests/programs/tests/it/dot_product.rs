//! A sum of products: one loop, one accumulator.

use pardiff::differentiate;
use pardiff_programs::{assert_near, check, random};

#[differentiate]
pub fn dot(x: &[f64], y: &[f64]) -> f64 {
    let mut sum = 0.0;
    for i in 0..x.len() {
        sum += x[i] * y[i];
    }
    sum
}

#[test]
fn grad_adds() {
    let (x, y) = (random(1, 7), random(2, 7));
    let (mut d_x, mut d_y) = (vec![0.0; 7], vec![0.0; 7]);
    let value = dot::grad(&x, &mut d_x, &y, &mut d_y);
    assert_eq!(value, dot(&x, &y));
    assert_near(&d_x, &y);
    assert_near(&d_y, &x);
    check(|v| dot(&v[0], &v[1]), &[&x, &y], &[&d_x, &d_y]);
    dot::grad(&x, &mut d_x, &y, &mut d_y);
    assert_near(&d_x, &y.iter().map(|y| 2.0 * y).collect::<Vec<_>>());
}

#[test]
fn the_other_entry_points_agree() {
    let (x, y) = (random(3, 5), random(4, 5));
    let (mut d_x, mut d_y) = (vec![9.0; 5], vec![-7.0; 5]);
    assert_eq!(dot::value(&x, &y), dot(&x, &y));
    assert_eq!(dot::grad_into(&x, &mut d_x, &y, &mut d_y), dot(&x, &y));
    assert_near(&d_x, &y);
    assert_eq!(dot::vjp(&x, &mut d_x, &y, &mut d_y, 0.5), dot(&x, &y));
    assert_near(&d_x, &y.iter().map(|y| 1.5 * y).collect::<Vec<_>>());
    assert_eq!(dot::vjp_into(&x, &mut d_x, &y, &mut d_y, -2.0), dot(&x, &y));
    assert_near(&d_y, &x.iter().map(|x| -2.0 * x).collect::<Vec<_>>());
    let (value, gradient) = dot::gradient(&x, &y);
    assert_eq!(value, dot(&x, &y));
    assert_near(&gradient.x, &y);
    assert_near(&gradient.y, &x);
}

#[test]
fn nothing_to_sum() {
    assert_eq!(dot::grad(&[], &mut [], &[], &mut []), 0.0);
    let (value, gradient) = dot::gradient(&[], &[]);
    assert_eq!((value, gradient.x.len()), (0.0, 0));
}

#[test]
fn an_array_passed_twice_takes_two_adjoints() {
    let x = random(5, 4);
    let (mut a, mut b) = (vec![0.0; 4], vec![0.0; 4]);
    dot::grad(&x, &mut a, &x, &mut b);
    check(|v| dot(&v[0], &v[0]), &[&x], &[&a.iter().zip(&b).map(|(a, b)| a + b).collect::<Vec<_>>()]);
}
