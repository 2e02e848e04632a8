//! Finds two bodies by sound, on a medium that four ranks share: each has some rows of it, and sends its border rows
//! to its neighbours in every step.
//!
//! ```text
//! cargo run --release --example wave_ranks -- [PATH.svg]
//! ```
//!
//! The gradient is computed in two ways, which agree. *Through the barrier*: the differentiated function is the whole
//! simulation of a rank with its messages, and their adjoints are messages as well. *Under the barrier*: the step alone
//! is differentiated, and who calls it keeps the states, goes back in time and sends adjoints of ghost rows to the rows
//! that they are copies of. Ranks are threads of this process; with `use mpi::traits::*` in place of the traits below
//! the functions run over MPI.

use pardiff::differentiate;
use pardiff::ranks::traits::*;
use pardiff::ranks::{self, SimpleCommunicator, Traffic, point_to_point as p2p};
use pardiff_examples::fields::{self, Field};
use pardiff_examples::{descent, differences};
use std::ops::Range;

const RANKS: usize = 4;
const N: usize = 40;
const ROWS: usize = N / RANKS;
const STEPS: usize = 120;
const SHOTS: usize = 8;
const BACKGROUND: f64 = 0.2;

#[differentiate]
mod wave {
    use super::p2p;
    use pardiff::ranks::traits::*;

    /// One step of a membrane that is held at its edges: `before`, `now` and `after` are rows of `m` cells with a ghost
    /// row at each end, `speed` are the squared speeds of sound of the rows between.
    #[differentiate(wrt(speed, before, now))]
    pub fn step(speed: &[f64], before: &[f64], now: &[f64], after: &mut [f64], m: usize) {
        for i in 1..now.len() / m - 1 {
            for j in 1..m - 1 {
                let c = i * m + j;
                let around = now[c - m] + now[c + m] + now[c - 1] + now[c + 1];
                after[c] = 2.0 * now[c] - before[c] + speed[c - m] * (around - 4.0 * now[c]);
            }
        }
    }

    /// The ghost rows become copies of the rows of the neighbours.
    fn exchange(world: &impl Communicator, u: &mut [f64], m: usize) {
        let (rank, end) = (world.rank(), u.len());
        let mut got = vec![0.0; m];
        if rank > 0 {
            let above = world.process_at_rank(rank - 1);
            p2p::send_receive_into(&u[m..2 * m], &above, &mut got[..], &above);
            u[..m].copy_from_slice(&got);
        }
        if rank + 1 < world.size() {
            let below = world.process_at_rank(rank + 1);
            p2p::send_receive_into(&u[end - 2 * m..end - m], &below, &mut got[..], &below);
            u[end - m..].copy_from_slice(&got);
        }
    }

    /// Half the squared error of what the receivers of this rank hear: of `shot` in its cell, which this rank may have
    /// or not, `wavelet.len()` steps long. `heard` has a number for each step and receiver.
    #[differentiate(wrt(speed), result = "partial")]
    pub fn misfit(
        world: &impl Communicator,
        speed: &[f64],
        shot: &[usize],
        wavelet: &[f64],
        receivers: &[usize],
        heard: &[f64],
        m: usize,
    ) -> f64 {
        let cells = speed.len() + 2 * m;
        let (mut before, mut now, mut after) = (vec![0.0; cells], vec![0.0; cells], vec![0.0; cells]);
        let mut misfit = 0.0;
        for t in 0..wavelet.len() {
            exchange(world, &mut now, m);
            step(speed, &before, &now, &mut after, m);
            for &c in shot {
                after[c] += wavelet[t];
            }
            for r in 0..receivers.len() {
                let error = after[receivers[r]] - heard[t * receivers.len() + r];
                misfit += 0.5 * error * error;
            }
            std::mem::swap(&mut before, &mut now);
            std::mem::swap(&mut now, &mut after);
        }
        misfit
    }
}

/// What a rank knows: the cells of shots and of receivers that it has, and what was heard there.
#[derive(Clone, Default)]
struct Station {
    shots: [Vec<usize>; SHOTS],
    receivers: Vec<usize>,
    heard: [Vec<f64>; SHOTS],
}

struct Survey {
    stations: Vec<Station>,
    wavelet: Vec<f64>,
}

/// The rows of a rank in an array of all.
fn own(rank: i32) -> Range<usize> {
    rank as usize * ROWS * N..(rank as usize + 1) * ROWS * N
}

