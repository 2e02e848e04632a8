//! Arrays whose lengths the device knows alone.

use crate::gradients::{assert_close, devices, message, numbers};
use pardiff_cuda_tests as kernels;

/// Rows of 0 to 6 entries.
fn sparse(rows: usize) -> (Vec<u32>, Vec<u32>) {
    let mut start = vec![0_u32];
    (0..rows).for_each(|i| start.push(start[i] + (i * i % 7) as u32));
    let columns = (0..start[rows]).map(|k| 7 * k % 50).collect();
    (start, columns)
}

#[test]
pub(crate) fn rows_have_scratch_of_their_own_length() {
    for rows in [0, 1, 300] {
        let (start, columns) = sparse(rows);
        let (values, x) = (numbers(columns.len(), 50), numbers(50, 51));
        let (mut d_values, mut d_x) = (vec![0.0; values.len()], vec![0.0; 50]);
        let value = kernels::ragged::grad(&values, &mut d_values, &x, &mut d_x, &start, &columns);
        for gpu in devices() {
            let (on_values, on_x) = (gpu.upload(&values).unwrap(), gpu.upload(&x).unwrap());
            let (on_start, on_columns) = (gpu.upload(&start).unwrap(), gpu.upload(&columns).unwrap());
            let (mut on_d_values, mut on_d_x) = (gpu.zeros(values.len()).unwrap(), gpu.zeros(50).unwrap());
            let call = kernels::ragged::cuda::grad;
            let on_value =
                call(&gpu, &on_values, &mut on_d_values, &on_x, &mut on_d_x, &on_start, &on_columns).unwrap();
            assert_close("value", &[on_value], &[value], 1e-12);
            assert_close("d_values", &on_d_values.download().unwrap(), &d_values, 1e-12);
            assert_close("d_x", &on_d_x.download().unwrap(), &d_x, 1e-12);
        }
    }
}

#[test]
pub(crate) fn an_array_of_the_function_has_the_length_that_the_device_finds() {
    let x = numbers(200, 52);
    let mut d_x = vec![0.0; 200];
    let value = kernels::counted::grad(&x, &mut d_x, &[70, 30]);
    let expected = message(|| {
        kernels::counted::grad(&x, &mut [0.0; 200], &[70]);
    });
    for gpu in devices() {
        let (on_x, counts) = (gpu.upload(&x).unwrap(), gpu.upload(&[70, 30]).unwrap());
        let mut on_d_x = gpu.zeros(200).unwrap();
        let on_value = kernels::counted::cuda::grad(&gpu, &on_x, &mut on_d_x, &counts).unwrap();
        assert_close("value", &[on_value], &[value], 1e-12);
        assert_close("d_x", &on_d_x.download().unwrap(), &d_x, 1e-12);
        let few = gpu.upload(&[70]).unwrap();
        let on_gpu = message(|| {
            let _ = kernels::counted::cuda::grad(&gpu, &on_x, &mut on_d_x, &few);
        });
        assert_eq!(on_gpu, expected);
    }
}
