//! Values of unit length as arguments: derivatives by their numbers, each by itself, are those of the formulas of the crate.

use nalgebra::{
    Isometry2, Isometry3, Matrix3, Point2, Point3, Rotation2, Rotation3, Unit, UnitComplex, UnitQuaternion,
    UnitVector3, Vector2, Vector3, Vector4,
};

cases! {
    (
        q: UnitQuaternion<f64> = UnitQuaternion::new(Vector3::new(0.3, 0.5, -0.2)),
        r: UnitQuaternion<f64> = UnitQuaternion::new(Vector3::new(-0.4, 0.9, 1.2)),
        n: UnitVector3<f64> = Unit::new_normalize(Vector3::new(1.0, -0.5, 0.7)),
        v: Vector3<f64> = Vector3::new(0.7, -1.3, 0.45),
        s: f64 = 0.6; 1e-14
    )
    rotated: Vector3<f64> = q * v + r.inverse() * v * s;
    composed: UnitQuaternion<f64> = q * r;
    quotient: UnitQuaternion<f64> = q / r;
    rotation_to: UnitQuaternion<f64> = q.rotation_to(&r);
    matrix: Rotation3<f64> = q.to_rotation_matrix();
    of_matrix: Vector4<f64> = UnitQuaternion::from_rotation_matrix(&q.to_rotation_matrix()).coords;
    angle: f64 = q.angle() + q.angle_to(&r) * s;
    axis: f64 = q.axis().map_or(0.0, |axis| axis.dot(&v));
    scaled_axis: Vector3<f64> = q.scaled_axis() + r.scaled_axis();
    euler_angles: f64 = { let (a, b, c) = q.euler_angles(); a + b * s + c * v.x };
    slerp: UnitQuaternion<f64> = q.slerp(&r, s);
    nlerp: UnitQuaternion<f64> = q.nlerp(&r, s);
    around: UnitQuaternion<f64> = UnitQuaternion::from_axis_angle(&n, s);
    around_by_matrix: Rotation3<f64> = Rotation3::from_axis_angle(&n, s);
    opposite: UnitVector3<f64> = -n;
}

cases! {
    (
        m: Rotation3<f64> = Rotation3::new(Vector3::new(0.3, 0.5, -0.2)),
        a: Isometry3<f64> = Isometry3::new(Vector3::new(0.3, -0.2, 0.9), Vector3::new(0.4, 0.1, -0.7)),
        b: Isometry3<f64> = Isometry3::new(Vector3::new(-0.1, 0.4, 0.2), Vector3::new(-0.3, 0.8, 0.5)),
        p: Point3<f64> = Point3::new(0.2, 0.5, 1.1); 1e-14
    )
    turned: Point3<f64> = m * p + m.inverse() * p.coords;
    turns: Rotation3<f64> = m * m.transpose() * m;
    angles: f64 = { let (a, b, c) = m.euler_angles(); a + b + c };
    moved: Point3<f64> = a * p + (b.inverse() * p).coords;
    motions: Isometry3<f64> = a * b;
    between: Isometry3<f64> = a.inv_mul(&b);
    inverse: Isometry3<f64> = a.inverse();
    points: Point3<f64> = a.inverse_transform_point(&p) + b.inverse_transform_vector(&p.coords);
}

cases! {
    (
        c: UnitComplex<f64> = UnitComplex::new(0.7),
        d: UnitComplex<f64> = UnitComplex::new(-1.2),
        m: Rotation2<f64> = Rotation2::new(0.4),
        a: Isometry2<f64> = Isometry2::new(Vector2::new(0.3, -0.2), 0.9),
        p: Point2<f64> = Point2::new(0.2, 0.5),
        s: f64 = 0.6; 1e-14
    )
    plane_turned: Point2<f64> = c * p + (d.inverse() * p).coords * s;
    plane_turns: UnitComplex<f64> = c * d / c;
    plane_angle: f64 = c.angle() + c.angle_to(&d) * s + m.angle();
    plane_slerp: UnitComplex<f64> = c.slerp(&d, s);
    plane_matrix: Matrix3<f64> = c.to_homogeneous() + a.to_homogeneous();
    plane_rotation: Rotation2<f64> = m * m.inverse() * m;
    plane_moved: Point2<f64> = a * p + a.inverse_transform_point(&p).coords * s;
    plane_motions: Isometry2<f64> = a.inverse() * a * a;
}
