//! Structs in structs, and arrays of structs in a struct.
use pardiff::differentiate;

#[differentiate]
mod network {
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct Layer {
        pub weights: [[f64; 2]; 2],
        pub bias: [f64; 2],
    }

    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct Network {
        pub layers: [Layer; 2],
        pub gain: f32,
    }

    impl Layer {
        fn apply(&self, x: [f64; 2]) -> [f64; 2] {
            let mut y = self.bias;
            for i in 0..2 {
                for j in 0..2 {
                    y[i] += self.weights[i][j] * x[j];
                }
                y[i] = y[i].tanh();
            }
            y
        }
    }

    #[differentiate(wrt(network))]
    pub fn output(network: &Network, x: [f64; 2]) -> f64 {
        let mut y = x;
        for layer in &network.layers {
            y = layer.apply(y);
        }
        (y[0] + y[1]) * f64::from(network.gain)
    }
}

pub fn main() {
    let network = network::Network { gain: 2.0, ..Default::default() };
    let mut d = network::Network::default();
    assert_eq!(network::output::grad(&network, &mut d, [1.0, 1.0]), 0.0);
    assert_eq!((d.layers[1].bias, d.layers[0].bias), ([2.0, 2.0], [0.0, 0.0]));
}
