//! Arrays whose sizes are const parameters.

use pardiff::differentiate;
use pardiff_programs::{assert_near, check, random};

#[differentiate]
pub fn quadratic<const N: usize>(a: &[[f64; N]; N], x: &[f64; N]) -> f64 {
    let mut sum = 0.0;
    let mut ax = [0.0; N];
    for i in 0..N {
        for j in 0..N {
            ax[i] += a[i][j] * x[j];
        }
        sum += x[i] * ax[i];
    }
    sum
}

#[test]
fn gradient() {
    let shape =
        |v: &[f64]| -> [[f64; 3]; 3] { std::array::from_fn(|i| std::array::from_fn(|j| v[i * 3 + j])) };
    let (a, x) = (random(1, 9), [0.5, -1.0, 2.0]);
    let (mut d_a, mut d_x) = ([[0.0; 3]; 3], [0.0; 3]);
    let value = quadratic::grad(&shape(&a), &mut d_a, &x, &mut d_x);
    assert_eq!(value, quadratic(&shape(&a), &x));
    for i in 0..3 {
        assert_near(&d_a[i], &[x[i] * x[0], x[i] * x[1], x[i] * x[2]]);
    }
    let run = |v: &[Vec<f64>]| quadratic(&shape(&v[0]), &[v[1][0], v[1][1], v[1][2]]);
    check(run, &[&a, &x], &[d_a.as_flattened(), &d_x]);
    // another size of the same function
    let (value, gradient) = quadratic::gradient(&[[3.0]], &[2.0]);
    assert_eq!((value, gradient.a, gradient.x), (12.0, [[4.0]], [12.0]));
}

/// Sequences of observations, some of which are missing, seen through a nonlinear map of `K` states.
#[differentiate(wrt(w))]
pub fn observed<const K: usize>(w: &[[f64; K]; K], x: &[f64], seen: &[bool], from: &[usize]) -> f64 {
    let mut total = 0.0;
    for s in 0..from.len() - 1 {
        let mut state = [0.1; K];
        for t in from[s]..from[s + 1] {
            if !seen[t] {
                continue;
            }
            let mut next = [0.0; K];
            for j in 0..K {
                let mut sum = x[t];
                for i in 0..K {
                    sum += (state[i] * w[i][j]).exp();
                }
                next[j] = sum.ln();
            }
            state = next;
        }
        for k in 0..K {
            total += state[k] * state[k];
        }
    }
    total
}

fn observed_gradient<const K: usize>() {
    let shape =
        |v: &[f64]| -> [[f64; K]; K] { std::array::from_fn(|i| std::array::from_fn(|j| v[i * K + j])) };
    let w = random(3, K * K);
    let x: Vec<f64> = random(4, 11).iter().map(|x| 1.5 + x).collect();
    let seen: Vec<bool> = (0..11).map(|t| t % 3 != 1).collect();
    let from = [0, 0, 4, 11];
    let mut d_w = [[0.0; K]; K];
    observed::grad(&shape(&w), &mut d_w, &x, &seen, &from);
    check(|v: &[Vec<f64>]| observed(&shape(&v[0]), &x, &seen, &from), &[&w], &[d_w.as_flattened()]);
}

#[test]
fn loops_over_const_generics_under_conditions() {
    observed_gradient::<1>();
    observed_gradient::<3>();
    observed_gradient::<9>();
}

/// The best path through `S` states: generated code calls the level of the instruction set `S` elsewhere.
#[differentiate(forward, hvp)]
pub fn best_path<const S: usize>(first: &[f64; S], steps: &[[f64; S]; S], n: usize) -> f64 {
    let steps = steps.map(|row| row.map(|x| x - row[0].exp()));
    let mut best = *first;
    for _ in 0..n {
        best = core::array::from_fn(|s| (0..S).map(|p| best[p] + steps[p][s]).fold(f64::MIN, f64::max));
    }
    best[0]
}

/// The same name in tasks, and in lanes.
#[differentiate(forward)]
pub fn row_sums<const S: usize>(x: &[[f64; S]], w: &[f64; S], y: &mut [f64]) {
    for i in 0..x.len() {
        let mut sum = 0.0;
        for j in 0..S {
            sum += if x[i][j] > 0.5 { (x[i][j] * w[j]).exp() } else { w[j].powi(3) };
        }
        y[i] = sum.sin();
    }
}

#[test]
fn a_size_may_have_the_name_of_the_level() {
    let square = |v: &[f64]| [[v[0], v[1], v[2]], [v[3], v[4], v[5]], [v[6], v[7], v[8]]];
    let (first, steps) = (random(11, 3), random(12, 9));
    let start = [first[0], first[1], first[2]];
    let (value, gradient) = best_path::gradient(&start, &square(&steps), 4);
    assert_eq!(value, best_path(&start, &square(&steps), 4));
    let run = |v: &[Vec<f64>]| best_path(&[v[0][0], v[0][1], v[0][2]], &square(&v[1]), 4);
    check(run, &[&first, &steps], &[&gradient.first, gradient.steps.as_flattened()]);

    let (x, w) = (random(13, 20 * 9), random(14, 9));
    let sums = |x: &[f64], w: &[f64]| {
        let mut y = vec![0.0; 20];
        row_sums(x.as_chunks::<9>().0, w.try_into().unwrap(), &mut y);
        y
    };
    let (mut d_x, mut d_w) = ([[0.0; 9]; 20], [0.0; 9]);
    let (mut y, mut d_y) = (vec![0.0; 20], vec![1.0; 20]);
    let w: [f64; 9] = w.try_into().unwrap();
    row_sums::vjp(x.as_chunks::<9>().0, &mut d_x, &w, &mut d_w, &mut y, &mut d_y);
    assert_near(&y, &sums(&x, &w));
    let run = |v: &[Vec<f64>]| sums(&v[0], &v[1]).iter().sum();
    check(run, &[&x, &w], &[d_x.as_flattened(), &d_w]);
}
