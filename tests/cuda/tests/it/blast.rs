//! Parts of the Sedov blast: their gradients by kernels against those for the CPU.

use crate::gradients::{assert_close, devices, numbers};
use pardiff_cuda_tests::blast::kernels;

/// A mesh of cubes that are bent: the corners of elements, `edge` of them on a side, and the places of nodes.
fn mesh(edge: usize) -> (Vec<[usize; 8]>, Vec<[f64; 3]>) {
    let side = edge + 1;
    let node = |x: usize, y: usize, z: usize| (z * side + y) * side + x;
    let corners = (0..edge.pow(3)).map(|i| {
        let (x, y, z) = (i % edge, i / edge % edge, i / (edge * edge));
        let face = |z| [node(x, y, z), node(x + 1, y, z), node(x + 1, y + 1, z), node(x, y + 1, z)];
        let ([a, b, c, d], [e, f, g, h]) = (face(z), face(z + 1));
        [a, b, c, d, e, f, g, h]
    });
    let bend = numbers(3 * side.pow(3), 41);
    let place = |n: usize| {
        let at = [n % side, n / side % side, n / (side * side)];
        std::array::from_fn(|k| at[k] as f64 + 0.1 * bend[3 * n + k])
    };
    (corners.collect(), (0..side.pow(3)).map(place).collect())
}

fn vectors(n: usize, seed: u64) -> Vec<[f64; 3]> {
    numbers(3 * n, seed).as_chunks().0.to_vec()
}

#[test]
pub(crate) fn volumes_of_elements() {
    for edge in [5, 1] {
        let (corners, position) = mesh(edge);
        let n = corners.len();
        let reference: Vec<f64> = numbers(n, 42).iter().map(|x| 1.5 + x).collect();
        let seed = numbers(n, 43);
        let (mut d_position, mut d_reference) = (vec![[0.0; 3]; position.len()], vec![0.0; n]);
        let (mut volume, mut d_volume) = (vec![0.0; n], seed.clone());
        kernels::volumes::vjp(
            &position,
            &mut d_position,
            &corners,
            &reference,
            &mut d_reference,
            &mut volume,
            &mut d_volume,
        );
        assert!(volume.iter().all(|it| it.abs() > 0.1));
        for gpu in devices() {
            let (on_position, on_corners) = (gpu.upload(&position).unwrap(), gpu.upload(&corners).unwrap());
            let (on_reference, mut on_volume) = (gpu.upload(&reference).unwrap(), gpu.zeros(n).unwrap());
            let mut on_d_position = gpu.upload(&vec![[0.0; 3]; position.len()]).unwrap();
            let (mut on_d_reference, mut on_d_volume) = (gpu.zeros(n).unwrap(), gpu.upload(&seed).unwrap());
            kernels::volumes::cuda::vjp(
                &gpu,
                &on_position,
                &mut on_d_position,
                &on_corners,
                &on_reference,
                &mut on_d_reference,
                &mut on_volume,
                &mut on_d_volume,
            )
            .unwrap();
            assert_close("volume", &on_volume.download().unwrap(), &volume, 1e-14);
            let on_d_position = on_d_position.download().unwrap();
            assert_close("d_position", on_d_position.as_flattened(), d_position.as_flattened(), 1e-13);
            assert_close("d_reference", &on_d_reference.download().unwrap(), &d_reference, 1e-13);
        }
    }
}