impl Survey {
    /// What was heard in a known medium: one simulation of all of it, without ranks and without derivatives.
    fn of(speed: &[f64]) -> Survey {
        let edge = |c: usize| [c % N, N - 1 - c % N, c / N, N - 1 - c / N].into_iter().min().unwrap_or(0);
        let ring: Vec<usize> = (0..N * N).filter(|&c| edge(c) == 3).collect();
        let ricker = |t: usize| {
            let a = 0.25 * (t as f64 - 10.0);
            (1.0 - 2.0 * a * a) * (-a * a).exp()
        };
        let wavelet: Vec<f64> = (0..STEPS).map(ricker).collect();
        let mut stations = vec![Station::default(); RANKS];
        // within a rank's rows, behind the ghost row
        let place = |c: usize| (c / (ROWS * N), c % (ROWS * N) + N);
        let receivers: Vec<usize> = ring.iter().copied().step_by(2).collect();
        for &receiver in &receivers {
            let (rank, cell) = place(receiver);
            stations[rank].receivers.push(cell);
        }
        for (number, shot) in ring.iter().copied().step_by(ring.len() / SHOTS).take(SHOTS).enumerate() {
            let (rank, cell) = place(shot);
            stations[rank].shots[number].push(cell);
            let (mut before, mut now) = (vec![0.0; N * N], vec![0.0; N * N]);
            for amplitude in &wavelet {
                let mut after = vec![0.0; N * N];
                for c in (0..N * N).filter(|c| (1..N - 1).contains(&(c % N))) {
                    let row = |c: Option<usize>| c.and_then(|c| now.get(c)).copied().unwrap_or(0.0);
                    let around = row(c.checked_sub(N)) + row(Some(c + N)) + now[c - 1] + now[c + 1];
                    after[c] = 2.0 * now[c] - before[c] + speed[c] * (around - 4.0 * now[c]);
                }
                after[shot] += amplitude;
                for &receiver in &receivers {
                    stations[place(receiver).0].heard[number].push(after[receiver]);
                }
                (before, now) = (now, after);
            }
        }
        Survey { stations, wavelet }
    }

    /// Runs ranks, which give their shares of the misfit and their rows of its gradient; the sum, all rows, and what
    /// was sent.
    fn on_ranks(
        &self,
        of: impl Fn(&SimpleCommunicator, &Station) -> (f64, Vec<f64>) + Sync,
    ) -> (f64, Vec<f64>, Traffic) {
        let (shares, traffic) =
            ranks::world(RANKS).run(|world| of(world, &self.stations[world.rank() as usize]));
        let misfit = shares.iter().map(|(share, _)| share).sum();
        (misfit, shares.into_iter().flat_map(|(_, rows)| rows).collect(), traffic)
    }

    /// The misfit alone.
    fn misfit(&self, speed: &[f64]) -> (f64, Traffic) {
        let (misfit, _, traffic) = self.on_ranks(|world, station| {
            let speed = &speed[own(world.rank())];
            let Station { shots, receivers, heard } = station;
            let each = (0..SHOTS).map(|number| {
                wave::misfit(world, speed, &shots[number], &self.wavelet, receivers, &heard[number], N)
            });
            (each.sum(), Vec::new())
        });
        (misfit, traffic)
    }

    /// The gradient through the barrier: messages are differentiated as all else is.
    fn through(&self, speed: &[f64]) -> (f64, Vec<f64>, Traffic) {
        self.on_ranks(|world, station| {
            let speed = &speed[own(world.rank())];
            let Station { shots, receivers, heard } = station;
            let mut d_speed = vec![0.0; speed.len()];
            let each = (0..SHOTS).map(|number| {
                let (shot, heard) = (&shots[number], &heard[number]);
                wave::misfit::grad(world, speed, &mut d_speed, shot, &self.wavelet, receivers, heard, N)
            });
            (each.sum(), d_speed)
        })
    }

    /// The gradient under the barrier: that of a step is made, all else is by hand.
    fn under(&self, speed: &[f64]) -> (f64, Vec<f64>, Traffic) {
        self.on_ranks(|world, station| {
            let speed = &speed[own(world.rank())];
            let mut d_speed = vec![0.0; speed.len()];
            let each = (0..SHOTS).map(|number| self.one_shot(world, station, number, speed, &mut d_speed));
            (each.sum(), d_speed)
        })
    }

    fn one_shot(
        &self,
        world: &SimpleCommunicator,
        station: &Station,
        number: usize,
        speed: &[f64],
        d_speed: &mut [f64],
    ) -> f64 {
        let Station { shots, receivers, heard } = station;
        let cells = speed.len() + 2 * N;
        // all states, the first two of them at rest
        let mut states = vec![vec![0.0; cells]; 2];
        for amplitude in &self.wavelet {
            let at = states.len() - 1;
            ghosts(world, &mut states[at]);
            let mut after = vec![0.0; cells];
            wave::step(speed, &states[at - 1], &states[at], &mut after, N);
            shots[number].iter().for_each(|&c| after[c] += amplitude);
            states.push(after);
        }
        let mut misfit = 0.0;
        let (mut d_now, mut d_after) = (vec![0.0; cells], vec![0.0; cells]);
        for t in (0..STEPS).rev() {
            for (r, &c) in receivers.iter().enumerate() {
                let error = states[t + 2][c] - heard[number][t * receivers.len() + r];
                misfit += 0.5 * error * error;
                d_after[c] += error;
            }
            let mut d_before = vec![0.0; cells];
            let mut after = vec![0.0; cells];
            wave::step::vjp(
                speed,
                d_speed,
                &states[t],
                &mut d_before,
                &states[t + 1],
                &mut d_now,
                &mut after,
                &mut d_after,
                N,
            );
            ghosts_back(world, &mut d_now);
            (d_now, d_after) = (d_before, d_now);
        }
        misfit
    }
}

