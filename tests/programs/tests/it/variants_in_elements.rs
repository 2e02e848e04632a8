//! Enums, options, characters and names beside vectors, in elements of slices; options of vectors, and enums
//! whose variants hold some.

use pardiff::differentiate;

#[differentiate(check, forward, hvp)]
mod network {
    use std::num::NonZeroU32;

    #[derive(Clone, Copy, Debug, PartialEq)]
    pub enum Activation {
        Relu,
        Tanh,
        LeakyRelu(f64),
    }

    impl Activation {
        fn apply(&self, x: f64) -> f64 {
            match self {
                Activation::Relu => x.max(0.0),
                Activation::Tanh => x.tanh(),
                Activation::LeakyRelu(slope) => x.max(slope * x),
            }
        }
    }

    #[derive(Clone, Debug, PartialEq)]
    pub struct Layer {
        pub weights: Vec<f64>,
        pub bias: Option<Vec<f64>>,
        pub rows: usize,
        pub gain: Option<f64>,
        pub activation: Activation,
        pub normed: bool,
        pub tag: char,
        pub often: NonZeroU32,
        pub name: String,
    }

    impl Layer {
        pub fn forward(&self, x: &[f64]) -> Vec<f64> {
            let mut out = vec![0.0; self.rows];
            for i in 0..self.rows {
                for j in 0..x.len() {
                    out[i] += self.weights[i * x.len() + j] * x[j];
                }
                if let Some(bias) = &self.bias {
                    out[i] += bias[i];
                }
                out[i] = self.activation.apply(out[i]) * self.gain.unwrap_or(1.0);
            }
            if self.normed {
                let sum: f64 = out.iter().map(|v| v * v).sum();
                out.iter_mut().for_each(|v| *v /= 1.0 + sum);
            }
            out
        }
    }

    pub fn loss(layers: &[Layer], x: &[f64]) -> f64 {
        let mut a = x.to_vec();
        let mut sum = 0.0;
        for layer in layers {
            a = layer.forward(&a);
            if layer.tag == 'o' {
                sum += a[0] * layer.often.get() as f64;
            }
        }
        sum + a.iter().map(|v| v * v).sum::<f64>()
    }

    #[derive(Clone)]
    pub struct Net {
        pub layers: Vec<Layer>,
        pub last: Option<Vec<f64>>,
    }

    impl Net {
        pub fn value(&self, x: &[f64]) -> f64 {
            let mut a = x.to_vec();
            for k in 0..self.layers.len() {
                a = self.layers[k].forward(&a);
            }
            match &self.last {
                Some(last) => a.iter().zip(last).map(|(a, b)| a * b * b).sum(),
                None => a[0],
            }
        }

        pub fn decay(&mut self, by: f64) {
            for layer in self.layers.iter_mut() {
                layer.weights[0] *= by;
                if let Activation::LeakyRelu(slope) = &mut layer.activation {
                    *slope *= by * layer.weights[1];
                }
                if let Some(bias) = &mut layer.bias {
                    bias.iter_mut().for_each(|b| *b *= by);
                }
                if let Some(gain) = layer.gain.as_mut() {
                    *gain *= by;
                }
            }
            if let Some(last) = self.last.as_mut() {
                last[0] *= by;
            }
        }
    }
}

use network::{Activation, Layer, Net};

fn numbers(n: usize, seed: f64) -> Vec<f64> {
    (0..n).map(|i| ((i as f64 + 1.3) * seed).sin() * 0.7 + 0.05).collect()
}

fn layer(rows: usize, columns: usize, activation: Activation, seed: f64) -> Layer {
    Layer {
        weights: numbers(rows * columns, seed),
        bias: (rows > 2).then(|| numbers(rows, seed + 0.2)),
        rows,
        gain: (columns > 3).then_some(1.2),
        activation,
        normed: rows == 2,
        tag: if rows == 2 { 'o' } else { 'i' },
        often: 3.try_into().unwrap(),
        name: format!("{rows}"),
    }
}

