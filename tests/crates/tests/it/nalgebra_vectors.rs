//! Vectors and points of `nalgebra`.

use nalgebra::{
    Matrix2, Matrix3, Point2, Point3, RowVector3, SVector, Vector2, Vector3, Vector4, Vector5, Vector6,
    matrix, point, vector,
};
use num_traits::Zero;

macro_rules! of_all_sizes {
    ($module:ident, $ty:ident, $a:expr, $b:expr, $n:expr) => {
        mod $module {
            use super::*;

            type Own = $ty<f64>;

            cases! {
                (
                    a: $ty<f64> = Own::from_row_slice(&$a),
                    b: SVector<f64, $n> = Own::from_row_slice(&$b),
                    s: f64 = 0.6; 1e-14
                )
                zeros: SVector<f64, $n> = $ty::zeros() + $ty::repeat(s) + a * $ty::from_element(s).x;
                from_slice: SVector<f64, $n> = $ty::from_column_slice(a.as_slice()) + $ty::from_row_slice(&[s; $n]);
                from_fn: SVector<f64, $n> = $ty::from_fn(|i, j| s * (i + j) as f64) + a;
                map: SVector<f64, $n> = a.map(|x| x * x * s);
                zip_map: SVector<f64, $n> = a.zip_map(&b, |x, y| x * y * s);
                owned: SVector<f64, $n> = a.clone_owned() * s + b.into_owned();
                fill: SVector<f64, $n> = { let mut v = a; v.fill(s); let mut w = b; w.copy_from(&v); w + a };
                sizes: f64 = s * (a.len() + a.nrows() * a.ncols()) as f64;
                dot: f64 = a.dot(&b);
                norm: f64 = a.norm() + b.norm_squared() + a.magnitude() * b.magnitude_squared();
                metric_distance: f64 = a.metric_distance(&b);
                normalize: SVector<f64, $n> = a.normalize() + b.try_normalize(0.001).unwrap();
                cap_magnitude: SVector<f64, $n> = a.cap_magnitude(s) + b.cap_magnitude(9.0);
                lerp: SVector<f64, $n> = a.lerp(&b, s);
                axpy: SVector<f64, $n> = { let mut v = a; v.axpy(s, &b, 0.3); v };
                scale: SVector<f64, $n> = a.scale(s) + b.unscale(s) + a.add_scalar(s);
                component_mul: SVector<f64, $n> = a.component_mul(&b) + a.component_div(&b);
                component_mul_assign: SVector<f64, $n> = { let mut v = a; v.component_mul_assign(&b); v };
                abs: SVector<f64, $n> = a.abs() + a.inf(&b) + a.sup(&b);
                sum_of_elements: f64 = a.sum() + b.product() + a.mean();
                min: f64 = a.min() + a.max() * s + a.amin() + a.amax() * s;
                transpose: f64 = (a.transpose() * b).x + (a * b.transpose()).trace();
                add: SVector<f64, $n> = a + b + &a * s + (&a + &b) + (a + &b);
                sub: SVector<f64, $n> = a - b - (&a - b);
                mul: SVector<f64, $n> = a * s + s * b;
                div: SVector<f64, $n> = a / s - -b;
                assign: SVector<f64, $n> = { let mut v = a; v += b; v -= a * s; v *= s; v /= s + 1.0; v += &a; v };
                sum: SVector<f64, $n> = [a, b].iter().map(|v| v * s).sum();
                index: f64 = a[0] * s + b[($n - 1, 0)];
                index_mut: SVector<f64, $n> = { let mut v = a; v[0] = s; v[$n - 1] += b[0]; v };
                fields: SVector<f64, $n> = { let mut v = a; v.x = s * b.x; v };
                default: SVector<f64, $n> = SVector::<f64, $n>::default() + a;
            }
        }
    };
}

of_all_sizes! { three, Vector3, [0.7, -1.3, 0.45], [-0.4, 0.9, 1.2], 3 }
of_all_sizes! { six, Vector6, [0.7, -1.3, 0.45, 1.1, -0.2, 0.3], [-0.4, 0.9, 1.2, 0.5, 0.8, -0.6], 6 }

