//! Softmax and cross-entropy of rows: a running maximum, a sum of exponentials, an index from an array.

use pardiff::differentiate;
use pardiff_programs::{check, random};

#[differentiate]
pub fn loss(logits: &[f64], class: &[usize], classes: usize) -> f64 {
    let mut total = 0.0;
    for i in 0..class.len() {
        let row = &logits[i * classes..(i + 1) * classes];
        let mut largest = f64::NEG_INFINITY;
        for k in 0..classes {
            largest = largest.max(row[k]);
        }
        let mut sum = 0.0;
        for k in 0..classes {
            sum += (row[k] - largest).exp();
        }
        total += sum.ln() + largest - row[class[i]];
    }
    total
}

#[test]
fn gradient_is_softmax_minus_one_hot() {
    let (n, classes) = (5, 4);
    let logits = random(1, n * classes);
    let class = [2, 0, 3, 3, 1];
    let mut d_logits = vec![0.0; n * classes];
    let value = loss::grad(&logits, &mut d_logits, &class, classes);
    assert_eq!(value, loss(&logits, &class, classes));
    check(|v| loss(&v[0], &class, classes), &[&logits], &[&d_logits]);
    for i in 0..n {
        let row = &logits[i * classes..(i + 1) * classes];
        let sum: f64 = row.iter().map(|x| x.exp()).sum();
        for k in 0..classes {
            let one = f64::from(u8::from(class[i] == k));
            assert!((d_logits[i * classes + k] - (row[k].exp() / sum - one)).abs() < 1e-14);
        }
    }
}
