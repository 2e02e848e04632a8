//! One observation of bundle adjustment: too small for tasks or scratch memory.

use pardiff::differentiate;

/// Half the weighted squared distance between where a camera sees a point and where the picture shows it.
///
/// Fifteen numbers to differentiate by: `camera` (rotation vector 3, centre 3, focal length, principal point 2, radial
/// distortion 2), `point` and `weight`.
#[differentiate(wrt(camera, point, weight))]
pub fn projection(camera: &[f64; 11], point: &[f64; 3], weight: f64, feature: &[f64; 2]) -> f64 {
    let o = [point[0] - camera[3], point[1] - camera[4], point[2] - camera[5]];
    let theta = (camera[0] * camera[0] + camera[1] * camera[1] + camera[2] * camera[2]).sqrt();
    let (sin, cos) = theta.sin_cos();
    let w = [camera[0] / theta, camera[1] / theta, camera[2] / theta];
    let cross = [w[1] * o[2] - w[2] * o[1], w[2] * o[0] - w[0] * o[2], w[0] * o[1] - w[1] * o[0]];
    let along = (w[0] * o[0] + w[1] * o[1] + w[2] * o[2]) * (1.0 - cos);
    let rx = o[0] * cos + cross[0] * sin + w[0] * along;
    let ry = o[1] * cos + cross[1] * sin + w[1] * along;
    let rz = o[2] * cos + cross[2] * sin + w[2] * along;
    let (u, v) = (rx / rz, ry / rz);
    let r2 = u * u + v * v;
    let distortion = 1.0 + camera[9] * r2 + camera[10] * r2 * r2;
    let e0 = weight * (u * distortion * camera[6] + camera[7] - feature[0]);
    let e1 = weight * (v * distortion * camera[6] + camera[8] - feature[1]);
    0.5 * (e0 * e0 + e1 * e1)
}
