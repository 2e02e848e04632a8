//! Parts of parts of an output: swapped, filled and copied in place.

use pardiff::differentiate;
use pardiff_programs::{check, dot, random};

#[differentiate]
pub fn sliced(x: &mut [f64], k: usize) {
    let (n, half) = (x.len(), x.len() / 2);
    {
        let lo = &mut x[..half];
        for i in 0..lo.len() {
            lo[i] = lo[i] * lo[(i + 1) % half];
        }
        let sub = &mut lo[k..];
        sub[0] += 1.0;
        sub.swap(0, 1);
    }
    x[half..].fill(2.0);
    let y = x[1..half].to_vec();
    x[half..half + y.len()].copy_from_slice(&y);
    x[n - 1] = x[..3][2] * x[0];
}

#[differentiate]
pub fn skipped(x: &[f64]) -> f64 {
    let mut s = 0.0;
    for i in 0..x.len() {
        match i {
            0 => {
                continue;
            }
            k if k % 2 == 0 => {
                if x[i] < 0.0 {
                    continue;
                }
                s += x[i]
            }
            _ => s += 2.0 * x[i],
        };
        s *= 1.5;
    }
    s
}

#[test]
fn adjoint() {
    let (start, seed) = (random(4, 9), random(5, 9));
    let (mut found, mut d_x, mut expected) = (start.clone(), seed.clone(), start.clone());
    sliced::vjp(&mut found, &mut d_x, 1);
    sliced(&mut expected, 1);
    assert_eq!(found, expected);
    let run = |v: &[Vec<f64>]| {
        let mut x = v[0].clone();
        sliced(&mut x, 1);
        dot(&x, &seed)
    };
    check(run, &[&start], &[&d_x]);
}

#[test]
fn iterations_skipped_in_a_match() {
    let x = random(3, 5);
    let (value, gradient) = skipped::gradient(&x);
    assert_eq!(value, skipped(&x));
    check(|v| skipped(&v[0]), &[&x], &[&gradient.x]);
}
