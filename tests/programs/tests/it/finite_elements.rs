//! Assembly over elements: nodes from a connectivity of rows, a small fixed-size matrix in a local array.

use pardiff::differentiate;
use pardiff_programs::{assert_near, check, random};

#[differentiate(wrt(u, modulus))]
pub fn strain_energy(nodes: &[[usize; 3]], xy: &[[f64; 2]], u: &[f64], modulus: &[f64]) -> f64 {
    let mut total = 0.0;
    for e in 0..nodes.len() {
        let mut x = [0.0; 3];
        let mut y = [0.0; 3];
        let mut local = [0.0; 3];
        for k in 0..3 {
            let node = nodes[e][k];
            x[k] = xy[node][0];
            y[k] = xy[node][1];
            local[k] = u[node];
        }
        let area = 0.5 * ((x[1] - x[0]) * (y[2] - y[0]) - (x[2] - x[0]) * (y[1] - y[0]));
        let mut gx = 0.0;
        let mut gy = 0.0;
        for k in 0..3 {
            let (a, b) = ((k + 1) % 3, (k + 2) % 3);
            gx += local[k] * (y[a] - y[b]);
            gy += local[k] * (x[b] - x[a]);
        }
        total += modulus[e] * (gx * gx + gy * gy) / (8.0 * area);
    }
    total
}

#[test]
fn gradient() {
    let nodes = [[0, 1, 2], [1, 3, 2], [2, 3, 4]];
    let xy = [[0.0, 0.0], [1.0, 0.1], [0.2, 1.0], [1.1, 0.9], [0.6, 1.8]];
    let (u, modulus) = (random(1, 5), [1.0, 2.0, 0.5]);
    let (value, gradient) = strain_energy::gradient(&nodes, &xy, &u, &modulus);
    assert_near(&[value], &[strain_energy(&nodes, &xy, &u, &modulus)]);
    let run = |v: &[Vec<f64>]| strain_energy(&nodes, &xy, &v[0], &v[1]);
    check(run, &[&u, &modulus], &[&gradient.u, &gradient.modulus]);
    // a constant displacement has no energy
    assert!(gradient.u.iter().sum::<f64>().abs() < 1e-13);
}
