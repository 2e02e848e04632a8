//! Kernels over arrays of `ndarray` as people write them, against finite differences; large ones against those over slices.

use ndarray::{
    Array, Array1, Array2, Array3, Array4, ArrayView1, ArrayView2, ArrayView3, ArrayViewMut1, ArrayViewMut2,
    Zip, arr1, azip, s,
};
use pardiff::differentiate;
use pardiff_programs::{check, dot, positive, random};

/// A matrix of these numbers.
fn matrix(rows: usize, columns: usize, values: &[f64]) -> Array2<f64> {
    Array2::from_shape_vec((rows, columns), values.to_vec()).expect("as many values as elements")
}

/// The numbers in logical order.
fn flat<D: ndarray::Dimension>(a: &Array<f64, D>) -> Vec<f64> {
    a.iter().copied().collect()
}

#[differentiate]
fn kmeans(points: ArrayView2<f64>, centres: &Array2<f64>) -> f64 {
    let mut total = 0.0;
    for p in points.outer_iter() {
        let mut best = f64::INFINITY;
        for c in centres.outer_iter() {
            let mut d = 0.0;
            for (a, b) in p.iter().zip(c.iter()) {
                d += (a - b).powi(2);
            }
            if d < best {
                best = d;
            }
        }
        total += best;
    }
    total / points.nrows() as f64
}

#[differentiate]
fn softmax_loss(logits: ArrayView2<f64>, labels: ArrayView1<usize>) -> f64 {
    let mut loss = 0.0;
    for (row, &label) in logits.rows().into_iter().zip(labels.iter()) {
        let max = row.fold(f64::NEG_INFINITY, |m, &x| m.max(x));
        let sum: f64 = row.iter().map(|&x| (x - max).exp()).sum();
        loss += sum.ln() + max - row[label];
    }
    loss / logits.nrows() as f64
}

#[differentiate]
fn pair_energy(pos: &Array2<f64>, charge: ArrayView1<f64>) -> f64 {
    let n = pos.nrows();
    let mut e = 0.0;
    for i in 0..n {
        let pi = pos.row(i);
        for j in (i + 1)..n {
            let pj = pos.row(j);
            let mut r2 = 0.0;
            for k in 0..3 {
                let d = pi[k] - pj[k];
                r2 += d * d;
            }
            e += charge[i] * charge[j] / r2.sqrt();
        }
    }
    e
}

#[differentiate]
fn matmul(a: ArrayView2<f64>, b: ArrayView2<f64>, mut c: ArrayViewMut2<f64>) {
    let (n, k) = a.dim();
    let m = b.ncols();
    assert_eq!(b.nrows(), k);
    assert_eq!(c.dim(), (n, m));
    for i in 0..n {
        for j in 0..m {
            let mut s = 0.0;
            for p in 0..k {
                s += a[[i, p]] * b[[p, j]];
            }
            c[[i, j]] = s;
        }
    }
}

#[differentiate]
fn conv(image: ArrayView3<f64>, kernel: &Array4<f64>, out: &mut Array3<f64>) {
    let (channels, h, w) = image.dim();
    let (outs, _, kh, kw) = kernel.dim();
    for o in 0..outs {
        for y in 0..h - kh + 1 {
            for x in 0..w - kw + 1 {
                let mut s = 0.0;
                for c in 0..channels {
                    for dy in 0..kh {
                        for dx in 0..kw {
                            s += image[[c, y + dy, x + dx]] * kernel[[o, c, dy, dx]];
                        }
                    }
                }
                out[[o, y, x]] = s.max(0.0);
            }
        }
    }
}

#[differentiate]
fn gauss_seidel(a: ArrayView2<f64>, b: ArrayView1<f64>, mut x: ArrayViewMut1<f64>, sweeps: usize) {
    let n = b.len();
    for _ in 0..sweeps {
        for i in 0..n {
            let mut s = b[i];
            for j in 0..n {
                if j != i {
                    s -= a[[i, j]] * x[j];
                }
            }
            x[i] = s / a[[i, i]];
        }
    }
}

#[differentiate]
fn cholesky_logdet(a: &Array2<f64>) -> f64 {
    let n = a.nrows();
    let mut l = Array2::<f64>::zeros((n, n));
    let mut logdet = 0.0;
    for i in 0..n {
        for j in 0..=i {
            let mut s = a[[i, j]];
            for k in 0..j {
                s -= l[[i, k]] * l[[j, k]];
            }
            if i == j {
                l[[i, i]] = s.sqrt();
                logdet += 2.0 * l[[i, i]].ln();
            } else {
                l[[i, j]] = s / l[[j, j]];
            }
        }
    }
    logdet
}

