//! Methods of a module, under the same lints: of all visibilities, asked for and not.

use pardiff::differentiate;

/// What has a measure, from outside of the module.
pub trait Measure {
    /// The measure.
    fn measure(&self, scale: f64) -> f64;
}

/// Types with methods.
#[differentiate(forward)]
pub mod kernels {
    use super::Measure;

    const BASE: f64 = 0.75;

    /// Fields of all visibilities.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct Bodies {
        /// Seen.
        pub value: f64,
        seed: f64,
        pub(crate) count: usize,
    }

    impl Bodies {
        /// Not a literal.
        pub const HALF: f64 = BASE * (2.0 / 3.0);

        /// One of these.
        #[must_use]
        pub const fn new(value: f64) -> Self {
            Self { value, seed: 2.0, count: 1 }
        }

        /// Called like what is generated.
        #[must_use]
        #[inline(always)]
        pub fn grad(&self, overwrite: f64) -> f64 {
            self.value * self.seed * overwrite + Self::HALF * self.power(self.count)
        }

        /// By a typed receiver, and calls itself.
        #[must_use]
        #[expect(clippy::needless_arbitrary_self_type, reason = "as some people write it")]
        pub fn power(self: &Self, n: usize) -> f64 {
            let mut product = 1.0;
            for _ in 0..n {
                product *= self.value;
            }
            product
        }

        /// Writes and returns.
        pub fn shift(&mut self, by: &[f64], out: &mut [f64]) -> f64 {
            for (out, by) in out.iter_mut().zip(by) {
                self.value += by;
                *out = self.value * self.seed;
            }
            self.value
        }

        /// No gradient, and nobody asks for one.
        #[must_use]
        pub fn text(&self, unit: &str) -> (f64, String) {
            (self.value, format!("{} {unit}", self.value))
        }

        /// Nor this.
        #[must_use]
        pub fn parts(&self) -> [&f64; 2] {
            [&self.value, &self.seed]
        }

        /// In the crate.
        #[must_use]
        pub(crate) fn inside(mut self, x: f64) -> f64 {
            self.value += x;
            self.value * self.value
        }

        #[differentiate(sequential)]
        fn private(&self, x: &[f64]) -> f64 {
            let mut sum = 0.0;
            for i in 0..x.len() {
                sum += x[i] * self.value;
            }
            sum
        }

        /// Uses what is private.
        #[must_use]
        pub fn of_private(&self) -> usize {
            bodies::private::gradient(self, &[1.0, 2.0]).1.x.len()
        }
    }

    impl Measure for Bodies {
        fn measure(&self, scale: f64) -> f64 {
            self.value.powi(2) * scale
        }
    }

    /// A choice.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Choice {
        /// First.
        First,
        /// Second.
        Second,
    }

    impl Choice {
        /// By what is chosen.
        #[must_use]
        pub fn weight(self, x: f64) -> f64 {
            if matches!(self, Self::First) { x * x } else { x }
        }
    }

    /// Nobody is told to use it, and nothing generated does.
    #[deprecated(note = "use `Bodies`")]
    #[derive(Debug)]
    pub struct Old(pub f64);

    #[expect(deprecated, reason = "as long as it is there")]
    impl Old {
        /// Its square.
        #[must_use]
        pub fn square(&self) -> f64 {
            self.0 * self.0
        }
    }

    /// In the crate alone.
    #[derive(Clone, Copy, Debug)]
    pub(crate) struct Near(pub(crate) f64);

    impl Near {
        #[must_use]
        pub(crate) fn twice(&self) -> f64 {
            self.0 * 2.0
        }

        #[must_use]
        pub(crate) fn thrice(&self, others: &[Near]) -> f64 {
            others.iter().map(|near| near.0 * self.0).sum()
        }
    }
}

macro_rules! module_of {
    ($module:ident, $name:ident, $self:ident, $by:expr, $body:expr) => {
        /// A module from a macro.
        #[differentiate]
        pub mod $module {
            /// A number.
            #[derive(Clone, Copy, Debug)]
            pub struct $name(pub f64);

            impl $name {
                /// Scaled.
                #[must_use]
                pub fn scaled(&$self, x: f64) -> f64 {
                    let y = $self.0 * x;
                    y * $by + $body
                }
            }
        }
    };
}

module_of!(made, Made, self, 1.0 + 2.0, self.0 * self.0);

/// In a function body.
#[must_use]
pub fn local() -> f64 {
    #[differentiate]
    mod inner {
        pub(super) struct Local(pub(super) f64);

        impl Local {
            pub(super) fn square(&self) -> f64 {
                self.0 * self.0
            }
        }
    }
    inner::local::square::gradient(&inner::Local(3.0)).1.this.0
}

/// Uses what is visible in the crate alone.
#[must_use]
pub fn uses() -> f64 {
    let near = kernels::Near(2.0);
    let (first, gradient) = kernels::near::twice::gradient(&near);
    let (second, _) = kernels::bodies::inside::gradient(kernels::Bodies::new(1.0), 2.0);
    let third = kernels::near::thrice::gradient(&near, &[near]).1.others[0].0;
    first + gradient.this.0 + second + third + made::made::scaled::gradient(&made::Made(1.0), 2.0).1.x
}
