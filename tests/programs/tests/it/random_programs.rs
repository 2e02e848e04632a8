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

/// Compares two printed values: floats to rounding (sums are regrouped), everything else exactly.
#[track_caller]
fn alike(found: &str, expected: &str, tolerance: f64) {
    let words = |text: &str| -> Vec<String> {
        text.split([' ', ',', '(', ')', '[', ']'])
            .filter(|word| !word.is_empty())
            .map(str::to_owned)
            .collect()
    };
    let (left, right) = (words(found), words(expected));
    assert_eq!(left.len(), right.len(), "{found} instead of {expected}");
    let numbers = right.iter().filter_map(|word| word.parse::<f64>().ok()).filter(|x| x.is_finite());
    let scale = numbers.fold(1.0, |scale: f64, x| scale.max(x.abs()));
    for (a, b) in left.iter().zip(&right) {
        let is_float = |word: &String| word.contains(['.', 'e', 'N', 'i']) && word.parse::<f64>().is_ok();
        match (a.parse::<f64>(), b.parse::<f64>()) {
            (Ok(x), Ok(y)) if is_float(a) && is_float(b) => {
                let near = (x - y).abs() <= tolerance * scale || x == y || (x.is_nan() && y.is_nan());
                assert!(near, "{found} instead of {expected}");
            }
            _ => assert_eq!(a, b, "{found} instead of {expected}"),
        }
    }
}

#[allow(warnings, reason = "nobody wrote these")]
mod programs {
    use super::{alike, close};
    include!(concat!(env!("OUT_DIR"), "/random_programs.rs"));
}
