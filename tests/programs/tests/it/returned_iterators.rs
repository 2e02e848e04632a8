//! Iterators that helpers and methods return, used up where they are made.

use pardiff::differentiate;
use pardiff_programs::{check, random};

#[differentiate]
mod kernels {
    fn squares(x: &[f64]) -> impl Iterator<Item = f64> + '_ {
        x.iter().map(|v| v * v)
    }

    fn scaled<'a>(x: &'a [f64], a: f64) -> impl Iterator<Item = f64> + 'a {
        let b = a * a;
        x.iter().map(move |v| b * v)
    }

    fn pairs<'a>(x: &'a [f64], y: &'a [f64]) -> Box<dyn Iterator<Item = (usize, f64, f64)> + 'a> {
        Box::new(x.iter().zip(y).enumerate().map(|(i, (a, b))| (i, *a, *b)))
    }

    fn rows(x: &[f64], d: usize) -> impl Iterator<Item = &[f64]> {
        x.chunks_exact(d)
    }

    fn times(n: usize, h: f64) -> impl Iterator<Item = f64> {
        return (0..n).map(move |k| k as f64 * h);
    }

    fn above(x: &[f64], least: f64) -> impl Iterator<Item = &f64> {
        x.iter().filter(move |v| **v > least)
    }

    pub struct Series {
        values: Vec<f64>,
        scale: f64,
    }

    impl Series {
        fn iter(&self) -> impl Iterator<Item = f64> + '_ {
            self.values.iter().map(|v| v * self.scale)
        }

        fn differences(&self) -> impl Iterator<Item = f64> + '_ {
            self.values.windows(2).map(|w| w[1] - w[0])
        }
    }

    #[differentiate]
    pub fn of_functions(x: &[f64], y: &[f64], a: f64) -> f64 {
        let mut s = 0.0;
        for v in squares(x) {
            s += v * a;
        }
        s += squares(x).sum::<f64>() * scaled(y, a).zip(squares(x)).map(|(p, q)| p * q).sum::<f64>();
        for (i, p, q) in pairs(x, y) {
            s += i as f64 * p * q;
        }
        for (r, q) in rows(x, 2).zip(rows(y, 2)) {
            s += r[0] * q[1];
        }
        s += times(x.len(), a).zip(x).map(|(t, v)| t.sin() * v).sum::<f64>();
        s += above(x, 0.1).map(|v| v.sin()).sum::<f64>();
        for (k, v) in scaled(&x[1..], a).enumerate() {
            if k > 1 {
                break;
            }
            s += v * v;
        }
        let all: Vec<f64> = scaled(x, s).collect();
        s + all[0] * all[1]
            + squares(x).fold(0.0, f64::max)
            + x.iter().flat_map(|v| times(2, *v)).sum::<f64>()
    }

    #[differentiate]
    pub fn of_methods(x: &[f64], scale: f64) -> f64 {
        let series = Series { values: x.to_vec(), scale };
        let mut s = series.differences().map(|d| d * d).sum::<f64>();
        for v in series.iter() {
            s += v * v;
        }
        s + series.iter().zip(series.differences()).map(|(a, b)| a * b).sum::<f64>()
    }
}

#[test]
fn items_are_those_of_the_helpers() {
    let (x, y) = (random(1, 6), random(2, 6));
    let (_, g) = kernels::of_functions::gradient(&x, &y, 0.7);
    check(|v| kernels::of_functions(&v[0], &v[1], v[2][0]), &[&x, &y, &[0.7]], &[&g.x, &g.y, &[g.a]]);
    let (_, g) = kernels::of_methods::gradient(&x, 0.7);
    check(|v| kernels::of_methods(&v[0], v[1][0]), &[&x, &[0.7]], &[&g.x, &[g.scale]]);
}

#[differentiate]
fn nested(x: &[f64], n: usize) -> f64 {
    fn strided(x: &[f64], k: usize) -> impl Iterator<Item = &f64> {
        x.iter().step_by(k)
    }
    fn row<'a>(x: &'a [f64], starts: &[usize], i: usize) -> impl Iterator<Item = (usize, f64)> + 'a {
        let within = starts[i]..starts[i + 1];
        let values = x[within.clone()].iter().copied();
        within.zip(values)
    }
    let starts = [0, 2, 3, x.len()];
    let rows =
        (0..3).map(|i| row(x, &starts, i).map(|(k, v)| v * v * k as f64).sum::<f64>()).product::<f64>();
    rows + (1..n).map(|k| strided(x, k).sum::<f64>() * strided(x, k).map(|v| v * v).sum::<f64>()).sum::<f64>()
}

#[test]
fn of_a_nested_function() {
    let x = random(3, 7);
    let (_, g) = nested::gradient(&x, 4);
    check(|v| nested(&v[0], 4), &[&x], &[&g.x]);
}
