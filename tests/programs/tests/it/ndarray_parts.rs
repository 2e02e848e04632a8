//! Parts of arrays of `ndarray` along any of their dimensions.

use ndarray::{Array1, Array2, Array3, ArrayView1, ArrayView2, ArrayViewMut2, Axis, s};
use pardiff::differentiate;
use pardiff_programs::{check, random};

#[differentiate]
fn columns(x: ArrayView2<f64>, lo: usize) -> f64 {
    let right = x.slice(s![.., lo..]);
    let inner = x.slice(s![1..-1, 1..=2]);
    let mut sum = 0.0;
    for i in 0..right.nrows() {
        for j in 0..right.ncols() {
            sum += right[[i, j]] * right[[i, j]] * (j + 1) as f64;
        }
    }
    for row in inner.rows() {
        sum += row[0] * row[1];
    }
    for column in right.columns() {
        sum += column[0] * column[column.len() - 1];
    }
    let corner: ArrayView1<f64> = right.slice(s![..2, -1]);
    let turned = right.t();
    let part = turned.slice(s![1.., ..-1]);
    sum + corner[0] * corner[1]
        + right.sum() * inner.iter().sum::<f64>()
        + part.iter().product::<f64>()
        + part[[0, 1]] * part[(part.dim().0 - 1, 0)]
}

#[test]
fn ranges_of_columns() {
    let (n, m) = (4, 5);
    let x = random(1, n * m);
    let view = |v: &[f64]| Array2::from_shape_vec((n, m), v.to_vec()).expect("a shape");
    for lo in 0..3 {
        let a = view(&x);
        let (value, g) = columns::gradient(a.view(), lo);
        assert!((value - columns(a.view(), lo)).abs() < 1e-12);
        let g: Vec<f64> = g.x.iter().copied().collect();
        check(|v| columns(view(&v[0]).view(), lo), &[&x], &[&g]);
    }
    let a = view(&x);
    let message = std::panic::catch_unwind(|| columns::gradient(a.view(), 6)).expect_err("too far");
    let message = message.downcast_ref::<String>().cloned().unwrap_or_default();
    assert!(message.contains("columns") && message.contains('6'), "{message}");
}

#[differentiate]
fn every_second(x: ArrayView2<f64>, y: &mut Array1<f64>, n: usize) -> f64 {
    let part = x.slice(s![1..;2, ..n;2]);
    let mut sum = 0.0;
    for ((i, j), v) in part.indexed_iter() {
        sum += v * v * (1 + i + 2 * j) as f64;
    }
    y.slice_mut(s![..;3]).iter_mut().for_each(|v| *v *= sum);
    for v in y.slice(s![..;2]).slice(s![1..;2]) {
        sum += v * v;
    }
    sum + part.columns().into_iter().map(|c| c.sum()).product::<f64>()
}

#[test]
fn steps_along_dimensions() {
    let (n, m) = (4, 5);
    let (x, y) = (random(7, n * m), random(8, 7));
    let view = |v: &[f64]| Array2::from_shape_vec((n, m), v.to_vec()).expect("a shape");
    for end in [0, 3, 5] {
        let (a, mut b) = (view(&x), Array1::from(y.clone()));
        let (mut d_a, mut d_b) = (Array2::zeros((n, m)), Array1::zeros(7));
        every_second::grad(a.view(), d_a.view_mut(), &mut b, &mut d_b, end);
        let value = |v: &[Vec<f64>]| every_second(view(&v[0]).view(), &mut Array1::from(v[1].clone()), end);
        let (d_a, d_b): (Vec<f64>, Vec<f64>) = (d_a.into_iter().collect(), d_b.to_vec());
        check(value, &[&x, &y], &[&d_a, &d_b]);
    }
}

