//! Functions over arrays whose derivatives are given by hand, `custom(vjp = …, jvp = …)`.

use pardiff::differentiate;
use pardiff_programs::{check, check_single, positive, random};

#[differentiate]
mod blocks {
    use std::collections::BTreeMap;

    /// What is not looked into: `y[k] = y[k] * s + sum of x[j] * x[j] for j <= k`, over a collection that the
    /// language does not have.
    #[differentiate(custom(vjp = prefix_vjp, jvp = prefix_jvp))]
    pub fn prefix(x: &[f64], s: f64, y: &mut [f64], from: usize) {
        let mut sums = BTreeMap::new();
        let mut total = 0.0;
        for (k, x) in x.iter().enumerate() {
            total += x * x;
            sums.insert(k, total);
        }
        for (k, y) in y.iter_mut().enumerate().skip(from) {
            *y = *y * s + sums[&k];
        }
    }

    #[allow(clippy::too_many_arguments)]
    fn prefix_vjp(
        x: &[f64],
        d_x: &mut [f64],
        s: f64,
        d_s: &mut f64,
        y: &mut [f64],
        d_y: &mut [f64],
        from: usize,
    ) {
        let mut above = 0.0;
        for k in (from..y.len()).rev() {
            above += d_y[k];
            d_x[k] += 2.0 * x[k] * above;
            *d_s += d_y[k] * y[k];
            d_y[k] *= s;
        }
        for k in 0..from.min(y.len()) {
            d_x[k] += 2.0 * x[k] * above;
        }
        prefix(x, s, y, from);
    }

    #[allow(clippy::too_many_arguments)]
    fn prefix_jvp(
        x: &[f64],
        x_dot: &[f64],
        s: f64,
        s_dot: f64,
        y: &mut [f64],
        y_dot: &mut [f64],
        from: usize,
    ) {
        let mut total = 0.0;
        for k in 0..y.len() {
            total += 2.0 * x[k] * x_dot[k];
            if k >= from {
                y_dot[k] = y_dot[k] * s + y[k] * s_dot + total;
            }
        }
        prefix(x, s, y, from);
    }

    /// One that returns a float.
    #[differentiate(custom(vjp = energy_vjp, jvp = energy_jvp))]
    fn energy(x: &[f64], weights: &[u32]) -> f64 {
        Box::new(x.iter().zip(weights).map(|(x, w)| x.sin() * f64::from(*w))).sum()
    }

    fn energy_vjp(x: &[f64], d_x: &mut [f64], weights: &[u32], seed: f64) -> f64 {
        for ((x, d), w) in x.iter().zip(d_x).zip(weights) {
            *d += seed * x.cos() * f64::from(*w);
        }
        energy(x, weights)
    }

    fn energy_jvp(x: &[f64], x_dot: &[f64], weights: &[u32]) -> (f64, f64) {
        let slope = x.iter().zip(x_dot).zip(weights).map(|((x, d), w)| x.cos() * d * f64::from(*w)).sum();
        (energy(x, weights), slope)
    }

    /// Between ordinary statements; the output is overwritten afterwards.
    #[differentiate(forward)]
    pub fn plain(x: &[f64], s: f64, n: usize) -> f64 {
        let mut y = vec![0.5; n];
        for i in 0..n {
            y[i] += x[i] * 0.25;
        }
        prefix(x, s * s, &mut y, 1);
        let mut total = 0.0;
        for i in 0..n {
            total += y[i] * y[i];
            y[i] = 0.0;
        }
        total
    }

    /// Each iteration lends parts of arrays, to a call whose outputs the next one reads.
    #[differentiate(forward, split)]
    pub fn in_a_loop(x: &[f64], y: &mut [f64], n: usize, steps: usize) -> f64 {
        let mut total = 0.0;
        for t in 0..steps {
            let scale = 0.5 + y[0] * 0.1;
            prefix(&x[t * n..(t + 1) * n], scale, &mut y[1..n + 1], t % 2);
            let mut own = vec![0.0; n];
            for i in 0..n {
                own[i] = y[i] * x[i];
            }
            prefix(&x[..n], 1.5, &mut own, 0);
            for i in 0..n {
                total += own[i] * own[i] * 0.01;
                y[i] = y[i].sin();
            }
        }
        total
    }

