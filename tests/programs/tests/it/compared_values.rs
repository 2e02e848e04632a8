//! Comparisons of structs, enums, tuples and arrays, part by part.

#![deny(warnings)]

use pardiff::differentiate;

#[differentiate(check)]
pub mod ordered {
    #[derive(Clone, Copy, PartialEq, PartialOrd)]
    pub struct Point {
        pub weight: f64,
        pub at: [f64; 2],
        pub is_fixed: bool,
    }

    #[derive(Clone, Copy, PartialEq, PartialOrd)]
    pub enum Level {
        Low,
        Middle,
        High,
    }

    #[derive(Clone, Copy, PartialEq, PartialOrd)]
    pub struct Node {
        pub point: Point,
        pub level: Level,
    }

    pub fn by_equality(a: Point, b: Point) -> f64 {
        if a == b { a.at[0] * a.weight } else { b.at[1] * a.weight }
    }

    pub fn by_order(a: Point, b: Point) -> f64 {
        let mut total = if a < b { a.at[0] * a.weight } else { b.at[1] * a.weight };
        if a <= b {
            total += a.weight;
        }
        if a > b {
            total += b.at[0] * b.weight;
        }
        if a >= b {
            total += b.at[1] * a.at[1];
        }
        total
    }

    pub fn inside(a: Node, b: Node) -> f64 {
        if a < b && a.level <= b.level { a.point.at[0] * a.point.weight } else { b.point.at[1] }
    }

    pub fn of_arrays(x: &[f64], y: &[f64]) -> f64 {
        let mut total = 0.0;
        if x == y {
            total += x[0] * x[0];
        }
        if x < y {
            total += x[0] * y[0];
        }
        if x[..2] <= y[..2] {
            total += y[0] * y[0];
        }
        if (x[0], x[1]) < (y[0], y[1]) {
            total += y[1] * x[0];
        }
        if [1.0, x[0]] != [y[0], 0.5] {
            total += 3.0 * x[1];
        }
        total
    }

    /// Sums of neighbours with equal keys. The first comparison says of which type `last` is.
    pub fn runs(keys: &[(usize, u8)], x: &[f64]) -> f64 {
        let mut last = None;
        let mut sums: Vec<f64> = Vec::new();
        let mut repeats = 0;
        for (&(a, b), &x) in keys.iter().zip(x) {
            if last == Some((a, b)) {
                *sums.last_mut().unwrap() += x;
            } else {
                sums.push(x);
            }
            repeats += usize::from(last.is_some_and(|key| (a, b) == key));
            last = Some((a, b));
        }
        sums.iter().map(|sum| sum * sum).sum::<f64>() * (1 + repeats) as f64
    }
}

#[test]
fn options_of_tuples_are_compared() {
    let keys = [(1, 2), (1, 2), (1, 3), (2, 3), (2, 3), (2, 3)];
    let (value, gradient) = ordered::runs::gradient(&keys, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    assert_eq!(value, 4.0 * (9.0 + 9.0 + 225.0));
    assert_eq!(gradient.x, [24.0, 24.0, 24.0, 120.0, 120.0, 120.0]);
}

#[test]
fn parts_are_compared_in_order() {
    use ordered::{Level, Node, Point, by_equality, by_order, inside, of_arrays};
    let levels = [Level::Low, Level::Middle, Level::High];
    for case in 0..256 {
        let number = |at: usize| [1.0, 2.0][(case >> at) & 1];
        let point = |at: usize| Point {
            weight: number(at),
            at: [number(at + 1), number(at + 2)],
            is_fixed: number(at + 3) > 1.5,
        };
        let (a, b) = (point(0), point(4));
        assert_eq!(by_equality::value(a, b), by_equality(a, b), "{case}");
        assert_eq!(by_order::value(a, b), by_order(a, b), "{case}");
        let nodes = [(a, case % 3), (b, case / 3 % 3)].map(|(point, at)| Node { point, level: levels[at] });
        assert_eq!(inside::value(nodes[0], nodes[1]), inside(nodes[0], nodes[1]), "{case}");
        let [x, y] = [a, b].map(|it| [it.weight, it.at[0], it.at[1]]);
        for n in 2..4 {
            assert_eq!(of_arrays::value(&x[..n], &y), of_arrays(&x[..n], &y), "{case}");
        }
    }
    let (_, gradient) = of_arrays::gradient(&[1.0, 0.5], &[1.0, 0.7]);
    // x < y, x <= y and the tuples; and what is not equal
    assert_eq!(gradient.x, [1.0 + 0.7, 3.0]);
    assert_eq!(gradient.y, [1.0 + 2.0, 1.0]);
    let points = [0.3, 0.7].map(|weight| Point { weight, at: [weight, 2.0], is_fixed: true });
    by_order::check(points[0], points[1]).unwrap();
}
