//! Quaternions of `glam`.

use glam::{DMat3, DMat4, DQuat, DVec3, DVec4, Quat, Vec3, dquat, dvec3, dvec4, vec3};

cases! {
    (
        q: DQuat = DQuat::from_xyzw(0.2, 0.4, -0.1, 0.9),
        r: DQuat = dquat(-0.3, 0.1, 0.5, 0.6),
        v: DVec3 = dvec3(0.7, -1.3, 0.45),
        s: f64 = 0.6; 1e-14
    )
    constants: DQuat = q * DQuat::IDENTITY + DQuat::default() * s;
    from_xyzw: DQuat = DQuat::from_xyzw(s, v.x, q.w, r.y) + dquat(q.x, s, s, v.z);
    from_array: DQuat = DQuat::from_array(q.to_array()) * s;
    from_vec4: DQuat = DQuat::from_vec4(dvec4(s, v.x, v.y, q.z));
    xyz: DVec3 = q.xyz() * s;
    from_axis_angle: DQuat = DQuat::from_axis_angle(v.normalize(), s);
    from_scaled_axis: DQuat = DQuat::from_scaled_axis(v);
    to_axis_angle: DVec3 = { let (axis, angle) = q.normalize().to_axis_angle(); axis * s + v * angle };
    to_scaled_axis: DVec3 = q.normalize().to_scaled_axis() + DQuat::from_rotation_x(s).to_scaled_axis();
    from_rotation_arc: DQuat = DQuat::from_rotation_arc(v.normalize(), q.xyz().normalize()) * s;
    from_rotation_x: DQuat = DQuat::from_rotation_x(s) + DQuat::from_rotation_y(s) * DQuat::from_rotation_z(s);
    from_mat3: DQuat = DQuat::from_mat3(&DMat3::from_axis_angle(v.normalize(), s));
    from_mat4: DQuat = DQuat::from_mat4(&DMat4::from_axis_angle(v.normalize(), s));
    from_mat3_far: DQuat = DQuat::from_mat3(&DMat3::from_axis_angle(v.normalize(), 2.9 + s * 0.1));
    from_mat3_about_x: DQuat = DQuat::from_mat3(&DMat3::from_rotation_x(2.9 + s * 0.1));
    from_mat3_about_z: DQuat = DQuat::from_mat3(&DMat3::from_rotation_z(2.9 + s * 0.1));
    from_rotation_axes: DQuat = {
        let m = DMat3::from_axis_angle(v.normalize(), s);
        DQuat::from_rotation_axes(m.x_axis, m.y_axis, m.z_axis)
    };
    conjugate: DQuat = q.conjugate() * r;
    inverse: DQuat = q.normalize().inverse() * r;
    dot: f64 = q.dot(r);
    length: f64 = q.length() + r.length_squared() + q.length_recip();
    normalize: DQuat = q.normalize();
    finite: f64 = if q.is_finite() && !q.is_nan() && !q.is_normalized() { s * q.x } else { s };
    lerp: DQuat = q.normalize().lerp(r.normalize(), s);
    lerp_far: DQuat = q.normalize().lerp(-r.normalize(), s);
    slerp: DQuat = q.normalize().slerp(r.normalize(), s);
    slerp_far: DQuat = q.normalize().slerp(-r.normalize(), s);
    angle_between: f64 = q.normalize().angle_between(r.normalize());
    mul_vec3: DVec3 = q.normalize().mul_vec3(v) + q.normalize() * v;
    mul_quat: DQuat = q.mul_quat(r) + &q * &r;
    neg: DQuat = -q * s;
    add: DQuat = q + r * s - r / s;
    assign: DQuat = { let mut p = q; p += r; p -= r * s; p *= s; p *= r; p /= s; p };
    fields: DQuat = { let mut p = q; p.x = s; p.w += v.y; p };
    rotated: DVec4 = (q.normalize() * v).extend(s);
}

cases! {
    (v: Vec3 = vec3(0.7, -1.3, 0.45), s: f32 = 0.6; 1e-6)
    // vectors of the machine are local variables
    local: Vec3 =
        { let q = Quat::from_axis_angle(v.normalize(), s); q * q * v + Quat::from_rotation_z(s).inverse() * v };
}

cases! {
    (v: DVec3 = DVec3::ZERO, u: DVec3 = dvec3(0.7, -1.3, 0.45); 1e-14)
    // where the crate has a branch
    no_rotation: DVec3 = DQuat::from_scaled_axis(v) * u;
}

/// Differences do not see past the steps of `f32`.
#[pardiff::differentiate]
pub fn narrowed(q: DQuat) -> f64 {
    let r = (q.as_quat() * 0.5).as_dquat();
    r.x - 3.0 * r.w
}

#[test]
fn conversions_have_the_slope_of_the_number() {
    let q = DQuat::from_xyzw(0.2, 0.4, -0.1, 0.9);
    let (value, gradient) = narrowed::gradient(q);
    assert_eq!(value, narrowed(q));
    assert_eq!(gradient.q, DQuat::from_xyzw(0.5, 0.0, 0.0, -1.5));
}
