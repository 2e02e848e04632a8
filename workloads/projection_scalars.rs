//! The camera projection with every number an argument of its own.

use pardiff::differentiate;

/// As [`projection`](fn@super::projection::projection), with fifteen scalar arguments and the feature.
#[differentiate(wrt(r0, r1, r2, c0, c1, c2, focal, u0, v0, k1, k2, x0, x1, x2, weight))]
#[allow(clippy::too_many_arguments)]
pub fn projection_scalars(
    r0: f64,
    r1: f64,
    r2: f64,
    c0: f64,
    c1: f64,
    c2: f64,
    focal: f64,
    u0: f64,
    v0: f64,
    k1: f64,
    k2: f64,
    x0: f64,
    x1: f64,
    x2: f64,
    weight: f64,
    feature: &[f64; 2],
) -> f64 {
    let (o0, o1, o2) = (x0 - c0, x1 - c1, x2 - c2);
    let theta = (r0 * r0 + r1 * r1 + r2 * r2).sqrt();
    let (sin, cos) = theta.sin_cos();
    let (w0, w1, w2) = (r0 / theta, r1 / theta, r2 / theta);
    let along = (w0 * o0 + w1 * o1 + w2 * o2) * (1.0 - cos);
    let rx = o0 * cos + (w1 * o2 - w2 * o1) * sin + w0 * along;
    let ry = o1 * cos + (w2 * o0 - w0 * o2) * sin + w1 * along;
    let rz = o2 * cos + (w0 * o1 - w1 * o0) * sin + w2 * along;
    let (u, v) = (rx / rz, ry / rz);
    let square = u * u + v * v;
    let distortion = 1.0 + k1 * square + k2 * square * square;
    let e0 = weight * (u * distortion * focal + u0 - feature[0]);
    let e1 = weight * (v * distortion * focal + v0 - feature[1]);
    0.5 * (e0 * e0 + e1 * e1)
}
