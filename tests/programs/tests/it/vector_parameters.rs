//! Parameters that are vectors and boxes: generated functions take slices in their place, to which a caller lends a vector.

#![deny(warnings)]
#![allow(
    clippy::ptr_arg,
    clippy::borrowed_box,
    clippy::needless_pass_by_value,
    reason = "functions as people write them"
)]

use pardiff::differentiate;
use pardiff_programs::{assert_near, check, random};

/// Behind references, read as vectors and written as vectors.
#[differentiate(forward, hvp, batch(2), split, check)]
fn gathered(x: &Vec<f64>, at: &Vec<usize>, y: &mut Vec<f64>) -> f64 {
    let copy = x.clone();
    let mut sum = 0.0;
    for (i, &k) in at.iter().enumerate() {
        sum += copy[k] * x[i] * y[i];
        y[i] *= x[k];
    }
    sum * x.len() as f64
}

#[test]
fn vectors_behind_references_are_slices_to_callers() {
    let (x, at, y) = (random(1, 4), vec![3, 0, 0], random(2, 3));
    gathered::check(&x, &at, &mut y.clone()).unwrap_or_else(|mismatch| panic!("{mismatch}"));

    let value = |p: &[Vec<f64>]| {
        let mut y = p[1].clone();
        gathered(&p[0], &at, &mut y) + 0.5 * y.iter().sum::<f64>()
    };
    let (mut d_x, mut d_y, mut after) = (vec![0.0; 4], vec![0.5; 3], y.clone());
    let v = gathered::vjp(&x, &mut d_x, &at, &mut after, &mut d_y, 1.0);
    assert_eq!(v, gathered(&x, &at, &mut y.clone()));
    check(value, &[&x, &y], &[&d_x, &d_y]);
}

/// By value: changed, lengthened, moved on, and used up.
#[differentiate(forward, hvp, batch(2), split, check)]
fn consumed(mut x: Vec<f64>, at: Vec<usize>, w: Box<[f64]>, v: &Box<[f64]>) -> f64 {
    let last = x[x.len() - 1];
    x.push(last * last);
    for &k in &at {
        x[k] *= 2.0;
    }
    for k in at {
        x[k] *= w[k] * v[k];
    }
    let mut moved = w;
    moved[0] = moved[0].sin();
    let mut sum = 0.0;
    for x in x {
        sum += x * x * moved[0];
    }
    sum
}

#[test]
fn a_vector_by_value_is_read_and_stays_the_callers() {
    let (x, w, v) = (random(3, 3), random(4, 3), random(5, 3));
    consumed::check(&x, &[1, 0, 1], &w, &v).unwrap_or_else(|mismatch| panic!("{mismatch}"));

    let value = |p: &[Vec<f64>]| {
        let (w, v) = (p[1].clone().into_boxed_slice(), p[2].clone().into_boxed_slice());
        consumed(p[0].clone(), vec![1, 0, 1], w, &v)
    };
    let (_, gradient) = consumed::gradient(&x, &[1, 0, 1], &w, &v);
    check(value, &[&x, &w, &v], &[&gradient.x, &gradient.w, &gradient.v]);
}

/// Given up for one of another length.
#[differentiate(forward)]
fn replaced(y: &Vec<f64>, mut x: Vec<f64>) -> f64 {
    let first = x[0];
    x = y.clone();
    x.iter().map(|v| v * v * first).sum()
}

#[test]
fn a_vector_by_value_is_replaced_by_a_longer_one() {
    let (mut d_y, mut d_x) = (vec![0.0; 3], vec![0.0; 1]);
    assert_eq!(replaced::grad(&[1.0, 2.0, 3.0], &mut d_y, &[2.0], &mut d_x), 28.0);
    assert_eq!((d_y, d_x), (vec![4.0, 8.0, 12.0], vec![14.0]));
    let (_, tangent) = replaced::jvp(&[1.0, 2.0, 3.0], &[1.0, 0.0, 0.0], &[2.0], &[1.0]);
    assert_eq!(tangent, 4.0 + 14.0);
}

#[differentiate(forward, check)]
mod cloud {
    #[derive(Clone, Copy)]
    pub struct Point {
        pub at: [f64; 2],
        pub mass: f64,
        pub kind: u8,
    }

    type Points = Vec<Point>;

    pub struct Frame {
        pub origin: [f64; 2],
    }

    impl Frame {
        /// Of a method, through an alias.
        pub fn inertia(&self, points: &Points, on: Vec<bool>, pairs: &Vec<[u32; 2]>) -> f64 {
            let mut sum = 0.0;
            for (point, on) in points.iter().zip(on) {
                if on && point.kind == 1 {
                    let (dx, dy) = (point.at[0] - self.origin[0], point.at[1] - self.origin[1]);
                    sum += point.mass * (dx * dx + dy * dy);
                }
            }
            for &[a, b] in pairs {
                sum += points[a as usize].mass * points[b as usize].mass;
            }
            sum
        }
    }
}

#[test]
fn vectors_hold_what_slices_hold() {
    use cloud::{Frame, Point};
    let points: Vec<Point> = random(6, 9)
        .chunks(3)
        .enumerate()
        .map(|(i, p)| Point { at: [p[0], p[1]], mass: p[2] + 2.0, kind: u8::from(i != 1) })
        .collect();
    let frame = Frame { origin: [0.2, -0.1] };
    let (on, pairs) = (vec![true, true, false], vec![[0, 1], [2, 1]]);
    cloud::frame::inertia::check(&frame, &points, &on, &pairs)
        .unwrap_or_else(|mismatch| panic!("{mismatch}"));
    let (value, gradient) = cloud::frame::inertia::gradient(&frame, &points, &on, &pairs);
    assert_eq!(value, frame.inertia(&points, on, &pairs));
    let (dx, dy) = (points[0].at[0] - 0.2, points[0].at[1] + 0.1);
    let found = [gradient.points[0].mass, gradient.this.origin[0]];
    assert_near(&found, &[dx * dx + dy * dy + points[1].mass, -2.0 * points[0].mass * dx]);
}
