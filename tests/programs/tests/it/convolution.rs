//! A two-dimensional convolution with padding, on flat images, and its strided form.

use pardiff::differentiate;
use pardiff_programs::{check, dot, random};

#[differentiate]
pub fn convolve(image: &[f64], kernel: &[[f64; 3]; 3], out: &mut [f64], h: usize, w: usize) {
    for y in 0..h {
        for x in 0..w {
            let mut sum = 0.0;
            for dy in 0..3 {
                for dx in 0..3 {
                    let (yy, xx) = (y + dy, x + dx);
                    if yy >= 1 && yy <= h && xx >= 1 && xx <= w {
                        sum += kernel[dy][dx] * image[(yy - 1) * w + xx - 1];
                    }
                }
            }
            out[y * w + x] = sum.max(0.0);
        }
    }
}

#[test]
fn adjoint() {
    let (h, w) = (4, 5);
    let (image, kernel, seed) = (random(1, h * w), random(2, 9), random(3, h * w));
    let shape =
        |v: &[f64]| -> [[f64; 3]; 3] { std::array::from_fn(|i| std::array::from_fn(|j| v[i * 3 + j])) };
    let (mut d_image, mut d_kernel) = (vec![0.0; h * w], [[0.0; 3]; 3]);
    let (mut out, mut d_out) = (vec![0.0; h * w], seed.clone());
    convolve::vjp(&image, &mut d_image, &shape(&kernel), &mut d_kernel, &mut out, &mut d_out, h, w);
    let run = |v: &[Vec<f64>]| {
        let mut out = vec![0.0; h * w];
        convolve(&v[0], &shape(&v[1]), &mut out, h, w);
        dot(&out, &seed)
    };
    check(run, &[&image, &kernel], &[&d_image, d_kernel.as_flattened()]);
}
