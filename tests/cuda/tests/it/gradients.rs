//! Gradients by kernels against those for the CPU.

use crate::nvrtc::library;
use pardiff::cuda::{Gpu, OnCpu};
use pardiff_cuda_tests as kernels;
use std::cell::RefCell;
use std::path::PathBuf;

thread_local! {
    /// The device of this test, where it is not the CPU.
    static GPU: RefCell<Option<Gpu>> = const { RefCell::new(None) };
}

/// Devices with different orders of threads and blocks; on one of them kernels pass NVRTC as well. Inside of [`on_gpu`]: the GPU.
pub(crate) fn devices() -> Vec<Gpu> {
    devices_by(library())
}

/// The same, where kernels pass that NVRTC, or none.
pub(crate) fn devices_by(nvrtc: Option<PathBuf>) -> Vec<Gpu> {
    if let Some(gpu) = GPU.with_borrow(Clone::clone) {
        return vec![gpu];
    }
    let one = |seed| {
        let options = OnCpu::seeded(seed);
        let options = match &nvrtc {
            Some(nvrtc) => options.compiled_by(nvrtc.clone()),
            None => options,
        };
        Gpu::on_cpu(options).unwrap()
    };
    vec![one(1), one(2)]
}

/// Runs tests on the GPU in the CPU's place.
pub(crate) fn on_gpu(tests: &[(&str, fn())]) {
    let gpu = Gpu::new(0).unwrap_or_else(|error| panic!("{error}"));
    GPU.with_borrow_mut(|it| *it = Some(gpu));
    for (name, test) in tests {
        test();
        println!("{name}: as on the CPU");
    }
    GPU.with_borrow_mut(|it| *it = None);
}

pub(crate) fn assert_close(name: &str, ours: &[f64], expected: &[f64], relative: f64) {
    assert_eq!(ours.len(), expected.len(), "{name}");
    // functions of a GPU have roundings of their own
    let relative = if GPU.with_borrow(Option::is_some) { 100.0 * relative } else { relative };
    let scale = expected.iter().fold(1e-30, |scale: f64, it| scale.max(it.abs()));
    for (at, (a, b)) in ours.iter().zip(expected).enumerate() {
        assert!((a - b).abs() <= relative * scale, "{name}[{at}]: {a} is not {b}");
    }
}

fn wide(values: &[f32]) -> Vec<f64> {
    values.iter().map(|&it| f64::from(it)).collect()
}

/// Numbers between -1 and 1.
pub(crate) fn numbers(n: usize, seed: u64) -> Vec<f64> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    };
    (0..n).map(|_| next()).collect()
}

fn narrow(values: &[f64]) -> Vec<f32> {
    values.iter().map(|&it| it as f32).collect()
}

#[test]
pub(crate) fn elementwise() {
    for n in [0, 1, 300] {
        let (x, y) = (numbers(n, 1), numbers(n, 2));
        let (mut y_out, mut d_x, mut d_y, mut d_scale) = (y.clone(), vec![0.5; n], vec![0.25; n], 2.0);
        let value = kernels::elementwise::grad(&x, &mut d_x, &mut y_out, &mut d_y, 1.5, &mut d_scale);
        for gpu in devices() {
            let (on_x, mut on_y) = (gpu.upload(&x).unwrap(), gpu.upload(&y).unwrap());
            let (mut on_d_x, mut on_d_y) =
                (gpu.upload(&vec![0.5; n]).unwrap(), gpu.upload(&vec![0.25; n]).unwrap());
            let mut on_d_scale = 2.0;
            let on_value = kernels::elementwise::cuda::grad(
                &gpu,
                &on_x,
                &mut on_d_x,
                &mut on_y,
                &mut on_d_y,
                1.5,
                &mut on_d_scale,
            );
            assert_close("value", &[on_value.unwrap(), on_d_scale], &[value, d_scale], 1e-13);
            assert_close("y", &on_y.download().unwrap(), &y_out, 1e-14);
            assert_close("d_x", &on_d_x.download().unwrap(), &d_x, 1e-14);
            assert_close("d_y", &on_d_y.download().unwrap(), &d_y, 1e-14);
        }
    }
}

