//! Max-pooling with a stepped loop, and the indices of the winners as an integer output.

use pardiff::differentiate;
use pardiff_programs::{check, dot, random};

#[differentiate]
pub fn pool(x: &[f64], y: &mut [f64], winner: &mut [usize], width: usize) {
    let mut out = 0;
    for start in (0..x.len()).step_by(width) {
        let end = (start + width).min(x.len());
        let mut best = start;
        for i in start + 1..end {
            if x[i] > x[best] {
                best = i;
            }
        }
        y[out] = x[best];
        winner[out] = best;
        out += 1;
    }
}

#[test]
fn adjoint_goes_to_the_winner() {
    let (x, seed) = (random(1, 11), random(2, 4));
    let (mut d_x, mut y, mut d_y, mut winner) = (vec![0.0; 11], vec![0.0; 4], seed.clone(), vec![0; 4]);
    pool::vjp(&x, &mut d_x, &mut y, &mut d_y, &mut winner, 3);
    let run = |v: &[Vec<f64>]| {
        let mut y = vec![0.0; 4];
        pool(&v[0], &mut y, &mut [0; 4], 3);
        dot(&y, &seed)
    };
    check(run, &[&x], &[&d_x]);
    for k in 0..4 {
        assert_eq!(y[k], x[winner[k]]);
        assert_eq!(d_x[winner[k]], seed[k]);
    }
    assert_eq!(d_x.iter().filter(|d| **d != 0.0).count(), 4);
}
