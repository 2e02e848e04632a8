//! The gradient of the whole program against differences of the program as written.

use pardiff_hydrodynamics::hydrodynamics::blast;
use pardiff_hydrodynamics::mesh::Body;

const STEPS: usize = 12;
const FIRST: f64 = 1e-3;
const LONGEST: f64 = 1e-2;

/// The program, at other energies, ratios of heats and stiffnesses than the body's.
fn loss(b: &Body, energy: &[f64], gamma: &[f64], stiffness: &[f64]) -> f64 {
    let [x, y, z] = &b.position;
    let [hx, hy, hz] = &b.held;
    blast(
        energy,
        gamma,
        stiffness,
        x,
        y,
        z,
        &b.measured,
        &b.corners,
        &b.corners_start,
        &b.corners_of,
        &b.neighbours,
        &b.region_start,
        &b.region_elements,
        &b.repeats,
        hx,
        hy,
        hz,
        FIRST,
        LONGEST,
        STEPS,
    )
}

#[test]
fn the_gradient_is_that_of_differences() {
    let b = Body::new(4, 3);
    let [x, y, z] = &b.position;
    let [hx, hy, hz] = &b.held;
    let (value, gradient) = blast::gradient(
        &b.energy,
        &b.gamma,
        &b.stiffness,
        x,
        y,
        z,
        &b.measured,
        &b.corners,
        &b.corners_start,
        &b.corners_of,
        &b.neighbours,
        &b.region_start,
        &b.region_elements,
        &b.repeats,
        hx,
        hy,
        hz,
        FIRST,
        LONGEST,
        STEPS,
    );
    let expected = loss(&b, &b.energy, &b.gamma, &b.stiffness);
    assert!((value - expected).abs() <= 1e-12 * expected, "{value} for {expected}");

    // along a direction in which all parameters move in proportion, and along one of each kind of parameter alone; stiffness
    // alone matters little, and takes a longer way to be seen over the rounding of the loss
    for (kinds, h) in
        [([1.0, 1.0, 1.0], 1e-4), ([1.0, 0.0, 0.0], 1e-4), ([0.0, 1.0, 0.0], 1e-4), ([0.0, 0.0, 1.0], 1e-2)]
    {
        let weight = |i: usize| 0.5 + (0.7 * i as f64).sin();
        let moved = |p: &[f64], scale: f64| -> Vec<f64> {
            p.iter().enumerate().map(|(i, p)| p + scale * weight(i) * p).collect()
        };
        let at = |h: f64| {
            let [energy, gamma, stiffness] = kinds.map(|kind| kind * h);
            loss(&b, &moved(&b.energy, energy), &moved(&b.gamma, gamma), &moved(&b.stiffness, stiffness))
        };
        let slope = (8.0 * (at(h) - at(-h)) - (at(2.0 * h) - at(-2.0 * h))) / (12.0 * h);
        let along = |p: &[f64], d_p: &[f64]| -> f64 {
            p.iter().zip(d_p).enumerate().map(|(i, (p, d))| weight(i) * p * d).sum()
        };
        let parts = [
            along(&b.energy, &gradient.energy0),
            along(&b.gamma, &gradient.gamma),
            along(&b.stiffness, &gradient.stiffness),
        ];
        let expected: f64 = kinds.iter().zip(parts).map(|(kind, part)| kind * part).sum();
        let error = (slope - expected).abs() / expected.abs();
        assert!(error < 1e-7, "{kinds:?}: differences {slope}, gradient {expected}, error {error:.1e}");
    }
}
