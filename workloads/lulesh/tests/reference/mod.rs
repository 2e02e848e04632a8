//! Derivatives of the energy of the first element against those of an operator-overloading tool on one tape.

#![allow(clippy::excessive_precision, reason = "the digits are those of the reference")]

use pardiff_lulesh::Domain;

const CUBE: [f64; 3] = [1.0; 3];
/// A cuboid: on the cube six faces tie for the largest, and which of them is chosen is in the last bit.
pub const CUBOID: [f64; 3] = [1.0, 1.01, 1.03];

/// Size, cycles, and of the last energy of the first element, the derivative by its first energy: on the cube, on
/// the cuboid; there also the norm of that by the first coordinates of the nodes.
const DERIVATIVES: [(usize, usize, f64, f64, f64); 7] = [
    (3, 2, 0.76811917714526112, 0.76806484397664399, 2.021560288009e+04),
    (3, 5, 0.67570720324440403, 0.67566458946726993, 1.760382123749e+04),
    (3, 10, 0.53894379401749182, 0.53410228804170767, 1.384968208845e+04),
    (3, 20, 0.35774611051745886, 0.36001994268651394, 8.692587317636e+03),
    (3, usize::MAX, 0.19145993569784045, 0.19186713863609939, 2.865216745500e+03),
    (5, 20, 0.35775919807728312, 0.36003159627962245, 6.707359912659e+04),
    (5, usize::MAX, 0.10249401183184750, 0.10358010925098504, 1.109317608577e+04),
];

/// Panics where two numbers are not near.
#[track_caller]
pub fn near(what: &str, is: f64, should_be: f64, tolerance: f64) {
    let error = (is / should_be - 1.0).abs();
    assert!(error < tolerance, "{what}: {is:e} for {should_be:e}, off by {error:e}");
}

/// Compares derivatives with the table: `derivative` is the adjoint of the first state, of the energy of the first
/// element after so many cycles with so many elements a side.
pub fn agree(version: &str, derivative: impl Fn(usize, usize, [f64; 3]) -> Domain) {
    for (size, cycles, cube, cuboid, norm) in DERIVATIVES {
        let what = format!("{version}: size {size}, {cycles} cycles");
        near(&what, derivative(size, cycles, CUBE).energy[0], cube, 1e-12);
        let d = derivative(size, cycles, CUBOID);
        near(&what, d.energy[0], cuboid, 1e-12);
        let squares: f64 = d.position.iter().map(|x| x[0] * x[0]).sum();
        // the table has so many digits
        near(&what, squares.sqrt(), norm, 1e-12);
        // nothing changes where all nodes are moved alike
        for k in 0..3 {
            let sum: f64 = d.position.iter().map(|x| x[k]).sum();
            assert!(sum.abs() < 1e-11 * norm, "{what}: {sum:e} in direction {k}");
        }
    }
}
