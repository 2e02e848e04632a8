//! Matrices of `glam`.

use glam::{
    DMat2, DMat3, DMat4, DQuat, DVec2, DVec3, DVec4, Mat2, Mat3, Mat4, Vec3, dmat2, dvec2, dvec3, dvec4, vec3,
};
use pardiff::differentiate;

macro_rules! of_all_sizes {
    ($module:ident, $ty:ident, $vector:ident, $m:expr, $v:expr, $mul_vec:ident, $transposed:ident, $mul_mat:ident, $n:expr) => {
        mod $module {
            use super::*;

            cases! {
                (m: $ty = $ty::from_cols_array(&$m), v: $vector = $v, s: f64 = 0.6; 1e-13)
                constants: $ty = m * $ty::IDENTITY + $ty::ZERO * s;
                from_diagonal: $ty = $ty::from_diagonal(v) * s;
                from_cols_array: $ty = $ty::from_cols_array(&[s; $n]) * m;
                to_cols_array: [f64; $n] = (m * s).to_cols_array();
                to_cols_array_2d: $vector = $vector::from_array((m * s).to_cols_array_2d()[1]);
                transpose: $ty = m.transpose() * m;
                diagonal: $vector = (m * m).diagonal();
                determinant: f64 = m.determinant();
                inverse: $ty = m.inverse();
                try_inverse: $ty = m.try_inverse().unwrap();
                inverse_or_zero: $ty = m.inverse_or_zero();
                finite: f64 = if m.is_finite() && !m.is_nan() { v.x * s } else { s };
                abs: $ty = m.abs();
                mul_vec: $vector = m.$mul_vec(v) + m.$transposed(v);
                mul_mat: $ty = m.$mul_mat(&m.transpose());
                mul_scalar: $ty = m.mul_scalar(s) + m.div_scalar(s);
                mul_diagonal_scale: $ty = m.mul_diagonal_scale(v);
                columns: $vector = m.col(1) * m.row(0);
                add: $ty = m + m * s + (&m + &m);
                sub: $ty = m - m * m * s;
                mul: $vector = m * v + &m * &v + (m * m) * v;
                scalars: $ty = (s * m) * s / (s + 1.0) + -m;
                assign: $ty = {
                    let mut n = m;
                    n += m * s;
                    n -= m * m;
                    n *= s;
                    n *= m;
                    n /= s;
                    n
                };
                sum: $ty = [m, m * s].iter().copied().sum();
                fields: $ty = { let mut n = m; n.x_axis = v; n.y_axis.x = s; n };
                default: $ty = $ty::default() * s + m;
            }
        }
    };
}

const OF_FOUR: [f64; 16] =
    [1.1, 0.2, -0.3, 0.4, -0.2, 0.9, 0.1, 0.5, 0.6, -0.1, 1.3, 0.2, 0.1, -0.7, 0.3, 0.8];

of_all_sizes! { two, DMat2, DVec2, [1.1, 0.3, -0.4, 0.8], dvec2(0.7, -1.3), mul_vec2, transpose_mul_vec2, mul_mat2, 4 }
of_all_sizes! {
    three, DMat3, DVec3, [1.1, 0.3, -0.4, 0.8, 0.9, 0.2, -0.5, 0.4, 1.4], dvec3(0.7, -1.3, 0.45),
    mul_vec3, transpose_mul_vec3, mul_mat3, 9
}
of_all_sizes! { four, DMat4, DVec4, OF_FOUR, dvec4(0.7, -1.3, 0.45, 1.1), mul_vec4, transpose_mul_vec4, mul_mat4, 16 }

cases! {
    (a: DVec2 = dvec2(0.7, -1.3), b: DVec2 = dvec2(0.2, 0.4), s: f64 = 0.6; 1e-14)
    cols_2: DMat2 = DMat2::from_cols(a, b * s) * dmat2(b, a) + DMat2::from_rows(a, b * s);
    angle_2: DMat2 = DMat2::from_angle(s) + DMat2::from_scale_angle(a, s);
    angle_3: DMat3 = DMat3::from_angle(s);
    points: DVec2 = DMat3::from_angle(s).transform_point2(a) + DMat3::from_angle(s).transform_vector2(b);
}

cases! {
    (a: DVec3 = dvec3(0.7, -1.3, 0.45), q: DQuat = DQuat::from_xyzw(0.2, 0.4, -0.1, 0.9), s: f64 = 0.6; 1e-14)
    cols_3: DMat3 = DMat3::from_cols(a, a * s, DVec3::Y) + DMat3::from_rows(a, DVec3::X, a * s);
    quat_3: DMat3 = DMat3::from_quat(q.normalize());
    axis_angle: DMat3 = DMat3::from_axis_angle(a.normalize(), s);
    rotations: DMat3 = DMat3::from_rotation_x(s) * DMat3::from_rotation_y(s) * DMat3::from_rotation_z(s);
    cols_4: DMat4 =
        DMat4::from_cols(a.extend(s), a.extend(1.0), DVec4::X, DVec4::Y) + DMat4::from_rows(a.extend(s), DVec4::X,
        DVec4::Y, DVec4::W);
    translation: DMat4 = DMat4::from_translation(a) * DMat4::from_scale(a);
    mat3: DMat4 = DMat4::from_mat3(DMat3::from_rotation_x(s));
    from_mat4: DMat3 = DMat3::from_mat4(DMat4::from_rotation_x(s)).add_mat3(&DMat3::from_rotation_y(s));
    add_mat4: DMat4 = DMat4::from_rotation_x(s).add_mat4(&DMat4::from_rotation_y(s));
    rotation_translation: DMat4 = DMat4::from_rotation_translation(q.normalize(), a) + DMat4::from_quat(q.normalize());
    scale_rotation_translation: DMat4 = DMat4::from_scale_rotation_translation(a, q.normalize(), a * s);
    rotations_4: DMat4 = DMat4::from_rotation_x(s) * DMat4::from_rotation_y(s) * DMat4::from_rotation_z(s);
    axis_angle_4: DMat4 = DMat4::from_axis_angle(a.normalize(), s);
    points_3: DVec3 = DMat4::from_translation(a).transform_point3(a) + DMat4::from_scale(a).transform_vector3(a * s);
    project: DVec3 = DMat4::from_scale(a).project_point3(a * s);
}

cases! {
    (
        m: Mat3 = Mat3::from_cols_array(&[1.1, 0.3, -0.4, 0.8, 0.9, 0.2, -0.5, 0.4, 1.4]),
        v: Vec3 = vec3(0.7, -1.3, 0.45); 1e-6
    )
    single: Vec3 = m.inverse() * v + m.transpose() * m * v;
}

/// Matrices of single precision whose numbers are in a vector of the machine: local variables.
#[differentiate]
fn determinants(a: &[f32; 4], b: &[f32; 16]) -> f32 {
    Mat2::from_cols_array(a).determinant() + Mat4::from_cols_array(b).determinant()
}

#[test]
fn matrices_in_vectors_of_the_machine_are_local() {
    let a = [2.0, 3.0, 5.0, 7.0];
    // of a diagonal matrix, the others of the diagonal
    let diagonal = [1.5_f32, 2.0, -1.0, 0.5];
    let mut b = [0.0; 16];
    (0..4).for_each(|k| b[5 * k] = diagonal[k]);
    let (value, gradient) = determinants::gradient(&a, &b);
    assert_eq!(value, -1.0 - 1.5);
    assert_eq!(gradient.a, [7.0, -5.0, -3.0, 2.0]);
    for k in 0..4 {
        assert_eq!(gradient.b[5 * k], -1.5 / diagonal[k]);
    }
}