/// The neighbours of a rank, each with the row at its border, and the ghost row.
fn borders(
    world: &SimpleCommunicator,
    len: usize,
) -> impl Iterator<Item = (i32, Range<usize>, Range<usize>)> {
    let (rank, ranks) = (world.rank(), world.size());
    let all = [(rank - 1, N..2 * N, 0..N), (rank + 1, len - 2 * N..len - N, len - N..len)];
    all.into_iter().filter(move |it| (0..ranks).contains(&it.0))
}

/// The ghost rows become copies of the rows of the neighbours.
fn ghosts(world: &SimpleCommunicator, u: &mut [f64]) {
    for (neighbour, border, ghost) in borders(world, u.len()) {
        let other = world.process_at_rank(neighbour);
        let row = u[border].to_vec();
        p2p::send_receive_into(&row, &other, &mut u[ghost], &other);
    }
}

/// The adjoints of the ghost rows are added to those of the rows that they are copies of.
fn ghosts_back(world: &SimpleCommunicator, d_u: &mut [f64]) {
    for (neighbour, border, ghost) in borders(world, d_u.len()) {
        let other = world.process_at_rank(neighbour);
        let mut arrived = [0.0; N];
        p2p::send_receive_into(&d_u[ghost.clone()], &other, &mut arrived[..], &other);
        d_u[ghost].fill(0.0);
        d_u[border].iter_mut().zip(arrived).for_each(|(to, from)| *to += from);
    }
}

/// Two round bodies: one in which sound is faster, one in which it is slower; both lie across rows of two ranks.
fn truth() -> Vec<f64> {
    let body = |c, x, y, radius| fields::body(c, N, [x, y], radius);
    (0..N * N)
        .map(|c| BACKGROUND + 0.04 * body(c, 15.0, 11.0, 5.0) - 0.04 * body(c, 25.0, 28.0, 5.0))
        .collect()
}

fn main() -> Result<(), String> {
    let truth = truth();
    let survey = Survey::of(&truth);
    println!("{N} by {N} cells on {RANKS} ranks, {SHOTS} shots, {STEPS} steps");
    let (exact, function) = survey.misfit(&truth);
    println!("misfit of the truth: {exact:.1e}");
    if exact > 1e-20 {
        return Err("the ranks and the whole medium differ".to_owned());
    }

    let start = vec![BACKGROUND; N * N];
    let (value, gradient, through) = survey.through(&start);
    let (other_value, other, under) = survey.under(&start);
    let norm = |x: &mut dyn Iterator<Item = f64>| x.map(|x| x * x).sum::<f64>().sqrt();
    let size = norm(&mut gradient.iter().copied());
    let error = norm(&mut gradient.iter().zip(&other).map(|(a, b)| a - b)) / size;
    println!("gradient through the barrier against the one under it: relative error {error:.1e}");
    println!(
        "messages: {} of the function, {} through the barrier, {} under it",
        function.messages, through.messages, under.messages
    );
    if error.is_nan() || error > 1e-13 || (value - other_value).abs() > 1e-13 * value {
        return Err("the two gradients differ".to_owned());
    }
    if through != under || through.messages != 2 * function.messages || through.bytes != 2 * function.bytes {
        return Err("the gradient sends each message once more, backwards, and no other".to_owned());
    }
    differences::check(|p| survey.misfit(p).0, &start, &gradient, 1e-4)?;

    println!("inversion, L-BFGS");
    // so that the first step moves the medium a little
    let scale = 0.05 / size;
    let scaled = |p: &[f64]| {
        let (misfit, gradient, _) = survey.through(p);
        (scale * misfit, gradient.iter().map(|g| scale * g).collect())
    };
    let (found, _) = descent::minimise(scaled, start.clone(), 50)?;
    let distance = |p: &[f64]| norm(&mut p.iter().zip(&truth).map(|(a, b)| a - b));
    let (before, after) = (distance(&start), distance(&found));
    println!("  distance from the truth {before:.4} -> {after:.4}");
    if after > 0.3 * before {
        return Err("the bodies were not found".to_owned());
    }

    let steepest = gradient.iter().fold(0.0f64, |m, g| m.max(g.abs()));
    let field = |title, values, low, high| Field { title, values, width: N, low, high };
    let pictures = [
        field("squared speed of sound: truth", &truth, 0.15, 0.25),
        field("gradient at the start", &gradient, -steepest, steepest),
        field("found by four ranks", &found, 0.15, 0.25),
    ];
    fields::write("wave_ranks", &pictures)
}
