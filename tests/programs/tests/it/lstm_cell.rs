//! A recurrent cell over time: gates, two states in fixed-size local arrays, a nested helper.

use pardiff::differentiate;
use pardiff_programs::{check, random};

#[differentiate(wrt(w, b))]
pub fn loss(w: &[[f64; 5]; 12], b: &[f64; 12], x: &[[f64; 2]], target: &[f64]) -> f64 {
    fn sigmoid(z: f64) -> f64 {
        1.0 / (1.0 + (-z).exp())
    }
    let mut h = [0.0; 3];
    let mut c = [0.0; 3];
    let mut total = 0.0;
    for t in 0..x.len() {
        let mut z = [0.0; 12];
        for k in 0..12 {
            z[k] = b[k];
            for j in 0..2 {
                z[k] += w[k][j] * x[t][j];
            }
            for j in 0..3 {
                z[k] += w[k][2 + j] * h[j];
            }
        }
        for j in 0..3 {
            let input = sigmoid(z[j]);
            let forget = sigmoid(z[3 + j]);
            let output = sigmoid(z[6 + j]);
            c[j] = forget * c[j] + input * z[9 + j].tanh();
            h[j] = output * c[j].tanh();
        }
        let r = h[0] + h[1] - h[2] - target[t];
        total += r * r;
    }
    total
}

#[test]
fn gradient() {
    let (w, b, x) = (random(1, 60), random(2, 12), [[0.5, -1.0], [0.25, 0.75], [-0.5, 0.1]]);
    let target = [0.1, -0.2, 0.4];
    let shape =
        |v: &[f64]| -> [[f64; 5]; 12] { std::array::from_fn(|k| std::array::from_fn(|j| v[k * 5 + j])) };
    let bias = |v: &[f64]| -> [f64; 12] { std::array::from_fn(|k| v[k]) };
    let (value, gradient) = loss::gradient(&shape(&w), &bias(&b), &x, &target);
    assert_eq!(value, loss(&shape(&w), &bias(&b), &x, &target));
    let run = |v: &[Vec<f64>]| loss(&shape(&v[0]), &bias(&v[1]), &x, &target);
    check(run, &[&w, &b], &[gradient.w.as_flattened(), &gradient.b]);
}
