//! Attention of queries over keys: rows of flat matrices, a softmax in a local array.

use pardiff::differentiate;
use pardiff_programs::{check, dot, random};

#[differentiate]
pub fn attend(q: &[f64], k: &[f64], v: &[f64], out: &mut [f64], d: usize) {
    let (queries, keys) = (q.len() / d, k.len() / d);
    for i in 0..queries {
        let mut score = vec![0.0; keys];
        let mut largest = -1e300;
        for j in 0..keys {
            for c in 0..d {
                score[j] += q[i * d + c] * k[j * d + c];
            }
            score[j] /= (d as f64).sqrt();
            largest = f64::max(largest, score[j]);
        }
        let mut sum = 0.0;
        for j in 0..keys {
            score[j] = (score[j] - largest).exp();
            sum += score[j];
        }
        for c in 0..d {
            let mut mixed = 0.0;
            for j in 0..keys {
                mixed += score[j] * v[j * d + c];
            }
            out[i * d + c] = mixed / sum;
        }
    }
}

#[test]
fn adjoint() {
    let (q, k, v, seed) = (random(1, 6), random(2, 12), random(3, 12), random(4, 6));
    let (mut d_q, mut d_k, mut d_v) = (vec![0.0; 6], vec![0.0; 12], vec![0.0; 12]);
    let (mut out, mut d_out) = (vec![0.0; 6], seed.clone());
    attend::vjp(&q, &mut d_q, &k, &mut d_k, &v, &mut d_v, &mut out, &mut d_out, 3);
    let run = |a: &[Vec<f64>]| {
        let mut out = vec![0.0; 6];
        attend(&a[0], &a[1], &a[2], &mut out, 3);
        dot(&out, &seed)
    };
    check(run, &[&q, &k, &v], &[&d_q, &d_k, &d_v]);
}
