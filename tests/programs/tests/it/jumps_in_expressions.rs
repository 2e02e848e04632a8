//! `?` and other jumps inside of expressions, in helpers that return an `Option`.

use pardiff::differentiate;
use pardiff_programs::{check, random};

#[differentiate]
mod kernels {
    #[derive(Clone, Copy)]
    struct P {
        x: f64,
        y: f64,
    }
    impl P {
        fn unit(self) -> Option<P> {
            let n = self.x.hypot(self.y);
            if n > 0.1 { Some(P { x: self.x / n, y: self.y / n }) } else { None }
        }
        fn dot(self, o: P) -> f64 {
            self.x * o.x + self.y * o.y
        }
    }
    fn root(v: f64) -> Option<f64> {
        if v > 0.0 { Some(v.sqrt()) } else { None }
    }
    fn ratio(a: f64, b: f64) -> Option<f64> {
        Some(root(a)? / (1.0 + root(b)?))
    }
    fn angle(a: P, b: P) -> Option<f64> {
        Some(a.unit()?.dot(b.unit()?).mul_add(0.5, root(a.x)?))
    }
    fn indexed(x: &[f64], i: usize) -> Option<f64> {
        Some(x[i] * x.get(i + 1)? + root(x[i])?.max(*x.first()? * 2.0))
    }
    fn triple(v: &[f64]) -> Option<[f64; 3]> {
        if v.len() > 2 { Some([root(v[0])?, v[1] * root(v[2])?, v[2]]) } else { None }
    }
    fn total(x: &[f64]) -> Option<f64> {
        let mut s: f64 = 0.0;
        for i in 0..x.len() {
            s += indexed(x, i)? * s.max(ratio(x[i], 0.5 * x[i])?);
            s = s.min(20.0);
        }
        Some(s)
    }
    pub fn f(x: &[f64]) -> f64 {
        let mut s = 0.0;
        for i in 0..x.len() {
            s += ratio(x[i], x[x.len() - 1 - i]).unwrap_or(0.25 * x[i]);
            s += angle(P { x: x[i], y: 0.3 }, P { x: 0.5, y: x[0] }).unwrap_or(x[i] * x[i]);
            s += indexed(x, i).unwrap_or(0.1);
            s += x[i]
                * match x.get(i + 2) {
                    None => continue,
                    Some(v) => v * v,
                };
        }
        for row in x.chunks(3) {
            s += triple(row).map_or(0.5, |[a, b, c]| a * b + c);
        }
        let g = |v: f64| Some(root(v)? + ratio(v, v)?);
        s + total(x).unwrap_or(s * 0.5) + x.iter().filter_map(|&v| g(v)).sum::<f64>()
    }
}

#[test]
fn tried() {
    for n in [0, 1, 2, 3, 7, 33] {
        for sign in [0.0, 1.2] {
            let x: Vec<f64> = random(1, n).iter().map(|v| v + sign).collect();
            let (value, g) = kernels::f::gradient(&x);
            assert!(
                (value - kernels::f(&x)).abs() < 1e-11 * (1.0 + value.abs()),
                "{value} {}",
                kernels::f(&x)
            );
            check(|v| kernels::f(&v[0]), &[&x], &[&g.x]);
        }
    }
}

/// Loops and blocks whose values are taken apart, and which the function may leave as a whole.
#[differentiate]
fn found(x: &[f64]) -> f64 {
    let mut k = 0;
    let (at, value) = loop {
        if k == x.len() {
            return 0.5 * x[0];
        }
        if x[k] > 1.2 {
            break (k, x[k] * x[0]);
        }
        k += 1;
    };
    let ((a, b), c) = 'chosen: {
        if x[0] > 5.0 {
            break 'chosen ((x[0], x[1]), 2.0);
        }
        if x[1] > 5.0 {
            return x[0] * x[1];
        }
        ((x[1] * x[2], x[0]), x[2])
    };
    let [p, .., q] = loop {
        if k > 10 * x.len() {
            return a;
        }
        k += 4;
        if k % 3 == 0 {
            break [value * b, 1.0, x[k % 3]];
        }
    };
    let mut total = 0.0;
    for i in 0..3 {
        let (u, w) = loop {
            if x[i] > 2.0 {
                return x[2] * 3.0;
            }
            break (x[i], x[0]);
        };
        total += u * w;
    }
    a * b * c + p * q * at as f64 + total
}

#[test]
fn a_loop_that_the_function_may_leave_has_a_value_of_several_parts() {
    let points = [[1.0, 1.5, 1.7], [1.0, 1.5, 2.5], [6.0, 1.0, 1.0], [1.0, 6.0, 1.0], [0.1, 0.2, 0.3]];
    for x in points {
        let (value, gradient) = found::gradient(&x);
        assert_eq!(value, found(&x));
        check(|v| found(&v[0]), &[&x], &[&gradient.x]);
    }
}

#[expect(clippy::diverging_sub_expression, reason = "as people write it")]
#[differentiate]
fn left_elsewhere(x: f64) -> f64 {
    let mut at = x;
    let found: f64 = 'found: loop {
        let next = 'next: {
            break 'found ({
                if at < 3.0 {
                    break 'next at + x;
                }
                at * at
            });
        };
        at = next;
    };
    let mut sum = 0.0;
    'each: for k in 0..4 {
        let part: f64 = 'part: {
            if x > 1.0 {
                break 'part ({
                    if k % 2 == 0 {
                        continue 'each;
                    }
                    x * k as f64
                });
            }
            x.sin()
        };
        sum += part * part;
    }
    found * sum
}

/// What is left with a value is not left where computing that value goes elsewhere.
#[test]
fn the_value_of_a_break_may_leave_something_else() {
    for x in [0.7, 1.4, 3.2] {
        let (value, gradient) = left_elsewhere::gradient(x);
        assert_eq!(value, left_elsewhere(x));
        check(|v| left_elsewhere(v[0][0]), &[&[x]], &[&[gradient.x]]);
    }
}
