//! Forms of arrays: lists, copies, elements swapped through references, tables of tables, indices from blocks.

use pardiff::differentiate;
use pardiff_programs::{check, random};

const MIX: [[f64; 2]; 2] = [[1.0, 2.0], [0.5, -1.0]];
const PERM: [usize; 4] = [2, 0, 3, 1];

#[differentiate]
pub fn lists(x: &[f64]) -> f64 {
    let w = vec![x[0], x[1] * 2.0, 3.0];
    let mut acc = vec![[0.0; 2]; x.len()];
    for i in 0..x.len() {
        acc[i] = [x[i], x[i] * w[i % 3]];
    }
    let mut s = 0.;
    for i in 0..acc.len() {
        s += acc[i][0] * acc[(i + 1) % acc.len()][1];
    }
    s
}

#[differentiate]
pub fn swapped(x: &[f64; 4]) -> f64 {
    let mut a = *x;
    a.swap(0, 3);
    let mut b = a;
    b[1] *= a[0];
    std::mem::swap(&mut a[2], &mut b[1]);
    let mut s = 0.0;
    for i in 0..4 {
        s += a[i] * b[3 - i];
    }
    s
}

#[differentiate]
pub fn computed(x: &[f64], idx: &[usize]) -> f64 {
    let mut s = 0.0;
    for i in 0..idx.len() {
        s += x[{
            let k = idx[i] + 1;
            k % x.len()
        }] * x[if i > 1 { 0 } else { i }];
    }
    s
}

#[differentiate]
pub fn mixed(x: &[f64; 2]) -> f64 {
    let y: [f64; 2] = [MIX[0][0] * x[0] + MIX[0][1] * x[1], MIX[1][0] * x[0] + MIX[1][1] * x[1]];
    let z: f64 = y[0] * y[1];
    z.powi(2)
}

#[differentiate]
pub fn permuted(x: &[f64; 4]) -> f64 {
    let mut s = 0.0;
    for i in 0..PERM.len() {
        s += x[PERM[i]] * (PERM[PERM[i]] as f64);
    }
    s * s
}

#[differentiate]
pub fn grown(x: &[f64]) -> f64 {
    let mut s = 0.0;
    for i in 0..x.len() {
        let mut list = Vec::new();
        for j in 0..=i {
            list.push(x[j] * x[i]);
        }
        let mut p = 1.0;
        for v in 0..list.len() {
            p *= list[v] + 1.0;
        }
        s += p;
    }
    s
}

#[test]
fn lists_and_rows() {
    let x = random(7, 6);
    let mut d_x = vec![0.0; x.len()];
    let value = lists::grad(&x, &mut d_x);
    assert_eq!(value, lists(&x));
    check(|v| lists(&v[0]), &[&x], &[&d_x]);
}

#[test]
fn indices_from_blocks() {
    let x = random(7, 6);
    let mut d_x = vec![0.0; x.len()];
    let value = computed::grad(&x, &mut d_x, &[3, 1, 4, 0]);
    assert_eq!(value, computed(&x, &[3, 1, 4, 0]));
    check(|v| computed(&v[0], &[3, 1, 4, 0]), &[&x], &[&d_x]);
}

#[test]
fn lists_that_grow_in_each_iteration() {
    let x = random(7, 6);
    let mut d_x = vec![0.0; x.len()];
    let value = grown::grad(&x, &mut d_x);
    assert_eq!(value, grown(&x));
    check(|v| grown(&v[0]), &[&x], &[&d_x]);
}

fn four(v: &[f64]) -> [f64; 4] {
    [v[0], v[1], v[2], v[3]]
}

#[test]
fn elements_swapped_through_references() {
    let x = [0.3, 0.5, -0.7, 1.1];
    let (value, gradient) = swapped::gradient(&x);
    assert_eq!(value, swapped(&x));
    check(|v| swapped(&four(&v[0])), &[&x], &[&gradient.x]);
}

#[test]
fn tables() {
    let (value, gradient) = mixed::gradient(&[0.3, 0.8]);
    assert_eq!(value, mixed(&[0.3, 0.8]));
    check(|v| mixed(&[v[0][0], v[0][1]]), &[&[0.3, 0.8]], &[&gradient.x]);
    let x = [0.1, 0.7, 0.3, 0.4];
    let (value, gradient) = permuted::gradient(&x);
    assert_eq!(value, permuted(&x));
    check(|v| permuted(&four(&v[0])), &[&x], &[&gradient.x]);
}
