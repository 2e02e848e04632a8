//! The kernels against programs written by hand: values to 1e-12, gradients to 1e-9.

mod by_hand;
mod experts;
#[cfg(feature = "modes")]
mod modes;
mod projection;
mod references;
mod threads;

use pardiff_workloads::cases::Workload;

/// The distance of two vectors, relative to the second.
fn distance(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    let norm = |x: &mut dyn Iterator<Item = f64>| x.map(|x| x * x).sum::<f64>().sqrt();
    let difference = norm(&mut a.iter().zip(b).map(|(a, b)| a - b));
    if difference == 0.0 { 0.0 } else { difference / norm(&mut b.iter().copied()) }
}

/// Panics unless `a` is `b` up to a relative error; an error that is not a number is too large.
fn assert_close(what: &str, a: &[f64], b: &[f64], tolerance: f64) {
    let error = distance(a, b);
    assert!(error <= tolerance, "{what}: relative error {error:.1e}");
}

/// All entry points against a value and a gradient.
fn check(name: &str, workload: &dyn Workload, value: f64, gradient: &[f64]) {
    let p = workload.parameters();
    assert_close(&format!("{name}: primal"), &[workload.primal(&p)], &[value], 1e-12);
    assert_close(&format!("{name}: value"), &[workload.value(&p)], &[value], 1e-12);

    let mut g = vec![f64::NAN; p.len()];
    let into = workload.grad_into(&p, &mut g);
    assert_close(&format!("{name}: value of grad_into"), &[into], &[value], 1e-12);
    assert_close(&format!("{name}: grad_into"), &g, gradient, 1e-9);

    // added to what is there: without it again, up to the rounding of the addition
    let before: Vec<f64> = gradient.iter().enumerate().map(|(i, g)| g * (i % 3) as f64).collect();
    let mut g = before.clone();
    workload.grad(&p, &mut g);
    let added: Vec<f64> = g.iter().zip(&before).map(|(g, b)| g - b).collect();
    assert_close(&format!("{name}: grad"), &added, gradient, 1e-9);
}
