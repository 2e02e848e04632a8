//! `unsafe` blocks around accesses without bounds checks: derivatives check them.

use pardiff::differentiate;
use pardiff_programs::{assert_near, random};

/// The smoothed values, and their sum of squares.
#[differentiate(check)]
fn smoothed(x: &[f64], y: &mut [f64], weight: f64) -> f64 {
    let n = x.len();
    let mut total = 0.0;
    for i in 1..n - 1 {
        let (left, right) = unsafe { (*x.get_unchecked(i - 1), x.get_unchecked(i + 1)) };
        unsafe {
            *y.get_unchecked_mut(i) = weight * (left + right);
            *y.get_unchecked_mut(i) += 0.5 * x.get_unchecked(i);
        }
        let row = unsafe { y.get_unchecked(i - 1..=i) };
        total += row[0] * row[1];
    }
    total + (0..n).map(|i| unsafe { x.get_unchecked(i).sin() }).sum::<f64>()
}

#[test]
fn gradient() {
    let x = random(3, 7);
    smoothed::check(&x, &mut random(4, 7), 0.3).unwrap();
    let (mut y, mut own) = (vec![0.0; 7], vec![0.0; 7]);
    assert_near(&[smoothed::value(&x, &mut y, 0.3)], &[smoothed(&x, &mut own, 0.3)]);
    assert_eq!(y, own);
}

#[test]
#[should_panic(expected = "y")]
fn an_index_out_of_range_is_a_panic() {
    smoothed::value(&random(3, 7), &mut [0.0; 4], 0.3);
}
