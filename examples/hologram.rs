//! Finds a hologram: phases of light that draw a picture far away, through Fourier transforms of the crate
//! `rustfft`.
//!
//! ```text
//! cargo run --release --example hologram -- [PATH.svg]
//! ```
//!
//! Each cell of a screen shifts the phase of a plane wave. What arrives far away is the Fourier transform of the
//! field behind the screen, and the eye sees its intensity. The attribute does not look into the transform, whose
//! adjoint is the transform back; L-BFGS looks for the phases. A picture shows them, and the intensities that were
//! wanted and that were found.

use pardiff_examples::descent;
use pardiff_examples::fields::{self, Field};
use pardiff_examples::random::Random;
use std::f64::consts::TAU;

const N: usize = 64;

#[pardiff::differentiate]
#[allow(clippy::needless_range_loop, reason = "kernels as numerical programmers write them")]
mod kernels {
    use rustfft::num_complex::Complex;
    use rustfft::{FftDirection, FftPlanner};

    /// The transform of a field of `n` by `n` complex numbers, real and imaginary parts in turn.
    #[differentiate(custom(vjp = fourier_vjp, jvp = fourier_jvp))]
    fn fourier(field: &[f64], far: &mut [f64], n: usize) {
        transform(field, far, n, FftDirection::Forward);
    }

    /// It is linear: its adjoint is its conjugate transpose, which is the transform back without a factor.
    fn fourier_vjp(field: &[f64], d_field: &mut [f64], far: &mut [f64], d_far: &mut [f64], n: usize) {
        let mut back = vec![0.0; d_far.len()];
        transform(d_far, &mut back, n, FftDirection::Inverse);
        d_field.iter_mut().zip(&back).for_each(|(d, back)| *d += back);
        d_far.fill(0.0);
        fourier(field, far, n);
    }

    fn fourier_jvp(field: &[f64], field_dot: &[f64], far: &mut [f64], far_dot: &mut [f64], n: usize) {
        fourier(field, far, n);
        fourier(field_dot, far_dot, n);
    }

    /// Along the rows, then along the columns.
    fn transform(from: &[f64], to: &mut [f64], n: usize, direction: FftDirection) {
        let plan = FftPlanner::new().plan_fft(n, direction);
        let mut cells: Vec<Complex<f64>> =
            from.chunks(2).map(|part| Complex::new(part[0], part[1])).collect();
        for _ in 0..2 {
            plan.process(&mut cells);
            for i in 0..n {
                for j in 0..i {
                    cells.swap(i * n + j, j * n + i);
                }
            }
        }
        for (part, cell) in to.chunks_mut(2).zip(&cells) {
            part.copy_from_slice(&[cell.re, cell.im]);
        }
    }

    /// The intensity far away, 1 in the mean, of a wave with these phases.
    pub fn intensity(phase: &[f64], seen: &mut [f64], n: usize) {
        let mut field = vec![0.0; 2 * n * n];
        for k in 0..n * n {
            field[2 * k] = phase[k].cos();
            field[2 * k + 1] = phase[k].sin();
        }
        let mut far = vec![0.0; 2 * n * n];
        fourier(&field, &mut far, n);
        let cells = (n * n) as f64;
        for k in 0..n * n {
            seen[k] = (far[2 * k] * far[2 * k] + far[2 * k + 1] * far[2 * k + 1]) / cells;
        }
    }

    /// The mean squared error of the intensity.
    #[differentiate(wrt(phase), forward, check)]
    pub fn loss(phase: &[f64], wanted: &[f64], n: usize) -> f64 {
        let mut seen = vec![0.0; n * n];
        intensity(phase, &mut seen, n);
        let mut total = 0.0;
        for k in 0..n * n {
            let error = seen[k] - wanted[k];
            total += error * error;
        }
        total / (n * n) as f64
    }
}

use kernels::{intensity, loss};

/// A ring with a cross in it, 1 in the mean.
fn wanted() -> Vec<f64> {
    let cell = |k: usize| {
        let at = |k: usize| k as f64 - 0.5 * (N - 1) as f64;
        let (x, y) = (at(k % N), at(k / N));
        let ring = (x.hypot(y) - 22.0).abs() < 3.0;
        let cross = x.hypot(y) < 16.0 && x.abs().min(y.abs()) < 2.0;
        if ring || cross { 1.0 } else { 0.0 }
    };
    let cells: Vec<f64> = (0..N * N).map(cell).collect();
    let mean = cells.iter().sum::<f64>() / (N * N) as f64;
    cells.iter().map(|cell| cell / mean).collect()
}

fn main() -> Result<(), String> {
    let wanted = wanted();
    let mut random = Random(7);
    let start: Vec<f64> = (0..N * N).map(|_| TAU * random.unit()).collect();
    println!("{N} by {N} phases");

    let report = loss::check(&start, &wanted, N).map_err(|mismatch| mismatch.to_string())?;
    println!("check: {report}");
    let gradient = |phase: &[f64]| {
        let mut gradient = vec![0.0; phase.len()];
        let value = loss::grad(phase, &mut gradient, &wanted, N);
        (value, gradient)
    };
    let before = loss(&start, &wanted, N);

    println!("design, L-BFGS");
    let scaled = |phase: &[f64]| {
        let (value, gradient) = gradient(phase);
        let scale = (N * N) as f64;
        (scale * value, gradient.iter().map(|g| scale * g).collect())
    };
    let (found, _) = descent::minimise(scaled, start.clone(), 200)?;
    let mut seen = vec![0.0; N * N];
    intensity(&found, &mut seen, N);
    let after = loss(&found, &wanted, N);
    println!("  mean squared error {before:.3} -> {after:.3}");
    if after > 0.2 * before {
        return Err("the picture was not drawn".to_owned());
    }
    let phases: Vec<f64> = found.iter().map(|phase| phase.rem_euclid(TAU)).collect();
    let high = wanted.iter().copied().fold(0.0, f64::max);
    let field = |title, values, high| Field { title, values, width: N, low: 0.0, high };
    fields::write(
        "hologram",
        &[field("wanted", &wanted, high), field("seen", &seen, high), field("phases", &phases, TAU)],
    )
}
