//! `f::check`: derivatives of all forms of arguments and results against differences, and wrong ones that it finds.

#![deny(warnings)]

use ndarray::{Array2, ArrayView1, ArrayViewMut1, arr1, arr2, s};
use pardiff::{Derivative, Mismatch, Report, differentiate};
use pardiff_programs::{positive, random};

/// A report of a function that is smooth everywhere: everything was compared.
#[track_caller]
fn complete(report: Result<Report, Mismatch>) -> Report {
    let report = report.unwrap_or_else(|mismatch| panic!("{mismatch}"));
    for it in &report.arguments {
        assert!(it.not_smooth.is_empty() && (it.directions == 3 || it.elements == 0), "{report}");
    }
    report
}

fn names(report: &Report) -> Vec<&str> {
    report.arguments.iter().map(|it| it.name).collect()
}

#[differentiate(check, wrt(w))]
pub fn loss(w: &[f64], x: &[f64], y: &[f64], n: usize, d: usize) -> f64 {
    let mut total = 0.0;
    for i in 0..n {
        let mut r = -y[i];
        for j in 0..d {
            r += x[i * d + j] * w[j];
        }
        total += r * r;
    }
    total
}

#[test]
fn a_loss_is_checked_by_its_weights() {
    let report = complete(loss::check(&random(1, 3), &random(2, 12), &random(3, 4), 4, 3));
    assert_eq!(names(&report), ["w"]);
    assert_eq!((report.function, report.arguments[0].elements), ("loss", 3));
    assert!(report.arguments[0].error < 1e-8, "{report}");
    assert_eq!((report.arguments[0].tangent_error, report.arguments[0].product_error), (None, None));
}

#[differentiate(check, forward, hvp, batch(2), split)]
pub fn scaled(x: &[f64], s: f64, at: &f64, c: [f64; 2], m: &[[f64; 2]; 2], index: &[usize]) -> f64 {
    let mut total = 0.0;
    for i in 0..index.len() {
        total += (x[index[i]] * s).sin() * m[i % 2][0] * c[1] + c[0] * at / (1.0 + m[1][1] * m[1][1]);
    }
    total
}

#[test]
fn all_modes_are_compared() {
    let x = random(5, 6);
    let m = [[0.3, -0.4], [1.4, 0.2]];
    let report = complete(scaled::check(&x, 0.7, &1.3, [0.2, 0.9], &m, &[5, 1, 1, 0]));
    assert_eq!(names(&report), ["x", "s", "at", "c", "m"]);
    for it in &report.arguments {
        assert!(it.error < 1e-8, "{report}");
        assert!(it.tangent_error.is_some_and(|error| error < 1e-12), "{report}");
        assert!(it.product_error.is_some_and(|error| error < 1e-6), "{report}");
    }
}

#[differentiate(check, forward, hvp)]
pub fn outputs(x: &[f64], y: &mut [f64], count: &mut usize, z: &mut f64) -> (f64, usize, [f64; 2]) {
    let mut total = 0.0;
    for i in 0..x.len() {
        y[i] = (y[i] * x[i]).sin() + y[i] * y[i];
        total += y[i] / (2.0 + x[i]);
        *count += 1;
    }
    *z *= total;
    (total, *count, [x[0] * x[1], y[0].exp()])
}

#[test]
fn outputs_are_weighted_and_the_arguments_stay() {
    let (x, mut y, mut count, mut z) = (random(6, 5), random(7, 5), 3, 0.4);
    let before = y.clone();
    let report = complete(outputs::check(&x, &mut y, &mut count, &mut z));
    assert_eq!(names(&report), ["x", "y", "z"]);
    assert_eq!((y, count, z), (before, 3, 0.4));
}

/// One float is returned, and others are written: products with the Hessian are of one with the weight one.
#[differentiate(check, hvp)]
pub fn one_and_others(x: &[f64], y: &mut [f64; 3]) -> f64 {
    for i in 0..3 {
        y[i] *= x[i] * x[i];
    }
    x[0] * x[1] * x[2]
}

#[differentiate(check)]
pub fn written_alone(u: &mut [f64], k: f64) {
    let mut left = u[0];
    for i in 1..u.len() - 1 {
        let here = u[i];
        u[i] = here + k * (left - 2.0 * here + u[i + 1]);
        left = here;
    }
}

#[differentiate(check, forward)]
pub fn filled<const N: usize>(out: &mut [[f64; N]], x: [f64; N]) -> [f32; N] {
    let mut halves = [0.0_f32; N];
    for i in 0..out.len() {
        for j in 0..N {
            out[i][j] = x[j] * x[j];
            halves[j] += 0.5 * x[j] as f32;
        }
    }
    halves
}

