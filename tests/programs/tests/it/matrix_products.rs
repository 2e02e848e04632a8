//! Products of matrices that are large enough for a library, against the same loops with their sums in order.

use ndarray::{Array2, ArrayView2, ArrayViewMut2};
use pardiff::differentiate;
use pardiff_programs::{assert_near, random};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The kernels, with an option.
macro_rules! kernels {
    ($name:ident $(, $option:ident)?) => {
        mod $name {
            use super::*;

            #[differentiate($($option)?)]
            pub fn product(a: &[f64], b: &[f64], c: &mut [f64], m: usize, n: usize, k: usize) {
                for i in 0..m {
                    for j in 0..n {
                        let mut s = 0.0;
                        for l in 0..k {
                            s += a[i * k + l] * b[l * n + j];
                        }
                        c[i * n + j] = s;
                    }
                }
            }

            /// Two layers for each sample.
            #[differentiate($($option)?)]
            pub fn layers(x: &[f64], w1: &[f64], w2: &[f64], n: usize, d: usize, h: usize, o: usize) -> f64 {
                let mut loss = 0.0;
                for i in 0..n {
                    let mut hidden = vec![0.0; h];
                    for l in 0..d {
                        for j in 0..h {
                            hidden[j] += x[i * d + l] * w1[l * h + j];
                        }
                    }
                    for j in 0..h {
                        hidden[j] = hidden[j].tanh();
                    }
                    for q in 0..o {
                        let mut y = 0.0;
                        for j in 0..h {
                            y += hidden[j] * w2[j * o + q];
                        }
                        loss += y * y;
                    }
                }
                loss
            }

            #[differentiate($($option)?)]
            pub fn nested(a: &[[f32; 70]], b: &[[f32; 65]; 70], c: &mut [[f32; 65]]) {
                for i in 0..a.len() {
                    for l in 0..70 {
                        for j in 0..65 {
                            c[i][j] -= 0.5 * a[i][l] * b[l][j];
                        }
                    }
                }
            }

            #[differentiate($($option)?)]
            pub fn views(a: ArrayView2<f64>, b: &Array2<f64>, mut c: ArrayViewMut2<f64>) {
                for i in 0..a.nrows() {
                    for j in 0..b.ncols() {
                        for l in 0..a.ncols() {
                            c[[i, j]] += a[[i, l]] * b[[l, j]];
                        }
                    }
                }
            }
        }
    };
}

kernels!(by_library);
kernels!(in_order, strict);

/// Sizes on both sides of what is large.
const SIZES: [(usize, usize, usize); 4] = [(70, 64, 65), (1100, 64, 66), (3, 4, 5), (65, 0, 65)];

#[test]
fn a_product() {
    assert!(
        by_library::product::DECISIONS.contains("the crate `gemm`"),
        "{}",
        by_library::product::DECISIONS
    );
    assert!(!in_order::product::DECISIONS.contains("gemm"), "{}", in_order::product::DECISIONS);
    for (m, n, k) in SIZES {
        let (a, b, seed) = (random(1, m * k), random(2, k * n), random(3, m * n));
        let run = |large: bool| {
            let (mut d_a, mut d_b) = (random(4, m * k), random(5, k * n));
            let (mut c, mut d_c) = (random(6, m * n), seed.clone());
            match large {
                true => by_library::product::vjp(&a, &mut d_a, &b, &mut d_b, &mut c, &mut d_c, m, n, k),
                false => in_order::product::vjp(&a, &mut d_a, &b, &mut d_b, &mut c, &mut d_c, m, n, k),
            }
            (c, d_a, d_b, d_c)
        };
        let (large, strict) = (run(true), run(false));
        assert_near(&large.0, &strict.0);
        assert_near(&large.1, &strict.1);
        assert_near(&large.2, &strict.2);
        assert_near(&large.3, &strict.3);
        let mut c = vec![0.0; m * n];
        by_library::product::value(&a, &b, &mut c, m, n, k);
        assert_near(&c, &strict.0);
    }
}

#[test]
fn layers() {
    for (n, d, h, o) in [(1100, 66, 70, 64), (100, 70, 64, 5), (70, 3, 2, 4)] {
        let (x, w1, w2) = (random(1, n * d), random(2, d * h), random(3, h * o));
        let large = by_library::layers::gradient(&x, &w1, &w2, n, d, h, o);
        let strict = in_order::layers::gradient(&x, &w1, &w2, n, d, h, o);
        assert_near(&[large.0], &[strict.0]);
        assert_near(&large.1.x, &strict.1.x);
        assert_near(&large.1.w1, &strict.1.w1);
        assert_near(&large.1.w2, &strict.1.w2);
    }
}

