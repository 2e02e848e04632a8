//! Tangents by kernels against those for the CPU.

use crate::gradients::{assert_close, devices, message, numbers};
use ndarray::{Array1, Array2};
use pardiff_cuda_tests as kernels;
use pardiff_cuda_tests::records::{Body, Law, energies};

#[test]
pub(crate) fn of_arrays_and_scalars() {
    for n in [0, 1, 300] {
        let (x, dx) = (numbers(n, 1), numbers(n, 2));
        let (mut y, mut dy) = (numbers(n, 3), numbers(n, 4));
        let (y_in, dy_in) = (y.clone(), dy.clone());
        let (value, tangent) = kernels::elementwise::jvp(&x, &dx, &mut y, &mut dy, 0.75, -0.5);
        for gpu in devices() {
            let (on_x, on_dx) = (gpu.upload(&x).unwrap(), gpu.upload(&dx).unwrap());
            let (mut on_y, mut on_dy) = (gpu.upload(&y_in).unwrap(), gpu.upload(&dy_in).unwrap());
            let call = kernels::elementwise::cuda::jvp;
            let on = call(&gpu, &on_x, &on_dx, &mut on_y, &mut on_dy, 0.75, -0.5).unwrap();
            assert_close("value and tangent", &[on.0, on.1], &[value, tangent], 1e-12);
            assert_close("y", &on_y.download().unwrap(), &y, 1e-13);
            assert_close("dy", &on_dy.download().unwrap(), &dy, 1e-13);
        }
    }
}

#[test]
pub(crate) fn of_sums_through_index_arrays() {
    let n = 400;
    let x: Vec<f32> = numbers(n, 5).iter().map(|&it| it as f32).collect();
    let dx: Vec<f32> = numbers(n, 6).iter().map(|&it| it as f32).collect();
    let to: Vec<usize> = (0..n).map(|i| (i * i + 3) % 37).collect();
    let (mut out, mut d_out) = (vec![0.5; 37], vec![0.25; 37]);
    kernels::scatter::jvp(&x, &dx, &to, &mut out, &mut d_out);
    let wide = |values: &[f32]| values.iter().map(|&it| f64::from(it)).collect::<Vec<_>>();
    for gpu in devices() {
        let (on_x, on_dx, on_to) =
            (gpu.upload(&x).unwrap(), gpu.upload(&dx).unwrap(), gpu.upload(&to).unwrap());
        let (mut on_out, mut on_d_out) = (gpu.upload(&[0.5; 37]).unwrap(), gpu.upload(&[0.25; 37]).unwrap());
        kernels::scatter::cuda::jvp(&gpu, &on_x, &on_dx, &on_to, &mut on_out, &mut on_d_out).unwrap();
        assert_close("out", &wide(&on_out.download().unwrap()), &wide(&out), 1e-5);
        assert_close("d_out", &wide(&on_d_out.download().unwrap()), &wide(&d_out), 1e-5);
    }
}

#[test]
pub(crate) fn of_a_stencil() {
    let n = 20;
    let (x, dx, y) = (numbers(n * n, 7), numbers(n * n, 8), numbers(n * n, 9));
    let (mut out, mut d_out) = (y.clone(), y.clone());
    kernels::smoothed::jvp(&x, &dx, &mut out, &mut d_out, n);
    for gpu in devices() {
        let (on_x, on_dx) = (gpu.upload(&x).unwrap(), gpu.upload(&dx).unwrap());
        let (mut on_out, mut on_d_out) = (gpu.upload(&y).unwrap(), gpu.upload(&y).unwrap());
        kernels::smoothed::cuda::jvp(&gpu, &on_x, &on_dx, &mut on_out, &mut on_d_out, n).unwrap();
        assert_close("out", &on_out.download().unwrap(), &out, 1e-13);
        assert_close("d_out", &on_d_out.download().unwrap(), &d_out, 1e-13);
    }
}

#[test]
pub(crate) fn of_structs_and_arrays_of_ndarray() {
    let bodies = |seed: u64| -> Vec<Body> {
        let all = numbers(4 * 50, seed);
        let body =
            |it: &[f64]| Body { mass: 2.0 + it[0], at: [it[1], it[2], it[3]], kind: (it[0] > 0.0).into() };
        all.chunks(4).map(body).collect()
    };
    let flat = |bodies: &[Body]| -> Vec<f64> {
        bodies.iter().flat_map(|body| [body.mass, body.at[0], body.at[1], body.at[2]]).collect()
    };
    let law = Law { strength: [0.5, 2.0], softening: 1.25 };
    let d_law = Law { strength: [-0.25, 0.5], softening: 0.125 };
    let (mut moved, mut d_moved) = (bodies(10), bodies(11));
    let (value, tangent) = energies::jvp(&mut moved, &mut d_moved, &law, &d_law, 0.125, 0.5);
    let (n, m) = (40, 9);
    let a = Array2::from_shape_vec((n, m), numbers(n * m, 12)).unwrap();
    let d_a = Array2::from_shape_vec((n, m), numbers(n * m, 13)).unwrap();
    let (x, dx) = (Array1::from_vec(numbers(m, 14)), Array1::from_vec(numbers(m, 15)));
    let (y, dy) = (Array1::from_vec(numbers(n, 16)), Array1::from_vec(numbers(n, 17)));
    let (mut out, mut d_out) = (y.clone(), dy.clone());
    let of_layer =
        kernels::layer::jvp(a.view(), d_a.view(), &x, &dx, &mut out, &mut d_out, [0.5, 2.0], [1.0, -1.0]);
    for gpu in devices() {
        let (mut on, mut d_on) = (bodies(10), bodies(11));
        let found = energies::cuda::jvp(&gpu, &mut on, &mut d_on, &law, &d_law, 0.125, 0.5).unwrap();
        assert_close("energies", &[found.0, found.1].concat(), &[value, tangent].concat(), 1e-12);
        assert_close("bodies", &flat(&on), &flat(&moved), 1e-13);
        assert_close("tangents of bodies", &flat(&d_on), &flat(&d_moved), 1e-13);
        let (mut on, mut d_on) = (y.clone(), dy.clone());
        let call = kernels::layer::cuda::jvp;
        let found = call(&gpu, a.view(), d_a.view(), &x, &dx, &mut on, &mut d_on, [0.5, 2.0], [1.0, -1.0]);
        let ((total, parts), (d_total, d_parts)) = found.unwrap();
        let ((expected, of_parts), (d_expected, d_of_parts)) = of_layer;
        assert_close("totals", &[total, d_total], &[expected, d_expected], 1e-12);
        assert_close("parts", &[parts, d_parts].concat(), &[of_parts, d_of_parts].concat(), 1e-12);
        assert_close("d_y", d_on.as_slice().unwrap(), d_out.as_slice().unwrap(), 1e-12);
    }
}

#[test]
pub(crate) fn of_wrong_lengths_there_are_none() {
    for gpu in devices() {
        let [x, dx] = [3, 2].map(|n| gpu.upload(&numbers(n, 18)).unwrap());
        let (mut y, mut dy) = (gpu.zeros(3).unwrap(), gpu.zeros(3).unwrap());
        let said = message(|| {
            let _ = kernels::elementwise::cuda::jvp(&gpu, &x, &dx, &mut y, &mut dy, 1.0, 0.0);
        });
        assert!(said.contains("tangent") && said.contains("elementwise"), "{said}");
    }
}
