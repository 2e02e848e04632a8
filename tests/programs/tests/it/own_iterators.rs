//! Iterators of the program itself, in `for` and in chains.

use pardiff::differentiate;

#[differentiate(check, forward)]
mod steps {
    pub struct Powers {
        x: f64,
        now: f64,
        left: usize,
    }

    impl Iterator for Powers {
        type Item = f64;

        fn next(&mut self) -> Option<f64> {
            if self.left == 0 {
                return None;
            }
            self.left -= 1;
            let value = self.now;
            self.now *= self.x;
            Some(value)
        }
    }

    fn powers(x: f64, left: usize) -> Powers {
        Powers { x, now: 1.0, left }
    }

    pub fn sum(x: f64, n: usize) -> f64 {
        let mut sum = 0.0;
        'all: for (i, a) in [0.5, 0.7].iter().enumerate() {
            for power in powers(a * x, n) {
                if power > 1e3 {
                    continue 'all;
                }
                sum += power.sin() * (i as f64 + 1.0);
            }
        }
        sum
    }

    /// What is left of an iterator.
    pub fn rest(x: f64, n: usize) -> f64 {
        let mut all = powers(x, n);
        let mut product = 1.0;
        for power in &mut all {
            product *= power;
            if product > 2.0 {
                break;
            }
        }
        let mut rest = 0.0;
        for power in all {
            rest += power;
        }
        product * rest
    }

    pub fn summed(x: f64, n: usize) -> f64 {
        powers(x, n).map(|v| v.sin()).sum()
    }

    pub fn against(x: f64, w: &[f64]) -> f64 {
        let all = powers(x, 9);
        let first = all.zip(w.iter()).map(|(a, b)| a * b).fold(0.0, |a, b| a + b);
        first * w.iter().zip(powers(0.5 * x, 3)).map(|(a, b)| a * b).sum::<f64>()
    }

    /// Powers 2, 5 and 8, numbered.
    pub fn every_third(x: f64) -> f64 {
        powers(x, 9).skip(2).step_by(3).enumerate().map(|(k, v)| k as f64 * v).sum()
    }

    pub fn until_large(x: f64, w: &[f64]) -> f64 {
        let mut total = 0.0;
        for (power, w) in powers(x, 9).take(5).zip(w) {
            if power * w > 50.0 {
                break;
            }
            total += power * w * w;
        }
        total
    }

    /// What is left after three items, after the first large one, and after one item more.
    pub fn in_steps(x: f64) -> f64 {
        let mut all = powers(x, 12);
        let first: f64 = all.by_ref().take(3).sum();
        let large = all.any(|v| v > 4.0);
        let second = all.nth(1).unwrap_or(0.0);
        let rest: Vec<f64> = all.collect();
        if large { first * second + rest.len() as f64 * rest[0] } else { first }
    }

    pub fn one_of(x: f64) -> f64 {
        let cosines = powers(x, 4).map(|v| v.cos());
        cosines.last().unwrap() * powers(x, 5).max_by(|a, b| a.total_cmp(b)).unwrap()
    }

    pub fn nested(x: f64, n: usize) -> f64 {
        let squares = (1..n).flat_map(|k| powers(x / k as f64, k)).map(|v| v * v);
        squares.sum::<f64>() * powers(x, 7).filter(|v| *v > 1.0).count() as f64
    }

    pub fn one_behind_the_other(x: f64) -> f64 {
        powers(x, 3).chain(powers(2.0 * x, 2)).enumerate().map(|(k, v)| k as f64 * v).sum()
    }
}

#[test]
fn chains_over_them_are_loops_with_next() {
    let w = [0.5, -1.5, 2.0, 0.25, 3.0];
    for x in [0.8_f64, 1.3, 2.2] {
        for n in [0, 1, 4] {
            steps::summed::check(x, n).expect("right derivatives");
            steps::nested::check(x, n).expect("right derivatives");
        }
        steps::against::check(x, &w).expect("right derivatives");
        steps::every_third::check(x).expect("right derivatives");
        steps::until_large::check(x, &w).expect("right derivatives");
        steps::in_steps::check(x).expect("right derivatives");
        steps::one_of::check(x).expect("right derivatives");
        steps::one_behind_the_other::check(x).expect("right derivatives");
        assert_eq!(steps::in_steps::gradient(x).0, steps::in_steps(x));
        assert_eq!(steps::until_large::gradient(x, &w).0, steps::until_large(x, &w));
        let slope = 5.0 * x.powi(4) + 16.0 * x.powi(7);
        assert!((steps::every_third::gradient(x).1.x - slope).abs() < 1e-12 * slope);
    }
}

#[test]
fn iterators_are_used_up_step_by_step() {
    for (x, n) in [(0.3, 0), (1.4, 5), (2.5, 9)] {
        steps::sum::check(x, n).expect("right derivatives");
        steps::rest::check(x, n).expect("right derivatives");
    }
    let (value, gradient) = steps::rest::gradient(1.4, 5);
    assert_eq!(value, steps::rest(1.4, 5));
    assert!(gradient.x != 0.0);
}
