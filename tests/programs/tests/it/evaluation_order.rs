//! Blocks in indices and values that change what is indexed, and updates that read their target.

use pardiff::differentiate;
use pardiff_programs::{check, dot};

#[differentiate]
pub fn order(x: &mut [f64; 4]) -> f64 {
    // evaluation order, compound assignment with the target inside
    let mut i = 0;
    x[i] = {
        i += 1;
        x[i] * 2.0
    };
    x[i] += x[{
        i += 1;
        i
    }];
    x[3] *= x[3] + x[i];
    let t = x[0];
    x[0] = x[1];
    x[1] = t * x[0];
    x[2] -= x[2] * x[2];
    x[0] + x[1] * x[2] * x[3]
}

#[test]
fn as_rust_evaluates() {
    let (start, seed) = ([0.4, -0.3, 0.8, 1.2], [1.0, 2.0, 3.0, 4.0]);
    let (mut found, mut d_x, mut expected) = (start, seed, start);
    assert_eq!(order::grad(&mut found, &mut d_x), order(&mut expected));
    assert_eq!(found, expected);
    let run = |v: &[Vec<f64>]| {
        let mut x = [v[0][0], v[0][1], v[0][2], v[0][3]];
        order(&mut x) + dot(&x, &seed)
    };
    check(run, &[&start], &[&d_x]);
}