fn layers() -> Vec<Layer> {
    vec![
        layer(4, 3, Activation::LeakyRelu(0.2), 0.7),
        layer(2, 4, Activation::Tanh, 0.3),
        layer(3, 2, Activation::LeakyRelu(0.4), 0.9),
        layer(1, 3, Activation::Relu, 0.5),
    ]
}

#[test]
fn layers_with_activations() {
    let (layers, x) = (layers(), [0.1, 0.5, -0.3]);
    network::loss::check(&layers, &x).expect("right derivatives");
    network::layer::forward::check(&layers[0], &x).expect("right derivatives");
    let (value, gradient) = network::loss::gradient(&layers, &x);
    assert!((value - network::loss(&layers, &x)).abs() <= 1e-14);
    assert_eq!(gradient.layers[1].bias, None);
    assert_eq!(gradient.layers[0].bias.as_ref().map(Vec::len), Some(4));
    assert_eq!((gradient.layers[1].activation, &*gradient.layers[1].name), (Activation::Tanh, "2"));
    // what is `None` in an adjoint stands for zeros
    let mut d_layers = layers.clone();
    (d_layers[0].bias, d_layers[1].gain) = (None, None);
    network::loss::grad_into(&layers, &mut d_layers, &x, &mut [0.0; 3]);
    // what is no float says nothing in an adjoint
    for (d, layer) in d_layers.iter_mut().zip(&gradient.layers) {
        (d.tag, d.often) = (layer.tag, layer.often);
    }
    assert_eq!(d_layers, gradient.layers);
}

#[test]
fn nets_that_are_read_and_written() {
    for last in [None, Some(vec![0.6])] {
        let mut net = Net { layers: layers(), last };
        network::net::value::check(&net, &[0.1, 0.5, -0.3]).expect("right derivatives");
        network::net::decay::check(&mut net, 0.8).expect("right derivatives");
    }
}

#[test]
#[should_panic(
    expected = "loss: the adjoint `d_layers[2].activation` is `Tanh` but `layers[2].activation` is `LeakyRelu`"
)]
fn adjoints_of_other_variants_are_named() {
    let mut d_layers = layers();
    d_layers[2].activation = Activation::Tanh;
    network::loss::grad(&layers(), &mut d_layers, &[0.1, 0.5, -0.3], &mut [0.0; 3]);
}

#[test]
#[should_panic(expected = "loss: the tangent `layers_dot[0].bias` is `None` but `layers[0].bias` is `Some`")]
fn tangents_without_vectors_are_named() {
    let mut layers_dot = layers();
    layers_dot[0].bias = None;
    network::loss::jvp(&layers(), &layers_dot, &[0.1, 0.5, -0.3], &[0.0; 3]);
}

#[test]
#[should_panic(
    expected = "the length of the adjoint `d_this.layers[0].bias` is 1 but the length of `this.layers[0].bias` is 4"
)]
fn adjoints_of_other_lengths_are_named() {
    let net = Net { layers: layers(), last: None };
    let mut d_net = net.clone();
    d_net.layers[0].bias = Some(vec![0.0]);
    network::net::value::grad(&net, &mut d_net, &[0.1, 0.5, -0.3], &mut [0.0; 3]);
}

#[differentiate(check, forward, hvp)]
mod process {
    /// Variants that hold vectors.
    #[derive(Clone, Debug, PartialEq)]
    pub enum Kernel {
        Rbf { length: f64, variance: f64 },
        Scaled(Vec<f64>),
        Linear,
    }

    impl Kernel {
        pub fn value(&self, a: &[f64], b: &[f64]) -> f64 {
            let pairs = a.iter().zip(b);
            match self {
                Kernel::Rbf { length, variance } => {
                    let square: f64 = pairs.map(|(x, y)| (x - y) * (x - y)).sum();
                    variance * (-square / (2.0 * length * length)).exp()
                }
                Kernel::Scaled(by) => {
                    (-pairs.zip(by).map(|((x, y), s)| (x - y) * (x - y) * s).sum::<f64>()).exp()
                }
                Kernel::Linear => pairs.map(|(x, y)| x * y).sum(),
            }
        }
    }

