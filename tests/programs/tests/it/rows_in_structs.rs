//! Vectors in structs and tuples of which there is a slice, and vectors of vectors as fields.

use pardiff::differentiate;

/// Observations and what was measured.
#[differentiate(check, forward, hvp, split)]
pub fn logistic(data: &[(Vec<f64>, f64)], w: &[f64]) -> f64 {
    let mut loss = 0.0;
    for (x, y) in data {
        let mut z = 0.0;
        for j in 0..x.len() {
            z += x[j] * w[j];
        }
        loss += (z.exp() + 1.0).ln() - y * z;
    }
    loss
}

fn observations() -> Vec<(Vec<f64>, f64)> {
    vec![(vec![0.1, 0.2], 0.5), (vec![-0.3, 0.7], 0.9), (vec![0.4, 0.1], -0.4)]
}

#[test]
fn rows_beside_numbers() {
    let (data, w) = (observations(), [0.3, 0.4]);
    logistic::check(&data, &w).expect("right derivatives");
    let (value, gradient) = logistic::gradient(&data, &w);
    assert_eq!(value, logistic(&data, &w));
    let mut d_data = observations();
    logistic::grad_into(&data, &mut d_data, &w, &mut [7.0; 2]);
    assert_eq!(d_data, gradient.data);
}

#[test]
fn rows_have_lengths_of_their_own() {
    let mut data = observations();
    data[2].0.pop();
    data[1].0.clear();
    logistic::check(&data, &[0.3, 0.4]).expect("right derivatives");
    logistic::check(&[], &[0.3, 0.4]).expect("right derivatives");
}

#[test]
#[should_panic(
    expected = "logistic: the length of the adjoint `d_data[1].0` is 1 but the length of `data[1].0` is 2"
)]
fn adjoints_of_other_lengths_are_named() {
    let mut d_data = observations();
    d_data[1].0.pop();
    logistic::grad(&observations(), &mut d_data, &[0.3, 0.4], &mut [0.0; 2]);
}

/// What is behind a `&mut`, and arrays beside rows.
#[differentiate(check, forward)]
#[allow(clippy::ptr_arg)]
pub fn scaled(data: &mut Vec<(Vec<f64>, f64)>, by: Vec<(f64, [f64; 2], Vec<f64>)>) {
    for ((x, y), (factor, ends, row)) in data.iter_mut().zip(&by) {
        for (v, w) in x.iter_mut().zip(row) {
            *v *= factor * w * ends[1];
        }
        *y += ends[0];
    }
}

/// Copies of what is moved, and of what is named anew.
#[differentiate(check)]
pub fn moved(mut data: Vec<(Vec<f64>, f64)>) -> f64 {
    data[0].0[1] *= 2.0;
    let mut own = data;
    own[1].0[0] *= own[0].0[1];
    own[0].0[1] * own[0].1 * own[1].0[0]
}

#[differentiate(check)]
pub fn exchanged(data: &mut [(Vec<f64>, f64)]) {
    data.swap(0, 1);
    data[0].0[0] *= 2.0;
    data[2].0.fill(3.0);
    data.reverse();
}

#[test]
fn rows_that_are_written() {
    let by = vec![(2.0, [0.5, 3.0], vec![1.5, 2.0, 0.1]); 3];
    scaled::check(&mut observations(), &by).expect("right derivatives");
    moved::check(&observations()).expect("right derivatives");
    exchanged::check(&mut observations()).expect("right derivatives");
}

#[test]
#[should_panic(expected = "takes the elements of one of another length")]
fn vectors_of_other_lengths_are_not_exchanged() {
    let mut data = observations();
    data[1].0.pop();
    exchanged::value(&mut data);
}

#[differentiate(check, forward, split)]
mod splines {
    #[derive(Clone)]
    pub struct Sample {
        pub x: Vec<f64>,
        pub label: usize,
        pub z: Vec<f64>,
    }

    /// The vectors have lengths of their own.
    pub fn weighted(samples: &[Sample], w: &[f64]) -> f64 {
        let dot = |s: &Sample| s.x.iter().zip(w).map(|(a, b)| a * b).sum::<f64>();
        samples.iter().map(|s| dot(s) * s.z[s.z.len() - 1] + w[s.label] * s.z[0]).sum()
    }

    pub struct Surface {
        pub degree: i32,
        pub knots: Vec<f64>,
        pub control: Vec<Vec<f64>>,
        pub which: Vec<Vec<usize>>,
    }

    impl Surface {
        pub fn at(&self, t: f64) -> f64 {
            let mut sum = 0.0;
            for i in 0..self.control.len() {
                for (c, k) in self.control[i].iter().zip(&self.which[i]) {
                    sum += c * self.knots[*k] * t.powi(self.degree);
                }
            }
            sum
        }

        pub fn stretch(&mut self, t: f64) {
            for row in self.control.iter_mut() {
                row[0] += self.knots[0];
                for v in row.iter_mut() {
                    *v *= t;
                }
            }
        }
    }

    /// Rows of integers.
    pub fn neighbours(x: &[f64], of: &[Vec<usize>]) -> f64 {
        let mut sum = 0.0;
        for i in 0..x.len() {
            for &k in &of[i] {
                sum += x[i] * x[k];
            }
        }
        sum
    }
}

fn surface() -> splines::Surface {
    splines::Surface {
        degree: 2,
        knots: vec![0.1, 0.3],
        control: vec![vec![0.3, 0.1, 0.3], vec![0.4, 0.2, 0.5]],
        which: vec![vec![0, 1, 1], vec![0, 0, 1]],
    }
}

#[test]
fn structs_with_rows() {
    let sample = |x: [f64; 3], label| splines::Sample { x: x.to_vec(), label, z: vec![x[0], 0.5] };
    let samples = [sample([0.1, 0.2, 0.3], 1), sample([0.5, 0.1, 0.7], 2)];
    splines::weighted::check(&samples, &[0.3, 0.4, 0.9]).expect("right derivatives");
    splines::surface::at::check(&surface(), 0.3).expect("right derivatives");
    splines::surface::stretch::check(&mut surface(), 0.3).expect("right derivatives");
    splines::neighbours::check(&[0.1, 0.2], &[vec![0, 1], vec![1, 1]]).expect("right derivatives");
}

#[test]
#[should_panic(
    expected = "Surface::at: the length of `this.control[1]` is 2 but the length of `this.control[0]` is 3"
)]
fn rows_of_a_field_are_named() {
    let mut surface = surface();
    surface.control[1].pop();
    splines::surface::at::value(&surface, 0.3);
}
