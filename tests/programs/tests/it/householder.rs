//! A QR factorisation by reflections of a matrix in place.

use pardiff::differentiate;
use pardiff_programs::{check, dot, random};

#[differentiate]
pub fn determinant(a: &mut [[f64; 3]; 3]) -> f64 {
    let mut d = 1.0;
    for k in 0..3 {
        let mut norm = 0.0;
        for i in k..3 {
            norm += a[i][k] * a[i][k];
        }
        let alpha = if a[k][k] > 0.0 { -norm.sqrt() } else { norm.sqrt() };
        let mut v = [0.0; 3];
        for i in k..3 {
            v[i] = a[i][k];
        }
        v[k] -= alpha;
        let mut vv = 0.0;
        for i in k..3 {
            vv += v[i] * v[i];
        }
        for j in k..3 {
            let mut dot = 0.0;
            for i in k..3 {
                dot += v[i] * a[i][j];
            }
            for i in k..3 {
                a[i][j] -= 2.0 * dot / vv * v[i];
            }
        }
        d *= a[k][k];
    }
    d
}

fn shaped(a: &[f64]) -> [[f64; 3]; 3] {
    [[a[0], a[1], a[2]], [a[3], a[4], a[5]], [a[6], a[7], a[8]]]
}

#[test]
fn adjoint() {
    let (a, seed) = (random(4, 9), random(8, 9));
    let (mut r, mut d_a) = (shaped(&a), shaped(&seed));
    determinant::grad(&mut r, &mut d_a);
    let run = |v: &[Vec<f64>]| {
        let mut r = shaped(&v[0]);
        determinant(&mut r) + dot(r.as_flattened(), &seed)
    };
    check(run, &[&a], &[d_a.as_flattened()]);
}