#[test]
fn rows_as_arrays_in_single_precision() {
    let single =
        |seed: u64, len: usize| -> Vec<f32> { random(seed, len).iter().map(|x| *x as f32).collect() };
    let rows: Vec<[f32; 70]> = single(1, 70 * 80).as_chunks().0.to_vec();
    let b: [[f32; 65]; 70] = single(2, 65 * 70).as_chunks().0.to_vec().try_into().expect("70 rows");
    let start: Vec<[f32; 65]> = single(3, 65 * 80).as_chunks().0.to_vec();
    let run = |large: bool| {
        let (mut d_a, mut d_b) = (vec![[0.0; 70]; 80], [[0.0; 65]; 70]);
        let (mut c, mut d_c) = (start.clone(), start.clone());
        match large {
            true => by_library::nested::vjp(&rows, &mut d_a, &b, &mut d_b, &mut c, &mut d_c),
            false => in_order::nested::vjp(&rows, &mut d_a, &b, &mut d_b, &mut c, &mut d_c),
        }
        let all = [c.as_flattened(), d_a.as_flattened(), d_b.as_flattened(), d_c.as_flattened()].concat();
        all.into_iter().map(f64::from).collect::<Vec<f64>>()
    };
    for (large, strict) in run(true).iter().zip(run(false)) {
        assert!((large - strict).abs() <= 1e-4 * strict.abs().max(1.0), "{large} {strict}");
    }
}

#[test]
fn views_of_matrices() {
    let matrix = |seed: u64, rows: usize, columns: usize| {
        Array2::from_shape_vec((rows, columns), random(seed, rows * columns))
            .expect("as many numbers as elements")
    };
    let (a, b, start) = (matrix(1, 70, 80), matrix(2, 80, 65), matrix(3, 70, 65));
    // the factor as it is, and with its columns contiguous
    for a in [a.clone(), a.t().as_standard_layout().reversed_axes().to_owned()] {
        let run = |large: bool| {
            let (mut d_a, mut d_b) = (Array2::zeros((70, 80)), Array2::zeros((80, 65)));
            let (mut c, mut d_c) = (start.clone(), start.clone());
            let (a, d_a_view, c_view, d_c_view) = (a.view(), d_a.view_mut(), c.view_mut(), d_c.view_mut());
            match large {
                true => by_library::views::vjp(a, d_a_view, &b, &mut d_b, c_view, d_c_view),
                false => in_order::views::vjp(a, d_a_view, &b, &mut d_b, c_view, d_c_view),
            }
            (c, d_a, d_b)
        };
        let (large, strict) = (run(true), run(false));
        for (large, strict) in [(large.0, strict.0), (large.1, strict.1), (large.2, strict.2)] {
            let numbers = |it: &Array2<f64>| it.iter().copied().collect::<Vec<f64>>();
            assert_near(&numbers(&large), &numbers(&strict));
        }
    }
}

#[test]
fn what_is_not_there_panics_as_before() {
    let (a, b) = (random(1, 70 * 70), random(2, 70 * 70 - 1));
    let mut c = vec![0.0; 70 * 70];
    let panicked = catch_unwind(AssertUnwindSafe(|| by_library::product::value(&a, &b, &mut c, 70, 70, 70)));
    let panic = panicked.expect_err("an element of `b` is missing");
    let message = panic.downcast_ref::<String>().expect("a message");
    assert!(message.contains("`b`") && message.contains("4899"), "{message}");
}

#[test]
fn the_bits_do_not_depend_on_threads() {
    let (m, n, k) = (300, 200, 100);
    let (a, b) = (random(1, m * k), random(2, k * n));
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        pool.install(|| {
            let (mut c, mut d_c) = (vec![0.0; m * n], random(3, m * n));
            let (mut d_a, mut d_b) = (vec![0.0; m * k], vec![0.0; k * n]);
            by_library::product::vjp(&a, &mut d_a, &b, &mut d_b, &mut c, &mut d_c, m, n, k);
            [c, d_a, d_b].concat().iter().map(|x| x.to_bits()).collect::<Vec<u64>>()
        })
    };
    assert_eq!(on(1), on(3));
}
