//! The residuals of ADBench's bundle adjustment and hand tracking, for floats and for dual numbers alike.

#![allow(
    clippy::needless_range_loop,
    clippy::too_many_arguments,
    reason = "kernels as numerical programmers write them"
)]

use pardiff::differentiate;

/// Residuals over any kind of number, and their derivatives over floats.
#[differentiate]
pub mod adbench {
    use std::ops::{Add, Mul, Neg, Sub};

    /// What residuals are computed with: `f64`, or a dual number over it.
    pub trait Number:
        Copy
        + Neg<Output = Self>
        + Add<Output = Self>
        + Sub<Output = Self>
        + Mul<Output = Self>
        + Add<f64, Output = Self>
        + Sub<f64, Output = Self>
        + Mul<f64, Output = Self>
    {
        /// A constant.
        fn constant(value: f64) -> Self;
        /// `1 / x`.
        fn inverse(self) -> Self;
        /// The square root.
        fn root(self) -> Self;
        /// Sine and cosine.
        fn turned(self) -> (Self, Self);
        /// Whether it is zero.
        fn vanishes(self) -> bool;
    }

    impl Number for f64 {
        fn constant(value: f64) -> f64 {
            value
        }

        fn inverse(self) -> f64 {
            1.0 / self
        }

        fn root(self) -> f64 {
            self.sqrt()
        }

        fn turned(self) -> (f64, f64) {
            self.sin_cos()
        }

        fn vanishes(self) -> bool {
            self == 0.0
        }
    }

    /// How far a camera sees a point from where it was measured, and how far the weight of the observation is
    /// from one.
    pub fn observation<T: Number>(c: &[T; 11], x: &[T; 3], weight: T, feature: &[f64; 2]) -> [T; 3] {
        let o = [x[0] - c[3], x[1] - c[4], x[2] - c[5]];
        let square = c[0] * c[0] + c[1] * c[1] + c[2] * c[2];
        let mut r = [T::constant(0.0); 3];
        if square.vanishes() {
            r[0] = o[0] + c[1] * o[2] - c[2] * o[1];
            r[1] = o[1] + c[2] * o[0] - c[0] * o[2];
            r[2] = o[2] + c[0] * o[1] - c[1] * o[0];
        } else {
            let theta = square.root();
            let (sin, cos) = theta.turned();
            let inverse = theta.inverse();
            let w = [c[0] * inverse, c[1] * inverse, c[2] * inverse];
            let cross = [w[1] * o[2] - w[2] * o[1], w[2] * o[0] - w[0] * o[2], w[0] * o[1] - w[1] * o[0]];
            let along = (w[0] * o[0] + w[1] * o[1] + w[2] * o[2]) * (-cos + 1.0);
            for k in 0..3 {
                r[k] = o[k] * cos + cross[k] * sin + w[k] * along;
            }
        }
        let depth = r[2].inverse();
        let (u, v) = (r[0] * depth, r[1] * depth);
        let r2 = u * u + v * v;
        let distortion = c[9] * r2 + c[10] * r2 * r2 + 1.0;
        let u = u * distortion * c[6] + c[7];
        let v = v * distortion * c[6] + c[8];
        [weight * (u - feature[0]), weight * (v - feature[1]), -(weight * weight) + 1.0]
    }

    /// The same of observations that have a camera and a point each.
    #[differentiate(with(T = f64), wrt(cameras, points, weights))]
    pub fn observations<T: Number>(
        cameras: &[[T; 11]],
        points: &[[T; 3]],
        weights: &[T],
        features: &[[f64; 2]],
        errors: &mut [[T; 3]],
    ) {
        for i in 0..errors.len() {
            errors[i] = observation(&cameras[i], &points[i], weights[i], &features[i]);
        }
    }

    /// The 22 bones of a hand at rest.
    pub struct Bones {
        /// Where a bone is relative to its parent: a transformation, by rows.
        pub base: [[[f64; 4]; 4]; 22],
        /// The transformation from the model to the bone.
        pub inverse: [[[f64; 4]; 4]; 22],
        /// An earlier bone, or -1.
        pub parent: [i32; 22],
    }

    /// The first three rows of the product of two transformations.
    fn product<T: Number>(a: &[[T; 4]; 3], b: &[[T; 4]; 3]) -> [[T; 4]; 3] {
        let mut c = [[T::constant(0.0); 4]; 3];
        for i in 0..3 {
            for j in 0..4 {
                c[i][j] = a[i][0] * b[0][j] + a[i][1] * b[1][j] + a[i][2] * b[2][j];
            }
            c[i][3] = c[i][3] + a[i][3];
        }
        c
    }

    /// How a posed hand moves its skin.
    pub struct Pose<T> {
        moving: [[[T; 4]; 3]; 22],
        turn: [[T; 3]; 3],
        shift: [T; 3],
    }

