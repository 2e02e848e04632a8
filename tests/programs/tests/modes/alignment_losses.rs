//! Losses over all alignments of a sequence with its labels, in the logarithm.

use pardiff::differentiate;
use pardiff_programs::{check, random};

/// Connectionist temporal classification: label `0` is the blank. What a state reads of the two before it stands under
/// conditions, whose positions would be negative elsewhere.
#[differentiate(wrt(logits), forward, hvp, batch(4))]
pub fn alignment_loss(logits: &[f64], labels: &[u8], classes: usize) -> f64 {
    fn log_sum(a: f64, b: f64) -> f64 {
        let top = a.max(b);
        if top == f64::NEG_INFINITY { top } else { top + ((a - top).exp() + (b - top).exp()).ln() }
    }
    let states = 2 * labels.len() + 1;
    let mut log_p = logits.to_vec();
    for row in log_p.chunks_mut(classes) {
        let top = row.iter().copied().reduce(f64::max).unwrap();
        let norm = top + row.iter().map(|v| (v - top).exp()).sum::<f64>().ln();
        for v in row {
            *v -= norm;
        }
    }
    let symbol = |k: usize| if k.is_multiple_of(2) { 0 } else { labels[k / 2] as usize };
    let mut alpha = vec![f64::NEG_INFINITY; states];
    alpha[0] = log_p[0];
    alpha[1] = log_p[symbol(1)];
    for step in 1..logits.len() / classes {
        let before = alpha.clone();
        for k in 0..states {
            let mut a = before[k];
            if k > 0 {
                a = log_sum(a, before[k - 1]);
            }
            if k > 1 && symbol(k) != 0 && symbol(k) != symbol(k - 2) {
                a = log_sum(a, before[k - 2]);
            }
            alpha[k] = a + log_p[step * classes + symbol(k)];
        }
    }
    -log_sum(alpha[states - 1], alpha[states - 2])
}

#[test]
fn elements_under_conditions_are_part_of_rows() {
    for (steps, labels) in [(4, &[1_u8][..]), (6, &[1, 1]), (7, &[1, 2, 1])] {
        let x = random(steps as u64, 4 * steps);
        let (value, g) = alignment_loss::gradient(&x, labels, 4);
        assert!((value - alignment_loss(&x, labels, 4)).abs() < 1e-12);
        check(|v| alignment_loss(&v[0], labels, 4), &[&x], &[&g.logits]);
        let dots: [Vec<f64>; 4] = std::array::from_fn(|w| random(50 + w as u64, x.len()));
        let dot: Vec<[f64; 4]> = (0..x.len()).map(|k| std::array::from_fn(|w| dots[w][k])).collect();
        let mut h = vec![[0.0; 4]; x.len()];
        alignment_loss::hvp_batch(&x, &dot, &mut h, labels, 4);
        for w in 0..4 {
            let slope = |v: &[f64]| {
                let g = alignment_loss::gradient(v, labels, 4).1.logits;
                g.iter().zip(&dots[w]).map(|(a, b)| a * b).sum()
            };
            let own: Vec<f64> = h.iter().map(|h| h[w]).collect();
            check(|v| slope(&v[0]), &[&x], &[&own]);
        }
    }
}
