//! Structs with const parameters, of several sizes in one function: small matrices, a filter with them, layers of a network.

use pardiff::differentiate;

#[differentiate(check)]
mod matrices {
    use std::iter::Sum;
    use std::ops::{Add, AddAssign, Index, IndexMut, Mul, Neg};
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct M<const R: usize, const C: usize>(pub [[f64; C]; R]);
    pub type V3 = M<3, 1>;
    pub type V<const N: usize> = M<N, 1>;
    pub trait Shaped {
        const SIZE: usize;
        fn rows() -> usize;
        fn big(&self) -> f64;
    }
    impl<const R: usize, const C: usize> Shaped for M<R, C> {
        const SIZE: usize = R * C;
        fn rows() -> usize {
            R
        }
        fn big(&self) -> f64 {
            self.0[R - 1][C - 1] * R as f64
        }
    }
    impl<const R: usize, const C: usize> Default for M<R, C> {
        fn default() -> Self {
            M([[0.0; C]; R])
        }
    }
    impl<const R: usize, const C: usize> M<R, C> {
        pub const COUNT: usize = R * C;
        pub const ZERO: Self = M([[0.0; C]; R]);
        pub const ONES: M<R, C> = Self([[1.0; C]; R]);
        pub fn map(self, f: impl Fn(f64) -> f64) -> Self {
            M(self.0.map(|r| r.map(&f)))
        }
        pub fn t(&self) -> M<C, R> {
            M(std::array::from_fn(|i| std::array::from_fn(|j| self.0[j][i])))
        }
        pub fn row(&self, i: usize) -> M<1, C> {
            M([self.0[i]])
        }
        pub fn col(&self, j: usize) -> V<R> {
            M(std::array::from_fn(|i| [self.0[i][j]]))
        }
        pub fn mean(&self) -> f64 {
            self.0.iter().flatten().sum::<f64>() / Self::COUNT as f64
        }
        pub fn set_row(&mut self, i: usize, r: &M<1, C>) {
            self.0[i] = r.0[0];
        }
        pub fn block<const A: usize, const B: usize>(&self, i: usize, j: usize) -> M<A, B> {
            let mut o = M::default();
            for a in 0..A {
                for b in 0..B {
                    o.0[a][b] = self.0[i + a][j + b];
                }
            }
            o
        }
    }
    impl<const N: usize> V<N> {
        pub fn dot(&self, o: &Self) -> f64 {
            (0..N).map(|i| self.0[i][0] * o.0[i][0]).sum()
        }
        pub fn outer<const K: usize>(&self, o: &V<K>) -> M<N, K> {
            *self * o.t()
        }
    }
    impl M<2, 2> {
        pub fn det(&self) -> f64 {
            self.0[0][0] * self.0[1][1] - self.0[0][1] * self.0[1][0]
        }
        pub fn inv(&self) -> M<2, 2> {
            let d = self.det();
            M([[self.0[1][1] / d, -self.0[0][1] / d], [-self.0[1][0] / d, self.0[0][0] / d]])
        }
    }
    impl M<3, 3> {
        pub fn det(&self) -> f64 {
            let m = &self.0;
            m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1])
                - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0])
                + m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0])
        }
    }
    impl<const R: usize, const C: usize> Index<(usize, usize)> for M<R, C> {
        type Output = f64;
        fn index(&self, (i, j): (usize, usize)) -> &f64 {
            &self.0[i][j]
        }
    }
    impl<const R: usize, const C: usize> IndexMut<(usize, usize)> for M<R, C> {
        fn index_mut(&mut self, (i, j): (usize, usize)) -> &mut f64 {
            &mut self.0[i][j]
        }
    }
    impl<const R: usize, const C: usize> Add for M<R, C> {
        type Output = Self;
        fn add(mut self, o: Self) -> Self {
            self += o;
            self
        }
    }
    impl<const R: usize, const C: usize> AddAssign for M<R, C> {
        fn add_assign(&mut self, o: Self) {
            for (a, b) in self.0.iter_mut().zip(&o.0) {
                for (a, b) in a.iter_mut().zip(b) {
                    *a += b;
                }
            }
        }
    }
    impl<const R: usize, const C: usize> Neg for M<R, C> {
        type Output = Self;
        fn neg(self) -> Self {
            self.map(|x| -x)
        }
    }
    impl<const R: usize, const K: usize, const C: usize> Mul<M<K, C>> for M<R, K> {
        type Output = M<R, C>;
        fn mul(self, o: M<K, C>) -> M<R, C> {
            let mut r = M::<R, C>::ZERO;
            for i in 0..R {
                for j in 0..C {
                    for k in 0..K {
                        r[(i, j)] += self[(i, k)] * o[(k, j)];
                    }
                }
            }
            r
        }
    }
    impl<const R: usize, const C: usize> Mul<M<R, C>> for f64 {
        type Output = M<R, C>;
        fn mul(self, o: M<R, C>) -> M<R, C> {
            o.map(|x| self * x)
        }
    }
    impl<const R: usize, const C: usize> Sum for M<R, C> {
        fn sum<I: Iterator<Item = Self>>(it: I) -> Self {
            it.fold(M([[0.0; C]; R]), |a, b| a + b)
        }
    }

    pub fn products(x: M<2, 3>, y: M<3, 2>) -> f64 {
        (x * y).det() + (y * x).det() + (x * y).inv().big() + x.t().mean() * y.row(1).mean()
    }
    pub fn consts(x: M<2, 3>, y: V3) -> f64 {
        x.mean() * M::<2, 3>::COUNT as f64
            + y.mean() * V3::COUNT as f64
            + (M::<3, 1>::SIZE * M::<2, 3>::rows()) as f64 * x.big()
            + (x + M::ONES).mean() * (y + V3::ONES).dot(&y)
    }
    pub fn blocks(x: M<3, 3>, s: f64) -> f64 {
        let a: M<2, 2> = x.block(0, 1);
        let b = x.block::<2, 1>(1, 0);
        let mut c = M::default();
        c = c + a * b;
        let d = s * c.outer(&x.col(1));
        d.mean() + a.det() + (-b).big()
    }
    pub fn vecs(xs: &[M<2, 1>], w: &M<3, 2>) -> f64 {
        let ys: Vec<M<3, 1>> = xs.iter().map(|x| *w * *x).collect();
        let total: M<3, 1> = ys.iter().copied().sum();
        let mut grid = [M::<1, 1>::ZERO; 4];
        for (k, y) in ys.iter().enumerate() {
            grid[k % 4] += y.t() * total;
        }
        grid.iter().map(|g| g[(0, 0)]).sum::<f64>()
    }
    pub fn patterns(x: M<2, 2>, y: M<1, 3>) -> f64 {
        let M([[a, b], [c, d]]) = x;
        let M([r]) = y;
        match y {
            M([[p, q, s]]) if p > 0.0 => a * q * s + b,
            _ => c * r[0] + d,
        }
    }
    fn norm2<const A: usize, const B: usize>(m: &M<A, B>) -> f64 {
        m.0.iter().flatten().map(|x| x * x).sum()
    }
    fn pair<const A: usize>(m: &M<A, A>, v: &V<A>) -> (M<A, 1>, f64) {
        let u = *m * *v;
        (u, norm2(&u))
    }
    pub fn helpers(x: &M<2, 2>, y: &M<3, 3>, u: &M<2, 1>, v: &V3) -> f64 {
        let (a, s) = pair(x, u);
        let (b, t) = pair(y, v);
        s * t + a[(0, 0)] * b[(2, 0)] + norm2(&y.row(2))
    }
    pub fn open<const N: usize>(a: &M<N, N>, x: &V<N>, w: &M<2, N>) -> f64 {
        let y = *a * *x;
        let z = *w * y;
        z.dot(&z) + x.dot(&y) + M::<N, N>::COUNT as f64 * x.mean()
    }
    pub fn result(x: &M<2, 3>, k: f64) -> M<3, 2> {
        let mut t = x.t();
        let r = k * t.row(0);
        t.set_row(1, &r);
        t
    }
    pub fn equal(x: M<2, 1>, y: M<2, 1>, z: M<1, 2>) -> f64 {
        if x.0[0][0] == y.0[0][0] { z.mean() } else { (z * x)[(0, 0)] }
    }
    pub fn changed(p: &mut M<2, 2>, q: &mut M<2, 1>, k: f64) -> f64 {
        *q = *p * *q;
        *p += k * q.outer(q);
        p.det()
    }
    pub struct Block<const N: usize> {
        pub a: M<N, N>,
        pub b: M<N, 1>,
        pub k: f64,
    }
    impl<const N: usize> Block<N> {
        pub fn energy(&self) -> f64 {
            0.5 * (self.b.t() * self.a * self.b).mean() + self.k
        }
    }
    pub struct System {
        pub two: Block<2>,
        pub threes: Vec<Block<3>>,
        pub links: [M<2, 3>; 2],
    }
    pub fn system(s: &System) -> f64 {
        let mut e = s.two.energy();
        for b in &s.threes {
            e += b.energy() * (s.links[0] * b.b).mean() + (s.links[1] * b.b).dot(&s.two.b);
        }
        e
    }
    pub fn opts(x: Option<M<2, 2>>, y: M<2, 1>) -> f64 {
        let z = x.map(|x| x * y).unwrap_or(y);
        let w = if y[(0, 0)] > 0.0 { Some(y.t()) } else { None };
        match w {
            Some(w) => (w * z).mean(),
            None => z.mean(),
        }
    }
}
#[test]
fn matrices_of_several_sizes() {
    use matrices::*;
    fn m<const R: usize, const C: usize>(s: f64) -> M<R, C> {
        M(std::array::from_fn(|i| std::array::from_fn(|j| (s + 1.3 * i as f64 + 0.7 * j as f64).sin())))
    }
    fn close(a: f64, b: f64) {
        assert!((a - b).abs() < 1e-13 * (1.0 + b.abs()), "{a} {b}");
    }
    products::check(m(0.1), m(0.5)).unwrap();
    close(products::gradient(m(0.1), m(0.5)).0, products(m(0.1), m(0.5)));
    consts::check(m(0.1), m(0.5)).unwrap();
    close(consts::gradient(m(0.1), m(0.5)).0, consts(m(0.1), m(0.5)));
    blocks::check(m(0.1), 0.5).unwrap();
    close(blocks::gradient(m(0.1), 0.5).0, blocks(m(0.1), 0.5));
    let xs: Vec<M<2, 1>> = (0..6).map(|k| m(k as f64)).collect();
    vecs::check(&xs, &m(0.4)).unwrap();
    close(vecs::gradient(&xs, &m(0.4)).0, vecs(&xs, &m(0.4)));
    patterns::check(m(0.3), m(0.4)).unwrap();
    helpers::check(&m(0.3), &m(0.4), &m(0.5), &m(0.6)).unwrap();
    close(
        helpers::gradient(&m(0.3), &m(0.4), &m(0.5), &m(0.6)).0,
        helpers(&m(0.3), &m(0.4), &m(0.5), &m(0.6)),
    );
    open::check::<3>(&m(0.3), &m(0.4), &m(0.5)).unwrap();
    result::check(&m(0.3), 0.5).unwrap();
    equal::check(m(0.3), m(0.4), m(0.5)).unwrap();
    changed::check(&mut m(0.3), &mut m(0.4), 0.5).unwrap();
    let b2 = Block { a: m(0.1), b: m(0.2), k: 0.3 };
    let s = System {
        two: b2,
        threes: vec![Block { a: m(0.3), b: m(0.4), k: 0.1 }, Block { a: m(0.5), b: m(0.7), k: 0.1 }],
        links: [m(0.9), m(1.1)],
    };
    system::check(&s).unwrap();
    opts::check(Some(m(0.3)), m(0.4)).unwrap();
}