#[test]
pub(crate) fn masked_mean() {
    let x = numbers(777, 8);
    let keep: Vec<bool> = x.iter().map(|it| *it > -0.3).collect();
    let mut d_x = vec![0.5; 777];
    let value = kernels::masked_mean::grad(&x, &mut d_x, &keep);
    for gpu in devices() {
        let (on_x, on_keep) = (gpu.upload(&x).unwrap(), gpu.upload(&keep).unwrap());
        let mut on_d_x = gpu.upload(&vec![0.5; 777]).unwrap();
        let on_value = kernels::masked_mean::cuda::grad(&gpu, &on_x, &mut on_d_x, &on_keep).unwrap();
        assert_close("value", &[on_value], &[value], 1e-13);
        assert_close("d_x", &on_d_x.download().unwrap(), &d_x, 1e-14);
    }
}

#[test]
pub(crate) fn reductions() {
    let (x, w) = (narrow(&numbers(777, 3)), vec![0.5; 777]);
    let (mut d_x, mut d_w) = (vec![0.0; 777], vec![0.0; 777]);
    let value = kernels::reductions::grad(&x, &mut d_x, &w, &mut d_w);
    let terms: Vec<f64> = x.iter().map(|&x| f64::from(x).exp()).collect();
    let sum = 0.5 * terms.iter().sum::<f64>();
    let by_w: Vec<f64> = terms.iter().map(|term| term / sum).collect();
    let by_x: Vec<f64> = by_w.iter().map(|by_w| 0.5 * by_w).collect();
    // the largest element also gets one less a sum of `f32` that is one, and the largest derivative is 0.003
    let of_x = 2e-4;
    assert_close("d_x", &wide(&d_x), &by_x, of_x);
    assert_close("d_w", &wide(&d_w), &by_w, 1e-5);
    for gpu in devices() {
        let (on_x, on_w) = (gpu.upload(&x).unwrap(), gpu.upload(&w).unwrap());
        let (mut on_d_x, mut on_d_w) = (gpu.zeros(777).unwrap(), gpu.zeros(777).unwrap());
        let on_value = kernels::reductions::cuda::grad(&gpu, &on_x, &mut on_d_x, &on_w, &mut on_d_w).unwrap();
        assert_close("value", &[on_value.into()], &[value.into()], 1e-6);
        assert_close("d_x", &wide(&on_d_x.download().unwrap()), &by_x, of_x);
        assert_close("d_w", &wide(&on_d_w.download().unwrap()), &by_w, 1e-5);
    }
}

/// Rows of three, whose columns repeat.
fn sparse(n: usize) -> (Vec<u32>, Vec<u32>) {
    let row_start = (0..=n).map(|i| 3 * i as u32).collect();
    let columns = (0..3 * n).map(|k| ((7 * k + k / 5) % n) as u32).collect();
    (row_start, columns)
}

#[test]
pub(crate) fn spmv() {
    let n = 200;
    let (row_start, columns) = sparse(n);
    of_rows(&row_start, &columns, n);
}

#[test]
pub(crate) fn rows_that_overlap_are_summed_as_well() {
    let n = 200;
    let (mut row_start, columns) = sparse(n);
    // an empty row, behind which the next one begins again inside of the one before
    row_start[71] = 216;
    row_start[72] = 205;
    of_rows(&row_start, &columns, n);
}

fn of_rows(row_start: &[u32], columns: &[u32], n: usize) {
    use kernels::{device, spmv::spmv};
    let (values, x) = (numbers(3 * n, 6), numbers(n, 7));
    let (mut d_values, mut d_x) = (vec![0.0; 3 * n], vec![0.0; n]);
    let on_cpu = pardiff_workloads::spmv::spmv::grad;
    let value = on_cpu(&values, &mut d_values, &x, &mut d_x, row_start, columns, n);
    for gpu in devices() {
        let (mut on_d_values, mut on_d_x) = (vec![0.0; 3 * n], vec![0.0; n]);
        let on_value = device::with(&gpu, false, || {
            spmv::grad(&values, &mut on_d_values, &x, &mut on_d_x, row_start, columns, n)
        });
        assert_close("value", &[on_value], &[value], 1e-13);
        assert_close("d_values", &on_d_values, &d_values, 1e-13);
        assert_close("d_x", &on_d_x, &d_x, 1e-13);
    }
}

#[test]
pub(crate) fn scatter() {
    // few elements, and more than threads have copies of
    [20, 200].into_iter().for_each(scattered_over);
}

