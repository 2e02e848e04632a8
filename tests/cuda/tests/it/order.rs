//! Sums through index arrays: prefix sums and sorted numbers, and gradients that are the same bits whatever the order of threads.

use crate::gradients::{assert_close, devices, numbers};
use pardiff::runtime::cuda::{Call, Module};
use pardiff_cuda_tests as kernels;

static NONE: Module = Module { text: "", kernels: &[] };

/// Numbers below a bound, in no order.
fn scattered(len: usize, below: u64) -> Vec<u32> {
    (0..len as u64).map(|k| (k.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 31) % below).map(|k| k as u32).collect()
}

#[test]
pub(crate) fn prefix_sums() {
    for gpu in devices() {
        let call = Call::new(&gpu, &NONE).unwrap();
        // several tiles, and more of them than a block adds up at a time
        for (len, large) in [(0, 0), (1, 0), (2048, 0), (2049, 0), (270_000, 0), (5000, u64::MAX / 3)] {
            let values: Vec<u64> = scattered(len, 100).into_iter().map(|k| u64::from(k) + large).collect();
            let before = values.iter().scan(0_u64, |sum, &own| {
                let before = *sum;
                *sum = sum.saturating_add(own);
                Some(before)
            });
            let array = gpu.upload(&values).unwrap();
            // Safety: the array has so many elements.
            unsafe { call.scan(call.address(&array, "array").unwrap(), len).unwrap() };
            assert!(array.download().unwrap().into_iter().eq(before), "{len}");
        }
    }
}

#[test]
pub(crate) fn sorted_numbers() {
    for gpu in devices() {
        let call = Call::new(&gpu, &NONE).unwrap();
        for (len, below) in [
            (0, 1),
            (1, 1),
            (5000, 1),
            (5000, 2),
            (77, 1 << 32),
            (2047, 33),
            (2048, 32),
            (5000, 33),
            (7000, 1 << 32),
        ] {
            let keys = scattered(len, below);
            let mut expected: Vec<u32> = (0..len as u32).collect();
            expected.sort_by_key(|&at| keys[at as usize]);
            let sorted: Vec<u32> = expected.iter().map(|&at| keys[at as usize]).collect();
            let (on_keys, on_order) = (gpu.upload(&keys).unwrap(), gpu.upload(&vec![0_u32; len]).unwrap());
            let at = [call.address(&on_keys, "keys").unwrap(), call.address(&on_order, "order").unwrap()];
            // Safety: both arrays have so many elements.
            unsafe { call.sort(at, len, below as usize - 1).unwrap() };
            assert_eq!(on_keys.download().unwrap(), sorted, "{len} below {below}");
            assert_eq!(on_order.download().unwrap(), expected, "{len} below {below}");
        }
    }
}

#[test]
pub(crate) fn copies_of_few_elements() {
    for n in [0, 1, 1000] {
        let (x, class) =
            (numbers(n, 62), scattered(n, 5).into_iter().map(|k| k as usize).collect::<Vec<_>>());
        let centre: [[f64; 2]; 5] = std::array::from_fn(|k| [k as f64 * 0.1, 0.3]);
        let (mut d_x, mut d_centre) = (vec![0.0; n], [[0.0; 2]; 5]);
        let (mut scale, mut d_scale) = ([1.0; 7], std::array::from_fn(|k| 0.1 * k as f64));
        let given = d_scale;
        let call = kernels::by_class::grad;
        let value = call(&x, &mut d_x, &class, &centre, &mut d_centre, &mut scale, &mut d_scale);
        let mut all = Vec::new();
        for gpu in devices() {
            let (on_x, mut on_d_x) = (gpu.upload(&x).unwrap(), gpu.zeros(n).unwrap());
            let (on_class, on_centre) = (gpu.upload(&class).unwrap(), gpu.upload(&centre).unwrap());
            let mut on_d_centre = gpu.zeros(5).unwrap();
            let (mut on_scale, mut on_d_scale) =
                (gpu.upload(&[1.0; 7]).unwrap(), gpu.upload(&given).unwrap());
            let on_value = kernels::by_class::cuda::grad(
                &gpu,
                &on_x,
                &mut on_d_x,
                &on_class,
                &on_centre,
                &mut on_d_centre,
                &mut on_scale,
                &mut on_d_scale,
            );
            let on_d_centre: Vec<[f64; 2]> = on_d_centre.download().unwrap();
            assert_close("value", &[on_value.unwrap()], &[value], 1e-12);
            assert_close("d_x", &on_d_x.download().unwrap(), &d_x, 1e-12);
            assert_close("d_centre", on_d_centre.as_flattened(), d_centre.as_flattened(), 1e-12);
            assert_close("scale", &on_scale.download().unwrap(), &scale, 1e-12);
            assert_close("d_scale", &on_d_scale.download().unwrap(), &d_scale, 1e-12);
            all.push((on_d_centre, on_scale.download().unwrap()));
        }
        assert!(all.windows(2).all(|pair| pair[0] == pair[1]), "the same bits");
    }
}

#[test]
pub(crate) fn gradients_are_the_same_bits_in_every_order() {
    for (rows, m, len) in [(300, 4, 90), (300, 1, 7), (0, 3, 5)] {
        let start: Vec<u32> = (0..=rows).map(|i| (i * i / 50 + i) as u32).collect();
        let at = scattered(start[rows] as usize, len as u64);
        let (x, table) = (numbers(rows.max(200), 60), numbers(len * m, 61));
        let (mut d_x, mut d_table) = (vec![0.5; x.len()], vec![0.5; table.len()]);
        let value = kernels::embedded::grad(&x, &mut d_x, &table, &mut d_table, &at, &start, m);
        let mut all = Vec::new();
        for gpu in devices() {
            let (on_x, on_table) = (gpu.upload(&x).unwrap(), gpu.upload(&table).unwrap());
            let (on_at, on_start) = (gpu.upload(&at).unwrap(), gpu.upload(&start).unwrap());
            let mut on_d_x = gpu.upload(&vec![0.5; x.len()]).unwrap();
            let mut on_d_table = gpu.upload(&vec![0.5; table.len()]).unwrap();
            let call = kernels::embedded::cuda::grad;
            let on_value =
                call(&gpu, &on_x, &mut on_d_x, &on_table, &mut on_d_table, &on_at, &on_start, m).unwrap();
            assert_close("value", &[on_value], &[value], 1e-12);
            assert_close("d_x", &on_d_x.download().unwrap(), &d_x, 1e-12);
            assert_close("d_table", &on_d_table.download().unwrap(), &d_table, 1e-12);
            let bits = |list: Vec<f64>| list.into_iter().map(f64::to_bits).collect::<Vec<_>>();
            all.push((bits(on_d_x.download().unwrap()), bits(on_d_table.download().unwrap())));
        }
        assert!(all.windows(2).all(|pair| pair[0] == pair[1]));
    }
}
