//! Ranges under a name.

use pardiff::differentiate;
use pardiff_programs::{check, random};

/// Rows of different lengths: each range is gone through, sliced with and asked for its ends.
#[differentiate]
pub fn rows(x: &[f64], row_ptr: &[usize]) -> f64 {
    let mut total = 0.0;
    for i in 0..row_ptr.len() - 1 {
        let cols = row_ptr[i]..row_ptr[i + 1];
        let cols_end = 0.5;
        assert!(cols.end <= x.len(), "row {i}");
        for c in cols.clone() {
            total += x[c] * cols.len() as f64 * cols_end;
        }
        total += x[cols.clone()].iter().zip(cols.clone().rev()).map(|(a, k)| a * k as f64).sum::<f64>();
        let inner = cols.start..=cols.start;
        let all: Vec<f64> = inner.flat_map(|_| &x[cols.clone()]).map(|v| v * v).collect();
        total *= 1.0 + all.iter().sum::<f64>();
    }
    let behind = 1..;
    total + x[behind].iter().product::<f64>()
}

#[test]
fn rows_by_ranges() {
    let x = random(1, 6);
    let (y, g) = rows::gradient(&x, &[0, 2, 2, 6]);
    assert!((y - rows(&x, &[0, 2, 2, 6])).abs() < 1e-14);
    check(|v| rows(&v[0], &[0, 2, 2, 6]), &[&x], &[&g.x]);
}

/// A range with a type of its own, whose name a closure has as well further in.
#[differentiate]
pub fn typed(x: &[f64]) -> f64 {
    let range: std::ops::Range<u8> = 250..255;
    range.map(|k| x[0] * f64::from(k.wrapping_add(7))).sum()
}

#[test]
fn a_range_with_a_type() {
    let (y, g) = typed::gradient(&[0.5]);
    assert_eq!(y, typed(&[0.5]));
    check(|v| typed(&v[0]), &[&[0.5]], &[&g.x]);
}
