//! Vectors of rows as parameters: derivatives have the same type, and read rows of one length.

#![allow(clippy::ptr_arg, reason = "these types are what is tested")]

use pardiff::differentiate;

#[differentiate(check, forward, hvp, split)]
pub fn weighted_product(x: &[Vec<f64>], y: &Vec<Vec<f64>>) -> f64 {
    let mut sum = 0.0;
    for i in 0..x.len() {
        for j in 0..x[i].len() {
            sum += x[i][j] * x[i][j] * y[j][i];
        }
    }
    sum
}

#[differentiate(check)]
pub fn sums_of_rows(x: Vec<Vec<f64>>, chosen: &[usize]) -> f64 {
    let squares: f64 = x.iter().map(|row| row.iter().sum::<f64>().powi(2)).sum();
    let cubes: f64 = x.iter().flatten().map(|v| v * v * v).sum();
    let products: f64 = x.iter().zip(chosen).map(|(row, &k)| row[k] * row[0]).sum();
    squares + cubes + products
}

#[differentiate(check)]
pub fn eliminated(a: &mut [Vec<f64>]) -> Vec<f64> {
    let n = a.len();
    for i in 0..n {
        let mut pivot = i;
        for r in i + 1..n {
            if a[r][i].abs() > a[pivot][i].abs() {
                pivot = r;
            }
        }
        a.swap(i, pivot);
        for r in i + 1..n {
            let factor = a[r][i] / a[i][i];
            for c in i..=n {
                a[r][c] -= factor * a[i][c];
            }
        }
    }
    let mut x = vec![0.0; n];
    for i in (0..n).rev() {
        let mut rest = a[i][n];
        for c in i + 1..n {
            rest -= a[i][c] * x[c];
        }
        x[i] = rest / a[i][i];
    }
    x
}

#[differentiate(check)]
pub fn product(a: &Vec<Vec<f64>>, b: &Vec<Vec<f64>>, c: &mut Vec<Vec<f64>>) -> Result<(), String> {
    if a.is_empty() || a[0].len() != b.len() {
        return Err("shapes".to_owned());
    }
    for i in 0..a.len() {
        for j in 0..b[0].len() {
            c[i][j] = 0.0;
            for k in 0..b.len() {
                c[i][j] += a[i][k] * b[k][j];
            }
        }
    }
    Ok(())
}

#[differentiate(check)]
pub fn changed_by_value(mut a: Vec<Vec<f32>>, s: f32) -> f32 {
    for row in a.iter_mut() {
        for v in row.iter_mut() {
            *v = *v * s + 1.0;
        }
    }
    let first = &a[0];
    let mut sum = 0.0;
    for (i, row) in a.iter().enumerate() {
        sum += row[i] * first[i];
    }
    sum
}

fn rows() -> Vec<Vec<f64>> {
    vec![vec![1.0, 2.0, 3.0], vec![0.5, 0.1, -1.0]]
}

fn columns() -> Vec<Vec<f64>> {
    vec![vec![1.0, 2.0], vec![3.0, -1.0], vec![0.3, 0.4]]
}

#[test]
fn derivatives_are_right() {
    weighted_product::check(&rows(), &columns()).unwrap();
    sums_of_rows::check(&rows(), &[1, 2]).unwrap();
    eliminated::check(&mut [vec![1.0, 2.0, 3.0, 1.0], vec![4.0, 1.0, 7.0, 2.0], vec![2.0, 9.0, 1.0, 3.0]])
        .unwrap();
    product::check(&rows(), &columns(), &mut [vec![0.0; 2], vec![0.0; 2]]).unwrap();
    changed_by_value::check(&[vec![1.0, 2.0], vec![0.5, 0.1]], 1.5).unwrap();
}

#[test]
fn adjoints_are_rows_of_the_same_lengths() {
    let (x, y) = (rows(), columns());
    let gradient = weighted_product::gradient(&x, &y).1;
    let expected = [[2.0, 12.0, 1.8], [2.0, -0.2, -0.8]];
    for (row, expected) in gradient.x.iter().zip(&expected) {
        for (a, b) in row.iter().zip(expected) {
            assert!((a - b).abs() < 1e-14);
        }
    }
    let mut tape = weighted_product::Tape::default();
    weighted_product::forward(&x, &y, &mut tape);
    let (mut d_x, mut d_y) = (vec![vec![1.0; 3]; 2], vec![vec![0.0; 2]; 3]);
    weighted_product::backward(&x, &mut d_x, &y, &mut d_y, &tape, 1.0);
    assert!((d_x[0][1] - 13.0).abs() < 1e-14);
    assert_eq!(d_y, gradient.y);
    weighted_product::grad_into(&x, &mut d_x, &y, &mut d_y);
    assert_eq!((d_x, d_y), (gradient.x, gradient.y));
}

