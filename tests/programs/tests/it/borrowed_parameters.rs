//! Parameters with references in them: structs, tuples and options. Derivatives follow for each of their parts.

use num_traits::Float;
use pardiff::differentiate;
use pardiff_programs::{check, random};
use programs::{Axis, Fit, Hat, Pair, Table};

#[differentiate(check)]
mod programs {
    use std::marker::PhantomData;

    /// A table of values at points, of which the fields are private.
    pub struct Table<'a> {
        starts: &'a [f64],
        values: &'a [f64],
        step: f64,
        cells: usize,
    }

    impl<'a> Table<'a> {
        pub fn new(starts: &'a [f64], values: &'a [f64], step: f64) -> Self {
            Table { starts, values, step, cells: values.len() - 1 }
        }

        fn slope(&self, cell: usize) -> f64 {
            (self.values[cell + 1] - self.values[cell]) / (self.starts[cell + 1] - self.starts[cell])
        }

        pub fn eval_one(&self, at: f64) -> Result<f64, &'static str> {
            let cell =
                (0..self.cells).rev().find(|&cell| self.starts[cell] <= at).ok_or("below the table")?;
            Ok(self.values[cell] + self.slope(cell) * (at - self.starts[cell]) * self.step)
        }

        pub fn slopes(&self) -> Vec<f64> {
            (0..self.cells).map(|cell| self.slope(cell)).collect()
        }

        pub fn consumed(self, at: f64) -> f64 {
            at * self.values.iter().map(|v| v * v).sum::<f64>() + self.step
        }
    }

    /// A struct behind a reference in another one, a vector, and what holds nothing.
    #[derive(Clone)]
    pub struct Hat {
        pub height: f64,
    }

    pub struct Fit<'a, M> {
        pub table: &'a Table<'a>,
        pub weights: Vec<f64>,
        pub hat: Hat,
        pub centre: (f64, usize),
        pub mark: PhantomData<M>,
    }

    pub fn residual<M>(fit: &Fit<'_, M>, scale: &[f64]) -> f64 {
        let mut sum = fit.hat.height * fit.centre.0;
        for (w, v) in fit.weights.iter().zip(fit.table.values) {
            sum += w * v * v * scale[fit.centre.1];
        }
        sum
    }

    /// Slices that are written to.
    pub struct Axis<'a> {
        pub y: &'a mut [f64],
        pub z: &'a [f64],
    }

    impl Axis<'_> {
        fn put(&mut self, at: usize, value: f64) {
            self.y[at] = value * self.z[at] + self.y[at] * self.y[at];
        }

        pub fn fill(&mut self, s: f64) {
            for at in 0..self.y.len() {
                self.put(at, s);
            }
        }
    }

    pub fn filled(axis: Axis<'_>, s: f64) {
        for (y, z) in axis.y.iter_mut().zip(axis.z) {
            *y = s * s * z + *y * s;
        }
    }

    #[derive(Clone, Copy)]
    pub struct Pair {
        pub a: f64,
        pub b: f64,
    }

    pub fn dot((x, y): (&[f64], &[f64]), scale: f64) -> f64 {
        x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>() * scale
    }

    pub fn between(ends: (&Pair, &Pair), at: &f64) -> f64 {
        let (p, q) = ends;
        (p.a - q.a) * (p.a - q.a) * at + p.b * q.b
    }

    pub fn copied(of: (&[f64], &mut [f64]), s: f64) {
        for (x, y) in of.0.iter().zip(of.1.iter_mut()) {
            *y += x * s;
        }
    }

    pub fn weighted(x: &[f64], weights: Option<&[f64]>, pair: Option<&Pair>, shift: Option<&f64>) -> f64 {
        let mut sum = shift.copied().unwrap_or(2.0) * x[0];
        for i in 0..x.len() {
            sum += match weights {
                Some(w) => w[i] * w[i] * x[i],
                None => x[i] * x[i],
            };
        }
        if let Some(pair) = pair {
            sum *= pair.a * pair.b;
        }
        sum
    }

    pub struct Masked<'a> {
        pub x: &'a [f64],
        pub mask: Option<&'a [f64]>,
    }

    pub fn masked(of: &Masked) -> f64 {
        let weight = |i: usize| of.mask.map_or(1.0, |mask| mask[i]);
        (0..of.x.len()).map(|i| of.x[i] * of.x[i] * weight(i)).sum()
    }
}

/// An interpolator whose grid is behind a trait, with lifetimes that are named.
#[differentiate]
mod behind_a_trait {
    use num_traits::Float;