#[differentiate]
fn standardise(x: ArrayView2<f64>, mut y: ArrayViewMut2<f64>) {
    let n = x.nrows() as f64;
    for j in 0..x.ncols() {
        let column = x.column(j);
        let mean = column.sum() / n;
        let variance = column.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / n;
        let scale = 1.0 / (variance + 1e-3).sqrt();
        for (out, v) in y.column_mut(j).iter_mut().zip(column.iter()) {
            *out = (v - mean) * scale;
        }
    }
}

#[differentiate]
fn wave(u: &Array3<f64>, c: f64) -> f64 {
    let (nx, ny, nz) = u.dim();
    let mut now = u.to_owned();
    let mut old = u.clone();
    let mut new = Array3::<f64>::zeros(u.dim());
    for _ in 0..3 {
        for i in 1..nx - 1 {
            for j in 1..ny - 1 {
                for k in 1..nz - 1 {
                    let lap = now[[i - 1, j, k]]
                        + now[[i + 1, j, k]]
                        + now[[i, j - 1, k]]
                        + now[[i, j + 1, k]]
                        + now[[i, j, k - 1]]
                        + now[[i, j, k + 1]]
                        - 6.0 * now[[i, j, k]];
                    new[[i, j, k]] = 2.0 * now[[i, j, k]] - old[[i, j, k]] + c * lap;
                }
            }
        }
        std::mem::swap(&mut old, &mut now);
        std::mem::swap(&mut now, &mut new);
    }
    now.iter().map(|x| x * x).sum::<f64>()
}

#[differentiate]
fn attention(q: ArrayView2<f64>, k: ArrayView2<f64>, v: ArrayView2<f64>, out: &mut Array2<f64>) {
    let scale = 1.0 / (q.ncols() as f64).sqrt();
    let mut weights = Array1::<f64>::zeros(k.nrows());
    for (i, query) in q.outer_iter().enumerate() {
        for (w, key) in weights.iter_mut().zip(k.outer_iter()) {
            *w = (query.dot(&key) * scale).exp();
        }
        let total = weights.sum();
        out.row_mut(i).fill(0.0);
        for (w, value) in weights.iter().zip(v.outer_iter()) {
            for (o, x) in out.row_mut(i).iter_mut().zip(value) {
                *o += w / total * x;
            }
        }
    }
}

#[differentiate]
fn newton(a: ArrayView1<f64>) -> f64 {
    let mut total = 0.0;
    for &a in a.iter() {
        let mut x = a;
        while (x * x - a).abs() > 1e-12 {
            x = 0.5 * (x + a / x);
        }
        total += x;
    }
    total
}

#[differentiate]
fn whole(x: ArrayView2<f64>, w: &Array2<f64>, mut y: ArrayViewMut2<f64>) -> f64 {
    azip!((y in &mut y, &x in &x, &w in w) *y += x * w);
    let mut t = 0.0;
    Zip::indexed(&y).for_each(|(i, j), y| {
        if i != j {
            t += y * y;
        }
    });
    for (row, mut out) in x.outer_iter().zip(y.outer_iter_mut()) {
        out[0] += row.dot(&w.row(0));
    }
    let inner = y.slice(s![1.., ..]);
    t + inner.sum() + y.iter().fold(0.0, |a: f64, b| a.max(b.abs()))
}

#[test]
fn clusters() {
    let (p, c) = (random(1, 20), random(2, 6));
    let (_, g) = kmeans::gradient(matrix(10, 2, &p).view(), &matrix(3, 2, &c));
    check(
        |v| kmeans(matrix(10, 2, &v[0]).view(), &matrix(3, 2, &v[1])),
        &[&p, &c],
        &[&flat(&g.points), &flat(&g.centres)],
    );
}

#[test]
fn classes() {
    let x = random(3, 12);
    let labels = arr1(&[0, 2, 1, 1]);
    let (_, g) = softmax_loss::gradient(matrix(4, 3, &x).view(), labels.view());
    check(|v| softmax_loss(matrix(4, 3, &v[0]).view(), labels.view()), &[&x], &[&flat(&g.logits)]);
}

#[test]
fn charges() {
    let (p, q) = (random(4, 15), random(5, 5));
    let (_, g) = pair_energy::gradient(&matrix(5, 3, &p), arr1(&q).view());
    check(
        |v| pair_energy(&matrix(5, 3, &v[0]), arr1(&v[1]).view()),
        &[&p, &q],
        &[&flat(&g.pos), &flat(&g.charge)],
    );
}

