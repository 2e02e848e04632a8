//! Whole numbers that are made of floats, inside of loops over time: cells of positions, and bounds of loops.

#![deny(warnings)]

use pardiff::differentiate;
use pardiff_programs::{check, positive, random};

/// Particles on a ring that attract those in their own cell and in the next one.
#[differentiate]
mod ring {
    fn cell_of(at: f64, width: f64, n: usize) -> usize {
        ((at / width).floor() as i64).rem_euclid(n as i64) as usize
    }

    #[differentiate(wrt(x, stiffness), forward, hvp, split)]
    pub fn energy(x: &[f64], stiffness: f64, cells: usize, steps: usize) -> f64 {
        let (n, width) = (x.len(), 4.0 / cells as f64);
        let mut at = x.to_vec();
        let mut force = vec![0.0; n];
        let mut energy = 0.0;
        for _ in 0..steps {
            let (mut first, mut next) = (vec![None; cells], vec![None; n]);
            for i in 0..n {
                let own = cell_of(at[i], width, cells);
                next[i] = first[own];
                first[own] = Some(i);
            }
            for i in 0..n {
                force[i] = 0.0;
                let own = cell_of(at[i], width, cells);
                for neighbour in [own, (own + 1) % cells] {
                    let mut member = first[neighbour];
                    while let Some(j) = member {
                        let d = at[j] - at[i];
                        force[i] += stiffness * d;
                        energy += 0.5 * stiffness * d * d;
                        member = next[j];
                    }
                }
            }
            for i in 0..n {
                at[i] += 0.01 * force[i];
            }
        }
        energy + at.iter().map(|x| x * x).sum::<f64>()
    }
}

/// A filter whose length is a quotient of floats, in each step of time.
#[differentiate(wrt(x), forward, hvp, split)]
fn filtered(x: &[f64], begin: f64, end: f64, width: f64, steps: usize) -> f64 {
    let mut y = x.to_vec();
    let mut last = 0.0;
    for t in 0..steps {
        let taps = ((end - begin) / width + 0.5) as usize;
        let mut sum = 0.0;
        for i in 0..taps {
            sum += y[i] * (1.0 + 0.1 * i as f64);
        }
        last = (sum + last).sin();
        y[t % x.len()] = last;
    }
    last
}

#[test]
fn cells_of_positions_have_gradients() {
    let x: Vec<f64> = random(3, 7).iter().map(|x| 2.0 + 2.0 * x).collect();
    let (_, gradient) = ring::energy::gradient(&x, 0.7, 3, 4);
    check(|v| ring::energy(&v[0], v[1][0], 3, 4), &[&x, &[0.7]], &[&gradient.x, &[gradient.stiffness]]);
}

#[test]
fn loops_as_long_as_floats_say_have_gradients() {
    let x = positive(5, 6);
    for (end, taps) in [(0.2, 0), (1.1, 2), (2.9, 6)] {
        assert_eq!((end / 0.5 + 0.5) as usize, taps);
        let (_, gradient) = filtered::gradient(&x, 0.0, end, 0.5, 5);
        check(|v| filtered(&v[0], 0.0, end, 0.5, 5), &[&x], &[&gradient.x]);
    }
}
