//! A module of kernels with structs, under the same lints; names that generated code uses are taken by the user.

use pardiff::differentiate;

/// Kernels.
#[differentiate]
pub mod kernels {
    /// Called like a type of generated modules.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct Gradient {
        /// Called like a function of generated modules.
        pub value: f64,
        /// A pair.
        pub seed: [f32; 2],
        /// Left alone.
        pub overwrite: usize,
        hidden: bool,
    }

    /// Without fields of integers, and without any trait.
    #[derive(Debug)]
    pub struct Bodies(pub f64, pub [Gradient; 2]);

    const RECORDS: f64 = 0.5;

    impl Gradient {
        /// One with these numbers.
        #[must_use]
        pub fn new(value: f64, seed: [f32; 2]) -> Gradient {
            Gradient { value, seed, overwrite: 3, hidden: true }
        }

        fn accumulate(&self) -> f64 {
            if self.hidden { self.value * f64::from(self.seed[0]) } else { RECORDS }
        }
    }

    fn value(of: &Gradient) -> f64 {
        of.accumulate() * RECORDS
    }

    /// A slice, and one struct behind `&mut`.
    pub fn sum(record: &[Gradient], records: &mut Gradient) -> f64 {
        let mut total = 0.0;
        for i in 0..record.len() {
            total += value(&record[i]) * records.value;
        }
        records.seed[1] *= 2.0;
        records.overwrite += 1;
        total
    }

    /// A struct of structs, by value and returned.
    pub fn swapped(bodies: Bodies) -> Bodies {
        let Bodies(x, [first, second]) = bodies;
        Bodies(x * x, [second, first])
    }

    /// Private fields, lengths by name, many arguments.
    pub(crate) fn many<const N: usize>(a: &[Gradient; N], b: &[f64; N], c: f64) -> f64 {
        let mut total = c;
        for i in 0..N {
            total += value(&a[i]) * b[i];
        }
        total
    }

    /// Something else.
    #[must_use]
    pub fn untouched(text: &str) -> usize {
        text.len()
    }
}

/// Uses what is visible in the crate alone.
#[must_use]
pub fn uses() -> f64 {
    let a = [kernels::Gradient::new(1.0, [2.0, 3.0]); 2];
    let (value, gradient) = kernels::many::gradient(&a, &[1.0, 2.0], 0.5);
    value + gradient.a[1].value + gradient.c
}
