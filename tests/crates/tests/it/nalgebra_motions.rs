//! Quaternions, rotations, translations and isometries of `nalgebra`.

use nalgebra::{
    Isometry3, Matrix3, Point2, Point3, Quaternion, Rotation2, Rotation3, Translation2, Translation3, Unit,
    UnitQuaternion, Vector2, Vector3, Vector4,
};

cases! {
    (
        p: Quaternion<f64> = Quaternion::new(0.9, 0.2, 0.4, -0.1),
        q: Quaternion<f64> = Quaternion::new(0.6, -0.3, 0.1, 0.5),
        v: Vector3<f64> = Vector3::new(0.7, -1.3, 0.45),
        s: f64 = 0.6; 1e-14
    )
    new: Vector4<f64> = Quaternion::new(s, v.x, p.i, q.k).coords;
    identity: Vector4<f64> = (p * Quaternion::identity() * s).coords;
    from_parts: Vector4<f64> = (Quaternion::from_parts(s, v) + Quaternion::from_imag(v)).coords;
    parts: f64 = p.i + p.j * s + p.k * q.w + p.scalar() * q.scalar();
    imag: Vector3<f64> = p.imag() * s + q.vector();
    conjugate: Vector4<f64> = p.conjugate().coords;
    norm: f64 = p.norm() + q.norm_squared() + p.dot(&q);
    normalize: Vector4<f64> = p.normalize().coords + p.lerp(&q, s).coords;
    operators: Vector4<f64> = (p * q + p * s - q / s + -p).coords;
}

cases! {
    (
        p: Quaternion<f64> = Quaternion::new(0.9, 0.2, 0.4, -0.1),
        v: Vector3<f64> = Vector3::new(0.7, -1.3, 0.45),
        a: Point3<f64> = Point3::new(0.2, 0.5, 1.1),
        s: f64 = 0.6; 1e-14
    )
    unit_identity: Vector4<f64> = UnitQuaternion::identity().coords * s + p.coords;
    from_quaternion: Vector3<f64> = UnitQuaternion::from_quaternion(p) * v;
    new_normalize: Vector3<f64> =
        UnitQuaternion::new_normalize(p) * v + UnitQuaternion::new_unchecked(p.normalize()) * v;
    unit_of_quaternion: Vector3<f64> = Unit::new_normalize(p) * v + Unit::new_unchecked(p) * a.coords;
    from_axis_angle: Vector3<f64> = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), s) * v;
    from_scaled_axis: Vector3<f64> = UnitQuaternion::from_scaled_axis(v) * v + UnitQuaternion::new(v * s) * v;
    from_euler_angles: Vector3<f64> = UnitQuaternion::from_euler_angles(s, v.x, v.y) * v;
    inner: Vector4<f64> = UnitQuaternion::new(v).into_inner().coords + UnitQuaternion::new(v * s).quaternion().coords;
    unit_parts: f64 =
        { let q = UnitQuaternion::new(v); q.i * s + q.j + q.k * q.w + q[1] * p[2] + q.as_ref().norm() + q.norm() };
    inverse: Vector3<f64> = UnitQuaternion::new(v).inverse() * a.coords + UnitQuaternion::new(v).conjugate() * a.coords;
    rotation_to: Vector3<f64> = UnitQuaternion::new(v).rotation_to(&UnitQuaternion::new(v * s)) * a.coords;
    nlerp: Vector3<f64> = UnitQuaternion::new(v).nlerp(&UnitQuaternion::new(v * s), s) * a.coords;
    transform: Vector3<f64> =
        { let q = UnitQuaternion::new(v); q.transform_vector(&v) + q.inverse_transform_vector(&a.coords) };
    transform_point: Point3<f64> =
        { let q = UnitQuaternion::new(v); q.transform_point(&a) + (q.inverse_transform_point(&a) - a) };
    to_rotation_matrix: Matrix3<f64> = UnitQuaternion::new(v).to_rotation_matrix().into_inner() * s;
    of_matrix: Vector4<f64> =
        UnitQuaternion::from_rotation_matrix(&Rotation3::new(v)).coords + UnitQuaternion::from_rotation_matrix(&Rotation3::new(v * 2.0)).coords;
    quaternion_angles: f64 = {
        let q = UnitQuaternion::new(v);
        q.angle() * s + q.angle_to(&UnitQuaternion::new(a.coords)) + q.axis().map_or(0.0, |axis| axis.x)
    };
    scaled: Vector3<f64> = UnitQuaternion::new(v).scaled_axis() * s + UnitQuaternion::new(v * 4.0).scaled_axis();
    euler: f64 = { let (r, p, y) = UnitQuaternion::new(v).euler_angles(); r + p * s + y * v.x };
    homogeneous: f64 = UnitQuaternion::new(v).to_homogeneous().m12 + Isometry3::new(v, v * s).to_matrix().m14;
    slerp: Vector3<f64> =
        UnitQuaternion::new(v).slerp(&UnitQuaternion::new(v * s), s) * v + UnitQuaternion::new(v).slerp(&UnitQuaternion::new(v * 4.0), s) * v;
    lerp: Vector4<f64> = UnitQuaternion::new(v).lerp(&UnitQuaternion::new(v * s), s).coords;
    four: f64 = { let q = UnitQuaternion::new(v); q.imag().x * s + q.vector().y * q.scalar() + q.dot(&UnitQuaternion::new(a.coords)) };
    quotient: Vector3<f64> = (UnitQuaternion::new(v) / UnitQuaternion::new(v * s)) * a.coords;
    products: Point3<f64> = { let mut q = UnitQuaternion::new(v) * UnitQuaternion::new(v * s); q *= q; q * a };
}

