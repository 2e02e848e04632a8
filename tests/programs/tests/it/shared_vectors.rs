//! Vectors behind `Arc` and `Rc`: fields and parameters, which derivatives read as any vector.

use pardiff::differentiate;
use pardiff_programs::{check, random};
use std::rc::Rc;
use std::sync::Arc;

#[differentiate]
mod splines {
    use std::rc::Rc;
    use std::sync::Arc;

    #[derive(Clone, Debug, PartialEq)]
    pub struct Spline {
        pub name: String,
        pub knots: Arc<[f64]>,
        pub values: Rc<Vec<f64>>,
        pub colours: Arc<[(f64, [f64; 2])]>,
        pub order: Rc<[usize]>,
        pub gain: f64,
    }

    impl Spline {
        #[differentiate(forward, hvp, split, check)]
        pub fn at(&self, t: f64) -> f64 {
            let knots = &self.knots;
            let mut sum = 0.0;
            for (i, knot) in knots.iter().enumerate() {
                let (weight, colour) = self.colours[self.order[i]];
                sum += self.values[i] * weight * (knot - t) * (colour[0] + t * colour[1]);
            }
            self.gain * sum
        }

        #[differentiate(forward, check)]
        pub fn amplify(&mut self, by: f64) {
            self.gain *= by * self.knots[0] * self.values[self.order.len() - 1];
        }
    }

    #[differentiate(forward, hvp, batch(2), check)]
    pub fn product(a: &Arc<[f64]>, b: Rc<[f64]>, c: &std::sync::Arc<Vec<f64>>) -> f64 {
        let mut sum = 0.0;
        for i in 0..a.len() {
            sum += a[i] * b[i] * c[i] * c[i];
        }
        sum
    }

    #[differentiate(check)]
    pub fn first(a: &Arc<[f64]>, b: Rc<Vec<f64>>) -> Option<f64> {
        (a.len() == b.len()).then_some(a[0] * b[0])
    }

    /// A row of a table.
    pub struct Row {
        pub numbers: Arc<[f64]>,
        pub weight: f64,
    }

    pub fn weighted(rows: &[Row]) -> f64 {
        let mut sum = 0.0;
        for row in rows {
            for number in row.numbers.iter() {
                sum += row.weight * number * number;
            }
        }
        sum
    }
}

use splines::{Row, Spline};

fn spline(v: &[Vec<f64>]) -> Spline {
    let colours: Vec<(f64, [f64; 2])> = v[2].chunks(3).map(|c| (c[0], [c[1], c[2]])).collect();
    Spline {
        name: "spline".to_owned(),
        knots: v[0].clone().into(),
        values: Rc::new(v[1].clone()),
        colours: colours.into(),
        order: vec![2, 0, 1].into(),
        gain: v[3][0],
    }
}

fn floats(of: &Spline) -> Vec<Vec<f64>> {
    let colours = of.colours.iter().flat_map(|(weight, colour)| [*weight, colour[0], colour[1]]);
    vec![of.knots.to_vec(), of.values.to_vec(), colours.collect(), vec![of.gain]]
}

fn start() -> Vec<Vec<f64>> {
    vec![random(1, 3), random(2, 3), random(3, 9), vec![1.3]]
}

#[test]
fn fields_that_are_shared() {
    let (start, t) = (start(), [0.4]);
    let of = spline(&start);
    let (value, g) = splines::spline::at::gradient(&of, t[0]);
    assert!((value - of.at(t[0])).abs() < 1e-14);
    let (found, d_t) = (floats(&g.this), [g.t]);
    let inputs: Vec<&[f64]> = start.iter().map(Vec::as_slice).chain([&t[..]]).collect();
    let gradients: Vec<&[f64]> = found.iter().map(Vec::as_slice).chain([&d_t[..]]).collect();
    check(|v| spline(v).at(v[4][0]), &inputs, &gradients);
    splines::spline::at::check(&of, t[0]).expect("right derivatives");
    splines::spline::amplify::check(&mut spline(&start), 0.7).expect("right derivatives");
}

#[test]
fn an_adjoint_that_shares_gets_vectors_of_its_own() {
    let of = spline(&start());
    let mut adjoint = of.clone();
    let mut d_t = 0.0;
    splines::spline::at::grad_into(&of, &mut adjoint, 0.4, &mut d_t);
    assert_eq!(of, spline(&start()));
    assert!(!Arc::ptr_eq(&of.knots, &adjoint.knots) && Rc::ptr_eq(&of.order, &adjoint.order));
    assert_eq!(floats(&adjoint), floats(&splines::spline::at::gradient(&of, 0.4).1.this));
}

#[test]
fn parameters_that_are_shared() {
    let (a, b, c) = (random(4, 5), random(5, 5), random(6, 5));
    let first: Arc<[f64]> = a.clone().into();
    let second: Rc<[f64]> = b.clone().into();
    let third = Arc::new(c.clone());
    let (value, g) = splines::product::gradient(&first, &second, &third);
    assert!((value - splines::product(&first, second.clone(), &third)).abs() < 1e-14);
    for i in 0..5 {
        let expected = [b[i] * c[i] * c[i], a[i] * c[i] * c[i], 2.0 * a[i] * b[i] * c[i]];
        let found = [g.a[i], g.b[i], g.c[i]];
        assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-14));
    }
    splines::product::check(&a, &b, &c).expect("right derivatives");
    splines::first::check(&a, &b).expect("right derivatives");
    assert_eq!(splines::first::gradient(&a, &b[1..]), None);
}

#[test]
fn rows_that_are_shared() {
    let row = |numbers: &[f64], weight: f64| Row { numbers: numbers.into(), weight };
    let rows = [row(&[1.0, 2.0], 3.0), row(&[4.0, 5.0], 6.0)];
    let mut adjoints = [row(&[0.0; 2], 0.0), row(&[0.0; 2], 0.0)];
    let kept = adjoints[1].numbers.clone();
    assert_eq!(splines::weighted::grad(&rows, &mut adjoints), 15.0 + 246.0);
    assert_eq!((&*adjoints[1].numbers, adjoints[1].weight, &*kept), (&[48.0, 60.0][..], 41.0, &[0.0; 2][..]));
    assert_eq!(splines::weighted::gradient(&rows).1.rows[0].numbers[1], 12.0);
}
