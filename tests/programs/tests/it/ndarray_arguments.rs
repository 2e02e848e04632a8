//! Every type of parameter of `ndarray`, with any strides, checked against finite differences.

use ndarray::{
    self as nd, Array, Array1, Array2, Array3, Array4, ArrayRef2, ArrayView, ArrayView1, ArrayView2,
    ArrayView3, ArrayView4, ArrayViewMut1, Ix1, arr1, s,
};
use pardiff::differentiate;
use pardiff_programs::{assert_near, check, check_single, dot, positive, random};

fn matrix(rows: usize, columns: usize, values: &[f64]) -> Array2<f64> {
    Array2::from_shape_vec((rows, columns), values.to_vec()).expect("as many values as elements")
}

mod matvec {
    use super::*;

    #[differentiate]
    fn energy(a: &Array2<f64>, x: ArrayView1<'_, f64>) -> f64 {
        let (n, m) = a.dim();
        let mut total = 0.0;
        for i in 0..n {
            let mut y = 0.0;
            for j in 0..m {
                y += a[[i, j]] * x[j];
            }
            total += y * y.sin();
        }
        total
    }

    #[test]
    fn agrees_with_finite_differences() {
        for (n, m) in [(1, 1), (3, 2), (7, 5), (20, 33)] {
            let (a, x) = (random(1, n * m), random(2, m));
            let (value, g) = energy::gradient(&matrix(n, m, &a), arr1(&x).view());
            assert_near(&[value], &[energy(&matrix(n, m, &a), arr1(&x).view())]);
            assert_eq!(g.a.dim(), (n, m));
            let g_a: Vec<f64> = g.a.iter().copied().collect();
            check(
                |v| energy(&matrix(n, m, &v[0]), ArrayView1::from(&v[1])),
                &[&a, &x],
                &[&g_a, g.x.as_slice().expect("in order")],
            );
        }
    }
}

/// The numbers in logical order.
fn in_order(a: &Array2<f64>) -> Vec<f64> {
    a.iter().copied().collect()
}

/// The same numbers with every kind of strides: in order, by columns, backwards, with gaps.
fn laid_out(a: &Array2<f64>) -> Vec<Array2<f64>> {
    let (n, m) = a.dim();
    let mut by_columns = Array2::zeros((m, n)).reversed_axes();
    by_columns.assign(a);
    vec![a.clone(), by_columns]
}

mod strides {
    use super::*;

    #[differentiate]
    fn weighted(a: ArrayView2<f64>, w: ArrayView1<f64>) -> f64 {
        let mut total = 0.0;
        for i in 0..a.nrows() {
            for j in 0..a.ncols() {
                total += w[i] * (a[[i, j]] * a[(i, j)]).exp() / (1 + j) as f64;
            }
        }
        total
    }

    /// The gradient where everything is in order.
    fn expected(a: ArrayView2<f64>, w: ArrayView1<f64>) -> (f64, Array2<f64>, Array1<f64>) {
        let (value, g) = weighted::gradient(a.as_standard_layout().view(), w.as_standard_layout().view());
        (value, g.a, g.w)
    }

    #[test]
    fn agrees_with_finite_differences() {
        let (a, w) = (random(3, 12), random(4, 3));
        let (_, g) = weighted::gradient(matrix(3, 4, &a).view(), ArrayView1::from(&w));
        check(
            |v| weighted(matrix(3, 4, &v[0]).view(), ArrayView1::from(&v[1])),
            &[&a, &w],
            &[g.a.as_slice().expect("in order"), g.w.as_slice().expect("in order")],
        );
    }

    #[test]
    fn views_of_any_strides_are_read() {
        let big = matrix(9, 8, &random(5, 72));
        let weights = arr1(&random(6, 20));
        let row = arr1(&random(7, 4));
        let rows = row.broadcast((5, 4)).expect("a row for each");
        for a in [
            big.view(),
            big.t(),
            big.slice(s![..;-1, ..]),
            big.slice(s![1..4, ..;-2]),
            big.slice(s![..;3, 2..7]),
            big.slice(s![2..2, ..]),
            rows,
        ] {
            for w in [weights.slice(s![..a.nrows()]), weights.slice(s![..;-2]).slice_move(s![..a.nrows()])] {
                let (value, d_a, d_w) = expected(a, w);
                let (found, g) = weighted::gradient(a, w);
                assert_eq!((found, g.a, g.w), (value, d_a, d_w));
                assert_near(&[weighted::value(a, w)], &[value]);
            }
        }
    }