#[differentiate]
fn written(y: &mut Array2<f64>, x: &Array3<f64>, k: usize) {
    let mut inner = y.slice_mut(s![.., 1..-1]);
    let plane = x.slice(s![.., k, 1..]);
    for i in 0..inner.nrows() {
        for j in 0..inner.ncols() {
            inner[[i, j]] = inner[[i, j]] * plane[[i, j]] + plane[[i, j]].sin();
        }
    }
    let block = x.slice(s![1.., ..2, ..-1]);
    let mut first = y.slice_mut(s![.., ..1]);
    for ((i, j, l), v) in block.indexed_iter() {
        first[[i, 0]] += v * v * (j + 2 * l + 1) as f64;
    }
}

#[test]
fn ranges_that_are_written() {
    let x = random(2, 3 * 2 * 4);
    let y = random(3, 3 * 4);
    let cube = |v: &[f64]| Array3::from_shape_vec((3, 2, 4), v.to_vec()).expect("a shape");
    let plane = |v: &[f64]| Array2::from_shape_vec((3, 4), v.to_vec()).expect("a shape");
    let seed = random(4, 12);
    for k in 0..2 {
        let value = |v: &[Vec<f64>]| {
            let mut y = plane(&v[0]);
            written(&mut y, &cube(&v[1]), k);
            y.iter().zip(&seed).map(|(y, s)| y * s).sum()
        };
        let (mut values, mut d_y, mut d_x) = (plane(&y), plane(&seed), cube(&[0.0; 24]));
        written::vjp(&mut values, &mut d_y, &cube(&x), &mut d_x, k);
        let (d_y, d_x): (Vec<f64>, Vec<f64>) = (d_y.iter().copied().collect(), d_x.iter().copied().collect());
        check(value, &[&y, &x], &[&d_y, &d_x]);
    }
}

#[differentiate]
fn stencil(mut u: ArrayViewMut2<f64>, steps: usize) {
    for _ in 0..steps {
        let old = u.to_owned();
        let (up, down) = (old.slice(s![..-2, 1..-1]), old.slice(s![2.., 1..-1]));
        let (left, right) = (old.slice(s![1..-1, ..-2]), old.slice(s![1..-1, 2..]));
        let mut centre = u.slice_mut(s![1..-1, 1..-1]);
        for i in 0..centre.len_of(Axis(0)) {
            for j in 0..centre.len_of(Axis(1)) {
                centre[[i, j]] += 0.1
                    * (up[[i, j]] + down[[i, j]] + left[[i, j]] + right[[i, j]] - 4.0 * centre[[i, j]])
                    * centre[[i, j]];
            }
        }
    }
}

#[test]
fn a_stencil_of_parts() {
    let u = random(5, 20);
    let plane = |v: &[f64]| Array2::from_shape_vec((4, 5), v.to_vec()).expect("a shape");
    let seed = random(6, 20);
    let value = |v: &[Vec<f64>]| {
        let mut u = plane(&v[0]);
        stencil(u.view_mut(), 3);
        u.iter().zip(&seed).map(|(u, s)| u * s).sum()
    };
    let (mut values, mut d_u) = (plane(&u), plane(&seed));
    stencil::vjp(values.view_mut(), d_u.view_mut(), 3);
    let d_u: Vec<f64> = d_u.iter().copied().collect();
    check(value, &[&u], &[&d_u]);
}

#[differentiate]
fn made_of_f32(x: &[f32], k: &[i32]) -> f32 {
    let mut a = Array2::<f32>::zeros((2, 3));
    let mut b = Array1::<f32>::ones(3);
    let mut at = Array1::<usize>::zeros(2);
    at[1] = k[0] as usize;
    a[[0, 1]] = x[0] * x[1];
    b[2] += x[at[1]] * a[[0, 1]];
    b[0] * b[2] + a[[1, 1]] * x[2]
}

#[test]
fn arrays_of_a_written_type() {
    let x = [0.5_f32, -0.75, 1.25];
    let (value, g) = made_of_f32::gradient(&x, &[2]);
    assert_eq!(value, 1.0 + 1.25 * (0.5 * -0.75));
    assert_eq!(g.x, [1.25 * -0.75, 1.25 * 0.5, 0.5 * -0.75]);
}
