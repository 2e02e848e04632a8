//! What a gradient allocates for a loop over time.

#![allow(clippy::manual_memcpy, reason = "loops over elements, as kernels are written")]

use pardiff::differentiate;

#[path = "../../../benches/benches/suite/allocations.rs"]
#[allow(dead_code, reason = "the suite counts allocations as well")]
mod allocations;

#[global_allocator]
static COUNTING: allocations::Counting = allocations::Counting;

/// Nonlinear diffusion on a rod.
#[differentiate]
fn diffusion(u: &mut [f64], k: &[f64], steps: usize) {
    let n = u.len();
    let mut next = vec![0.0; n];
    for _ in 0..steps {
        for i in 1..n - 1 {
            next[i] = u[i] + k[i] * (u[i - 1] - 2.0 * u[i] + u[i + 1]) * u[i];
        }
        for i in 1..n - 1 {
            u[i] = next[i];
        }
    }
}

/// The same with a mark.
#[differentiate]
fn diffusion_marked(u: &mut [f64], k: &[f64], steps: usize) {
    let n = u.len();
    let mut next = vec![0.0; n];
    #[checkpoint]
    for _ in 0..steps {
        for i in 1..n - 1 {
            next[i] = u[i] + k[i] * (u[i - 1] - 2.0 * u[i] + u[i + 1]) * u[i];
        }
        for i in 1..n - 1 {
            u[i] = next[i];
        }
    }
}

fn peak(run: impl FnOnce()) -> usize {
    pardiff::release_scratch();
    allocations::peak(run).1
}

#[test]
fn a_marked_loop_keeps_the_root_of_its_steps() {
    let (n, steps) = (1000, 900);
    let (k, row) = (vec![0.01; n], 8 * n);
    let (mut u, mut d_u, mut d_k) = (vec![1.0; n], vec![1.0; n], vec![0.0; n]);
    let plain = peak(|| diffusion::vjp(&mut u, &mut d_u, &k, &mut d_k, steps));
    let (mut v, mut d_v, mut e_k) = (vec![1.0; n], vec![1.0; n], vec![0.0; n]);
    let marked = peak(|| diffusion_marked::vjp(&mut v, &mut d_v, &k, &mut e_k, steps));
    assert_eq!((u, d_u, d_k), (v, d_v, e_k));
    assert!(plain >= steps * row, "{plain}");
    // 30 states, tapes of 30 steps, a few rows, and what the threads of a pool that begins allocate
    assert!(marked <= (30 + 30 + 12) * row + (1 << 13), "{marked}");
}
