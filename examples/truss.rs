//! Finds the stiffest bridge of bars, through a linear solve of the crate `nalgebra`.
//!
//! ```text
//! cargo run --release --example truss -- [PATH.svg]
//! ```
//!
//! Between the nodes of a grid are many thin bars, held at two corners and loaded in the middle. Each displacement
//! follows from a Cholesky factorisation that the attribute does not look into: its rule is a solve with the same
//! factors, by the theorem of implicit functions. The gradient by all cross sections says which bars carry; a
//! picture shows what is left of them, and what bends less and less.

use pardiff_examples::charts::{self, BLUE, Chart, GREY, RED, Series};

const COLUMNS: usize = 13;
const ROWS: usize = 7;
const ROUNDS: usize = 200;
/// No bar gets thinner, so that nothing comes loose.
const LEAST: f64 = 1e-5;

#[pardiff::differentiate]
#[allow(clippy::needless_range_loop, reason = "kernels as numerical programmers write them")]
mod kernels {
    use nalgebra::{Cholesky, DMatrix, DVector, Dyn};

    /// The displacements `u` of `stiffness u = force`.
    #[differentiate(custom(vjp = solve_vjp))]
    fn solve(stiffness: &[f64], force: &[f64], u: &mut [f64], n: usize) {
        u.copy_from_slice(solved(&factors(stiffness, n), force).as_slice());
    }

    /// From `stiffness u_dot = force_dot - stiffness_dot u`: `force` has the adjoint `l` of `stiffness l = d_u`,
    /// and `stiffness` has `-l u^T`. The matrix is its own transpose.
    fn solve_vjp(
        stiffness: &[f64],
        d_stiffness: &mut [f64],
        force: &[f64],
        d_force: &mut [f64],
        u: &mut [f64],
        d_u: &mut [f64],
        n: usize,
    ) {
        let factors = factors(stiffness, n);
        u.copy_from_slice(solved(&factors, force).as_slice());
        let l = solved(&factors, d_u);
        for i in 0..n {
            d_force[i] += l[i];
            for j in 0..n {
                d_stiffness[i * n + j] -= l[i] * u[j];
            }
        }
        d_u.fill(0.0);
    }

    fn factors(matrix: &[f64], n: usize) -> Cholesky<f64, Dyn> {
        DMatrix::from_column_slice(n, n, matrix).cholesky().expect("the bars hold all nodes")
    }

    fn solved(factors: &Cholesky<f64, Dyn>, right: &[f64]) -> DVector<f64> {
        factors.solve(&DVector::from_column_slice(right))
    }

    /// How far all that may move moves, for bars of these cross sections between pairs of nodes. `free` has a
    /// number below `n` for each coordinate that may move, and a larger one for those that are held.
    pub fn displacements(
        areas: &[f64],
        bars: &[[usize; 2]],
        nodes: &[[f64; 2]],
        free: &[usize],
        force: &[f64],
        u: &mut [f64],
        n: usize,
    ) {
        let mut stiffness = vec![0.0; n * n];
        for b in 0..bars.len() {
            let [p, q] = bars[b];
            let (dx, dy) = (nodes[q][0] - nodes[p][0], nodes[q][1] - nodes[p][1]);
            let length = (dx * dx + dy * dy).sqrt();
            let along = [-dx / length, -dy / length, dx / length, dy / length];
            let at = [free[2 * p], free[2 * p + 1], free[2 * q], free[2 * q + 1]];
            for i in 0..4 {
                for j in 0..4 {
                    if at[i] < n && at[j] < n {
                        stiffness[at[i] * n + at[j]] += areas[b] / length * along[i] * along[j];
                    }
                }
            }
        }
        solve(&stiffness, force, u, n);
    }

    /// The work of the force, twice the energy that bends the bridge.
    #[differentiate(wrt(areas), check)]
    pub fn compliance(
        areas: &[f64],
        bars: &[[usize; 2]],
        nodes: &[[f64; 2]],
        free: &[usize],
        force: &[f64],
        n: usize,
    ) -> f64 {
        let mut u = vec![0.0; n];
        displacements(areas, bars, nodes, free, force, &mut u, n);
        force.iter().zip(&u).map(|(f, u)| f * u).sum()
    }
}

use kernels::compliance;

/// Nodes, bars and what is done to them.
struct Bridge {
    nodes: Vec<[f64; 2]>,
    bars: Vec<[usize; 2]>,
    lengths: Vec<f64>,
    free: Vec<usize>,
    force: Vec<f64>,
}

