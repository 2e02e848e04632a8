//! The methods of arrays of `ndarray` that are accepted, in kernels that are checked against finite differences.

use ndarray::{Array, Array1, Array2, ArrayView1, ArrayView2, ArrayViewMut1, Axis, Zip, arr1, azip, s};
use pardiff::differentiate;
use pardiff_programs::{assert_near, check, dot, positive, random};

fn matrix(rows: usize, columns: usize, values: &[f64]) -> Array2<f64> {
    Array2::from_shape_vec((rows, columns), values.to_vec()).expect("as many values as elements")
}

/// The numbers in logical order.
fn in_order(a: &Array2<f64>) -> Vec<f64> {
    a.iter().copied().collect()
}

/// Checks the gradient of a function of a matrix.
#[track_caller]
fn check_matrix(value: impl Fn(&Array2<f64>) -> f64, gradient: impl Fn(&Array2<f64>) -> (f64, Array2<f64>)) {
    for (n, m) in [(3, 4), (4, 3), (2, 2)] {
        let a = positive((n * m) as u64, n * m);
        let (found, g) = gradient(&matrix(n, m, &a));
        assert_near(&[found], &[value(&matrix(n, m, &a))]);
        check(|v| value(&matrix(n, m, &v[0])), &[&a], &[&in_order(&g)]);
        // the same through columns
        let turned = matrix(n, m, &a).reversed_axes().as_standard_layout().to_owned();
        let (found, by_columns) = gradient(&turned.reversed_axes());
        assert_near(&[found], &[value(&matrix(n, m, &a))]);
        assert_near(&in_order(&by_columns), &in_order(&g));
    }
}

mod methods {
    use super::*;

