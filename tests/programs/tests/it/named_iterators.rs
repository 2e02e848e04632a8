//! Iterators under a name: made of what there was where they got it, used up where it is written.

use pardiff::differentiate;
use pardiff_programs::{check, random};

#[differentiate]
mod kernels {
    pub fn pairs(x: &[f64], y: &[f64]) -> f64 {
        let mut start = 1;
        let shifted = x[start..].iter().zip(y).skip(start);
        start += 5;
        let mut sum = start as f64;
        for (a, b) in shifted {
            sum += a * b;
        }
        let squares = x.iter().map(|v| v * v).filter(|v| *v > 0.1);
        let count = squares.clone().count();
        let total: f64 = squares.sum();
        sum * total + count as f64
    }

    pub fn kept(x: [f64; 4], n: usize) -> f64 {
        let mut x = x;
        let mut n = n;
        let copies = x.into_iter().take(n);
        let steps = (0..n).rev().step_by(2);
        x[0] = 9.0;
        n += 1;
        let mut sum = n as f64 * x[0] * x[1];
        for v in copies {
            sum += v * v;
        }
        for i in steps {
            sum += x[i] * i as f64;
        }
        sum
    }

    pub fn changed(x: &[f64], width: usize) -> f64 {
        let mut y = x.to_vec();
        let rows = y.chunks_exact_mut(width).enumerate();
        for (i, row) in rows {
            row[0] *= i as f64 + row[width - 1];
        }
        let square = |v: f64| v * v;
        let by_name = y.iter().copied().map(square);
        let windows = y.windows(2);
        let both = windows.zip(by_name);
        let mut sum = 0.0;
        both.for_each(|(w, s)| sum += (w[1] - w[0]) * s);
        sum
    }
}

#[test]
fn iterators_under_names() {
    let (x, y) = (random(1, 7), random(2, 6));
    let (value, g) = kernels::pairs::gradient(&x, &y);
    assert!((value - kernels::pairs(&x, &y)).abs() < 1e-13);
    check(|v| kernels::pairs(&v[0], &v[1]), &[&x, &y], &[&g.x, &g.y]);
    for n in 0..4 {
        let x = [0.3, -0.5, 0.7, 1.1];
        let (value, g) = kernels::kept::gradient(x, n);
        assert!((value - kernels::kept(x, n)).abs() < 1e-13);
        check(|v| kernels::kept(v[0][..].try_into().unwrap(), n), &[&x], &[&g.x]);
    }
    for width in 1..4 {
        let (value, g) = kernels::changed::gradient(&x, width);
        assert!((value - kernels::changed(&x, width)).abs() < 1e-13);
        check(|v| kernels::changed(&v[0], width), &[&x], &[&g.x]);
    }
}
