//! Tells two communities apart, from a few members that are known: graph attention.
//!
//! ```text
//! cargo run --release --example gat -- [PATH.svg]
//! ```
//!
//! Nodes on two interleaved arcs know their nearest neighbours and have features that say little about where they belong. A
//! layer of graph attention is trained on a few known nodes, with the gradient by its weights and by its attention; a layer that
//! sees every node alone shows what the graph adds. A picture shows the arcs and what was found.

#[path = "../workloads/gat.rs"]
mod kernel;

use kernel::gat;
use pardiff_examples::charts::{self, BLUE, Chart, GREY, RED, Series};
use pardiff_examples::random::Random;
use pardiff_examples::{descent, differences};
use std::f64::consts::PI;

/// Features in and out of the layer.
const F: usize = 32;
const NODES: usize = 400;
const NEIGHBOURS: usize = 12;
const KNOWN: usize = 40;
const DECAY: f64 = 0.2;

/// Where nodes are, which community they belong to (1 or -1), what is known of them, and their features.
struct Nodes {
    place: Vec<(f64, f64)>,
    class: Vec<f64>,
    features: Vec<f64>,
    /// The adjoint of the layer's output: the first number of a known node is to have the sign of its class.
    taught: Vec<f64>,
}

impl Nodes {
    fn drawn(random: &mut Random) -> Nodes {
        let mut nodes = Nodes {
            place: Vec::new(),
            class: Vec::new(),
            features: Vec::new(),
            taught: vec![0.0; NODES * F],
        };
        for i in 0..NODES {
            let class = if i % 2 == 0 { 1.0 } else { -1.0 };
            let (sin, cos) = (PI * random.unit()).sin_cos();
            let mut near = |x: f64| x + 0.1 * random.normal();
            nodes.place.push((near(class * cos - 0.5 * class), near(class * (sin - 0.25))));
            nodes.class.push(class);
            nodes.features.extend((0..F).map(|f| random.normal() + if f < 8 { 0.5 * class } else { 0.0 }));
            if i < KNOWN {
                nodes.taught[i * F] = class / KNOWN as f64;
            }
        }
        nodes
    }
}

/// A graph in compressed rows.
struct Graph {
    row_start: Vec<u32>,
    neighbours: Vec<u32>,
}

impl Graph {
    /// Every node with the `count` nearest ones, the first of which is itself.
    fn nearest(place: &[(f64, f64)], count: usize) -> Graph {
        let nearest = |&(x, y): &(f64, f64)| {
            let distance = |&j: &u32| (place[j as usize].0 - x).hypot(place[j as usize].1 - y);
            let mut all: Vec<u32> = (0..place.len() as u32).collect();
            all.sort_by(|a, b| distance(a).total_cmp(&distance(b)));
            all.truncate(count);
            all
        };
        Graph {
            row_start: (0..=place.len()).map(|i| (i * count) as u32).collect(),
            neighbours: place.iter().flat_map(nearest).collect(),
        }
    }

    /// How far the layer is from what is known, with decaying weights; and its gradient by weights and attention.
    fn gradient(&self, nodes: &Nodes, p: &[f64]) -> (f64, Vec<f64>) {
        let (w, a) = p.split_at(F * F);
        let mut d_x = vec![0.0; nodes.features.len()];
        let mut gradient = vec![0.0; p.len()];
        let (d_w, d_a) = gradient.split_at_mut(F * F);
        let (d_left, d_right) = d_a.split_at_mut(F);
        let agreement = gat::grad(
            &nodes.features,
            &mut d_x,
            w,
            d_w,
            &a[..F],
            d_left,
            &a[F..],
            d_right,
            &nodes.taught,
            &self.row_start,
            &self.neighbours,
            NODES,
        );
        let square: f64 = p.iter().map(|x| x * x).sum();
        gradient.iter_mut().zip(p).for_each(|(g, p)| *g = DECAY * p - *g);
        (0.5 * DECAY * square - agreement, gradient)
    }

    /// The first number of the layer's output for each node.
    fn scores(&self, nodes: &Nodes, p: &[f64]) -> Vec<f64> {
        let (w, a) = p.split_at(F * F);
        let mut asked = vec![0.0; NODES * F];
        let mut score = |i: usize| {
            asked[i * F] = 1.0;
            let (starts, x) = (&self.row_start, &nodes.features);
            let score = gat::value(x, w, &a[..F], &a[F..], &asked, starts, &self.neighbours, NODES);
            asked[i * F] = 0.0;
            score
        };
        (0..NODES).map(&mut score).collect()
    }

    /// The layer after training, and what it says about each node.
    fn trained(&self, nodes: &Nodes, start: &[f64]) -> Result<Vec<f64>, String> {
        let (found, _) = descent::minimise(|p| self.gradient(nodes, p), start.to_vec(), 100)?;
        let scores = self.scores(nodes, &found);
        let right = (KNOWN..NODES).filter(|&i| scores[i] * nodes.class[i] > 0.0).count();
        println!("  right: {right} of {} nodes that were not known", NODES - KNOWN);
        Ok(scores)
    }
}

fn main() -> Result<(), String> {
    let mut random = Random(5);
    let nodes = Nodes::drawn(&mut random);
    let graph = Graph::nearest(&nodes.place, NEIGHBOURS);
    let start: Vec<f64> = (0..F * F + 2 * F).map(|_| 0.1 * random.normal()).collect();
    println!("{NODES} nodes with {NEIGHBOURS} neighbours, {F} features, {} weights", start.len());
    let (_, gradient) = graph.gradient(&nodes, &start);
    differences::check(|p| graph.gradient(&nodes, p).0, &start, &gradient, 1e-6)?;

    println!("every node alone, L-BFGS");
    let alone = Graph::nearest(&nodes.place, 1).trained(&nodes, &start)?;
    println!("with its neighbours, L-BFGS");
    let together = graph.trained(&nodes, &start)?;
    let right = |scores: &[f64]| scores.iter().zip(&nodes.class).filter(|(s, c)| *s * *c > 0.0).count();
    if right(&together) < NODES * 9 / 10 {
        return Err("the communities were not found".to_owned());
    }

    let chart = |title, scores: &[f64]| {
        let of = |sign: f64| {
            let nodes = nodes.place.iter().zip(scores);
            nodes.filter(|(_, score)| *score * sign > 0.0).map(|(&place, _)| place).collect()
        };
        let known = nodes.place[..KNOWN].to_vec();
        Chart {
            title,
            axes: ["", ""],
            series: vec![
                Series::dots("known", GREY, 7, known),
                Series::dots("", BLUE, 3, of(1.0)),
                Series::dots("", RED, 3, of(-1.0)),
            ],
        }
    };
    let charts = [
        chart("truth", &nodes.class),
        chart("every node alone", &alone),
        chart("with its neighbours", &together),
    ];
    charts::write("gat", &charts)
}
