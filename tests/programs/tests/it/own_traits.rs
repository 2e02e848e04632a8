//! Traits of the standard library that structs of the module implement: `Index`, `Deref`, `PartialEq`; traits that all
//! types have which have another one; operators by the names of their functions.

use pardiff::differentiate;
use pardiff_programs::{check, random};

#[differentiate(check)]
mod vectors {
    use std::ops::{Deref, Index, IndexMut};

    #[derive(Clone, Copy)]
    pub struct V3 {
        pub d: [f64; 3],
    }

    impl Index<usize> for V3 {
        type Output = f64;

        fn index(&self, i: usize) -> &f64 {
            &self.d[i]
        }
    }

    impl IndexMut<usize> for V3 {
        fn index_mut(&mut self, i: usize) -> &mut f64 {
            &mut self.d[i]
        }
    }

    #[derive(Clone, Copy)]
    pub struct Grid {
        pub cells: [[f64; 2]; 2],
    }

    impl Index<(usize, usize)> for Grid {
        type Output = f64;

        fn index(&self, at: (usize, usize)) -> &f64 {
            let (i, j) = at;
            &self.cells[i][j]
        }
    }

    pub struct Weights(pub [f64; 2]);

    impl Deref for Weights {
        type Target = [f64; 2];

        fn deref(&self) -> &[f64; 2] {
            &self.0
        }
    }

    /// Its fields and methods are those of what is behind it, too.
    pub struct Named {
        pub grid: Grid,
        pub scale: f64,
    }

    impl Deref for Named {
        type Target = Grid;

        fn deref(&self) -> &Grid {
            &self.grid
        }
    }

    impl Grid {
        pub fn trace(&self) -> f64 {
            self.cells[0][0] + self.cells[1][1]
        }
    }

    fn corner(grid: &Grid) -> f64 {
        grid.cells[0][1]
    }

    pub fn behind(named: &Named, x: f64) -> f64 {
        let (trace, square) = (named.trace(), named.cells[1][0] * named.cells[1][0]);
        named.scale * trace * x + square + corner(named) * named[(0, 0)]
    }

    #[derive(Clone, Copy, PartialEq)]
    pub struct Site {
        pub row: usize,
        pub column: i32,
    }

    #[derive(Clone, Copy)]
    pub struct Modulo(usize);

    impl PartialEq for Modulo {
        fn eq(&self, other: &Modulo) -> bool {
            self.0 % 3 == other.0 % 3
        }
    }

    /// Compared with two types, and with a method of its own that has the name.
    #[derive(Clone, Copy)]
    pub struct Index2(pub usize, pub usize);

    impl PartialEq<usize> for Index2 {
        fn eq(&self, other: &usize) -> bool {
            self.0 == *other
        }
    }

    impl PartialEq for Index2 {
        fn eq(&self, other: &Index2) -> bool {
            self.0 == other.0 && self.1 == other.1
        }
    }

    impl Index2 {
        pub fn eq(&self, _: &Index2) -> bool {
            true
        }
    }

    pub fn compared(x: f64, k: usize) -> f64 {
        let (a, b) = (Index2(k, 1), Index2(2, 1));
        let mut y = x;
        if a == b {
            y *= 2.0;
        }
        if a == 3 {
            y *= 5.0;
        }
        if a.eq(&b) {
            y *= 7.0;
        }
        y
    }

    pub fn read(v: &V3, grid: &Grid) -> f64 {
        v[0] * v[1] + v[2] * grid[(1, 0)] + grid[(0, 1)] * grid[(0, 1)]
    }

    pub fn written(x: f64, y: f64) -> f64 {
        let mut v = V3 { d: [x; 3] };
        v[1] *= y;
        v[2] = v[1] * v[0];
        let mut all = [v, v];
        all[1][0] += y * y;
        all[0][2] * all[1][0]
    }

    pub fn through(w: &Weights) -> f64 {
        w[0] * w[1] + (*w)[0]
    }

    pub fn equal(x: f64, k: usize) -> f64 {
        let (here, there) = (Site { row: k, column: 1 }, Site { row: 2, column: 1 });
        let by_site = if here == there { x * x } else { x };
        let by_rest = if Modulo(k) != Modulo(5) { 3.0 * x } else { x * x * x };
        by_site + by_rest
    }
}

#[test]
fn elements_of_structs() {
    let v = vectors::V3 { d: [1.0, 2.0, 3.0] };
    let grid = vectors::Grid { cells: [[1.0, -2.0], [0.5, 1.5]] };
    vectors::read::check(&v, &grid).expect("right derivatives");
    vectors::written::check(0.7, -1.2).expect("right derivatives");
    assert_eq!(vectors::written::value(0.7, -1.2), vectors::written(0.7, -1.2));
    let (value, gradient) = vectors::through::gradient(&vectors::Weights([3.0, 4.0]));
    assert_eq!((value, gradient.w.0), (15.0, [5.0, 3.0]));
}

#[test]
fn fields_and_methods_behind_a_deref() {
    let named = vectors::Named { grid: vectors::Grid { cells: [[1.0, -2.0], [0.5, 1.5]] }, scale: 0.3 };
    vectors::behind::check(&named, 0.7).unwrap_or_else(|mismatch| panic!("{mismatch}"));
    assert_eq!(vectors::behind::value(&named, 0.7), vectors::behind(&named, 0.7));
}