#[differentiate(check)]
mod kalman {
    use std::ops::{Add, Mul, Sub};
    #[derive(Clone, Copy, Debug)]
    pub struct Matrix<const R: usize, const C: usize> {
        pub m: [[f64; C]; R],
    }
    impl<const R: usize, const C: usize> Matrix<R, C> {
        pub fn zeros() -> Self {
            Self { m: [[0.0; C]; R] }
        }
        pub fn transpose(&self) -> Matrix<C, R> {
            let mut out = Matrix::<C, R>::zeros();
            for i in 0..R {
                for j in 0..C {
                    out.m[j][i] = self.m[i][j];
                }
            }
            out
        }
        pub fn times<const K: usize>(&self, o: &Matrix<C, K>) -> Matrix<R, K> {
            let mut out = Matrix { m: [[0.0; K]; R] };
            for i in 0..R {
                for j in 0..K {
                    for k in 0..C {
                        out.m[i][j] += self.m[i][k] * o.m[k][j];
                    }
                }
            }
            out
        }
        pub fn norm2(&self) -> f64 {
            self.m.iter().flatten().map(|x| x * x).sum()
        }
    }
    impl<const N: usize> Matrix<N, N> {
        pub fn identity() -> Self {
            let mut o = Self::zeros();
            for i in 0..N {
                o.m[i][i] = 1.0;
            }
            o
        }
        pub fn trace(&self) -> f64 {
            (0..N).map(|i| self.m[i][i]).sum()
        }
    }
    impl Matrix<1, 1> {
        pub fn inverse(&self) -> Matrix<1, 1> {
            Matrix { m: [[1.0 / self.m[0][0]]] }
        }
    }
    impl<const R: usize, const C: usize> Add for Matrix<R, C> {
        type Output = Self;
        fn add(self, o: Self) -> Self {
            let mut r = self;
            for i in 0..R {
                for j in 0..C {
                    r.m[i][j] += o.m[i][j];
                }
            }
            r
        }
    }
    impl<const R: usize, const C: usize> Sub for Matrix<R, C> {
        type Output = Matrix<R, C>;
        fn sub(self, o: Self) -> Self {
            Self { m: std::array::from_fn(|i| std::array::from_fn(|j| self.m[i][j] - o.m[i][j])) }
        }
    }
    impl<const R: usize, const C: usize, const K: usize> Mul<Matrix<C, K>> for Matrix<R, C> {
        type Output = Matrix<R, K>;
        fn mul(self, o: Matrix<C, K>) -> Matrix<R, K> {
            self.times(&o)
        }
    }
    impl<const R: usize, const C: usize> Mul<f64> for Matrix<R, C> {
        type Output = Self;
        fn mul(self, s: f64) -> Self {
            let mut r = self;
            for row in r.m.iter_mut() {
                for x in row.iter_mut() {
                    *x *= s;
                }
            }
            r
        }
    }
    pub fn step(x: Matrix<2, 1>, p: Matrix<2, 2>, f: Matrix<2, 2>, q: f64, z: f64) -> f64 {
        let h = Matrix { m: [[1.0, 0.5]] };
        let x = f * x;
        let p = f * p * f.transpose() + Matrix::identity() * q;
        let y = Matrix { m: [[z]] } - h * x;
        let s = h * p * h.transpose() + Matrix { m: [[0.3]] };
        let k = p * h.transpose() * s.inverse();
        let x = x + k * y;
        let p = (Matrix::<2, 2>::identity() - k * h) * p;
        x.norm2() + p.trace() + s.m[0][0].ln()
    }
    pub struct Filter {
        pub x: Matrix<2, 1>,
        pub p: Matrix<2, 2>,
    }
    impl Filter {
        pub fn update(&mut self, h: &Matrix<1, 2>, z: f64) -> f64 {
            let s = (h.times(&self.p) * h.transpose()).m[0][0] + 0.1;
            let k = self.p * h.transpose() * (1.0 / s);
            let y = z - h.times(&self.x).m[0][0];
            self.x = self.x + k * y;
            self.p = (Matrix::identity() - k * *h) * self.p;
            y * y / s
        }
    }
    pub fn run(f: &mut Filter, h: &Matrix<1, 2>, zs: &[f64]) -> f64 {
        let mut total = 0.0;
        for &z in zs {
            total += f.update(h, z);
        }
        total + f.p.trace()
    }
}
#[test]
fn a_filter_with_matrices() {
    use kalman::*;
    let (x, p, f) = (
        Matrix { m: [[0.3], [0.7]] },
        Matrix { m: [[1.0, 0.2], [0.2, 0.5]] },
        Matrix { m: [[1.0, 0.1], [-0.1, 0.9]] },
    );
    step::check(x, p, f, 0.2, 0.4).unwrap();
    let (want, (have, _)) = (step(x, p, f, 0.2, 0.4), step::gradient(x, p, f, 0.2, 0.4));
    assert!((want - have).abs() < 1e-14);
    let mut fl = Filter { x, p };
    run::check(&mut fl, &Matrix { m: [[1.0, 0.5]] }, &[0.1, 0.5, -0.2]).unwrap();
}

