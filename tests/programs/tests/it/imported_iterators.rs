//! `std::iter::zip`, by its path and imported; closures of `map` that carry something along; derived defaults.

use pardiff::differentiate;
use pardiff_programs::{check, random};

#[differentiate]
mod kernels {
    use std::iter::zip;
    use std::ops::AddAssign;

    #[derive(Clone, Copy, Default)]
    pub struct Moments {
        pub mean: f64,
        pub square: [f64; 2],
        pub count: usize,
    }

    #[derive(Clone, Copy, Default)]
    struct Both {
        first: Moments,
        scale: f64,
    }

    impl AddAssign<f64> for Moments {
        fn add_assign(&mut self, x: f64) {
            self.mean += x;
            self.square[self.count % 2] += x * x;
            self.count += 1;
        }
    }

    pub fn paired(x: &[f64], y: &[f64]) -> f64 {
        let mut both = Both { scale: 0.5, ..Default::default() };
        let mut parts = vec![Moments::default(); 2];
        for (k, (a, b)) in zip(x, y).enumerate() {
            both.first += a * b;
            parts[k % 2] += *a;
        }
        let triple: f64 = zip(zip(x, y), &x[1..]).map(|((a, b), c)| a * b * c).sum();
        let Both { first, scale } = both;
        triple + scale * first.square[0] * first.mean + parts[1].square[0] * parts[0].mean
    }
}

#[test]
fn pairs_and_defaults() {
    let (x, y) = (random(1, 5), random(2, 4));
    let (v, g) = kernels::paired::gradient(&x, &y);
    assert!((v - kernels::paired(&x, &y)).abs() < 1e-14);
    check(|v| kernels::paired(&v[0], &v[1]), &[&x, &y], &[&g.x, &g.y]);
}

/// A path of a price, thresholds from increments, and a sum with weights that grow.
#[differentiate]
pub fn carried(z: &[f64], start: f64) -> f64 {
    let mut s = start;
    let path: Vec<f64> = z
        .iter()
        .map(|z| {
            s *= (0.3 * z).exp();
            s
        })
        .collect();
    let mut weight = 0.0;
    let weighted: f64 = std::iter::zip(path.iter().rev(), z)
        .map(|(p, z)| {
            weight += p * z;
            weight * p
        })
        .sum();
    let mut last = 1.0;
    let folded =
        z.iter().filter(|z| **z > 0.0).map(|z| std::mem::replace(&mut last, *z) * z).fold(0.0, |a, b| a + b);
    weighted + folded * last + s
}

#[test]
fn closures_that_carry_something_along() {
    for n in [0, 1, 6] {
        let z = random(3, n);
        let (v, g) = carried::gradient(&z, 1.2);
        assert!((v - carried(&z, 1.2)).abs() < 1e-13);
        check(|v| carried(&v[0], v[1][0]), &[&z, &[1.2]], &[&g.z, &[g.start]]);
    }
}