    pub trait Grid<'a, T: Float> {
        fn around(&self, at: T) -> Result<[T; 4], &'static str>;
    }

    #[derive(Clone, Copy)]
    pub struct Points<'a, T: Float> {
        pub x: &'a [T],
        pub y: &'a [T],
    }

    impl<'a, T: Float> Points<'a, T> {
        pub fn cell(&self, at: T) -> Result<usize, &'static str> {
            let cell = self.x.partition_point(|x| *x < at).max(1) - 1;
            if cell + 1 < self.y.len() { Ok(cell) } else { Err("above the grid") }
        }
    }

    impl<'a, T: Float> Grid<'a, T> for Points<'a, T> {
        fn around(&self, at: T) -> Result<[T; 4], &'static str> {
            let i = self.cell(at)?;
            Ok([self.x[i], self.x[i + 1], self.y[i], self.y[i + 1]])
        }
    }

    pub trait Interpolate<'a, T: Float, G: Grid<'a, T>> {
        fn eval(&self, at: T) -> Result<T, &'static str>;
    }

    pub struct Linear<G> {
        grid: G,
    }

    impl<G> Linear<G> {
        pub fn new(grid: G) -> Self {
            Linear { grid }
        }
    }

    impl<'a, T: Float, G: Grid<'a, T>> Interpolate<'a, T, G> for Linear<G> {
        #[differentiate(check, with(T = f64, G = Points<'_, f64>))]
        fn eval(&self, at: T) -> Result<T, &'static str> {
            let [x0, x1, y0, y1] = self.grid.around(at)?;
            Ok(y0 + (y1 - y0) / (x1 - x0) * (at - x0))
        }
    }

    pub fn scaled(of: &Linear<Points<'_, f64>>, s: f64) -> f64 {
        of.grid.y[0] * s
    }
}

/// The same in single and double precision.
#[differentiate]
mod generic {
    use num_traits::Float;

    pub struct Samples<'a, T> {
        pub x: &'a [T],
        pub scale: T,
    }

    pub fn energy<T: Float>(samples: &Samples<'_, T>, k: T) -> T {
        samples.x.iter().fold(T::zero(), |sum, &x| sum + x * x * k) * samples.scale
    }
}

#[test]
fn parts_have_derivatives_of_their_own() {
    let (starts, values) = ([0.0, 1.0, 3.0, 4.0], [1.0, 3.0, 2.0, 5.0]);
    let table = Table::new(&starts, &values, 0.5);
    let (mut d_starts, mut d_values, mut d_step, mut d_at) = ([0.0; 4], [0.0; 4], 0.0, 0.0);
    let value =
        programs::table::eval_one::grad(&table, &mut d_starts, &mut d_values, &mut d_step, 2.0, &mut d_at);
    // 3 - (1 / 2) (2 - 1) / 2, in the cell from 1 to 3
    assert_eq!(value, Ok(2.75));
    assert_eq!((d_values, d_step, d_at), ([0.0, 0.75, 0.25, 0.0], -0.5, -0.25));
    assert_eq!(d_starts, [0.0, 0.125, 0.125, 0.0]);
    let below =
        programs::table::eval_one::grad(&table, &mut d_starts, &mut d_values, &mut d_step, -2.0, &mut d_at);
    assert_eq!(below, Err("below the table"));
    let (slopes, g) =
        (programs::table::slopes::value(&table), programs::table::consumed::gradient(&table, 2.0).1);
    assert_eq!(slopes, [2.0, -0.5, 3.0]);
    assert_eq!((g.this_values, g.this_step, g.at), (values.map(|v| 4.0 * v).to_vec(), 1.0, 39.0));
}

#[test]
fn all_derivatives_agree_with_differences() {
    let (starts, values) = ([0.0, 1.0, 3.0, 4.0], [1.0, 3.0, 2.0, 5.0]);
    let table = Table::new(&starts, &values, 0.5);
    programs::table::eval_one::check(&table, 3.3).unwrap();
    programs::table::slopes::check(&table).unwrap();
    programs::table::consumed::check(&table, 1.5).unwrap();
    let fit = Fit::<()> {
        table: &table,
        weights: vec![2.0, 0.5, 1.0, 4.0],
        hat: Hat { height: 1.5 },
        centre: (0.25, 1),
        mark: std::marker::PhantomData,
    };
    let (value, g) = programs::residual::gradient(&fit, &[1.0, 2.0]);
    assert_eq!(value, 0.375 + 2.0 * (2.0 + 4.5 + 4.0 + 100.0));
    assert_eq!((g.fit_hat.height, g.fit_centre.0, g.scale), (0.25, 1.5, vec![0.0, 110.5]));
    assert_eq!(g.fit_weights, [2.0, 18.0, 8.0, 50.0]);
    assert_eq!(g.fit_table_values, [8.0, 6.0, 8.0, 80.0]);
    let mut y = [1.0, 2.0];
    programs::axis::fill::check(&mut Axis { y: &mut y, z: &[3.0, 4.0] }, 0.5).unwrap();
    programs::filled::check(&mut Axis { y: &mut y, z: &[3.0, 4.0] }, 0.5).unwrap();
    programs::copied::check((&[1.0, 2.0], &mut y), 0.5).unwrap();
    assert_eq!(y, [1.0, 2.0]);
    programs::dot::check((&[1.0, 2.0], &[3.0, 4.0]), 1.5).unwrap();
    let (p, q) = (Pair { a: 1.0, b: 2.0 }, Pair { a: 0.5, b: 2.5 });
    programs::between::check((&p, &q), &2.0).unwrap();
    for (weights, pair, shift) in [(Some(&[3.0, 4.0][..]), None, Some(&1.5)), (None, Some(&p), None)] {
        programs::weighted::check(&[1.0, 2.0], weights, pair, shift).unwrap();
        programs::masked::check(&programs::Masked { x: &[1.0, 2.0], mask: weights }).unwrap();
    }
}

