//! More functions of matrices and vectors of `nalgebra`.

use nalgebra::{
    Matrix2, Matrix2x3, Matrix3, Matrix4, Point2, Point3, RowVector3, SMatrix, Vector2, Vector3, Vector4,
};

cases! {
    (
        v: Vector3<f64> = Vector3::new(0.7, -1.3, 0.45),
        u: Vector3<f64> = Vector3::new(0.2, 0.5, 1.1),
        s: f64 = 0.6; 1e-14
    )
    products: f64 = v.dotc(&u) + v.tr_dot(&u.transpose()) + v.tr_mul(&u)[0] * s;
    angle: f64 = v.angle(&u) * s + v.angle(&(u * 2.0 - v));
    variance: f64 = v.variance() * s + Matrix2::new(s, v.x, u.x, u.y).variance();
    is_empty: f64 = if v.is_empty() { s } else { v.x };
    slerp: Vector3<f64> = v.slerp(&u, s);
    normalize_mut: f64 = { let mut w = v; let n = w.normalize_mut(); n * s + w.x };
    neg_mut: Vector3<f64> = { let mut w = v; w.neg_mut(); w * s };
    swap: Vector3<f64> = { let mut w = v; w.swap((0, 0), (2, 0)); w.x *= s; w };
    from_iterator: Matrix2<f64> = Matrix2::from_iterator([v.x, v.y, s, u.z].iter().map(|x| x * x));
    homogeneous: Vector4<f64> = v.to_homogeneous() * s;
    homogeneous_2: Vector3<f64> = Vector2::new(s, v.x).to_homogeneous();
    rows_written: Vector4<f64> = {
        let mut w = Vector4::repeat(s);
        w.fixed_rows_mut::<2>(1).copy_from(&(Vector2::new(v.x, u.x) * s));
        w
    };
}

cases! {
    (
        m: Matrix3<f64> = Matrix3::new(1.1, 0.2, -0.4, 0.3, 0.9, 0.5, -0.2, 0.7, 1.3),
        n: Matrix2x3<f64> = Matrix2x3::new(0.4, -0.6, 1.2, 0.8, 0.1, -0.9),
        v: Vector3<f64> = Vector3::new(0.7, -1.3, 0.45),
        s: f64 = 0.6; 1e-14
    )
    tr_mul: SMatrix<f64, 3, 3> = n.tr_mul(&n) * s;
    tr_mul_vector: Vector3<f64> = m.tr_mul(&v);
    adjoint: SMatrix<f64, 3, 2> = n.adjoint() * s;
    swap_rows: Matrix3<f64> = { let mut k = m; k.swap_rows(0, 2); k.swap_columns(1, 2); k * m };
    row_sum: RowVector3<f64> = n.row_sum() * s + n.row_mean();
    column_sum: Vector2<f64> = n.column_sum() * s + n.column_mean();
    triangles: Matrix3<f64> = m.upper_triangle() * m.lower_triangle();
    diagonals: Matrix3<f64> = {
        let mut k = m;
        k.fill_diagonal(s);
        let mut l = m;
        l.set_diagonal(&v);
        let mut i = m;
        i.fill_with_identity();
        k * l + i * s
    };
    symmetric_part: Matrix3<f64> = m.symmetric_part() * s;
    transpose_mut: Matrix3<f64> = { let mut k = m; k.transpose_mut(); k * m };
    pow: Matrix3<f64> = m.pow(3) + m.pow(0) * s;
    gemm: Matrix3<f64> = { let mut k = m; k.gemm(s, &m, &m, 0.5); k };
    gemv: Vector3<f64> = { let mut k = v; k.gemv(s, &m, &v, 0.5); k };
    ger: Matrix3<f64> = { let mut k = m; k.ger(s, &v, &v, 0.5); k };
    solve_lower_triangular: Vector3<f64> = m.solve_lower_triangular(&v).unwrap_or(v) * s;
    solve_upper_triangular: Vector3<f64> = m.solve_upper_triangular(&v).unwrap_or(v) * s;
    fixed_view_mut: Matrix3<f64> = {
        let mut k = m;
        k.fixed_view_mut::<2, 2>(0, 1).copy_from(&(Matrix2::new(s, v.x, v.y, v.z) * s));
        k.fixed_columns_mut::<1>(0).copy_from(&(v * s));
        k
    };
    column_mut: Matrix3<f64> = { let mut k = m; k.column_mut(1).copy_from(&v); k.row_mut(0).copy_from(&v.transpose()); k * m };
    column_iter: f64 = m.column_iter().map(|c| c.norm()).sum::<f64>() * s + n.row_iter().map(|r| r.norm()).sum::<f64>();
    columns_visited: f64 = { let mut sum = 0.0; for c in m.column_iter() { sum += c.dot(&v) * s; } sum };
    new_rotation: Matrix3<f64> = Matrix3::new_rotation(s) * m;
    new_rotation_4: Matrix4<f64> = Matrix4::new_rotation(v) * s;
    new_translation: Matrix3<f64> = Matrix3::new_translation(&Vector2::new(v.x, v.y)) * Matrix3::new_scaling(s);
    new_translation_4: Matrix4<f64> = Matrix4::new_translation(&v) * Matrix4::new_scaling(s);
    append_translation: Matrix3<f64> = m.append_translation(&Vector2::new(v.x, s));
    append_translation_4: Matrix4<f64> = Matrix4::new_rotation(v).append_translation(&(v * s));
    transform_vector: Vector2<f64> = m.transform_vector(&Vector2::new(v.x, s)) + Matrix3::new_rotation(s).transform_vector(&Vector2::new(v.x, s));
    transform_vector_4: Vector3<f64> = Matrix4::new_rotation(v).transform_vector(&(v * s));
    transform_point: Point2<f64> = m.transform_point(&Point2::new(v.x, s));
    transform_point_4: Point3<f64> = Matrix4::new_translation(&v).transform_point(&Point3::from(v * s));
}
