//! Arrays of `ndarray`.

use super::{lowered, refused, same};
use ndarray::{Array1, Array2, Array3, ArrayView1, ArrayView2, ArrayView3, ArrayViewMut2, Axis};
use ndarray::{Zip, arr1, arr2, arr3, azip, s};
use pardiff_compiler::frontend::{Features, Options, lower};

same! {
    fn indices(a: &Array2<f64>, x: ArrayView1<'_, f64>, i: usize) -> f64 {
        let (n, m) = a.dim();
        let mut t = a[(i, 0)];
        for j in 0..m { t += a[[n - 1, j]] * x[j]; }
        t + a[[i, x.len() - 1]]
    }
    with (a = arr2(&[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), x = arr1(&[0.5, -1.0]), i = 1usize);
    with (a = arr2(&[[1.0, 2.0], [3.0, 4.0]]), x = arr1(&[0.5, -1.0]), i = 2usize);
    with (a = arr2(&[[1.0, 2.0], [3.0, 4.0]]), x = arr1(&[0.5]), i = 0usize);
    with (a = arr2(&[[1.0], [3.0]]), x = arr1(&[0.5, 1.0, 2.0]), i = 0usize);
    with (a = Array2::zeros((0, 2)), x = arr1(&[0.5, 1.0]), i = 0usize);

    fn extents(a: ArrayView3<f64>, n: &mut [usize]) -> f64 {
        let shape = a.shape();
        let (p, q, r) = a.dim();
        n[0] = p; n[1] = q; n[2] = r; n[3] = shape[1]; n[4] = a.shape()[2]; n[5] = a.len(); n[6] = a.ndim();
        n[7] = a.len_of(Axis(1)); n[8] = usize::from(a.is_empty());
        let part = a.index_axis(Axis(1), 1);
        n[9] = part.nrows(); n[10] = part.ncols(); n[11] = part.len(); n[12] = part.row(0).len();
        part[[0, 2]] * 2.0
    }
    with (a = Array3::from_elem((2, 3, 4), 1.5), n = vec![0; 13]);
    with (a = Array3::from_elem((2, 2, 3), 1.5), n = vec![0; 13]);
    with (a = Array3::from_elem((2, 1, 3), 1.5), n = vec![0; 13]);
    with (a = Array3::zeros((0, 2, 3)), n = vec![0; 13]);

    fn parts(a: ArrayView3<f64>, y: &mut [f64]) {
        let mut k = 0;
        for plane in a.axis_iter(Axis(2)) {
            for column in plane.axis_iter(Axis(1)) {
                for x in column { y[k] = *x; k += 1; }
            }
        }
        let row = a.index_axis(Axis(0), 1);
        let turned = row.t();
        y[0] += turned[[2, 0]] + turned.column(1)[0] + turned.t().row(1)[2] + row.row(0)[1];
        for (i, row) in turned.rows().into_iter().enumerate() { y[i] += row.sum(); }
        for (j, column) in turned.columns().into_iter().enumerate() { y[j] -= column.product(); }
    }
    with (a = arr3(&[[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], [[7.0, 8.0, 9.0], [10.0, 11.0, 12.0]]]), y = vec![0.0; 12]);

    fn numbers(a: &Array2<f64>, y: &mut [f64]) -> f64 {
        let mut k = 0;
        for x in a { y[k] = 2.0 * x; k += 1; }
        for (k, &x) in a.iter().enumerate() { y[k] += x * k as f64; }
        for ((i, j), x) in a.indexed_iter() { y[0] += x * (10 * i + j) as f64; }
        for (x, y) in a.iter().zip(y.iter_mut()) { if *x > 2.0 { continue; } *y -= x; }
        let mut t = 0.0;
        for x in a.iter() { if *x == 3.0 { break; } t += x; }
        t + a.sum() + a.product() + a.fold(1.0, |t, x| t * 0.5 + x) + a.iter().skip(1).step_by(2).sum::<f64>()
    }
    with (a = arr2(&[[1.0, 2.0], [3.0, 4.0], [0.5, 6.0]]), y = vec![0.0; 6]);
    with (a = Array2::zeros((3, 0)), y = vec![0.0; 1]);

    fn in_place(mut y: ArrayViewMut2<'_, f64>, z: &mut Array1<f64>, x: ArrayView1<f64>) {
        for x in y.iter_mut() { *x *= 2.0; }
        for (i, mut row) in y.outer_iter_mut().enumerate() { row[0] += i as f64; row.fill(x[i]); }
        for mut column in y.columns_mut() { column[1] *= column[0]; }
        for ((i, j), y) in y.indexed_iter_mut() { *y += (i * j) as f64; }
        y.row_mut(0)[1] = x[1];
        let mut last = y.index_axis_mut(Axis(1), 0);
        last[1] -= 1.0;
        y.swap([0, 0], [1, 1]);
        z.swap(0, 1);
        z.map_inplace(|z| *z = z.sin());
        for z in z.view_mut().iter_mut() { *z += 1.0; }
        z[0] = x.dot(&y.column(0)) + y.row(1).dot(&x);
    }
    with (y = arr2(&[[1.0, 2.0], [3.0, 4.0]]), z = arr1(&[0.5, 0.25]), x = arr1(&[2.0, -1.0]));
    with (y = arr2(&[[1.0, 2.0], [3.0, 4.0]]), z = arr1(&[0.5, 0.25]), x = arr1(&[2.0]));
    with (y = arr2(&[[1.0, 2.0], [3.0, 4.0]]), z = arr1(&[0.5]), x = arr1(&[2.0, 1.0]));
    with (y = arr2(&[[1.0, 2.0], [3.0, 4.0]]), z = arr1(&[0.5, 1.0]), x = arr1(&[2.0, 1.0, 3.0]));

    fn side_by_side(a: &Array2<f64>, b: ArrayView2<f64>, mut y: ArrayViewMut2<f64>, z: &mut Array1<f64>, x: &[f64]) -> f64 {
        let mut t = 0.0;
        Zip::from(&mut y).and(a).and(&b).for_each(|y, &a, b| { *y += a * b; t += a; });
        Zip::indexed(&mut y).and(a).for_each(|(i, j), y, a| *y += a * (i + 2 * j) as f64);
        Zip::from(a.rows()).and(&mut *z).for_each(|row, z| { *z = row.sum(); });
        Zip::indexed(&mut *z).for_each(|i, z| *z *= i as f64 + 1.0);
        Zip::from(y.columns_mut()).and(x).for_each(|mut column, x| column[0] = *x);
        azip!((y in &mut y, &a in a, &b in &b) *y = *y * a - b);
        azip!((index i, z in &mut *z, &x in a.column(0)) { let k = i as f64; *z += x * k });
        if t > 100.0 { return t; }
        t + a.row(0).dot(&b.row(1)) + z.dot(z)
    }
    with (a = arr2(&[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]), b = arr2(&[[0.5, 1.5, 2.5], [1.0, 2.0, -1.0]]),
          y = Array2::from_elem((2, 3), 0.25), z = arr1(&[1.0, 2.0]), x = vec![3.0, 4.0, 5.0]);
    with (a = arr2(&[[1.0, 2.0]]), b = arr2(&[[0.5], [1.0]]), y = Array2::ones((1, 2)), z = arr1(&[1.0]), x = vec![1.0]);
    with (a = arr2(&[[1.0, 2.0]]), b = arr2(&[[0.5, 1.0]]), y = Array2::ones((1, 2)), z = arr1(&[1.0]), x = vec![1.0]);
    with (a = arr2(&[[1.0]]), b = arr2(&[[0.5]]), y = Array2::ones((1, 1)), z = arr1(&[1.0, 2.0]), x = vec![1.0]);

    fn locals(a: ArrayView2<f64>, n: usize) -> f64 {
        let mut b = Array2::<f64>::zeros(a.dim());
        let mut c: Array2<f64> = Array2::from_elem((n, a.ncols()), a[[0, 0]]);
        let mut d = Array1::<f64>::ones(n);
        for i in 0..b.nrows() { for j in 0..b.ncols() { b[[i, j]] = a[[i, j]] + c[[i, j]] * d[i]; } }
        c.fill(2.0);
        std::mem::swap(&mut b, &mut c);
        let mut row = c.row(0).to_owned();
        row[0] = 7.0;
        let copy = c.clone();
        c[[0, 1]] = 9.0;
        d[n - 1] = copy[[0, 1]];
        let list = d.to_vec();
        row.sum() + b.sum() + list[n - 1] * c[[0, 1]]
    }
    with (a = arr2(&[[1.0, 2.0], [3.0, 4.0]]), n = 2usize);
    with (a = arr2(&[[1.0, 2.0], [3.0, 4.0]]), n = 1usize);

    fn sliced(a: ArrayView3<f64>, x: &mut Array1<f64>, i: usize, n: usize) -> f64 {
        let plane = a.slice(s![.., i, ..]);
        let line = a.slice(s![i, .., 1]);
        let last = a.slice(s![1, 1..=n, ..]);
        let mut t = plane[[1, 0]] + line.sum() * line[i] + last.row(0)[0] * last.nrows() as f64;
        for row in last.outer_iter() { t += row.sum(); }
        for ((i, j), v) in last.indexed_iter() { t += v * (i + 2 * j) as f64; }
        let inner = x.slice(s![1..n]);
        for v in inner { t += v * v; }
        x.slice_mut(s![..n]).fill(t);
        let mut end = x.slice_mut(s![n..]);
        for v in end.iter_mut() { *v += 1.0; }
        t + a.slice(s![.., .., ..]).len() as f64 + a.slice(s![i, 0, ..]).slice(s![1..]).sum()
    }
    with (a = Array3::from_shape_fn((2, 3, 2), |(i, j, k)| (i + 2 * j + 3 * k) as f64), x = arr1(&[1.0, 2.0, 3.0]), i = 1usize, n = 2usize);
    with (a = Array3::from_shape_fn((2, 3, 2), |(i, j, k)| (i + 2 * j + 3 * k) as f64), x = arr1(&[1.0, 2.0, 3.0]), i = 0usize, n = 3usize);
    with (a = Array3::from_shape_fn((2, 3, 2), |(i, j, k)| (i + 2 * j + 3 * k) as f64), x = arr1(&[1.0]), i = 0usize, n = 2usize);
    with (a = Array3::from_shape_fn((2, 3, 2), |(i, j, k)| (i + 2 * j + 3 * k) as f64), x = arr1(&[1.0, 2.0]), i = 2usize, n = 1usize);

    fn slices_with_steps(a: ArrayView2<f64>, x: &mut Array1<f64>, n: usize) -> f64 {
        let odd = x.slice(s![1..;2]);
        let mut t = odd.sum() + odd.len() as f64 + x.slice(s![..;3]).slice(s![1..;2]).sum();
        for v in x.slice(s![..n;2]) { t += v * v; }
        let part = a.slice(s![..;2, 1..;2]);
        for ((i, j), v) in part.indexed_iter() { t += v * (1 + i + 2 * j) as f64; }
        for column in part.columns() { t += column[0] * column.len() as f64; }
        for row in a.t().slice(s![..;2, 1..]).outer_iter() { t += row.sum() * row[0]; }
        x.slice_mut(s![..;2]).fill(t);
        x.slice_mut(s![1..n;2]).iter_mut().for_each(|v| *v *= 2.0);
        t * x[1] + a.slice(s![..;2, 1]).sum() * a.slice(s![..;2, 0]).sum()
    }
    with (a = Array2::from_shape_fn((3, 4), |(i, j)| (i + 4 * j) as f64), x = arr1(&[1.0, 2.0, 3.0, 4.0, 5.0]), n = 4usize);
    with (a = Array2::from_shape_fn((2, 5), |(i, j)| (1 + 2 * i + j) as f64), x = arr1(&[1.0, 2.0, 3.0, 4.0]), n = 1usize);
    with (a = Array2::from_shape_fn((4, 2), |(i, j)| (1 + 2 * i + j) as f64), x = arr1(&[1.0, 2.0]), n = 2usize);
    with (a = Array2::from_shape_fn((3, 3), |(i, j)| (1 + 2 * i + j) as f64), x = arr1(&[1.0, 2.0, 3.0]), n = 5usize);

    fn shapes_compared(a: &Array2<f64>, b: ArrayView2<f64>, n: usize) -> f64 {
        assert_eq!(a.dim(), b.dim());
        assert_eq!(a.shape(), &[2, n]);
        let (shape, mut t) = (a.dim(), 0.0);
        if shape == (2, 3) { t += 1.0; }
        if a.shape() != b.t().shape() { t += 2.0; }
        if (n, t) == (2, 2.0) { t += 4.0; }
        debug_assert_ne!(b.dim(), (n + 5, 0), "shapes");
        t * a[[0, 0]]
    }
    with (a = arr2(&[[1.0, 2.0], [3.0, 4.0]]), b = arr2(&[[1.0, 2.0], [3.0, 4.0]]), n = 2usize);
    with (a = arr2(&[[1.0, 2.0], [3.0, 4.0]]), b = arr2(&[[1.0, 2.0]]), n = 2usize);
    with (a = arr2(&[[1.0, 2.0], [3.0, 4.0]]), b = arr2(&[[1.0, 2.0], [3.0, 4.0]]), n = 3usize);
    with (a = arr2(&[[1.0, 2.0, 0.5], [3.0, 4.0, 1.0]]), b = arr2(&[[1.0, 2.0, 0.0], [3.0, 4.0, 0.0]]), n = 3usize);

    fn assigned(a: &Array2<f64>, n: usize) -> f64 {
        let mut b = Array2::<f64>::zeros((n, a.ncols()));
        b = a.clone();
        let mut c = Array2::<f64>::zeros((n, a.nrows()));
        c = a.t().to_owned();
        let mut d = Array1::<f64>::zeros(n);
        d = c.row(0).to_owned();
        b[[0, 1]] + b.len() as f64 + c[[1, 0]] + c.nrows() as f64 + d.sum()
    }
    with (a = arr2(&[[1.0, 2.0], [3.0, 4.0]]), n = 2usize);
    with (a = arr2(&[[1.0, 2.0], [3.0, 4.0]]), n = 3usize);
    with (a = arr2(&[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), n = 2usize);

    fn integers(x: &mut Array1<f64>, index: &Array2<usize>, count: &mut Array1<i32>, on: ArrayView1<bool>) {
        for (k, row) in index.rows().into_iter().enumerate() {
            count[row[0]] += 1;
            if on[k] { x[row[0]] *= x[row[1]]; }
        }
    }
    with (
        x = arr1(&[2.0, 3.0, 4.0]),
        index = arr2(&[[0, 1], [2, 0], [0, 0]]),
        count = arr1(&[0, 0, 0]),
        on = arr1(&[true, true, false]),
    );
}

#[test]
fn an_index_is_checked_along_each_dimension() {
    let text =
        lowered("fn f(a: ArrayView2<f64>, i: usize, j: usize) -> f64 { a[[i, j]] }").program.to_string();
    assert!(text.contains("a: in f64[_, _]"), "{text}");
    assert_eq!(text.matches("check ").count(), 2, "{text}");
    assert!(text.contains("a[i, j]"), "{text}");
}

#[test]
fn a_column_is_the_array_with_its_indices_exchanged() {
    let text = lowered(
        "fn f(a: &Array2<f64>) -> f64 {
            let mut t = 0.0;
            for j in 0..a.ncols() { let c = a.column(j); for i in 0..c.len() { t += c[i]; } }
            t
        }",
    );
    let text = text.program.to_string();
    assert!(text.contains("a[i, j]") && !text.contains("a[j, i]"), "{text}");
}

#[test]
fn an_array_of_which_no_index_is_asked_for_has_one_dimension() {
    for body in [
        "a.iter().map(|x| x * x).sum()",
        "{ let mut t = a.sum(); for (k, x) in a.iter().enumerate() { t += x * k as f64; } t / a.len() as f64 }",
        "a.iter().zip(a.view().iter()).map(|(x, y)| x * y).sum::<f64>()",
    ] {
        let text = lowered(&format!("fn f(a: &Array2<f64>) -> f64 {{ {body} }}")).program.to_string();
        assert!(text.contains("fn f(a: in f64[_]) ->"), "{text}");
    }
    let text =
        lowered("fn f(mut a: ArrayViewMut3<f64>) { a.fill(0.0); for x in a.iter_mut() { *x += 1.0; } }");
    assert!(text.program.to_string().contains("fn f(a: inout f64[_])"), "{}", text.program);
    for body in ["a.sum() + a[[0, 0]]", "a.sum() * a.nrows() as f64", "{ let b = a.view(); b.sum() }"] {
        let text = lowered(&format!("fn f(a: &Array2<f64>) -> f64 {{ {body} }}")).program.to_string();
        assert!(text.contains("fn f(a: in f64[_, _]) ->"), "{text}");
    }
}

#[test]
fn all_numbers_are_a_loop_for_each_dimension() {
    let text = lowered("fn f(a: &Array2<f64>) -> f64 { a.iter().map(|x| x * x).sum::<f64>() * a[[0, 0]] }")
        .program
        .to_string();
    assert_eq!(text.matches("for ").count(), 2, "{text}");
    assert!(!text.contains(" / ") && !text.contains(" % "), "{text}");
    // one that can be left early counts
    let text = lowered(
        "fn f(a: &Array2<f64>) -> f64 { let mut t = a[[0, 0]]; for x in a { if *x > 1.0 { break; } t += x; } t }",
    );
    let text = text.program.to_string();
    assert!(text.contains(" / ") && text.contains(" % "), "{text}");
}

refused! {
    dynamic: "fn f(a: &ArrayD<f64>) -> f64 { a[[0, 0]] }" => ["ArrayD", "the type `ArrayD<f64>`"]
    dimension_behind_a_parameter: "fn f(a: ArrayView<f64, D>) -> f64 { a[0] }" => ["D", "the type `ArrayView<f64, D>`"]
    by_value: "fn f(a: Array1<f64>) -> f64 { a[0] }" => ["Array1<f64>", "an array of `ndarray` by value"]
    wrong_number_of_indices: "fn f(a: &Array2<f64>) -> f64 { a[0] + a[[0, 0, 0]] }"
        => ["0", "one index of an array of 2 dimensions"] ["[0, 0, 0]", "3 indices of an array of 2 dimensions"]
    shape_of_another_rank: "fn f(x: f64) -> f64 { let a = Array2::<f64>::zeros(3); x }"
        => ["Array2::<f64>::zeros(3)", "an array with a shape of 1 lengths"]
    assigned_from_another_shape: "fn f(a: &Array2<f64>, n: usize) -> f64 {
        let mut b = Array2::zeros((n, n)); b = a.clone(); b[[0, 0]]
    }" => ["b", "an array assigned from one with rows of another length"]
    vectors_of_other_rows: "fn f(x: f64, n: usize, m: usize) -> f64 {
        let mut b = vec![vec![0.0; n]; 3]; let a = vec![vec![x; m]; 3]; b = a.clone(); b[0][0]
    }" => ["b", "an array assigned from one with rows of another length"]
    swap_of_other_shapes: "fn f(x: f64, n: usize) -> f64 {
        let mut a = Array2::from_elem((2, n), x); let mut b = Array2::zeros((n, 2));
        std::mem::swap(&mut a, &mut b);
        a[[0, 1]]
    }" => ["std::mem::swap(&mut a, &mut b)", "an exchange of arrays whose lengths are not seen to be equal"]
    unknown_function: "fn f(x: f64) -> f64 { let a = Array1::linspace(0.0, x, 3); a[0] }"
        => ["Array1::linspace(0.0, x, 3)", "a call of `Array1::linspace`"]
    unknown_method: "fn f(a: &Array2<f64>) -> f64 { a.frobnicate() }"
        => ["frobnicate", "the method `frobnicate` of an array of 2 dimensions"]
    windows_of_two: "fn f(a: &Array2<f64>) -> f64 { let mut t = 0.0; for w in a.windows((2, 2)) { t += w[[0, 0]]; } t }"
        => ["windows", "the method `windows` of an array of 2 dimensions"]
    first_of_two: "fn f(a: &Array2<f64>) -> f64 { *a.first().unwrap() }"
        => ["first", "the method `first` of an array of 2 dimensions"]
    zip_of_other_ranks: "fn f(a: &Array2<f64>, y: &mut Array1<f64>) { Zip::from(y).and(a).for_each(|y, a| *y = *a); }"
        => ["a", "a `Zip` of arrays of 1 and of 2 dimensions"]
    zip_asked: "fn f(a: &Array1<f64>) -> f64 { if Zip::from(a).any(|a| *a > 0.0) { a[0] } else { 0.0 } }"
        => ["any", "the method `any` of a `Zip`"]
    zip_of_a_number: "fn f(a: f64, y: &mut Array1<f64>) { Zip::from(y).and(a).for_each(|y, a| *y = *a); }"
        => ["a", "this argument of a `Zip`"]
    slice_with_an_open_step: "fn f(a: &Array2<f64>, k: isize) -> f64 { a.slice(s![.., 1..3;k])[[0, 0]] }"
        => ["s![.., 1..3;k]", "this part of an array"]
    slice_from_the_end: "fn f(a: &Array1<f64>, n: isize) -> f64 { a.slice(s![..-n]).sum() }"
        => ["-n", "the types `isize` and `usize` meet here"]
    slice_backwards: "fn f(a: &Array1<f64>) -> f64 { a.slice(s![..;-1]).sum() }"
        => ["s![..;-1]", "this part of an array"]
    slice_of_no_dimensions: "fn f(a: &Array1<f64>) -> f64 { let v = a.slice(s![0]); 1.0 }"
        => ["s![0]", "a part of no dimensions"]
    axis_out_of_range: "fn f(a: &Array2<f64>) -> f64 { a.index_axis(Axis(2), 0)[0] }"
        => ["Axis(2)", "this axis of an array of 2 dimensions"]
}

#[test]
fn without_the_feature_the_type_is_refused() {
    let options =
        Options { features: Features { ndarray: false, ..Features::default() }, ..Options::default() };
    let item = syn::parse_str("fn f(a: ndarray::ArrayView1<'_, f64>, x: f64) -> f64 { a[0] * x }")
        .expect("a function");
    let refusals = lower(&options, item).err().expect("the feature is off");
    let [refusal] = &refusals[..] else { panic!("{refusals:?}") };
    assert_eq!(refusal.what, "the type `ndarray::ArrayView1<'_, f64>`");
    assert!(
        refusal.why.contains("feature") && refusal.help.contains("features = [\"ndarray\"]"),
        "{refusal:?}"
    );
}