#[test]
fn products() {
    let (a, b, s) = (random(6, 12), random(7, 20), random(8, 15));
    let run = |v: &[Vec<f64>]| {
        let mut c = Array2::zeros((3, 5));
        matmul(matrix(3, 4, &v[0]).view(), matrix(4, 5, &v[1]).view(), c.view_mut());
        dot(&flat(&c), &s)
    };
    let (mut da, mut db, mut c, mut dc) =
        (Array2::zeros((3, 4)), Array2::zeros((4, 5)), Array2::zeros((3, 5)), matrix(3, 5, &s));
    matmul::vjp(
        matrix(3, 4, &a).view(),
        da.view_mut(),
        matrix(4, 5, &b).view(),
        db.view_mut(),
        c.view_mut(),
        dc.view_mut(),
    );
    check(run, &[&a, &b], &[&flat(&da), &flat(&db)]);
    assert!(flat(&dc).iter().all(|x| *x == 0.0));
}

#[test]
fn convolutions() {
    let (a, k, s) = (random(6, 2 * 5 * 6), random(7, 3 * 2 * 3 * 2), random(8, 3 * 3 * 5));
    let im = |v: &[f64]| Array3::from_shape_vec((2, 5, 6), v.to_vec()).expect("as many values as elements");
    let ke =
        |v: &[f64]| Array4::from_shape_vec((3, 2, 3, 2), v.to_vec()).expect("as many values as elements");
    let o = |v: &[f64]| Array3::from_shape_vec((3, 3, 5), v.to_vec()).expect("as many values as elements");
    let run = |v: &[Vec<f64>]| {
        let mut c = Array3::zeros((3, 3, 5));
        conv(im(&v[0]).view(), &ke(&v[1]), &mut c);
        dot(&flat(&c), &s)
    };
    let (mut da, mut dk, mut c, mut dc) =
        (Array3::zeros((2, 5, 6)), ke(&vec![0.0; 36]), Array3::zeros((3, 3, 5)), o(&s));
    conv::vjp(im(&a).view(), da.view_mut(), &ke(&k), &mut dk, &mut c, &mut dc);
    check(run, &[&a, &k], &[&flat(&da), &flat(&dk)]);
}

#[test]
fn relaxation() {
    let (mut a, b, x, s) = (random(6, 9), random(7, 3), random(8, 3), random(9, 3));
    for i in 0..3 {
        a[4 * i] += 4.0;
    }
    let run = |v: &[Vec<f64>]| {
        let mut x = arr1(&v[2]);
        gauss_seidel(matrix(3, 3, &v[0]).view(), arr1(&v[1]).view(), x.view_mut(), 4);
        dot(&flat(&x), &s)
    };
    let (mut da, mut db, mut xx, mut dx) = (Array2::zeros((3, 3)), Array1::zeros(3), arr1(&x), arr1(&s));
    gauss_seidel::vjp(
        matrix(3, 3, &a).view(),
        da.view_mut(),
        arr1(&b).view(),
        db.view_mut(),
        xx.view_mut(),
        dx.view_mut(),
        4,
    );
    check(run, &[&a, &b, &x], &[&flat(&da), &flat(&db), &flat(&dx)]);
}

#[test]
fn determinants() {
    let mut a = random(6, 16);
    for i in 0..4 {
        a[5 * i] += 5.0;
    }
    let (_, g) = cholesky_logdet::gradient(&matrix(4, 4, &a));
    check(|v| cholesky_logdet(&matrix(4, 4, &v[0])), &[&a], &[&flat(&g.a)]);
}

#[test]
fn standardised_columns() {
    let (x, s) = (random(7, 15), random(9, 15));
    let run = |v: &[Vec<f64>]| {
        let mut y = Array2::zeros((5, 3));
        standardise(matrix(5, 3, &v[0]).view(), y.view_mut());
        dot(&flat(&y), &s)
    };
    let (mut dx, mut y, mut dy) = (Array2::zeros((5, 3)), Array2::zeros((5, 3)), matrix(5, 3, &s));
    standardise::vjp(matrix(5, 3, &x).view(), dx.view_mut(), y.view_mut(), dy.view_mut());
    check(run, &[&x], &[&flat(&dx)]);
}

#[test]
fn waves() {
    let u = random(7, 4 * 5 * 4);
    let at = |v: &[f64]| Array3::from_shape_vec((4, 5, 4), v.to_vec()).expect("as many values as elements");
    let (_, g) = wave::gradient(&at(&u), 0.1);
    check(|v| wave(&at(&v[0]), v[1][0]), &[&u, &[0.1]], &[&flat(&g.u), &[g.c]]);
}

