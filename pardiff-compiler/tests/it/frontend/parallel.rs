//! rayon's iterators. Their sums may be grouped in any way, so the data here are such that every grouping is exact.

use super::{lowered, refused, same};
use rayon::prelude::*;

same! {
    fn in_place(x: &[f64], y: &mut [f64], z: &mut [f64]) {
        y.par_iter_mut().zip(x.par_iter()).for_each(|(y, x)| *y += x.exp() * *y);
        y.par_iter_mut().zip(x).enumerate().for_each(|(i, (y, &x))| *y = *y * x + i as f64);
        z.par_chunks_mut(2).enumerate().for_each(|(i, row)| {
            for (k, v) in row.iter_mut().enumerate() { *v = x[(i + k) % x.len()] * *v; }
        });
        z.par_chunks_exact_mut(2).zip(y.par_chunks(2)).for_each(|(z, y)| z[1] = y[0] - z[0]);
        z.par_iter_mut().rev().skip(1).take(3).for_each(|v| *v *= 0.5);
        z.par_iter_mut().with_min_len(100).step_by(2).for_each(|v| {
            if *v < 0.0 { return; }
            *v = v.sqrt();
        });
        let w: Vec<f64> = x.par_windows(2).map(|w| w[1] - w[0]).collect();
        y.par_iter_mut().zip(&w).for_each(|(y, w)| *y -= w);
        let doubled: Vec<f64> = w.into_par_iter().with_max_len(2).map(|w| 2.0 * w).collect();
        (0..doubled.len()).into_par_iter().map(|i| doubled[i] * i as f64).collect::<Vec<f64>>().iter().enumerate().for_each(|(i, v)| z[i] += v);
    }
    with (x = vec![0.5, 1.5, -0.25, 2.0], y = vec![1.0, 2.0, 3.0, 4.0, 5.0], z = vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]);
    with (x = vec![0.5], y = Vec::<f64>::new(), z = vec![1.0]);

    fn sums(x: &[f64], y: &[f64]) -> f64 {
        let dot: f64 = x.par_iter().zip(y.par_iter()).map(|(a, b)| a * b).sum();
        let total = x.par_iter().copied().sum::<f64>();
        let product: f64 = y.par_iter().take(4).cloned().product();
        let positive: f64 = x.par_iter().filter(|v| **v > 0.0).sum();
        let counted = x.par_iter().filter(|v| **v > 1.0).count() as f64;
        let rows: f64 = x.par_chunks(3).map(|row| row.iter().sum::<f64>() * row.len() as f64).sum();
        let pairs: f64 = (0..x.len()).into_par_iter().map(|i| (0..i).into_iter().map(|j| x[i] - x[j]).sum::<f64>()).sum();
        dot + total + product + positive + counted + rows + pairs
    }
    with (x = vec![0.5, 1.5, -0.25, 2.0, 8.0], y = vec![1.0, 2.0, 3.0, 4.0, 5.0]);
    with (x = vec![1.0], y = vec![2.0]);

    fn reductions(x: &[f64], n: usize) -> (f64, f64) {
        let sum = x.par_iter().copied().reduce(|| 0.0, |a, b| a + b);
        let largest = x.par_iter().copied().reduce(|| f64::NEG_INFINITY, f64::max);
        let least = x.par_iter().map(|v| v * 2.0).reduce(|| f64::INFINITY, |a, b| a.min(b));
        let (first, second) = x.par_iter().map(|&v| (v, v * v)).reduce(|| (0.0, 0.0), |a, b| (a.0 + b.0, a.1 + b.1));
        let (up, down) = x
            .par_iter()
            .map(|&v| (v, v))
            .reduce(|| (f64::MIN, f64::MAX), |(a, b), (c, d)| (a.max(c), b.min(d)));
        let folded: f64 = x.par_iter().fold(|| 0.0, |a, v| a + v * v).sum();
        let (s, t) = (0..n)
            .into_par_iter()
            .fold(|| (0.0, 0.0), |(s, t), i| (s + x[i], t - x[i]))
            .reduce(|| (0.0, 0.0), |(a, b), (c, d)| (a + c, b + d));
        let mapped: f64 = x.par_iter().fold(|| 0.0, |a, &v| a + v).map(|v| 2.0 * v).sum();
        let array = x
            .par_iter()
            .enumerate()
            .fold(|| [0.0; 3], |mut bins, (i, v)| { bins[i % 3] += v; bins })
            .reduce(|| [0.0; 3], |mut a, b| { for k in 0..3 { a[k] += b[k]; } a });
        let integers = (1..n).into_par_iter().reduce(|| 0, |a, b| a + b) as f64;
        (sum + largest * least + first * second + up - down, folded + s * t + mapped + array[1] - array[2] + integers)
    }
    with (x = vec![0.5, 1.5, -0.25, 2.0, 8.0], n = 5);
    with (x = vec![1.0], n = 1);
    with (x = Vec::<f64>::new(), n = 0);
}

