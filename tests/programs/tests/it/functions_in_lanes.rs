//! The float functions in loops that run in lanes: gradients at every level of the instruction set.

use pardiff::differentiate;
use pardiff_programs::{check, check_single, positive, random};
use std::process::Command;

#[differentiate]
pub fn angles(x: &[f64], y: &[f64], w: &[f64]) -> f64 {
    let mut total = 0.0;
    for i in 0..x.len() {
        total += w[i]
            * (x[i].asin() + x[i].acos() * y[i] + (x[i] * 5.0).atan() + x[i].atan2(y[i]) + x[i].hypot(y[i]));
    }
    total
}

#[differentiate]
pub fn hyperbolic(x: &[f64], y: &[f64], w: &[f64]) -> f64 {
    let mut total = 0.0;
    for i in 0..x.len() {
        total += w[i]
            * (x[i].sinh() + (x[i] * 3.0).cosh() * y[i] + x[i].asinh() + (y[i] + 1.0).acosh() + x[i].atanh());
    }
    total
}

#[differentiate]
pub fn roots_and_powers(x: &[f64], y: &[f64], w: &[f64], n: i32, many: &[i32]) -> f64 {
    let mut total = 0.0;
    for i in 0..x.len() {
        total += w[i] * (y[i].cbrt() + y[i].log(y[i] + 2.0) + x[i].powi(4) + (x[i] - 2.0).powi(n));
        total += w[i] * y[i].powi(many[i]) + x[i].exp_m1() * x[i].ln_1p();
    }
    total
}

#[differentiate]
pub fn singles(x: &[f32], y: &[f32], w: &[f32]) -> f32 {
    let mut total = 0.0;
    for i in 0..x.len() {
        total += w[i] * (x[i].asin() + x[i].acos() + x[i].atan() + x[i].atan2(y[i]) + x[i].hypot(y[i]));
        total += w[i] * (x[i].sinh() + x[i].cosh() + x[i].asinh() + (y[i] + 1.0).acosh() + x[i].atanh());
        total += w[i] * (y[i].cbrt() + y[i].log(y[i] + 2.0) + x[i].powi(4) + (x[i] - 2.0).powi(-3));
    }
    total
}

/// Enough for whole vectors and a rest of one.
const N: usize = 141;

#[test]
fn gradients_are_right() {
    let x: Vec<f64> = random(1, N).iter().map(|x| 0.9 * x).collect();
    let (y, w) = (positive(2, N), random(3, N));
    let g = angles::gradient(&x, &y, &w).1;
    check(|v| angles(&v[0], &v[1], &v[2]), &[&x, &y, &w], &[&g.x, &g.y, &g.w]);
    let g = hyperbolic::gradient(&x, &y, &w).1;
    check(|v| hyperbolic(&v[0], &v[1], &v[2]), &[&x, &y, &w], &[&g.x, &g.y, &g.w]);
    let many: Vec<i32> = (0..N as i32).map(|k| k % 9 - 4).collect();
    for n in [-3, 0, 1, 7] {
        let g = roots_and_powers::gradient(&x, &y, &w, n, &many).1;
        check(|v| roots_and_powers(&v[0], &v[1], &v[2], n, &many), &[&x, &y, &w], &[&g.x, &g.y, &g.w]);
    }
}

#[test]
fn values_are_those_of_std_to_rounding() {
    let x: Vec<f64> = random(4, N).iter().map(|x| 0.9 * x).collect();
    let (y, w) = (positive(5, N), random(6, N));
    let many: Vec<i32> = (0..N as i32).map(|k| k % 9 - 4).collect();
    let near = |a: f64, b: f64| assert!((a - b).abs() <= 1e-13 * N as f64, "{a} instead of {b}");
    near(angles::gradient(&x, &y, &w).0, angles(&x, &y, &w));
    near(hyperbolic::gradient(&x, &y, &w).0, hyperbolic(&x, &y, &w));
    near(roots_and_powers::gradient(&x, &y, &w, 5, &many).0, roots_and_powers(&x, &y, &w, 5, &many));
}

#[test]
fn gradients_of_singles_are_right() {
    let x: Vec<f64> = random(7, 41).iter().map(|x| 0.6 * x).collect();
    let (y, w) = (positive(8, 41), random(9, 41));
    let narrow = |list: &[f64]| list.iter().map(|&x| x as f32).collect::<Vec<f32>>();
    let wide = |list: &[f32]| list.iter().map(|&x| f64::from(x)).collect::<Vec<f64>>();
    let g = singles::gradient(&narrow(&x), &narrow(&y), &narrow(&w)).1;
    check_single(
        |v| f64::from(singles(&narrow(&v[0]), &narrow(&v[1]), &narrow(&v[2]))),
        &[&x, &y, &w],
        &[&wide(&g.x), &wide(&g.y), &wide(&g.w)],
    );
}

#[test]
fn every_level_computes_them() {
    let this = std::env::current_exe().expect("the test's own file");
    for level in ["baseline", "avx2", "avx512"] {
        let tests =
            ["gradients_are_right", "gradients_of_singles_are_right", "values_are_those_of_std_to_rounding"];
        for test in tests {
            let test = format!("functions_in_lanes::{test}");
            let output = Command::new(&this)
                .args([&test, "--exact"])
                .env("PARDIFF_ISA", level)
                .output()
                .expect("runs");
            let text = String::from_utf8_lossy(&output.stdout);
            assert!(output.status.success() && text.contains("1 passed"), "{level}: {text}");
        }
    }
}
