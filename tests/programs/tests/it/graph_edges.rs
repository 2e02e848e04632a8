//! Springs along the edges of a graph: gathers and scatters through index arrays, collisions included.

use pardiff::differentiate;
use pardiff_programs::{check, dot, random};

#[differentiate]
pub fn forces(from: &[u32], to: &[u32], rest: &[f64], p: &[[f64; 2]], force: &mut [[f64; 2]]) -> f64 {
    let mut energy = 0.0;
    for e in 0..from.len() {
        let (a, b) = (from[e] as usize, to[e] as usize);
        let dx = p[b][0] - p[a][0];
        let dy = p[b][1] - p[a][1];
        let len = dx.hypot(dy);
        let pull = (len - rest[e]) / len;
        energy += 0.5 * (len - rest[e]).powi(2);
        force[a][0] += pull * dx;
        force[a][1] += pull * dy;
        force[b][0] -= pull * dx;
        force[b][1] -= pull * dy;
    }
    energy
}

#[test]
fn both_the_value_and_the_outputs_are_seeded() {
    let (from, to) = ([0, 1, 2, 0, 0], [1, 2, 0, 3, 1]);
    let (rest, p, seed) = (random(1, 5), random(2, 8), random(3, 8));
    let pairs = |v: &[f64]| -> Vec<[f64; 2]> { v.chunks(2).map(|p| [p[0], p[1]]).collect() };
    let (mut d_rest, mut d_p) = (vec![0.0; 5], vec![[0.0; 2]; 4]);
    let (mut force, mut d_force) = (vec![[0.0; 2]; 4], pairs(&seed));
    let points = pairs(&p);
    let value = forces::vjp(&from, &to, &rest, &mut d_rest, &points, &mut d_p, &mut force, &mut d_force, 1.7);
    let run = |v: &[Vec<f64>]| {
        let mut force = vec![[0.0; 2]; 4];
        let energy = forces(&from, &to, &v[0], &pairs(&v[1]), &mut force);
        1.7 * energy + dot(force.as_flattened(), &seed)
    };
    assert_eq!(value, forces(&from, &to, &rest, &points, &mut [[0.0; 2]; 4]));
    check(run, &[&rest, &p], &[&d_rest, d_p.as_flattened()]);
    // the old forces pass through
    assert_eq!(d_force.as_flattened(), seed);
}