#[test]
fn outputs_of_other_shapes_are_weighted() {
    complete(one_and_others::check(&random(1, 3), &mut [0.3, 0.2, 0.9]));
    complete(written_alone::check(&mut random(2, 9), 0.2));
    complete(filled::check::<2>(&mut [[0.5; 2]; 3], [0.3, 0.4]));
}

#[differentiate(check, forward, hvp)]
mod springs {
    #[derive(Debug, PartialEq)]
    pub struct Node {
        pub at: [f64; 2],
        pub mass: f64,
        pub group: usize,
        pub kind: Kind,
    }

    #[derive(Clone, Copy, Debug, PartialEq)]
    pub enum Kind {
        Free,
        Fixed,
    }

    /// Not `Copy`.
    #[derive(Clone)]
    pub enum Law {
        Linear(f64),
        Cubic { stiffness: f64 },
    }

    pub struct Total {
        pub energy: f64,
        pub pairs: usize,
        pub weight: [f64; 2],
    }

    fn distance(a: &Node, b: &Node) -> f64 {
        let [dx, dy] = [a.at[0] - b.at[0], a.at[1] - b.at[1]];
        (dx * dx + dy * dy).sqrt()
    }

    pub fn energy(nodes: &[Node], springs: &[[usize; 2]], rest: f64) -> f64 {
        springs
            .iter()
            .map(|&[i, j]| 0.5 * (nodes[i].distance_to(&nodes[j]) - rest).powi(2) * nodes[i].mass)
            .sum()
    }

    impl Node {
        fn distance_to(&self, other: &Node) -> f64 {
            distance(self, other)
        }
    }

    #[differentiate(wrt(pair, origin, rows))]
    pub fn total(pair: [Node; 2], origin: Node, rows: &[[Node; 2]], law: Law, (a, b): (f64, usize)) -> Total {
        let mut energy = a;
        for row in rows {
            let d = distance(&row[0], &row[1]) + distance(&pair[b % 2], &origin);
            energy += match &law {
                Law::Linear(k) => k * d,
                Law::Cubic { stiffness } => stiffness * d * d * d,
            };
        }
        let fixed = if matches!(origin.kind, Kind::Fixed) { 2.0 } else { 1.0 };
        Total { energy, pairs: rows.len(), weight: [fixed * pair[0].mass, pair[1].mass * pair[0].mass] }
    }

    pub fn moved(nodes: &mut [[(f64, f64); 2]], by: (f64, f64)) {
        for i in 0..nodes.len() {
            for j in 0..2 {
                nodes[i][j].0 *= by.0;
                nodes[i][j].1 += nodes[i][j].0 * by.1 * by.1;
            }
        }
    }
}

fn node(seed: u64) -> springs::Node {
    let at = random(seed, 3);
    let kind = if seed == 9 { springs::Kind::Fixed } else { springs::Kind::Free };
    springs::Node { at: [at[0], at[1]], mass: 1.0 + at[2], group: 3, kind }
}

#[test]
fn floats_of_structs_are_checked_member_by_member() {
    let nodes: Vec<springs::Node> = (0..5).map(node).collect();
    let report = complete(springs::energy::check(&nodes, &[[0, 1], [1, 2], [4, 3]], 0.3));
    assert_eq!(names(&report), ["nodes[].at", "nodes[].mass", "rest"]);
    for law in [springs::Law::Linear(0.4), springs::Law::Cubic { stiffness: 0.2 }] {
        let rows = [[node(3), node(4)], [node(5), node(6)]];
        let report = complete(springs::total::check([node(1), node(2)], node(9), &rows, law, (0.3, 1)));
        let expected =
            ["pair[].at", "pair[].mass", "origin.at", "origin.mass", "rows[][].at", "rows[][].mass"];
        assert_eq!(names(&report), expected);
    }
    let mut nodes = [[(0.1, 0.2), (0.3, 0.4)], [(0.5, 0.6), (0.7, 0.8)]];
    let report = complete(springs::moved::check(&mut nodes, (1.2, 0.9)));
    assert_eq!(names(&report), ["nodes[][].0", "nodes[][].1", "by.0", "by.1"]);
    assert_eq!(nodes[1][0], (0.5, 0.6));
}

