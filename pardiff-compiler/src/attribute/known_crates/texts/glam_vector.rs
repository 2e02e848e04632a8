// Vectors of `glam` 0.34, by the formulas of the crate.

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Own {
    @(pub #: T; ,)
}

impl Own {
    pub const ZERO: Own = Own { @(#: 0.0; ,) };
    pub const ONE: Own = Own { @(#: 1.0; ,) };
    pub const NEG_ONE: Own = Own { @(#: -1.0; ,) };

    // where N = 2
    pub const X: Own = Own { x: 1.0, y: 0.0 };
    // where N = 2
    pub const Y: Own = Own { x: 0.0, y: 1.0 };
    // where N = 2
    pub const NEG_X: Own = Own { x: -1.0, y: 0.0 };
    // where N = 2
    pub const NEG_Y: Own = Own { x: 0.0, y: -1.0 };

    // where N = 3
    pub const X: Own = Own { x: 1.0, y: 0.0, z: 0.0 };
    // where N = 3
    pub const Y: Own = Own { x: 0.0, y: 1.0, z: 0.0 };
    // where N = 3
    pub const Z: Own = Own { x: 0.0, y: 0.0, z: 1.0 };
    // where N = 3
    pub const NEG_X: Own = Own { x: -1.0, y: 0.0, z: 0.0 };
    // where N = 3
    pub const NEG_Y: Own = Own { x: 0.0, y: -1.0, z: 0.0 };
    // where N = 3
    pub const NEG_Z: Own = Own { x: 0.0, y: 0.0, z: -1.0 };

    // where N = 4
    pub const X: Own = Own { x: 1.0, y: 0.0, z: 0.0, w: 0.0 };
    // where N = 4
    pub const Y: Own = Own { x: 0.0, y: 1.0, z: 0.0, w: 0.0 };
    // where N = 4
    pub const Z: Own = Own { x: 0.0, y: 0.0, z: 1.0, w: 0.0 };
    // where N = 4
    pub const W: Own = Own { x: 0.0, y: 0.0, z: 0.0, w: 1.0 };

    fn new(@(#: T; ,)) -> Own {
        Own { @(#; ,) }
    }

    fn splat(v: T) -> Own {
        Own { @(#: v; ,) }
    }

    // where N = 2
    fn from_array(a: [T; N]) -> Own {
        Own { x: a[0], y: a[1] }
    }

    // where N = 3
    fn from_array(a: [T; N]) -> Own {
        Own { x: a[0], y: a[1], z: a[2] }
    }

    // where N = 4
    fn from_array(a: [T; N]) -> Own {
        Own { x: a[0], y: a[1], z: a[2], w: a[3] }
    }

    // where N = 2
    fn from_slice(a: &[T]) -> Own {
        Own { x: a[0], y: a[1] }
    }

    // where N = 3
    fn from_slice(a: &[T]) -> Own {
        Own { x: a[0], y: a[1], z: a[2] }
    }

    // where N = 4
    fn from_slice(a: &[T]) -> Own {
        Own { x: a[0], y: a[1], z: a[2], w: a[3] }
    }

    fn to_array(&self) -> [T; N] {
        [@(self.#; ,)]
    }

    // where N = 2
    fn write_to_slice(self, a: &mut [T]) {
        a[0] = self.x;
        a[1] = self.y;
    }

    // where N = 3
    fn write_to_slice(self, a: &mut [T]) {
        a[0] = self.x;
        a[1] = self.y;
        a[2] = self.z;
    }

    // where N = 4
    fn write_to_slice(self, a: &mut [T]) {
        a[0] = self.x;
        a[1] = self.y;
        a[2] = self.z;
        a[3] = self.w;
    }

    fn map<F: Fn(T) -> T>(self, f: F) -> Own {
        Own { @(#: f(self.#); ,) }
    }

    // where N = 2
    fn extend(self, z: T) -> %Vec3 {
        %Vec3 { x: self.x, y: self.y, z }
    }

    // where N = 3
    fn extend(self, w: T) -> %Vec4 {
        %Vec4 { x: self.x, y: self.y, z: self.z, w }
    }

    // where N = 3
    fn truncate(self) -> %Vec2 {
        %Vec2 { x: self.x, y: self.y }
    }

    // where N = 4
    fn truncate(self) -> %Vec3 {
        %Vec3 { x: self.x, y: self.y, z: self.z }
    }

    // where 2 < N
    fn xy(self) -> %Vec2 {
        %Vec2 { x: self.x, y: self.y }
    }

    // where N = 4
    fn xyz(self) -> %Vec3 {
        %Vec3 { x: self.x, y: self.y, z: self.z }
    }

    fn with_x(self, x: T) -> Own {
        Own { x, ..self }
    }

    fn with_y(self, y: T) -> Own {
        Own { y, ..self }
    }

    // where 2 < N
    fn with_z(self, z: T) -> Own {
        Own { z, ..self }
    }

    // where N = 4
    fn with_w(self, w: T) -> Own {
        Own { w, ..self }
    }

    fn dot(self, rhs: Own) -> T {
        @((self.# * rhs.#); +)
    }

    fn dot_into_vec(self, rhs: Own) -> Own {
        Own::splat(self.dot(rhs))
    }

    // where N = 3
    fn cross(self, rhs: Own) -> Own {
        Own {
            x: self.y * rhs.z - rhs.y * self.z,
            y: self.z * rhs.x - rhs.z * self.x,
            z: self.x * rhs.y - rhs.x * self.y,
        }
    }

    // where N = 3
    fn any_orthogonal_vector(self) -> Own {
        if self.x.abs() > self.y.abs() {
            Own { x: -self.z, y: 0.0, z: self.x }
        } else {
            Own { x: 0.0, y: self.z, z: -self.y }
        }
    }

    // where N = 3
    fn rotate_axis(self, axis: Own, angle: T) -> Own {
        %Quat::from_axis_angle(axis, angle) * self
    }

    // where N = 3
    fn angle_to(self, rhs: Own, axis: Own) -> T {
        self.cross(rhs).dot(axis).atan2(self.dot(rhs))
    }

    // where N = 2
    fn angle_to(self, rhs: Own) -> T {
        self.perp_dot(rhs).atan2(self.dot(rhs))
    }

    // where N = 2
    fn perp(self) -> Own {
        Own { x: -self.y, y: self.x }
    }

    // where N = 2
    fn perp_dot(self, rhs: Own) -> T {
        (self.x * rhs.y) - (self.y * rhs.x)
    }

    // where N = 2
    fn rotate(self, rhs: Own) -> Own {
        Own { x: self.x * rhs.x - self.y * rhs.y, y: self.y * rhs.x + self.x * rhs.y }
    }

    // where N = 2
    fn from_angle(angle: T) -> Own {
        Own { x: angle.cos(), y: angle.sin() }
    }

    // where N = 2
    fn to_angle(self) -> T {
        self.y.atan2(self.x)
    }

    // where N = 3
    fn rotate_x(self, angle: T) -> Own {
        let (sina, cosa) = angle.sin_cos();
        Own { x: self.x, y: self.y * cosa - self.z * sina, z: self.y * sina + self.z * cosa }
    }

    // where N = 3
    fn rotate_y(self, angle: T) -> Own {
        let (sina, cosa) = angle.sin_cos();
        Own { x: self.x * cosa + self.z * sina, y: self.y, z: self.x * -sina + self.z * cosa }
    }

    // where N = 3
    fn rotate_z(self, angle: T) -> Own {
        let (sina, cosa) = angle.sin_cos();
        Own { x: self.x * cosa - self.y * sina, y: self.x * sina + self.y * cosa, z: self.z }
    }

    fn min(self, rhs: Own) -> Own {
        Own { @(#: if self.# <= rhs.# { self.# } else { rhs.# }; ,) }
    }

    fn max(self, rhs: Own) -> Own {
        Own { @(#: if self.# >= rhs.# { self.# } else { rhs.# }; ,) }
    }

    fn clamp(self, min: Own, max: Own) -> Own {
        self.max(min).min(max)
    }

    fn saturate(self) -> Own {
        self.max(Own::ZERO).min(Own::ONE)
    }

    fn min_element(self) -> T {
        let mut least = self.x;
        @(least = least.min(self.#); ;);
        least
    }

    fn max_element(self) -> T {
        let mut most = self.x;
        @(most = most.max(self.#); ;);
        most
    }

    fn element_sum(self) -> T {
        @(self.#; +)
    }

    fn element_product(self) -> T {
        @(self.#; *)
    }

    fn abs(self) -> Own {
        Own { @(#: self.#.abs(); ,) }
    }

    fn signum(self) -> Own {
        Own { @(#: self.#.signum(); ,) }
    }

    fn copysign(self, rhs: Own) -> Own {
        Own { @(#: self.#.copysign(rhs.#); ,) }
    }

    fn round(self) -> Own {
        Own { @(#: self.#.round(); ,) }
    }

    fn floor(self) -> Own {
        Own { @(#: self.#.floor(); ,) }
    }

    fn ceil(self) -> Own {
        Own { @(#: self.#.ceil(); ,) }
    }

    fn trunc(self) -> Own {
        Own { @(#: self.#.trunc(); ,) }
    }

    fn fract(self) -> Own {
        self - self.trunc()
    }

    fn fract_gl(self) -> Own {
        self - self.floor()
    }

    fn exp(self) -> Own {
        Own { @(#: self.#.exp(); ,) }
    }

    fn exp2(self) -> Own {
        Own { @(#: self.#.exp2(); ,) }
    }

    fn ln(self) -> Own {
        Own { @(#: self.#.ln(); ,) }
    }

    fn log2(self) -> Own {
        Own { @(#: self.#.log2(); ,) }
    }

    fn powf(self, n: T) -> Own {
        Own { @(#: self.#.powf(n); ,) }
    }

    fn sqrt(self) -> Own {
        Own { @(#: self.#.sqrt(); ,) }
    }

    fn sin(self) -> Own {
        Own { @(#: self.#.sin(); ,) }
    }

    fn cos(self) -> Own {
        Own { @(#: self.#.cos(); ,) }
    }

    fn sin_cos(self) -> (Own, Own) {
        (Own { @(#: self.#.sin(); ,) }, Own { @(#: self.#.cos(); ,) })
    }

    fn recip(self) -> Own {
        Own { @(#: 1.0 / self.#; ,) }
    }

    fn mul_add(self, a: Own, b: Own) -> Own {
        Own { @(#: self.#.mul_add(a.#, b.#); ,) }
    }

    fn is_finite(self) -> bool {
        @(self.#.is_finite(); &&)
    }

    fn is_nan(self) -> bool {
        @(self.#.is_nan(); ||)
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

    fn distance(self, rhs: Own) -> T {
        (self - rhs).length()
    }

    fn distance_squared(self, rhs: Own) -> T {
        (self - rhs).length_squared()
    }

    fn normalize(self) -> Own {
        self * self.length_recip()
    }

    fn try_normalize(self) -> Option<Own> {
        let rcp = self.length_recip();
        if rcp.is_finite() && rcp > 0.0 { Some(self * rcp) } else { None }
    }

    fn normalize_or(self, fallback: Own) -> Own {
        let rcp = self.length_recip();
        if rcp.is_finite() && rcp > 0.0 { self * rcp } else { fallback }
    }

    fn normalize_or_zero(self) -> Own {
        self.normalize_or(Own::ZERO)
    }

    fn is_normalized(self) -> bool {
        (self.length_squared() - 1.0).abs() <= 2e-4
    }

    fn project_onto(self, rhs: Own) -> Own {
        rhs * (self.dot(rhs) / rhs.dot(rhs))
    }

    fn reject_from(self, rhs: Own) -> Own {
        self - self.project_onto(rhs)
    }

    fn project_onto_normalized(self, rhs: Own) -> Own {
        rhs * self.dot(rhs)
    }

    fn reject_from_normalized(self, rhs: Own) -> Own {
        self - self.project_onto_normalized(rhs)
    }

    fn reflect(self, normal: Own) -> Own {
        self - normal * (2.0 * self.dot(normal))
    }

    fn refract(self, normal: Own, eta: T) -> Own {
        let n_dot_i = normal.dot(self);
        let k = 1.0 - eta * eta * (1.0 - n_dot_i * n_dot_i);
        if k >= 0.0 { self * eta - normal * (eta * n_dot_i + k.sqrt()) } else { Own::ZERO }
    }

    fn lerp(self, rhs: Own, s: T) -> Own {
        self * (1.0 - s) + rhs * s
    }

    fn midpoint(self, rhs: Own) -> Own {
        (self + rhs) * 0.5
    }

    fn move_towards(self, rhs: Own, d: T) -> Own {
        let a = rhs - self;
        let len = a.length();
        if len <= d || len <= 1e-4 { rhs } else { self + a / len * d }
    }

    fn clamp_length(self, min: T, max: T) -> Own {
        let length_sq = self.length_squared();
        if length_sq < min * min {
            self / length_sq.sqrt() * min
        } else if length_sq > max * max {
            self / length_sq.sqrt() * max
        } else {
            self
        }
    }

    fn clamp_length_max(self, max: T) -> Own {
        let length_sq = self.length_squared();
        if length_sq > max * max { self / length_sq.sqrt() * max } else { self }
    }

    fn clamp_length_min(self, min: T) -> Own {
        let length_sq = self.length_squared();
        if length_sq < min * min { self / length_sq.sqrt() * min } else { self }
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

impl Add<T> for Own {
    fn add(self, rhs: T) -> Own {
        Own { @(#: self.# + rhs; ,) }
    }
}

impl Add<Own> for T {
    fn add(self, rhs: Own) -> Own {
        Own { @(#: self + rhs.#; ,) }
    }
}

impl AddAssign<Own> for Own {
    fn add_assign(&mut self, rhs: Own) {
        @(self.# += rhs.#; ;);
    }
}

impl AddAssign<T> for Own {
    fn add_assign(&mut self, rhs: T) {
        @(self.# += rhs; ;);
    }
}

impl Sub<Own> for Own {
    fn sub(self, rhs: Own) -> Own {
        Own { @(#: self.# - rhs.#; ,) }
    }
}

impl Sub<T> for Own {
    fn sub(self, rhs: T) -> Own {
        Own { @(#: self.# - rhs; ,) }
    }
}

impl Sub<Own> for T {
    fn sub(self, rhs: Own) -> Own {
        Own { @(#: self - rhs.#; ,) }
    }
}

impl SubAssign<Own> for Own {
    fn sub_assign(&mut self, rhs: Own) {
        @(self.# -= rhs.#; ;);
    }
}

impl SubAssign<T> for Own {
    fn sub_assign(&mut self, rhs: T) {
        @(self.# -= rhs; ;);
    }
}

impl Mul<Own> for Own {
    fn mul(self, rhs: Own) -> Own {
        Own { @(#: self.# * rhs.#; ,) }
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
        @(self.# *= rhs.#; ;);
    }
}

impl MulAssign<T> for Own {
    fn mul_assign(&mut self, rhs: T) {
        @(self.# *= rhs; ;);
    }
}

impl Div<Own> for Own {
    fn div(self, rhs: Own) -> Own {
        Own { @(#: self.# / rhs.#; ,) }
    }
}

impl Div<T> for Own {
    fn div(self, rhs: T) -> Own {
        Own { @(#: self.# / rhs; ,) }
    }
}

impl Div<Own> for T {
    fn div(self, rhs: Own) -> Own {
        Own { @(#: self / rhs.#; ,) }
    }
}

impl DivAssign<Own> for Own {
    fn div_assign(&mut self, rhs: Own) {
        @(self.# /= rhs.#; ;);
    }
}

impl DivAssign<T> for Own {
    fn div_assign(&mut self, rhs: T) {
        @(self.# /= rhs; ;);
    }
}

impl Sum<Own> for Own {
    fn sum<I: Iterator<Item = Own>>(iter: I) -> Own {
        iter.fold(Own::ZERO, |a, b| a + b)
    }
}

impl Product<Own> for Own {
    fn product<I: Iterator<Item = Own>>(iter: I) -> Own {
        iter.fold(Own::ONE, |a, b| a * b)
    }
}

impl From<[T; N]> for Own {
    fn from(a: [T; N]) -> Own {
        Own::from_array(a)
    }
}
