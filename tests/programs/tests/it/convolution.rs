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

/// Images of several channels in a batch, with a rectifier; both ways to write the edge.
mod layers {
    use pardiff::differentiate;

    #[allow(clippy::too_many_arguments)]
    #[differentiate(wrt(x, weight, bias))]
    pub fn unsigned(
        x: &[f64],
        weight: &[f64],
        bias: &[f64],
        target: &[f64],
        batch: usize,
        inputs: usize,
        height: usize,
        width: usize,
    ) -> f64 {
        let outputs = bias.len();
        let mut loss = 0.0;
        for b in 0..batch {
            for o in 0..outputs {
                for i in 0..height {
                    for j in 0..width {
                        let mut s = bias[o];
                        for c in 0..inputs {
                            for di in 0..3 {
                                for dj in 0..3 {
                                    if i + di >= 1 && i + di < height + 1 && j + dj >= 1 && j + dj < width + 1
                                    {
                                        s += weight[((o * inputs + c) * 3 + di) * 3 + dj]
                                            * x[((b * inputs + c) * height + i + di - 1) * width + j + dj
                                                - 1];
                                    }
                                }
                            }
                        }
                        let e = s.max(0.0) - target[((b * outputs + o) * height + i) * width + j];
                        loss += e * e;
                    }
                }
            }
        }
        loss
    }

    #[allow(clippy::too_many_arguments)]
    #[differentiate(wrt(x, weight, bias))]
    pub fn signed(
        x: &[f64],
        weight: &[f64],
        bias: &[f64],
        target: &[f64],
        batch: usize,
        inputs: usize,
        height: usize,
        width: usize,
    ) -> f64 {
        let outputs = bias.len();
        let mut loss = 0.0;
        for b in 0..batch {
            for o in 0..outputs {
                for i in 0..height {
                    for j in 0..width {
                        let mut s = bias[o];
                        for c in 0..inputs {
                            for di in 0..3 {
                                for dj in 0..3 {
                                    let ii = i as isize + di as isize - 1;
                                    let jj = j as isize + dj as isize - 1;
                                    if ii >= 0 && ii < height as isize && jj >= 0 && jj < width as isize {
                                        s += weight[((o * inputs + c) * 3 + di) * 3 + dj]
                                            * x[((b * inputs + c) * height + ii as usize) * width
                                                + jj as usize];
                                    }
                                }
                            }
                        }
                        let e = s.max(0.0) - target[((b * outputs + o) * height + i) * width + j];
                        loss += e * e;
                    }
                }
            }
        }
        loss
    }
}

#[test]
fn layers_with_edges() {
    for (batch, inputs, outputs, height, width) in
        [(2, 3, 2, 5, 11), (1, 1, 1, 1, 1), (3, 2, 3, 2, 19), (0, 1, 1, 3, 3)]
    {
        let x = random(1, batch * inputs * height * width);
        let (weight, bias) = (random(2, outputs * inputs * 9), random(3, outputs));
        let target = random(4, batch * outputs * height * width);
        let of_unsigned =
            |v: &[Vec<f64>]| layers::unsigned(&v[0], &v[1], &v[2], &target, batch, inputs, height, width);
        let (value, g) =
            layers::unsigned::gradient(&x, &weight, &bias, &target, batch, inputs, height, width);
        assert!(
            (value - of_unsigned(&[x.clone(), weight.clone(), bias.clone()])).abs() <= 1e-13 * value.abs()
        );
        check(of_unsigned, &[&x, &weight, &bias], &[&g.x, &g.weight, &g.bias]);
        let (same, h) = layers::signed::gradient(&x, &weight, &bias, &target, batch, inputs, height, width);
        assert!((value - same).abs() <= 1e-13 * value.abs());
        for (one, other) in [(&g.x, &h.x), (&g.weight, &h.weight), (&g.bias, &h.bias)] {
            assert!(one.iter().zip(other).all(|(a, b)| (a - b).abs() <= 1e-12 * (1.0 + a.abs())));
        }
    }
}

#[test]
fn pixels_of_a_row_are_lanes() {
    for plan in [layers::unsigned::DECISIONS, layers::signed::DECISIONS] {
        assert_eq!(
            plan.matches("blocks of lanes in 1 loops: lanes over loops in the middle").count(),
            2,
            "{plan}"
        );
    }
}

#[test]
fn rows_that_conditions_keep_in_an_image_have_one_owner() {
    for plan in [layers::unsigned::DECISIONS, layers::signed::DECISIONS] {
        assert!(
            !plan.contains("d_x_parts") && plan.contains("one owner: checked when it runs: no index wraps"),
            "{plan}"
        );
    }
}
