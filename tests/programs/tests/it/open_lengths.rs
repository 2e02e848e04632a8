//! Arrays whose lengths follow from where they go, through branches and helpers.

use pardiff::differentiate;
use pardiff_programs::{check, random};

#[differentiate]
mod kernels {
    use std::array;

    fn pick(x: &[f64], n: usize) -> [f64; 3] {
        if n > 2 { array::from_fn(|i| x[i] * x[i]) } else { array::from_fn(|i| x[i]) }
    }

    fn grid<const N: usize>(x: &[f64], on: bool) -> [[f64; N]; 2] {
        if on { array::from_fn(|i| array::from_fn(|j| x[i] * x[j])) } else { array::from_fn(|i| [x[i]; N]) }
    }

    pub fn branches(x: &[f64], n: usize) -> f64 {
        let w: [f64; 3] = match n {
            0 => array::from_fn(|i| x[i] * x[i + 1]),
            1 => [x[0]; 3],
            2 => x[1..4].try_into().unwrap(),
            _ => array::from_fn(|i| x[i].sin()),
        };
        let chosen = if n > 1 { array::from_fn(|i| x[i]) } else { [1.0, 2.0, x[0]] };
        let g: [[f64; 3]; 2] = grid(x, n > 0);
        w[0] * w[1] + w[2] + chosen[1] * chosen[2] + g[1][2] * g[0][1] + pick(x, n)[2]
    }

    pub fn assigned(x: &[f64], n: usize) -> f64 {
        let mut w = [0.0; 3];
        for k in 0..n {
            w = if k > 1 {
                let scale = x[k % x.len()];
                array::from_fn(|i| x[i] * w[i] * scale)
            } else if k > 0 {
                array::from_fn(|i| x[i])
            } else {
                w.map(|v| v + x[0])
            };
        }
        let last;
        if n > 3 {
            last = array::from_fn(|i| w[i] + x[i]);
        } else {
            last = array::from_fn(|i| w[2 - i]);
        }
        let [a, b, c]: [f64; 3] = last;
        a * b + c
    }

    pub fn handed_on(x: &[f64], n: usize) -> f64 {
        let a: [f64; 3] = loop {
            if n > 2 {
                break array::from_fn(|i| x[i] * x[i]);
            }
            break [x[0]; 3];
        };
        let b: [f64; 3] = 'chosen: {
            if n > 1 {
                break 'chosen array::from_fn(|i| x[i] * 2.0);
            }
            array::from_fn(|i| a[i] + x[i + 1])
        };
        let scaled = |k: f64| -> [f64; 3] {
            if k > 0.0 { array::from_fn(|i| x[i] * k) } else { array::from_fn(|_| k) }
        };
        let some: Option<[f64; 2]> = if n > 2 { Some(array::from_fn(|i| x[i].cos())) } else { None };
        let (c, k) = if n > 0 { (array::from_fn(|i| b[i]), 1.5) } else { ([x[1]; 3], 0.5) };
        a[0] * b[1] + c[2] * k * scaled(x[0])[1] + some.map_or(x[2], |s| s[0] * s[1])
    }
}

#[test]
fn lengths_follow_through_branches() {
    let x = random(1, 6);
    for n in 0..6 {
        let (value, g) = kernels::branches::gradient(&x, n);
        assert!((value - kernels::branches(&x, n)).abs() < 1e-13);
        check(|v| kernels::branches(&v[0], n), &[&x], &[&g.x]);
        let (value, g) = kernels::handed_on::gradient(&x, n);
        assert!((value - kernels::handed_on(&x, n)).abs() < 1e-13);
        check(|v| kernels::handed_on(&v[0], n), &[&x], &[&g.x]);
        let (value, g) = kernels::assigned::gradient(&x, n);
        assert!((value - kernels::assigned(&x, n)).abs() < 1e-13);
        check(|v| kernels::assigned(&v[0], n), &[&x], &[&g.x]);
    }
}
