//! Quaternions as tuples: a helper that takes and returns several scalars.

use pardiff::differentiate;
use pardiff_programs::{check, random};

#[differentiate]
pub fn rotate(q: &[f64; 4], x: &[f64; 3]) -> [f64; 3] {
    fn cross(a0: f64, a1: f64, a2: f64, b0: f64, b1: f64, b2: f64) -> (f64, f64, f64) {
        (a1 * b2 - a2 * b1, a2 * b0 - a0 * b2, a0 * b1 - a1 * b0)
    }
    let norm = (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]).sqrt();
    let (w, u) = (q[0] / norm, (q[1] / norm, q[2] / norm, q[3] / norm));
    let (t0, t1, t2) = cross(u.0, u.1, u.2, x[0], x[1], x[2]);
    let (s0, s1, s2) = cross(u.0, u.1, u.2, t0, t1, t2);
    let mut out = [0.0; 3];
    out[0] = x[0] + 2.0 * (w * t0 + s0);
    out[1] = x[1] + 2.0 * (w * t1 + s1);
    out[2] = x[2] + 2.0 * (w * t2 + s2);
    out
}

#[test]
fn an_array_of_seeds() {
    let (q, x, seed) = ([0.9, 0.2, -0.4, 0.3], [1.0, -0.5, 0.25], [0.3, -1.0, 0.6]);
    let (mut d_q, mut d_x) = ([0.0; 4], [0.0; 3]);
    let y = rotate::vjp(&q, &mut d_q, &x, &mut d_x, seed);
    assert_eq!(y, rotate(&q, &x));
    let run = |v: &[Vec<f64>]| {
        let y = rotate(&[v[0][0], v[0][1], v[0][2], v[0][3]], &[v[1][0], v[1][1], v[1][2]]);
        y[0] * seed[0] + y[1] * seed[1] + y[2] * seed[2]
    };
    check(run, &[&q, &x], &[&d_q, &d_x]);
    // rotations keep lengths, and the scale of the quaternion does not matter
    let radial: f64 = q.iter().zip(&d_q).map(|(q, d)| q * d).sum();
    assert!(radial.abs() < 1e-12);
    let _ = random(1, 1);
}
