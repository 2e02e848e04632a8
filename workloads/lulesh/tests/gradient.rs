//! Derivatives of the energy of the first element against those of an operator-overloading tool on one tape.

#![allow(clippy::excessive_precision, reason = "the digits are those of the reference")]

#[cfg(feature = "closures")]
use pardiff_lulesh::closures::closures;
#[cfg(feature = "parallel")]
use pardiff_lulesh::parallel::iterators;
#[cfg(feature = "tasks")]
use pardiff_lulesh::tasks::tasks;
use pardiff_lulesh::{Domain, loops::serial};

const CUBE: [f64; 3] = [1.0; 3];
/// A cuboid: on the cube six faces tie for the largest, and which of them is chosen is in the last bit.
const CUBOID: [f64; 3] = [1.0, 1.01, 1.03];

/// Size, cycles, and of the last energy of the first element, the derivative by its first energy: on the cube, on the cuboid; there also
/// the norm of that by the first coordinates of the nodes.
const DERIVATIVES: [(usize, usize, f64, f64, f64); 7] = [
    (3, 2, 0.76811917714526112, 0.76806484397664399, 2.021560288009e+04),
    (3, 5, 0.67570720324440403, 0.67566458946726993, 1.760382123749e+04),
    (3, 10, 0.53894379401749182, 0.53410228804170767, 1.384968208845e+04),
    (3, 20, 0.35774611051745886, 0.36001994268651394, 8.692587317636e+03),
    (3, usize::MAX, 0.19145993569784045, 0.19186713863609939, 2.865216745500e+03),
    (5, 20, 0.35775919807728312, 0.36003159627962245, 6.707359912659e+04),
    (5, usize::MAX, 0.10249401183184750, 0.10358010925098504, 1.109317608577e+04),
];

/// The reverse of a cycle, from the state before it and the adjoint of the state after it.
type Vjp = fn(&mut Domain, &mut Domain);

/// The versions of the cycle whose gradients are there.
const VERSIONS: &[(&str, Vjp)] = &[
    ("loops", serial::step::vjp),
    #[cfg(feature = "parallel")]
    ("iterators", iterators::step::vjp),
    #[cfg(feature = "tasks")]
    ("tasks", tasks::step::vjp),
    #[cfg(feature = "closures")]
    ("closures", closures::step::vjp),
];

/// The adjoint of the first state, from one state kept for each cycle.
fn derivative(vjp: Vjp, size: usize, cycles: usize, stretch: [f64; 3]) -> Domain {
    let domain = Domain::sedov(size, stretch);
    let mut d = domain.zeroed();
    d.energy[0] = 1.0;
    chained(domain, cycles, serial::step, vjp, &mut d);
    d
}

/// Makes of the adjoint of the last state that of the first one.
fn chained(
    mut domain: Domain,
    cycles: usize,
    step: impl Fn(&mut Domain),
    vjp: impl Fn(&mut Domain, &mut Domain),
    d: &mut Domain,
) {
    let mut before = Vec::new();
    loop {
        let kept = domain.clone();
        if domain.run(cycles.min(kept.cycle.saturating_add(1)), &step) == kept.cycle {
            break;
        }
        before.push(kept);
    }
    for mut state in before.into_iter().rev() {
        vjp(&mut state, d);
    }
}

fn near(what: &str, is: f64, should_be: f64, tolerance: f64) {
    let error = (is / should_be - 1.0).abs();
    assert!(error < tolerance, "{what}: {is:e} for {should_be:e}, off by {error:e}");
}

#[test]
fn derivatives_are_those_of_operator_overloading() {
    for &(version, vjp) in VERSIONS {
        for (size, cycles, cube, cuboid, norm) in DERIVATIVES {
            let what = format!("{version}: size {size}, {cycles} cycles");
            near(&what, derivative(vjp, size, cycles, CUBE).energy[0], cube, 1e-12);
            let d = derivative(vjp, size, cycles, CUBOID);
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
}

/// The numbers of the nodes of a rank in the whole mesh: `size` elements a side on each of two ranks a side.
#[cfg(feature = "ranks")]
fn in_whole(size: usize, rank: usize, n: usize) -> usize {
    let (edge, whole) = (size + 1, 2 * size + 1);
    let at = [
        n % edge + size * (rank % 2),
        n / edge % edge + size * (rank / 2 % 2),
        n / (edge * edge) + size * (rank / 4),
    ];
    (at[2] * whole + at[1]) * whole + at[0]
}

#[cfg(feature = "ranks")]
#[test]
fn eight_ranks_have_the_derivatives_of_one() {
    use pardiff::ranks::traits::Communicator;
    use pardiff_lulesh::ranks::ranks::step;
    let (size, stretch) = (3, CUBOID);
    for cycles in [2, 20] {
        let (all, traffic) = pardiff::ranks::world(8).run(|world| {
            let rank = world.rank() as usize;
            let (domain, halo) = Domain::part_of_sedov(size, stretch, 2, rank);
            let mut d = domain.zeroed();
            d.energy[0] = if rank == 0 { 1.0 } else { 0.0 };
            let step = |domain: &mut Domain| step(world, domain, &halo);
            let vjp = |domain: &mut Domain, d: &mut Domain| step::vjp(world, domain, d, &halo);
            chained(domain, cycles, step, vjp, &mut d);
            d
        });
        let whole = derivative(serial::step::vjp, 2 * size, cycles, stretch);
        near("energy", all[0].energy[0], whole.energy[0], 1e-12);
        // a node of several ranks is an input on each of them
        let mut position = vec![[0.0; 3]; whole.position.len()];
        for (rank, d) in all.iter().enumerate() {
            for (n, of_node) in d.position.iter().enumerate() {
                (0..3).for_each(|k| position[in_whole(size, rank, n)][k] += of_node[k]);
            }
        }
        let largest = whole.position.iter().flatten().fold(0.0_f64, |largest, x| largest.max(x.abs()));
        for (a, b) in position.iter().flatten().zip(whole.position.iter().flatten()) {
            assert!((a - b).abs() < 1e-12 * largest, "{cycles} cycles: {a} for {b}");
        }
        let (_, alone) = pardiff::ranks::world(8).run(|world| {
            let (mut domain, halo) = Domain::part_of_sedov(size, stretch, 2, world.rank() as usize);
            domain.run(cycles, |domain| step(world, domain, &halo))
        });
        // cycles run once alone, then forward and in reverse; a minimum over ranks whose adjoint is wanted is three operations
        assert_eq!(traffic.messages, 3 * alone.messages + cycles * 2 * 8);
    }
}
