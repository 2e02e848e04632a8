//! Teaches banded attention where to look.
//!
//! ```text
//! cargo run --release --example attn -- [PATH.svg]
//! ```
//!
//! Every position of a sequence shall copy the value of a partner, which is somewhere in the band that it can see. Queries and
//! keys are trained until the attention finds the partners, with the gradient of the layer's output by both. A picture shows
//! where positions look before and after, in a head that sees every fourth position and in one that sees its neighbours.

#[path = "../workloads/attn.rs"]
mod kernel;

use kernel::attn;
use pardiff_examples::fields::{self, Field};
use pardiff_examples::random::Random;
use pardiff_examples::{descent, differences};

const HEADS: usize = 3;
const N: usize = 80;
const D: usize = 64;
const DECAY: f64 = 1e-3;
/// The kernel's: on either side of a position, and between the positions that its first two heads see.
const WIDTH: usize = 32;
const DILATION: usize = 4;

/// Values, and what the output should be.
struct Task {
    value: Vec<f64>,
    taught: Vec<f64>,
}

/// The position that position `i` is to copy.
fn partner(i: usize) -> usize {
    let wave = (0.1 * i as f64).sin();
    // a multiple of four away, so that all heads can see it
    let away = DILATION as i64 * (6.0 * wave).round() as i64;
    let partner = i as i64 + away;
    (if (0..N as i64).contains(&partner) { partner } else { i as i64 }) as usize
}

impl Task {
    /// How far the output is from what it should be, with decaying queries and keys; and its gradient.
    fn gradient(&self, p: &[f64]) -> (f64, Vec<f64>) {
        let (query, key) = p.split_at(HEADS * N * D);
        let mut gradient = vec![0.0; p.len()];
        let (d_query, d_key) = gradient.split_at_mut(HEADS * N * D);
        let mut d_value = vec![0.0; self.value.len()];
        let agreement =
            attn::grad(query, d_query, key, d_key, &self.value, &mut d_value, &self.taught, HEADS, N, D);
        let square: f64 = p.iter().map(|x| x * x).sum();
        gradient.iter_mut().zip(p).for_each(|(g, p)| *g = DECAY * p - *g);
        (0.5 * DECAY * square - agreement, gradient)
    }
}

/// How much each position looks at each other one, without the kernel.
fn looks(p: &[f64], head: usize) -> Vec<f64> {
    let row = |of: usize, i: usize| &p[((of * HEADS + head) * N + i) * D..][..D];
    let dilation = if head < 2 { DILATION } else { 1 };
    let mut all = Vec::with_capacity(N * N);
    for i in 0..N {
        let score = |j: usize| {
            let away = i.abs_diff(j);
            let dot: f64 = row(0, i).iter().zip(row(1, j)).map(|(q, k)| q * k).sum();
            let seen = away.is_multiple_of(dilation) && away <= WIDTH * dilation;
            if seen { (dot / (D as f64).sqrt()).exp() } else { 0.0 }
        };
        let scores: Vec<f64> = (0..N).map(score).collect();
        let sum: f64 = scores.iter().sum();
        all.extend(scores.iter().map(|score| score / sum));
    }
    all
}

fn main() -> Result<(), String> {
    let mut random = Random(1);
    let value: Vec<f64> = (0..HEADS * N * D).map(|_| random.normal()).collect();
    let copied = |k: usize| value[(k / (N * D) * N + partner(k / D % N)) * D + k % D] / D as f64;
    let taught = (0..HEADS * N * D).map(copied).collect();
    let task = Task { value, taught };
    let start: Vec<f64> = (0..2 * HEADS * N * D).map(|_| 0.3 * random.normal()).collect();
    println!("{HEADS} heads, {N} positions, {D} numbers each");
    let (_, gradient) = task.gradient(&start);
    differences::check(|p| task.gradient(p).0, &start, &gradient, 1e-4)?;

    println!("training, L-BFGS");
    let (found, _) = descent::minimise(|p| task.gradient(p), start.clone(), 200)?;
    // the mean share of its attention that a position gives to its partner
    let share = |p: &[f64]| {
        let of = |head: usize| {
            let looks = looks(p, head);
            (0..N).map(|i| looks[i * N + partner(i)]).sum::<f64>()
        };
        (0..HEADS).map(of).sum::<f64>() / (HEADS * N) as f64
    };
    println!("  attention to partners: {:.3} -> {:.3}", share(&start), share(&found));
    if share(&found) < 0.9 {
        return Err("the attention did not find the partners".to_owned());
    }
    let after = [looks(&found, 0), looks(&found, 2)];
    let before = looks(&start, 2);
    // from white
    let field = |title, values| Field { title, values, width: N, low: -1.0, high: 1.0 };
    let pictures = [
        field("neighbours, at the start", &before),
        field("neighbours, trained", &after[1]),
        field("every fourth, trained", &after[0]),
    ];
    fields::write("attn", &pictures)
}
