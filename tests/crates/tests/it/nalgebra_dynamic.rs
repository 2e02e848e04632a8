//! Vectors and matrices of `nalgebra` whose sizes are known at run time.

use nalgebra::{DMatrix, DVector, RowDVector, dmatrix, dvector};

cases! {
    (
        m: &DMatrix<f64> = &dmatrix![0.7, -1.3, 0.45; 0.2, 0.9, -0.6; 1.1, 0.3, 0.8],
        v: &DVector<f64> = &dvector![0.4, -0.9, 1.2],
        s: f64 = 0.6; 1e-14
    )
    zeros: f64 = (DVector::zeros(3) + v).sum() + RowDVector::<f64>::zeros(2).sum() + (DMatrix::zeros(3, 3) + m).sum();
    from_element: f64 = DVector::from_element(3, s).dot(v) + DMatrix::from_element(2, 2, s).norm()
        + RowDVector::from_element(2, s).sum();
    repeat: f64 = DVector::repeat(3, s).dot(v) + DMatrix::repeat(2, 2, s).norm() + RowDVector::repeat(2, s).sum();
    identity: f64 = DMatrix::<f64>::identity(3, 2).sum() * s + DMatrix::from_diagonal(v).trace();
    from_vec: f64 = DVector::from_vec(vec![s, v[1]]).norm() + DMatrix::from_vec(1, 2, vec![s, v[0]])[(0, 1)]
        + RowDVector::from_vec(vec![s, v[2]])[1];
    slices: f64 = DVector::from_row_slice(v.as_slice()).norm() + DMatrix::from_row_slice(1, 2, &[s, v[0]])[(0, 1)]
        + DVector::from_column_slice(v.as_slice())[0] + DMatrix::from_column_slice(2, 1, &[s, v[0]])[(1, 0)];
    rows_of_slices: f64 = RowDVector::from_row_slice(v.as_slice())[1] + RowDVector::from_column_slice(v.as_slice())[2];
    from_iterator: f64 = DVector::from_iterator(3, v.iter().map(|x| x * s)).norm()
        + DMatrix::from_iterator(3, 1, v.iter().map(|x| x * x)).sum()
        + RowDVector::from_iterator(9, m.iter().map(|x| x * s)).norm();
    from_fn: f64 = DVector::from_fn(3, |i, _| v[i] * s).norm() + DMatrix::from_fn(2, 3, |i, j| v[i] * m[(i, j)]).sum()
        + RowDVector::from_fn(2, |_, j| v[j] * v[j]).sum();
    sizes: f64 = { let (r, c) = m.shape(); s * (r + 2 * c + v.len() + m.nrows() * v.ncols()) as f64 };
    is_empty: f64 = if v.is_empty() { s } else { s * s };
    owned: f64 = m.clone_owned().sum() + v.clone().norm() + v.clone().into_owned().norm_squared() * s;
    fill: f64 = { let mut w = v.clone(); w.fill(s); let mut u = m.clone(); u.copy_from(m); u.norm() + w.norm() };
    map: f64 = v.map(|x| x * x * s).norm() + v.zip_map(v, |x, y| x * y * s).sum() + m.map(|x| x.sin()).sum();
    dot: f64 = v.dot(v) + m.dot(m) + v.norm_squared() + m.magnitude() * v.magnitude_squared();
    metric_distance: f64 = v.metric_distance(&v.scale(s)) + v.normalize()[0] + v.unscale(s).norm();
    scale_mut: f64 = { let mut w = v.clone(); w.scale_mut(s); w.add_scalar(s).norm() };
    component_mul: f64 = (v.component_mul(v) + v.component_div(&v.add_scalar(3.0))).norm() + v.abs().sum();
    axpy: f64 = { let mut w = v.clone(); w.axpy(s, v, 0.5); w.gemv(s, m, v, 0.3); w.norm() };
    sum_of_elements: f64 = v.sum() + v.product() + v.mean() + m.sum();
    extrema: f64 = v.min() + v.max() * s + v.amin() * 2.0 + v.amax() * 3.0;
    transpose: f64 = (v.transpose() * v)[(0, 0)] + v.transpose().transpose().dot(v) + m.transpose()[(0, 1)] * s;
    diagonal: f64 = m.trace() * s + m.diagonal().dot(v);
    column: f64 = m.column(1).norm() * m.row(2).norm() + v.rows(1, 2).norm() + m.tr_mul(v).norm();
    set_column: f64 = { let mut b = m.clone(); b.set_column(0, v); b.set_row(1, &v.transpose()); (b * v).norm() };
    add: f64 = (v + v * s - m * v).norm() + (m + m * s - m * m).norm() + (m.row(0) + v.transpose()).norm();
    scalars: f64 = (-v * s + 2.0 * v / s).norm() + (s * m).norm();
    assign: f64 = { let mut w = v.clone(); w += v; w -= m * v; w *= s; w /= s + 1.0; w[0] = s; w[1] += s; w.norm() };
    products: f64 = (m * m * v).norm() + (v.transpose() * m).norm() + (v * v.transpose()).norm();
    index: f64 = m[(0, 1)] * m[2] + v[(1, 0)] * v[2];
    iter: f64 = v.iter().zip(m.iter()).map(|(x, y)| x * y).sum::<f64>();
    iter_mut: f64 = { let mut w = v.clone(); for x in w.iter_mut() { *x *= s; } w.dot(v) };
    loops: f64 = { let mut w = v.clone(); for _ in 0..3 { w = m * &w * s; } w.norm() };
    from: f64 = DVector::from(vec![s, v[0]]).norm();
    macros: f64 = dvector![s, v[0], 1.0].dot(v) + (dmatrix![s, v[1]; v[2], 2.0] * dvector![1.0, s]).norm();
}

