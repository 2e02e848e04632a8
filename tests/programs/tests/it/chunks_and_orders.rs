//! Chunks from the end and by their neighbours, orders of slices, and methods of vectors that take closures.

use pardiff::differentiate;

const X: [f64; 7] = [0.7, -1.3, 2.1, 0.4, 1.9, -0.6, 3.3];

/// Chunks whose sizes follow from the end, or from what stands beside what.
#[differentiate(check)]
pub fn chunked(x: &[f64]) -> f64 {
    let k = 2;
    let mut total: f64 = x.rchunks(3).enumerate().map(|(i, c)| i as f64 * c.iter().product::<f64>()).sum();
    total += x[1..].rchunks_exact(k).map(|c| c[0] * c[1]).sum::<f64>();
    for run in x.chunk_by(|a, b| a < b) {
        total += run.iter().product::<f64>() * run.len() as f64;
    }
    total
}

#[test]
fn chunks_are_those_of_std() {
    for n in 0..=X.len() {
        let x = &X[..n.max(1)];
        assert!((chunked::value(x) - chunked(x)).abs() < 1e-12);
        chunked::check(x).unwrap();
    }
}

/// An iterator that a loop leaves over, and what its chunks leave over.
#[differentiate(check)]
pub fn left_over(x: &[f64]) -> f64 {
    let mut pairs = x.chunks_exact(2);
    let mut total = 0.0;
    for pair in &mut pairs {
        total += pair[0] * pair[1];
    }
    for v in pairs.remainder() {
        total += v * v;
    }
    let mut items = x.iter();
    for v in items.by_ref() {
        if *v > 2.0 {
            break;
        }
        total += v.sin();
    }
    total + items.map(|v| v * v * v).sum::<f64>()
}

#[test]
fn what_is_left_over_comes_next() {
    assert!((left_over::value(&X) - left_over(&X)).abs() < 1e-12);
    left_over::check(&X).unwrap();
}

/// Items that are zipped where some are left out.
#[differentiate(check)]
pub fn met(x: &[f64]) -> f64 {
    let squares = x.iter().map(|v| v * v).filter(|v| *v > 0.3);
    let both: f64 = x.iter().filter(|v| **v < 2.0).zip(squares).map(|(a, b)| a * b).sum();
    both + x.iter().zip(x.iter().skip_while(|v| **v > 0.0)).fuse().map(|(a, b)| a * b).sum::<f64>()
}

#[test]
fn filtered_items_meet_in_order() {
    assert!((met::value(&X) - met(&X)).abs() < 1e-12);
    met::check(&X).unwrap();
}

/// What `try_for_each` did before it ended.
#[differentiate(check)]
pub fn until_failure(x: &[f64], most: f64) -> f64 {
    fn root(x: &[f64], most: f64) -> Option<f64> {
        x.iter().inspect(|v| println!("{v}")).try_for_each(|v| if *v > most { None } else { Some(()) })?;
        Some(x[0] * x[1])
    }
    let mut total = 0.0;
    let all = x.iter().try_for_each(|v| {
        if *v > most {
            return Err("too large");
        }
        total += v * v;
        Ok(())
    });
    if all.is_err() { total * root(x, most).unwrap_or(2.0) } else { total + root(x, most).unwrap_or(2.0) }
}

#[test]
fn the_first_failure_ends_it() {
    for most in [2.0, 10.0] {
        assert!((until_failure::value(&X, most) - until_failure(&X, most)).abs() < 1e-12);
        until_failure::check(&X, most).unwrap();
    }
}

/// Whether items are in order, and what a slice begins and ends with.
#[differentiate(check)]
pub fn ordered(x: &[f64]) -> f64 {
    let mut total = x.iter().sum::<f64>();
    total *= if x.is_sorted() { x[0] } else { x[1] };
    total *= if x[2..].iter().is_sorted() { x[0] } else { x[2] };
    total *= if x.is_sorted_by(|a, b| a.abs() < b.abs()) { x[0] } else { x[3] };
    total *= if x[1..3].is_sorted_by_key(|v| (v * 10.0) as i64) { x[4] } else { x[0] };
    total *= if x.starts_with(&[0.7, -1.3]) && !x.ends_with(&[0.7]) { x[5] } else { x[0] };
    total * x[..2].repeat(2).iter().product::<f64>()
}

#[test]
fn orders_are_those_of_std() {
    assert!((ordered::value(&X) - ordered(&X)).abs() < 1e-12);
    ordered::check(&X).unwrap();
}

/// Vectors that closures fill and thin out, and the median.
#[differentiate(check)]
pub fn thinned(x: &[f64]) -> f64 {
    let mut v = x.to_vec();
    v.dedup_by(|a, b| (*a - *b).abs() < 1.6);
    let mut w = x.to_vec();
    w.dedup_by_key(|a| *a as i64);
    w.retain_mut(|a| {
        *a *= 2.0;
        *a > 0.0
    });
    let mut next = 0;
    let mut filled = vec![0.0; 3];
    filled.fill_with(|| {
        next += 1;
        x[next] * x[next]
    });
    filled.resize_with(5, || x[0]);
    let mut sorted = x.to_vec();
    let middle = x.len() / 2;
    let (low, median, _) = sorted.select_nth_unstable_by(middle, f64::total_cmp);
    let spread = *median - low.iter().sum::<f64>();
    let products = v.iter().product::<f64>() + w.iter().product::<f64>() + filled.iter().product::<f64>();
    products * spread + *sorted.select_nth_unstable_by(1, |a, b| b.total_cmp(a)).1
}

#[test]
fn closures_of_vectors() {
    assert!((thinned::value(&X) - thinned(&X)).abs() < 1e-12);
    thinned::check(&X).unwrap();
}
