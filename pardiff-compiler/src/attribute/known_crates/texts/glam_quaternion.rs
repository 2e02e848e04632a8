// Quaternions of `glam` 0.34, by the formulas of the crate.

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Own {
    pub x: T,
    pub y: T,
    pub z: T,
    pub w: T,
}

impl Own {
    pub const IDENTITY: Own = Own { x: 0.0, y: 0.0, z: 0.0, w: 1.0 };

    fn default() -> Own {
        Own::IDENTITY
    }

    fn from_xyzw(x: T, y: T, z: T, w: T) -> Own {
        Own { x, y, z, w }
    }

    fn from_array(a: [T; 4]) -> Own {
        Own { x: a[0], y: a[1], z: a[2], w: a[3] }
    }

    fn to_array(&self) -> [T; 4] {
        [self.x, self.y, self.z, self.w]
    }

    fn from_vec4(v: %Vec4) -> Own {
        Own { x: v.x, y: v.y, z: v.z, w: v.w }
    }

    fn xyz(self) -> %Vec3 {
        %Vec3 { x: self.x, y: self.y, z: self.z }
    }

    fn from_axis_angle(axis: %Vec3, angle: T) -> Own {
        let (s, c) = (angle * 0.5).sin_cos();
        Own { x: axis.x * s, y: axis.y * s, z: axis.z * s, w: c }
    }

    // at zero the crate returns the identity; the sum is the same there, with the derivative of the limit
    fn from_scaled_axis(v: %Vec3) -> Own {
        let length_squared = v.length_squared();
        if length_squared == 0.0 {
            Own { x: v.x * 0.5, y: v.y * 0.5, z: v.z * 0.5, w: 1.0 }
        } else {
            let length = length_squared.sqrt();
            Own::from_axis_angle(v / length, length)
        }
    }

    fn from_rotation_x(angle: T) -> Own {
        let (s, c) = (angle * 0.5).sin_cos();
        Own { x: s, y: 0.0, z: 0.0, w: c }
    }

    fn from_rotation_y(angle: T) -> Own {
        let (s, c) = (angle * 0.5).sin_cos();
        Own { x: 0.0, y: s, z: 0.0, w: c }
    }

    fn from_rotation_z(angle: T) -> Own {
        let (s, c) = (angle * 0.5).sin_cos();
        Own { x: 0.0, y: 0.0, z: s, w: c }
    }

    fn from_rotation_axes(a: %Vec3, b: %Vec3, c: %Vec3) -> Own {
        if c.z <= 0.0 {
            let dif10 = b.y - a.x;
            let omm22 = 1.0 - c.z;
            if dif10 <= 0.0 {
                let four_xsq = omm22 - dif10;
                let inv4x = 0.5 / four_xsq.sqrt();
                Own { x: four_xsq * inv4x, y: (a.y + b.x) * inv4x, z: (a.z + c.x) * inv4x, w: (b.z - c.y) * inv4x }
            } else {
                let four_ysq = omm22 + dif10;
                let inv4y = 0.5 / four_ysq.sqrt();
                Own { x: (a.y + b.x) * inv4y, y: four_ysq * inv4y, z: (b.z + c.y) * inv4y, w: (c.x - a.z) * inv4y }
            }
        } else {
            let sum10 = b.y + a.x;
            let opm22 = 1.0 + c.z;
            if sum10 <= 0.0 {
                let four_zsq = opm22 - sum10;
                let inv4z = 0.5 / four_zsq.sqrt();
                Own { x: (a.z + c.x) * inv4z, y: (b.z + c.y) * inv4z, z: four_zsq * inv4z, w: (a.y - b.x) * inv4z }
            } else {
                let four_wsq = opm22 + sum10;
                let inv4w = 0.5 / four_wsq.sqrt();
                Own { x: (b.z - c.y) * inv4w, y: (c.x - a.z) * inv4w, z: (a.y - b.x) * inv4w, w: four_wsq * inv4w }
            }
        }
    }

    fn from_mat3(mat: &%Mat3) -> Own {
        Own::from_rotation_axes(mat.x_axis, mat.y_axis, mat.z_axis)
    }

    fn from_mat4(mat: &%Mat4) -> Own {
        Own::from_rotation_axes(mat.x_axis.truncate(), mat.y_axis.truncate(), mat.z_axis.truncate())
    }

    fn conjugate(self) -> Own {
        Own { x: -self.x, y: -self.y, z: -self.z, w: self.w }
    }

    fn inverse(self) -> Own {
        Own { x: -self.x, y: -self.y, z: -self.z, w: self.w }
    }

