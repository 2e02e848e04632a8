//! Arguments that lie on the host: structs, arrays of `ndarray`, arrays by value, and results that are arrays.

use crate::gradients::{assert_close, devices, message, numbers};
use ndarray::{Array1, Array2};
use pardiff_cuda_tests::layer;
use pardiff_cuda_tests::records::{Body, Law, energies};

fn bodies(n: usize) -> Vec<Body> {
    let (mass, at) = (numbers(n, 60), numbers(3 * n, 61));
    (0..n)
        .map(|i| Body { mass: mass[i], at: [at[3 * i], at[3 * i + 1], at[3 * i + 2]], kind: i as u32 % 2 })
        .collect()
}

/// The floats of bodies, in order.
fn flat(bodies: &[Body]) -> Vec<f64> {
    bodies.iter().flat_map(|body| [body.mass, body.at[0], body.at[1], body.at[2]]).collect()
}

#[test]
pub(crate) fn structs_are_copied_field_by_field() {
    let law = Law { strength: [0.5, 2.0], softening: 0.25 };
    let zero = || Law { strength: [1.0, 0.0], softening: 0.0 };
    let seed = [0.75, -1.5];
    for n in [0, 100] {
        let (mut moved, mut d_moved, mut d_law, mut d_step) = (bodies(n), bodies(n), zero(), 0.5);
        let value = energies::vjp(&mut moved, &mut d_moved, &law, &mut d_law, 0.125, &mut d_step, seed);
        for gpu in devices() {
            let (mut on, mut d_on, mut d_law_on, mut d_step_on) = (bodies(n), bodies(n), zero(), 0.5);
            let call = energies::cuda::vjp;
            let on_value =
                call(&gpu, &mut on, &mut d_on, &law, &mut d_law_on, 0.125, &mut d_step_on, seed).unwrap();
            assert_close("value", &on_value, &value, 1e-13);
            assert_close("bodies", &flat(&on), &flat(&moved), 1e-13);
            assert_close("d_bodies", &flat(&d_on), &flat(&d_moved), 1e-12);
            assert_close("d_law", &d_law_on.strength, &d_law.strength, 1e-12);
            assert_close("scalars", &[d_law_on.softening, d_step_on], &[d_law.softening, d_step], 1e-12);
            assert!(on.iter().zip(&moved).all(|(a, b)| a.kind == b.kind));
        }
    }
}

#[test]
pub(crate) fn arrays_of_ndarray_may_have_any_order() {
    let (n, m) = (70, 9);
    let a = Array2::from_shape_vec((m, n), numbers(n * m, 62)).unwrap();
    let (x, w) = (Array1::from_vec(numbers(m, 63)), [0.5, -2.0]);
    let (y, seed) = (Array1::from_vec(numbers(n, 64)), (0.25, [1.5, 2.0]));
    // the columns of one are the rows of the other
    let a = a.t();
    let (mut y_out, mut d_a) = (y.clone(), Array2::zeros((n, m)));
    let (mut d_x, mut d_y, mut d_w) = (Array1::zeros(m), y.clone(), [0.0; 2]);
    let value = layer::vjp(a, d_a.view_mut(), &x, &mut d_x, &mut y_out, &mut d_y, w, &mut d_w, seed);
    for gpu in devices() {
        let (mut on_y, mut on_d_a) = (y.clone(), Array2::zeros((m, n)));
        let (mut on_d_x, mut on_d_y, mut on_d_w) = (Array1::zeros(m), y.clone(), [0.0; 2]);
        let d_a_on = on_d_a.view_mut().reversed_axes();
        let call = layer::cuda::vjp;
        let on_value =
            call(&gpu, a, d_a_on, &x, &mut on_d_x, &mut on_y, &mut on_d_y, w, &mut on_d_w, seed).unwrap();
        assert_close(
            "value",
            &[on_value.0, on_value.1[0], on_value.1[1]],
            &[value.0, value.1[0], value.1[1]],
            1e-13,
        );
        assert_close("y", on_y.as_slice().unwrap(), y_out.as_slice().unwrap(), 1e-13);
        let on_d_a: Vec<f64> = on_d_a.t().iter().copied().collect();
        assert_close("d_a", &on_d_a, d_a.as_slice().unwrap(), 1e-12);
        assert_close("d_x", on_d_x.as_slice().unwrap(), d_x.as_slice().unwrap(), 1e-12);
        assert_close("d_y", on_d_y.as_slice().unwrap(), d_y.as_slice().unwrap(), 1e-12);
        assert_close("d_w", &on_d_w, &d_w, 1e-12);
        let wrong = message(|| {
            let (mut d_a, mut d_y, mut y) = (Array2::zeros((n, m + 1)), y.clone(), y.clone());
            let (mut d_x, mut d_w) = (Array1::zeros(m), [0.0; 2]);
            layer::cuda::vjp(&gpu, a, d_a.view_mut(), &x, &mut d_x, &mut y, &mut d_y, w, &mut d_w, seed)
                .unwrap();
        });
        assert!(wrong.contains("the shape of the adjoint `d_a` is [70, 10]"), "{wrong}");
    }
}
