//! Types of `nalgebra` whose sizes are parameters, which `with` names.

use nalgebra::allocator::Allocator;
use nalgebra::storage::Owned;
use nalgebra::{
    Const, DefaultAllocator, Dim, DimName, Matrix, Matrix2, Matrix2x3, Matrix3, OMatrix, OPoint, OVector,
    Point, Point2, RealField, Rotation, RowVector2, SMatrix, SVector, Translation, U2, U3, Vector, Vector2,
    Vector3, Vector4,
};
use pardiff::differentiate;

#[differentiate(check, with(N = 3))]
pub fn quadratic<const N: usize>(a: &SMatrix<f64, N, N>, x: &SVector<f64, N>) -> f64 {
    let mut weighted = 0.0;
    for i in 0..N {
        weighted += x[i].sin() * (i as f64 + 1.0) / N as f64;
    }
    (a * x).dot(x) + weighted
}

#[test]
fn const_parameters_are_numbers() {
    let a = Matrix3::new(1.0, 0.2, 0.3, -0.4, 1.5, 0.6, 0.7, -0.8, 0.9);
    let x = Vector3::new(0.3, -0.5, 0.9);
    quadratic::check(&a, &x).unwrap();
    let (value, gradient) = quadratic::gradient(&a, &x);
    assert!((value - quadratic(&a, &x)).abs() < 1e-14);
    let weights = Vector3::from_fn(|i, _| x[i].cos() * (i as f64 + 1.0) / 3.0);
    assert!((gradient.x - (a + a.transpose()) * x - weights).norm() < 1e-14);
    assert!((gradient.a - x * x.transpose()).norm() < 1e-14);
}

#[differentiate(check, with(T = f64, R = 2, C = 3))]
pub fn product<T: RealField + Copy, const R: usize, const C: usize>(
    a: &SMatrix<T, R, C>,
    x: &SVector<T, C>,
) -> SVector<T, R> {
    a * x
}

#[test]
fn rows_and_columns_are_parameters_of_their_own() {
    let a = Matrix2x3::new(1.0, 2.0, 3.0, 0.5, -1.0, 0.25);
    product::check(&a, &Vector3::new(0.3, -0.5, 0.9)).unwrap();
}

#[differentiate(check, with(D = U3))]
pub fn density<D: DimName>(m: &OMatrix<f64, D, D>, x: &OVector<f64, D>, mean: &OVector<f64, D>) -> Option<f64>
where
    DefaultAllocator: Allocator<D> + Allocator<D, D>,
{
    if x.shape_generic().0 != m.shape_generic().0 || !m.is_square() || x.shape() != (3, 1) {
        return None;
    }
    let d = x - mean;
    let mut sum = 0.0;
    for i in 0..D::dim() {
        sum += d[i] * d[i] * D::name().value() as f64;
    }
    Some(-0.5 * (m * &d).dot(&d) + sum / D::DIM as f64 + D::from_usize(3).value() as f64)
}

#[test]
fn types_for_sizes_are_parameters() {
    let m = Matrix3::new(2.0, 0.3, -0.1, 0.4, 1.5, 0.2, 0.0, 0.1, 3.0);
    let (x, mean) = (Vector3::new(1.0, 0.5, -0.4), Vector3::new(0.1, -0.3, 0.7));
    density::check(&m, &x, &mean).unwrap();
    let gradient = density::gradient(&m, &x, &mean).unwrap().1;
    let expected = -0.5 * (m + m.transpose()) * (x - mean) + 2.0 * (x - mean);
    assert!((gradient.x - expected).norm() < 1e-14);
}

#[differentiate(check, with(D = Const<2>, S = U3))]
pub fn mixed<D: DimName, S: Dim>(
    a: &OPoint<f64, D>,
    b: &Vector<f64, S, Owned<f64, S>>,
    c: &Matrix<f64, D, S, Owned<f64, D, S>>,
) -> f64
where
    DefaultAllocator: Allocator<D> + Allocator<S> + Allocator<D, S>,
{
    (c * b).dot(&a.coords) + a.coords.norm()
}

#[test]
fn storage_that_is_owned_says_nothing() {
    let c = Matrix2x3::new(1.0, 2.0, 3.0, 0.5, -1.0, 0.25);
    mixed::check(&Point2::new(0.4, -0.7), &Vector3::new(0.3, 0.1, -0.6), &c).unwrap();
}

#[differentiate(check, with(N = 2))]
pub fn centre<const N: usize>(points: &[Point<f64, N>], weight: &[f64]) -> SVector<f64, N> {
    let mut sum = SVector::<f64, N>::zeros();
    for (p, w) in points.iter().zip(weight) {
        sum += p.coords * *w;
    }
    sum
}

#[differentiate(check, with(N = 4))]
pub fn head<const N: usize>(v: &SVector<f64, N>) -> f64 {
    v.fixed_rows::<2>(1).norm_squared() + v.map(|x| x * x * x).sum()
}

