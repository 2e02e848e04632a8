//! The inputs of the kernels, as PolyBench makes them.

/// A table of `rows` by `columns`.
pub fn table(rows: usize, columns: usize, at: impl Fn(usize, usize) -> f64) -> Vec<f64> {
    (0..rows * columns).map(|c| at(c / columns, c % columns)).collect()
}

/// The remainder as a fraction of `over`.
pub fn fraction(number: usize, modulus: usize, over: usize) -> f64 {
    (number % modulus) as f64 / over as f64
}

/// A symmetric positive definite matrix: the product of a lower triangle with its transpose.
pub fn definite(n: usize) -> Vec<f64> {
    let lower = |i: usize, j: usize| match i.cmp(&j) {
        std::cmp::Ordering::Less => 0.0,
        std::cmp::Ordering::Equal => 1.0,
        std::cmp::Ordering::Greater => 1.0 - j as f64 / n as f64,
    };
    table(n, n, |i, j| (0..=i.min(j)).map(|k| lower(i, k) * lower(j, k)).sum())
}
