//! Const parameters of functions that are arguments of structs.

use pardiff::differentiate;
use pardiff_programs::{assert_near, check};

/// A small linear algebra, whose operators have more parameters than the struct.
#[differentiate]
pub mod matrices {
    use std::ops::{Add, Index, IndexMut, Mul};

    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct Matrix<const R: usize, const C: usize> {
        pub data: [[f64; C]; R],
    }

    impl<const R: usize, const C: usize> Matrix<R, C> {
        fn zeros() -> Self {
            Matrix { data: [[0.0; C]; R] }
        }

        fn of(f: impl Fn(usize, usize) -> f64) -> Self {
            let mut m = Self::zeros();
            for i in 0..R {
                for j in 0..C {
                    m.data[i][j] = f(i, j);
                }
            }
            m
        }

        fn norm(&self) -> f64 {
            self.data.iter().flatten().map(|v| v * v).sum()
        }

        /// `E` is a parameter of the method alone.
        fn power<const E: i32>(&self) -> f64 {
            self.norm().powi(E)
        }
    }

    impl<const N: usize> Matrix<N, N> {
        fn identity() -> Self {
            Self::of(|i, j| if i == j { 1.0 } else { 0.0 })
        }

        fn trace(&self) -> f64 {
            (0..N).map(|i| self.data[i][i]).sum()
        }
    }

    impl<const R: usize, const C: usize> Index<(usize, usize)> for Matrix<R, C> {
        type Output = f64;
        fn index(&self, (i, j): (usize, usize)) -> &f64 {
            &self.data[i][j]
        }
    }

    impl<const R: usize, const C: usize> IndexMut<(usize, usize)> for Matrix<R, C> {
        fn index_mut(&mut self, (i, j): (usize, usize)) -> &mut f64 {
            &mut self.data[i][j]
        }
    }

    impl<const R: usize, const K: usize, const C: usize> Mul<Matrix<K, C>> for Matrix<R, K> {
        type Output = Matrix<R, C>;
        fn mul(self, other: Matrix<K, C>) -> Matrix<R, C> {
            let mut product = Matrix::zeros();
            for i in 0..R {
                for j in 0..C {
                    for k in 0..K {
                        product[(i, j)] += self[(i, k)] * other[(k, j)];
                    }
                }
            }
            product
        }
    }

    impl<const R: usize, const C: usize> Mul<Matrix<R, C>> for f64 {
        type Output = Matrix<R, C>;
        fn mul(self, m: Matrix<R, C>) -> Matrix<R, C> {
            Matrix::of(|i, j| self * m[(i, j)])
        }
    }

    impl<const R: usize, const C: usize> Add for Matrix<R, C> {
        type Output = Self;
        fn add(self, other: Self) -> Self {
            Matrix::of(|i, j| self[(i, j)] + other[(i, j)])
        }
    }

    fn diagonal<const N: usize>(a: &Matrix<N, N>, x: &[f64; N]) -> f64 {
        (0..N).map(|i| a[(i, i)] * x[i]).sum()
    }

    fn total<const A: usize, const B: usize>(all: &[Matrix<A, B>]) -> f64 {
        all.iter().map(|m| m.norm() * A as f64 + B as f64).sum()
    }

    fn filled<const A: usize>(v: f64) -> Matrix<A, A> {
        Matrix::of(|i, _| v * i as f64)
    }

    #[differentiate]
    pub fn square(a: &Matrix<3, 3>, x: &[f64; 3]) -> f64 {
        let b = 2.0 * (*a * Matrix::identity() + *a * *a);
        diagonal(&b, x) + b.trace() + (b * filled(x[1])).norm() + total(&[b, *a])
    }

    #[differentiate]
    pub fn of_any_size<const N: usize>(a: &Matrix<N, N>, x: &[f64; N]) -> f64 {
        diagonal(a, x) + (*a * *a).trace() + total(&[*a])
    }

    #[differentiate]
    pub fn oblong(a: &Matrix<2, 3>) -> f64 {
        (2.0 * *a + *a).norm() + total(&[*a]) + a.power::<2>()
    }
}

#[test]
fn parameters_of_functions_and_operators() {
    use matrices::{Matrix, oblong, of_any_size, square};
    let square_of =
        |v: &[f64]| Matrix { data: std::array::from_fn(|i| std::array::from_fn(|j| v[3 * i + j])) };
    let numbers = [1.0, 2.0, 3.0, 0.5, 0.25, -1.0, 3.0, 1.0, 0.3];
    let (a, x) = (square_of(&numbers), [0.1, 0.2, 0.3]);
    let point = |v: &[f64]| [v[0], v[1], v[2]];

    let (value, gradient) = square::gradient(&a, &x);
    assert_near(&[value], &[square(&a, &x)]);
    let of = |v: &[Vec<f64>]| square(&square_of(&v[0]), &point(&v[1]));
    check(of, &[&numbers, &x], &[gradient.a.data.as_flattened(), &gradient.x]);

    let (value, gradient) = of_any_size::gradient(&a, &x);
    assert_near(&[value], &[of_any_size(&a, &x)]);
    let of = |v: &[Vec<f64>]| of_any_size(&square_of(&v[0]), &point(&v[1]));
    check(of, &[&numbers, &x], &[gradient.a.data.as_flattened(), &gradient.x]);

    let oblong_of = |v: &[f64]| Matrix { data: [point(&v[..3]), point(&v[3..])] };
    let (value, gradient) = oblong::gradient(&oblong_of(&numbers));
    assert_near(&[value], &[oblong(&oblong_of(&numbers))]);
    check(|v| oblong(&oblong_of(&v[0])), &[&numbers[..6]], &[gradient.a.data.as_flattened()]);
}