    #[test]
    fn adjoints_of_any_strides_are_written() {
        let a = matrix(4, 3, &random(8, 12));
        let w = arr1(&random(9, 4));
        let (_, g_a, g_w) = expected(a.view(), w.view());
        for (rows, columns) in
            [(s![.., ..;1], s![..;1]), (s![..;-1, ..;1], s![..;-1]), (s![.., ..;-1], s![..;1])]
        {
            for overwrite in [false, true] {
                let (mut wide, mut long) = (Array2::from_elem((4, 9), 0.5), Array1::from_elem(8, 0.25));
                let mut d_a = wide.slice_mut(s![.., 2..8;2]);
                let mut d_a = d_a.slice_mut(rows);
                let mut d_w = long.slice_mut(s![1..8;2]);
                let mut d_w = d_w.slice_mut(columns);
                if overwrite {
                    weighted::grad_into(a.view(), d_a.view_mut(), w.view(), d_w.view_mut());
                } else {
                    weighted::grad(a.view(), d_a.view_mut(), w.view(), d_w.view_mut());
                }
                let start = if overwrite { (0.0, 0.0) } else { (0.5, 0.25) };
                for ((i, j), d) in d_a.indexed_iter() {
                    assert!((d - start.0 - g_a[[i, j]]).abs() < 1e-14);
                }
                for (i, d) in d_w.indexed_iter() {
                    assert!((d - start.1 - g_w[i]).abs() < 1e-14);
                }
                // the gaps are not touched
                assert!(wide.slice(s![.., ..2]).iter().all(|x| *x == 0.5));
                assert!(wide.slice(s![.., 3..8;2]).iter().all(|x| *x == 0.5));
                assert!(long.slice(s![..;2]).iter().all(|x| *x == 0.25));
            }
        }
    }
}

mod heat {
    use super::*;

    /// Explicit steps of the heat equation on a plate whose rim is held.
    #[differentiate]
    fn heat(u: &mut Array2<f64>, k: &Array2<f64>, steps: usize) {
        let (n, m) = u.dim();
        let mut new = Array2::<f64>::zeros((n, m));
        for _ in 0..steps {
            for i in 1..n - 1 {
                for j in 1..m - 1 {
                    let around = u[[i - 1, j]] + u[[i + 1, j]] + u[[i, j - 1]] + u[[i, j + 1]];
                    new[[i, j]] = u[[i, j]] + k[[i, j]] * (around - 4.0 * u[[i, j]]);
                }
            }
            for i in 1..n - 1 {
                for j in 1..m - 1 {
                    u[[i, j]] = new[[i, j]];
                }
            }
        }
    }

    #[test]
    fn agrees_with_finite_differences() {
        let (n, m, steps) = (5, 6, 3);
        let (u, k, seed) = (random(10, n * m), positive(11, n * m), random(12, n * m));
        let run = |u: &[f64], k: &[f64]| {
            let mut u = matrix(n, m, u);
            heat(&mut u, &matrix(n, m, k), steps);
            u
        };
        for layout in 0..2 {
            let laid = |values: &[f64]| laid_out(&matrix(n, m, values)).swap_remove(layout);
            let (mut u_now, mut d_u, k_now, mut d_k) =
                (laid(&u), laid(&seed), laid(&k), laid(&vec![0.0; n * m]));
            heat::vjp(&mut u_now, &mut d_u, &k_now, &mut d_k, steps);
            assert_near(&in_order(&u_now), &in_order(&run(&u, &k)));
            check(
                |v| dot(&in_order(&run(&v[0], &v[1])), &seed),
                &[&u, &k],
                &[&in_order(&d_u), &in_order(&d_k)],
            );
        }
    }
}

mod types {
    use super::*;

    #[differentiate]
    fn owned(a: &Array2<f64>) -> f64 {
        a[[0, 1]] * a[[1, 0]]
    }

