//! Trains ADBench's LSTM to say what comes next in a text, bit by bit.
//!
//! ```text
//! cargo run --release --example lstm -- [PATH.svg]
//! ```
//!
//! Every character is eight bits; two layers with diagonal weights see one after the other and predict the next. L-BFGS
//! minimises the loss with the gradient by all weights, through all steps back in time. A picture shows how the loss goes down.

#[path = "../workloads/lstm.rs"]
mod kernel;

use kernel::lstm;
use pardiff_examples::charts::{self, Chart, RED, Series};
use pardiff_examples::{descent, differences};

const TEXT: &str =
    "the rain in spain stays mainly in the plain, and the plain in spain is plainly in the rain. ";
const REPETITIONS: usize = 4;
const LAYERS: usize = 2;
const BITS: usize = 8;
const MAIN: usize = 8 * LAYERS * BITS;

/// A text as rows of bits, and the state in which the layers begin.
struct Text {
    sequence: Vec<f64>,
    state: Vec<f64>,
    steps: usize,
}

impl Text {
    fn new(text: &str) -> Text {
        let bit = |byte: u8, k: usize| f64::from(byte >> k & 1);
        let sequence = text.bytes().flat_map(|byte| (0..BITS).map(move |k| bit(byte, k))).collect();
        Text { sequence, state: vec![0.0; 2 * LAYERS * BITS], steps: text.len() - 1 }
    }

    /// The loss and its gradient by the weights of the layers, then those around them.
    fn gradient(&self, p: &[f64]) -> (f64, Vec<f64>) {
        let (main, extra) = p.split_at(MAIN);
        let mut gradient = vec![0.0; p.len()];
        let (d_main, d_extra) = gradient.split_at_mut(MAIN);
        let Text { sequence, state, steps } = self;
        let loss = lstm::grad(main, d_main, extra, d_extra, state, sequence, LAYERS, *steps, BITS);
        (loss, gradient)
    }

    fn loss(&self, p: &[f64]) -> f64 {
        let (main, extra) = p.split_at(MAIN);
        lstm(main, extra, &self.state, &self.sequence, LAYERS, self.steps, BITS)
    }
}

fn main() -> Result<(), String> {
    let text = Text::new(&TEXT.repeat(REPETITIONS));
    // small weights that differ from each other
    let start: Vec<f64> = (0..MAIN + 3 * BITS).map(|k| 0.3 * ((7 * k + 3) as f64).sin()).collect();
    println!("{} characters, {LAYERS} layers, {} weights", text.steps + 1, start.len());

    let (loss, gradient) = text.gradient(&start);
    println!("loss {loss:.9}");
    differences::check(|p| text.loss(p), &start, &gradient, 1e-4)?;

    println!("training, L-BFGS");
    let (found, losses) = descent::minimise(|p| text.gradient(p), start, 200)?;
    let after = text.loss(&found);
    if after > loss - 0.01 {
        return Err(format!("nothing was learnt: the loss is {after}, and was {loss}"));
    }
    let curve = Chart {
        title: "negative log-likelihood of a bit",
        axes: ["iteration", "loss"],
        series: vec![Series::steps("", RED, &losses)],
    };
    charts::write("lstm", &[curve])
}
