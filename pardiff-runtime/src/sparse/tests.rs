//! Compressed matrices against dense ones, colourings by their definition.

use super::{Colouring, Compression, Pattern};

/// A linear congruential generator.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % bound
    }

    fn pattern(&mut self, rows: usize, columns: usize, entries: usize) -> Pattern {
        let all: Vec<_> = (0..entries).map(|_| (self.below(rows), self.below(columns))).collect();
        Pattern::new(rows, columns, all)
    }

    fn symmetric(&mut self, n: usize, entries: usize) -> Pattern {
        let half: Vec<_> = (0..entries).map(|_| (self.below(n), self.below(n))).collect();
        Pattern::new(n, n, half.into_iter().flat_map(|(i, j)| [(i, j), (j, i)]))
    }
}

/// The entry of a test's matrix: the same at both places.
fn entry(i: usize, j: usize) -> f64 {
    (1 + i.min(j) * 31 + i.max(j)) as f64
}

fn product(pattern: &Pattern, x: &[f64], y: &mut [f64]) {
    pattern.iter().for_each(|(i, j)| y[i] += entry(i, j) * x[j]);
}

fn products<const W: usize>(pattern: &Pattern, x: &[[f64; W]], y: &mut [[f64; W]]) {
    pattern.iter().for_each(|(i, j)| (0..W).for_each(|w| y[i][w] += entry(i, j) * x[j][w]));
}

fn assert_dense(pattern: &Pattern, matrix: &super::Matrix<f64>) {
    for i in 0..pattern.rows() {
        for j in 0..pattern.columns() {
            let expected = if pattern.position(i, j).is_some() { entry(i, j) } else { 0.0 };
            assert_eq!(matrix.get(i, j), expected, "({i}, {j})");
        }
    }
}

#[test]
fn jacobians_are_the_dense_ones() {
    let mut random = Random(1);
    for (rows, columns, entries) in
        [(1, 1, 1), (7, 5, 0), (20, 30, 60), (60, 9, 200), (9, 60, 200), (40, 40, 300)]
    {
        let pattern = random.pattern(rows, columns, entries);
        let by_columns = Compression::by_columns(pattern.clone());
        assert_dense(&pattern, &by_columns.matrix(|x, y| product(&pattern, x, y)));
        assert_dense(&pattern, &by_columns.matrix_batch::<_, 4>(|x, y| products(&pattern, x, y)));
        let transposed = pattern.transposed();
        let by_rows = Compression::by_rows(pattern.clone());
        assert_dense(&pattern, &by_rows.matrix(|y, x| product(&transposed, y, x)));
        assert_dense(&pattern, &by_rows.matrix_batch::<_, 3>(|y, x| products(&transposed, y, x)));
        assert_eq!(transposed.transposed(), pattern);
    }
}

#[test]
fn columns_of_one_colour_have_no_row_in_common() {
    let mut random = Random(2);
    for entries in [10, 50, 200] {
        let pattern = random.pattern(30, 25, entries);
        let colours = Colouring::of_columns(&pattern);
        for i in 0..30 {
            let row = pattern.row(i);
            for (a, &j) in row.iter().enumerate() {
                assert!(row[..a].iter().all(|&k| colours.of(k) != colours.of(j)), "row {i}");
            }
        }
    }
}

#[test]
fn hessians_are_the_dense_ones() {
    let mut random = Random(3);
    for (n, entries) in [(1, 1), (6, 0), (10, 12), (30, 60), (40, 200), (25, 400)] {
        let pattern = random.symmetric(n, entries);
        let compression = Compression::symmetric(pattern.clone());
        assert!(compression.directions() <= n);
        assert_dense(&pattern, &compression.matrix(|x, y| product(&pattern, x, y)));
        let batch = compression.matrix_batch::<_, 8>(|x, y| products(&pattern, x, y));
        assert_dense(&pattern, &batch);
    }
}