    /// The same array twice, an array of rows, conditions, calls in a helper.
    #[differentiate(forward)]
    pub fn shapes(x: &[f64], rows: &[[f64; 3]], n: usize) -> f64 {
        let mut y = x.to_vec();
        let weights = [1u32, 2, 3];
        prefix(&y.clone(), 0.5, &mut y, 0);
        let mut total = 0.0;
        for i in 0..n {
            if x[i] > 0.0 {
                total += energy(&rows[i], &weights) * y[i];
            }
        }
        let small = twice(&y[..2]);
        total + small * energy(&[small, 1.0], &weights[1..])
    }

    fn twice(part: &[f64]) -> f64 {
        energy(part, &[1, 1]) + energy(part, &[2, 1])
    }

    /// One array read and written by the same call, in a loop whose length is known only at its end.
    pub fn until(x: &[f64], most: f64) -> f64 {
        let mut y = [0.1; 3];
        let mut rounds = 0;
        while y[2] < most && rounds < 10 {
            prefix(&x[..3], 1.0, &mut y, 0);
            rounds += 1;
        }
        y[0] * y[1] + y[2]
    }

    /// What stays outside of the derivative.
    #[differentiate(wrt(s), forward, hvp)]
    pub fn constant(x: &[f64], s: f64, n: usize) -> f64 {
        let mut y = vec![0.0; n];
        prefix(x, 1.0, &mut y, 0);
        let mut total = 0.0;
        for i in 0..n {
            total += y[i] * s * s;
        }
        total
    }

    /// Some of what is given to the function has no derivative.
    #[differentiate(wrt(s), forward)]
    pub fn partly(x: &[f64], s: f64, n: usize) -> f64 {
        let mut y = vec![1.0; n];
        prefix(x, s, &mut y, 0);
        let mut total = 0.0;
        for i in 0..n {
            total += y[i] * y[i];
        }
        total
    }

    /// The rule of a function that is differentiated elsewhere is its module.
    #[differentiate(custom(vjp = super::elsewhere::cubes::vjp, jvp = super::elsewhere::cubes::jvp))]
    fn cubes(x: &[f32], by: f32, y: &mut [f32]) {
        super::elsewhere::cubes(x, by, y);
    }

    pub struct Model {
        pub weights: [f32; 3],
        pub scale: f32,
    }

    impl Model {
        /// In a method, with the members of a struct, in single precision; steps are checkpoints.
        #[differentiate(forward, sequential)]
        pub fn run(&self, steps: usize) -> f32 {
            let mut y = [0.25; 3];
            for _ in 0..steps {
                cubes(&self.weights, self.scale, &mut y);
            }
            y.iter().sum()
        }
    }

    /// A function that may fail after the call.
    #[differentiate(check, strict)]
    pub fn fails(x: &[f64], least: f64) -> Result<f64, String> {
        let mut y = x.to_vec();
        prefix(x, least, &mut y, 0);
        let last = y.last().copied().ok_or("no elements")?;
        if last < 0.0 {
            return Err(format!("{last}"));
        }
        Ok(last.sqrt())
    }

    /// Arrays of `ndarray`, and a length that follows from two arrays.
    #[differentiate(forward)]
    pub fn of_ndarray(x: ndarray::ArrayView1<'_, f64>, a: ndarray::ArrayView2<'_, f64>) -> f64 {
        let mut y = vec![0.0; x.len()];
        for i in 0..x.len() {
            y[i] = x[i] * a[[i, 0]];
        }
        let z = y.clone();
        prefix(&z, 0.5, &mut y, 0);
        y.iter().zip(&z).map(|(y, z)| y * z).sum()
    }

    const FIXED: [f64; 3] = [0.5, -1.0, 2.0];

    /// Whole numbers and truth values go out as well, beside floats and a returned one.
    #[differentiate(custom(vjp = rank_vjp, jvp = rank_jvp))]
    fn rank(x: &[f64], order: &mut [usize], is_small: &mut [bool], spread: &mut [f64], by: f64) -> f64 {
        let mut sorted: Vec<usize> = (0..x.len()).collect();
        sorted.sort_by(|&a, &b| x[a].total_cmp(&x[b]));
        order.copy_from_slice(&sorted);
        for (small, x) in is_small.iter_mut().zip(x) {
            *small = *x < 0.0;
        }
        spread[0] += by * (x[sorted[x.len() - 1]] - x[sorted[0]]);
        by * by * x[sorted[0]]
    }

