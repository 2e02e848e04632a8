//! Vectors of `glam`.

use glam::{
    DVec2, DVec3, DVec4, Vec2, Vec3, Vec3Swizzles, Vec4, Vec4Swizzles, dvec2, dvec3, dvec4, vec2, vec3,
};

/// What all sizes have.
macro_rules! of_all_sizes {
    ($module:ident, $ty:ident, $a:expr, $b:expr, $n:expr) => {
        mod $module {
            use super::*;

            cases! {
                (a: $ty = $a, b: $ty = $b, s: f64 = 0.6; 1e-14)
                constants: $ty = a * $ty::ONE + b * $ty::ZERO + $ty::NEG_ONE * s + $ty::X + $ty::Y * s;
                splat: $ty = $ty::splat(s);
                from_array: $ty = $ty::from_array(a.to_array()) * s;
                from_slice: $ty = $ty::from_slice(&b.to_array()) * s;
                write_to_slice: [f64; $n] = { let mut y = [0.0; $n]; a.write_to_slice(&mut y); y };
                from: $ty = $ty::from([s; $n]) * a;
                map: $ty = a.map(|x| x * x * s);
                with: $ty = a.with_x(s).with_y(b.x);
                dot: f64 = a.dot(b);
                dot_into_vec: $ty = a.dot_into_vec(b);
                min: $ty = a.min(b);
                max: $ty = a.max(b);
                clamp: $ty = a.clamp($ty::splat(-0.5), $ty::splat(0.5));
                saturate: $ty = a.saturate();
                min_element: f64 = a.min_element();
                max_element: f64 = a.max_element();
                element_sum: f64 = a.element_sum();
                element_product: f64 = a.element_product();
                abs: $ty = a.abs();
                signum: $ty = a.signum() * s;
                copysign: $ty = a.copysign(b);
                round: $ty = a.round() + a.floor() * s + a.ceil() + a.trunc() + a.fract() + a.fract_gl();
                exp: $ty = a.exp() + b.exp2();
                ln: $ty = a.abs().ln() + b.abs().log2();
                powf: $ty = b.abs().powf(s);
                sqrt: $ty = a.abs().sqrt();
                sin_cos: ($ty, $ty) = a.sin_cos();
                sin: $ty = a.sin() * b.cos();
                recip: $ty = a.recip();
                mul_add: $ty = a.mul_add(b, $ty::splat(s));
                finite: f64 = if a.is_finite() && !b.is_nan() && !a.is_normalized() { a.x * s } else { s };
                length: f64 = a.length() + b.length_squared() + a.length_recip();
                distance: f64 = a.distance(b) + a.distance_squared(b) * s;
                normalize: $ty = a.normalize();
                try_normalize: $ty = a.try_normalize().unwrap() + b.normalize_or(a) + b.normalize_or_zero();
                project_onto: $ty = a.project_onto(b) + a.reject_from(b) * s;
                project_onto_normalized: $ty = a.project_onto_normalized(b.normalize());
                reject_from_normalized: $ty = a.reject_from_normalized(b.normalize());
                reflect: $ty = a.reflect(b.normalize());
                refract: $ty = a.normalize().refract(b.normalize(), s);
                lerp: $ty = a.lerp(b, s) + a.midpoint(b);
                move_towards: $ty = a.move_towards(b, s);
                clamp_length: $ty = a.clamp_length(0.2, s) + a.clamp_length_max(s) + a.clamp_length_min(s * 9.0);
                add: $ty = a + b + s + (s + a) + (&a + &b) + (a + &b) + (&a + b);
                sub: $ty = a - b - s - (s - a) - (&a - &b);
                mul: $ty = a * b * s + s * a + &a * &b + &a * s;
                div: $ty = a / b / s + s / a;
                neg: $ty = -a + -&b;
                assign: $ty = {
                    let mut v = a;
                    v += b;
                    v += s;
                    v -= a * b;
                    v -= s * s;
                    v *= b;
                    v *= s;
                    v /= b + 2.0;
                    v /= s;
                    v
                };
                sum: $ty = [a, b, a * b].iter().map(|v| v * s).sum();
                product: $ty = [a, b, a * b].iter().copied().product();
                fields: $ty = { let mut v = a; v.x = s * b.y; v.y += a.x; v };
                default: $ty = $ty::default() + a;
            }
        }
    };
}

