#![forbid(unsafe_code)]
#![deny(warnings, missing_docs)]
//! The kernel of the mixture example, as a crate that forbids and denies what careful crates do.

#[path = "../../../workloads/gmm.rs"]
mod objective;

use objective::gmm;

pub fn main() {
    // one component, one point in one dimension, L = 1: log-likelihood of a Gaussian without its constant
    let (mut d_alphas, mut d_means, mut d_icf) = ([0.0], [0.0], [0.0]);
    let value = gmm::grad(
        &[0.0], &mut d_alphas, &[1.0], &mut d_means, &[0.0], &mut d_icf, &[3.0], 1, 1, 1, 1.0, 0.0, 0.0, 0.0,
    );
    assert_eq!(value, -2.0);
    assert_eq!((d_alphas, d_means, d_icf), ([0.0], [2.0], [-3.0]));
    let (value, gradient) = gmm::gradient(&[0.0], &[1.0], &[0.0], &[3.0], 1, 1, 1, 1.0, 0.0, 0.0, 0.0);
    assert_eq!((value, gradient.means), (-2.0, vec![2.0]));
    assert!(gmm::DECISIONS.contains("for i in 0..n"));
}
