//! Special functions against values of 20 digits (`special.py` writes them), and at poles and infinities.

use pardiff_runtime::math::{digamma, erf, erfc, gamma, j0, j1, ln_gamma, polygamma};

/// The function, its largest error in ulp, and the size of the terms that may cancel, as far as the result is smaller.
fn row(name: &str, x: f64) -> (f64, f64, f64) {
    match name {
        "erf" => (erf(x), 3.0, 0.0),
        "erfc" => (erfc(x), 6.0, 0.0),
        "gamma" => (gamma(x), 8.0, 0.0),
        "ln_gamma" if x > 0.0 => (ln_gamma(x), 8.0, 0.0),
        "ln_gamma" => (ln_gamma(x), 8.0, 1.0 + x.abs() * (1.0 + x.abs().ln().abs())),
        "digamma" => (digamma(x), 10.0, 3.0),
        "trigamma" => (polygamma(x, 1), 10.0, 0.0),
        "tetragamma" => (polygamma(x, 2), 16.0, 100.0),
        "j0" => (j0(x), 5.0, (1.0 / x.abs()).sqrt().min(1.0)),
        "j1" if x.abs() < 8.0 => (j1(x), 5.0, x.abs() * 0.5),
        "j1" => (j1(x), 5.0, (1.0 / x.abs()).sqrt()),
        _ => panic!("no function {name}"),
    }
}

#[test]
fn values_are_within_a_few_ulp() {
    let mut worst = String::new();
    for line in include_str!("special.txt").lines() {
        let words: Vec<&str> = line.split(' ').collect();
        let [x, expected] = [1, 2].map(|k| words[k].parse::<f64>().expect("a number"));
        let (found, ulps, terms) = row(words[0], x);
        let size = expected.abs().max(terms);
        let error = (found - expected).abs() / (size * f64::EPSILON);
        if found != expected && (error.is_nan() || error > ulps) {
            worst += &format!("{line}: {found:e}, {error:.1} ulp\n");
        }
    }
    assert!(worst.is_empty(), "\n{worst}");
}

#[test]
fn singles_are_rounded_doubles() {
    for x in [0.3f32, 1.7, -2.6, 11.0] {
        assert_eq!(gamma(x), gamma(f64::from(x)) as f32);
        assert_eq!(erf(x), erf(f64::from(x)) as f32);
        assert_eq!(j1(x), j1(f64::from(x)) as f32);
        assert_eq!(polygamma(x, 1), polygamma(f64::from(x), 1) as f32);
    }
}

#[test]
fn at_poles_and_infinities_they_are_those_of_c() {
    let infinity = f64::INFINITY;
    assert_eq!([erf(infinity), erf(-infinity), erfc(infinity), erfc(-infinity)], [1.0, -1.0, 0.0, 2.0]);
    assert_eq!(
        [gamma(0.0), gamma(-0.0), gamma(infinity), gamma(172.0)],
        [infinity, -infinity, infinity, infinity]
    );
    let is_nan = f64::is_nan;
    assert!(is_nan(gamma(-3.0)) && is_nan(gamma(-25.0)) && is_nan(gamma(-infinity)));
    assert_eq!([ln_gamma(0.0), ln_gamma(-4.0), ln_gamma(infinity), ln_gamma(-infinity)], [infinity; 4]);
    assert_eq!([ln_gamma(1.0), ln_gamma(2.0)], [0.0, 0.0]);
    assert_eq!([digamma(0.0), digamma(infinity)], [-infinity, infinity]);
    assert!(is_nan(digamma(-2.0)) && is_nan(polygamma(-2.0, 1)) && is_nan(polygamma(1.0, -1)));
    assert_eq!([polygamma(0.0, 1), polygamma(infinity, 1)], [infinity, 0.0]);
    assert_eq!([j0(0.0), j1(0.0), j0(infinity), j1(infinity)], [1.0, 0.0, 0.0, 0.0]);
    for function in [erf, erfc, gamma, ln_gamma, digamma, j0, j1] {
        assert!(is_nan(function(f64::NAN)));
    }
}
