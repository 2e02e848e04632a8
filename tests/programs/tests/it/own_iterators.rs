//! Iterators of the program itself in `for`.

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