    #[allow(clippy::too_many_arguments)]
    fn rank_vjp(
        x: &[f64],
        d_x: &mut [f64],
        order: &mut [usize],
        is_small: &mut [bool],
        spread: &mut [f64],
        d_spread: &mut [f64],
        by: f64,
        d_by: &mut f64,
        seed: f64,
    ) -> f64 {
        let value = rank(x, order, is_small, spread, by);
        let (first, last) = (order[0], order[x.len() - 1]);
        d_x[last] += by * d_spread[0];
        d_x[first] += by * by * seed - by * d_spread[0];
        *d_by += 2.0 * by * x[first] * seed + (x[last] - x[first]) * d_spread[0];
        value
    }

    #[allow(clippy::too_many_arguments)]
    fn rank_jvp(
        x: &[f64],
        x_dot: &[f64],
        order: &mut [usize],
        is_small: &mut [bool],
        spread: &mut [f64],
        spread_dot: &mut [f64],
        by: f64,
        by_dot: f64,
    ) -> (f64, f64) {
        let value = rank(x, order, is_small, spread, by);
        let (first, last) = (order[0], order[x.len() - 1]);
        spread_dot[0] += by * (x_dot[last] - x_dot[first]) + by_dot * (x[last] - x[first]);
        (value, by * by * x_dot[first] + 2.0 * by * by_dot * x[first])
    }

    /// What comes out decides, and is an index.
    #[differentiate(forward, split)]
    pub fn decided<const N: usize>(x: &[f64; N], y: &[f64], by: f64) -> f64 {
        let (mut order, mut is_small, mut spread) = ([0usize; N], [false; N], [1.0]);
        let mut total = rank(x, &mut order, &mut is_small, &mut spread, by);
        for k in 0..N {
            let at = order[k];
            total += if is_small[at] { x[at] * y[k] } else { y[k] * y[at] };
        }
        rank(y, &mut order, &mut is_small, &mut spread, x[0]);
        total += spread[0] * spread[0] * y[order[1]];
        total + energy(&FIXED, &[3, 1, 2]) * y[0]
    }

    /// In a loop over rows that are handed out one by one.
    pub fn rows(x: &[f64], y: &mut [f64], n: usize) {
        use rayon::prelude::*;
        y.par_chunks_exact_mut(n).enumerate().for_each(|(i, row)| {
            prefix(&x[i * n..i * n + n], 0.5, row, 0);
        });
    }
}

mod elsewhere {
    #[pardiff::differentiate(forward)]
    pub fn cubes(x: &[f32], by: f32, y: &mut [f32]) {
        for (y, x) in y.iter_mut().zip(x) {
            *y = *y * *y * by + x * x * x;
        }
    }
}

/// The gradient against differences, and the tangent against the gradient.
#[test]
fn a_rule_is_the_derivative_of_a_call() {
    let (n, x) = (6, random(1, 6));
    let value = |at: &[Vec<f64>]| blocks::plain(&at[0], at[1][0], n);
    let (mut d_x, mut d_s) = (vec![0.0; n], 0.0);
    blocks::plain::grad(&x, &mut d_x, 0.75, &mut d_s, n);
    check(value, &[&x, &[0.75]], &[&d_x, &[d_s]]);
    let x_dot = random(2, n);
    let (_, slope) = blocks::plain::jvp(&x, &x_dot, 0.75, 0.5, n);
    close(slope, dot(&x_dot, &d_x) + 0.5 * d_s);
}

#[test]
fn a_function_with_a_rule_has_derivatives_of_its_own() {
    let (n, x, y) = (5, random(3, 5), random(4, 5));
    let seed = random(5, n);
    let value = |at: &[Vec<f64>]| {
        let mut y = at[1].clone();
        blocks::prefix(&at[0], at[2][0], &mut y, 2);
        dot(&y, &seed)
    };
    let (mut d_x, mut d_s, mut d_y) = (vec![0.0; n], 0.0, seed.clone());
    let mut after = y.clone();
    blocks::prefix::vjp(&x, &mut d_x, 0.3, &mut d_s, &mut after, &mut d_y, 2);
    check(value, &[&x, &y, &[0.3]], &[&d_x, &d_y, &[d_s]]);
    let mut expected = y.clone();
    blocks::prefix(&x, 0.3, &mut expected, 2);
    assert_eq!(after, expected);
}