cases! {
    (
        m: &DMatrix<f64> = &dmatrix![0.7, -1.3; 0.2, 0.9; 1.1, 0.3],
        v: &DVector<f64> = &dvector![0.4, -0.9],
        s: f64 = 0.6; 1e-14
    )
    returned_vector: DVector<f64> = m * v * s;
    returned_matrix: DMatrix<f64> = m * s + v[0] * m;
    returned_pair: (DVector<f64>, f64) = (m * v, v.norm());
}

#[pardiff::differentiate(check)]
mod layer {
    use nalgebra::{DMatrix, DVector};

    #[derive(Clone, Debug, PartialEq)]
    pub struct Layer {
        pub weights: DMatrix<f64>,
        pub bias: DVector<f64>,
        pub gain: f64,
    }

    impl Layer {
        #[differentiate(forward, hvp, split, check)]
        pub fn loss(&self, x: &DVector<f64>) -> f64 {
            let z = (&self.weights * x + &self.bias).map(|z| z.tanh()) * self.gain;
            z.norm_squared()
        }

        #[differentiate(check)]
        pub fn train(&mut self, x: &DVector<f64>, rate: f64) {
            let z = &self.weights * x;
            self.bias -= &z * rate;
            self.bias = &self.bias + &z * self.gain;
            for i in 0..self.weights.nrows() {
                self.weights[(i, 0)] *= z[i];
            }
            self.gain *= z.sum();
        }

        /// A struct that owns vectors is returned.
        #[differentiate(forward, check)]
        pub fn scaled(&self, by: f64) -> Layer {
            Layer { weights: &self.weights * by, bias: self.bias.clone(), gain: self.gain * by }
        }
    }

    /// And is moved into a function, which changes it.
    #[differentiate(check)]
    pub fn moved(mut layer: Layer, x: DVector<f64>) -> f64 {
        layer.bias *= layer.gain;
        (layer.weights * x + layer.bias).norm()
    }

    /// Vectors of one length.
    #[differentiate(forward, check)]
    pub fn spread(points: &[DVector<f64>], to: &mut Vec<DVector<f64>>) -> f64 {
        let mut mean = DVector::zeros(points[0].len());
        for point in points {
            mean += point;
        }
        mean /= points.len() as f64;
        for (to, point) in to.iter_mut().zip(points) {
            for k in 0..mean.len() {
                to[k] *= point[k] - mean[k];
            }
        }
        points.iter().map(|point| (point - &mean).norm_squared()).sum()
    }

    #[differentiate(check)]
    pub fn product(m: &DMatrix<f64>, x: &DVector<f64>, y: &mut DVector<f64>) {
        y.copy_from(&(m * x));
        *y += x;
        *y = m * &*y;
    }
}

use layer::Layer;

fn layer() -> (Layer, DVector<f64>) {
    let weights = dmatrix![0.7, -1.3, 0.2; 0.2, 0.9, 0.4; -0.3, 0.8, 1.1];
    (Layer { weights, bias: dvector![0.3, -0.4, 0.1], gain: 0.8 }, dvector![0.5, -0.7, 0.9])
}

#[test]
fn matrices_in_structs_behind_references_and_by_value() {
    let (own, x) = layer();
    layer::layer::loss::check(&own, &x).unwrap_or_else(|mismatch| panic!("{mismatch}"));
    layer::layer::train::check(&mut own.clone(), &x, 0.3).unwrap_or_else(|mismatch| panic!("{mismatch}"));
    layer::layer::scaled::check(&own, 0.3).unwrap_or_else(|mismatch| panic!("{mismatch}"));
    layer::moved::check(&own, &x).unwrap_or_else(|mismatch| panic!("{mismatch}"));
    layer::product::check(&own.weights, &x, &mut x.clone()).unwrap_or_else(|mismatch| panic!("{mismatch}"));
    let points = [x.clone(), &x * 2.0, own.bias.clone()];
    layer::spread::check(&points, &mut points.to_vec()).unwrap_or_else(|mismatch| panic!("{mismatch}"));
    let (value, gradient) = layer::layer::loss::gradient(&own, &x);
    crate::support::close(&own.loss(&x), &value, 1e-14);
    assert_eq!((gradient.this.weights.shape(), gradient.x.len()), ((3, 3), 3));
    assert_eq!(layer::layer::scaled::value(&own, 2.0), own.scaled(2.0));
    let mut after = x.clone();
    let (mut d_m, mut d_x, mut d_y) =
        (DMatrix::zeros(3, 3), DVector::zeros(3), DVector::from_element(3, 1.0));
    layer::product::vjp(&own.weights, &mut d_m, &x, &mut d_x, &mut after, &mut d_y);
    assert_eq!(d_y, DVector::zeros(3));
}

#[test]
#[should_panic(expected = "the shape of the adjoint `d_m` is 1 x 3")]
fn an_adjoint_of_another_shape_is_a_panic() {
    let mut d_m = DMatrix::zeros(1, 3);
    let (m, x) = (DMatrix::<f64>::zeros(3, 1), dvector![1.0]);
    let (mut y, mut d_y) = (dvector![0.0], dvector![1.0]);
    layer::product::vjp(&m, &mut d_m, &x, &mut x.clone(), &mut y, &mut d_y);
}