#[differentiate(check)]
mod layers {
    #[derive(Clone, Copy)]
    pub struct Layer<const I: usize, const O: usize> {
        pub w: [[f64; I]; O],
        pub b: [f64; O],
    }
    impl<const I: usize, const O: usize> Layer<I, O> {
        pub fn forward(&self, x: &[f64; I]) -> [f64; O] {
            let mut y = self.b;
            for o in 0..O {
                for i in 0..I {
                    y[o] += self.w[o][i] * x[i];
                }
            }
            y.map(|v| v.tanh())
        }
    }
    pub struct Net {
        pub a: Layer<3, 4>,
        pub b: Layer<4, 2>,
        pub c: Layer<2, 1>,
    }
    impl Net {
        pub fn run(&self, x: &[f64; 3]) -> f64 {
            self.c.forward(&self.b.forward(&self.a.forward(x)))[0]
        }
    }
    pub fn loss(net: &Net, xs: &[[f64; 3]], ys: &[f64]) -> f64 {
        xs.iter()
            .zip(ys)
            .map(|(x, y)| {
                let e = net.run(x) - y;
                e * e
            })
            .sum()
    }
    pub fn two(a: &Layer<3, 4>, b: &Layer<4, 2>, x: [f64; 3]) -> f64 {
        let h = a.forward(&x);
        let y = b.forward(&h);
        y[0] + y[1]
    }
}
#[test]
fn layers_of_several_widths() {
    use layers::*;
    fn l<const I: usize, const O: usize>(s: f64) -> Layer<I, O> {
        Layer {
            w: std::array::from_fn(|o| std::array::from_fn(|i| (s + o as f64 * 1.3 + i as f64 * 0.7).sin())),
            b: std::array::from_fn(|o| 0.1 * o as f64),
        }
    }
    let net = Net { a: l(0.1), b: l(0.5), c: l(0.9) };
    loss::check(&net, &[[0.1, 0.2, 0.3], [0.5, -0.2, 0.1]], &[0.3, 0.1]).unwrap();
    two::check(&l(0.1), &l(0.7), [0.1, 0.2, 0.3]).unwrap();
}