#[test]
fn loops_around_calls_keep_what_the_rule_needs() {
    let (n, steps) = (4, 5);
    let (x, y, seed) = (random(6, n * steps), random(7, n + 1), random(8, n + 1));
    let value = |at: &[Vec<f64>]| {
        let mut y = at[1].clone();
        blocks::in_a_loop(&at[0], &mut y, n, steps) + dot(&y, &seed)
    };
    let (mut d_x, mut d_y, mut after) = (vec![0.0; x.len()], seed.clone(), y.clone());
    blocks::in_a_loop::vjp(&x, &mut d_x, &mut after, &mut d_y, n, steps, 1.0);
    check(value, &[&x, &y], &[&d_x, &d_y]);
    let (x_dot, y_dot) = (random(9, x.len()), random(10, y.len()));
    let (mut after, mut after_dot) = (y.clone(), y_dot.clone());
    let (_, slope) = blocks::in_a_loop::jvp(&x, &x_dot, &mut after, &mut after_dot, n, steps);
    close(slope + dot(&after_dot, &seed), dot(&x_dot, &d_x) + dot(&y_dot, &d_y));

    let (mut e_x, mut e_y, mut after) = (vec![0.0; x.len()], seed.clone(), y.clone());
    let mut tape = blocks::in_a_loop::Tape::default();
    blocks::in_a_loop::forward(&x, &mut after, n, steps, &mut tape);
    blocks::in_a_loop::backward(&x, &mut e_x, &mut e_y, n, steps, &tape, 1.0);
    d_x.iter().chain(&d_y).zip(e_x.iter().chain(&e_y)).for_each(|(a, b)| close(*a, *b));
}

#[test]
fn parts_rows_and_temporaries_are_lent() {
    let (n, x) = (4, random(11, 4));
    let rows: Vec<[f64; 3]> = (0..n).map(|i| random(12 + i as u64, 3).try_into().unwrap()).collect();
    let value = |at: &[Vec<f64>]| blocks::shapes(&at[0], at[1].as_chunks().0, n);
    let (mut d_x, mut d_rows) = (vec![0.0; n], vec![[0.0; 3]; n]);
    blocks::shapes::grad(&x, &mut d_x, &rows, &mut d_rows, n);
    check(value, &[&x, rows.as_flattened()], &[&d_x, d_rows.as_flattened()]);
    let (x_dot, rows_dot) = (random(20, n), vec![[0.5, -0.25, 1.0]; n]);
    let (_, slope) = blocks::shapes::jvp(&x, &x_dot, &rows, &rows_dot, n);
    close(slope, dot(&x_dot, &d_x) + dot(rows_dot.as_flattened(), d_rows.as_flattened()));
}

#[test]
fn loops_until_converged_keep_it_as_well() {
    let x = positive(13, 3);
    let mut d_x = vec![0.0; 3];
    let mut d_most = 0.0;
    blocks::until::grad(&x, &mut d_x, 7.5, &mut d_most);
    check(|at| blocks::until(&at[0], 7.5), &[&x], &[&d_x]);
    assert_eq!(d_most, 0.0);
}

#[test]
fn what_has_no_derivative_is_left_out() {
    let (n, x) = (4, random(14, 4));
    let mut d_s = 0.0;
    blocks::partly::grad(&x, 0.6, &mut d_s, n);
    check(|at| blocks::partly(&x, at[0][0], n), &[&[0.6]], &[&[d_s]]);
    close(blocks::partly::jvp(&x, 0.6, 2.0, n).1, 2.0 * d_s);
    let (mut d_s, mut h_s) = (0.0, 0.0);
    blocks::constant::grad(&x, 0.6, &mut d_s, n);
    check(|at| blocks::constant(&x, at[0][0], n), &[&[0.6]], &[&[d_s]]);
    blocks::constant::hvp(&x, 0.6, 1.0, &mut h_s, n);
    close(h_s, d_s / 0.6);
}

#[test]
fn the_module_of_another_function_is_a_rule() {
    let weights = random(30, 3);
    let single = |from: &[f64]| [0, 1, 2].map(|at: usize| from[at] as f32);
    let model = blocks::Model { weights: single(&weights), scale: 0.5 };
    let mut d_model = blocks::Model { weights: [0.0; 3], scale: 0.0 };
    blocks::model::run::grad(&model, &mut d_model, 3);
    let value =
        |at: &[Vec<f64>]| f64::from(blocks::Model { weights: single(&at[0]), scale: at[1][0] as f32 }.run(3));
    let d_weights: Vec<f64> = d_model.weights.iter().map(|d| f64::from(*d)).collect();
    check_single(value, &[&weights, &[0.5]], &[&d_weights, &[f64::from(d_model.scale)]]);
    let along = blocks::Model { weights: [1.0, -1.0, 0.5], scale: 0.25 };
    let (_, slope) = blocks::model::run::jvp(&model, &along, 3);
    let expected = d_model.weights[0] - d_model.weights[1] + 0.5 * d_model.weights[2] + 0.25 * d_model.scale;
    assert!((slope - expected).abs() < 1e-5, "{slope} {expected}");
}