#[test]
pub(crate) fn forces_against_hourglass_modes() {
    let (corners, position) = mesh(4);
    let (n, nodes) = (corners.len(), position.len());
    let (velocity, seed) = (vectors(nodes, 44), vectors(nodes, 45));
    let volume: Vec<f64> = numbers(n, 46).iter().map(|x| 1.5 + x).collect();
    let coefficient = numbers(n, 47);
    let zero = vec![[0.0; 3]; nodes];
    let (mut d_position, mut d_velocity) = (zero.clone(), zero.clone());
    let (mut d_volume, mut d_coefficient) = (vec![0.0; n], vec![0.0; n]);
    let (mut force, mut d_force) = (vectors(nodes, 48), seed.clone());
    let start = force.clone();
    kernels::hourglasses::vjp(
        &position,
        &mut d_position,
        &velocity,
        &mut d_velocity,
        &corners,
        &volume,
        &mut d_volume,
        &coefficient,
        &mut d_coefficient,
        &mut force,
        &mut d_force,
    );
    for gpu in devices() {
        let [on_position, on_velocity] = [&position, &velocity].map(|it| gpu.upload(it).unwrap());
        let [mut on_d_position, mut on_d_velocity] = [(); 2].map(|()| gpu.upload(&zero).unwrap());
        let [on_volume, on_coefficient] = [&volume, &coefficient].map(|it| gpu.upload(it).unwrap());
        let [mut on_d_volume, mut on_d_coefficient] = [(); 2].map(|()| gpu.zeros(n).unwrap());
        let [mut on_force, mut on_d_force] = [&start, &seed].map(|it| gpu.upload(it).unwrap());
        let on_corners = gpu.upload(&corners).unwrap();
        kernels::hourglasses::cuda::vjp(
            &gpu,
            &on_position,
            &mut on_d_position,
            &on_velocity,
            &mut on_d_velocity,
            &on_corners,
            &on_volume,
            &mut on_d_volume,
            &on_coefficient,
            &mut on_d_coefficient,
            &mut on_force,
            &mut on_d_force,
        )
        .unwrap();
        let vectors = [
            ("force", on_force, &force),
            ("d_position", on_d_position, &d_position),
            ("d_velocity", on_d_velocity, &d_velocity),
        ];
        for (name, ours, expected) in vectors {
            assert_close(name, ours.download().unwrap().as_flattened(), expected.as_flattened(), 1e-13);
        }
        assert_close("d_volume", &on_d_volume.download().unwrap(), &d_volume, 1e-13);
        assert_close("d_coefficient", &on_d_coefficient.download().unwrap(), &d_coefficient, 1e-13);
    }
}

#[test]
pub(crate) fn gas_by_materials() {
    // rows that follow each other, with one that is empty; and rows that overlap
    for first in [[0, 70, 70, 200, 230], [0, 100, 60, 200, 230]] {
        let (n, m) = (150, 230);
        let list: Vec<usize> = (0..m).map(|k| 7 * k % n).collect();
        let positive = |n, seed| numbers(n, seed).iter().map(|x| 1.5 + x).collect::<Vec<f64>>();
        let [energy, pressure] = [49, 50].map(|seed| positive(n, seed));
        let volume = positive(2 * n, 51).as_chunks().0.to_vec();
        let [seed_energy, seed_pressure] = [53, 54].map(|seed| numbers(m, seed));
        let [mut d_energy, mut d_pressure] = [(); 2].map(|()| vec![0.0; n]);
        let zero = vec![[0.0; 2]; n];
        let mut d_volume = zero.clone();
        let [mut new_energy, mut new_pressure] = [(); 2].map(|()| vec![0.0; m]);
        let (mut d_new_energy, mut d_new_pressure) = (seed_energy.clone(), seed_pressure.clone());
        kernels::materials::vjp(
            &energy,
            &mut d_energy,
            &pressure,
            &mut d_pressure,
            &volume,
            &mut d_volume,
            &first,
            &list,
            &mut new_energy,
            &mut d_new_energy,
            &mut new_pressure,
            &mut d_new_pressure,
        );
        for gpu in devices() {
            let [on_energy, on_pressure] = [&energy, &pressure].map(|it| gpu.upload(it).unwrap());
            let [mut on_d_energy, mut on_d_pressure] = [(); 2].map(|()| gpu.zeros(n).unwrap());
            let [on_volume, mut on_d_volume] = [&volume, &zero].map(|it| gpu.upload(it).unwrap());
            let [mut on_new_energy, mut on_new_pressure] = [(); 2].map(|()| gpu.zeros(m).unwrap());
            let [mut on_d_new_energy, mut on_d_new_pressure] =
                [&seed_energy, &seed_pressure].map(|it| gpu.upload(it).unwrap());
            kernels::materials::cuda::vjp(
                &gpu,
                &on_energy,
                &mut on_d_energy,
                &on_pressure,
                &mut on_d_pressure,
                &on_volume,
                &mut on_d_volume,
                &gpu.upload(&first).unwrap(),
                &gpu.upload(&list).unwrap(),
                &mut on_new_energy,
                &mut on_d_new_energy,
                &mut on_new_pressure,
                &mut on_d_new_pressure,
            )
            .unwrap();
            let all = [
                ("new_energy", on_new_energy, &new_energy),
                ("new_pressure", on_new_pressure, &new_pressure),
                ("d_energy", on_d_energy, &d_energy),
                ("d_pressure", on_d_pressure, &d_pressure),
            ];
            let on_d_volume = on_d_volume.download().unwrap();
            assert_close("d_volume", on_d_volume.as_flattened(), d_volume.as_flattened(), 1e-13);
            for (name, ours, expected) in all {
                assert_close(name, &ours.download().unwrap(), expected, 1e-13);
            }
        }
    }
}