#[test]
fn the_operator_calls_the_function_of_the_trait() {
    for (k, slope) in [(1, 7.0), (2, 14.0), (3, 35.0)] {
        let mut d_x = 0.0;
        assert_eq!(vectors::compared::grad(1.0, &mut d_x, k), vectors::compared(1.0, k));
        assert_eq!(d_x, slope);
    }
}

#[test]
fn equality_is_derived_or_written() {
    for k in 0..6 {
        let mut d_x = 0.0;
        assert_eq!(vectors::equal::grad(2.0, &mut d_x, k), vectors::equal(2.0, k));
        let by_site = if k == 2 { 4.0 } else { 1.0 };
        let by_rest = if k % 3 == 2 { 12.0 } else { 3.0 };
        assert_eq!(d_x, by_site + by_rest);
    }
}

#[differentiate(check)]
mod blanket {
    use std::ops::{Mul, Rem};

    pub trait Norm {
        fn norm(&self) -> f64;
    }

    pub trait Twice {
        fn twice(&self) -> f64;
    }

    impl<T: Norm> Twice for T {
        fn twice(&self) -> f64 {
            2.0 * self.norm()
        }
    }

    #[derive(Clone, Copy)]
    pub struct Pair(pub f64, pub f64);

    impl Norm for Pair {
        fn norm(&self) -> f64 {
            self.0 * self.0 + self.1
        }
    }

    impl Mul<f64> for Pair {
        type Output = Pair;

        fn mul(self, by: f64) -> Pair {
            Pair(self.0 * by, self.1 * by)
        }
    }

    pub fn twice(pair: &Pair) -> f64 {
        pair.twice()
    }

    pub fn by_names(pair: Pair, x: f64, k: usize) -> f64 {
        pair.mul(x).0.rem(2.0).mul(k.rem(3) as f64)
    }
}

#[differentiate(check)]
mod called_by_traits {
    pub trait Norm {
        fn norm(&self) -> f64;
    }

    #[derive(Clone, Copy)]
    pub struct Pair(pub f64, pub f64);

    impl Norm for Pair {
        fn norm(&self) -> f64 {
            self.0 * self.0 + self.1
        }
    }

    impl Pair {
        fn norm(&self) -> f64 {
            self.0 - self.1
        }
    }

    impl Norm for f64 {
        fn norm(&self) -> f64 {
            self * self
        }
    }

    pub fn both(pair: Pair) -> f64 {
        pair.norm() * Norm::norm(&pair) + Norm::norm(&pair.0)
    }
}

/// `Trait::name(a)` is what the trait gives, whatever the type has by itself.
#[test]
fn functions_are_called_by_the_name_of_their_trait() {
    let pair = called_by_traits::Pair(0.5, 3.0);
    assert_eq!(called_by_traits::both::value(pair), called_by_traits::both(pair));
    called_by_traits::both::check(pair).unwrap();
}

#[test]
fn a_trait_of_all_types_that_have_another_one() {
    let pair = blanket::Pair(0.5, 3.0);
    blanket::twice::check(&pair).unwrap_or_else(|mismatch| panic!("{mismatch}"));
    blanket::by_names::check(pair, 1.3, 5).unwrap_or_else(|mismatch| panic!("{mismatch}"));
    assert_eq!(blanket::twice::gradient(&pair).0, 6.5);
}

/// Traits with const, type and lifetime parameters, whose provided functions see what the `impl` writes for them.
#[differentiate]
mod systems {
    pub trait System<const D: usize> {
        fn rates(&self, y: &[f64; D]) -> [f64; D];

        fn energy(&self, y: &[f64; D]) -> f64 {
            let mut sum = 0.0;
            for k in 0..D {
                sum += y[k] * self.rates(y)[k] / D as f64;
            }
            sum
        }
    }

    pub trait Model<P, Q = f64> {
        fn response(&self, p: &P, q: Q) -> f64;

        fn twice(&self, p: &P, q: Q) -> f64
        where
            Q: Copy,
        {
            self.response(p, q) * self.response(p, q)
        }
    }

    pub trait Samples<'a> {
        fn data(&self) -> &'a [f64];

        fn total(&self) -> f64 {
            self.data().iter().map(|v| v * v).sum()
        }
    }

    pub struct Decay {
        rate: f64,
    }

    impl System<3> for Decay {
        fn rates(&self, y: &[f64; 3]) -> [f64; 3] {
            y.map(|y| -self.rate * y)
        }
    }

    impl Model<[f64; 2]> for Decay {
        fn response(&self, p: &[f64; 2], q: f64) -> f64 {
            p[0] * (-self.rate * p[1]).exp() + q
        }
    }

    pub struct Window<'a> {
        of: &'a [f64],
    }

    impl<'a> Samples<'a> for Window<'a> {
        fn data(&self) -> &'a [f64] {
            self.of
        }
    }

    #[differentiate]
    pub fn response(x: &[f64]) -> f64 {
        let decay = Decay { rate: x[0] };
        let window = Window { of: &x[1..4] };
        decay.energy(&[x[1], x[2], x[3]]) + decay.twice(&[x[4], x[2]], x[3]) + window.total()
    }
}

#[test]
fn provided_functions_of_traits_with_parameters() {
    let x = random(31, 5);
    let (y, g) = systems::response::gradient(&x);
    assert!((y - systems::response(&x)).abs() < 1e-14);
    check(|v| systems::response(&v[0]), &[&x], &[&g.x]);
}
