//! The gradients that are timed against each other are the same gradients.

#[path = "../../workloads/gmm.rs"]
mod objective;

use objective::gmm;
use pardiff_benches::gmm::{Case, Parameters, gradient};

#[test]
fn the_generated_mixture_gradient_is_the_one_by_hand() {
    for (d, k, n) in [(1, 1, 3), (1, 4, 5), (2, 3, 1), (7, 5, 40)] {
        let mut case = Case::new(d, k, n);
        case.sizes.m = 2.0;
        case.sizes.gamma = 1.5;
        let Case { alphas, means, icf, x, sizes: s } = &case;

        let (mut d_alphas, mut d_means, mut d_icf) = case.zeros();
        let value = gmm::grad(
            alphas,
            &mut d_alphas,
            means,
            &mut d_means,
            icf,
            &mut d_icf,
            x,
            d,
            k,
            n,
            s.gamma,
            s.m,
            s.prior,
            s.constant,
        );

        let (mut h_alphas, mut h_means, mut h_icf) = case.zeros();
        let by_hand = gradient(
            &Parameters { alphas: alphas.as_slice(), means, icf },
            &mut Parameters { alphas: &mut h_alphas[..], means: &mut h_means, icf: &mut h_icf },
            x,
            s,
        );

        assert!(((value - by_hand) / by_hand).abs() < 1e-12, "value {value}, by hand {by_hand}");
        let generated = [d_alphas, d_means, d_icf].concat();
        let by_hand = [h_alphas, h_means, h_icf].concat();
        for (i, (g, h)) in generated.iter().zip(&by_hand).enumerate() {
            assert!(
                (g - h).abs() <= 1e-10 * (1.0 + h.abs()),
                "d={d} k={k} n={n}, entry {i}: {g}, by hand {h}"
            );
        }
    }
}
