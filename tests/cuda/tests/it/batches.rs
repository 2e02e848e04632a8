//! Several directions and seeds at once, by kernels against those for the CPU.

use crate::gradients::{assert_close, devices, message, numbers};
use ndarray::{Array1, Array2, Array3};
use pardiff_cuda_tests as kernels;
use pardiff_cuda_tests::records::{Body, Law, energies};

fn threes(n: usize, seed: u64) -> Vec<[f64; 3]> {
    numbers(3 * n, seed).as_chunks().0.to_vec()
}

#[test]
pub(crate) fn of_arrays_and_scalars() {
    for n in [0, 1, 300] {
        let (x, y, dx, dy) = (numbers(n, 1), numbers(n, 2), threes(n, 3), threes(n, 4));
        let (scales, seed) = ([0.5, -1.0, 2.0], [1.0, 0.0, -0.5]);
        let (mut forth, mut d_forth) = (y.clone(), dy.clone());
        let (value, tangents) =
            kernels::elementwise::jvp_batch(&x, &dx, &mut forth, &mut d_forth, 0.75, scales);
        let (mut back, mut d_x, mut d_y, mut d_scale) = (y.clone(), dx.clone(), dy.clone(), scales);
        kernels::elementwise::vjp_batch(&x, &mut d_x, &mut back, &mut d_y, 0.75, &mut d_scale, seed);
        for gpu in devices() {
            let (on_x, on_dx) = (gpu.upload(&x).unwrap(), gpu.upload(&dx).unwrap());
            let (mut on_y, mut on_dy) = (gpu.upload(&y).unwrap(), gpu.upload(&dy).unwrap());
            let call = kernels::elementwise::cuda::jvp_batch;
            let found = call(&gpu, &on_x, &on_dx, &mut on_y, &mut on_dy, 0.75, scales).unwrap();
            assert_close("value", &[found.0], &[value], 1e-12);
            assert_close("tangents", &found.1, &tangents, 1e-12);
            assert_close("y", &on_y.download().unwrap(), &forth, 1e-13);
            assert_close("dy", on_dy.download().unwrap().as_flattened(), d_forth.as_flattened(), 1e-13);
            let (mut on_y, mut on_d_x) = (gpu.upload(&y).unwrap(), on_dx);
            let (mut on_d_y, mut on_d_scale) = (gpu.upload(&dy).unwrap(), scales);
            let call = kernels::elementwise::cuda::vjp_batch;
            let of = call(&gpu, &on_x, &mut on_d_x, &mut on_y, &mut on_d_y, 0.75, &mut on_d_scale, seed);
            assert_close("value", &[of.unwrap()], &[value], 1e-12);
            assert_close("d_x", on_d_x.download().unwrap().as_flattened(), d_x.as_flattened(), 1e-13);
            assert_close("d_y", on_d_y.download().unwrap().as_flattened(), d_y.as_flattened(), 1e-13);
            assert_close("d_scale", &on_d_scale, &d_scale, 1e-12);
        }
    }
}

#[test]
pub(crate) fn of_structs() {
    let body = |it: &[f64]| Body { mass: 2.0 + it[0], at: [it[1], it[2], it[3]], kind: (it[0] > 0.0).into() };
    let bodies = |n: usize, seed: u64| -> Vec<Body> { numbers(4 * n, seed).chunks(4).map(body).collect() };
    let batch = |seed: u64| -> Vec<[Body; 3]> {
        let all = bodies(150, seed);
        all.chunks(3).map(|it| std::array::from_fn(|w| it[w].clone())).collect()
    };
    let flat = |bodies: &mut dyn Iterator<Item = &Body>| -> Vec<f64> {
        bodies.flat_map(|body| [body.mass, body.at[0], body.at[1], body.at[2]]).collect()
    };
    let of_laws = |laws: &[Law; 3]| laws.each_ref().map(|it| [it.strength[0], it.strength[1], it.softening]);
    let law = Law { strength: [0.5, 2.0], softening: 1.25 };
    let laws = || [0.25, 0.5, 1.0].map(|s| Law { strength: [s, -s], softening: 0.5 * s });
    let (steps, seed) = ([0.5, -1.0, 2.0], [[1.0, 0.0, -0.5], [0.25, 1.0, 0.0]]);
    let (mut forth, mut d_forth) = (bodies(50, 10), batch(11));
    let (value, tangents) = energies::jvp_batch(&mut forth, &mut d_forth, &law, &laws(), 0.125, steps);
    let (mut back, mut d_bodies, mut d_law, mut d_step) = (bodies(50, 10), batch(11), laws(), steps);
    energies::vjp_batch(&mut back, &mut d_bodies, &law, &mut d_law, 0.125, &mut d_step, seed);
    for gpu in devices() {
        let (mut on, mut d_on) = (bodies(50, 10), batch(11));
        let call = energies::cuda::jvp_batch;
        let found = call(&gpu, &mut on, &mut d_on, &law, &laws(), 0.125, steps).unwrap();
        assert_close("energies", &found.0, &value, 1e-12);
        assert_close("tangents", found.1.as_flattened(), tangents.as_flattened(), 1e-12);
        let expected = flat(&mut d_forth.as_flattened().iter());
        assert_close("tangents of bodies", &flat(&mut d_on.as_flattened().iter()), &expected, 1e-13);
        let (mut on, mut d_on, mut on_law, mut on_step) = (bodies(50, 10), batch(11), laws(), steps);
        let call = energies::cuda::vjp_batch;
        let found = call(&gpu, &mut on, &mut d_on, &law, &mut on_law, 0.125, &mut on_step, seed).unwrap();
        assert_close("energies", &found, &value, 1e-12);
        assert_close("bodies", &flat(&mut on.iter()), &flat(&mut back.iter()), 1e-13);
        let expected = flat(&mut d_bodies.as_flattened().iter());
        assert_close("adjoints of bodies", &flat(&mut d_on.as_flattened().iter()), &expected, 1e-13);
        let (ours, expected) = (of_laws(&on_law), of_laws(&d_law));
        assert_close("adjoints of laws", ours.as_flattened(), expected.as_flattened(), 1e-12);
        assert_close("d_step", &on_step, &d_step, 1e-12);
    }
}

