//! Helper functions nested in the body: one calls another, one writes through `&mut`.

use pardiff::differentiate;
use pardiff_programs::{check, random};

#[differentiate]
pub fn energy(x: &[f64], scale: f64) -> f64 {
    fn square(a: f64) -> f64 {
        a * a
    }
    fn norm(v: &[f64]) -> f64 {
        let mut sum = 0.0;
        for i in 0..v.len() {
            sum += square(v[i]);
        }
        sum.sqrt()
    }
    fn scaled(v: &mut [f64], by: f64) {
        for i in 0..v.len() {
            v[i] *= by;
        }
    }
    let mut y = x.to_vec();
    scaled(&mut y, scale);
    let before = norm(&y);
    scaled(&mut y, 1.0 / before);
    before + norm(x) * y[0]
}

#[test]
fn gradient() {
    let x = random(1, 5);
    let (value, gradient) = energy::gradient(&x, 1.3);
    assert_eq!(value, energy(&x, 1.3));
    check(|v| energy(&v[0], v[1][0]), &[&x, &[1.3]], &[&gradient.x, &[gradient.scale]]);
}

/// Rows by a helper that returns a slice: squares of distances, and rows that are written.
#[differentiate]
pub fn pairs(x: &[f64], n: usize, d: usize) -> f64 {
    fn row(x: &[f64], i: usize, d: usize) -> &[f64] {
        &x[i * d..(i + 1) * d]
    }
    fn row_mut(x: &mut [f64], i: usize, d: usize) -> &mut [f64] {
        let start = i * d;
        &mut x[start..start + d]
    }
    fn distance(a: &[f64], b: &[f64]) -> f64 {
        a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum()
    }
    let mut y = vec![0.0; n * d];
    for i in 0..n {
        let r = row(x, i, d);
        for (out, v) in row_mut(&mut y, i, d).iter_mut().zip(r) {
            *out = v.sin();
        }
        row_mut(&mut y, i, d)[0] *= r[0];
    }
    let mut total = 0.0;
    for i in 0..n {
        for j in 0..n {
            total += (-distance(row(&y, i, d), row(x, j, d))).exp() + row(&y, j, d)[0];
        }
    }
    total
}

#[test]
fn rows_by_a_helper() {
    for (n, d) in [(3, 2), (1, 4), (0, 2), (5, 1)] {
        let x = random(2, n * d);
        let (value, gradient) = pairs::gradient(&x, n, d);
        assert!((value - pairs(&x, n, d)).abs() < 1e-12);
        check(|v| pairs(&v[0], n, d), &[&x], &[&gradient.x]);
    }
    assert!(pairs::DECISIONS.contains("parallel"), "{}", pairs::DECISIONS);
}

#[test]
#[should_panic(expected = "pairs")]
fn a_row_out_of_range() {
    pairs::gradient(&[1.0, 2.0, 3.0], 2, 2);
}

/// Methods that return parts of fields.
#[differentiate]
mod network {
    pub struct Layer {
        pub weights: [f64; 6],
        pub bias: [f64; 2],
    }

    impl Layer {
        fn row(&self, i: usize) -> &[f64] {
            &self.weights[i * 3..(i + 1) * 3]
        }

        fn bias_mut(&mut self) -> &mut [f64; 2] {
            &mut self.bias
        }

        fn bias_of(&self, i: usize) -> &f64 {
            &self.bias[i]
        }
    }

    pub fn applied(layer: &Layer, x: &[f64]) -> f64 {
        let mut own = Layer { ..*layer };
        own.bias_mut()[1] *= 2.0;
        let mut total = 0.0;
        for i in 0..2 {
            let sum: f64 = layer.row(i).iter().zip(x).map(|(w, x)| w * x).sum();
            total += (sum + own.bias_of(i)).tanh() * layer.row(1)[i];
        }
        total
    }
}

#[test]
fn parts_of_fields() {
    let (w, x) = (random(3, 8), random(4, 3));
    let layer = |w: &[f64]| network::Layer { weights: std::array::from_fn(|k| w[k]), bias: [w[6], w[7]] };
    let (value, gradient) = network::applied::gradient(&layer(&w), &x);
    assert!((value - network::applied(&layer(&w), &x)).abs() < 1e-14);
    let d = gradient.layer;
    let d_w: Vec<f64> = d.weights.iter().chain(&d.bias).copied().collect();
    check(|v| network::applied(&layer(&v[0]), &v[1]), &[&w, &x], &[&d_w, &gradient.x]);
}