#[test]
fn arguments_of_structs_that_borrow() {
    let points = behind_a_trait::Points { x: &[0.0, 1.0, 3.0], y: &[1.0, 3.0, 2.0] };
    let linear = behind_a_trait::Linear::new(points);
    behind_a_trait::linear::eval::check(&linear, 1.5).unwrap();
    let (value, g) = behind_a_trait::linear::eval::gradient(&linear, 2.0).unwrap();
    assert_eq!((value, g.this_grid_y, g.at), (2.5, vec![0.0, 0.5, 0.5], -0.5));
    assert!(behind_a_trait::linear::eval::gradient(&linear, 4.0).is_err());
    let g = behind_a_trait::scaled::gradient(&linear, 2.0).1;
    assert_eq!((g.of_grid_y, g.s), (vec![2.0, 0.0, 0.0], 1.0));
}

#[test]
fn outputs_are_written_through_their_parts() {
    let (mut y, z) = ([1.0, 2.0], [3.0, 4.0]);
    let (mut d_y, mut d_z, mut d_s) = ([1.0, 10.0], [0.0; 2], 0.0);
    programs::axis::fill::vjp(&mut Axis { y: &mut y, z: &z }, &mut d_y, &mut d_z, 0.5, &mut d_s);
    assert_eq!(y, [2.5, 6.0]);
    assert_eq!((d_y, d_z, d_s), ([2.0, 40.0], [0.5, 5.0], 43.0));
}

#[test]
fn options_of_references() {
    let p = programs::Pair { a: 2.0, b: 3.0 };
    let (mut d_x, mut d_w, mut d_pair) = ([0.0; 2], [0.0; 2], [Pair { a: 0.0, b: 0.0 }]);
    let value = programs::weighted::grad(
        &[1.0, 2.0],
        &mut d_x,
        Some(&[3.0, 4.0]),
        &mut d_w,
        Some(&p),
        &mut d_pair,
        None,
        &mut [],
    );
    assert_eq!(value, 43.0 * 6.0);
    assert_eq!((d_x, d_w), ([66.0, 96.0], [36.0, 96.0]));
    assert_eq!((d_pair[0].a, d_pair[0].b), (129.0, 86.0));
    let g = programs::weighted::gradient(&[1.0, 2.0], None, None, Some(&4.0)).1;
    assert_eq!((g.x, g.shift), (vec![6.0, 4.0], vec![1.0]));
    assert!(g.weights.is_empty() && g.pair.is_empty());
}

#[test]
#[should_panic(expected = "the adjoint `d_this_values` is 3 but the length of `this_values` is 4")]
fn adjoints_of_parts_are_as_long_as_these() {
    let table = Table::new(&[0.0, 1.0, 3.0, 4.0], &[1.0, 3.0, 2.0, 5.0], 0.5);
    programs::table::consumed::grad(&table, &mut [0.0; 4], &mut [0.0; 3], &mut 0.0, 1.0, &mut 0.0);
}

fn in_both<T: Float + std::fmt::Debug + generic::energy::Instance>(x: &[T], k: T) -> (T, Vec<T>) {
    let samples = generic::Samples { x, scale: k };
    let (value, g) = generic::energy::gradient(&samples, k);
    assert_eq!(g.samples_scale, g.k);
    (value, g.samples_x)
}

#[test]
fn generic_structs() {
    assert_eq!(in_both(&[1.0, 2.0], 3.0), (45.0, vec![18.0, 36.0]));
    assert_eq!(in_both(&[1.0_f32, 2.0], 3.0), (45.0, vec![18.0, 36.0]));
}

/// The same function alone, without a module.
#[differentiate(wrt(rows))]
fn products(rows: (&[f64], &[f64], usize), x: &[f64]) -> f64 {
    let (a, b, n) = rows;
    let mut sum = 0.0;
    for i in 0..n {
        sum += a[i] * b[i] * x[i];
    }
    sum
}

#[test]
fn tuples_of_a_function_alone() {
    let (a, b, x) = (random(1, 50), random(2, 50), random(3, 50));
    let (mut d_a, mut d_b) = (vec![0.0; 50], vec![0.0; 50]);
    let value = products::grad((&a, &b, 50), &mut d_a, &mut d_b, &x);
    assert!((value - products((&a, &b, 50), &x)).abs() < 1e-12);
    check(|v| products((&v[0], &v[1], 50), &x), &[&a, &b], &[&d_a, &d_b]);
}