of_all_sizes! { two, DVec2, dvec2(0.7, -1.3), dvec2(-0.4, 0.9), 2 }
of_all_sizes! { three, DVec3, dvec3(0.7, -1.3, 0.45), dvec3(-0.4, 0.9, 1.2), 3 }
of_all_sizes! { four, DVec4, dvec4(0.7, -1.3, 0.45, 1.1), dvec4(-0.4, 0.9, 1.2, -0.3), 4 }

cases! {
    (a: DVec2 = dvec2(0.7, -1.3), b: DVec2 = DVec2::new(-0.4, 0.9), s: f64 = 0.6; 1e-14)
    new_2: DVec2 = DVec2::new(s, a.x) + dvec2(b.y, s) + DVec2::NEG_X * s + DVec2::NEG_Y;
    extend_2: DVec3 = a.extend(s) * b.extend(1.0);
    perp: DVec2 = a.perp() * b.perp_dot(a);
    rotate_2: DVec2 = a.rotate(b) + DVec2::from_angle(s).rotate(b);
    to_angle: f64 = a.to_angle() + a.angle_to(b);
}

cases! {
    (a: DVec3 = dvec3(0.7, -1.3, 0.45), b: DVec3 = DVec3::new(-0.4, 0.9, 1.2), s: f64 = 0.6; 1e-14)
    new_3: DVec3 =
        DVec3::new(s, a.x, b.z) + dvec3(b.y, s, a.z) + (DVec3::Z - DVec3::NEG_X * s) + DVec3::NEG_Y + DVec3::NEG_Z;
    cross: DVec3 = a.cross(b);
    extend_3: DVec4 = a.extend(s) * b.extend(2.0);
    from_tuples: DVec3 = DVec3::from((s, a.x, b.y)) + DVec3::from((b.xy(), s));
    truncate: DVec2 = a.truncate() + b.xy() * s;
    with_z: DVec3 = a.with_z(s);
    rotate_x: DVec3 = a.rotate_x(s) + b.rotate_y(s) + a.rotate_z(s * 2.0);
    rotate_axis: DVec3 = a.rotate_axis(b.normalize(), s);
    angle_between: f64 = a.angle_between(b) * s;
    any_orthonormal: DVec3 = {
        let (x, y) = a.normalize().any_orthonormal_pair();
        x * s + y + b.normalize().any_orthonormal_vector()
    };
    remainders: DVec3 = a % b + (a * 3.0) % s;
    elements_3: f64 = a[0] * b[2] + a[1] * s;
    elements_24: f64 = a.truncate()[1] * a.extend(s)[3] + b.extend(s)[0];
    angle_to: f64 = a.angle_to(b, DVec3::Z);
    any_orthogonal_vector: DVec3 = a.any_orthogonal_vector();
}

cases! {
    (a: DVec4 = dvec4(0.7, -1.3, 0.45, 1.1), s: f64 = 0.6; 1e-14)
    new_4: DVec4 = DVec4::new(s, a.x, a.w, a.z * s) + (DVec4::Z + DVec4::W) * s;
    from_tuples_4: DVec4 = DVec4::from((s, a.x, a.w, s)) + DVec4::from((a.xyz(), s));
    truncate_4: DVec3 = a.truncate() * s + a.xyz();
    xy_4: DVec2 = a.xy() * s;
    with_w: DVec4 = a.with_z(s).with_w(a.x);
}

cases! {
    (a: Vec3 = vec3(0.7, -1.3, 0.45), b: Vec2 = vec2(0.3, 0.9), s: f32 = 0.6; 1e-6)
    single: Vec3 = a.cross(b.extend(s)).normalize() + a * s;
    // vectors of the machine are local variables
    local: f32 = { let v: Vec4 = a.extend(s); v.dot(v * s) + v.w + (v / Vec4::splat(2.0)).length() };
}

/// Differences do not see past the steps of `f32`.
#[pardiff::differentiate]
pub fn narrowed(a: DVec3, b: DVec2) -> f64 {
    let (c, d) = ((a.as_vec3() * 0.5).as_dvec3(), (b.as_vec2() * 2.0).as_dvec2());
    c.x - 3.0 * c.z + d.y
}

#[test]
fn conversions_have_the_slope_of_the_number() {
    let (a, b) = (dvec3(0.7, -1.3, 0.45), dvec2(-0.4, 0.9));
    let (value, gradient) = narrowed::gradient(a, b);
    assert_eq!(value, narrowed(a, b));
    assert_eq!((gradient.a, gradient.b), (dvec3(0.5, 0.0, -1.5), dvec2(0.0, 2.0)));
}
