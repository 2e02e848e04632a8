//! Bundle adjustment as ADBench defines it: how well cameras and points explain the pictures of the points.

use pardiff::differentiate;

/// Half the sum of the squared reprojection errors, each scaled by the weight of its observation, and of
/// `(1 - w^2)^2` over the weights.
///
/// Shapes: `cameras` has rows of 11 (rotation vector 3, centre 3, focal length, principal point 2, radial distortion 2),
/// `points` rows of 3, `features` rows of 2; `weights`, `camera_of` and `point_of` have one entry an observation.
#[differentiate(wrt(cameras, points, weights))]
pub fn ba(
    cameras: &[f64],
    points: &[f64],
    weights: &[f64],
    features: &[f64],
    camera_of: &[u32],
    point_of: &[u32],
) -> f64 {
    /// Where a camera sees a point.
    fn project(c: &[f64], x: &[f64]) -> (f64, f64) {
        let o = [x[0] - c[3], x[1] - c[4], x[2] - c[5]];
        let square = c[0] * c[0] + c[1] * c[1] + c[2] * c[2];
        let mut r = [0.0; 3];
        if square != 0.0 {
            let theta = square.sqrt();
            let (sin, cos) = (theta.sin(), theta.cos());
            let inverse = 1.0 / theta;
            let w = [c[0] * inverse, c[1] * inverse, c[2] * inverse];
            let cross = [w[1] * o[2] - w[2] * o[1], w[2] * o[0] - w[0] * o[2], w[0] * o[1] - w[1] * o[0]];
            let along = (w[0] * o[0] + w[1] * o[1] + w[2] * o[2]) * (1.0 - cos);
            for k in 0..3 {
                r[k] = o[k] * cos + cross[k] * sin + w[k] * along;
            }
        } else {
            r[0] = o[0] + c[1] * o[2] - c[2] * o[1];
            r[1] = o[1] + c[2] * o[0] - c[0] * o[2];
            r[2] = o[2] + c[0] * o[1] - c[1] * o[0];
        }
        let (u, v) = (r[0] / r[2], r[1] / r[2]);
        let r2 = u * u + v * v;
        let distortion = 1.0 + c[9] * r2 + c[10] * r2 * r2;
        (u * distortion * c[6] + c[7], v * distortion * c[6] + c[8])
    }

    let mut total = 0.0;
    for i in 0..weights.len() {
        let (a, b) = (camera_of[i] as usize, point_of[i] as usize);
        let (u, v) = project(&cameras[11 * a..11 * a + 11], &points[3 * b..3 * b + 3]);
        let e0 = weights[i] * (u - features[2 * i]);
        let e1 = weights[i] * (v - features[2 * i + 1]);
        let e2 = 1.0 - weights[i] * weights[i];
        total += 0.5 * (e0 * e0 + e1 * e1 + e2 * e2);
    }
    total
}
