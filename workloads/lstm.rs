//! The objective of ADBench's LSTM: layers with diagonal weights that predict the next character.

use pardiff::differentiate;

/// Mean over time and characters of the negative log-likelihood of a sequence.
///
/// Shapes: `main` has, for each of `layers`, a row of weights and a row of biases, each of four gates (forget, in, out,
/// change) of `b`; `extra` has three rows of `b` (input weights, output weights, output biases); `state` has, for each
/// layer, the hidden row and the cell row; `sequence` has `steps + 1` rows of `b`.
#[differentiate(wrt(main, extra))]
#[allow(clippy::too_many_arguments, clippy::needless_range_loop)]
pub fn lstm(
    main: &[f64],
    extra: &[f64],
    state: &[f64],
    sequence: &[f64],
    layers: usize,
    steps: usize,
    b: usize,
) -> f64 {
    fn sigmoid(x: f64) -> f64 {
        1.0 / (1.0 + (-x).exp())
    }

    let mut hidden = vec![0.0; layers * b];
    let mut cell = vec![0.0; layers * b];
    for i in 0..layers {
        for x in 0..b {
            hidden[i * b + x] = state[2 * i * b + x];
            cell[i * b + x] = state[(2 * i + 1) * b + x];
        }
    }
    let mut input = vec![0.0; b];
    let mut total = 0.0;
    for t in 0..steps {
        for x in 0..b {
            input[x] = sequence[t * b + x] * extra[x];
        }
        for i in 0..layers {
            let weight = &main[8 * i * b..8 * i * b + 4 * b];
            let bias = &main[8 * i * b + 4 * b..8 * i * b + 8 * b];
            for x in 0..b {
                let h = hidden[i * b + x];
                let forget = sigmoid(input[x] * weight[x] + bias[x]);
                let ingate = sigmoid(h * weight[b + x] + bias[b + x]);
                let outgate = sigmoid(input[x] * weight[2 * b + x] + bias[2 * b + x]);
                let change = (h * weight[3 * b + x] + bias[3 * b + x]).tanh();
                cell[i * b + x] = cell[i * b + x] * forget + ingate * change;
                hidden[i * b + x] = outgate * cell[i * b + x].tanh();
                input[x] = hidden[i * b + x];
            }
        }
        let mut normaliser = 2.0;
        let mut seen = 0.0;
        let mut count = 0.0;
        for x in 0..b {
            let y = input[x] * extra[b + x] + extra[2 * b + x];
            normaliser += y.exp();
            seen += sequence[(t + 1) * b + x] * y;
            count += sequence[(t + 1) * b + x];
        }
        total -= seen - count * normaliser.ln();
    }
    total / (b as f64 * steps as f64)
}