    /// What a pose does to the bones.
    pub fn pose<T: Number>(theta: &[T; 26], bones: &Bones) -> Pose<T> {
        let zero = T::constant(0.0);
        let one = T::constant(1.0);
        let mut angles = [[zero; 3]; 22];
        let mut next = 6;
        for finger in 0..5 {
            for joint in 0..3 {
                let bone = 2 + 4 * finger + joint;
                angles[bone][0] = theta[next];
                next += 1;
                if joint == 0 {
                    angles[bone][1] = theta[next];
                    next += 1;
                }
            }
        }
        let mut absolute = [[[zero; 4]; 3]; 22];
        let mut moving = [[[zero; 4]; 3]; 22];
        for bone in 0..22 {
            let (sx, cx) = angles[bone][0].turned();
            let (sy, cy) = angles[bone][2].turned();
            let (sz, cz) = angles[bone][1].turned();
            let turn = [
                [cz * cy, cz * sy * sx - sz * cx, cz * sy * cx + sz * sx],
                [sz * cy, sz * sy * sx + cz * cx, sz * sy * cx - cz * sx],
                [-sy, cy * sx, cy * cx],
            ];
            let mut relative = [[zero; 4]; 3];
            for i in 0..3 {
                let base = bones.base[bone][i];
                for j in 0..3 {
                    relative[i][j] = turn[0][j] * base[0] + turn[1][j] * base[1] + turn[2][j] * base[2];
                }
                relative[i][3] = T::constant(base[3]);
            }
            absolute[bone] = if bones.parent[bone] < 0 {
                relative
            } else {
                product(&absolute[bones.parent[bone] as usize], &relative)
            };
            for i in 0..3 {
                let a = absolute[bone][i];
                for j in 0..4 {
                    let inverse = bones.inverse[bone];
                    moving[bone][i][j] = a[0] * inverse[0][j] + a[1] * inverse[1][j] + a[2] * inverse[2][j];
                }
                moving[bone][i][3] = moving[bone][i][3] + a[3];
            }
        }
        let square = theta[0] * theta[0] + theta[1] * theta[1] + theta[2] * theta[2];
        let mut turn = [[one, zero, zero], [zero, one, zero], [zero, zero, one]];
        if !square.vanishes() {
            let angle = square.root();
            let inverse = angle.inverse();
            let axis = [theta[0] * inverse, theta[1] * inverse, theta[2] * inverse];
            let (sin, cos) = angle.turned();
            let cross = [[zero, -axis[2], axis[1]], [axis[2], zero, -axis[0]], [-axis[1], axis[0], zero]];
            for i in 0..3 {
                for j in 0..3 {
                    turn[i][j] = turn[i][j] * cos + axis[i] * axis[j] * (-cos + 1.0) + cross[i][j] * sin;
                }
            }
        }
        Pose { moving, turn, shift: [theta[3], theta[4], theta[5]] }
    }

    /// Where a corner of the skin is.
    pub fn skinned<T: Number>(pose: &Pose<T>, vertex: &[f64; 3], weights: &[f64; 22]) -> [T; 3] {
        let mut x = [T::constant(0.0); 3];
        for bone in 0..22 {
            let m = &pose.moving[bone];
            for a in 0..3 {
                let at = m[a][0] * vertex[0] + m[a][1] * vertex[1] + m[a][2] * vertex[2] + m[a][3];
                x[a] = x[a] + at * weights[bone];
            }
        }
        let mut at = pose.shift;
        for a in 0..3 {
            at[a] = at[a] + pose.turn[a][0] * x[0] + pose.turn[a][1] * x[1] + pose.turn[a][2] * x[2];
        }
        at
    }

    /// How far the skin of a posed hand is from measured points, `errors[i]` for each of them, where the vertices that
    /// belong to them are known.
    #[differentiate(with(T = f64), forward, batch(13), wrt(theta))]
    pub fn simple<T: Number>(
        theta: &[T; 26],
        bones: &Bones,
        vertices: &[[f64; 3]],
        weights: &[[f64; 22]],
        points: &[[f64; 3]],
        vertex_of: &[u32],
        errors: &mut [[T; 3]],
    ) {
        let pose = pose(theta, bones);
        for i in 0..points.len() {
            let v = vertex_of[i] as usize;
            let at = skinned(&pose, &vertices[v], &weights[v]);
            for k in 0..3 {
                errors[i][k] = -at[k] + points[i][k];
            }
        }
    }

    /// The same where points lie in triangles of the skin, at two of three barycentric coordinates each.
    #[differentiate(with(T = f64), forward, batch(14), wrt(theta, within))]
    pub fn complicated<T: Number>(
        theta: &[T; 26],
        within: &[[T; 2]],
        bones: &Bones,
        vertices: &[[f64; 3]],
        weights: &[[f64; 22]],
        triangles: &[[u32; 3]],
        points: &[[f64; 3]],
        triangle_of: &[u32],
        errors: &mut [[T; 3]],
    ) {
        let pose = pose(theta, bones);
        let mut skin = vec![[T::constant(0.0); 3]; vertices.len()];
        for v in 0..vertices.len() {
            skin[v] = skinned(&pose, &vertices[v], &weights[v]);
        }
        for i in 0..points.len() {
            let [a, b, c] = triangles[triangle_of[i] as usize];
            let [u, v] = within[i];
            let w = -u - v + 1.0;
            for k in 0..3 {
                let at = u * skin[a as usize][k] + v * skin[b as usize][k] + w * skin[c as usize][k];
                errors[i][k] = -at + points[i][k];
            }
        }
    }
}
