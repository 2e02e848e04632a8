//! Molecular dynamics: atoms that attract and repel their neighbours, moved by their forces.

use pardiff::differentiate;

/// How far atoms have moved after `steps` steps of velocity Verlet: half the sum of the squared displacements.
///
/// Shapes: `position` and `velocity`, at the beginning, have one row of 3 an atom; the neighbours of atom `i` are
/// `neighbours[start[i]..start[i + 1]]`, each pair once. Forces end at `cutoff`; masses are 1.
#[differentiate(wrt(position, velocity, sigma, epsilon))]
pub fn lennard_jones_dynamics(
    position: &[[f64; 3]],
    velocity: &[[f64; 3]],
    sigma: f64,
    epsilon: f64,
    start: &[u32],
    neighbours: &[u32],
    cutoff: f64,
    step: f64,
    steps: usize,
) -> f64 {
    let n = position.len();
    let mut x = position.to_vec();
    let mut v = velocity.to_vec();
    let mut force = vec![[0.0; 3]; n];
    for t in 0..steps + 1 {
        // the first half of a step with the forces of the last one
        if t > 0 {
            for i in 0..n {
                for a in 0..3 {
                    v[i][a] += 0.5 * step * force[i][a];
                    x[i][a] += step * v[i][a];
                }
            }
        }
        force.fill([0.0; 3]);
        for i in 0..n {
            for k in start[i] as usize..start[i + 1] as usize {
                let j = neighbours[k] as usize;
                let d = [x[i][0] - x[j][0], x[i][1] - x[j][1], x[i][2] - x[j][2]];
                let square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
                if square < cutoff * cutoff {
                    let s2 = sigma * sigma / square;
                    let s6 = s2 * s2 * s2;
                    let f = 24.0 * epsilon * (2.0 * s6 * s6 - s6) / square;
                    for a in 0..3 {
                        force[i][a] += f * d[a];
                        force[j][a] -= f * d[a];
                    }
                }
            }
        }
        if t > 0 {
            for i in 0..n {
                for a in 0..3 {
                    v[i][a] += 0.5 * step * force[i][a];
                }
            }
        }
    }
    let mut moved = 0.0;
    for i in 0..n {
        for a in 0..3 {
            let e = x[i][a] - position[i][a];
            moved += 0.5 * e * e;
        }
    }
    moved
}
