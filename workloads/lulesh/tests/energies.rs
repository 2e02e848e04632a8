//! Energies of the first element against those of LULESH 2.0 (C++, `-O2 -ffp-contract=off`).

#![allow(clippy::excessive_precision, reason = "the digits are those of the reference")]

use pardiff_lulesh::{
    Domain, closures::helpers, loops::serial, parallel::iterators, ranks::exchange, tasks::spawned,
};

/// Size, cycles (all if there are fewer), cycles that there are, energy.
const ENERGIES: [(usize, usize, usize, f64); 6] = [
    (3, usize::MAX, 23, 4.0013378956651381e+03),
    (5, 1, 1, 5.4166611796982157e+04),
    (5, 2, 2, 4.7563358689584995e+04),
    (5, 10, 10, 3.2459552444401223e+04),
    (5, usize::MAX, 72, 7.8536651021458447e+03),
    (10, usize::MAX, 231, 2.7205311684703469e+04),
];

/// Those that take long without optimisation.
const LARGE: [(usize, usize, usize, f64); 3] = [
    (15, usize::MAX, 400, 5.7028937933283960e+04),
    (20, usize::MAX, 575, 9.6688559815778353e+04),
    (30, 10, 10, 7.0112633279916393e+06),
];

/// A cycle.
type Step = fn(&mut Domain);

/// The versions of the cycle.
const VERSIONS: [(&str, Step); 4] = [
    ("loops", serial::step),
    ("iterators", iterators::step),
    ("tasks", spawned::step),
    ("closures", helpers::step),
];

fn check((size, cycles, ran, energy): (usize, usize, usize, f64)) {
    for (version, step) in VERSIONS {
        let mut domain = Domain::sedov(size, [1.0; 3]);
        assert_eq!(domain.run(cycles, step), ran, "{version}: size {size}");
        let error = (domain.energy[0] / energy - 1.0).abs();
        assert!(error < 1e-12, "{version}: size {size}, {cycles} cycles: {} for {energy}", domain.energy[0]);
    }
}

#[test]
fn energies_are_those_of_lulesh() {
    ENERGIES.into_iter().for_each(check);
    if std::env::var_os("PARDIFF_LARGE").is_some() {
        LARGE.into_iter().for_each(check);
    }
}

/// Elements a side of each of eight ranks, cycles, energy.
const OF_RANKS: [(usize, usize, f64); 2] =
    [(3, 102, 1.0454175985908980e+04), (5, 231, 2.7205311684703443e+04)];

#[test]
fn eight_ranks_have_the_energy_of_one() {
    for (size, cycles, energy) in OF_RANKS {
        let all = pardiff::ranks::run(8, |world| {
            let rank = pardiff::ranks::traits::Communicator::rank(world) as usize;
            let (mut domain, halo) = Domain::part_of_sedov(size, [1.0; 3], 2, rank);
            let cycles = domain.run(usize::MAX, |domain| exchange::step(world, domain, &halo));
            (cycles, domain)
        });
        assert!(all.iter().all(|(ran, _)| *ran == cycles));
        let error = (all[0].1.energy[0] / energy - 1.0).abs();
        assert!(error < 1e-12, "size {size}: {} for {energy}", all[0].1.energy[0]);
        // nodes of several ranks are at one place
        let (edge, [first, second]) = (size + 1, [&all[0].1, &all[1].1]);
        for row in 0..edge * edge {
            assert_eq!(first.position[row * edge + size], second.position[row * edge]);
        }
    }
}
