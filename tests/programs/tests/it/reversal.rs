//! An array reversed in place, then mixed with itself.

use pardiff::differentiate;
use pardiff_programs::{check, dot, random};

#[differentiate]
pub fn reverse_in_place(x: &mut [f64], k: f64) {
    let n = x.len();
    for i in 0..n / 2 {
        let t = x[i];
        x[i] = x[n - 1 - i] * k;
        x[n - 1 - i] = t * t;
    }
    for i in 0..n {
        x[i] = x[(i * 3 + 1) % n] + x[i] * k;
    }
}

#[differentiate]
pub fn rows_from_rows(m: &mut [f64], w: usize) -> f64 {
    let h = m.len() / w;
    let mut s = 0.0;
    for t in 0..2 {
        for i in 1..h {
            let prev = m[(i - 1) * w..i * w].to_vec();
            let row = &mut m[i * w..(i + 1) * w];
            for j in 0..w {
                row[j] = row[j] * prev[w - 1 - j] + t as f64;
            }
            s += row[0];
        }
    }
    s
}

#[test]
fn reversed_and_mixed() {
    let (x, seed) = (random(2, 7), random(3, 7));
    let (mut y, mut d_x, mut d_k) = (x.clone(), seed.clone(), 0.0);
    reverse_in_place::vjp(&mut y, &mut d_x, 0.8, &mut d_k);
    let run = |v: &[Vec<f64>]| {
        let mut y = v[0].clone();
        reverse_in_place(&mut y, v[1][0]);
        dot(&y, &seed)
    };
    check(run, &[&x, &[0.8]], &[&d_x, &[d_k]]);
}

#[test]
fn rows_made_from_copies_of_rows() {
    let (m, seed) = (random(12, 12), random(9, 12));
    let (mut y, mut d_m) = (m.clone(), seed.clone());
    rows_from_rows::grad(&mut y, &mut d_m, 3);
    let run = |v: &[Vec<f64>]| {
        let mut y = v[0].clone();
        rows_from_rows(&mut y, 3) + dot(&y, &seed)
    };
    check(run, &[&m], &[&d_m]);
}
