// Matrices and vectors of `nalgebra` 0.35 with constant sizes; elements lie column by column.

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct OwnStorage(pub [[T; R]; C]);

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Own {
    pub data: OwnStorage,
}

impl Own {
    fn of(data: [[T; R]; C]) -> Own {
        Own { data: OwnStorage(data) }
    }

    fn new(@(@c(m#$: T; ,); ,)) -> Own {
        Own::of([@c([@(m#$; ,)]; ,)])
    }

    fn zeros() -> Own {
        Own::of([[0.0; R]; C])
    }

    fn zero() -> Own {
        Own::of([[0.0; R]; C])
    }

    fn repeat(elem: T) -> Own {
        Own::of([[elem; R]; C])
    }

    fn from_element(elem: T) -> Own {
        Own::of([[elem; R]; C])
    }

    // where R = C
    fn from_diagonal_element(elem: T) -> Own {
        let mut m = [[0.0; R]; C];
        @(m[#][#] = elem; ;);
        Own::of(m)
    }

    // where R = C
    fn identity() -> Own {
        Own::from_diagonal_element(1.0)
    }

    // where R = C
    fn from_diagonal(diagonal: &SMatrix<T, R, 1>) -> Own {
        let mut m = [[0.0; R]; C];
        @(m[#][#] = diagonal.data.0[0][#]; ;);
        Own::of(m)
    }

    fn from_column_slice(slice: &[T]) -> Own {
        Own::of([@c([@(slice[$ * R + #]; ,)]; ,)])
    }

    fn from_row_slice(slice: &[T]) -> Own {
        Own::of([@c([@(slice[# * C + $]; ,)]; ,)])
    }

    // where C != 1
    fn from_columns(columns: &[SMatrix<T, R, 1>]) -> Own {
        Own::of([@c(columns[$].data.0[0]; ,)])
    }

    // where C != 1
    fn from_rows(rows: &[SMatrix<T, 1, C>]) -> Own {
        Own::of([@c([@(rows[#].data.0[$][0]; ,)]; ,)])
    }

    fn from_fn<F: Fn(usize, usize) -> T>(f: F) -> Own {
        Own::of([@c([@(f(#, $); ,)]; ,)])
    }

    fn map<F: Fn(T) -> T>(&self, f: F) -> Own {
        Own::of([@c([@(f(self.data.0[$][#]); ,)]; ,)])
    }

    fn zip_map<F: Fn(T, T) -> T>(&self, rhs: &Own, f: F) -> Own {
        Own::of([@c([@(f(self.data.0[$][#], rhs.data.0[$][#]); ,)]; ,)])
    }

    fn clone_owned(&self) -> Own {
        *self
    }

    fn into_owned(self) -> Own {
        self
    }

    fn len(&self) -> usize {
        R * C
    }

    fn nrows(&self) -> usize {
        R
    }

    fn ncols(&self) -> usize {
        C
    }

    fn fill(&mut self, elem: T) {
        @c(@(self.data.0[$][#] = elem; ;); ;);
    }

    fn copy_from(&mut self, other: &Own) {
        *self = *other;
    }

    fn dot(&self, rhs: &Own) -> T {
        @c(@(self.data.0[$][#] * rhs.data.0[$][#]; +); +)
    }

    // where R = 3, C = 1
    fn cross(&self, rhs: &Own) -> Own {
        let (a, b) = (self.data.0[0], rhs.data.0[0]);
        Own::of([[a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]])
    }

    // where R = 2, C = 1
    fn perp(&self, rhs: &Own) -> T {
        self.data.0[0][0] * rhs.data.0[0][1] - self.data.0[0][1] * rhs.data.0[0][0]
    }

    // where R = 3, C = 1
    fn cross_matrix(&self) -> SMatrix<T, 3, 3> {
        let v = self.data.0[0];
        SMatrix<T, 3, 3>::of([[0.0, v[2], -v[1]], [-v[2], 0.0, v[0]], [v[1], -v[0], 0.0]])
    }

    fn norm_squared(&self) -> T {
        @c(@(self.data.0[$][#] * self.data.0[$][#]; +); +)
    }

    fn magnitude_squared(&self) -> T {
        self.norm_squared()
    }

    fn norm(&self) -> T {
        self.norm_squared().sqrt()
    }

    fn magnitude(&self) -> T {
        self.norm_squared().sqrt()
    }

    fn metric_distance(&self, rhs: &Own) -> T {
        (*self - *rhs).norm()
    }

    fn normalize(&self) -> Own {
        *self / self.norm()
    }

    fn try_normalize(&self, min_norm: T) -> Option<Own> {
        let norm = self.norm();
        if norm <= min_norm { None } else { Some(*self / norm) }
    }

    fn cap_magnitude(&self, max: T) -> Own {
        let norm = self.norm();
        if norm > max { *self * (max / norm) } else { *self }
    }

    // where C = 1
    fn lerp(&self, rhs: &Own, t: T) -> Own {
        *rhs * t + *self * (1.0 - t)
    }

    // where C = 1
    fn axpy(&mut self, a: T, x: &Own, b: T) {
        *self = *x * a + *self * b;
    }

    fn scale(&self, factor: T) -> Own {
        *self * factor
    }

    fn unscale(&self, factor: T) -> Own {
        *self / factor
    }

    fn add_scalar(&self, rhs: T) -> Own {
        Own::of([@c([@(self.data.0[$][#] + rhs; ,)]; ,)])
    }

    fn component_mul(&self, rhs: &Own) -> Own {
        Own::of([@c([@(self.data.0[$][#] * rhs.data.0[$][#]; ,)]; ,)])
    }

    fn component_div(&self, rhs: &Own) -> Own {
        Own::of([@c([@(self.data.0[$][#] / rhs.data.0[$][#]; ,)]; ,)])
    }

    fn component_mul_assign(&mut self, rhs: &Own) {
        *self = self.component_mul(rhs);
    }

    fn abs(&self) -> Own {
        Own::of([@c([@(self.data.0[$][#].abs(); ,)]; ,)])
    }

    fn inf(&self, rhs: &Own) -> Own {
        Own::of([@c([@(self.data.0[$][#].min(rhs.data.0[$][#]); ,)]; ,)])
    }

    fn sup(&self, rhs: &Own) -> Own {
        Own::of([@c([@(self.data.0[$][#].max(rhs.data.0[$][#]); ,)]; ,)])
    }

    fn sum(&self) -> T {
        @c(@(self.data.0[$][#]; +); +)
    }

    fn product(&self) -> T {
        @c(@(self.data.0[$][#]; *); *)
    }

    fn mean(&self) -> T {
        self.sum() / (R * C) as T
    }

    fn min(&self) -> T {
        let mut least = self.data.0[0][0];
        @c(@(least = least.min(self.data.0[$][#]); ;); ;);
        least
    }

    fn max(&self) -> T {
        let mut most = self.data.0[0][0];
        @c(@(most = most.max(self.data.0[$][#]); ;); ;);
        most
    }

    fn amin(&self) -> T {
        self.abs().min()
    }

    fn amax(&self) -> T {
        self.abs().max()
    }

    fn transpose(&self) -> SMatrix<T, C, R> {
        SMatrix<T, C, R>::of([@([@c(self.data.0[$][#]; ,)]; ,)])
    }

    // where R = C
    fn trace(&self) -> T {
        @(self.data.0[#][#]; +)
    }

    // where R = C
    fn diagonal(&self) -> SMatrix<T, R, 1> {
        SMatrix<T, R, 1>::of([[@(self.data.0[#][#]; ,)]])
    }

    // where C != 1
    fn column(&self, j: usize) -> SMatrix<T, R, 1> {
        SMatrix<T, R, 1>::of([self.data.0[j]])
    }

    // where R != 1
    fn row(&self, i: usize) -> SMatrix<T, 1, C> {
        SMatrix<T, 1, C>::of([@c([self.data.0[$][i]]; ,)])
    }

    // where C != 1
    fn set_column(&mut self, j: usize, column: &SMatrix<T, R, 1>) {
        self.data.0[j] = column.data.0[0];
    }

    // where R != 1
    fn set_row(&mut self, i: usize, row: &SMatrix<T, 1, C>) {
        @c(self.data.0[$][i] = row.data.0[$][0]; ;);
    }

    // for K, L
    // where K <= R, L <= C
    fn fixed_view_K_L(&self, i: usize, j: usize) -> SMatrix<T, K, L> {
        let mut view = [[0.0; K]; L];
        for column in 0..L {
            for row in 0..K {
                view[column][row] = self.data.0[j + column][i + row];
            }
        }
        SMatrix<T, K, L>::of(view)
    }

    // for K
    // where K <= R
    fn fixed_rows_K(&self, i: usize) -> SMatrix<T, K, C> {
        let mut view = [[0.0; K]; C];
        for column in 0..C {
            for row in 0..K {
                view[column][row] = self.data.0[column][i + row];
            }
        }
        SMatrix<T, K, C>::of(view)
    }

    // for K
    // where K <= C
    fn fixed_columns_K(&self, j: usize) -> SMatrix<T, R, K> {
        let mut view = [[0.0; R]; K];
        for column in 0..K {
            view[column] = self.data.0[j + column];
        }
        SMatrix<T, R, K>::of(view)
    }

    // where R = 3, C = 1
    fn xy(&self) -> SMatrix<T, 2, 1> {
        SMatrix<T, 2, 1>::of([[self.data.0[0][0], self.data.0[0][1]]])
    }

    // where R = 4, C = 1
    fn xy(&self) -> SMatrix<T, 2, 1> {
        SMatrix<T, 2, 1>::of([[self.data.0[0][0], self.data.0[0][1]]])
    }

    // where R = 4, C = 1
    fn xyz(&self) -> SMatrix<T, 3, 1> {
        SMatrix<T, 3, 1>::of([[self.data.0[0][0], self.data.0[0][1], self.data.0[0][2]]])
    }

    // where R = 2, C = 1
    fn push(&self, element: T) -> SMatrix<T, 3, 1> {
        SMatrix<T, 3, 1>::of([[self.data.0[0][0], self.data.0[0][1], element]])
    }

    // where R = 3, C = 1
    fn push(&self, element: T) -> SMatrix<T, 4, 1> {
        SMatrix<T, 4, 1>::of([[self.data.0[0][0], self.data.0[0][1], self.data.0[0][2], element]])
    }

    // where R = 1, C = 1
    fn to_scalar(&self) -> T {
        self.data.0[0][0]
    }

    // where C = 1
    fn as_slice(&self) -> &[T] {
        &self.data.0[0]
    }

    // where R = 1, C = 1
    fn determinant(&self) -> T {
        self.data.0[0][0]
    }

    // where R = 2, C = 2
    fn determinant(&self) -> T {
        let m = self.data.0;
        m[0][0] * m[1][1] - m[0][1] * m[1][0]
    }

    // where R = 3, C = 3
    fn determinant(&self) -> T {
        let m = self.data.0;
        m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) - m[1][0] * (m[0][1] * m[2][2] - m[0][2] * m[2][1])
            + m[2][0] * (m[0][1] * m[1][2] - m[0][2] * m[1][1])
    }

    // where 3 < R, R = C
    fn determinant(&self) -> T {
        self.lu().determinant()
    }

    // where R = 1, C = 1
    fn try_inverse(self) -> Option<Own> {
        let determinant = self.data.0[0][0];
        if determinant == 0.0 { None } else { Some(Own::of([[1.0 / determinant]])) }
    }

    // where R = 2, C = 2
    fn try_inverse(self) -> Option<Own> {
        let m = self.data.0;
        let d = self.determinant();
        if d == 0.0 {
            None
        } else {
            Some(Own::of([[m[1][1] / d, -m[0][1] / d], [-m[1][0] / d, m[0][0] / d]]))
        }
    }

    // where R = 3, C = 3
    fn try_inverse(self) -> Option<Own> {
        let m = self.data.0;
        let d = self.determinant();
        if d == 0.0 {
            None
        } else {
            Some(Own::of([
                [
                    (m[1][1] * m[2][2] - m[1][2] * m[2][1]) / d,
                    (m[0][2] * m[2][1] - m[0][1] * m[2][2]) / d,
                    (m[0][1] * m[1][2] - m[0][2] * m[1][1]) / d,
                ],
                [
                    (m[2][0] * m[1][2] - m[2][2] * m[1][0]) / d,
                    (m[0][0] * m[2][2] - m[0][2] * m[2][0]) / d,
                    (m[1][0] * m[0][2] - m[1][2] * m[0][0]) / d,
                ],
                [
                    (m[1][0] * m[2][1] - m[1][1] * m[2][0]) / d,
                    (m[2][0] * m[0][1] - m[2][1] * m[0][0]) / d,
                    (m[0][0] * m[1][1] - m[0][1] * m[1][0]) / d,
                ],
            ]))
        }
    }

    // where 3 < R, R = C
    fn try_inverse(self) -> Option<Own> {
        self.lu().try_inverse()
    }

    // where R = C
    fn lu(self) -> OwnLu {
        let mut m = self.data.0;
        let mut rows = [0; R];
        let mut sign = 1.0;
        for k in 0..R {
            rows[k] = k;
        }
        for k in 0..R {
            let mut pivot = k;
            for i in k + 1..R {
                if m[k][i].abs() > m[k][pivot].abs() {
                    pivot = i;
                }
            }
            if pivot != k {
                sign = -sign;
                rows.swap(k, pivot);
                for j in 0..C {
                    let held = m[j][k];
                    m[j][k] = m[j][pivot];
                    m[j][pivot] = held;
                }
            }
            if m[k][k] != 0.0 {
                for i in k + 1..R {
                    m[k][i] /= m[k][k];
                }
                for j in k + 1..C {
                    for i in k + 1..R {
                        m[j][i] -= m[k][i] * m[j][k];
                    }
                }
            }
        }
        OwnLu { m, rows, sign }
    }

    // where R = C
    fn cholesky(self) -> Option<OwnCholesky> {
        let mut m = self.data.0;
        let mut definite = true;
        for j in 0..R {
            for k in 0..j {
                for i in j..R {
                    m[j][i] -= m[k][j] * m[k][i];
                }
            }
            if m[j][j] > 0.0 {
                let root = m[j][j].sqrt();
                m[j][j] = root;
                for i in j + 1..R {
                    m[j][i] /= root;
                }
            } else {
                definite = false;
            }
        }
        if definite { Some(OwnCholesky { m }) } else { None }
    }

    // where C = 1, 0 < R
    fn x(&self) -> &T {
        &self.data.0[0][0]
    }

    // where R = 1, 1 < C
    fn x(&self) -> &T {
        &self.data.0[0][0]
    }

    // where C = 1, 1 < R
    fn y(&self) -> &T {
        &self.data.0[0][1]
    }

    // where R = 1, 1 < C
    fn y(&self) -> &T {
        &self.data.0[1][0]
    }

    // where C = 1, 2 < R
    fn z(&self) -> &T {
        &self.data.0[0][2]
    }

    // where R = 1, 2 < C
    fn z(&self) -> &T {
        &self.data.0[2][0]
    }

    // where C = 1, 3 < R
    fn w(&self) -> &T {
        &self.data.0[0][3]
    }

    // where R = 1, 3 < C
    fn w(&self) -> &T {
        &self.data.0[3][0]
    }

    // where C = 1, 4 < R
    fn a(&self) -> &T {
        &self.data.0[0][4]
    }

    // where R = 1, 4 < C
    fn a(&self) -> &T {
        &self.data.0[4][0]
    }

    // where C = 1, 5 < R
    fn b(&self) -> &T {
        &self.data.0[0][5]
    }

    // where R = 1, 5 < C
    fn b(&self) -> &T {
        &self.data.0[5][0]
    }

    // where 1 < R, 1 < C, 0 < R, 0 < C
    fn m11(&self) -> &T {
        &self.data.0[0][0]
    }

    // where 1 < R, 1 < C, 0 < R, 1 < C
    fn m12(&self) -> &T {
        &self.data.0[1][0]
    }

    // where 1 < R, 1 < C, 0 < R, 2 < C
    fn m13(&self) -> &T {
        &self.data.0[2][0]
    }

    // where 1 < R, 1 < C, 0 < R, 3 < C
    fn m14(&self) -> &T {
        &self.data.0[3][0]
    }

    // where 1 < R, 1 < C, 0 < R, 4 < C
    fn m15(&self) -> &T {
        &self.data.0[4][0]
    }

    // where 1 < R, 1 < C, 0 < R, 5 < C
    fn m16(&self) -> &T {
        &self.data.0[5][0]
    }

    // where 1 < R, 1 < C, 1 < R, 0 < C
    fn m21(&self) -> &T {
        &self.data.0[0][1]
    }

    // where 1 < R, 1 < C, 1 < R, 1 < C
    fn m22(&self) -> &T {
        &self.data.0[1][1]
    }

    // where 1 < R, 1 < C, 1 < R, 2 < C
    fn m23(&self) -> &T {
        &self.data.0[2][1]
    }

    // where 1 < R, 1 < C, 1 < R, 3 < C
    fn m24(&self) -> &T {
        &self.data.0[3][1]
    }

    // where 1 < R, 1 < C, 1 < R, 4 < C
    fn m25(&self) -> &T {
        &self.data.0[4][1]
    }

    // where 1 < R, 1 < C, 1 < R, 5 < C
    fn m26(&self) -> &T {
        &self.data.0[5][1]
    }

    // where 1 < R, 1 < C, 2 < R, 0 < C
    fn m31(&self) -> &T {
        &self.data.0[0][2]
    }

    // where 1 < R, 1 < C, 2 < R, 1 < C
    fn m32(&self) -> &T {
        &self.data.0[1][2]
    }

    // where 1 < R, 1 < C, 2 < R, 2 < C
    fn m33(&self) -> &T {
        &self.data.0[2][2]
    }

    // where 1 < R, 1 < C, 2 < R, 3 < C
    fn m34(&self) -> &T {
        &self.data.0[3][2]
    }

    // where 1 < R, 1 < C, 2 < R, 4 < C
    fn m35(&self) -> &T {
        &self.data.0[4][2]
    }

    // where 1 < R, 1 < C, 2 < R, 5 < C
    fn m36(&self) -> &T {
        &self.data.0[5][2]
    }

    // where 1 < R, 1 < C, 3 < R, 0 < C
    fn m41(&self) -> &T {
        &self.data.0[0][3]
    }

    // where 1 < R, 1 < C, 3 < R, 1 < C
    fn m42(&self) -> &T {
        &self.data.0[1][3]
    }

    // where 1 < R, 1 < C, 3 < R, 2 < C
    fn m43(&self) -> &T {
        &self.data.0[2][3]
    }

    // where 1 < R, 1 < C, 3 < R, 3 < C
    fn m44(&self) -> &T {
        &self.data.0[3][3]
    }

    // where 1 < R, 1 < C, 3 < R, 4 < C
    fn m45(&self) -> &T {
        &self.data.0[4][3]
    }

    // where 1 < R, 1 < C, 3 < R, 5 < C
    fn m46(&self) -> &T {
        &self.data.0[5][3]
    }

    // where 1 < R, 1 < C, 4 < R, 0 < C
    fn m51(&self) -> &T {
        &self.data.0[0][4]
    }

    // where 1 < R, 1 < C, 4 < R, 1 < C
    fn m52(&self) -> &T {
        &self.data.0[1][4]
    }

    // where 1 < R, 1 < C, 4 < R, 2 < C
    fn m53(&self) -> &T {
        &self.data.0[2][4]
    }

    // where 1 < R, 1 < C, 4 < R, 3 < C
    fn m54(&self) -> &T {
        &self.data.0[3][4]
    }

    // where 1 < R, 1 < C, 4 < R, 4 < C
    fn m55(&self) -> &T {
        &self.data.0[4][4]
    }

    // where 1 < R, 1 < C, 4 < R, 5 < C
    fn m56(&self) -> &T {
        &self.data.0[5][4]
    }

    // where 1 < R, 1 < C, 5 < R, 0 < C
    fn m61(&self) -> &T {
        &self.data.0[0][5]
    }

    // where 1 < R, 1 < C, 5 < R, 1 < C
    fn m62(&self) -> &T {
        &self.data.0[1][5]
    }

    // where 1 < R, 1 < C, 5 < R, 2 < C
    fn m63(&self) -> &T {
        &self.data.0[2][5]
    }

    // where 1 < R, 1 < C, 5 < R, 3 < C
    fn m64(&self) -> &T {
        &self.data.0[3][5]
    }

    // where 1 < R, 1 < C, 5 < R, 4 < C
    fn m65(&self) -> &T {
        &self.data.0[4][5]
    }

    // where 1 < R, 1 < C, 5 < R, 5 < C
    fn m66(&self) -> &T {
        &self.data.0[5][5]
    }

    // where C = 1, 0 < R
    fn x_axis() -> Own {
        let mut v = [[0.0; R]; C];
        v[0][0] = 1.0;
        Own::of(v)
    }

    // where C = 1, 1 < R
    fn y_axis() -> Own {
        let mut v = [[0.0; R]; C];
        v[0][1] = 1.0;
        Own::of(v)
    }

    // where C = 1, 2 < R
    fn z_axis() -> Own {
        let mut v = [[0.0; R]; C];
        v[0][2] = 1.0;
        Own::of(v)
    }

    // where C = 1, 3 < R
    fn w_axis() -> Own {
        let mut v = [[0.0; R]; C];
        v[0][3] = 1.0;
        Own::of(v)
    }

    // where C = 1, 4 < R
    fn a_axis() -> Own {
        let mut v = [[0.0; R]; C];
        v[0][4] = 1.0;
        Own::of(v)
    }

    // where C = 1, 5 < R
    fn b_axis() -> Own {
        let mut v = [[0.0; R]; C];
        v[0][5] = 1.0;
        Own::of(v)
    }
}

pub struct OwnLu {
    m: [[T; R]; C],
    rows: [usize; R],
    sign: T,
}

impl OwnLu {
    fn determinant(&self) -> T {
        let mut product = self.sign;
        @(product *= self.m[#][#]; ;);
        product
    }

    fn is_invertible(&self) -> bool {
        @(self.m[#][#] != 0.0; &&)
    }

    fn substituted(&self, b: [T; R]) -> [T; R] {
        let mut x = [0.0; R];
        for i in 0..R {
            x[i] = b[self.rows[i]];
        }
        for j in 0..R {
            for i in j + 1..R {
                x[i] -= self.m[j][i] * x[j];
            }
        }
        for k in 0..R {
            let j = R - 1 - k;
            x[j] /= self.m[j][j];
            for i in 0..j {
                x[i] -= self.m[j][i] * x[j];
            }
        }
        x
    }

    fn solve(&self, b: &SMatrix<T, R, 1>) -> Option<SMatrix<T, R, 1>> {
        if self.is_invertible() { Some(SMatrix<T, R, 1>::of([self.substituted(b.data.0[0])])) } else { None }
    }

    fn try_inverse(&self) -> Option<Own> {
        if self.is_invertible() {
            let unit = Own::identity().data.0;
            Some(Own::of([@c(self.substituted(unit[$]); ,)]))
        } else {
            None
        }
    }
}

pub struct OwnCholesky {
    m: [[T; R]; C],
}

impl OwnCholesky {
    fn substituted(&self, b: [T; R]) -> [T; R] {
        let mut x = b;
        for j in 0..R {
            x[j] /= self.m[j][j];
            for i in j + 1..R {
                x[i] -= self.m[j][i] * x[j];
            }
        }
        for k in 0..R {
            let j = R - 1 - k;
            for i in j + 1..R {
                x[j] -= self.m[j][i] * x[i];
            }
            x[j] /= self.m[j][j];
        }
        x
    }

    fn solve(&self, b: &SMatrix<T, R, 1>) -> SMatrix<T, R, 1> {
        SMatrix<T, R, 1>::of([self.substituted(b.data.0[0])])
    }

    fn inverse(&self) -> Own {
        let unit = Own::identity().data.0;
        Own::of([@c(self.substituted(unit[$]); ,)])
    }

    fn determinant(&self) -> T {
        let mut product = 1.0;
        @(product *= self.m[#][#] * self.m[#][#]; ;);
        product
    }

    fn ln_determinant(&self) -> T {
        let mut sum = 0.0;
        @(sum += self.m[#][#].ln() * 2.0; ;);
        sum
    }

    fn l(&self) -> Own {
        let mut l = [[0.0; R]; C];
        for j in 0..C {
            for i in j..R {
                l[j][i] = self.m[j][i];
            }
        }
        Own::of(l)
    }
}

impl Neg for Own {
    fn neg(self) -> Own {
        Own::of([@c([@(-self.data.0[$][#]; ,)]; ,)])
    }
}

impl Add<Own> for Own {
    fn add(self, rhs: Own) -> Own {
        Own::of([@c([@(self.data.0[$][#] + rhs.data.0[$][#]; ,)]; ,)])
    }
}

impl AddAssign<Own> for Own {
    fn add_assign(&mut self, rhs: Own) {
        @c(@(self.data.0[$][#] += rhs.data.0[$][#]; ;); ;);
    }
}

impl Sub<Own> for Own {
    fn sub(self, rhs: Own) -> Own {
        Own::of([@c([@(self.data.0[$][#] - rhs.data.0[$][#]; ,)]; ,)])
    }
}

impl SubAssign<Own> for Own {
    fn sub_assign(&mut self, rhs: Own) {
        @c(@(self.data.0[$][#] -= rhs.data.0[$][#]; ;); ;);
    }
}

impl Mul<T> for Own {
    fn mul(self, rhs: T) -> Own {
        Own::of([@c([@(self.data.0[$][#] * rhs; ,)]; ,)])
    }
}

impl Mul<Own> for T {
    fn mul(self, rhs: Own) -> Own {
        Own::of([@c([@(self * rhs.data.0[$][#]; ,)]; ,)])
    }
}

impl MulAssign<T> for Own {
    fn mul_assign(&mut self, rhs: T) {
        @c(@(self.data.0[$][#] *= rhs; ;); ;);
    }
}

impl Div<T> for Own {
    fn div(self, rhs: T) -> Own {
        Own::of([@c([@(self.data.0[$][#] / rhs; ,)]; ,)])
    }
}

impl DivAssign<T> for Own {
    fn div_assign(&mut self, rhs: T) {
        @c(@(self.data.0[$][#] /= rhs; ;); ;);
    }
}

// for K
impl Mul<SMatrix<T, C, K>> for Own {
    fn mul(self, rhs: SMatrix<T, C, K>) -> SMatrix<T, R, K> {
        let mut product = [[0.0; R]; K];
        for j in 0..K {
            @(product[j][#] = @c(self.data.0[$][#] * rhs.data.0[j][$]; +); ;);
        }
        SMatrix<T, R, K>::of(product)
    }
}

// where R = C
impl MulAssign<Own> for Own {
    fn mul_assign(&mut self, rhs: Own) {
        *self = *self * rhs;
    }
}

// where C = 1
impl Index<usize> for Own {
    fn index(&self, i: usize) -> &T {
        &self.data.0[0][i]
    }
}

// where C != 1
impl Index<usize> for Own {
    fn index(&self, i: usize) -> &T {
        &self.data.0[i / R][i % R]
    }
}

impl Index<(usize, usize)> for Own {
    fn index(&self, at: (usize, usize)) -> &T {
        &self.data.0[at.1][at.0]
    }
}

impl Sum<Own> for Own {
    fn sum<I: Iterator<Item = Own>>(iter: I) -> Own {
        iter.fold(Own::of([[0.0; R]; C]), |a, b| a + b)
    }
}
