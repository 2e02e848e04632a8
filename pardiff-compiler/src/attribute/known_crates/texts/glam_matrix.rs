// Matrices of `glam` 0.34, by the formulas of the crate; columns have names.

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Own {
    @(pub #: %VecN; ,)
}

impl Own {
    pub const ZERO: Own = Own { @c($_axis: %VecN { @(~: 0.0; ,) }; ,) };

    // where N = 2
    pub const IDENTITY: Own = Own { x_axis: %VecN { x: 1.0, y: 0.0 }, y_axis: %VecN { x: 0.0, y: 1.0 } };

    // where N = 3
    pub const IDENTITY: Own = Own {
        x_axis: %VecN { x: 1.0, y: 0.0, z: 0.0 },
        y_axis: %VecN { x: 0.0, y: 1.0, z: 0.0 },
        z_axis: %VecN { x: 0.0, y: 0.0, z: 1.0 },
    };

    // where N = 4
    pub const IDENTITY: Own = Own {
        x_axis: %VecN { x: 1.0, y: 0.0, z: 0.0, w: 0.0 },
        y_axis: %VecN { x: 0.0, y: 1.0, z: 0.0, w: 0.0 },
        z_axis: %VecN { x: 0.0, y: 0.0, z: 1.0, w: 0.0 },
        w_axis: %VecN { x: 0.0, y: 0.0, z: 0.0, w: 1.0 },
    };

    fn default() -> Own {
        Own::IDENTITY
    }

    fn from_cols(@(#: %VecN; ,)) -> Own {
        Own { @(#; ,) }
    }

    fn from_rows(@(#: %VecN; ,)) -> Own {
        Own { @(#; ,) }.transpose()
    }

    fn from_diagonal(diagonal: %VecN) -> Own {
        let mut m = Own::ZERO;
        @(m.#.~ = diagonal.~; ;);
        m
    }

    // where N = 2
    fn from_cols_array(m: &[T; 4]) -> Own {
        Own { x_axis: %VecN { x: m[0], y: m[1] }, y_axis: %VecN { x: m[2], y: m[3] } }
    }

    // where N = 3
    fn from_cols_array(m: &[T; 9]) -> Own {
        Own {
            x_axis: %VecN { x: m[0], y: m[1], z: m[2] },
            y_axis: %VecN { x: m[3], y: m[4], z: m[5] },
            z_axis: %VecN { x: m[6], y: m[7], z: m[8] },
        }
    }

    // where N = 4
    fn from_cols_array(m: &[T; 16]) -> Own {
        Own {
            x_axis: %VecN { x: m[0], y: m[1], z: m[2], w: m[3] },
            y_axis: %VecN { x: m[4], y: m[5], z: m[6], w: m[7] },
            z_axis: %VecN { x: m[8], y: m[9], z: m[10], w: m[11] },
            w_axis: %VecN { x: m[12], y: m[13], z: m[14], w: m[15] },
        }
    }

    // where N = 2
    fn to_cols_array(&self) -> [T; 4] {
        [@(self.#.x, self.#.y; ,)]
    }

    // where N = 3
    fn to_cols_array(&self) -> [T; 9] {
        [@(self.#.x, self.#.y, self.#.z; ,)]
    }

    // where N = 4
    fn to_cols_array(&self) -> [T; 16] {
        [@(self.#.x, self.#.y, self.#.z, self.#.w; ,)]
    }

    // where N = 2
    fn from_angle(angle: T) -> Own {
        let (sin, cos) = angle.sin_cos();
        Own { x_axis: %VecN { x: cos, y: sin }, y_axis: %VecN { x: -sin, y: cos } }
    }

    // where N = 2
    fn from_scale_angle(scale: %Vec2, angle: T) -> Own {
        let (sin, cos) = angle.sin_cos();
        Own {
            x_axis: %VecN { x: cos * scale.x, y: sin * scale.x },
            y_axis: %VecN { x: -sin * scale.y, y: cos * scale.y },
        }
    }

    // where N = 3
    fn from_angle(angle: T) -> Own {
        let (sin, cos) = angle.sin_cos();
        Own {
            x_axis: %VecN { x: cos, y: sin, z: 0.0 },
            y_axis: %VecN { x: -sin, y: cos, z: 0.0 },
            z_axis: %VecN { x: 0.0, y: 0.0, z: 1.0 },
        }
    }

    // where N = 3
    fn from_quat(rotation: %Quat) -> Own {
        let x2 = rotation.x + rotation.x;
        let y2 = rotation.y + rotation.y;
        let z2 = rotation.z + rotation.z;
        let xx = rotation.x * x2;
        let xy = rotation.x * y2;
        let xz = rotation.x * z2;
        let yy = rotation.y * y2;
        let yz = rotation.y * z2;
        let zz = rotation.z * z2;
        let wx = rotation.w * x2;
        let wy = rotation.w * y2;
        let wz = rotation.w * z2;
        Own {
            x_axis: %VecN { x: 1.0 - (yy + zz), y: xy + wz, z: xz - wy },
            y_axis: %VecN { x: xy - wz, y: 1.0 - (xx + zz), z: yz + wx },
            z_axis: %VecN { x: xz + wy, y: yz - wx, z: 1.0 - (xx + yy) },
        }
    }

    // where N = 3
    fn from_axis_angle(axis: %VecN, angle: T) -> Own {
        let (sin, cos) = angle.sin_cos();
        let (xsin, ysin, zsin) = (axis.x * sin, axis.y * sin, axis.z * sin);
        let omc = 1.0 - cos;
        let xyomc = axis.x * axis.y * omc;
        let xzomc = axis.x * axis.z * omc;
        let yzomc = axis.y * axis.z * omc;
        Own {
            x_axis: %VecN { x: axis.x * axis.x * omc + cos, y: xyomc + zsin, z: xzomc - ysin },
            y_axis: %VecN { x: xyomc - zsin, y: axis.y * axis.y * omc + cos, z: yzomc + xsin },
            z_axis: %VecN { x: xzomc + ysin, y: yzomc - xsin, z: axis.z * axis.z * omc + cos },
        }
    }

    // where N = 3
    fn from_rotation_x(angle: T) -> Own {
        let (sin, cos) = angle.sin_cos();
        Own {
            x_axis: %VecN { x: 1.0, y: 0.0, z: 0.0 },
            y_axis: %VecN { x: 0.0, y: cos, z: sin },
            z_axis: %VecN { x: 0.0, y: -sin, z: cos },
        }
    }

    // where N = 3
    fn from_rotation_y(angle: T) -> Own {
        let (sin, cos) = angle.sin_cos();
        Own {
            x_axis: %VecN { x: cos, y: 0.0, z: -sin },
            y_axis: %VecN { x: 0.0, y: 1.0, z: 0.0 },
            z_axis: %VecN { x: sin, y: 0.0, z: cos },
        }
    }

    // where N = 3
    fn from_rotation_z(angle: T) -> Own {
        let (sin, cos) = angle.sin_cos();
        Own {
            x_axis: %VecN { x: cos, y: sin, z: 0.0 },
            y_axis: %VecN { x: -sin, y: cos, z: 0.0 },
            z_axis: %VecN { x: 0.0, y: 0.0, z: 1.0 },
        }
    }

    // where N = 4
    fn from_translation(translation: %Vec3) -> Own {
        let mut m = Own::IDENTITY;
        m.w_axis = translation.extend(1.0);
        m
    }

    // where N = 4
    fn from_scale(scale: %Vec3) -> Own {
        Own::from_diagonal(scale.extend(1.0))
    }

    // where N = 4
    fn from_mat3(m: %Mat3) -> Own {
        Own::from_cols(m.x_axis.extend(0.0), m.y_axis.extend(0.0), m.z_axis.extend(0.0), Own::IDENTITY.w_axis)
    }

    // where N = 4
    fn from_quat(rotation: %Quat) -> Own {
        Own::from_mat3(%Mat3::from_quat(rotation))
    }

    // where N = 4
    fn from_rotation_translation(rotation: %Quat, translation: %Vec3) -> Own {
        let mut m = Own::from_quat(rotation);
        m.w_axis = translation.extend(1.0);
        m
    }

    // where N = 4
    fn from_scale_rotation_translation(scale: %Vec3, rotation: %Quat, translation: %Vec3) -> Own {
        let m = %Mat3::from_quat(rotation);
        let (x, y, z) = (m.x_axis * scale.x, m.y_axis * scale.y, m.z_axis * scale.z);
        Own::from_cols(x.extend(0.0), y.extend(0.0), z.extend(0.0), translation.extend(1.0))
    }

    // where N = 4
    fn from_axis_angle(axis: %Vec3, angle: T) -> Own {
        Own::from_mat3(%Mat3::from_axis_angle(axis, angle))
    }

    // where N = 4
    fn from_rotation_x(angle: T) -> Own {
        Own::from_mat3(%Mat3::from_rotation_x(angle))
    }

    // where N = 4
    fn from_rotation_y(angle: T) -> Own {
        Own::from_mat3(%Mat3::from_rotation_y(angle))
    }

    // where N = 4
    fn from_rotation_z(angle: T) -> Own {
        Own::from_mat3(%Mat3::from_rotation_z(angle))
    }

    fn transpose(&self) -> Own {
        Own { @c($_axis: %VecN { @(~: self.#.$; ,) }; ,) }
    }

    fn diagonal(&self) -> %VecN {
        %VecN { @(~: self.#.~; ,) }
    }

    // where N = 2
    fn determinant(&self) -> T {
        self.x_axis.x * self.y_axis.y - self.x_axis.y * self.y_axis.x
    }

    // where N = 3
    fn determinant(&self) -> T {
        self.x_axis.dot(self.y_axis.cross(self.z_axis))
    }

    // where N = 4
    fn determinant(&self) -> T {
        let (a, b, c, d) = (self.x_axis, self.y_axis, self.z_axis, self.w_axis);
        let a2323 = c.z * d.w - c.w * d.z;
        let a1323 = c.y * d.w - c.w * d.y;
        let a1223 = c.y * d.z - c.z * d.y;
        let a0323 = c.x * d.w - c.w * d.x;
        let a0223 = c.x * d.z - c.z * d.x;
        let a0123 = c.x * d.y - c.y * d.x;
        a.x * (b.y * a2323 - b.z * a1323 + b.w * a1223) - a.y * (b.x * a2323 - b.z * a0323 + b.w * a0223)
            + a.z * (b.x * a1323 - b.y * a0323 + b.w * a0123)
            - a.w * (b.x * a1223 - b.y * a0223 + b.z * a0123)
    }

    // where N = 2
    fn inverse(&self) -> Own {
        let inv_det = 1.0 / self.determinant();
        Own {
            x_axis: %VecN { x: self.y_axis.y * inv_det, y: self.x_axis.y * -inv_det },
            y_axis: %VecN { x: self.y_axis.x * -inv_det, y: self.x_axis.x * inv_det },
        }
    }

    // where N = 3
    fn inverse(&self) -> Own {
        let x = self.y_axis.cross(self.z_axis);
        let y = self.z_axis.cross(self.x_axis);
        let z = self.x_axis.cross(self.y_axis);
        let inv_det = 1.0 / self.x_axis.dot(x);
        Own { x_axis: x * inv_det, y_axis: y * inv_det, z_axis: z * inv_det }.transpose()
    }

    // where N = 4
    fn inverse(&self) -> Own {
        let (a, b, c, d) = (self.x_axis, self.y_axis, self.z_axis, self.w_axis);
        let c00 = c.z * d.w - d.z * c.w;
        let c02 = b.z * d.w - d.z * b.w;
        let c03 = b.z * c.w - c.z * b.w;
        let c04 = c.y * d.w - d.y * c.w;
        let c06 = b.y * d.w - d.y * b.w;
        let c07 = b.y * c.w - c.y * b.w;
        let c08 = c.y * d.z - d.y * c.z;
        let c10 = b.y * d.z - d.y * b.z;
        let c11 = b.y * c.z - c.y * b.z;
        let c12 = c.x * d.w - d.x * c.w;
        let c14 = b.x * d.w - d.x * b.w;
        let c15 = b.x * c.w - c.x * b.w;
        let c16 = c.x * d.z - d.x * c.z;
        let c18 = b.x * d.z - d.x * b.z;
        let c19 = b.x * c.z - c.x * b.z;
        let c20 = c.x * d.y - d.x * c.y;
        let c22 = b.x * d.y - d.x * b.y;
        let c23 = b.x * c.y - c.x * b.y;
        let inverse = Own {
            x_axis: %VecN {
                x: b.y * c00 - b.z * c04 + b.w * c08,
                y: -(a.y * c00 - a.z * c04 + a.w * c08),
                z: a.y * c02 - a.z * c06 + a.w * c10,
                w: -(a.y * c03 - a.z * c07 + a.w * c11),
            },
            y_axis: %VecN {
                x: -(b.x * c00 - b.z * c12 + b.w * c16),
                y: a.x * c00 - a.z * c12 + a.w * c16,
                z: -(a.x * c02 - a.z * c14 + a.w * c18),
                w: a.x * c03 - a.z * c15 + a.w * c19,
            },
            z_axis: %VecN {
                x: b.x * c04 - b.y * c12 + b.w * c20,
                y: -(a.x * c04 - a.y * c12 + a.w * c20),
                z: a.x * c06 - a.y * c14 + a.w * c22,
                w: -(a.x * c07 - a.y * c15 + a.w * c23),
            },
            w_axis: %VecN {
                x: -(b.x * c08 - b.y * c16 + b.z * c20),
                y: a.x * c08 - a.y * c16 + a.z * c20,
                z: -(a.x * c10 - a.y * c18 + a.z * c22),
                w: a.x * c11 - a.y * c19 + a.z * c23,
            },
        };
        let det = a.x * inverse.x_axis.x + a.y * inverse.y_axis.x + a.z * inverse.z_axis.x + a.w * inverse.w_axis.x;
        inverse * (1.0 / det)
    }

    fn try_inverse(&self) -> Option<Own> {
        let m = self.inverse();
        if m.is_finite() { Some(m) } else { None }
    }

    fn inverse_or_zero(&self) -> Own {
        let m = self.inverse();
        if m.is_finite() { m } else { Own::ZERO }
    }

    fn is_finite(&self) -> bool {
        @(self.#.is_finite(); &&)
    }

    fn is_nan(&self) -> bool {
        @(self.#.is_nan(); ||)
    }

    fn abs(&self) -> Own {
        Own { @(#: self.#.abs(); ,) }
    }

    // where N = 2
    fn mul_vec2(&self, rhs: %VecN) -> %VecN {
        @(self.# * rhs.~; +)
    }

    // where N = 3
    fn mul_vec3(&self, rhs: %VecN) -> %VecN {
        @(self.# * rhs.~; +)
    }

    // where N = 4
    fn mul_vec4(&self, rhs: %VecN) -> %VecN {
        @(self.# * rhs.~; +)
    }

    // where N = 2
    fn transpose_mul_vec2(&self, rhs: %VecN) -> %VecN {
        %VecN { @(~: self.#.dot(rhs); ,) }
    }

    // where N = 3
    fn transpose_mul_vec3(&self, rhs: %VecN) -> %VecN {
        %VecN { @(~: self.#.dot(rhs); ,) }
    }

    // where N = 4
    fn transpose_mul_vec4(&self, rhs: %VecN) -> %VecN {
        %VecN { @(~: self.#.dot(rhs); ,) }
    }

    // where N = 2
    fn mul_mat2(&self, rhs: &Own) -> Own {
        *self * *rhs
    }

    // where N = 3
    fn mul_mat3(&self, rhs: &Own) -> Own {
        *self * *rhs
    }

    // where N = 4
    fn mul_mat4(&self, rhs: &Own) -> Own {
        *self * *rhs
    }

    fn mul_scalar(&self, rhs: T) -> Own {
        Own { @(#: self.# * rhs; ,) }
    }

    fn div_scalar(&self, rhs: T) -> Own {
        Own { @(#: self.# / rhs; ,) }
    }

    fn mul_diagonal_scale(&self, scale: %VecN) -> Own {
        Own { @(#: self.# * scale.~; ,) }
    }

    // where N = 3
    fn transform_point2(&self, rhs: %Vec2) -> %Vec2 {
        self.x_axis.xy() * rhs.x + self.y_axis.xy() * rhs.y + self.z_axis.xy()
    }

    // where N = 3
    fn transform_vector2(&self, rhs: %Vec2) -> %Vec2 {
        self.x_axis.xy() * rhs.x + self.y_axis.xy() * rhs.y
    }

    // where N = 4
    fn transform_point3(&self, rhs: %Vec3) -> %Vec3 {
        (self.w_axis + (self.z_axis * rhs.z + (self.y_axis * rhs.y + self.x_axis * rhs.x))).xyz()
    }

    // where N = 4
    fn transform_vector3(&self, rhs: %Vec3) -> %Vec3 {
        (self.z_axis * rhs.z + (self.y_axis * rhs.y + self.x_axis * rhs.x)).xyz()
    }

    // where N = 4
    fn project_point3(&self, rhs: %Vec3) -> %Vec3 {
        let res = self.w_axis + (self.z_axis * rhs.z + (self.y_axis * rhs.y + self.x_axis * rhs.x));
        (res / res.w).xyz()
    }

    // where N = 2
    fn col(&self, index: usize) -> %VecN {
        [self.x_axis, self.y_axis][index]
    }

    // where N = 3
    fn col(&self, index: usize) -> %VecN {
        [self.x_axis, self.y_axis, self.z_axis][index]
    }

    // where N = 4
    fn col(&self, index: usize) -> %VecN {
        [self.x_axis, self.y_axis, self.z_axis, self.w_axis][index]
    }

    fn row(&self, index: usize) -> %VecN {
        self.transpose().col(index)
    }
}

impl Neg for Own {
    fn neg(self) -> Own {
        Own { @(#: -self.#; ,) }
    }
}

impl Add<Own> for Own {
    fn add(self, rhs: Own) -> Own {
        Own { @(#: self.# + rhs.#; ,) }
    }
}

impl AddAssign<Own> for Own {
    fn add_assign(&mut self, rhs: Own) {
        *self = *self + rhs;
    }
}

impl Sub<Own> for Own {
    fn sub(self, rhs: Own) -> Own {
        Own { @(#: self.# - rhs.#; ,) }
    }
}

impl SubAssign<Own> for Own {
    fn sub_assign(&mut self, rhs: Own) {
        *self = *self - rhs;
    }
}

impl Mul<%VecN> for Own {
    fn mul(self, rhs: %VecN) -> %VecN {
        @(self.# * rhs.~; +)
    }
}

impl Mul<Own> for Own {
    fn mul(self, rhs: Own) -> Own {
        Own { @(#: self * rhs.#; ,) }
    }
}

impl Mul<T> for Own {
    fn mul(self, rhs: T) -> Own {
        Own { @(#: self.# * rhs; ,) }
    }
}

impl Mul<Own> for T {
    fn mul(self, rhs: Own) -> Own {
        Own { @(#: self * rhs.#; ,) }
    }
}

impl MulAssign<Own> for Own {
    fn mul_assign(&mut self, rhs: Own) {
        *self = *self * rhs;
    }
}

impl MulAssign<T> for Own {
    fn mul_assign(&mut self, rhs: T) {
        *self = *self * rhs;
    }
}

impl Div<T> for Own {
    fn div(self, rhs: T) -> Own {
        Own { @(#: self.# / rhs; ,) }
    }
}

impl DivAssign<T> for Own {
    fn div_assign(&mut self, rhs: T) {
        *self = *self / rhs;
    }
}

impl Sum<Own> for Own {
    fn sum<I: Iterator<Item = Own>>(iter: I) -> Own {
        iter.fold(Own::ZERO, |a, b| a + b)
    }
}