cases! {
    (
        a: Vector3<f64> = Vector3::new(0.7, -1.3, 0.45),
        b: Vector4<f64> = Vector4::new(0.1, 0.2, 0.3, 0.4),
        c: Vector2<f64> = Vector2::new(0.3, 0.8),
        s: f64 = 0.6; 1e-14
    )
    new: Vector3<f64> = Vector3::new(s, a.x, c.y);
    from_array: Vector3<f64> = Vector3::from([s, a.x, c.y]);
    cross: Vector3<f64> = a.cross(&Vector3::new(s, 1.0, c.x)) + a.cross_matrix() * a * s;
    perp: f64 = c.perp(&Vector2::new(s, 1.0));
    swizzles: Vector2<f64> = a.xy() + b.xy() * s;
    xyz: Vector3<f64> = b.xyz() + c.push(s) + a.push(s).xyz();
    coordinates: f64 = a.z * b.w + c.y;
    axes: Vector3<f64> = *Vector3::x_axis() * s + Vector3::y_axis().into_inner() + *Vector3::z_axis();
    rows: f64 = RowVector3::new(s, 1.0, a.y).dot(&a.transpose()) + a.transpose().y;
    fixed_rows: Vector2<f64> = a.fixed_rows::<2>(1) * s;
    fives: f64 = { let v = Vector5::new(s, a.x, a.y, c.x, 1.0); v.norm_squared() + v.a * v.w };
    axes_of_six: f64 = {
        let v = Vector6::new(s, a.x, a.y, c.x, 1.0, s);
        v.dot(&Vector6::a_axis()) + v.dot(&Vector6::b_axis()) + v.dot(&Vector6::w_axis()) + Vector6::zero().dot(&v)
    };
    bases: f64 = { let v = Vector6::new(s, a.x, a.y, c.x, 1.0, s); v.dot(&(Vector6::x() * s + Vector6::b())) + v.dot(&Vector6::y()) };
    more_bases: f64 = { let v = Vector6::new(s, a.x, a.y, c.x, 1.0, s); v.dot(&(Vector6::z() * s + Vector6::w() + Vector6::a())) };
    sixes: f64 = { let v = Vector6::new(s, a.x, a.y, c.x, 1.0, s); v.b * v.a };
    to_scalar: f64 = (a.transpose() * a).to_scalar();
    macros: f64 = vector![s, a.x, 1.0].dot(&a) + (point![s, 2.0] - point![c.x, c.y]).norm()
        + (matrix![s, 1.0; a.y, 2.0] * c).norm();
}

cases! {
    (
        p: Point3<f64> = Point3::new(0.7, -1.3, 0.45),
        q: Point2<f64> = Point2::new(0.2, 0.5),
        v: Vector3<f64> = Vector3::new(0.1, 0.2, 0.3),
        s: f64 = 0.6; 1e-14
    )
    point_new: Point3<f64> = Point3::new(s, q.x, p.z) + v;
    origin: Vector3<f64> = p - Point3::origin();
    from: Point3<f64> = Point3::from(v * s) + (Point3::from([s, q.x, v.y]) - p);
    from_slice: Point3<f64> = Point3::from_slice(&[s, q.x, v.y]);
    point_lerp: Point3<f64> = p.lerp(&Point3::from(v), s);
    coords: f64 = p.coords.norm() + p.x * q.y + p[2];
    add: Point3<f64> = p + v * s - v + -v;
    sub: Vector3<f64> = (p + v) - p * s;
    scalars: Point3<f64> = p * s / (s + 1.0);
    left: Point3<f64> = s * p;
    assign: Point3<f64> = { let mut r = p; r += v; r -= v * s; r *= s; r /= s + 1.0; r.x += s; r };
    matrix: Point3<f64> = Matrix3::new(s, 1.0, 2.0, 0.3, s, 0.1, 0.2, 0.5, 0.7) * p;
    matrix_2: Point2<f64> = Matrix2::new(s, 1.0, 2.0, 0.3) * q;
}

cases! {
    (
        a: Vector3<f64> = Vector3::new(0.7, -1.3, 0.45),
        b: Vector4<f64> = Vector4::new(0.1, 0.2, 0.3, 0.4),
        s: f64 = 0.6; 1e-14
    )
    iter: f64 = a.iter().map(|x| x * x * s).sum::<f64>() + b.iter().zip(a.iter()).map(|(x, y)| x * y).sum::<f64>();
    for_each: f64 = { let mut t = 0.0; for x in b.iter() { t += x * s; } t };
    iter_mut: Vector3<f64> = { let mut v = a; for x in v.iter_mut() { *x *= s; } v };
}