#[differentiate(check, with(N = 3))]
pub fn moved<const N: usize>(
    t: &Translation<f64, N>,
    p: &Point<f64, N>,
    turn: &Rotation<f64, N>,
) -> Point<f64, N> {
    let back = Translation { vector: t.vector * 0.5 };
    let again = Translation::from(p.coords);
    turn * (again * (back * (t * p))) + Point { coords: p.coords }.coords
}

#[test]
fn slices_parts_and_motions() {
    centre::check(&[Point2::new(1.0, 2.0), Point2::new(0.5, 0.1)], &[0.3, 0.4]).unwrap();
    head::check(&Vector4::new(0.1, 0.2, 0.3, 0.4)).unwrap();
    let turn = nalgebra::Rotation3::new(Vector3::new(0.2, 0.4, -0.3));
    let p = nalgebra::Point3::new(0.5, 0.1, 0.9);
    moved::check(&nalgebra::Translation3::new(1.0, -2.0, 0.5), &p, &turn).unwrap();
}

#[differentiate(check)]
pub mod filters {
    use super::*;

    #[derive(Clone, Debug)]
    pub struct Filter<T: RealField, const N: usize> {
        pub x: SVector<T, N>,
        pub p: SMatrix<T, N, N>,
    }

    /// A helper has the size that the item says.
    fn trace<const N: usize>(m: &SMatrix<f64, N, N>) -> f64 {
        let mut sum = 0.0;
        for i in 0..N {
            sum += m[(i, i)];
        }
        sum
    }

    impl<T: RealField + Copy, const N: usize> Filter<T, N> {
        #[differentiate(with(T = f64, N = 2))]
        pub fn predict(&mut self, f: &SMatrix<T, N, N>, q: &SMatrix<T, N, N>) {
            self.x = f * self.x;
            self.p = f * self.p * f.transpose() + q;
        }

        /// What one `with` says of a size holds for the others.
        #[differentiate(with(T = f64))]
        pub fn update(&mut self, h: &SMatrix<T, 1, N>, r: T, z: T) -> Option<T> {
            let s = h * self.p * h.transpose() + SMatrix::<T, 1, 1>::new(r);
            let inverse = s.try_inverse()?;
            let k = self.p * h.transpose() * inverse;
            let y = SVector::<T, 1>::new(z) - h * self.x;
            self.x += k * y;
            self.p = (SMatrix::<T, N, N>::identity() - k * h) * self.p;
            Some((y.transpose() * inverse * y)[0])
        }
    }

    #[differentiate]
    pub fn spread(of: &Filter<f64, 2>) -> f64 {
        trace(&of.p) + of.x.norm_squared()
    }

    #[derive(Clone, Debug)]
    pub struct State<D: DimName>
    where
        DefaultAllocator: Allocator<D> + Allocator<D, D>,
    {
        pub mean: OVector<f64, D>,
        pub precision: OMatrix<f64, D, D>,
    }

    impl<D: DimName> State<D>
    where
        DefaultAllocator: Allocator<D> + Allocator<D, D>,
    {
        #[differentiate(with(D = U3))]
        pub fn weight(&self, x: &OVector<f64, D>) -> f64 {
            let d = x - &self.mean;
            (-0.5 * (&self.precision * &d).dot(&d)).exp()
        }
    }
}

#[test]
fn fields_and_methods_have_such_types() {
    let filter = filters::Filter { x: Vector2::new(0.4, -0.2), p: Matrix2::new(1.0, 0.1, 0.1, 2.0) };
    let f = Matrix2::new(1.0, 0.1, 0.0, 1.0);
    filters::filter::predict::check(&mut filter.clone(), &f, &Matrix2::identity()).unwrap();
    filters::filter::update::check(&mut filter.clone(), &RowVector2::new(1.0, 0.5), 0.3, 0.7).unwrap();
    filters::spread::check(&filter).unwrap();
    assert_eq!(filters::spread::gradient(&filter).1.of.p, Matrix2::identity());
    let precision = Matrix3::new(2.0, 0.3, -0.1, 0.4, 1.5, 0.2, 0.0, 0.1, 3.0);
    let state = filters::State::<U3> { mean: Vector3::new(0.1, -0.3, 0.7), precision };
    filters::state::weight::check(&state, &Vector3::new(0.2, 0.4, 0.1)).unwrap();
}

/// Names of sizes are names of constants as well.
#[differentiate(check, with(D = U2))]
pub fn scaled<D: DimName>(x: &OVector<f64, D>) -> f64
where
    DefaultAllocator: Allocator<D>,
{
    const U1: f64 = 2.5;
    x[0] * U1 * x[1]
}

#[test]
fn constants_may_be_called_as_sizes_are() {
    let gradient = scaled::gradient(&Vector2::new(3.0, 4.0)).1.x;
    assert_eq!(gradient, Vector2::new(10.0, 7.5));
    scaled::check(&Vector2::new(3.0, 4.0)).unwrap();
}