#[test]
fn attended() {
    let (q, k, v, s) = (random(1, 6), random(2, 8), random(3, 12), random(4, 9));
    let run = |x: &[Vec<f64>]| {
        let mut o = Array2::zeros((3, 3));
        attention(matrix(3, 2, &x[0]).view(), matrix(4, 2, &x[1]).view(), matrix(4, 3, &x[2]).view(), &mut o);
        dot(&flat(&o), &s)
    };
    let (mut dq, mut dk, mut dv, mut o, mut d) = (
        Array2::zeros((3, 2)),
        Array2::zeros((4, 2)),
        Array2::zeros((4, 3)),
        Array2::zeros((3, 3)),
        matrix(3, 3, &s),
    );
    attention::vjp(
        matrix(3, 2, &q).view(),
        dq.view_mut(),
        matrix(4, 2, &k).view(),
        dk.view_mut(),
        matrix(4, 3, &v).view(),
        dv.view_mut(),
        &mut o,
        &mut d,
    );
    check(run, &[&q, &k, &v], &[&flat(&dq), &flat(&dk), &flat(&dv)]);
}

#[test]
fn roots() {
    let a = positive(3, 5);
    let (_, g) = newton::gradient(arr1(&a).view());
    check(|v| newton(arr1(&v[0]).view()), &[&a], &[&flat(&g.a)]);
}

#[test]
fn everything_at_once() {
    let (x, w, y) = (random(1, 12), random(2, 12), random(3, 12));
    let run = |v: &[Vec<f64>]| {
        let mut y = matrix(3, 4, &v[2]);
        whole(matrix(3, 4, &v[0]).view(), &matrix(3, 4, &v[1]), y.view_mut())
    };
    let (mut dx, mut dw, mut yy, mut dy) =
        (Array2::zeros((3, 4)), Array2::zeros((3, 4)), matrix(3, 4, &y), Array2::zeros((3, 4)));
    whole::grad(
        matrix(3, 4, &x).view(),
        dx.view_mut(),
        &matrix(3, 4, &w),
        &mut dw,
        yy.view_mut(),
        dy.view_mut(),
    );
    check(run, &[&x, &w, &y], &[&flat(&dx), &flat(&dw), &flat(&dy)]);
}

/// The same kernel over slices and over arrays.
mod large {
    use super::*;

    #[differentiate]
    fn over_slices(a: &[f64], x: &[f64], n: usize, m: usize) -> f64 {
        let mut total = 0.0;
        for i in 0..n {
            let mut y = 0.0;
            for j in 0..m {
                y += a[i * m + j] * x[j];
            }
            total += y.tanh() * y;
        }
        total
    }

    #[differentiate]
    fn over_arrays(a: ArrayView2<f64>, x: ArrayView1<f64>) -> f64 {
        let mut total = 0.0;
        for i in 0..a.nrows() {
            let mut y = 0.0;
            for j in 0..a.ncols() {
                y += a[[i, j]] * x[j];
            }
            total += y.tanh() * y;
        }
        total
    }

    #[differentiate]
    fn over_rows(a: ArrayView2<f64>, x: ArrayView1<f64>) -> f64 {
        a.outer_iter().map(|row| row.dot(&x)).map(|y| y.tanh() * y).sum()
    }

    #[differentiate]
    fn over_columns(a: ArrayView2<f64>, x: ArrayView1<f64>) -> f64 {
        let mut total = 0.0;
        for column in a.columns() {
            let y = column.dot(&x);
            total += y.tanh() * y;
        }
        total
    }

    #[track_caller]
    fn near(found: &[f64], expected: &[f64]) {
        assert_eq!(found.len(), expected.len());
        let scale = expected.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() <= 1e-12 * scale));
    }

    #[test]
    fn arrays_have_the_gradients_of_slices() {
        let (n, m) = (700, 450);
        let (a, x) = (random(1, n * m), random(2, m));
        let (value, expected) = over_slices::gradient(&a, &x, n, m);
        let (a, x) = (matrix(n, m, &a), arr1(&x));
        let (mut by_columns, mut other) = (Array2::zeros((m, n)), Array1::zeros(m));
        by_columns.assign(&a.t());
        let (first, g) = over_arrays::gradient(a.view(), x.view());
        let (second, h) = over_rows::gradient(by_columns.t(), x.view());
        let mut d_a = Array2::zeros((m, n));
        let third = over_columns::grad_into(a.t(), d_a.view_mut(), x.view(), other.view_mut());
        near(&[first, second, third], &[value; 3]);
        near(&flat(&g.a), &expected.a);
        near(&flat(&h.a), &expected.a);
        near(&flat(&d_a.reversed_axes()), &expected.a);
        near(&flat(&g.x), &expected.x);
        near(&flat(&h.x), &expected.x);
        near(&flat(&other), &expected.x);
        assert!(over_arrays::DECISIONS.contains("parallel"), "{}", over_arrays::DECISIONS);
    }
}
