//! The gradient of a Gaussian mixture on an NVIDIA GPU, against the one on the CPU.
//!
//! ```text
//! cargo run --release --features cuda --example gmm_gpu -- [on-cpu]
//! ```
//!
//! Without a driver, or without a GPU, it says so and ends with 1. With `on-cpu` the same kernels run on the CPU, one thread after
//! the other and under watch, on a small problem: that needs `g++` and is no measurement.

use pardiff::cuda::{Error, Gpu, OnCpu};
use pardiff::differentiate;
use pardiff_inputs::mixture::Problem;
use std::process::ExitCode;
use std::time::Instant;

/// Log-likelihood of `n` points `x` of `d` numbers under `k` Gaussians with diagonal covariances: `weights` are logarithms, and
/// the inverse of the deviation of component `c` in dimension `j` is `exp(scales[c * d + j])`.
#[differentiate(cuda, wrt(weights, means, scales))]
#[allow(clippy::too_many_arguments)]
fn mixture(weights: &[f64], means: &[f64], scales: &[f64], x: &[f64], d: usize, k: usize, n: usize) -> f64 {
    let mut likelihood = 0.0;
    for i in 0..n {
        let mut sum = 0.0;
        for c in 0..k {
            let (mut square, mut log_det) = (0.0, 0.0);
            for j in 0..d {
                let scale = scales[c * d + j];
                let y = scale.exp() * (x[i * d + j] - means[c * d + j]);
                square += y * y;
                log_det += scale;
            }
            sum += (weights[c] + log_det - 0.5 * square).exp();
        }
        likelihood += sum.ln();
    }
    likelihood
}

fn run(gpu: &Gpu, n: usize) -> Result<bool, Error> {
    let Problem { d, k, n, alphas, means, x, .. } = Problem::generated(8, 10, n);
    let scales = vec![0.1; k * d];
    println!("{}: {n} points of {d} numbers, {k} components", gpu.name());

    let (mut d_weights, mut d_means, mut d_scales) = (vec![0.0; k], vec![0.0; k * d], vec![0.0; k * d]);
    let start = Instant::now();
    let value =
        mixture::grad(&alphas, &mut d_weights, &means, &mut d_means, &scales, &mut d_scales, &x, d, k, n);
    let on_cpu = start.elapsed();

    let (on_weights, on_means) = (gpu.upload(&alphas)?, gpu.upload(&means)?);
    let (on_scales, on_x) = (gpu.upload(&scales)?, gpu.upload(&x)?);
    let mut seconds = f64::INFINITY;
    let mut error = 0.0_f64;
    // the first call compiles the kernels
    for _ in 0..3 {
        let mut on_d_weights = gpu.zeros(k)?;
        let (mut on_d_means, mut on_d_scales) = (gpu.zeros(k * d)?, gpu.zeros(k * d)?);
        gpu.wait()?;
        let start = Instant::now();
        let on_value = mixture::cuda::grad(
            gpu,
            &on_weights,
            &mut on_d_weights,
            &on_means,
            &mut on_d_means,
            &on_scales,
            &mut on_d_scales,
            &on_x,
            d,
            k,
            n,
        )?;
        gpu.wait()?;
        seconds = seconds.min(start.elapsed().as_secs_f64());
        error = error.max((on_value - value).abs() / value.abs());
        for (ours, expected) in [
            (on_d_weights.download()?, &d_weights),
            (on_d_means.download()?, &d_means),
            (on_d_scales.download()?, &d_scales),
        ] {
            let scale = expected.iter().fold(1e-300, |scale: f64, it| scale.max(it.abs()));
            error = ours.iter().zip(expected).fold(error, |error, (a, b)| error.max((a - b).abs() / scale));
        }
    }
    println!("value {value:.6}; largest difference to the CPU's value and gradient {error:.1e}");
    println!("{:.3} ms on the CPU, {:.3} ms there", 1e3 * on_cpu.as_secs_f64(), 1e3 * seconds);
    Ok(error < 1e-9)
}

fn main() -> ExitCode {
    let on_cpu = std::env::args().any(|argument| argument == "on-cpu");
    let gpu = if on_cpu { Gpu::on_cpu(OnCpu::default()) } else { Gpu::new(0) };
    match gpu.and_then(|gpu| run(&gpu, if on_cpu { 300 } else { 1_000_000 })) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => {
            eprintln!("error: the two gradients differ");
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
