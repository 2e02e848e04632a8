//! Sparse Jacobians and Hessians of generated functions, against dense ones.

use pardiff::differentiate;
use pardiff::sparse::{Compression, Pattern};
use pardiff_programs::random;

/// Residuals of neighbours in a chain with chords; one factor is zero, and one branch is not taken.
#[differentiate(forward, batch(4))]
pub fn residuals(x: &[f64], chords: &[[usize; 2]], r: &mut [f64], n: usize) {
    for i in 0..n - 1 {
        r[i] = x[i] * x[i + 1] - 1.0 + 0.0 * x[0];
    }
    for c in 0..chords.len() {
        let [p, q] = chords[c];
        let far = x[p] - x[q];
        r[n - 1 + c] = if far > 100.0 { x[0] } else { far.sin() };
    }
}

/// Of pairs, and of what is squared.
#[differentiate(hvp, batch(8))]
pub fn energy(x: &[f64], springs: &[[usize; 2]]) -> f64 {
    let mut total = 0.0;
    for s in 0..springs.len() {
        let d = x[springs[s][0]] - x[springs[s][1]];
        total += (1.0 + d * d).sqrt();
    }
    for i in 0..x.len() {
        total += 0.25 * x[i] * x[i] * x[i] * x[i];
    }
    total
}

#[test]
fn a_jacobian_by_columns_and_by_rows_is_the_dense_one() {
    let (n, chords) = (12, [[0, 7], [3, 9], [11, 2]]);
    let (x, rows) = (random(1, n), n - 1 + 3);
    let jvp = |x_dot: &[f64], r_dot: &mut [f64]| {
        residuals::jvp(&x, x_dot, &chords, &mut vec![0.0; rows], r_dot, n);
    };
    let pattern = Pattern::found(rows, n, jvp);
    let chain = (0..n - 1).flat_map(|i| [(i, 0), (i, i), (i, i + 1)]);
    let of_chords = chords.iter().enumerate().flat_map(|(c, [p, q])| [(n - 1 + c, *p), (n - 1 + c, *q)]);
    let expected = Pattern::new(rows, n, chain.chain(of_chords));
    // what the compiler knows to be nothing is not there
    assert!(pattern.iter().all(|(i, j)| expected.position(i, j).is_some()));
    assert!(expected.iter().all(|(i, j)| j == 0 || pattern.position(i, j).is_some()));

    let columns = Compression::by_columns(expected.clone());
    assert!(columns.directions() <= 5, "{}", columns.directions());
    let jacobian = columns.matrix(jvp);
    let batch = columns.matrix_batch::<f64, { residuals::WIDTH }>(|x_dot, r_dot| {
        residuals::jvp_batch(&x, x_dot, &chords, &mut vec![0.0; rows], r_dot, n);
    });
    let by_rows = Compression::by_rows(expected).matrix(|seed, d_x| {
        residuals::vjp(&x, d_x, &chords, &mut vec![0.0; rows], &mut seed.to_vec(), n);
    });
    for j in 0..n {
        let (mut direction, mut column) = (vec![0.0; n], vec![0.0; rows]);
        direction[j] = 1.0;
        jvp(&direction, &mut column);
        for (i, &entry) in column.iter().enumerate() {
            for (how, matrix) in [("columns", &jacobian), ("batch", &batch), ("rows", &by_rows)] {
                assert!((matrix.get(i, j) - entry).abs() < 1e-14, "{how}: ({i}, {j}) {entry}");
            }
        }
    }
}

#[test]
fn a_hessian_is_the_dense_one() {
    let n = 14;
    let springs: Vec<[usize; 2]> = (0..n - 1).map(|i| [i, i + 1]).chain([[0, 5], [13, 4], [5, 9]]).collect();
    // a spring without length and a number that is zero: first derivatives vanish there
    let mut x = random(2, n);
    (x[3], x[4]) = (0.0, 0.0);
    let hvp = |x_dot: &[f64], h_x: &mut [f64]| _ = energy::hvp(&x, x_dot, h_x, &springs);
    let pattern = Pattern::found(n, n, hvp);
    let both = springs.iter().flat_map(|&[p, q]| [(p, q), (q, p)]);
    assert_eq!(pattern, Pattern::new(n, n, both.chain((0..n).map(|i| (i, i)))));
    let found =
        Pattern::found_batch::<f64, 8>(n, n, |x_dot, h_x| _ = energy::hvp_batch(&x, x_dot, h_x, &springs));
    assert_eq!(found, pattern);

    let compression = Compression::symmetric(pattern);
    assert!(compression.directions() < 7, "{}", compression.directions());
    let hessian = compression.matrix(hvp);
    let batch =
        compression.matrix_batch::<f64, 8>(|x_dot, h_x| _ = energy::hvp_batch(&x, x_dot, h_x, &springs));
    for j in 0..n {
        let (mut direction, mut column) = (vec![0.0; n], vec![0.0; n]);
        direction[j] = 1.0;
        hvp(&direction, &mut column);
        for (i, &entry) in column.iter().enumerate() {
            assert!((hessian.get(i, j) - entry).abs() < 1e-13, "({i}, {j})");
            assert!((batch.get(i, j) - entry).abs() < 1e-13, "({i}, {j})");
            assert_eq!(hessian.get(i, j), hessian.get(j, i));
        }
    }
}
