//! Methods that a trait of the module gives numbers.

use pardiff::differentiate;

#[differentiate(check)]
mod smooth {
    pub trait Smooth {
        fn softplus(self) -> f64;
        fn scaled(&self, by: f64) -> f64;

        /// Not that of `f64`, which comes first.
        fn recip(self) -> f64;
    }

    impl Smooth for f64 {
        fn softplus(self) -> f64 {
            self.exp().ln_1p()
        }

        fn scaled(&self, by: f64) -> f64 {
            *self * by
        }

        fn recip(self) -> f64 {
            self
        }
    }

    impl Smooth for usize {
        fn softplus(self) -> f64 {
            (self as f64).softplus()
        }

        fn scaled(&self, by: f64) -> f64 {
            by / (1.0 + *self as f64)
        }

        fn recip(self) -> f64 {
            self as f64
        }
    }

    pub fn loss(x: &[f64], k: usize) -> f64 {
        let mut sum = 0.0;
        for i in 0..x.len() {
            sum += x[i].softplus() * i.scaled(x[i]) + x[i].scaled(k.softplus()) + x[i].recip();
        }
        sum
    }
}

#[test]
fn methods_of_numbers() {
    let x = [0.5, -1.0, 2.0];
    let report = smooth::loss::check(&x, 2).expect("right derivatives");
    assert_eq!(report.arguments.len(), 1);
    let (value, _) = smooth::loss::gradient(&x, 2);
    assert!((value - smooth::loss(&x, 2)).abs() < 1e-14);
    assert_eq!((smooth::Smooth::recip(2.0), 2.0_f64.recip()), (2.0, 0.5));
}