fn scattered_over(m: usize) {
    let n = 500;
    let (x, to): (Vec<f32>, Vec<usize>) = (narrow(&numbers(n, 9)), (0..n).map(|i| 3 * i % m).collect());
    let (mut out, mut d_out, mut d_x) = (vec![1.0; m], narrow(&numbers(m, 10)), vec![0.0; n]);
    let given = d_out.clone();
    kernels::scatter::vjp(&x, &mut d_x, &to, &mut out, &mut d_out);
    for gpu in devices() {
        let (on_x, on_to) = (gpu.upload(&x).unwrap(), gpu.upload(&to).unwrap());
        let (mut on_out, mut on_d_out) = (gpu.upload(&vec![1.0f32; m]).unwrap(), gpu.upload(&given).unwrap());
        let mut on_d_x = gpu.zeros(n).unwrap();
        kernels::scatter::cuda::vjp(&gpu, &on_x, &mut on_d_x, &on_to, &mut on_out, &mut on_d_out).unwrap();
        assert_close("out", &wide(&on_out.download().unwrap()), &wide(&out), 1e-5);
        assert_close("d_x", &wide(&on_d_x.download().unwrap()), &wide(&d_x), 1e-6);
        assert_close("d_out", &wide(&on_d_out.download().unwrap()), &wide(&d_out), 1e-6);
    }
}

#[test]
pub(crate) fn recurrence() {
    let x = numbers(100, 11);
    let (mut d_x, mut d_a) = (vec![0.0; 100], 0.0);
    let value = kernels::recurrence::grad(&x, &mut d_x, 0.9, &mut d_a);
    for gpu in devices() {
        let (on_x, mut on_d_x, mut on_d_a) = (gpu.upload(&x).unwrap(), gpu.zeros(100).unwrap(), 0.0);
        let on_value = kernels::recurrence::cuda::grad(&gpu, &on_x, &mut on_d_x, 0.9, &mut on_d_a).unwrap();
        assert_close("value", &[on_value, on_d_a], &[value, d_a], 1e-12);
        assert_close("d_x", &on_d_x.download().unwrap(), &d_x, 1e-12);
    }
}

#[test]
pub(crate) fn tabulated() {
    let x = numbers(200, 13);
    let keys: Vec<i32> = (0..200).map(|i| (i * 7919 % 4001) - 2000).collect();
    let mut d_x = vec![0.0; 200];
    let value = kernels::tabulated::grad(&x, &mut d_x, &keys, -0.25, 0.25);
    for gpu in devices() {
        let (on_x, on_keys) = (gpu.upload(&x).unwrap(), gpu.upload(&keys).unwrap());
        let mut on_d_x = gpu.zeros(200).unwrap();
        let on_value = kernels::tabulated::cuda::grad(&gpu, &on_x, &mut on_d_x, &on_keys, -0.25, 0.25);
        assert_close("value", &[on_value.unwrap()], &[value], 1e-13);
        assert_close("d_x", &on_d_x.download().unwrap(), &d_x, 1e-13);
    }
}

#[test]
pub(crate) fn an_element_that_nothing_is_added_to_need_not_exist() {
    let x = numbers(300, 14);
    for (len, k, above) in [(4, 2, -0.5), (4, 4, 2.0), (0, 1000, 2.0)] {
        let (y, seed) = (vec![1.0; len], vec![0.5; len]);
        let (mut y_out, mut d_y, mut d_x) = (y.clone(), seed.clone(), vec![0.0; 300]);
        kernels::one_element::vjp(&x, &mut d_x, &mut y_out, &mut d_y, k, above);
        for gpu in devices() {
            let (on_x, mut on_d_x) = (gpu.upload(&x).unwrap(), gpu.zeros(300).unwrap());
            let (mut on_y, mut on_d_y) = (gpu.upload(&y).unwrap(), gpu.upload(&seed).unwrap());
            kernels::one_element::cuda::vjp(&gpu, &on_x, &mut on_d_x, &mut on_y, &mut on_d_y, k, above)
                .unwrap();
            assert_close("y", &on_y.download().unwrap(), &y_out, 1e-13);
            assert_close("d_y", &on_d_y.download().unwrap(), &d_y, 1e-13);
            assert_close("d_x", &on_d_x.download().unwrap(), &d_x, 1e-13);
        }
    }
}