    macro_rules! programs {
        ($($name:ident($a:ident) $body:block)*) => {
            $(
                mod $name {
                    use super::*;

                    #[differentiate]
                    fn f($a: ArrayView2<'_, f64>) -> f64 $body

                    #[test]
                    fn agrees_with_finite_differences() {
                        check_matrix(|a| f(a.view()), |a| {
                            let (value, g) = f::gradient(a.view());
                            (value, g.a)
                        });
                    }
                }
            )*
        };
    }

    programs! {
        shapes(a) {
            let (n, m) = a.dim();
            let shape = a.shape();
            let mut total = 0.0;
            for i in 0..a.len_of(Axis(0)) {
                for j in 0..a.shape()[1] {
                    total += a[[i, j]] * (n * m + a.len() + a.nrows() + a.ncols() + shape[0] + a.ndim()) as f64;
                }
            }
            if a.is_empty() { 0.0 } else { total * a[[0, 0]] }
        }
        rows(a) {
            let mut total = 0.0;
            for i in 0..a.nrows() {
                let row = a.row(i);
                for j in 0..row.len() {
                    total += row[j] * row[0] * (i + 1) as f64;
                }
                total += a.row(i)[1].sin();
            }
            total
        }
        columns(a) {
            let mut total = 0.0;
            for j in 0..a.ncols() {
                let column = a.column(j);
                for i in 0..column.len() {
                    total += column[i] * column[0] * (j + 1) as f64;
                }
                total += a.column(j).iter().map(|x| x * x * x).sum::<f64>();
            }
            total
        }
        parts(a) {
            let mut total = 0.0;
            for i in 0..a.nrows() {
                for (j, &x) in a.index_axis(Axis(0), i).iter().enumerate() {
                    total += x * x * a.index_axis(Axis(1), j)[0];
                }
            }
            total
        }
        all_numbers(a) {
            let mut total = 0.0;
            for x in a.iter() {
                total += x * x;
            }
            for &x in a {
                total += x.sin();
            }
            for x in &a {
                if *x < 1.0 {
                    continue;
                }
                total += x.exp();
            }
            total
        }
        sums(a) {
            let squares: f64 = a.iter().map(|x| x * x).sum();
            let large = a.iter().filter(|&&x| x > 1.0).map(|x| x.ln()).sum::<f64>();
            squares * a.sum() + large + a.iter().fold(1.0, |p, x| p * x) + a.fold(0.0, |s: f64, &x| s + x.sqrt())
        }
        products(a) {
            a.product() + a.row(0).product() * a.column(1).sum()
        }
        positions(a) {
            let mut total = 0.0;
            for (k, x) in a.iter().enumerate() {
                total += x * x * k as f64;
            }
            for (x, y) in a.iter().zip(a.iter().skip(1)) {
                total += x * y * y;
            }
            for x in a.iter().skip(1).step_by(2) {
                total += x.cos();
            }
            total
        }
        left_early(a) {
            let mut total = 0.0;
            for &x in a.iter() {
                total += x * x;
                if total > 3.0 {
                    break;
                }
            }
            total
        }
        indexed(a) {
            let mut total = 0.0;
            for ((i, j), &x) in a.indexed_iter() {
                total += x * x * (i + 10 * j) as f64 * a[[i, 0]];
            }
            for (i, x) in a.column(0).indexed_iter() {
                total += x * x * i as f64;
            }
            total
        }
        iterated_rows(a) {
            let mut total = 0.0;
            for row in a.outer_iter() {
                total += row[0] * row.iter().sum::<f64>();
            }
            for (i, row) in a.axis_iter(Axis(0)).enumerate() {
                total += row[1] * row[1] * i as f64;
            }
            for row in a.rows() {
                total += row[0] * row.sum();
            }
            total
        }
        iterated_columns(a) {
            let mut total = 0.0;
            for (j, column) in a.columns().into_iter().enumerate() {
                total += column[0] * column[1] * (j + 1) as f64;
            }
            total + a.axis_iter(Axis(1)).map(|column| column.sum() * column[0]).sum::<f64>()
        }
        dots(a) {
            let mut total = 0.0;
            for i in 0..a.nrows() {
                total += a.row(i).dot(&a.row(0)) + a.row(i).dot(&a.row(i)).sqrt();
            }
            total + a.column(0).dot(&a.column(1))
        }
        transposed(a) {
            let t = a.t();
            let mut total = t[[1, 0]] * t.row(0)[1] * t.column(1)[0];
            for row in t.outer_iter() {
                total += row.sum() * row[0] * t.nrows() as f64;
            }
            for i in 0..t.ncols() {
                total += t.t().row(i).dot(&t.column(0)) + a.row(0).t()[0];
            }
            total + t.iter().zip(a).map(|(x, y)| x * y).sum::<f64>()
        }
        views(a) {
            let b = a.view();
            let c = &b;
            let mut total = 0.0;
            for i in 0..c.nrows() {
                total += c[[i, 0]] * b[[i, 1]];
            }
            total
        }
        side_by_side(a) {
            let mut b = Array2::<f64>::zeros(a.dim());
            let mut sums = Array1::<f64>::zeros(a.nrows());
            Zip::indexed(&mut b).and(&a).for_each(|(i, j), b, &a| *b = a * a * (i + j) as f64);
            Zip::from(&mut sums).and(b.rows()).for_each(|sum, row| *sum += row.sum());
            azip!((sum in &mut sums, &x in &a.column(0)) *sum *= x);
            let mut total = 0.0;
            Zip::from(&a).and(&b).for_each(|a, b| total += a * (b + 1.0).sqrt());
            b.mapv_inplace(|b| b * b.sin());
            sums.mapv_inplace(f64::cos);
            total += Zip::from(&a).and(&b).fold(0.5, |total, &a, b| total + a * b);
            total + sums.sum()
        }
        numbers_alone(a) {
            let mut total = a.sum() / a.len() as f64;
            for (k, x) in a.iter().enumerate() {
                total += x * x * k as f64;
            }
            total + a.iter().zip(a.iter().skip(1)).map(|(x, y)| x * y).sum::<f64>()
        }
        slices(a) {
            let n = a.nrows();
            let upper = a.slice(s![1..n, ..]);
            let mut total = a.slice(s![0, ..]).sum() * a.slice(s![.., 1]).product();
            for (i, row) in upper.outer_iter().enumerate() {
                total += row.dot(&a.row(i));
            }
            let mut b = a.to_owned();
            b.slice_mut(s![0, 1..]).fill(a[[1, 0]]);
            for x in b.slice_mut(s![..n - 1, ..]).iter_mut() {
                *x *= *x;
            }
            total + b.sum()
        }
        local_arrays(a) {
            let (n, m) = a.dim();
            let mut t = Array2::<f64>::zeros((m, n));
            let mut sums: Array1<f64> = Array1::zeros(n);
            let ones = Array1::from_elem(m, 0.5);
            for i in 0..n {
                for j in 0..m {
                    t[[j, i]] = a[[i, j]].sin();
                    sums[i] += t[[j, i]] * ones[j];
                }
            }
            let mut squares: Array2<f64> = Array::ones(a.raw_dim());
            for ((i, j), x) in squares.indexed_iter_mut() {
                *x += a[[i, j]] * a[[i, j]];
            }
            t.swap([0, 1], [1, 0]);
            sums.swap(0, 1);
            sums[0] * t[[0, 1]] + sums.dot(&sums) + squares.sum()
        }
        copies(a) {
            let mut b = a.to_owned();
            b[[0, 0]] = 2.0 * a[[0, 1]];
            b.fill(a[[1, 1]]);
            let mut row = a.row(0).to_owned();
            row[0] *= row[1];
            let list = a.row(1).to_vec();
            b[[1, 0]] * row[0] + list[0] * list[1] + b.clone().sum()
        }
        shape_of_locals(a) {
            let shape = a.dim();
            let mut b: Array2<f64> = Array2::zeros(shape);
            let (n, m) = shape;
            for i in 0..n {
                for j in 0..m {
                    b[(i, j)] = a[(i, j)] * a[(i, 0)];
                }
            }
            b.iter().sum()
        }
    }

    /// `y = a x`, by rows; then each element is changed in place.
    #[differentiate]
    fn written(a: &Array2<f64>, x: ArrayView1<f64>, mut y: ArrayViewMut1<f64>, z: &mut Array2<f64>) {
        for (y, row) in y.iter_mut().zip(a.rows()) {
            *y = row.dot(&x);
        }
        for y in y.iter_mut() {
            *y *= *y;
        }
        y.map_inplace(|y| *y += 1.0);
        for x in z.iter_mut() {
            *x = x.sin();
        }
        for mut row in z.outer_iter_mut() {
            row[0] *= row[1];
        }
        for (j, mut column) in z.axis_iter_mut(Axis(1)).enumerate() {
            column[0] *= (j + 1) as f64;
            let mut all = column.view_mut();
            all[1] += 1.0;
        }
        let mut last = z.row_mut(1);
        last[0] = a[[0, 0]] * last[1];
        z.column_mut(1)[0] += a[[1, 1]];
        let mut first = z.index_axis_mut(Axis(0), 0);
        first.fill(a[[0, 1]]);
        for ((i, j), z) in z.indexed_iter_mut() {
            *z *= a[[i, j]];
        }
    }

    #[test]
    fn what_is_written() {
        let (n, m) = (3, 4);
        let (a, x, y, z) = (random(1, n * m), random(2, m), random(3, n), random(4, n * m));
        let (seed_y, seed_z) = (random(5, n), random(6, n * m));
        let run = |v: &[Vec<f64>]| {
            let (mut y, mut z) = (Array1::from(v[2].clone()), matrix(n, m, &v[3]));
            written(&matrix(n, m, &v[0]), arr1(&v[1]).view(), y.view_mut(), &mut z);
            dot(&y.to_vec(), &seed_y) + dot(&in_order(&z), &seed_z)
        };
        let (mut y_now, mut d_y) = (Array1::from(y.clone()), Array1::from(seed_y.clone()));
        let (mut z_now, mut d_z) = (matrix(n, m, &z), matrix(n, m, &seed_z));
        let (mut d_a, mut d_x) = (Array2::zeros((n, m)), Array1::zeros(m));
        written::vjp(
            &matrix(n, m, &a),
            &mut d_a,
            arr1(&x).view(),
            d_x.view_mut(),
            y_now.view_mut(),
            d_y.view_mut(),
            &mut z_now,
            &mut d_z,
        );
        check(run, &[&a, &x, &y, &z], &[&in_order(&d_a), &d_x.to_vec(), &d_y.to_vec(), &in_order(&d_z)]);
    }
}

/// Helpers of a module take views, parts and whole arrays.
#[differentiate]
mod kernels {
    use ndarray::{Array2, ArrayView1, ArrayView2, ArrayViewMut1};