impl Bridge {
    /// Bars between all nodes that are near each other, with no node between them.
    fn new() -> Bridge {
        let nodes: Vec<[f64; 2]> =
            (0..COLUMNS * ROWS).map(|k| [(k % COLUMNS) as f64, (k / COLUMNS) as f64]).collect();
        let distance = |p: usize, q: usize| [0, 1].map(|d: usize| (nodes[q][d] - nodes[p][d]).abs());
        let near = |&(p, q): &(usize, usize)| {
            let [x, y] = distance(p, q);
            x.max(y) <= 2.0 && (x.min(y) == 1.0 || x + y == 1.0)
        };
        let pairs = (0..nodes.len()).flat_map(|p| (p + 1..nodes.len()).map(move |q| (p, q)));
        let bars: Vec<[usize; 2]> = pairs.filter(near).map(|(p, q)| [p, q]).collect();
        let lengths = bars.iter().map(|&[p, q]| distance(p, q)).map(|[x, y]| x.hypot(y)).collect();
        // the corners below are held, the middle below is loaded
        let held = |k: usize| k / 2 == 0 || k / 2 == COLUMNS - 1;
        let mut next = 0..;
        let free: Vec<usize> = (0..2 * nodes.len())
            .map(|k| if held(k) { usize::MAX } else { next.next().unwrap_or(0) })
            .collect();
        let mut force = vec![0.0; next.start];
        force[free[2 * (COLUMNS / 2) + 1]] = -1.0;
        Bridge { nodes, bars, lengths, free, force }
    }

    fn compliance(&self, areas: &[f64]) -> f64 {
        let Bridge { nodes, bars, free, force, .. } = self;
        compliance(areas, bars, nodes, free, force, force.len())
    }

    fn gradient(&self, areas: &[f64]) -> (f64, Vec<f64>) {
        let Bridge { nodes, bars, free, force, .. } = self;
        let mut gradient = vec![0.0; areas.len()];
        let value = compliance::grad(areas, &mut gradient, bars, nodes, free, force, force.len());
        (value, gradient)
    }

    /// Cross sections that take as much material as `areas`, more of it where it helps more: at the optimum all
    /// bars gain as much for their weight (optimality criteria).
    fn improved(&self, areas: &[f64], gradient: &[f64]) -> Vec<f64> {
        let gain = |b: usize| areas[b] * (-gradient[b] / self.lengths[b]).max(0.0).sqrt();
        let weight = |areas: &[f64]| areas.iter().zip(&self.lengths).map(|(a, l)| a * l).sum::<f64>();
        let asked: Vec<f64> = (0..areas.len()).map(gain).collect();
        let scale = weight(areas) / weight(&asked);
        asked.iter().map(|area| (area * scale).max(LEAST)).collect()
    }

    fn picture(&self, areas: &[f64], curve: &[f64]) -> Result<(), String> {
        let thickest = areas.iter().copied().fold(0.0, f64::max);
        let [thin, middle, thick] = [0.02, 0.15, 0.5].map(|share| share * thickest);
        let between = |low: f64, high: f64| {
            let of = (0..areas.len()).filter(move |&b| low <= areas[b] && areas[b] < high);
            // dots along the bars: a chart's lines hang together
            of.flat_map(|b| {
                let [p, q] = self.bars[b].map(|node| self.nodes[node]);
                let steps = (40.0 * self.lengths[b]) as usize;
                (0..=steps).map(move |k| {
                    let t = k as f64 / steps as f64;
                    (p[0] + t * (q[0] - p[0]), p[1] + t * (q[1] - p[1]))
                })
            })
            .collect::<Vec<(f64, f64)>>()
        };
        let bridge = Chart {
            title: "bars by their cross sections",
            axes: ["", ""],
            series: vec![
                Series::dots("", GREY, 1, between(thin, middle)),
                Series::dots("", BLUE, 2, between(middle, thick)),
                Series::dots("", RED, 4, between(thick, f64::INFINITY)),
            ],
        };
        let curve = Chart {
            title: "how far the load sinks",
            axes: ["round", "work of the force"],
            series: vec![Series::steps("", RED, curve)],
        };
        charts::write("truss", &[bridge, curve])
    }
}

fn main() -> Result<(), String> {
    let bridge = Bridge::new();
    let mut areas = vec![1.0; bridge.bars.len()];
    println!("{} bars, {} unknowns", bridge.bars.len(), bridge.force.len());

    let Bridge { nodes, bars, free, force, .. } = &bridge;
    let report = compliance::check(&areas, bars, nodes, free, force, force.len());
    println!("check: {}", report.map_err(|mismatch| mismatch.to_string())?);
    let (start, gradient) = bridge.gradient(&areas);
    // the work is as much as the bars take up: by Euler, twice over
    let euler: f64 = gradient.iter().zip(&areas).map(|(g, a)| g * a).sum();
    if (euler + start).abs() > 1e-10 * start {
        return Err(format!("{euler} is not the negative of {start}"));
    }

    println!("{ROUNDS} rounds with as much material");
    let mut curve = Vec::new();
    for _ in 0..ROUNDS {
        let (value, gradient) = bridge.gradient(&areas);
        curve.push(value);
        areas = bridge.improved(&areas, &gradient);
    }
    let end = bridge.compliance(&areas);
    println!("  work of the force {start:.3} -> {end:.3}");
    if end > 0.6 * start {
        return Err("the bridge did not get stiffer".to_owned());
    }
    bridge.picture(&areas, &curve)
}
