//! Constant arrays of slices of several lengths.

use pardiff::differentiate;

#[differentiate(check, forward)]
mod tables {
    const LAYERS: [&[f64]; 3] = [&[1.0], &[2.0, 3.0], &[4.0, 5.0, 6.0]];
    const HALVES: [f64; 2] = [0.5, 0.25];
    static POLYNOMIALS: &[&[f64]] = &[&HALVES, &[1.0 / 3.0, -1.0, 2.0], &[]];
    static WAVES: &[&[(f64, f64)]] = &[&[(1.0, 2.0)], &[(2.0, 3.0), (3.0, 4.0)]];

    fn horner(coefficients: &[f64], x: f64) -> f64 {
        coefficients.iter().rev().fold(0.0, |value, c| value * x + c)
    }

    pub fn by_rows(x: f64, most: f64) -> f64 {
        let mut total = 0.0;
        for &row in &LAYERS {
            if total > most {
                break;
            }
            total += row.iter().map(|c| c * x * x).sum::<f64>() * row.len() as f64;
        }
        total
    }

    pub fn by_indices(x: f64) -> f64 {
        let mut total = 0.0;
        for i in 0..LAYERS.len() {
            for k in 0..LAYERS[i].len() {
                total += LAYERS[i][k] * x.powi(k as i32);
            }
        }
        total
    }

    pub fn waves(x: f64) -> f64 {
        let mut total = 0.0;
        for row in WAVES.iter() {
            total += row.iter().map(|&(a, b)| a * (b * x).sin()).fold(0.0, |a, b| a + b);
        }
        total
    }

    pub fn of_row(x: f64, i: usize) -> f64 {
        let row = LAYERS[i];
        horner(row, x)
    }

    pub fn of_names(x: f64) -> f64 {
        POLYNOMIALS.iter().enumerate().map(|(k, row)| (k + 1) as f64 * horner(row, x)).sum()
    }

    pub fn in_the_body(x: f64) -> f64 {
        const ROWS: [&[f64]; 2] = [&[1.0], &[2.0, 3.0]];
        horner(LAYERS[2], x) * horner(ROWS[1], x)
    }
}

#[test]
fn rows_have_their_own_lengths() {
    for x in [0.7_f64, 1.9] {
        for most in [0.0, 3.0, 1e3] {
            tables::by_rows::check(x, most).expect("right derivatives");
            assert_eq!(tables::by_rows::gradient(x, most).0, tables::by_rows(x, most));
        }
        tables::by_indices::check(x).expect("right derivatives");
        tables::waves::check(x).expect("right derivatives");
        tables::of_names::check(x).expect("right derivatives");
        tables::in_the_body::check(x).expect("right derivatives");
        assert!((tables::of_row::gradient(x, 2).1.x - (5.0 + 12.0 * x)).abs() < 1e-12);
        let slope = 2.0 * (2.0 * x).cos() + 6.0 * (3.0 * x).cos() + 12.0 * (4.0 * x).cos();
        assert!((tables::waves::gradient(x).1.x - slope).abs() < 1e-12);
    }
}

#[test]
#[should_panic(expected = "of_row: index out of range in `LAYERS[i]`")]
fn a_row_that_is_not_there() {
    tables::of_row::gradient(1.0, 3);
}