    fn dot(self, rhs: Own) -> T {
        (self.x * rhs.x) + (self.y * rhs.y) + (self.z * rhs.z) + (self.w * rhs.w)
    }

    fn length(self) -> T {
        self.dot(self).sqrt()
    }

    fn length_squared(self) -> T {
        self.dot(self)
    }

    fn length_recip(self) -> T {
        1.0 / self.length()
    }

    fn normalize(self) -> Own {
        self * self.length_recip()
    }

    fn is_finite(self) -> bool {
        self.x.is_finite() && self.y.is_finite() && self.z.is_finite() && self.w.is_finite()
    }

    fn is_nan(self) -> bool {
        self.x.is_nan() || self.y.is_nan() || self.z.is_nan() || self.w.is_nan()
    }

    fn is_normalized(self) -> bool {
        (self.length_squared() - 1.0).abs() <= 2e-4
    }

    fn lerp(self, end: Own, s: T) -> Own {
        let bias = if self.dot(end) >= 0.0 { 1.0 } else { -1.0 };
        (self * (1.0 - s) + end * bias * s).normalize()
    }

    // where T = f64
    fn slerp(self, end: Own, s: T) -> Own {
        let dot = self.dot(end);
        let (end, dot) = if dot < 0.0 { (-end, -dot) } else { (end, dot) };
        if dot > 1.0 - T::EPSILON {
            (self * (1.0 - s) + end * s).normalize()
        } else {
            let theta = dot.acos();
            ((self * (theta * (1.0 - s)).sin()) + (end * (theta * s).sin())) * (1.0 / theta.sin())
        }
    }

    // where T = f64
    fn angle_between(self, rhs: Own) -> T {
        self.dot(rhs).abs().min(1.0).acos() * 2.0
    }

    fn mul_vec3(self, rhs: %Vec3) -> %Vec3 {
        let b = %Vec3 { x: self.x, y: self.y, z: self.z };
        let b2 = b.dot(b);
        rhs * (self.w * self.w - b2) + b * (rhs.dot(b) * 2.0) + b.cross(rhs) * (self.w * 2.0)
    }

    fn mul_quat(self, rhs: Own) -> Own {
        self * rhs
    }
}

impl Neg for Own {
    fn neg(self) -> Own {
        Own { x: -self.x, y: -self.y, z: -self.z, w: -self.w }
    }
}

impl Add<Own> for Own {
    fn add(self, rhs: Own) -> Own {
        Own { x: self.x + rhs.x, y: self.y + rhs.y, z: self.z + rhs.z, w: self.w + rhs.w }
    }
}

impl AddAssign<Own> for Own {
    fn add_assign(&mut self, rhs: Own) {
        *self = *self + rhs;
    }
}

impl Sub<Own> for Own {
    fn sub(self, rhs: Own) -> Own {
        Own { x: self.x - rhs.x, y: self.y - rhs.y, z: self.z - rhs.z, w: self.w - rhs.w }
    }
}

impl SubAssign<Own> for Own {
    fn sub_assign(&mut self, rhs: Own) {
        *self = *self - rhs;
    }
}

impl Mul<T> for Own {
    fn mul(self, rhs: T) -> Own {
        Own { x: self.x * rhs, y: self.y * rhs, z: self.z * rhs, w: self.w * rhs }
    }
}

impl MulAssign<T> for Own {
    fn mul_assign(&mut self, rhs: T) {
        *self = *self * rhs;
    }
}

impl Div<T> for Own {
    fn div(self, rhs: T) -> Own {
        Own { x: self.x / rhs, y: self.y / rhs, z: self.z / rhs, w: self.w / rhs }
    }
}

impl DivAssign<T> for Own {
    fn div_assign(&mut self, rhs: T) {
        *self = *self / rhs;
    }
}

impl Mul<Own> for Own {
    fn mul(self, rhs: Own) -> Own {
        Own {
            x: self.w * rhs.x + self.x * rhs.w + self.y * rhs.z - self.z * rhs.y,
            y: self.w * rhs.y - self.x * rhs.z + self.y * rhs.w + self.z * rhs.x,
            z: self.w * rhs.z + self.x * rhs.y - self.y * rhs.x + self.z * rhs.w,
            w: self.w * rhs.w - self.x * rhs.x - self.y * rhs.y - self.z * rhs.z,
        }
    }
}

impl MulAssign<Own> for Own {
    fn mul_assign(&mut self, rhs: Own) {
        *self = *self * rhs;
    }
}

impl Mul<%Vec3> for Own {
    fn mul(self, rhs: %Vec3) -> %Vec3 {
        self.mul_vec3(rhs)
    }
}
