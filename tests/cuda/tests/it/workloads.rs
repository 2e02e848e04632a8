//! Workloads of the project by kernels against their gradients for the CPU.

use crate::gradients::{assert_close, devices, numbers};
use pardiff_cuda_tests::workloads;
use pardiff_workloads::data::adbench::Bundle;
use pardiff_workloads::data::mixture::Problem;

#[test]
pub(crate) fn gmm() {
    use workloads::gmm::gmm;
    let Problem { d, k, n, alphas, means, icf, x, gamma, m, constant, .. } = Problem::generated(3, 4, 40);
    let lens = [alphas.len(), means.len(), icf.len()];
    let [mut d_alphas, mut d_means, mut d_icf] = lens.map(|len| vec![0.0; len]);
    let value = gmm::grad(
        &alphas,
        &mut d_alphas,
        &means,
        &mut d_means,
        &icf,
        &mut d_icf,
        &x,
        d,
        k,
        n,
        gamma,
        m,
        1.0,
        constant,
    );
    for gpu in devices() {
        let [on_alphas, on_means, on_icf, on_x] =
            [&alphas, &means, &icf, &x].map(|it| gpu.upload(it).unwrap());
        let [mut on_d_alphas, mut on_d_means, mut on_d_icf] = lens.map(|len| gpu.zeros(len).unwrap());
        let on_value = gmm::cuda::grad(
            &gpu,
            &on_alphas,
            &mut on_d_alphas,
            &on_means,
            &mut on_d_means,
            &on_icf,
            &mut on_d_icf,
            &on_x,
            d,
            k,
            n,
            gamma,
            m,
            1.0,
            constant,
        );
        assert_close("value", &[on_value.unwrap()], &[value], 1e-12);
        assert_close("d_alphas", &on_d_alphas.download().unwrap(), &d_alphas, 1e-11);
        assert_close("d_means", &on_d_means.download().unwrap(), &d_means, 1e-11);
        assert_close("d_icf", &on_d_icf.download().unwrap(), &d_icf, 1e-11);
    }
}

#[test]
pub(crate) fn ba() {
    use workloads::ba::ba;
    let Bundle { cameras, points, weights, features, camera_of, point_of } = Bundle::generated(4, 30, 90);
    let lens = [cameras.len(), points.len(), weights.len()];
    let [mut d_cameras, mut d_points, mut d_weights] = lens.map(|len| vec![0.0; len]);
    let value = ba::grad(
        &cameras,
        &mut d_cameras,
        &points,
        &mut d_points,
        &weights,
        &mut d_weights,
        &features,
        &camera_of,
        &point_of,
    );
    for gpu in devices() {
        let [on_cameras, on_points, on_weights, on_features] =
            [&cameras, &points, &weights, &features].map(|it| gpu.upload(it).unwrap());
        let [on_camera_of, on_point_of] = [&camera_of, &point_of].map(|it| gpu.upload(it).unwrap());
        let [mut on_d_cameras, mut on_d_points, mut on_d_weights] = lens.map(|len| gpu.zeros(len).unwrap());
        let on_value = ba::cuda::grad(
            &gpu,
            &on_cameras,
            &mut on_d_cameras,
            &on_points,
            &mut on_d_points,
            &on_weights,
            &mut on_d_weights,
            &on_features,
            &on_camera_of,
            &on_point_of,
        );
        assert_close("value", &[on_value.unwrap()], &[value], 1e-12);
        assert_close("d_cameras", &on_d_cameras.download().unwrap(), &d_cameras, 1e-11);
        assert_close("d_points", &on_d_points.download().unwrap(), &d_points, 1e-11);
        assert_close("d_weights", &on_d_weights.download().unwrap(), &d_weights, 1e-11);
    }
}

#[test]
pub(crate) fn minibude() {
    use workloads::minibude::minibude;
    let (atoms, types, proteins, n) = (5, 3, 20, 12);
    let poses: Vec<f64> = numbers(6 * n, 20);
    let table = |seed| numbers(types, seed).iter().map(|it| 1.5 + 0.5 * it).collect::<Vec<f64>>();
    let (radius, hydrophobicity, charge) = (table(21), numbers(types, 22), numbers(types, 23));
    let triples = |count: usize, seed| -> Vec<[f64; 3]> {
        numbers(3 * count, seed).as_chunks::<3>().0.iter().map(|it| it.map(|c| 4.0 * c)).collect()
    };
    let (ligand, protein) = (triples(atoms, 24), triples(proteins, 25));
    let kind = |count: usize| (0..count).map(|at| (at % types) as u32).collect::<Vec<u32>>();
    let (ligand_type, protein_type) = (kind(atoms), kind(proteins));
    let pairs = atoms * proteins;
    let (p_sign, l_sign) = (vec![1.0; pairs], vec![-1.0; pairs]);
    let (reach, electrostatic) = (vec![5.5; pairs], vec![4.0; pairs]);
    let flags = |modulus: usize| (0..pairs).map(|at| at % modulus == 0).collect::<Vec<bool>>();
    let (attracts, dissolves) = (flags(2), flags(3));
    let lens = [poses.len(), types, types, types];
    let [mut d_poses, mut d_radius, mut d_hydro, mut d_charge] = lens.map(|len| vec![0.0; len]);
    let value = minibude::grad(
        &poses,
        &mut d_poses,
        &radius,
        &mut d_radius,
        &hydrophobicity,
        &mut d_hydro,
        &charge,
        &mut d_charge,
        &ligand,
        &ligand_type,
        &protein,
        &protein_type,
        &p_sign,
        &l_sign,
        &reach,
        &electrostatic,
        &attracts,
        &dissolves,
        n,
    );
    for gpu in devices() {
        let up = |it: &Vec<f64>| gpu.upload(it).unwrap();
        let [mut on_d_poses, mut on_d_radius, mut on_d_hydro, mut on_d_charge] =
            lens.map(|len| gpu.zeros(len).unwrap());
        let on_value = minibude::cuda::grad(
            &gpu,
            &up(&poses),
            &mut on_d_poses,
            &up(&radius),
            &mut on_d_radius,
            &up(&hydrophobicity),
            &mut on_d_hydro,
            &up(&charge),
            &mut on_d_charge,
            &gpu.upload(&ligand).unwrap(),
            &gpu.upload(&ligand_type).unwrap(),
            &gpu.upload(&protein).unwrap(),
            &gpu.upload(&protein_type).unwrap(),
            &up(&p_sign),
            &up(&l_sign),
            &up(&reach),
            &up(&electrostatic),
            &gpu.upload(&attracts).unwrap(),
            &gpu.upload(&dissolves).unwrap(),
            n,
        );
        assert_close("value", &[on_value.unwrap()], &[value], 1e-11);
        assert_close("d_poses", &on_d_poses.download().unwrap(), &d_poses, 1e-10);
        assert_close("d_radius", &on_d_radius.download().unwrap(), &d_radius, 1e-10);
        assert_close("d_hydrophobicity", &on_d_hydro.download().unwrap(), &d_hydro, 1e-10);
        assert_close("d_charge", &on_d_charge.download().unwrap(), &d_charge, 1e-10);
    }
}
