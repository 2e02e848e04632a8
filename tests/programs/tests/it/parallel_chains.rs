//! Parallel iterators whose items follow from no counter: they are those of std, in order.

use pardiff::differentiate;

#[differentiate(check, forward)]
mod chains {
    use rayon::prelude::*;

    pub fn filtered(x: &[f64]) -> f64 {
        let squares = x
            .par_iter()
            .with_min_len(4)
            .filter_map(|x| if *x > 0.5 { Some(x * x) } else { None })
            .sum::<f64>();
        let roots = x.par_iter().filter_map(|x| (*x > 0.0).then(|| x.sqrt())).count();
        squares * roots as f64
    }

    pub fn flattened(x: &[f64]) -> f64 {
        let pairs: Vec<[f64; 2]> = x.iter().map(|x| [*x, x * 3.0]).collect();
        x.par_iter().flat_map_iter(|x| [*x, x * x]).sum::<f64>()
            + pairs.par_iter().flatten_iter().map(|x| x * x).sum::<f64>()
            + (0..x.len())
                .into_par_iter()
                .flat_map(|i| (0..i).into_par_iter().map(move |j| (i, j)))
                .map(|(i, j)| x[i] * x[j] * j as f64)
                .sum::<f64>()
    }

    pub fn parted(x: &[f64]) -> f64 {
        let (small, large): (Vec<f64>, Vec<f64>) = x.par_iter().copied().partition(|x| *x < 0.5);
        let (sines, squares): (Vec<f64>, Vec<f64>) = x.par_iter().map(|x| (x.sin(), x * x)).unzip();
        let twice: Vec<f64> = x.par_iter().chain(x.par_iter().rev()).map(|x| x * 2.0).collect();
        let is_any = x.par_iter().any(|x| *x > 2.0);
        let are_all = x.par_iter().all(|x| *x > -1.0);
        let scale = if is_any { x[0] } else { 2.0 } + if are_all { x[1] } else { 3.0 };
        small.iter().sum::<f64>() * large.len() as f64
            + sines.iter().zip(&squares).map(|(a, b)| a * b).sum::<f64>() * scale
            + twice.iter().enumerate().map(|(k, x)| x * k as f64).sum::<f64>()
    }
}

#[test]
fn their_items_are_those_of_std() {
    for x in [&[0.7, -0.3, 1.9, 0.4, -0.9, 1.1][..], &[2.2, -1.4, 0.6], &[0.7, 0.1]] {
        assert_eq!(chains::filtered::value(x), chains::filtered(x));
        chains::filtered::check(x).unwrap();
        chains::flattened::check(x).unwrap();
        chains::parted::check(x).unwrap();
    }
}
