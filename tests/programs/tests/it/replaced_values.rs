//! Values that others take the place of: `std::mem::take`, `replace` and `swap` of numbers, structs, options and
//! vectors, and defaults.

use pardiff::differentiate;
use pardiff_programs::{check, dot, random};

#[differentiate]
mod values {
    #[derive(Clone, Copy, Default)]
    struct Pair {
        first: f64,
        rest: [f64; 2],
    }

    #[derive(Clone, Copy)]
    struct Start {
        at: f64,
        count: usize,
    }

    impl Default for Start {
        fn default() -> Self {
            Start { at: 1.5, count: 2 }
        }
    }

    pub fn elements(x: &[f64], y: &mut [f64]) {
        for k in 0..y.len() {
            let old = std::mem::take(&mut y[k]);
            y[k] += old * old * x[k % x.len()];
            let last = std::mem::replace(&mut y[k], old);
            y[k] *= last;
        }
        let (mut a, mut b) = (x[0], x[1] * x[1]);
        std::mem::swap(&mut a, &mut b);
        if let Some(y) = y.first_mut() {
            *y += a * a * b;
            std::mem::swap(y, &mut a);
        }
    }

    pub fn whole(x: &[f64]) -> f64 {
        let mut a = [x[0], x[1]];
        let b = std::mem::take(&mut a);
        let mut pair = Pair { first: b[0], rest: [a[0], b[1]] };
        let first = core::mem::take(&mut pair);
        let second =
            std::mem::replace(&mut pair, Pair { first: first.first * first.first, rest: first.rest });
        let mut start = Start { at: second.first + x[2], count: 1 };
        let old = std::mem::take(&mut start);
        let mut product = Some(old.at * start.at);
        let taken = std::mem::take(&mut product).unwrap_or(0.0) + product.unwrap_or(3.0);
        let mut list = vec![taken];
        list.push(x[1]);
        let was = std::mem::take(&mut list);
        list.push(was[0] * was[1] * (start.count + old.count) as f64);
        let given = Start { count: 1, ..Default::default() };
        list[0] * list.len() as f64 + pair.first * pair.rest[1] + given.at * x[0] * x[0]
    }

    pub fn options(x: &[f64]) -> f64 {
        let mut last = Option::<f64>::None;
        let mut total = 0.0;
        for &v in x {
            total += last.unwrap_or(1.0) * v;
            last = if v > 0.0 { Some(v * v) } else { None::<f64> };
        }
        total
    }
}

#[test]
fn elements_that_are_taken() {
    let x = random(1, 3);
    for n in [0, 1, 4] {
        let (y, d) = (random(2, n), random(3, n));
        let (mut out, mut d_x, mut d_y) = (y.clone(), vec![0.0; 3], d.clone());
        values::elements::vjp(&x, &mut d_x, &mut out, &mut d_y);
        let value = |v: &[Vec<f64>]| {
            let mut y = v[1].clone();
            values::elements(&v[0], &mut y);
            dot(&y, &d)
        };
        assert!((dot(&out, &d) - value(&[x.clone(), y.clone()])).abs() < 1e-14);
        check(value, &[&x, &y], &[&d_x, &d_y]);
    }
}

#[test]
fn whole_values_that_are_taken() {
    let x = random(4, 3);
    let (value, g) = values::whole::gradient(&x);
    assert!((value - values::whole(&x)).abs() < 1e-14);
    check(|v| values::whole(&v[0]), &[&x], &[&g.x]);
    for n in [0, 1, 5] {
        let x = random(5, n);
        let (value, g) = values::options::gradient(&x);
        assert_eq!(value, values::options(&x));
        check(|v| values::options(&v[0]), &[&x], &[&g.x]);
    }
}
