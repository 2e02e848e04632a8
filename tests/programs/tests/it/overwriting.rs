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

/// Row `i` of a sparse matrix has `values[k]` in column `columns[k]` for `k` in `start[i]..start[i + 1]`.
#[differentiate(wrt(values, x))]
pub fn sparse(values: &[f64], x: &[f64], start: &[u32], columns: &[usize], n: usize) -> f64 {
    let mut total = 0.0;
    for i in 0..n {
        let mut y = 0.0;
        for k in start[i] as usize..start[i + 1] as usize {
            y += values[k] * x[columns[k]];
        }
        total += 0.5 * y * y;
    }
    total
}

/// The same of four features for each entry, which an iteration comes to twice.
#[differentiate(wrt(features))]
pub fn edges(features: &[f64], start: &[usize], n: usize) -> f64 {
    let mut total = 0.0;
    for i in 0..n {
        let mut square = 0.0;
        for k in start[i]..start[i + 1] {
            for f in 0..4 {
                square += features[k * 4 + f] * features[k * 4 + f];
            }
        }
        let scale = (1.0 + square).sqrt();
        for k in start[i]..start[i + 1] {
            for f in 0..4 {
                total += features[k * 4 + f].sin() / scale;
            }
        }
    }
    total
}

/// Rows whose ends are given beside their starts, and of which some are left out.
#[differentiate(wrt(values))]
pub fn chosen(values: &[f64], start: &[usize], end: &[usize], least: usize) -> f64 {
    let mut total = 0.0;
    for i in 0..start.len() {
        if end[i] - start[i] >= least {
            for k in start[i]..end[i] {
                total += values[k].exp();
            }
        }
    }
    total
}

/// What overwriting leaves in slices that begin anywhere, and what adding leaves in zeros.
fn both<const N: usize>(
    len: usize,
    add: impl Fn([&mut [f64]; N]) -> f64,
    into: impl Fn([&mut [f64]; N]) -> f64,
) {
    let mut zeros = [(); N].map(|()| vec![0.0; len]);
    let value = add(zeros.each_mut().map(|it| &mut it[..]));
    for offset in 0..3 {
        let mut held = [(); N].map(|()| vec![f64::NAN; len + offset]);
        assert_eq!(into(held.each_mut().map(|it| &mut it[offset..])), value);
        for (held, zeros) in held.iter().zip(&zeros) {
            let same = |(a, b): (&f64, &f64)| a.to_bits() == b.to_bits() || (*a == 0.0 && *b == 0.0);
            assert!(held[offset..].iter().zip(zeros).all(same), "{len} {offset}");
        }
    }
}

/// Starts of rows of up to `longest` entries behind a gap.
fn starts(n: usize, longest: usize, gap: usize) -> Vec<usize> {
    let mut at = gap;
    let rows = random(7, n).into_iter().map(|length| {
        at += (length.abs() * longest as f64) as usize;
        at
    });
    std::iter::once(gap).chain(rows).collect()
}

#[test]
fn rows_that_follow_one_another() {
    for n in [0, 1, 5, 300, 20_000] {
        for (longest, gap) in [(0, 3), (1, 0), (9, 0), (20, 7)] {
            let start = starts(n, longest, gap);
            let len = start[n] + gap;
            let (values, x) = (random(8, len), random(9, len + 1));
            let columns: Vec<usize> = (0..len).map(|k| k * 7919 % (len + 1)).collect();
            let narrow: Vec<u32> = start.iter().map(|&at| at as u32).collect();
            both(
                len + 1,
                |[d_v, d_x]| sparse::grad(&values, &mut d_v[..len], &x, d_x, &narrow, &columns, n),
                |[d_v, d_x]| {
                    d_v[len] = 0.0;
                    sparse::grad_into(&values, &mut d_v[..len], &x, d_x, &narrow, &columns, n)
                },
            );
            let features = random(10, 4 * len);
            both(
                4 * len,
                |[d]| edges::grad(&features, d, &start, n),
                |[d]| edges::grad_into(&features, d, &start, n),
            );
        }
    }
}

#[test]
fn rows_that_overlap_or_leave_gaps() {
    for start in [[9, 4, 7, 2, 5], [0, 3, 1, 4, 6], [5, 4, 3, 2, 1], [2, 2, 2, 9, 9]] {
        let (values, x, columns) = (random(8, 10), random(9, 10), [0, 3, 1, 4, 1, 5, 9, 2, 6, 5]);
        both(
            10,
            |[d_v, d_x]| sparse::grad(&values, d_v, &x, d_x, &start, &columns, 4),
            |[d_v, d_x]| sparse::grad_into(&values, d_v, &x, d_x, &start, &columns, 4),
        );
    }
    let values = random(8, 30);
    for (start, end) in
        [([0, 5, 10, 12], [5, 10, 12, 30]), ([1, 5, 10, 12], [3, 9, 12, 20]), ([20, 5, 7, 0], [30, 6, 9, 9])]
    {
        for least in [0, 4, 40] {
            both(
                30,
                |[d]| chosen::grad(&values, d, &start, &end, least),
                |[d]| chosen::grad_into(&values, d, &start, &end, least),
            );
        }
    }
}

#[test]
fn rows_beyond_the_array_panic_as_they_do_where_they_are_added() {
    let (values, x, columns) = (random(8, 10), random(9, 10), [0; 10]);
    for (start, n) in [(vec![0, 4, 11, 10], 3), (vec![0, 4], 2), (vec![], 1), (vec![3, 12], 1)] {
        let message = |overwrite: bool| {
            let call = || match (&mut [0.0; 10][..], &mut [0.0; 10][..]) {
                (d_v, d_x) if overwrite => sparse::grad_into(&values, d_v, &x, d_x, &start, &columns, n),
                (d_v, d_x) => sparse::grad(&values, d_v, &x, d_x, &start, &columns, n),
            };
            let payload = std::panic::catch_unwind(call).expect_err("a row is not there");
            payload.downcast_ref::<String>().cloned().expect("a message")
        };
        assert_eq!(message(true), message(false), "{start:?}");
    }
}

#[test]
fn large_arrays_are_zero_where_nothing_is_computed() {
    let x = vec![-1.0; 300_001];
    let mut into = vec![9.0; x.len()];
    positive::grad_into(&x, &mut into);
    assert!(into.iter().all(|d| *d == 0.0));
}
