//! Parts of parameters and locals as slices with an offset, read and written.

use pardiff::differentiate;
use pardiff_programs::{check, dot, random};

#[differentiate]
pub fn blocks(x: &[f64], out: &mut [f64], width: usize) -> f64 {
    let count = x.len() / width;
    let mut scratch = vec![0.0; x.len()];
    for b in 0..count {
        let part = &x[b * width..(b + 1) * width];
        let target = &mut scratch[b * width..];
        for i in 0..part.len() {
            target[i] = part[i] * part[width - 1 - i];
        }
    }
    let head = &scratch[..width];
    let tail = &head[1..];
    let (first, rest) = (tail[0], tail.len());
    let end = &mut out[1..=2];
    end[0] = first * 2.0;
    end[1] += tail[rest - 1];
    let mut sum = 0.0;
    for i in 0..scratch.len() {
        sum += scratch[i];
    }
    sum
}

#[test]
fn adjoint() {
    let (x, out, seed) = (random(1, 7), random(2, 4), random(3, 4));
    let (mut d_x, mut y, mut d_y) = (vec![0.0; 7], out.clone(), seed.clone());
    let value = blocks::vjp(&x, &mut d_x, &mut y, &mut d_y, 3, 1.1);
    assert_eq!(value, blocks(&x, &mut out.clone(), 3));
    let run = |v: &[Vec<f64>]| {
        let mut out = v[1].clone();
        let value = blocks(&v[0], &mut out, 3);
        1.1 * value + dot(&out, &seed)
    };
    check(run, &[&x, &out], &[&d_x, &d_y]);
}
