//! Derivatives of cycles, chained by hand.

mod reference;

#[cfg(any(feature = "ranks", feature = "threads"))]
use pardiff::ranks::SimpleCommunicator;
#[cfg(feature = "closures")]
use pardiff_lulesh::closures::helpers;
#[cfg(any(feature = "ranks", feature = "threads"))]
use pardiff_lulesh::domain::Halo;
#[cfg(feature = "parallel")]
use pardiff_lulesh::parallel::iterators;
#[cfg(feature = "tasks")]
use pardiff_lulesh::tasks::spawned;
use pardiff_lulesh::{Domain, loops::serial};
use reference::agree;
#[cfg(any(feature = "ranks", feature = "threads"))]
use reference::{CUBOID, near};

/// The reverse of a cycle, from the state before it and the adjoint of the state after it.
type Vjp = fn(&mut Domain, &mut Domain);

/// The versions of the cycle whose gradients are there.
const VERSIONS: &[(&str, Vjp)] = &[
    ("loops", serial::step::vjp),
    #[cfg(feature = "parallel")]
    ("iterators", iterators::step::vjp),
    #[cfg(feature = "tasks")]
    ("tasks", spawned::step::vjp),
    #[cfg(feature = "closures")]
    ("closures", helpers::step::vjp),
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

#[test]
fn derivatives_are_those_of_operator_overloading() {
    for &(version, vjp) in VERSIONS {
        agree(version, |size, cycles, stretch| derivative(vjp, size, cycles, stretch));
    }
}

/// The numbers of the nodes of a rank in the whole mesh: `size` elements a side on each of two ranks a side.
#[cfg(any(feature = "ranks", feature = "threads"))]
fn in_whole(size: usize, rank: usize, n: usize) -> usize {
    let (edge, whole) = (size + 1, 2 * size + 1);
    let at = [
        n % edge + size * (rank % 2),
        n / edge % edge + size * (rank / 2 % 2),
        n / (edge * edge) + size * (rank / 4),
    ];
    (at[2] * whole + at[1]) * whole + at[0]
}

#[cfg(any(feature = "ranks", feature = "threads"))]
type Step<'a> = &'a (dyn Fn(&SimpleCommunicator, &mut Domain, &Halo) + Sync);

#[cfg(any(feature = "ranks", feature = "threads"))]
type StepVjp<'a> = &'a (dyn Fn(&SimpleCommunicator, &mut Domain, &mut Domain, &Halo) + Sync);

#[cfg(any(feature = "ranks", feature = "threads"))]
#[test]
fn eight_ranks_have_the_derivatives_of_one() {
    #[cfg(feature = "ranks")]
    of_eight_ranks(
        &|world, domain, halo| pardiff_lulesh::ranks::exchange::step(world, domain, halo),
        &|world, domain, d, halo| pardiff_lulesh::ranks::exchange::step::vjp(world, domain, d, halo),
    );
    #[cfg(feature = "threads")]
    of_eight_ranks(
        &|world, domain, halo| pardiff_lulesh::threads::threaded::step(world, domain, halo),
        &|world, domain, d, halo| pardiff_lulesh::threads::threaded::step::vjp(world, domain, d, halo),
    );
}

#[cfg(any(feature = "ranks", feature = "threads"))]
fn of_eight_ranks(step: Step<'_>, vjp: StepVjp<'_>) {
    use pardiff::ranks::traits::Communicator;
    let (size, stretch) = (3, CUBOID);
    for cycles in [2, 20] {
        let (all, traffic) = pardiff::ranks::world(8).run(|world| {
            let rank = world.rank() as usize;
            let (domain, halo) = Domain::part_of_sedov(size, stretch, 2, rank);
            let mut d = domain.zeroed();
            d.energy[0] = if rank == 0 { 1.0 } else { 0.0 };
            let step = |domain: &mut Domain| step(world, domain, &halo);
            let vjp = |domain: &mut Domain, d: &mut Domain| vjp(world, domain, d, &halo);
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
        // cycles run once alone, then forward and in reverse; a minimum over ranks whose adjoint is wanted is three
        // operations
        assert_eq!(traffic.messages, 3 * alone.messages + cycles * 2 * 8);
    }
}
