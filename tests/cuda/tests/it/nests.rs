//! Kernels whose iterations are run by blocks of threads.

use crate::gradients::{assert_close, devices, message, numbers};
use pardiff_cuda_tests as kernels;

#[test]
pub(crate) fn threads_of_a_block_exchange_values_by_a_tile() {
    let n = 64 * 70;
    let w: [f64; 64] = numbers(64, 31).try_into().unwrap();
    let (x, y, seed) = (numbers(n, 30), numbers(n, 32), numbers(n, 33));
    let (mut y_out, mut d_x, mut d_w, mut d_y) = (y.clone(), vec![0.0; n], [0.0; 64], seed.clone());
    let value = kernels::tiles::vjp(&x, &mut d_x, &w, &mut d_w, &mut y_out, &mut d_y, 0.75);
    for gpu in devices() {
        let (on_x, on_w) = (gpu.upload(&x).unwrap(), gpu.upload(&w).unwrap());
        let (mut on_d_x, mut on_d_w) = (gpu.zeros(n).unwrap(), gpu.zeros(64).unwrap());
        let (mut on_y, mut on_d_y) = (gpu.upload(&y).unwrap(), gpu.upload(&seed).unwrap());
        let on_value = kernels::tiles::cuda::vjp(
            &gpu,
            &on_x,
            &mut on_d_x,
            &on_w,
            &mut on_d_w,
            &mut on_y,
            &mut on_d_y,
            0.75,
        );
        assert_close("value", &[on_value.unwrap()], &[value], 1e-13);
        assert_close("y", &on_y.download().unwrap(), &y_out, 1e-13);
        assert_close("d_x", &on_d_x.download().unwrap(), &d_x, 1e-12);
        assert_close("d_w", &on_d_w.download().unwrap(), &d_w, 1e-12);
        assert_close("d_y", &on_d_y.download().unwrap(), &d_y, 1e-13);
    }
}

#[test]
pub(crate) fn long_rows_are_run_by_blocks_and_short_ones_by_threads() {
    for (n, m) in [(70, 100), (130, 3), (70, 0), (0, 80)] {
        let (a, x) = (numbers(n * m, 34), numbers(40, 35));
        let index: Vec<usize> = (0..m).map(|j| 7 * j % 40).collect();
        let (mut d_a, mut d_x) = (vec![0.0; n * m], vec![0.0; 40]);
        let value = kernels::rows::grad(&a, &mut d_a, &x, &mut d_x, &index, n, m);
        for gpu in devices() {
            let (on_a, on_x) = (gpu.upload(&a).unwrap(), gpu.upload(&x).unwrap());
            let on_index = gpu.upload(&index).unwrap();
            let (mut on_d_a, mut on_d_x) = (gpu.zeros(n * m).unwrap(), gpu.zeros(40).unwrap());
            let on_value =
                kernels::rows::cuda::grad(&gpu, &on_a, &mut on_d_a, &on_x, &mut on_d_x, &on_index, n, m);
            assert_close("value", &[on_value.unwrap()], &[value], 1e-12);
            assert_close("d_a", &on_d_a.download().unwrap(), &d_a, 1e-12);
            assert_close("d_x", &on_d_x.download().unwrap(), &d_x, 1e-12);
        }
    }
}

#[test]
pub(crate) fn blocks_read_squares_by_way_of_shared_memory() {
    // the largest grid is cut into tiles, the others are small
    for n in [520, 70, 3, 1] {
        let (x, seed, mut d_x) = (numbers(n * n, 36), numbers(n * n, 39), vec![0.0; n * n]);
        let (mut y, mut d_y) = (vec![0.25; n * n], seed.clone());
        kernels::smoothed::vjp(&x, &mut d_x, &mut y, &mut d_y, n);
        for gpu in devices() {
            let (on_x, mut on_d_x) = (gpu.upload(&x).unwrap(), gpu.zeros(n * n).unwrap());
            let mut on_y = gpu.upload(&vec![0.25; n * n]).unwrap();
            let mut on_d_y = gpu.upload(&seed).unwrap();
            kernels::smoothed::cuda::vjp(&gpu, &on_x, &mut on_d_x, &mut on_y, &mut on_d_y, n).unwrap();
            assert_close("y", &on_y.download().unwrap(), &y, 1e-14);
            assert_close("d_x", &on_d_x.download().unwrap(), &d_x, 1e-13);
            assert_close("d_y", &on_d_y.download().unwrap(), &d_y, 1e-13);
        }
    }
}

#[test]
pub(crate) fn blocks_read_rows_by_way_of_shared_memory() {
    // rows that are few, too short, or too long, are read where they are
    for (n, d) in [(8300, 12), (8192, 32), (300, 12), (130, 8), (70, 3), (40, 33), (0, 9), (9, 0)] {
        let (x, w, mut d_w) = (numbers(n * d, 37), numbers(d, 38), vec![0.0; d]);
        let value = kernels::scanned::grad(&x, &w, &mut d_w, n, d);
        for gpu in devices() {
            let (on_x, on_w) = (gpu.upload(&x).unwrap(), gpu.upload(&w).unwrap());
            let mut on_d_w = gpu.zeros(d).unwrap();
            let on_value = kernels::scanned::cuda::grad(&gpu, &on_x, &on_w, &mut on_d_w, n, d);
            assert_close("value", &[on_value.unwrap()], &[value], 1e-12);
            assert_close("d_w", &on_d_w.download().unwrap(), &d_w, 1e-11);
        }
    }
    for plan in [kernels::scanned::DECISIONS, kernels::smoothed::DECISIONS] {
        assert!(plan.contains("with its part of `x` in shared memory"), "{plan}");
    }
    // an element that is not there, in a row that a block copies
    let (x, w) = (numbers(8192 * 9 - 5, 37), numbers(9, 38));
    let expected = message(|| {
        kernels::scanned::grad(&x, &w, &mut [0.0; 9], 8192, 9);
    });
    assert!(expected.contains("index out of range in `x[i * d + j]`"), "{expected}");
    for gpu in devices() {
        let on_gpu = message(|| {
            let (on_x, on_w) = (gpu.upload(&x).unwrap(), gpu.upload(&w).unwrap());
            let mut on_d_w = gpu.zeros(9).unwrap();
            kernels::scanned::cuda::grad(&gpu, &on_x, &on_w, &mut on_d_w, 8192, 9).unwrap();
        });
        // which of the threads is the first is not fixed
        assert_eq!(on_gpu.split(':').next(), expected.split(':').next(), "{on_gpu}");
    }
}

#[test]
pub(crate) fn a_check_that_fails_in_one_thread_of_a_block_ends_the_call() {
    let (n, m) = (70, 100);
    let (a, x) = (numbers(n * m, 36), numbers(40, 37));
    let mut index = vec![3; m];
    index[77] = 40;
    let expected = message(|| {
        kernels::rows::grad(&a, &mut vec![0.0; n * m], &x, &mut [0.0; 40], &index, n, m);
    });
    assert!(expected.contains("x[index[j]]"), "{expected}");
    for gpu in devices() {
        let (on_a, on_x) = (gpu.upload(&a).unwrap(), gpu.upload(&x).unwrap());
        let on_index = gpu.upload(&index).unwrap();
        let (mut on_d_a, mut on_d_x) = (gpu.zeros(n * m).unwrap(), gpu.zeros(40).unwrap());
        let on_gpu = message(|| {
            let call = kernels::rows::cuda::grad;
            call(&gpu, &on_a, &mut on_d_a, &on_x, &mut on_d_x, &on_index, n, m).unwrap();
        });
        assert_eq!(on_gpu, expected);
    }
}