#[test]
pub(crate) fn grids_are_kernels_where_no_index_wraps() {
    assert!(
        kernels::sheared::DECISIONS.contains("sequential: where an index may wrap"),
        "{}",
        kernels::sheared::DECISIONS
    );
    // nothing iterates in the last one, whose rows are too long for any array
    for (n, m) in [(30, 40), (3, 3), (2, usize::MAX)] {
        let len = n * m.min(100);
        let (x, seed) = (numbers(len, 41), numbers(len, 42));
        let (mut y, mut d_y, mut d_x) = (vec![0.5; len], seed.clone(), vec![0.0; len]);
        kernels::sheared::vjp(&x, &mut d_x, &mut y, &mut d_y, n, m);
        for gpu in devices() {
            let (on_x, mut on_d_x) = (gpu.upload(&x).unwrap(), gpu.zeros(len).unwrap());
            let (mut on_y, mut on_d_y) = (gpu.upload(&vec![0.5; len]).unwrap(), gpu.upload(&seed).unwrap());
            kernels::sheared::cuda::vjp(&gpu, &on_x, &mut on_d_x, &mut on_y, &mut on_d_y, n, m).unwrap();
            assert_close("y", &on_y.download().unwrap(), &y, 1e-14);
            assert_close("d_x", &on_d_x.download().unwrap(), &d_x, 1e-13);
            assert_close("d_y", &on_d_y.download().unwrap(), &d_y, 1e-13);
        }
    }
}

/// The panic of a call.
pub(crate) fn message(call: impl FnOnce()) -> String {
    let payload = std::panic::catch_unwind(std::panic::AssertUnwindSafe(call)).expect_err("the call panics");
    let text = payload.downcast_ref::<String>().cloned();
    text.or(payload.downcast_ref::<&str>().map(ToString::to_string)).unwrap_or_default()
}

#[test]
pub(crate) fn a_failed_check_panics_as_on_the_cpu() {
    let x = numbers(100, 12);
    let on_cpu = |from: &[usize], step| {
        message(|| {
            kernels::gathered::grad(&x, &mut [0.0; 100], from, step);
        })
    };
    for gpu in devices() {
        let on_gpu = |from: &[usize], step, adjoints| {
            message(|| {
                let (on_x, on_from) = (gpu.upload(&x).unwrap(), gpu.upload(from).unwrap());
                let mut on_d_x = gpu.zeros(adjoints).unwrap();
                let value = kernels::gathered::cuda::grad(&gpu, &on_x, &mut on_d_x, &on_from, step);
                drop(value);
            })
        };
        let mut from: Vec<usize> = (0..100).collect();
        from[70] = 250;
        let expected = on_cpu(&from, 2);
        assert!(expected.contains("index out of range in `x[from[i] / step]`"), "{expected}");
        assert_eq!(on_gpu(&from, 2, 100), expected);
        assert_eq!(on_gpu(&from, 0, 100), on_cpu(&from, 0));
        let shape = on_gpu(&from, 1, 99);
        assert_eq!(shape, "gathered: the length of the adjoint `d_x` is 99 but the length of `x` is 100");
    }
}

#[test]
pub(crate) fn a_sum_into_no_element_panics_as_on_the_cpu() {
    let x = numbers(300, 14);
    let expected = message(|| {
        kernels::one_element::vjp(&x, &mut [0.0; 300], &mut [1.0; 4], &mut [0.0; 4], 1_000_000, 0.0);
    });
    assert!(expected.contains("index out of range in `y[k]`"), "{expected}");
    for gpu in devices() {
        let (on_x, mut on_d_x) = (gpu.upload(&x).unwrap(), gpu.zeros(300).unwrap());
        let (mut on_y, mut on_d_y) = (gpu.upload(&[1.0; 4]).unwrap(), gpu.zeros(4).unwrap());
        let on_gpu = message(|| {
            let call = kernels::one_element::cuda::vjp;
            call(&gpu, &on_x, &mut on_d_x, &mut on_y, &mut on_d_y, 1_000_000, 0.0).unwrap();
        });
        assert_eq!(on_gpu, expected);
    }
}

#[test]
pub(crate) fn a_clamp_between_wrong_bounds_panics_as_on_the_cpu() {
    let (x, keys) = (numbers(100, 15), vec![3; 100]);
    let expected = message(|| {
        kernels::tabulated::grad(&x, &mut [0.0; 100], &keys, 0.5, 0.25);
    });
    for gpu in devices() {
        let (on_x, on_keys) = (gpu.upload(&x).unwrap(), gpu.upload(&keys).unwrap());
        let mut on_d_x = gpu.zeros(100).unwrap();
        let on_gpu = message(|| {
            kernels::tabulated::cuda::grad(&gpu, &on_x, &mut on_d_x, &on_keys, 0.5, 0.25).unwrap();
        });
        assert_eq!(on_gpu, expected);
    }
}
