//! Constants of one name in scopes of their own.

use pardiff::differentiate;
use pardiff_programs::{check, random};

const SHARED: [f64; 2] = [7.0, 0.25];

#[differentiate]
fn blocks(x: &[f64], k: usize) -> f64 {
    let outer = SHARED[k] * x[2];
    let a = {
        const W: [f64; 2] = [1.0, 2.0];
        W[k] * x[0]
    };
    let b = {
        const W: [f64; N] = [1.0, 2.0, 4.0];
        const N: usize = 3;
        W[k + N - 2] * x[1]
    };
    let c = {
        const SHARED: [f64; 2] = [-1.0, -3.0];
        const N: usize = SHARED.len() * 2;
        const W: [f64; N] = [SHARED[0]; N];
        let rows = [[x[k]; N]; 2];
        W[k + 2] * rows[1][N - 1] * SHARED[k]
    };
    outer + a * b + c
}

#[test]
fn constants_of_blocks() {
    let x = random(1, 4);
    for k in 0..2 {
        let (value, g) = blocks::gradient(&x, k);
        assert!((value - blocks(&x, k)).abs() < 1e-14);
        check(|v| blocks(&v[0], k), &[&x], &[&g.x]);
    }
}

#[differentiate]
fn helpers(x: &[f64], k: usize) -> f64 {
    fn f(x: f64, k: usize) -> f64 {
        const W: [f64; 2] = [1.0, 2.0];
        W[k] * x
    }
    fn g(x: f64, k: usize) -> f64 {
        const W: [f64; 2] = [3.0, -2.0];
        const SCALE: f64 = W[1] * 2.0;
        W[k] * x * SCALE
    }
    const W: [f64; 2] = [5.0, 6.0];
    const N: usize = 3;
    let q = {
        const N: usize = 2;
        let a = [x[0]; N];
        a[0] * a[1] * N as f64
    };
    let a = [x[1]; N];
    f(x[0], k) * g(x[1], k) * W[k] * q * a[2] + f(x[2], 1) + g(x[3], 0)
}

#[test]
fn constants_of_helpers() {
    let x = random(2, 4);
    for k in 0..2 {
        let (value, g) = helpers::gradient(&x, k);
        assert!((value - helpers(&x, k)).abs() < 1e-13);
        check(|v| helpers(&v[0], k), &[&x], &[&g.x]);
    }
}

#[differentiate]
mod kernels {
    const NODES: [f64; 3] = [-0.77, 0.0, 0.77];

    fn coarse(x: f64) -> f64 {
        const NODES: [f64; 2] = [-0.58, 0.58];
        static WEIGHTS: [f64; 2] = [1.0; NODES.len()];
        NODES.iter().zip(&WEIGHTS).map(|(n, w)| w * (x * n).exp()).sum()
    }

    fn fine(x: f64) -> f64 {
        static WEIGHTS: [f64; 3] = [0.55, 0.88, 0.55];
        (0..NODES.len()).map(|i| WEIGHTS[i] * (x * NODES[i]).exp()).sum()
    }

    pub fn difference(x: &[f64]) -> f64 {
        x.iter().map(|&v| coarse(v) - fine(v) * NODES[2]).sum()
    }
}

#[test]
fn constants_of_a_module_and_of_its_functions() {
    let x = random(3, 9);
    let (value, g) = kernels::difference::gradient(&x);
    assert!((value - kernels::difference(&x)).abs() < 1e-12);
    check(|v| kernels::difference(&v[0]), &[&x], &[&g.x]);
}