cases! {
    (
        v: Vector3<f64> = Vector3::new(0.7, -1.3, 0.45),
        a: Point3<f64> = Point3::new(0.2, 0.5, 1.1),
        b: Point2<f64> = Point2::new(0.2, 0.5),
        s: f64 = 0.6; 1e-14
    )
    rotation_2: Point2<f64> = Rotation2::new(s) * b + Rotation2::new(s).inverse() * Vector2::new(a.x, 1.0);
    angle: f64 = (Rotation2::new(s) * Rotation2::new(a.x)).angle();
    projected: Point3<f64> = Point3::from_homogeneous(a.to_homogeneous() * s + v.to_homogeneous()).unwrap();
    projected_2: Point2<f64> = Point2::from_homogeneous(b.to_homogeneous() * s + v).unwrap();
    facing: Vector3<f64> = UnitQuaternion::face_towards(&v, &a.coords) * v * s
        + UnitQuaternion::look_at_lh(&v, &a.coords) * a.coords + UnitQuaternion::look_at_rh(&a.coords, &v) * v;
    facing_matrix: Vector3<f64> = Rotation3::face_towards(&v, &a.coords) * v * s
        + Rotation3::look_at_lh(&v, &a.coords) * a.coords + Rotation3::look_at_rh(&a.coords, &v) * v;
    facing_pose: Point3<f64> = {
        let eye = Point3::from(v * s);
        let seen = Isometry3::look_at_lh(&eye, &a, &v) * a + (Isometry3::look_at_rh(&a, &eye, &v) * eye).coords;
        Isometry3::face_towards(&eye, &a, &v) * seen
    };
    axis_angle: Vector3<f64> = Rotation3::from_axis_angle(&Vector3::y_axis(), s) * v;
    scaled_axis: Vector3<f64> = Rotation3::from_scaled_axis(v) * a.coords + Rotation3::new(v * s) * v;
    euler_angles: Vector3<f64> = Rotation3::from_euler_angles(s, v.x, v.y) * v;
    matrix: Matrix3<f64> =
        Rotation3::identity().matrix() * s + Rotation3::from_matrix_unchecked(v.cross_matrix()).into_inner();
    transposed: Vector3<f64> =
        Rotation3::new(v).transpose() * v + Rotation3::new(v).rotation_to(&Rotation3::new(v * s)) * a.coords;
    rotated: Vector3<f64> =
        { let r = Rotation3::new(v); r.transform_vector(&a.coords) + r.inverse_transform_vector(&a.coords) };
    rotated_point: Point3<f64> =
        { let r = Rotation3::new(v); r.transform_point(&a) + r.inverse_transform_point(&a).coords };
    composed: Point3<f64> = { let mut r = Rotation3::new(v) * Rotation3::new(v * s); r *= r; r * a };
    rotation_angles: f64 = { let (r, p, y) = Rotation3::new(v).euler_angles(); r + p * s + y };
    locked: f64 = Rotation3::from_matrix_unchecked(Matrix3::new(0.0, s, 1.0, 0.0, 1.0, 0.0, -1.0, 0.0, s)).euler_angles().0;
    plane_angles: f64 = Rotation2::new(s).angle_to(&Rotation2::new(a.x)) + Rotation2::new(s).to_homogeneous().m12;
    rotation_homogeneous: f64 = Rotation3::new(v).to_homogeneous().m23 * s;
    element: f64 = Rotation3::new(v)[(0, 2)] * s;
    translation: Point3<f64> = Translation3::new(s, v.x, v.y) * a + (Translation3::from(v).inverse() * a - a);
    translation_2: Point2<f64> = Translation2::new(s, v.x) * Translation2::identity() * b;
    coordinates: f64 = { let t = Translation3::new(s, v.x, v.y); t.x * t.y + t.z + t.vector.norm() };
    translated: Point3<f64> = Translation3::new(s, v.x, v.y).transform_point(&a);
    isometry: Point3<f64> = Isometry3::new(v, v * s) * a;
    isometry_parts: Point3<f64> = Isometry3::from_parts(Translation3::from(v), UnitQuaternion::new(v)) * a;
    isometries: Point3<f64> = Isometry3::identity() * Isometry3::translation(s, v.x, 0.1) * Isometry3::rotation(v) * a;
    isometry_inverse: Point3<f64> = Isometry3::new(v, v * s).inverse() * a;
    inv_mul: Point3<f64> = Isometry3::new(v, v * s).inv_mul(&Isometry3::new(v * s, v)) * a;
    isometry_matrix: f64 = { let m = Isometry3::new(v, v * s).to_homogeneous(); m.m14 + m.m21 * s + m.m44 };
    with_parts: Point3<f64> =
        Isometry3::new(v, v * s) * UnitQuaternion::new(v) * Translation3::new(s, v.x, 0.1) / Isometry3::new(v * s, v) * a;
    of_parts: Point3<f64> = Translation3::new(s, v.x, 0.1) * UnitQuaternion::new(v)
        * (UnitQuaternion::new(v) * Translation3::new(s, v.y, 0.1)) * a;
    between: Point3<f64> = Translation3::new(s, v.x, 0.1) * (UnitQuaternion::new(v) * Isometry3::new(v, v * s)) * a;
    moved: Point3<f64> =
        { let m = Isometry3::new(v, v * s); m.transform_point(&a) + m.inverse_transform_point(&a).coords };
    moved_vectors: Vector3<f64> =
        { let m = Isometry3::new(v, v * s); m.transform_vector(&v) + m.inverse_transform_vector(&v) + m * v };
    members: Vector3<f64> = { let mut m = Isometry3::new(v, v * s); m *= m; m.rotation * v + m.translation.vector };
}

cases! {
    (v: Vector3<f64> = Vector3::zeros(), u: Vector3<f64> = Vector3::new(0.7, -1.3, 0.45); 1e-14)
    // where the crate has branches
    no_rotation: Vector3<f64> = UnitQuaternion::new(v) * u + Rotation3::new(v) * u;
}
