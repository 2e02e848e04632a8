//! Random programs through the macro, compiled and run: values and adjoints are those of the compiler's oracle.

/// Compares with the oracle's numbers.
#[track_caller]
fn close<T: Copy + Into<f64>>(what: &str, found: &[T], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len(), "{what}");
    let scale = expected.iter().fold(1.0, |scale: f64, x| scale.max(x.abs()));
    for (i, (&a, &b)) in found.iter().zip(expected).enumerate() {
        let a: f64 = a.into();
        assert!((a - b).abs() <= tolerance * scale, "{what}, element {i}: {a} instead of {b}");
    }
}

#[allow(warnings, reason = "nobody wrote these")]
mod programs {
    use super::close;
    include!(concat!(env!("OUT_DIR"), "/random_programs.rs"));
}
