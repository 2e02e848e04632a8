//! Vectors of structs with vectors, whose lengths differ: as arguments, as fields, behind `&mut`.

use pardiff::differentiate;

#[differentiate(check, forward, hvp, split)]
mod network {
    #[derive(Clone, Debug, PartialEq)]
    pub struct Layer {
        pub weights: Vec<Vec<f64>>,
        pub bias: Vec<f64>,
        pub slope: f64,
        pub ends: [f64; 2],
    }

    pub fn loss(layers: &[Layer], x: &[f64], y: &[f64]) -> f64 {
        let mut a = x.to_vec();
        for layer in layers {
            let mut next = Vec::with_capacity(layer.bias.len());
            for (row, b) in layer.weights.iter().zip(&layer.bias) {
                let sum = row.iter().zip(&a).map(|(w, v)| w * v).sum::<f64>() + b;
                next.push((layer.slope * sum).tanh().max(layer.ends[0]).min(layer.ends[1]));
            }
            a = next;
        }
        a.iter().zip(y).map(|(a, y)| (a - y) * (a - y)).sum()
    }

    pub struct Net {
        pub layers: Vec<Layer>,
        pub scale: f64,
        pub last: Vec<f64>,
    }

    impl Net {
        /// Weights as they are indexed.
        pub fn at(&self, x: &[f64]) -> f64 {
            let mut a = x.to_vec();
            for l in 0..self.layers.len() {
                let layer = &self.layers[l];
                let mut next = layer.bias.clone();
                for i in 0..next.len() {
                    for j in 0..layer.weights[i].len() {
                        next[i] += layer.weights[i][j] * a[j] * layer.slope;
                    }
                }
                a = next;
            }
            self.scale * a.iter().zip(&self.last).map(|(a, b)| a * b).sum::<f64>()
        }

        /// What is written.
        pub fn decay(&mut self, by: f64) {
            for layer in self.layers.iter_mut() {
                layer.slope *= by;
                for row in layer.weights.iter_mut() {
                    for w in row.iter_mut() {
                        *w *= by * layer.ends[1];
                    }
                }
                let n = layer.bias.len();
                layer.bias[n - 1] += self.last[0];
            }
            self.last[0] = self.layers[1].weights[0][0];
        }
    }

    /// Copies of vectors in vectors, whole and a part.
    pub fn copied(mut layers: Vec<Layer>) -> f64 {
        let old = layers.clone();
        layers[1].weights[0][1] *= layers[0].weights[1][0];
        let weights = layers[1].weights.clone();
        let mut sum = 0.0;
        for (row, before) in weights.iter().zip(&old[1].weights) {
            for (a, b) in row.iter().zip(before) {
                sum += a * b * b;
            }
        }
        sum * old[2].bias[0] * layers[2].slope
    }
}

fn layer(rows: usize, columns: usize, seed: f64) -> network::Layer {
    let row = |i: usize| (0..columns).map(|j| ((i * 7 + j * 3) as f64 * seed + 0.2).sin()).collect();
    let bias = (0..rows).map(|i| i as f64 * 0.1 * seed + 0.3).collect();
    network::Layer { weights: (0..rows).map(row).collect(), bias, slope: 0.4 + seed, ends: [-0.9, 0.95] }
}

fn layers() -> Vec<network::Layer> {
    vec![layer(4, 3, 0.7), layer(2, 4, 0.3), layer(1, 2, 0.9)]
}

fn net() -> network::Net {
    network::Net { layers: layers(), scale: 1.3, last: vec![0.7] }
}

#[test]
fn layers_of_several_sizes() {
    let (layers, x, y) = (layers(), [0.1, 0.5, -0.3], [0.7]);
    network::loss::check(&layers, &x, &y).expect("right derivatives");
    network::loss::check(&[], &x, &y).expect("right derivatives");
    network::net::at::check(&net(), &x).expect("right derivatives");
    network::copied::check(&layers).expect("right derivatives");
    let (value, gradient) = network::loss::gradient(&layers, &x, &y);
    assert_eq!(value, network::loss(&layers, &x, &y));
    let mut d_layers = layers.clone();
    network::loss::grad_into(&layers, &mut d_layers, &x, &mut [0.0; 3], &y, &mut [0.0]);
    assert_eq!(d_layers, gradient.layers);
}

#[test]
fn sweeps_apart_agree() {
    let (layers, x, y) = (layers(), [0.1, 0.5, -0.3], [0.7]);
    let mut tape = network::loss::Tape::default();
    network::loss::forward(&layers, &x, &y, &mut tape);
    let mut d_layers = layers.clone();
    network::loss::backward_into(&layers, &mut d_layers, &x, &mut [0.0; 3], &y, &mut [0.0], &tape, 1.0);
    let gradient = network::loss::gradient(&layers, &x, &y).1.layers;
    for (one, other) in d_layers.iter().zip(&gradient) {
        for (one, other) in one.weights.iter().flatten().zip(other.weights.iter().flatten()) {
            assert!((one - other).abs() <= 1e-14, "{one} {other}");
        }
    }
}

#[test]
fn layers_that_are_written() {
    network::net::decay::check(&mut net(), 0.9).expect("right derivatives");
    let (mut net, mut d_net) = (net(), net());
    let mut tape = network::net::decay::Tape::default();
    network::net::decay::forward(&mut net, 0.9, &mut tape);
    let mut d_by = 0.0;
    network::net::decay::backward(&mut d_net, 0.9, &mut d_by, &tape);
    assert!(d_by != 0.0);
}