#[test]
fn functions_that_fail_call_them_as_well() {
    let x = positive(31, 4);
    blocks::fails::check(&x, 0.5).unwrap();
    let (mut d_x, mut d_least) = (vec![0.0; 4], 0.0);
    blocks::fails::grad(&x, &mut d_x, 0.5, &mut d_least).unwrap();
    check(|at| blocks::fails(&at[0], at[1][0]).unwrap(), &[&x, &[0.5]], &[&d_x, &[d_least]]);
    assert!(blocks::fails::grad(&x, &mut d_x, -50.0, &mut d_least).is_err());
}

#[test]
fn arrays_of_ndarray_are_beside_it() {
    let n = 4;
    let (x, a) = (random(32, n), random(33, 2 * n));
    let view = |a: &[f64]| ndarray::Array2::from_shape_vec((n, 2), a.to_vec()).unwrap();
    let value = |at: &[Vec<f64>]| blocks::of_ndarray(ndarray::ArrayView1::from(&at[0]), view(&at[1]).view());
    let (mut d_x, mut d_a) = (ndarray::Array1::zeros(n), ndarray::Array2::zeros((n, 2)));
    blocks::of_ndarray::grad(ndarray::ArrayView1::from(&x), d_x.view_mut(), view(&a).view(), d_a.view_mut());
    check(value, &[&x, &a], &[d_x.as_slice().unwrap(), d_a.as_slice().unwrap()]);
}

#[test]
fn whole_numbers_that_come_out_decide_and_index() {
    let (x, y): ([f64; 4], _) = (random(40, 4).try_into().unwrap(), random(41, 4));
    let value = |at: &[Vec<f64>]| blocks::decided::<4>(at[0][..].try_into().unwrap(), &at[1], at[2][0]);
    let (mut d_x, mut d_y, mut d_by) = ([0.0; 4], vec![0.0; 4], 0.0);
    blocks::decided::grad(&x, &mut d_x, &y, &mut d_y, 0.7, &mut d_by);
    check(value, &[&x, &y, &[0.7]], &[&d_x, &d_y, &[d_by]]);
    let (x_dot, y_dot): ([f64; 4], _) = (random(42, 4).try_into().unwrap(), random(43, 4));
    let (_, slope) = blocks::decided::jvp(&x, &x_dot, &y, &y_dot, 0.7, 0.5);
    close(slope, dot(&x_dot, &d_x) + dot(&y_dot, &d_y) + 0.5 * d_by);
    let mut tape = blocks::decided::Tape::default();
    blocks::decided::forward(&x, &y, 0.7, &mut tape);
    let (mut e_x, mut e_y, mut e_by) = ([0.0; 4], vec![0.0; 4], 0.0);
    blocks::decided::backward(&x, &mut e_x, &y, &mut e_y, 0.7, &mut e_by, &tape, 1.0);
    d_x.iter().chain(&d_y).zip(e_x.iter().chain(&e_y)).for_each(|(a, b)| close(*a, *b));
}

#[test]
fn rows_that_are_handed_out_go_through_it() {
    let (n, count) = (3, 4);
    let (x, y, seed) = (random(44, n * count), random(45, n * count), random(46, n * count));
    let value = |at: &[Vec<f64>]| {
        let mut y = at[1].clone();
        blocks::rows(&at[0], &mut y, n);
        dot(&y, &seed)
    };
    let (mut d_x, mut d_y) = (vec![0.0; x.len()], seed.clone());
    blocks::rows::vjp(&x, &mut d_x, &mut y.clone(), &mut d_y, n);
    check(value, &[&x, &y], &[&d_x, &d_y]);
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[track_caller]
fn close(a: f64, b: f64) {
    assert!((a - b).abs() <= 1e-11 * (1.0 + b.abs()), "{a} instead of {b}");
}
