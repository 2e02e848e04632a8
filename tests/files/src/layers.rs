//! A network of a generic layer that stands in a module of its own.

/// The layer.
pub mod layer {
    use pardiff::differentiate;

    /// Weights of a layer with `N` inputs.
    #[differentiate(export)]
    #[derive(Clone, Copy)]
    pub struct Layer<T, const N: usize> {
        /// One for each input.
        pub weights: [T; N],
        /// The bias.
        pub bias: T,
    }

    /// How many inputs there are.
    #[differentiate(export)]
    pub const INPUTS: usize = 2;

    /// And weights, with the bias.
    #[differentiate(export, uses(INPUTS))]
    pub const WEIGHTS: usize = INPUTS + 1;

    /// What is smooth about a number.
    #[differentiate(export)]
    pub trait Smooth {
        /// The logarithm of `1 + exp(x)`.
        fn softplus(self) -> f64;
    }

    #[differentiate(export, uses(Smooth))]
    impl Smooth for f64 {
        fn softplus(self) -> f64 {
            self.exp().ln_1p()
        }
    }

    #[differentiate(export, uses(Layer))]
    impl<const N: usize> Layer<f64, N> {
        /// The value before the activation.
        pub fn sum(&self, x: &[f64; N]) -> f64 {
            let mut sum = self.bias;
            for i in 0..N {
                sum += self.weights[i] * x[i];
            }
            sum
        }
    }
}

use layer::{INPUTS, Layer, Smooth, WEIGHTS, f64_smooth};
use pardiff::differentiate;

/// The loss of one layer over rows of two inputs.
#[differentiate(uses(Layer, Smooth, f64_smooth, layer::layer), check)]
pub fn loss(layer: &Layer<f64, 2>, x: &[[f64; 2]], y: &[f64]) -> f64 {
    let mut sum = 0.0;
    for i in 0..x.len() {
        let r = layer.sum(&x[i]).softplus() - y[i];
        sum += r * r;
    }
    sum
}

/// The activation times each input, and alone, with lengths that stand elsewhere.
#[differentiate(uses(INPUTS, Layer, Smooth, WEIGHTS, f64_smooth, layer::layer), check)]
pub fn products(layer: &Layer<f64, INPUTS>, x: &[f64; INPUTS], out: &mut [f64; WEIGHTS]) {
    let activation = layer.sum(x).softplus();
    for i in 0..INPUTS {
        out[i] = activation * x[i];
    }
    out[WEIGHTS - 1] = activation;
}
