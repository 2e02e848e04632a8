//! The kernels against PolyBench in C, and their gradients against JAX.
//!
//! `references.txt` has a line a kernel: the loss of what PolyBench 4.2.1 computes in C (`cc -O1 -ffp-contract=off`, arrays of
//! doubles, printed with 17 digits) at the first sizes of the case, and the slopes of the loss along four directions in JAX,
//! which `benches/peers/polybench/compare.py --references` writes. Two kernels have inputs of their own, where C was given
//! the same: see `cases.rs`.

use pardiff_polybench::cases::KERNELS;

/// A direction in the space of parameters; the same numbers are made for JAX.
fn direction(number: usize, len: usize) -> impl Iterator<Item = f64> {
    (0..len).map(move |i| (1.0 + 0.37 * number as f64 + 0.7 * (i + 1) as f64 * (number + 1) as f64).sin())
}

fn assert_close(what: &str, a: f64, b: f64, scale: f64, tolerance: f64) {
    assert!((a - b).abs() <= tolerance * scale, "{what}: {a} for {b}, at a scale of {scale}");
}

#[test]
fn all_kernels_have_the_values_of_c_and_the_gradients_of_jax() {
    let references = include_str!("../references.txt");
    let lines: Vec<&str> = references.lines().filter(|line| !line.starts_with('#')).collect();
    assert_eq!(lines.len(), 30);
    for (line, kernel) in lines.into_iter().zip(&KERNELS) {
        let (name, numbers) = line.split_once(' ').expect("a name and numbers");
        assert_eq!(name, kernel.name);
        let numbers: Vec<f64> = numbers.split(' ').map(|x| x.parse().expect("a number")).collect();
        let [value, slopes @ ..] = numbers.as_slice() else { panic!("{name}: no value") };
        assert_eq!(slopes.len(), 4, "{name}");

        let case = (kernel.load)(kernel.sizes[0]);
        let p = &case.parameters;
        let mut gradient = vec![f64::NAN; p.len()];
        let values = [(case.primal)(p), (case.value)(p), (case.gradient)(p, &mut gradient)];
        for of in values {
            assert_close(&format!("{name}: value"), of, *value, value.abs(), 1e-12);
        }
        // a slope is as exact as the gradient is long
        let length = gradient.iter().map(|g| g * g).sum::<f64>().sqrt();
        for (number, &slope) in slopes.iter().enumerate() {
            let along: f64 = gradient.iter().zip(direction(number, p.len())).map(|(g, d)| g * d).sum();
            assert_close(&format!("{name}: slope {number}"), along, slope, length, 1e-10);
        }
    }
}