/// The names of parameters change their places on the way from the function to the `impl`.
#[differentiate]
pub mod exchanged {
    pub struct Pair<const A: usize, const B: usize> {
        pub a: [f64; A],
        pub b: [f64; B],
    }

    impl<const M: usize, const N: usize> Pair<M, N> {
        fn sizes(&self) -> f64 {
            M as f64 + 10.0 * N as f64
        }
    }

    #[differentiate]
    pub fn weighted<const N: usize, const M: usize>(pair: &Pair<N, M>, x: f64) -> f64 {
        pair.sizes() * x * (pair.a[0] + pair.b[0])
    }
}

#[test]
fn parameters_of_the_same_names_in_another_order() {
    let pair = exchanged::Pair { a: [1.0; 2], b: [2.0; 3] };
    let (value, gradient) = exchanged::weighted::gradient(&pair, 0.5);
    assert_eq!((value, gradient.x), (48.0, 96.0));
    assert_eq!(value, exchanged::weighted(&pair, 0.5));
}

/// Constants of an `impl` by the arguments of the struct, where no value says which these are.
#[differentiate]
pub mod constants {
    pub struct Table<T, const R: usize, const C: usize> {
        pub data: [[T; C]; R],
    }

    impl<T: Copy, const R: usize, const C: usize> Table<T, R, C> {
        pub const SIZE: usize = R * C;

        fn mean(&self) -> T
        where
            T: std::ops::Mul<Output = T> + std::iter::Sum<T> + std::ops::Div<f64, Output = T>,
        {
            self.data.iter().flatten().map(|v| *v * *v).sum::<T>() / Self::SIZE as f64
        }
    }

    #[differentiate]
    pub fn scaled(table: &Table<f64, 2, 3>, x: &[f64]) -> f64 {
        let weights = [0.5; Table::<f64, 2, 3>::SIZE];
        let mut s = table.mean();
        for i in 0..Table::<f64, 2, 3>::SIZE {
            s += x[i] * x[i] * weights[i];
        }
        s * Table::<f64, 2, 3>::SIZE as f64
    }

    /// Nothing but the constant names the struct.
    #[differentiate]
    pub fn first(x: &[f64]) -> f64 {
        x[..Table::<f64, 2, 2>::SIZE].iter().map(|v| v * v).sum()
    }

    #[differentiate]
    pub fn of_any_size<const N: usize>(table: &Table<f64, N, 2>, x: f64) -> f64 {
        table.mean() * x * Table::<f64, N, 2>::SIZE as f64
    }
}

#[test]
fn constants_are_named_by_the_arguments_of_their_struct() {
    use constants::{Table, first, of_any_size, scaled};
    let (numbers, x) = ([0.3, -0.2, 0.9, 0.4, 0.1, 1.2], [0.7, 0.1, -0.5, 0.2, 0.3, 0.6]);
    let row = |v: &[f64]| [v[0], v[1], v[2]];
    let table_of = |v: &[f64]| Table { data: [row(&v[..3]), row(&v[3..])] };

    let (value, gradient) = scaled::gradient(&table_of(&numbers), &x);
    assert_near(&[value], &[scaled(&table_of(&numbers), &x)]);
    let of = |v: &[Vec<f64>]| scaled(&table_of(&v[0]), &v[1]);
    check(of, &[&numbers, &x], &[gradient.table.data.as_flattened(), &gradient.x]);

    let (value, gradient) = first::gradient(&x);
    assert_near(&[value], &[first(&x)]);
    check(|v| first(&v[0]), &[&x], &[&gradient.x]);

    let tall_of = |v: &[f64]| Table { data: [[v[0], v[1]], [v[2], v[3]], [v[4], v[5]]] };
    let (value, gradient) = of_any_size::gradient(&tall_of(&numbers), 0.5);
    assert_near(&[value], &[of_any_size(&tall_of(&numbers), 0.5)]);
    let of = |v: &[Vec<f64>]| of_any_size(&tall_of(&v[0]), v[1][0]);
    check(of, &[&numbers, &[0.5]], &[gradient.table.data.as_flattened(), &[gradient.x]]);
}
