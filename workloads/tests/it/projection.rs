//! The camera projection, in both forms.

use crate::assert_close;
use pardiff_workloads::by_hand;
use pardiff_workloads::data::Lcg;
use pardiff_workloads::projection::projection;
use pardiff_workloads::projection_scalars::projection_scalars;

#[test]
fn both_forms_have_the_gradient_by_hand() {
    let mut random = Lcg(3);
    for _ in 0..20 {
        let mut camera: [f64; 11] = std::array::from_fn(|_| random.float(-0.5, 0.5));
        camera[6] += 400.0;
        let point = [random.float(-1.0, 1.0), random.float(-1.0, 1.0), random.float(-4.0, -2.0)];
        let (weight, feature) = (random.float(0.1, 1.0), [random.float(-9.0, 9.0), random.float(-9.0, 9.0)]);

        let (mut h_camera, mut h_point, mut h_weight) = ([0.0; 11], [0.0; 3], 0.0);
        let value = by_hand::projection(
            &camera,
            &mut h_camera,
            &point,
            &mut h_point,
            weight,
            &mut h_weight,
            &feature,
        );
        let by_hand: Vec<f64> = h_camera.into_iter().chain(h_point).chain([h_weight]).collect();

        let (mut d_camera, mut d_point, mut d_weight) = ([0.0; 11], [0.0; 3], 0.0);
        let generated =
            projection::grad(&camera, &mut d_camera, &point, &mut d_point, weight, &mut d_weight, &feature);
        let gradient: Vec<f64> = d_camera.into_iter().chain(d_point).chain([d_weight]).collect();
        assert_close("value", &[generated], &[value], 1e-12);
        assert_close("gradient", &gradient, &by_hand, 1e-9);

        let [r0, r1, r2, c0, c1, c2, focal, u0, v0, k1, k2] = camera;
        let [x0, x1, x2] = point;
        let (generated, g) = projection_scalars::gradient(
            r0, r1, r2, c0, c1, c2, focal, u0, v0, k1, k2, x0, x1, x2, weight, &feature,
        );
        let gradient =
            [g.r0, g.r1, g.r2, g.c0, g.c1, g.c2, g.focal, g.u0, g.v0, g.k1, g.k2, g.x0, g.x1, g.x2, g.weight];
        assert_close("value of scalars", &[generated], &[value], 1e-12);
        assert_close("gradient of scalars", &gradient, &by_hand, 1e-9);
    }
}