#[test]
fn paths_of_four_vertices_have_three_colours() {
    let mut random = Random(4);
    for entries in [10, 30, 80] {
        let pattern = random.symmetric(20, entries);
        let colours = Colouring::star(&pattern);
        let next = |v: usize| pattern.row(v).iter().copied().filter(move |&w| w != v);
        for a in 0..20 {
            for b in next(a) {
                assert_ne!(colours.of(a), colours.of(b));
                for c in next(b).filter(|&c| c != a) {
                    for d in next(c).filter(|&d| d != b && d != a) {
                        let two = colours.of(a) == colours.of(c) && colours.of(b) == colours.of(d);
                        assert!(!two, "{a} {b} {c} {d}");
                    }
                }
            }
        }
    }
}

#[test]
fn known_patterns_take_few_products() {
    let band =
        |n: usize| (0..n).flat_map(move |i| (i.saturating_sub(1)..(i + 2).min(n)).map(move |j| (i, j)));
    assert_eq!(Compression::by_columns(Pattern::new(50, 50, band(50))).directions(), 3);
    assert_eq!(Compression::symmetric(Pattern::new(50, 50, band(50))).directions(), 3);
    let arrow = (0..50).flat_map(|i| [(i, i), (0, i), (i, 0)]);
    let arrow = Pattern::new(50, 50, arrow);
    assert_eq!(Compression::by_columns(arrow.clone()).directions(), 50);
    assert_eq!(Compression::symmetric(arrow).directions(), 2);
}

#[test]
fn patterns_are_found_whatever_the_values_are() {
    let pattern = Random(5).pattern(12, 10, 40);
    // some factors are zero
    let zeros = |x: &[f64], y: &mut [f64]| {
        pattern.iter().for_each(|(i, j)| y[i] += if (i + j) % 3 == 0 { 0.0 } else { 1.0 } * x[j])
    };
    assert_eq!(Pattern::found(12, 10, zeros), pattern);
    assert_eq!(Pattern::found_batch::<_, 4>(12, 10, |x, y| products(&pattern, x, y)), pattern);
    assert_eq!(Pattern::found(3, 0, |_: &[f32], _: &mut [f32]| {}).entries(), 0);
}

#[test]
fn matrices_multiply() {
    let pattern = Random(6).pattern(8, 6, 20);
    let matrix = Compression::by_columns(pattern.clone()).matrix(|x, y| product(&pattern, x, y));
    let (x, y) = ([1.0, -2.0, 3.0, 0.5, 0.0, 4.0], [1.0, 0.0, -1.0, 2.0, 0.25, 3.0, -0.5, 1.0]);
    let mut expected = [0.0; 8];
    product(&pattern, &x, &mut expected);
    assert_eq!(matrix.times(&x), expected);
    let mut expected = [0.0; 6];
    product(&pattern.transposed(), &y, &mut expected);
    assert_eq!(matrix.transposed_times(&y), expected);
}

#[test]
fn a_matrix_is_updated_in_its_pattern_alone() {
    let pattern = Random(7).pattern(8, 6, 20);
    let compression = Compression::by_columns(pattern.clone());
    let mut matrix = compression.matrix(|x, y| product(&pattern, x, y));
    compression.update(&mut matrix, |x, y| pattern.iter().for_each(|(i, j)| y[i] += 2.0 * x[j]));
    assert!(matrix.values().iter().all(|value| *value == 2.0));
    let other = Compression::by_columns(Pattern::new(8, 6, [(0, 0)]));
    let caught = std::panic::catch_unwind(move || other.update(&mut matrix, |_, _| {}));
    assert!(caught.is_err());
}

#[test]
#[should_panic(expected = "the entry (2, 0) is outside of a matrix of 2 by 3")]
fn entries_outside_are_refused() {
    Pattern::new(2, 3, [(0, 2), (2, 0)]);
}

#[test]
#[should_panic(expected = "with the entry (0, 1) and without (1, 0) is not symmetric")]
fn patterns_that_are_not_symmetric_are_refused() {
    Compression::symmetric(Pattern::new(2, 2, [(0, 0), (0, 1)]));
}