/// The loops that are rayon's, and the buffers that belong to one iteration each.
fn owned(source: &str) -> Vec<Vec<String>> {
    let program = lowered(source).program;
    let name = |id: &pardiff_compiler::ir::BufferId| program[*id].name.clone();
    program.rayon.iter().map(|rayon| rayon.owned.iter().map(name).collect()).collect()
}

#[test]
fn what_only_items_name_belongs_to_iterations() {
    let zipped = "fn f(x: &[f64], y: &mut [f64], z: &mut [f64]) {
        y.par_chunks_mut(3).zip(z.par_iter_mut()).for_each(|(a, b)| { a[0] = x[0]; *b = a[0]; }) }";
    assert_eq!(owned(zipped), [["y", "z"]]);
    // the other half has the same buffer, and all iterations read it
    let halves = "fn f(y: &mut [f64]) {
        let (a, b) = y.split_at_mut(4); a.par_iter_mut().for_each(|v| *v += b[0]); }";
    assert_eq!(owned(halves), [[] as [&str; 0]]);
    let shared = "fn f(y: &mut [f64]) {
        let (a, b) = y.split_at_mut(4); a.par_iter_mut().zip(b.par_windows(2)).for_each(|(v, w)| *v += w[0]); }";
    assert_eq!(owned(shared), [[] as [&str; 0]]);
    let read = "fn f(y: &[f64]) -> f64 { y.par_iter().sum() }";
    assert_eq!(owned(read), [[] as [&str; 0]]);
    let sequential = "fn f(y: &mut [f64]) { y.iter_mut().for_each(|v| *v += 1.0); }";
    assert_eq!(owned(sequential), [[] as [&str; 0]; 0]);
}

refused! {
    bridge: "fn f(x: &[f64]) -> f64 { x.iter().par_bridge().sum() }"
        => ["par_bridge", "the parallel iterator method `par_bridge`"]
    sorting: "fn f(x: &mut [f64]) { x.par_sort_by(|a, b| a.total_cmp(b)); }"
        => ["par_sort_by", "the parallel iterator method `par_sort_by`"]
    with_state: "fn f(x: &mut [f64]) { x.par_iter_mut().for_each_with(1.0, |s, v| *v *= *s); }"
        => ["for_each_with", "the parallel iterator method `for_each_with`"]
    tried: "fn f(x: &mut [f64]) { x.par_iter_mut().try_for_each(|v| { *v *= 2.0; Some(()) }); }"
        => ["try_for_each", "the parallel iterator method `try_for_each`"]
    optional: "fn f(x: &[f64]) -> f64 { x.par_iter().copied().reduce_with(|a, b| a + b).unwrap() }"
        => ["reduce_with", "the parallel iterator method `reduce_with`"]
    rolling: "fn f(x: &[f64]) -> f64 { x.par_rchunks(2).map(|c| c[0]).sum() }"
        => ["par_rchunks", "the parallel iterator method `par_rchunks`"]
    not_neutral: "fn f(x: &[f64]) -> f64 { x.par_iter().copied().reduce(|| 1.0, |a, b| a + b) }"
        => ["1.0", "this start of a parallel `reduce`"]
    not_neutral_product: "fn f(x: &[f64]) -> f64 { x.par_iter().copied().reduce(|| 0.0, |a, b| a * b) }"
        => ["0.0", "this start of a parallel `reduce`"]
    not_neutral_member: "fn f(x: &[f64]) -> f64 { x.par_iter().map(|&v| (v, v)).reduce(|| (0.0, 0.5), |a, b| (a.0 + b.0, a.1 + b.1)).0 }"
        => ["0.5", "this start of a parallel `reduce`"]
    unknown_start: "fn f(x: &[f64], s: f64) -> f64 { x.par_iter().fold(|| s, |a, v| a + v).sum() }"
        => ["s", "this start of a parallel `fold`"]
    not_associative: "fn f(x: &[f64]) -> f64 { x.par_iter().copied().reduce(|| 0.0, |a, b| a - b) }"
        => ["a - b", "`a - b` as the operation of a parallel `reduce`"]
    start_is_a_value: "fn f(x: &[f64]) -> f64 { x.par_iter().copied().reduce(0.0, |a, b| a + b) }"
        => ["0.0", "this start of a parallel `reduce` or `fold`"]
    partial_results: "fn f(x: &[f64]) -> f64 { let v: Vec<f64> = x.par_iter().fold(|| 0.0, |a, b| a + b).collect(); v[0] }"
        => ["collect", "`collect` of the partial results of a `fold`"]
    fold_alone: "fn f(x: &[f64]) -> f64 { x.par_iter().fold(|| 0.0, |a, b| a + b); x[0] }"
        => ["fold", "a parallel `fold` that is not reduced"]
}
