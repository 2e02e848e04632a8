//! The programs of the library.

use glam::{DVec3, dvec3};
use nalgebra::{Point3, Vector3};
use num_complex::Complex64;
use pardiff_crates::arm::{hand, loss, turned};
use pardiff_crates::particles::simulation::{Particle, advance, energy, particle};
use pardiff_crates::spectrum::{by_definition, distance, transform};
use pardiff_robot::Joint;

fn particles() -> Vec<Particle> {
    let each = |i: usize| {
        let t = i as f64;
        let at = dvec3(1.3 * (i % 3) as f64, 1.2 * (i / 3) as f64, 0.2 * t.sin());
        Particle { at, velocity: dvec3(0.1 * t.cos(), -0.1, 0.05 * t), mass: 1.0 + 0.1 * t, kind: i % 2 }
    };
    (0..9).map(each).collect()
}

const DEPTH: [[f64; 2]; 2] = [[1.0, 0.7], [0.7, 0.5]];

#[test]
fn forces_of_particles_are_gradients_of_their_energy() {
    let bodies = particles();
    energy::check(&bodies, &DEPTH).unwrap_or_else(|mismatch| panic!("{mismatch}"));
    particle::kinetic::check(&bodies[2]).unwrap_or_else(|mismatch| panic!("{mismatch}"));
    let (_, gradient) = energy::gradient(&bodies, &DEPTH);
    // after a small step velocities have changed by forces, which are gradients with the other sign
    let mut moved = bodies.clone();
    let h = 1e-6;
    advance(&mut moved, &DEPTH, h, 1);
    for ((before, after), by) in bodies.iter().zip(&moved).zip(&gradient.particles) {
        let force = (after.velocity - before.velocity) * (before.mass / h);
        assert!((force + by.at).length() < 1e-4 * (1.0 + by.at.length()), "{force} {}", by.at);
        assert!((by.velocity - before.velocity * before.mass).length() < 1e-14);
        assert_eq!(by.kind, before.kind);
    }
}

#[test]
fn a_simulation_of_particles_is_differentiated() {
    let mut bodies = particles();
    advance::check(&mut bodies, &DEPTH, 0.01, 5).unwrap_or_else(|mismatch| panic!("{mismatch}"));
    // of the sum of all places by the first velocity
    let mut adjoints: Vec<Particle> = particles();
    adjoints.fill(Particle { at: DVec3::ONE, velocity: DVec3::ZERO, mass: 0.0, kind: 0 });
    let (mut moved, mut d_depth, mut d_h) = (particles(), [[0.0; 2]; 2], 0.0);
    advance::vjp(&mut moved, &mut adjoints, &DEPTH, &mut d_depth, 0.01, &mut d_h, 5);
    // forces are equal and opposite, and masses differ little: momentum moves the centre
    assert!((adjoints[0].velocity - DVec3::splat(0.05)).length() < 0.01, "{:?}", adjoints[0]);
}

fn joints() -> Vec<Joint> {
    let joint = |axis: [f64; 3], link: [f64; 3]| Joint {
        axis: Vector3::from(axis).normalize(),
        link: Vector3::from(link),
        limit: 2.5,
    };
    vec![
        joint([0.0, 0.0, 1.0], [0.0, 0.0, 0.5]),
        joint([0.0, 1.0, 0.0], [1.0, 0.0, 0.0]),
        joint([0.1, 1.0, 0.2], [0.8, 0.1, 0.0]),
        joint([1.0, 0.0, 0.3], [0.3, 0.0, 0.2]),
    ]
}

#[test]
fn an_arm_reaches_its_target_by_second_derivatives() {
    let joints = joints();
    let wanted = [0.4, -0.3, 0.8, 0.2];
    let target = Point3::from(hand(&joints, &wanted));
    let mut angles = [0.1, 0.1, 0.3, 0.0];
    hand::check(&joints, &angles).unwrap_or_else(|mismatch| panic!("{mismatch}"));
    loss::check(&joints, &angles, &target).unwrap_or_else(|mismatch| panic!("{mismatch}"));
    turned::check(Vector3::new(0.2, 0.3, 0.9), 0.7, Vector3::new(1.0, 2.0, 3.0))
        .unwrap_or_else(|mismatch| panic!("{mismatch}"));
    // Newton's method, with columns of the Hessian as products
    for _ in 0..30 {
        let mut slope = [0.0; 4];
        loss::grad(&joints, &angles, &mut slope, &target);
        let mut hessian = nalgebra::Matrix4::<f64>::identity() * 1e-3;
        for k in 0..4 {
            let (mut unit, mut column) = ([0.0; 4], [0.0; 4]);
            unit[k] = 1.0;
            loss::hvp(&joints, &angles, &unit, &mut column, &target);
            for i in 0..4 {
                hessian[(i, k)] += column[i];
            }
        }
        // towards a minimum where the Hessian is not definite
        let eigen = hessian.symmetric_eigen();
        let step = eigen.eigenvectors
            * (eigen.eigenvectors.transpose() * nalgebra::Vector4::from(slope))
                .component_div(&eigen.eigenvalues.map(f64::abs));
        for k in 0..4 {
            angles[k] -= step[k];
        }
    }
    let reached = loss(&joints, &angles, &target);
    assert!(reached < 1e-5, "{reached} at {angles:?}");
}

#[test]
fn adjoints_of_complex_numbers_are_those_of_their_parts() {
    let signal: Vec<f64> = (0..8).map(|i| (i as f64 * 0.7).sin()).collect();
    let wanted = [1.0, 2.0, 0.5, 0.1, 0.3, 0.1, 0.5, 2.0];
    distance::check(&signal, &wanted, 8).unwrap_or_else(|mismatch| panic!("{mismatch}"));
    let x: Vec<Complex64> = (0..8).map(|i| Complex64::new(f64::from(i), 1.0)).collect();
    transform::check(&mut x.clone(), 8).unwrap_or_else(|mismatch| panic!("{mismatch}"));
    let mut y = vec![Complex64::ZERO; 8];
    by_definition::check(&x, &mut y).unwrap_or_else(|mismatch| panic!("{mismatch}"));
    // with adjoints dL/dre + i dL/dim, that of a matrix is its conjugate transpose
    let seed: Vec<Complex64> = (0..8).map(|i| Complex64::new(0.3, f64::from(i))).collect();
    let (mut d_x, mut d_y) = (vec![Complex64::ZERO; 8], seed.clone());
    by_definition::vjp(&x, &mut d_x, &mut y, &mut d_y);
    let conjugated: Vec<Complex64> = seed.iter().map(Complex64::conj).collect();
    let mut expected = vec![Complex64::ZERO; 8];
    by_definition(&conjugated, &mut expected);
    for (found, expected) in d_x.iter().zip(&expected) {
        assert!((found - expected.conj()).norm() < 1e-12, "{found} {expected}");
    }
}
