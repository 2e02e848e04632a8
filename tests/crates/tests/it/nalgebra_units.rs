//! Unit vectors and unit complex numbers of `nalgebra`, and isometries of the plane.

use nalgebra::{
    Isometry2, Matrix3, Point2, Rotation3, Translation2, Unit, UnitComplex, UnitQuaternion, UnitVector3,
    Vector2, Vector3,
};
use num_complex::Complex;

cases! {
    (
        v: Vector3<f64> = Vector3::new(0.7, -1.3, 0.45),
        u: Vector3<f64> = Vector3::new(0.2, 0.5, 1.1),
        s: f64 = 0.6; 1e-14
    )
    new_normalize: Vector3<f64> = Unit::new_normalize(v).into_inner() * s;
    unit_new_normalize: f64 = UnitVector3::new_normalize(v).dot(&u);
    new_unchecked: Vector3<f64> = (*Unit::new_unchecked(v)).cross(&u) + Unit::new_unchecked(v).as_ref() * s;
    unit_new_unchecked: f64 = { let w: Unit<Vector3<f64>> = UnitVector3::new_unchecked(v); w.x * s + w.norm() };
    opposite: Vector3<f64> = (-Unit::new_normalize(v)).into_inner() + Vector3::x_axis().into_inner() * s;
    around: Vector3<f64> = UnitQuaternion::from_axis_angle(&Unit::new_normalize(v), s) * u;
    around_by_matrix: Vector3<f64> = Rotation3::from_axis_angle(&Unit::new_normalize(v), s) * u;
    around_axis: Vector3<f64> = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), s) * u;
}

cases! {
    (
        v: Vector2<f64> = Vector2::new(0.7, -1.3),
        a: Point2<f64> = Point2::new(0.2, 0.5),
        s: f64 = 0.6,
        t: f64 = -1.1; 1e-14
    )
    complex_new: Vector2<f64> = UnitComplex::new(s) * v + UnitComplex::identity() * v;
    from_angle: Point2<f64> = UnitComplex::from_angle(s) * a;
    of_parts: Vector2<f64> = UnitComplex::from_cos_sin_unchecked(s, t) * v + UnitComplex::new_unchecked(Complex::new(t, s)) * v;
    complex: f64 = UnitComplex::new(s).complex().re * t + UnitComplex::new(t).into_inner().im + UnitComplex::new(s).as_ref().re + UnitComplex::new(s).im;
    angle: f64 = (UnitComplex::new(s) * UnitComplex::new(t)).angle() * s;
    sin_angle: f64 = UnitComplex::new(s).sin_angle() + UnitComplex::new(t).cos_angle();
    angle_to: f64 = UnitComplex::new(s).angle_to(&UnitComplex::new(t));
    rotation_to: Vector2<f64> = UnitComplex::new(s).rotation_to(&UnitComplex::new(t)) * v;
    inverse: Vector2<f64> = UnitComplex::new(s).inverse() * v + UnitComplex::new(t).conjugate() * v;
    slerp: Vector2<f64> = UnitComplex::new(s).slerp(&UnitComplex::new(t), s) * v;
    to_rotation_matrix: Vector2<f64> = UnitComplex::new(s).to_rotation_matrix() * v;
    to_homogeneous: Matrix3<f64> = UnitComplex::new(s).to_homogeneous() * t;
    transform_vector: Vector2<f64> =
        UnitComplex::new(s).transform_vector(&v) + UnitComplex::new(s).inverse_transform_vector(&v) * t;
    transform_point: Vector2<f64> =
        UnitComplex::new(s).transform_point(&a).coords + UnitComplex::new(t).inverse_transform_point(&a).coords;
    quotient: Vector2<f64> = { let mut c = UnitComplex::new(s) / UnitComplex::new(t); c *= UnitComplex::new(t); c * v };
    plane: Point2<f64> = Isometry2::new(v, s) * a;
    plane_parts: Point2<f64> = Isometry2::from_parts(Translation2::from(v), UnitComplex::new(s)) * Isometry2::identity() * a;
    plane_translation: Point2<f64> = Isometry2::translation(s, t) * Isometry2::rotation(t) * a;
    plane_inverse: Point2<f64> = Isometry2::new(v, s).inverse() * Isometry2::new(v, s).inv_mul(&Isometry2::new(v, t)) * a;
    plane_matrix: Matrix3<f64> = Isometry2::new(v, s).to_homogeneous() + Isometry2::new(v, t).to_matrix();
    plane_points: Vector2<f64> = {
        let m = Isometry2::new(v, s);
        m.transform_point(&a).coords + m.inverse_transform_point(&a).coords * t
    };
    plane_vectors: Vector2<f64> = {
        let m = Isometry2::new(v, s);
        m.transform_vector(&v) + m.inverse_transform_vector(&a.coords) * t + m * v
    };
    plane_products: Point2<f64> =
        Isometry2::new(v, s) * UnitComplex::new(t) * Translation2::new(s, t) / Isometry2::new(v, t) * a;
    plane_of_parts: Point2<f64> = Translation2::new(s, t) * UnitComplex::new(t)
        * (UnitComplex::new(s) * Translation2::new(s, 0.3)) * (UnitComplex::new(s) * Isometry2::new(v, t)) * a;
    plane_members: Vector2<f64> = { let mut m = Isometry2::new(v, s); m *= m; m.rotation * v + m.translation.vector };
}
