//! Derivatives of whole simulations, in segments.

mod reference;

use pardiff::differentiate;
use pardiff_lulesh::Domain;
use pardiff_lulesh::loops::serial;
use reference::{CUBOID, agree, near};

#[differentiate(uses(Domain, serial))]
fn simulate(domain: &mut Domain, cycles: usize) {
    #[checkpoint]
    for _ in 0..cycles {
        serial::step(domain);
    }
}

/// The adjoint of the first state.
fn derivative(size: usize, cycles: usize, stretch: [f64; 3]) -> Domain {
    let mut domain = Domain::sedov(size, stretch);
    let cycles = domain.clone().run(cycles, serial::step);
    let mut d = domain.zeroed();
    d.energy[0] = 1.0;
    simulate::vjp(&mut domain, &mut d, cycles);
    d
}

#[test]
fn derivatives_are_those_of_operator_overloading() {
    agree("in segments", derivative);
}

/// The most memory that the process had, in bytes.
#[cfg(target_os = "linux")]
fn most_memory() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").expect("the status of the process");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("its memory");
    1024 * line.trim().trim_end_matches(" kB").parse::<usize>().expect("a number")
}

/// 575 cycles of 8,000 elements in less than a gigabyte; nothing changes where all nodes are moved alike.
#[cfg(target_os = "linux")]
#[test]
fn a_large_simulation_in_little_memory() {
    if std::env::var_os("PARDIFF_LARGE").is_none() {
        return;
    }
    let start = std::time::Instant::now();
    let d = derivative(20, usize::MAX, CUBOID);
    println!("{} MB, {:.1} s", most_memory() / 1_000_000, start.elapsed().as_secs_f64());
    assert!(most_memory() < 1_000_000_000);
    let norm = d.position.iter().flatten().map(|x| x * x).sum::<f64>().sqrt();
    for k in 0..3 {
        let sum: f64 = d.position.iter().map(|x| x[k]).sum();
        near("the translation", 1.0 + sum / norm, 1.0, 1e-10);
    }
}