#[test]
#[should_panic(
    expected = "loss: the length of the adjoint `d_layers[1].weights[1]` is 3 but the length of `layers[1].weights[1]` is 4"
)]
fn adjoints_of_other_lengths_are_named() {
    let mut d_layers = layers();
    d_layers[1].weights[1].pop();
    network::loss::grad(&layers(), &mut d_layers, &[0.1, 0.5, -0.3], &mut [0.0; 3], &[0.7], &mut [0.0]);
}

#[test]
#[should_panic(
    expected = "Net::at: the length of the adjoint `d_this.layers` is 2 but the length of `this.layers` is 3"
)]
fn adjoints_of_fewer_elements_are_named() {
    let mut d_net = net();
    d_net.layers.pop();
    network::net::at::grad(&net(), &mut d_net, &[0.1, 0.5, -0.3], &mut [0.0; 3]);
}

#[differentiate(check, forward)]
mod ragged {
    /// As many neighbours as there are.
    pub fn graph(x: &[f64], neighbours: &[Vec<usize>]) -> f64 {
        let mut sum = 0.0;
        for (i, of) in neighbours.iter().enumerate() {
            for &k in of {
                sum += x[i] * x[k] * x[k];
            }
        }
        sum
    }

    /// Areas of polygons.
    pub fn areas(of: &[Vec<[f64; 2]>], x: &[f64]) -> f64 {
        let area = |of: &[[f64; 2]]| {
            let next = |k: usize| of[(k + 1) % of.len()];
            (0..of.len()).map(|k| of[k][0] * next(k)[1] - of[k][1] * next(k)[0]).sum::<f64>()
        };
        of.iter().zip(x).map(|(of, x)| x * area(of)).sum()
    }

    /// Weights of a network, and pairs.
    #[allow(clippy::ptr_arg)]
    pub fn forward(weights: &Vec<Vec<Vec<f64>>>, pairs: Vec<Vec<(usize, f64)>>, x: &[f64]) -> f64 {
        let mut a = x.to_vec();
        for layer in weights {
            a = layer.iter().map(|row| row.iter().zip(&a).map(|(w, v)| w * v).sum::<f64>().sin()).collect();
        }
        pairs.iter().flatten().map(|&(k, v)| v * a[k]).sum()
    }

    #[derive(Clone)]
    pub struct Named {
        pub name: String,
        pub weights: Vec<Vec<f64>>,
    }

    #[derive(Clone)]
    pub struct Model {
        pub parts: Vec<Named>,
        pub rows: Vec<Vec<Vec<f64>>>,
        pub last: Option<f64>,
    }

    impl Model {
        pub fn value(&self, x: f64) -> f64 {
            let of = |part: &Named| part.weights.iter().map(|row| row.len() as f64 * row[0]).sum::<f64>();
            let rows = self.rows.iter().flatten().flatten().map(|v| v * v * x).sum::<f64>();
            self.parts.iter().map(of).product::<f64>() * rows + self.last.unwrap_or(0.0)
        }

        pub fn scale(&mut self, x: f64) {
            for part in &mut self.parts {
                part.weights[0][0] *= x;
            }
            self.rows[1][0][1] = self.parts[1].weights[1][0] * self.last.unwrap_or(1.0);
        }
    }
}

fn model() -> ragged::Model {
    let named = |name: &str, weights| ragged::Named { name: name.to_owned(), weights };
    ragged::Model {
        parts: vec![named("a", vec![vec![0.3], vec![0.2, 0.4]]), named("b", vec![vec![1.2, 0.3], vec![0.7]])],
        rows: vec![vec![vec![0.1, 0.2], vec![]], vec![vec![0.5, 0.6, 0.7]], vec![]],
        last: Some(0.4),
    }
}

#[test]
fn rows_of_several_lengths() {
    let x = [0.3, 0.7, 1.1];
    ragged::graph::check(&x, &[vec![1, 2], vec![], vec![0]]).expect("right derivatives");
    let polygons = [vec![[0.0, 0.1], [1.0, 0.2], [0.4, 0.9]], vec![], vec![[0.3, 0.2], [0.5, 0.1]]];
    ragged::areas::check(&polygons, &x).expect("right derivatives");
    let weights = vec![vec![vec![0.1, 0.4, 0.2], vec![0.7, 0.3, 0.9]], vec![vec![0.8, 0.5]]];
    ragged::forward::check(&weights, &[vec![(0, 1.2)], vec![], vec![(0, 0.3), (0, 0.4)]], &x)
        .expect("right derivatives");
    ragged::model::value::check(&model(), 0.6).expect("right derivatives");
    let mut scaled = model();
    ragged::model::scale::check(&mut scaled, 0.6).expect("right derivatives");
    assert_eq!(scaled.parts[1].name, "b");
}

#[test]
fn gradients_have_the_lengths_of_the_rows() {
    let polygons = [vec![[0.0, 0.1], [1.0, 0.2], [0.4, 0.9]], vec![], vec![[0.3, 0.2]]];
    let (_, gradient) = ragged::areas::gradient(&polygons, &[1.0, 2.0, 3.0]);
    assert_eq!(gradient.of.iter().map(Vec::len).collect::<Vec<_>>(), [3, 0, 1]);
    let mut d_of = polygons.clone();
    ragged::areas::grad_into(&polygons, &mut d_of, &[1.0, 2.0, 3.0], &mut [0.0; 3]);
    assert_eq!(d_of.to_vec(), gradient.of);
}

#[test]
#[should_panic(expected = "graph: index out of range in `x[k]`")]
fn indices_in_rows_are_checked() {
    ragged::graph::gradient(&[0.1, 0.2], &[vec![1], vec![2]]);
}
