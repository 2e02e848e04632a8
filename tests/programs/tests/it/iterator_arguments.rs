//! Iterators that are given to helpers.

use pardiff::differentiate;

#[differentiate(check)]
mod fits {
    fn line<I>(points: I, x_mean: f64, y_mean: f64) -> Option<(f64, f64)>
    where
        I: Iterator<Item = (f64, f64)>,
    {
        let (mut xx, mut xy) = (0.0, 0.0);
        for (x, y) in points {
            xx += (x - x_mean) * (x - x_mean);
            xy += (x - x_mean) * (y - y_mean);
        }
        let slope = xy / xx;
        if slope.is_nan() {
            return None;
        }
        Some((slope, y_mean - slope * x_mean))
    }

    fn mean(values: impl Iterator<Item = f64>, n: usize) -> f64 {
        values.sum::<f64>() / n as f64
    }

    fn norm<'a>(values: impl IntoIterator<Item = &'a f64>) -> f64 {
        values.into_iter().map(|v| v * v).sum::<f64>().sqrt()
    }

    fn last_of(mut values: impl Iterator<Item = f64>) -> f64 {
        let mut last = 0.0;
        while let Some(value) = values.next() {
            last = 0.5 * last + value;
        }
        last
    }

    pub fn regression(x: &[f64], y: &[f64], scale: f64) -> Option<(f64, f64)> {
        let scaled = |v: &f64| scale * v;
        let (x_mean, y_mean) = (mean(x.iter().map(scaled), x.len()), mean(y.iter().copied(), y.len()));
        line(x.iter().map(|x| scale * x).zip(y.iter().map(|y| *y)), x_mean, y_mean)
    }

    pub fn norms(x: &[f64], by: f64) -> f64 {
        let squares = vec![by * x[0], x[1] * x[1]];
        norm(x) * norm(&squares)
            + last_of(x[1..].iter().map(|x| by * x))
            + last_of((1..4).map(|k| by / k as f64))
    }
}

#[test]
fn chains_are_written_where_they_are_used_up() {
    let (x, y) = ([0.3, 0.8, 1.7, 2.1], [0.2, 1.1, 1.4, 2.9]);
    assert_eq!(fits::regression::value(&x, &y, 1.5), fits::regression(&x, &y, 1.5));
    fits::regression::check(&x, &y, 1.5).unwrap();
    assert_eq!(fits::norms::value(&x, 1.5), fits::norms(&x, 1.5));
    fits::norms::check(&x, 1.5).unwrap();
}