#[test]
pub(crate) fn of_arrays_of_ndarray() {
    let (n, m) = (40, 9);
    let a = Array2::from_shape_vec((n, m), numbers(n * m, 12)).unwrap();
    let d_a = Array3::from_shape_vec((n, m, 3), numbers(3 * n * m, 13)).unwrap();
    let (x, y) = (Array1::from_vec(numbers(m, 14)), Array1::from_vec(numbers(n, 16)));
    let dx = Array2::from_shape_vec((m, 3), numbers(3 * m, 15)).unwrap();
    let dy = Array2::from_shape_vec((n, 3), numbers(3 * n, 17)).unwrap();
    let (w, d_w) = ([0.5, 2.0], [[1.0, 0.0, 0.5], [-1.0, 0.25, 0.0]]);
    let seed = ([1.0, 0.0, -0.5], [[0.25, 1.0, 0.0], [0.0, -1.0, 2.0]]);
    let (mut forth, mut d_forth) = (y.clone(), dy.clone());
    let (_, tangents) =
        kernels::layer::jvp_batch(a.view(), d_a.view(), &x, &dx, &mut forth, &mut d_forth, w, d_w);
    let (mut back, mut of_a, mut of_x, mut of_y, mut of_w) =
        (y.clone(), d_a.clone(), dx.clone(), dy.clone(), d_w);
    kernels::layer::vjp_batch(
        a.view(),
        of_a.view_mut(),
        &x,
        &mut of_x,
        &mut back,
        &mut of_y,
        w,
        &mut of_w,
        seed,
    );
    for gpu in devices() {
        let (mut on, mut d_on) = (y.clone(), dy.clone());
        let call = kernels::layer::cuda::jvp_batch;
        let found = call(&gpu, a.view(), d_a.view(), &x, &dx, &mut on, &mut d_on, w, d_w).unwrap();
        assert_close("tangents", &found.1.0, &tangents.0, 1e-12);
        assert_close("of parts", found.1.1.as_flattened(), tangents.1.as_flattened(), 1e-12);
        assert_close("dy", d_on.as_slice().unwrap(), d_forth.as_slice().unwrap(), 1e-12);
        let (mut on, mut on_a, mut on_x, mut on_y, mut on_w) =
            (y.clone(), d_a.clone(), dx.clone(), dy.clone(), d_w);
        let call = kernels::layer::cuda::vjp_batch;
        call(&gpu, a.view(), on_a.view_mut(), &x, &mut on_x, &mut on, &mut on_y, w, &mut on_w, seed).unwrap();
        assert_close("d_a", on_a.as_slice().unwrap(), of_a.as_slice().unwrap(), 1e-12);
        assert_close("d_x", on_x.as_slice().unwrap(), of_x.as_slice().unwrap(), 1e-12);
        assert_close("d_y", on_y.as_slice().unwrap(), of_y.as_slice().unwrap(), 1e-12);
        assert_close("d_w", on_w.as_flattened(), of_w.as_flattened(), 1e-12);
        let (mut short, mut on_y, mut on_w) = (Array2::zeros((m - 1, 3)), dy.clone(), d_w);
        let said = message(|| {
            let _ =
                call(&gpu, a.view(), on_a.view_mut(), &x, &mut short, &mut on, &mut on_y, w, &mut on_w, seed);
        });
        assert!(said.contains("layer") && said.contains("[8, 3]"), "{said}");
    }
}
