//! Adapters after those that leave items out, or make an item from the one before it.

use pardiff::differentiate;

#[differentiate(check, forward)]
mod items {
    pub fn some_positive(x: &[f64], skipped: usize, taken: usize) -> f64 {
        let items = x.iter().filter(|v| **v > 0.0).skip(skipped).take(taken);
        items.enumerate().map(|(k, v)| (k + 1) as f64 * v * v).sum()
    }

    pub fn some_of_pairs(x: &[f64], n: usize) -> f64 {
        x.iter().flat_map(|v| [*v, v * v]).skip(1).take(n).map(|v| v.sin()).sum()
    }

    pub fn every_nth_positive(x: &[f64], n: usize) -> Vec<f64> {
        x.iter().filter(|v| **v > 0.0).step_by(n).map(|v| v * v).collect()
    }

    /// Products, up to the first large one.
    pub fn products(x: &[f64], most: f64) -> Vec<f64> {
        x.iter()
            .scan(1.0, |product, v| {
                *product *= v;
                (product.abs() < most).then_some(*product)
            })
            .skip(1)
            .collect()
    }

    pub fn quotients(x: &[f64]) -> f64 {
        let quotients = x.iter().scan(1.0, |quotient, v| {
            if *v < 0.0 {
                return None;
            }
            *quotient /= v;
            Some(*quotient)
        });
        quotients.map(|v| v * v).sum()
    }

    pub fn first_positive(x: &[f64], w: &[f64]) -> f64 {
        let first = x.iter().take_while(|v| **v > 0.0).zip(w).map(|(v, w)| v * w).sum::<f64>();
        let second = w.iter().zip(x.iter().take_while(|v| **v > 0.0)).map(|(w, v)| w * v * v).sum::<f64>();
        let third: f64 = x.iter().take_while(|v| **v > 0.0).enumerate().map(|(k, v)| k as f64 * v).sum();
        first * second + third
    }
}

#[differentiate(check, forward)]
mod made_by_functions {
    pub fn halves(x: f64) -> f64 {
        std::iter::successors(Some(x), |v| if *v > 1e-2 { Some(0.5 * v) } else { None }).map(|v| v * v).sum()
    }

    pub fn squares(x: f64, n: usize) -> f64 {
        std::iter::successors(Some(x), |v| Some(v * v)).take(n).map(|v| v.sin()).sum()
    }

    pub fn multiples(x: f64, n: usize) -> f64 {
        let mut k = 0;
        let multiples = std::iter::from_fn(|| {
            k += 1;
            if k > n { None } else { Some(x * k as f64) }
        });
        multiples.map(|v| v * v).sum()
    }

    pub fn fading(x: f64) -> f64 {
        let mut v = x;
        std::iter::repeat_with(|| {
            v *= 0.5;
            v
        })
        .take(4)
        .sum()
    }
}

const X: [f64; 7] = [1.5, 0.5, 2.5, -1.0, 3.0, 0.75, 2.25];
const W: [f64; 7] = [0.3, 0.6, 0.9, 1.2, 1.5, 1.8, 2.1];

#[test]
fn items_are_counted_where_they_are_made() {
    for n in 0..5 {
        for skipped in 0..4 {
            items::some_positive::check(&X, skipped, n).expect("right derivatives");
            let value = items::some_positive::gradient(&X, skipped, n).0;
            assert_eq!(value, items::some_positive(&X, skipped, n));
        }
        items::some_of_pairs::check(&X, n).expect("right derivatives");
        items::every_nth_positive::check(&X, n + 1).expect("right derivatives");
    }
    let mut d_x = [0.0; 7];
    items::every_nth_positive::vjp(&X, &mut d_x, 2, &[1.0, 2.0, 3.0]);
    assert_eq!(d_x, [3.0, 0.0, 10.0, 0.0, 0.0, 4.5, 0.0]);
}

#[test]
#[should_panic(expected = "assertion")]
fn no_step_is_zero() {
    items::every_nth_positive::vjp(&X, &mut [0.0; 7], 0, &[1.0]);
}

#[test]
fn items_end_where_a_closure_says_so() {
    for most in [0.5, 2.0, 100.0] {
        items::products::check(&X, most).expect("right derivatives");
    }
    assert_eq!(items::quotients::gradient(&X).0, items::quotients(&X));
    items::quotients::check(&X).expect("right derivatives");
    items::first_positive::check(&X, &W).expect("right derivatives");
    items::first_positive::check(&X[3..], &W).expect("right derivatives");
}

#[test]
fn items_that_functions_make() {
    for x in [0.4, 0.9] {
        made_by_functions::halves::check(x).expect("right derivatives");
        assert_eq!(made_by_functions::halves::gradient(x).0, made_by_functions::halves(x));
        for n in 0..4 {
            made_by_functions::squares::check(x, n).expect("right derivatives");
            made_by_functions::multiples::check(x, n).expect("right derivatives");
        }
        assert!((made_by_functions::multiples::gradient(x, 3).1.x - 28.0 * x).abs() < 1e-13);
        assert_eq!(made_by_functions::fading::gradient(x).1.x, 0.9375);
    }
}