    type Matrix = Array2<f64>;

    fn norm(row: ArrayView1<f64>) -> f64 {
        row.iter().map(|x| x * x).sum::<f64>().sqrt()
    }

    fn distance(a: &ArrayView1<'_, f64>, b: &ArrayView1<'_, f64>) -> f64 {
        let mut sum = 0.0;
        for k in 0..a.len() {
            sum += (a[k] - b[k]).powi(2);
        }
        sum.sqrt()
    }

    fn scale(mut row: ArrayViewMut1<f64>, by: f64) {
        for x in row.iter_mut() {
            *x *= by;
        }
    }

    fn trace(a: &Matrix) -> f64 {
        let mut total = 0.0;
        for i in 0..a.nrows().min(a.ncols()) {
            total += a[[i, i]];
        }
        total
    }

    pub fn energy(a: ArrayView2<f64>) -> f64 {
        let mut scaled: Matrix = Array2::zeros(a.dim());
        for i in 0..a.nrows() {
            for j in 0..a.ncols() {
                scaled[[i, j]] = a[[i, j]];
            }
            scale(scaled.row_mut(i), norm(a.row(i)));
        }
        let mut total = trace(&scaled);
        for i in 1..a.nrows() {
            total += distance(&a.row(i - 1), &a.row(i)) + norm(scaled.column(0));
        }
        total
    }
}

#[test]
fn helpers_of_a_module() {
    check_matrix(
        |a| kernels::energy(a.view()),
        |a| {
            let (value, g) = kernels::energy::gradient(a.view());
            (value, g.a)
        },
    );
}
