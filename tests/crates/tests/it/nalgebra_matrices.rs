//! Matrices of `nalgebra`.

use nalgebra::{
    Matrix2, Matrix2x3, Matrix3, Matrix3x2, Matrix4, Matrix6, RowVector2, RowVector3, SMatrix, SVector,
    Vector2, Vector3, Vector6,
};

macro_rules! of_square_sizes {
    ($module:ident, $n:expr, $diagonal:expr) => {
        mod $module {
            use super::*;

            type Own = SMatrix<f64, $n, $n>;

            fn model() -> SMatrix<f64, $n, $n> {
                Own::from_fn(|i, j| ((i * 7 + j * 3 + i * j) % 5) as f64 * 0.3 + if i == j { $diagonal } else { 0.1 })
            }

            cases! {
                (
                    m: SMatrix<f64, $n, $n> = model(),
                    v: SVector<f64, $n> = SVector::from_fn(|i, _| 0.4 + 0.3 * i as f64),
                    s: f64 = 0.6; 1e-12
                )
                identity: SMatrix<f64, $n, $n> = SMatrix::<f64, $n, $n>::identity() * s + m;
                from_diagonal: SMatrix<f64, $n, $n> =
                    SMatrix::<f64, $n, $n>::from_diagonal(&v) + SMatrix::<f64, $n, $n>::from_diagonal_element(s);
                trace: f64 = m.trace() * s + m.diagonal().dot(&v);
                determinant: f64 = m.determinant();
                try_inverse: SMatrix<f64, $n, $n> = m.try_inverse().unwrap();
                lu: SVector<f64, $n> = m.lu().solve(&v).unwrap();
                lu_determinant: f64 = m.lu().determinant();
                lu_inverse: SMatrix<f64, $n, $n> = m.lu().try_inverse().unwrap() * s;
                invertible: f64 = if m.lu().is_invertible() { s * v[0] } else { s };
                cholesky: SVector<f64, $n> = (m.transpose() * m).cholesky().unwrap().solve(&v);
                cholesky_l: SMatrix<f64, $n, $n> = (m.transpose() * m).cholesky().unwrap().l();
                cholesky_inverse: SMatrix<f64, $n, $n> = (m.transpose() * m).cholesky().unwrap().inverse();
                cholesky_determinant: f64 = (m.transpose() * m).cholesky().unwrap().determinant();
                cholesky_ln_determinant: f64 = (m.transpose() * m).cholesky().unwrap().ln_determinant();
                mul: SVector<f64, $n> = m * v + &m * &v + m * m * v;
                mul_assign: SMatrix<f64, $n, $n> = { let mut n = m; n *= m; n *= s; n };
                transpose: SMatrix<f64, $n, $n> = m.transpose() * m;
            }
        }
    };
}

of_square_sizes! { three, 3, 1.7 }
// where rows are exchanged
of_square_sizes! { permuted, 4, -0.3 }

/// What has a formula for each size.
macro_rules! inverses {
    ($module:ident, $n:expr, $diagonal:expr) => {
        mod $module {
            use super::*;

            fn model() -> SMatrix<f64, $n, $n> {
                SMatrix::<f64, $n, $n>::from_fn(|i, j| {
                    ((i * 7 + j * 3 + i * j) % 5) as f64 * 0.3 + if i == j { $diagonal } else { 0.1 }
                })
            }

            cases! {
                (m: SMatrix<f64, $n, $n> = model(), s: f64 = 0.6; 1e-12)
                determinant: f64 = m.determinant() * s;
                try_inverse: SMatrix<f64, $n, $n> = m.try_inverse().unwrap() * s;
            }
        }
    };
}

inverses! { one, 1, 1.7 }
inverses! { two, 2, 1.7 }
inverses! { four, 4, 2.1 }
inverses! { six, 6, 2.9 }

cases! {
    (
        m: Matrix2x3<f64> = Matrix2x3::new(0.7, -1.3, 0.45, 0.2, 0.9, -0.4),
        n: SMatrix<f64, 3, 2> = Matrix3x2::new(0.7, -1.3, 0.45, 0.2, 0.9, -0.4),
        s: f64 = 0.6; 1e-14
    )
    new: Matrix2x3<f64> = Matrix2x3::new(s, 1.0, 2.0, m.m11, m.m23, n.m32);
    product: Matrix2<f64> = m * n;
    square: Matrix3<f64> = n * m + m.transpose() * m;
    columns: Vector2<f64> = m.column(1) * s + m.column(2);
    rows: RowVector3<f64> = m.row(1) * s;
    set: Matrix2x3<f64> =
        { let mut a = m; a.set_column(0, &Vector2::new(s, n[0])); a.set_row(1, &RowVector3::new(s, 1.0, n[(2, 1)]));
        a };
    from_columns: Matrix2x3<f64> =
        Matrix2x3::from_columns(&[m.column(2).into_owned(), Vector2::new(s, 1.0), Vector2::new(s, n.m11)]);
    from_rows: Matrix2x3<f64> = Matrix2x3::from_rows(&[RowVector3::new(s, 1.0, n.m11), RowVector3::new(s, s, s)]);
    slices: Matrix2x3<f64> =
        Matrix2x3::from_row_slice(&[s, 1.0, 2.0, n.m11, 4.0, 5.0]) + Matrix2x3::from_column_slice(&[s, 1.0, 2.0,
        n.m22, 4.0, 5.0]);
    linear: f64 = m[3] * s + n[(2, 0)] * m[5];
    index_mut: Matrix2x3<f64> = { let mut a = m; a[(1, 2)] = s; a[0] += n[1]; a.m12 *= s; a };
    views: Matrix2<f64> = m.fixed_view::<2, 2>(0, 1) * n.fixed_rows::<2>(1) + m.fixed_columns::<2>(0) * s;
    map: Matrix2x3<f64> = m.map(|x| x * x) + m.zip_map(&n.transpose(), |x, y| x * y) * s;
    norm: f64 = m.norm() + m.dot(&n.transpose()) + m.sum() + m.max() + m.amin() + m.mean();
    elements: Matrix2x3<f64> = m.component_mul(&m) + m.abs() * s - m / s + -m;
    product_of_rows: RowVector2<f64> = m.row(0) * n;
}

cases! {
    (m: Matrix4<f64> = Matrix4::from_fn(|i, j| (i * 4 + j) as f64 * 0.2), s: f64 = 0.6; 1e-14)
    members: f64 = m.m14 * m.m41 + m.m33 * s + m.m44;
    sum: Matrix4<f64> = [m, m * s].iter().sum();
}

cases! {
    (
        m: Matrix6<f64> = Matrix6::from_fn(|i, j| (i * 6 + j) as f64 * 0.1),
        v: Vector6<f64> = Vector6::repeat(0.4),
        s: f32 = 0.6; 1e-13
    )
    large: Vector6<f64> = m * v + m.transpose() * (m * v) * 0.1;
}

cases! {
    (
        m: Matrix3<f32> = Matrix3::new(1.1, 0.3, -0.4, 0.8, 0.9, 0.2, -0.5, 0.4, 1.4),
        v: Vector3<f32> = Vector3::new(0.7, -1.3, 0.45); 1e-5
    )
    single: Vector3<f32> = m.try_inverse().unwrap() * v + m * Vector3::new(v.x, 2.0, 3.0);
}
