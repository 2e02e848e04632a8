//! Conditions on what is not there, and on everything, in a `match` of an option.

use pardiff::differentiate;

#[differentiate]
mod kernels {
    fn first(x: &[f64]) -> Option<f64> {
        if x.is_empty() { None } else { Some(x[0]) }
    }

    pub fn chosen(x: &[f64], w: f64, late: bool) -> f64 {
        match first(x) {
            Some(v) if v > 3.0 => 2.0 * v * w,
            None if late => 5.0 * w,
            _ if late => 6.0 * w,
            Some(v) => v * w,
            None => 7.0 * w,
        }
    }
}

pub fn main() {
    let cases: [(&[f64], bool, f64); 6] = [
        (&[], true, 5.0),
        (&[], false, 7.0),
        (&[2.0], true, 6.0),
        (&[2.0], false, 2.0),
        (&[4.0], true, 8.0),
        (&[4.0], false, 8.0),
    ];
    for (x, late, slope) in cases {
        let (value, gradient) = kernels::chosen::gradient(x, 10.0, late);
        assert_eq!((value, gradient.w), (10.0 * slope, slope));
        assert_eq!(kernels::chosen(x, 10.0, late), value);
    }
}