#[test]
#[should_panic(expected = "sums_of_rows: the length of `x[1]` is 2 but the length of `x[0]` is 1")]
fn rows_of_several_lengths_are_named() {
    sums_of_rows::gradient(&[vec![1.0], vec![1.0, 2.0]], &[0]);
}

#[test]
#[should_panic(
    expected = "weighted_product: the length of the adjoint `d_y[1]` is 0 but the length of `y[1]` is 1"
)]
fn adjoints_with_other_rows_are_named() {
    let (x, y) = ([vec![1.0, 2.0]], [vec![1.0], vec![2.0]]);
    weighted_product::grad(&x, &mut [vec![0.0; 2]], &y, &mut [vec![0.0], vec![]]);
}

#[test]
#[should_panic(expected = "index out of range")]
fn the_first_row_of_none_is_named() {
    changed_by_value::gradient(&[], 1.0);
}

/// Rows that a helper returns, and rows that are declared in the closure.
#[differentiate(check)]
mod rows_of_helpers {
    fn normalised(row: &[f64]) -> Vec<f64> {
        let total = row.iter().map(|v| v.exp()).sum::<f64>();
        row.iter().map(|v| v.exp() / total).collect()
    }

    fn extended(row: &[f64], by: f64) -> Vec<f64> {
        let n = row.len();
        let mut all = vec![by; n + 1];
        for (to, from) in all.iter_mut().zip(row) {
            *to = from * by;
        }
        all
    }

    #[allow(clippy::redundant_closure)]
    pub fn of_helpers(x: &[f64], n: usize) -> f64 {
        let shares: Vec<Vec<f64>> = x.chunks_exact(n).map(|row| normalised(row)).collect();
        let longer: Vec<Vec<f64>> =
            x.chunks_exact(n).enumerate().map(|(i, row)| extended(row, i as f64 + x[0])).collect();
        let units: Vec<Vec<f64>> = (0..n)
            .map(|i| {
                let mut row = vec![0.0; n];
                row[i] = x[i];
                row
            })
            .collect();
        let mut total = 0.0;
        for i in 0..shares.len() {
            for j in 0..n {
                total += shares[i][j] * longer[i][j + 1] * units[j].iter().sum::<f64>();
            }
        }
        total
    }
}

#[test]
fn rows_that_helpers_return() {
    for (n, rows) in [(1, 1), (2, 3), (3, 2)] {
        let x = pardiff_programs::random(n as u64, n * rows);
        let value = rows_of_helpers::of_helpers::gradient(&x, n).0;
        assert!((value - rows_of_helpers::of_helpers(&x, n)).abs() < 1e-14);
        rows_of_helpers::of_helpers::check(&x, n).unwrap();
    }
}

/// Buffers of two time levels, and rows that are pushed.
#[differentiate(check)]
pub fn levels(x: &[f64], y: &[f64], steps: usize) -> f64 {
    let mut u = [x.to_vec(), y.iter().map(|v| v * v).collect()];
    for t in 0..steps {
        let (now, next) = (t % 2, (t + 1) % 2);
        for i in 1..x.len() - 1 {
            u[next][i] = 0.5 * u[now][i] + 0.25 * (u[now][i - 1] * u[now][i + 1]);
        }
    }
    let mut table = vec![vec![x[0], y[0]]];
    for k in 1..steps {
        let row: Vec<f64> = table[k - 1].iter().map(|v| v * y[1]).collect();
        table.push(row);
    }
    u[steps % 2].iter().sum::<f64>() + table[steps - 1].iter().product::<f64>()
}

/// A row that is longer than the first one.
#[differentiate]
pub fn longer(x: &[f64]) -> f64 {
    let mut table = vec![vec![x[0], x[1]]];
    let mut row = vec![x[0]];
    row.extend_from_slice(x);
    table.push(row);
    table[1].iter().sum()
}

#[test]
fn rows_that_are_made_here() {
    let (x, y) = ([0.3, 0.5, 0.9, 0.2], [0.7, 0.4, 0.8, 0.6]);
    levels::check(&x, &y, 3).expect("right derivatives");
    let panics: [&str; 2] = ["a row of `u` has another length", "a row of `table` has another length"];
    let of_levels = std::panic::catch_unwind(|| levels::value(&[0.3, 0.5, 0.9, 0.2], &[0.7, 0.4, 0.8], 3));
    let of_longer = std::panic::catch_unwind(|| longer::value(&[0.3, 0.5]));
    for (panic, expected) in [of_levels, of_longer].into_iter().zip(panics) {
        let text = panic.unwrap_err().downcast_ref::<String>().cloned().unwrap();
        assert!(text.contains(expected), "{text}");
    }
}