    #[derive(Clone)]
    pub struct Process {
        pub kernel: Kernel,
        pub at: Vec<Vec<f64>>,
        pub weights: Vec<f64>,
    }

    impl Process {
        pub fn mean(&self, x: &[f64]) -> f64 {
            self.at.iter().zip(&self.weights).map(|(at, weight)| weight * self.kernel.value(at, x)).sum()
        }
    }

    pub fn sum(kernels: &[Kernel], a: &[f64], b: &[f64]) -> f64 {
        kernels.iter().map(|kernel| kernel.value(a, b)).sum()
    }

    pub fn moved(mut kernel: Kernel, a: &[f64], b: &[f64]) -> f64 {
        if let Kernel::Scaled(by) = &mut kernel {
            by[0] *= a[0];
        }
        let copy = kernel.clone();
        kernel.value(a, b) * copy.value(b, a) + Kernel::Scaled(a.to_vec()).value(a, b)
    }

    pub fn scale(kernel: &mut Kernel, by: f64) {
        match kernel {
            Kernel::Scaled(all) => all.iter_mut().for_each(|v| *v *= by),
            Kernel::Rbf { length, .. } => *length *= by,
            Kernel::Linear => {}
        }
    }

    /// Options of vectors, alone and in vectors.
    pub fn affine(w: &[f64], bias: Option<Vec<f64>>, gaps: &[Option<Vec<f64>>]) -> f64 {
        let mut sum = 0.0;
        for i in 0..w.len() {
            sum += w[i] * w[i] * bias.as_ref().map_or(1.0, |bias| bias[i]);
        }
        sum * gaps.iter().flatten().map(|gap| gap.iter().sum::<f64>()).sum::<f64>()
    }

    pub fn of_flags(of: &[(Vec<f32>, Option<usize>)], x: f32) -> f32 {
        of.iter().map(|(v, at)| at.map_or(x, |at| v[at] * x * x)).sum()
    }
}

#[test]
fn variants_with_vectors() {
    use process::Kernel;
    let (a, b) = (numbers(3, 0.2), numbers(3, 0.5));
    for mut kernel in
        [Kernel::Rbf { length: 0.7, variance: 1.2 }, Kernel::Scaled(numbers(3, 0.8)), Kernel::Linear]
    {
        process::kernel::value::check(&kernel, &a, &b).expect("right derivatives");
        process::moved::check(&kernel, &a, &b).expect("right derivatives");
        let at = vec![numbers(3, 0.3), numbers(3, 0.6)];
        let process = process::Process { kernel: kernel.clone(), at, weights: numbers(2, 0.2) };
        process::process::mean::check(&process, &a).expect("right derivatives");
        let kernels = [kernel.clone(), Kernel::Scaled(numbers(4, 1.1)), kernel.clone()];
        process::sum::check(&kernels, &a, &b).expect("right derivatives");
        process::scale::check(&mut kernel, 0.7).expect("right derivatives");
    }
}

#[test]
fn options_of_vectors() {
    let (w, gaps) = (numbers(3, 0.4), [Some(numbers(2, 0.3)), None, Some(numbers(1, 0.6))]);
    for bias in [None, Some(numbers(3, 0.9))] {
        process::affine::check(&w, &bias, &gaps).expect("right derivatives");
        let (_, gradient) = process::affine::gradient(&w, &bias, &gaps);
        assert_eq!(gradient.bias.is_some(), bias.is_some());
        let (mut d_bias, mut d_gaps) = (None, [None, None, None]);
        process::affine::grad(&w, &mut [0.0; 3], &bias, &mut d_bias, &gaps, &mut d_gaps);
        assert_eq!((d_bias, d_gaps.to_vec()), (gradient.bias, gradient.gaps));
    }
    process::of_flags::check(&[(vec![0.3, 0.4], Some(1)), (vec![0.5], None)], 0.7)
        .expect("right derivatives");
}
