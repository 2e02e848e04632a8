//! One item of many: maxima, positions, the first that fits.

use pardiff::differentiate;
use pardiff_programs::{check, random};

#[differentiate]
pub fn reduce_max(x: &[f64]) -> f64 {
    x.iter().copied().reduce(f64::max).unwrap_or(0.0)
}

#[differentiate]
pub fn total_cmp_max(x: &[f64]) -> f64 {
    *x.iter().max_by(|a, b| a.total_cmp(b)).unwrap()
}

#[differentiate]
pub fn argmax(x: &[f64], w: &[f64]) -> f64 {
    let (best, _) = x.iter().enumerate().max_by(|a, b| a.1.partial_cmp(b.1).unwrap()).unwrap();
    w[best] * x[best]
}

#[differentiate]
pub fn int_max(x: &[f64], k: &[usize]) -> f64 {
    let m = k.iter().max().unwrap();
    let n = *k.iter().min().unwrap();
    x[*m] * x[n]
}

#[differentiate]
pub fn any_all(x: &[f64]) -> f64 {
    if x.iter().any(|v| *v > 0.9) {
        0.0
    } else if x.iter().all(|&v| v < 0.95) {
        x.iter().sum::<f64>().exp()
    } else {
        1.0
    }
}

#[differentiate]
pub fn position(x: &[f64], lim: f64) -> f64 {
    let k = x.iter().position(|&v| v > lim).unwrap_or(x.len());
    x[..k].iter().sum::<f64>() * lim
}

#[differentiate]
pub fn last_elem(x: &[f64]) -> f64 {
    let last = x.iter().last().unwrap();
    last * last
}

#[differentiate]
pub fn orders(x: &[f64]) -> (usize, usize, usize, usize, f64) {
    let (a, _) = x.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1)).unwrap_or((7, &0.0));
    let (b, _) = x.iter().enumerate().min_by(|a, b| a.1.total_cmp(b.1)).unwrap_or((7, &0.0));
    let (c, _) = x
        .iter()
        .enumerate()
        .max_by(|a, b| a.1.partial_cmp(b.1).unwrap_or(std::cmp::Ordering::Equal))
        .unwrap_or((7, &0.0));
    let (d, _) = x.iter().copied().enumerate().min_by(|a, b| b.1.total_cmp(&a.1)).unwrap_or((7, 0.0));
    (a, b, c, d, x.iter().copied().filter(|v| v.is_finite()).sum())
}

#[differentiate]
pub fn choices(x: &[f64], w: &[f64], k: &[i32]) -> f64 {
    let (i, best) = x
        .iter()
        .zip(w)
        .map(|(a, b)| a * b)
        .enumerate()
        .min_by(|a, b| a.1.partial_cmp(&b.1).expect("a number"))
        .unwrap();
    let largest = x.iter().copied().max_by(f64::total_cmp).unwrap();
    let far = x.iter().max_by(|a, b| b.abs().total_cmp(&a.abs()).reverse()).copied().unwrap_or(1.0);
    let key = *k.iter().min_by_key(|v| (**v - 3).abs()).unwrap();
    let first = x.iter().find(|v| **v > 0.0).copied().unwrap_or(0.5);
    let row = x
        .chunks_exact(2)
        .map(|c| [c[0], c[1]])
        .reduce(|a, b| if a[0] > b[0] { a } else { [b[0], a[1]] })
        .unwrap();
    let at = x.iter().filter(|v| **v < 0.5).position(|v| *v < 0.0).unwrap();
    let total = x.windows(2).map(|w| w[0] * w[1]).reduce(|a, b| a + b).unwrap_or_default();
    let near = *k.iter().max_by_key(|v| (*v - 1).abs()).unwrap() as usize;
    let none = x.iter().position(|v| *v > 10.0).is_none();
    best * w[i]
        + largest * far
        + key as f64 * first
        + row[0] * row[1] * at as f64
        + total
        + w[near]
        + if none { x[0] } else { 0.0 }
}

#[test]
fn gradients_of_choices() {
    let (x, w) = (random(3, 6), random(4, 6));
    macro_rules! one {
        ($f:ident) => {{
            let (value, g) = $f::gradient(&x);
            assert_eq!(value, $f(&x));
            check(|v| $f(&v[0]), &[&x], &[&g.x]);
        }};
    }
    one!(reduce_max);
    one!(total_cmp_max);
    one!(any_all);
    one!(last_elem);
    let (_, g) = argmax::gradient(&x, &w);
    check(|v| argmax(&v[0], &v[1]), &[&x, &w], &[&g.x, &g.w]);
    let k = [2, 0, 4];
    let (_, g) = int_max::gradient(&x, &k);
    check(|v| int_max(&v[0], &k), &[&x], &[&g.x]);
    for lim in [0.1, 5.0] {
        let (_, g) = position::gradient(&x, lim);
        check(|v| position(&v[0], v[1][0]), &[&x, &[lim]], &[&g.x, &[g.lim]]);
    }
    let k = [3, 1, 4];
    let (value, g) = choices::gradient(&x, &w, &k);
    assert_eq!(value, choices(&x, &w, &k));
    check(|v| choices(&v[0], &v[1], &k), &[&x, &w], &[&g.x, &g.w]);
}

/// Ties, NaN and zeros of both signs are ordered as std orders them; nothing is chosen from nothing.
#[test]
fn orders_are_those_of_std() {
    for odd in [f64::NAN, -f64::NAN, 0.0, -0.0, 1.0] {
        let mut x = random(3, 6);
        (x[2], x[4], x[5]) = (odd, -0.0, odd);
        assert_eq!(orders(&x), orders::value(&x), "{odd}");
    }
    assert_eq!(orders(&[]), orders::value(&[]));
}

#[test]
#[should_panic(expected = "an iterator without such an item")]
fn nothing_to_choose_from() {
    any_all::gradient(&[]);
    reduce_max::gradient(&[]);
    total_cmp_max::gradient(&[]);
}