    #[differentiate]
    fn viewed<'a>(a: ArrayView2<'a, f64>) -> f64 {
        a[[0, 1]] * a[[1, 0]]
    }

    #[differentiate]
    fn referred(a: &nd::ArrayView2<f64>) -> f64 {
        a[[0, 1]] * a[[1, 0]]
    }

    #[differentiate]
    fn sliced(a: &ArrayRef2<f64>) -> f64 {
        a[[0, 1]] * a[[1, 0]]
    }

    #[differentiate]
    fn spelled<'a>(a: &'a Array<f64, nd::Ix2>, b: ArrayView<'a, f64, Ix1>) -> f64 {
        a[[0, 1]] * a[[1, 0]] + b[0] * b[0]
    }

    #[test]
    fn shared_arrays_of_every_type() {
        let a = matrix(2, 2, &[1.0, 2.0, 3.0, 4.0]);
        let d = matrix(2, 2, &[0.0, 3.0, 2.0, 0.0]);
        assert_eq!(owned::gradient(&a).1.a, d);
        assert_eq!(viewed::gradient(a.view()).1.a, d);
        assert_eq!(referred::gradient(&a.view()).1.a, d);
        assert_eq!(sliced::gradient(&a).1.a, d);
        let b = arr1(&[5.0]);
        let (_, g) = spelled::gradient(&a, b.view());
        assert_eq!((g.a, g.b), (d.clone(), arr1(&[10.0])));

        let (mut to, mut tb) = (Array2::ones((2, 2)), arr1(&[1.0]));
        let more = &d + 1.0;
        assert_eq!(owned::grad(&a, &mut to), 6.0);
        assert_eq!(to, more);
        viewed::grad_into(a.view(), to.view_mut());
        assert_eq!(to, d);
        referred::vjp(&a.view(), &mut to.view_mut(), 2.0);
        assert_eq!(to, &d * 3.0);
        sliced::vjp_into(&a, &mut to, -1.0);
        assert_eq!(to, -&d);
        spelled::grad_into(&a, &mut to, b.view(), tb.view_mut());
        assert_eq!((to, tb), (d, arr1(&[10.0])));
        assert_eq!(sliced::value(&a), 6.0);
    }

    #[differentiate]
    fn square_owned(y: &mut Array1<f64>) {
        for i in 0..y.len() {
            y[i] *= y[i];
        }
    }

    #[differentiate]
    fn square_viewed(mut y: ArrayViewMut1<'_, f64>) {
        for i in 0..y.len() {
            y[i] *= y[i];
        }
    }

    #[differentiate]
    fn square_referred(y: &mut nd::ArrayViewMut1<f64>) {
        for i in 0..y.len() {
            y[i] *= y[i];
        }
    }

    #[differentiate]
    fn square_sliced(y: &mut nd::ArrayRef1<f64>) {
        for i in 0..y.len() {
            y[i] *= y[i];
        }
    }

    #[differentiate]
    fn read_alone(y: &ArrayViewMut1<f64>) -> f64 {
        y[0] * y[1]
    }

    #[test]
    fn mutable_arrays_of_every_type() {
        let start = || (arr1(&[1.0, 2.0, 3.0]), arr1(&[1.0, 10.0, 100.0]));
        let end = (arr1(&[1.0, 4.0, 9.0]), arr1(&[2.0, 40.0, 600.0]));
        let (mut y, mut d) = start();
        square_owned::vjp(&mut y, &mut d);
        assert_eq!((y, d), end);
        let (mut y, mut d) = start();
        square_viewed::vjp(y.view_mut(), d.view_mut());
        assert_eq!((y, d), end);
        let (mut y, mut d) = start();
        square_referred::vjp(&mut y.view_mut(), &mut d.view_mut());
        assert_eq!((y, d), end);
        let (mut y, mut d) = start();
        square_sliced::vjp(&mut y, &mut d);
        assert_eq!((y, d), end);
        let (mut y, _) = start();
        square_viewed::value(y.view_mut());
        assert_eq!(y, end.0);
        let (_, g) = read_alone::gradient(&y.view_mut());
        assert_eq!(g.y, arr1(&[4.0, 1.0, 0.0]));
        // backwards, with gaps
        let (mut y, mut d) = (Array1::zeros(6), Array1::zeros(6));
        y.slice_mut(s![..;-2]).assign(&start().0);
        d.slice_mut(s![..;2]).assign(&start().1);
        square_viewed::vjp(y.slice_mut(s![..;-2]), d.slice_mut(s![..;2]));
        assert_eq!((y.slice(s![..;-2]).to_owned(), d.slice(s![..;2]).to_owned()), end);
        assert_eq!(y.iter().filter(|x| **x == 0.0).count(), 3);
    }

    /// Elements are chosen by an array of integers, the sum is in `f32`.
    #[differentiate]
    fn chosen(x: ArrayView1<f32>, index: &Array1<usize>, sign: ArrayView2<'_, i8>, on: &Array1<bool>) -> f32 {
        let mut total = 0.0;
        for k in 0..index.len() {
            if on[k] {
                total += x[index[k]] * x[index[k]] * f32::from(sign[[k, 0]]);
            }
        }
        total
    }

    #[test]
    fn single_precision_and_integers() {
        let x: Vec<f64> = random(1, 5).iter().map(|x| f64::from(*x as f32)).collect();
        let index = arr1(&[4, 0, 2, 0]);
        let sign = Array2::from_shape_vec((4, 1), vec![1, -1, 1, 1]).expect("four");
        let on = arr1(&[true, true, true, false]);
        let run = |x: &[f64]| {
            let x: Array1<f32> = x.iter().map(|x| *x as f32).collect();
            chosen::gradient(x.view(), &index, sign.view(), &on)
        };
        let g: Vec<f64> = run(&x).1.x.iter().map(|x| f64::from(*x)).collect();
        check_single(|v| f64::from(run(&v[0]).0), &[&x], &[&g]);
    }

    #[differentiate(wrt(b))]
    fn four(a: &Array3<f64>, b: ArrayView4<f64>, c: ArrayView3<f64>) -> f64 {
        let (n, m, l, k) = b.dim();
        let mut total = 0.0;
        for p in 0..n {
            for q in 0..m {
                for r in 0..l {
                    for s in 0..k {
                        total += a[[p, q, r]] * b[[p, q, r, s]].sin() * c[(s, r, q)];
                    }
                }
            }
        }
        total
    }

    #[test]
    fn three_and_four_dimensions() {
        let (a, b, c) = (random(2, 24), random(3, 120), random(4, 60));
        let a = Array3::from_shape_vec((2, 3, 4), a).expect("24");
        let c = Array3::from_shape_vec((5, 4, 3), c).expect("60");
        let at = |b: &[f64]| Array4::from_shape_vec((2, 3, 4, 5), b.to_vec()).expect("120");
        let (_, g) = four::gradient(&a, at(&b).view(), c.view());
        assert_eq!(g.b.dim(), (2, 3, 4, 5));
        let d: Vec<f64> = g.b.iter().copied().collect();
        check(|v| four(&a, at(&v[0]).view(), c.view()), &[&b], &[&d]);
        let mut permuted = Array4::zeros((5, 2, 4, 3));
        permuted.view_mut().permuted_axes([1, 3, 2, 0]).assign(&at(&b));
        let mut d_b = Array4::zeros((4, 3, 2, 5));
        four::grad(
            &a,
            permuted.view().permuted_axes([1, 3, 2, 0]),
            d_b.view_mut().permuted_axes([2, 1, 0, 3]),
            c.view(),
        );
        assert_eq!(d_b.view().permuted_axes([2, 1, 0, 3]), g.b);
    }

    #[test]
    fn empty_arrays() {
        for shape in [(0, 0), (0, 3), (3, 0)] {
            let (value, g) = rows_and_columns::gradient(&Array2::zeros(shape));
            assert_eq!((value, g.a.dim()), (0.0, shape));
        }
        let mut none = Array1::<f64>::zeros(0);
        let mut d_none = none.clone();
        square_owned::vjp(&mut none, &mut d_none);
    }

    #[differentiate]
    fn rows_and_columns(a: &Array2<f64>) -> f64 {
        let mut total = 0.0;
        for i in 0..a.nrows() {
            for j in 0..a.ncols() {
                total += a[[i, j]];
            }
        }
        total
    }
}