#[differentiate(check, forward, hvp)]
pub fn product(
    a: &Array2<f64>,
    x: ArrayView1<'_, f64>,
    y: &mut Array2<f64>,
    mut z: ArrayViewMut1<'_, f64>,
) -> f64 {
    let (rows, columns) = a.dim();
    let mut total = 0.0;
    for i in 0..rows {
        for j in 0..columns {
            y[[i, j]] += a[[i, j]] * x[j];
            total += y[[i, j]] * y[[i, j]];
        }
        z[i] *= total;
    }
    total
}

#[test]
fn arrays_of_ndarray_are_checked() {
    let a = arr2(&[[1.0, 0.2, 0.5], [0.3, 0.4, 2.0]]);
    let (x, mut y, mut z) = (arr1(&[1.0, 9.0, 0.4, 9.0, -0.3]), a.clone(), arr1(&[0.5, 9.0, 0.25]));
    let report = complete(product::check(&a, x.slice(s![..;2]), &mut y, z.slice_mut(s![..;2])));
    assert_eq!(names(&report), ["a", "x", "y", "z"]);
    assert_eq!((y, z), (a, arr1(&[0.5, 9.0, 0.25])));
}

#[differentiate(check, forward)]
pub fn single(x: &[f32], y: &mut [f32]) -> f32 {
    let mut total = 0.0;
    for i in 0..x.len() {
        y[i] += x[i] * x[i].exp();
        total += y[i].sin();
    }
    total
}

#[test]
fn singles_are_checked_as_far_as_they_go() {
    let narrow = |x: Vec<f64>| -> Vec<f32> { x.iter().map(|x| *x as f32).collect() };
    let report = complete(single::check(&narrow(random(1, 40)), &mut narrow(random(2, 40))));
    assert!(report.arguments.iter().all(|it| it.error < 2e-3), "{report}");
}

#[differentiate(check)]
pub fn kinks(x: &[f64]) -> f64 {
    let mut total = 0.0;
    for i in 0..x.len() {
        total += x[i].abs() * (1.0 + x[i]).max(0.5);
    }
    total
}

#[test]
fn kinks_are_reported_and_the_rest_is_checked() {
    let mut x = positive(3, 50);
    complete(kinks::check(&x));
    x[20] = 0.0;
    let report = kinks::check(&x).expect("nothing is wrong");
    assert_eq!(report.arguments[0].not_smooth, ["x[20]"]);
    assert_eq!(report.arguments[0].directions, 3);
}

#[differentiate(check, hvp)]
mod wrong {
    #[differentiate(custom(partials = d_square))]
    fn square(x: f64) -> f64 {
        x * x
    }

    fn d_square(x: f64) -> f64 {
        2.0 * x + if x > 10.0 { 1.0 } else { 0.0 }
    }

    pub fn squares(x: &[f64], unused: &[f64]) -> f64 {
        let mut total = 0.0;
        for i in 0..x.len() {
            total += square(x[i]);
        }
        total + unused[0]
    }

    pub fn spread(x: &[f64], y: &mut [f64]) -> (f64, [f64; 2], usize) {
        for i in 0..x.len() {
            y[i] *= square(x[i]);
        }
        (x[0] * y[0], [square(x[1]), 1.0], x.len())
    }
}

#[test]
fn a_wrong_rule_is_found_where_it_is_wrong() {
    let mut x = random(8, 1000);
    complete(wrong::squares::check(&x, &[1.0]));
    x[623] = 11.0;
    let mismatch = wrong::squares::check(&x, &[1.0]).expect_err("the rule is wrong");
    assert_eq!((mismatch.function, &mismatch.element[..]), ("squares", "x[623]"));
    assert_eq!(mismatch.derivative, Derivative::Gradient);
    assert!((mismatch.computed - 23.0).abs() < 1e-9 && (mismatch.expected - 22.0).abs() < 1e-6, "{mismatch}");
    let error: Box<dyn std::error::Error> = Box::new(mismatch);
    assert!(error.to_string().contains("compare the rules of functions"));
}

#[test]
fn wrong_rules_are_found_by_any_output() {
    for (wrong, len) in [(0, 2), (1, 2), (25, 40)] {
        let (mut x, mut y) = (random(9, len), random(10, len));
        complete(wrong::spread::check(&x, &mut y));
        x[wrong] = 11.0;
        let mismatch = wrong::spread::check(&x, &mut y).expect_err("the rule is wrong");
        assert_eq!((&mismatch.element[..], mismatch.is_weighted), (&format!("x[{wrong}]")[..], true));
    }
}

