//! Finds the forces between atoms from how far these wander.
//!
//! ```text
//! cargo run --release --example lennard_jones_dynamics -- [PATH.svg]
//! ```
//!
//! Atoms move by Lennard-Jones forces of unknown size and depth; what is known is how far they have moved, on average, at a few
//! times. L-BFGS finds both numbers with the gradient through all steps of the simulation. A picture shows the measured
//! displacements and those of start and result; and how sensitive the atoms' paths are to where these began.

#[path = "../workloads/lennard_jones_dynamics.rs"]
#[allow(clippy::needless_range_loop, clippy::too_many_arguments)]
mod kernel;

use kernel::lennard_jones_dynamics;
use pardiff_examples::charts::{self, BLUE, Chart, ORANGE, RED, Series};
use pardiff_examples::random::Random;
use pardiff_examples::{descent, differences};

const SIDE: usize = 4;
const ATOMS: usize = SIDE * SIDE * SIDE;
/// Behind the last pair: where a pair crosses the cut-off its force jumps, and a jump has no derivative.
const CUTOFF: f64 = 100.0;
const STEP: f64 = 0.004;
const TIMES: [usize; 6] = [10, 20, 30, 40, 50, 60];

/// Atoms at the beginning, and all pairs of them.
struct Atoms {
    position: Vec<[f64; 3]>,
    velocity: Vec<[f64; 3]>,
    start: Vec<u32>,
    neighbours: Vec<u32>,
}

impl Atoms {
    /// Near the points of a lattice.
    fn drawn(random: &mut Random) -> Atoms {
        let mut atom = |i: usize| {
            let cell = [i % SIDE, i / SIDE % SIDE, i / SIDE / SIDE];
            cell.map(|c| 1.1 * c as f64 + 0.05 * random.signed())
        };
        let position: Vec<[f64; 3]> = (0..ATOMS).map(&mut atom).collect();
        let velocity = (0..ATOMS).map(|_| std::array::from_fn(|_| random.normal())).collect();
        let (mut start, mut neighbours) = (vec![0], Vec::new());
        for i in 0..ATOMS as u32 {
            neighbours.extend(i + 1..ATOMS as u32);
            start.push(neighbours.len() as u32);
        }
        Atoms { position, velocity, start, neighbours }
    }

    /// Mean of half the squared displacements after some steps; its derivatives by the size and the depth of the forces; and
    /// the norm of that by the positions.
    fn moved(&self, [size, depth]: [f64; 2], steps: usize) -> (f64, [f64; 2], f64) {
        let Atoms { position, velocity, start, neighbours } = self;
        let (sum, d) = lennard_jones_dynamics::gradient(
            position, velocity, size, depth, start, neighbours, CUTOFF, STEP, steps,
        );
        let square: f64 = d.position.as_flattened().iter().map(|x| x * x).sum();
        let mean = 1.0 / ATOMS as f64;
        (mean * sum, [mean * d.sigma, mean * d.epsilon], mean * square.sqrt())
    }

    /// Half the squared errors of the displacements, in tenths of what was measured; and the gradient.
    fn gradient(&self, measured: &[f64], p: &[f64]) -> (f64, Vec<f64>) {
        let (mut error, mut gradient) = (0.0, vec![0.0; 2]);
        for (&steps, measured) in TIMES.iter().zip(measured) {
            let (moved, slope, _) = self.moved([p[0], p[1]], steps);
            let e = moved / measured - 1.0;
            error += 50.0 * e * e;
            gradient.iter_mut().zip(slope).for_each(|(g, slope)| *g += 100.0 * e * slope / measured);
        }
        (error, gradient)
    }
}

fn main() -> Result<(), String> {
    let atoms = Atoms::drawn(&mut Random(8));
    let (truth, start) = ([1.0, 1.0], [0.97, 1.3]);
    let measured = TIMES.map(|steps| atoms.moved(truth, steps).0);
    println!("{ATOMS} atoms, {} pairs, up to {} steps", atoms.neighbours.len(), TIMES[5]);
    let (_, gradient) = atoms.gradient(&measured, &start);
    differences::check(|p| atoms.gradient(&measured, p).0, &start, &gradient, 1e-4)?;

    println!("forces from the displacements, L-BFGS");
    let (found, _) = descent::minimise(|p| atoms.gradient(&measured, p), start.to_vec(), 40)?;
    println!("  size {:.6}, depth {:.6}; true are {truth:?}", found[0], found[1]);
    if found.iter().zip(truth).any(|(found, truth)| (found - truth).abs() > 1e-3) {
        return Err("the forces were not found".to_owned());
    }

    let times: Vec<usize> = (1..=30).map(|k| 2 * k).collect();
    let time = |steps: usize| steps as f64 * STEP;
    let curve = |p: [f64; 2]| times.iter().map(|&steps| (time(steps), atoms.moved(p, steps).0)).collect();
    let dots = TIMES.iter().zip(measured).map(|(&steps, moved)| (time(steps), moved)).collect();
    let paths = Chart {
        title: "how far atoms move",
        axes: ["time", "half the mean squared displacement"],
        series: vec![
            Series::line("start", ORANGE, curve(start)),
            Series::line("found", RED, curve([found[0], found[1]])),
            Series::dots("measured", BLUE, 4, dots),
        ],
    };
    let norms = times.iter().map(|&steps| (time(steps), atoms.moved(truth, steps).2)).collect();
    let sensitivity = Chart {
        title: "how much that depends on where they began",
        axes: ["time", "norm of the gradient by the positions"],
        series: vec![Series::line("", RED, norms)],
    };
    charts::write("lennard_jones_dynamics", &[paths, sensitivity])
}
