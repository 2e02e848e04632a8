//! Entry points that overwrite give what the others add to zero, whatever the adjoints held before.

use pardiff::differentiate;
use pardiff_programs::random;

/// Every element of `a` that is below `n * n` is used once.
#[differentiate]
pub fn square(a: &[f64], x: &[f64], n: usize) -> f64 {
    let mut total = 0.0;
    for i in 0..n {
        let mut y = 0.0;
        for j in 0..n {
            y += a[i * n + j] * x[j];
        }
        total += 0.5 * y * y;
    }
    total
}

/// Every element of `rows` is used once; `by` is used in all rows.
#[differentiate]
pub fn weighted(rows: &[[f64; 3]], by: &[f64; 3]) -> f64 {
    let mut total = 0.0;
    for i in 0..rows.len() {
        for k in 0..3 {
            total += rows[i][k] * rows[i][k] * by[k];
        }
    }
    total
}

/// Some elements of `x` are not used.
#[differentiate]
pub fn positive(x: &[f64]) -> f64 {
    let mut total = 0.0;
    for i in 0..x.len() {
        if x[i] > 0.0 {
            total += x[i] * x[i];
        }
    }
    total
}

#[test]
fn elements_that_are_computed_once() {
    for n in [0, 1, 2, 9, 40, 150] {
        let (a, x) = (random(1, n * n + 5), random(2, n + 3));
        let (mut d_a, mut d_x) = (vec![0.0; a.len()], vec![0.0; x.len()]);
        let (mut into_a, mut into_x) = (vec![7.0; a.len()], vec![f64::NAN; x.len()]);
        let value = square::grad(&a, &mut d_a, &x, &mut d_x, n);
        assert_eq!(square::grad_into(&a, &mut into_a, &x, &mut into_x, n), value, "{n}");
        assert!(into_a == d_a && into_x == d_x, "{n}");
        // what is added to one product once is exact
        square::grad(&a, &mut into_a, &x, &mut into_x, n);
        assert!(into_a.iter().zip(&d_a).all(|(twice, d)| *twice == d + d), "{n}");
    }
}

#[test]
fn an_array_that_is_too_short_panics_as_in_the_primal() {
    let (a, x) = (random(1, 8), random(2, 3));
    let panics =
        std::panic::catch_unwind(|| square::grad_into(&a, &mut vec![0.0; 8], &x, &mut vec![0.0; 3], 3));
    let message = *panics.expect_err("it is too short").downcast::<String>().expect("a message");
    assert!(message.contains("a[i * n + j]"), "{message}");
}

#[test]
fn rows_and_what_all_rows_share() {
    let rows: Vec<[f64; 3]> = random(3, 60).chunks(3).map(|row| [row[0], row[1], row[2]]).collect();
    let by = [0.5, -1.0, 2.0];
    let (mut d_rows, mut d_by) = (vec![[0.0; 3]; 20], [0.0; 3]);
    let (mut into_rows, mut into_by) = (vec![[9.0; 3]; 20], [9.0; 3]);
    weighted::grad(&rows, &mut d_rows, &by, &mut d_by);
    weighted::grad_into(&rows, &mut into_rows, &by, &mut into_by);
    assert_eq!((into_rows, into_by), (d_rows, d_by));
}

#[test]
fn what_a_condition_leaves_out_is_zero() {
    let x = random(4, 33);
    let (mut d_x, mut into) = (vec![0.0; 33], vec![9.0; 33]);
    positive::grad(&x, &mut d_x);
    positive::grad_into(&x, &mut into);
    assert_eq!(into, d_x);
    assert!(into.contains(&0.0), "some are not positive");
}

/// Every element of `x` and of `z` is used several times in an iteration; those of `z` once in the program's text.
#[differentiate]
pub fn repeated(x: &[f64], z: &[f64], n: usize) -> f64 {
    let mut total = 0.0;
    for i in 0..n {
        total += x[i] * z[i] + x[i].sin() * x[i] + (x[i] * 0.5).exp();
    }
    total
}

#[test]
fn elements_that_one_iteration_adds_to_several_times() {
    for n in [0, 3, 77, 5000] {
        let (x, z) = (random(5, n + 2), random(6, n + 2));
        let (mut d_x, mut d_z) = (vec![0.0; n + 2], vec![0.0; n + 2]);
        let (mut into_x, mut into_z) = (vec![9.0; n + 2], vec![9.0; n + 2]);
        repeated::grad(&x, &mut d_x, &z, &mut d_z, n);
        repeated::grad_into(&x, &mut into_x, &z, &mut into_z, n);
        assert!(into_x == d_x && into_z == d_z, "{n}");
    }
}
