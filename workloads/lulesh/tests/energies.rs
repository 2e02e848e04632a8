//! Energies of the first element against those of LULESH 2.0 (C++, `-O2 -ffp-contract=off`).

#![allow(clippy::excessive_precision, reason = "the digits are those of the reference")]

use pardiff_lulesh::{Domain, closures::closures, loops::serial, parallel::iterators, tasks::tasks};

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

/// The versions of the cycle.
const VERSIONS: [(&str, fn(&mut Domain)); 4] = [
    ("loops", serial::step),
    ("iterators", iterators::step),
    ("tasks", tasks::step),
    ("closures", closures::step),
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
