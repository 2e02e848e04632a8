//! Projection of points by a camera with rotation vector and radial distortion, as in bundle adjustment.

use pardiff::differentiate;
use pardiff_programs::{check, random};

#[differentiate]
pub fn residual(camera: &[f64; 9], point: &[f64; 3], feature: &[f64; 2], out: &mut [f64; 2]) {
    let r = [camera[0], camera[1], camera[2]];
    let theta2 = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
    let mut p = [0.0; 3];
    if theta2 > 0.0 {
        let theta = theta2.sqrt();
        let (sin, cos) = (theta.sin(), theta.cos());
        let w = [r[0] / theta, r[1] / theta, r[2] / theta];
        let cross = [
            w[1] * point[2] - w[2] * point[1],
            w[2] * point[0] - w[0] * point[2],
            w[0] * point[1] - w[1] * point[0],
        ];
        let along = (w[0] * point[0] + w[1] * point[1] + w[2] * point[2]) * (1.0 - cos);
        for k in 0..3 {
            p[k] = point[k] * cos + cross[k] * sin + w[k] * along;
        }
    } else {
        p.copy_from_slice(point);
    }
    for k in 0..3 {
        p[k] += camera[3 + k];
    }
    let (x, y) = (-p[0] / p[2], -p[1] / p[2]);
    let d2 = x * x + y * y;
    let distortion = 1.0 + d2 * (camera[7] + camera[8] * d2);
    out[0] = camera[6] * distortion * x - feature[0];
    out[1] = camera[6] * distortion * y - feature[1];
}

#[test]
fn jacobian_row_by_row() {
    for rotated in [true, false] {
        let mut camera: [f64; 9] = random(1, 9).try_into().unwrap();
        if !rotated {
            camera[..3].fill(0.0);
        }
        camera[5] += 4.0;
        let point = [0.3, -0.6, 1.1];
        for row in 0..2 {
            let (mut d_camera, mut d_point, mut d_feature) = ([0.0; 9], [0.0; 3], [0.0; 2]);
            let (mut out, mut d_out) = ([0.0; 2], [0.0; 2]);
            d_out[row] = 1.0;
            residual::vjp(
                &camera,
                &mut d_camera,
                &point,
                &mut d_point,
                &[0.1, 0.2],
                &mut d_feature,
                &mut out,
                &mut d_out,
            );
            let run = |v: &[Vec<f64>]| {
                let mut out = [0.0; 2];
                let camera: [f64; 9] = v[0].clone().try_into().unwrap();
                residual(&camera, &[v[1][0], v[1][1], v[1][2]], &[0.1, 0.2], &mut out);
                out[row]
            };
            if rotated {
                check(run, &[&camera, &point], &[&d_camera, &d_point]);
            } else {
                // the branch that was taken does not depend on the rotation
                assert_eq!(d_camera[..3], [0.0; 3]);
                check(|v| run(&[camera.to_vec(), v[0].clone()]), &[&point], &[&d_point]);
            }
            assert_eq!(d_feature[row], -1.0);
        }
    }
}
