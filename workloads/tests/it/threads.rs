//! The same bits at any number of threads, and from call to call.

use pardiff_workloads::cases::{REFERENCED, WORKLOADS};

/// Bits of value and gradient in a pool of threads.
fn bits(threads: usize, run: impl Fn(&mut [f64]) -> f64 + Sync, len: usize) -> Vec<u64> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = pool.unwrap_or_else(|error| panic!("{error}"));
    let mut g = vec![0.5; len];
    let value = pool.install(|| run(&mut g));
    g.push(value);
    g.iter().map(|x| x.to_bits()).collect()
}

#[test]
fn every_entry_point_has_the_same_bits_at_any_number_of_threads() {
    for entry in WORKLOADS.iter().chain(&REFERENCED) {
        // the first small case of each, and where it can be had cheaply one that is cut into chunks
        let large = match entry.workload {
            _ if cfg!(miri) => None,
            "gmm" => Some("d5_K6_n3000"),
            "ba" => Some("30x700x5000"),
            "minibude" => Some("700x3x30"),
            "matvec" | "matvec_tanh" => Some("300"),
            "spmv" | "gat" | "row_softmax" | "lennard_jones" => Some("3000"),
            "heat2d" => Some("64x4"),
            "softmax_regression" | "soft_k_means" | "polynomial_features" => Some("4000x4x3"),
            "option_book" | "batched_solve" => Some("9000"),
            "logistic_regression" => Some("9000x7"),
            "lattice_boltzmann" | "acoustic_wave" => Some("64x48x4"),
            "lennard_jones_dynamics" => Some("1000x2"),
            "soft_dtw" => Some("40x12x13x2"),
            "kalman" => Some("400x5"),
            "dg_volume" => Some("300"),
            "asian_option" => Some("3000x4"),
            "cross_section" => Some("3000x6x20"),
            "multipole" => Some("500x6x10"),
            "csr_regression" => Some("4000x50"),
            "mesh_convolution" => Some("3000x4x5"),
            "soft_rasteriser" => Some("60x12"),
            "hand_simple" | "hand_complicated" => Some("3000x2000"),
            _ => None,
        };
        for case in [entry.small[0]].into_iter().chain(large) {
            let Some(w) = (entry.load)(case) else { panic!("{} has no case {case}", entry.workload) };
            let p = w.parameters();
            let one = bits(1, |g| w.grad(&p, g), p.len());
            let into = bits(1, |g| w.grad_into(&p, g), p.len());
            let value = bits(1, |_| w.value(&p), 0);
            // Miri looks for races, which one pool of two threads shows as well
            for &threads in if cfg!(miri) { &[2][..] } else { &[1, 2, 3, 5] } {
                let name = format!("{} {case}, {threads} threads", entry.workload);
                assert_eq!(bits(threads, |g| w.grad(&p, g), p.len()), one, "{name}: grad");
                assert_eq!(bits(threads, |g| w.grad_into(&p, g), p.len()), into, "{name}: grad_into");
                assert_eq!(bits(threads, |_| w.value(&p), 0), value, "{name}: value");
            }
        }
    }
}