/// Names that generated code might use itself.
#[differentiate(check, forward, hvp, module = names_of_check)]
pub fn check(visitor: f64, at: f64, seed: &[f64], result: &mut f64, visit_at: &mut f64) -> f64 {
    *result *= visitor;
    *visit_at += at;
    visitor * at * seed[0]
}

#[deprecated]
#[differentiate(check)]
pub fn old(x: f64) -> f64 {
    x * x
}

#[test]
#[allow(deprecated)]
fn names_do_not_collide() {
    complete(names_of_check::check(0.3, 0.4, &[2.0], &mut 0.7, &mut 0.2));
    complete(old::check(0.3));
}

#[test]
fn functions_in_blocks_are_checked() {
    const N: usize = 3;
    #[differentiate(check)]
    fn norm(x: &[f64; N], n: [f64; N + 1]) -> f64 {
        x.iter().map(|x| x * x).sum::<f64>().sqrt() * n[3]
    }
    complete(norm::check(&[1.0, 2.0, 3.0], [0.3; 4]));
}

#[differentiate(check, hvp)]
pub fn lifetimes<'a, 'b: 'a>(x: &'a [f64], y: &'b mut [f64], n: &'a [u32]) -> f64 {
    for i in 0..n.len() {
        y[i] *= x[n[i] as usize] * x[0];
    }
    y[0] * y[0]
}

#[test]
fn lifetimes_are_those_of_copies() {
    complete(lifetimes::check(&[0.3, 0.5], &mut [0.4, 0.6], &[1, 0]));
    complete(lifetimes::check(&[0.3, 0.5], &mut [0.4], &[]));
}

/// A check calls methods as their users do.
#[differentiate(check, forward)]
mod methods {
    #[derive(Clone, Copy, Debug)]
    pub struct Spring {
        pub stiffness: f64,
        pub rest: f64,
    }

    impl Spring {
        pub fn energy(&self, at: &[f64]) -> f64 {
            let mut sum = 0.0;
            for k in 1..at.len() {
                let stretch = at[k] - at[k - 1] - self.rest;
                sum += 0.5 * self.stiffness * stretch * stretch;
            }
            sum
        }

        pub fn relax(&mut self, by: f64) {
            self.stiffness *= (-by).exp();
            self.rest += by * by;
        }
    }
}

#[test]
fn methods_are_checked() {
    let spring = methods::Spring { stiffness: 2.5, rest: 0.7 };
    let report = methods::spring::energy::check(&spring, &[0.1, 0.9, 1.4, 2.6]).unwrap();
    let names: Vec<&str> = report.arguments.iter().map(|it| it.name).collect();
    assert_eq!(names, ["this.stiffness", "this.rest", "at"]);
    let mut other = spring;
    let report = methods::spring::relax::check(&mut other, 0.3).unwrap();
    assert_eq!(report.function, "Spring::relax");
    assert_eq!((other.stiffness, other.rest), (2.5, 0.7));
}

#[differentiate(check, forward, hvp)]
mod beside_sum_types {
    #[derive(Clone, Copy)]
    pub enum Gain {
        By(f64),
        Off,
    }

    pub fn weighted(q: &[f64; 3], at: &f64, weight: Option<f64>) -> f64 {
        q[0].sin() * weight.unwrap_or(1.0) * at
    }

    #[differentiate(wrt(q))]
    pub fn chosen(q: &[[f64; 2]; 3], gain: &[Gain], row: Option<usize>, weight: &Option<f64>) -> f64 {
        let by = match gain[0] {
            Gain::By(by) => by,
            Gain::Off => 2.0,
        };
        by * q[row.unwrap_or(1)][0].sin() * weight.unwrap_or(0.5)
    }

    pub fn written(q: &[f64; 3], gain: Gain, y: &mut [f64; 2], left: &mut Option<f64>) {
        if let Some(left) = left {
            if let Gain::By(by) = gain {
                *left *= q[1].exp() * by;
            }
            y[0] *= *left + q[2] * q[2];
        }
    }
}

#[test]
fn arrays_are_checked_beside_options_and_enums() {
    use beside_sum_types::{Gain, chosen, weighted, written};
    let (q, rows) = ([0.3, 0.4, 0.5], [[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]]);
    for (gain, left) in [(Gain::By(0.7), Some(0.6)), (Gain::Off, None)] {
        complete(weighted::check(&q, &0.8, left));
        complete(chosen::check(&rows, &[gain], Some(2), &left));
        complete(written::check(&q, gain, &mut [0.2, 0.9], &mut { left }));
    }
}
