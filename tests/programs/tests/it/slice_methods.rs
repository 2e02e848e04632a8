//! Methods of slices and assertions, each against finite differences.

use pardiff::differentiate;
use pardiff_programs::{check, positive, random};

macro_rules! agrees {
    ($($test:ident: $function:ident($($size:expr),*);)+) => {$(
        #[test]
        fn $test() {
            let mut seed = 40;
            let x: Vec<Vec<f64>> = vec![$({ seed += 1; positive(seed, $size) }),*];
            let mut adjoints: Vec<Vec<f64>> = x.iter().map(|x| vec![0.0; x.len()]).collect();
            let value = $function::run(&x, &mut adjoints);
            assert!((value - $function::plain(&x)).abs() < 1e-12);
            let inputs: Vec<&[f64]> = x.iter().map(Vec::as_slice).collect();
            let gradients: Vec<&[f64]> = adjoints.iter().map(Vec::as_slice).collect();
            check($function::plain, &inputs, &gradients);
        }
    )+};
}

/// A kernel of one or two arrays in a module of its own.
macro_rules! kernel {
    ($name:ident($x:ident) $body:block) => {
        mod $name {
            #[super::differentiate]
            pub fn kernel($x: &[f64]) -> f64 $body
            pub fn plain(x: &[Vec<f64>]) -> f64 {
                kernel(&x[0])
            }
            pub fn run(x: &[Vec<f64>], d: &mut [Vec<f64>]) -> f64 {
                kernel::grad(&x[0], &mut d[0])
            }
        }
    };
    ($name:ident($x:ident, $y:ident) $body:block) => {
        mod $name {
            #[super::differentiate]
            pub fn kernel($x: &[f64], $y: &[f64]) -> f64 $body
            pub fn plain(x: &[Vec<f64>]) -> f64 {
                kernel(&x[0], &x[1])
            }
            pub fn run(x: &[Vec<f64>], d: &mut [Vec<f64>]) -> f64 {
                let (d_x, d_y) = d.split_at_mut(1);
                kernel::grad(&x[0], &mut d_x[0], &x[1], &mut d_y[0])
            }
        }
    };
}

kernel!(first_and_last(x) {
    let first = x.first().unwrap();
    let last = x.last().copied().unwrap_or(1.0);
    first * last + x.get(100).copied().unwrap_or(0.25) * first
});

kernel!(split_in_halves(x) {
    let (a, b) = x.split_at(x.len() / 2);
    a.iter().zip(b).map(|(u, v)| u * v).sum()
});

kernel!(changed_in_halves(x) {
    let mut y = x.to_vec();
    let (a, b) = y.split_at_mut(2);
    for (u, v) in a.iter_mut().zip(b.iter_mut()) {
        *u *= *v;
        *v += *u;
    }
    y.iter().map(|v| v * v).sum()
});

kernel!(swapped(x) {
    let mut y = x.to_vec();
    for i in 0..y.len() / 2 {
        let n = y.len();
        y.swap(i, n - 1 - i);
        y[i] *= 2.0;
    }
    y.iter().enumerate().map(|(i, v)| v * (i + 1) as f64).sum::<f64>().sin()
});

kernel!(copied_and_filled(x, y) {
    let mut z = vec![0.0; x.len() + y.len()];
    z.fill(x[0]);
    z[1..1 + y.len()].copy_from_slice(y);
    let mut w = y.to_vec();
    w.swap_with_slice(&mut z[..y.len()]);
    z.iter().map(|v| v * v).sum::<f64>() * w[1]
});

kernel!(head_and_rest(x) {
    let (head, rest) = x.split_first().unwrap();
    let (end, front) = rest.split_last().unwrap();
    front.iter().fold(*head, |acc, v| acc * v + head) * end
});

kernel!(empty_or_not(x, y) {
    let mut total = 0.0;
    for part in x.chunks(3) {
        let (a, b) = part.split_at(1);
        total += if b.is_empty() { a[0] * y[0] } else { b[0] * a[0] };
    }
    total
});

kernel!(asserted(x, y) {
    assert!(x.len() >= y.len(), "{} values are too few", x.len());
    assert_eq!(y.len() % 2, 0);
    debug_assert!(!x.is_empty());
    let mut total = 0.0;
    for (a, b) in x.iter().zip(y) {
        assert!(*a > 0.0, "the logarithm of {a}");
        total += a.ln() * b;
    }
    total
});

kernel!(last_is_changed(x) {
    let mut stack = vec![];
    for v in x {
        stack.push(v * v);
        *stack.last_mut().unwrap() += 0.5 * v;
    }
    let n = stack.len();
    stack[n - 1] *= stack[0];
    stack.iter().sum::<f64>().sqrt()
});

kernel!(integers_with_else(x, y) {
    let mut total = 0.0;
    for i in 0..x.len() {
        let (0 | 2, k) = (i % 3, i / 2) else { continue };
        total += x[i] * y[k];
    }
    total
});

kernel!(turned_around(x) {
    let mut y = x.to_vec();
    y.reverse();
    y[1..].rotate_left(2);
    let mut p = [x[0], x[1] * x[1], x[2]];
    p.rotate_right(1);
    p.reverse();
    let product: f64 = y.iter().zip(x).enumerate().map(|(i, (u, v))| u * v * (i + 1) as f64).sum();
    y[2..].reverse();
    product * p[0] + y[2] * p[1] + y.last().unwrap() * p[2]
});

kernel!(rows_turned_around(x, y) {
    let mut rows = vec![[0.0; 2]; x.len()];
    for (row, v) in rows.iter_mut().zip(x) {
        *row = [v.sin(), v * y[0]];
    }
    rows.rotate_right(y.len());
    rows.reverse();
    for row in rows.iter_mut() {
        row.reverse();
    }
    rows.iter().zip(x).map(|(row, v)| row[0] * v + row[1] * row[0]).sum()
});

kernel!(points(x, y) {
    fn norm(p: [f64; 3]) -> f64 {
        p.iter().map(|v| v * v).sum::<f64>().sqrt()
    }
    let first: &[f64; 3] = x[..3].try_into().unwrap();
    let mut moved: [f64; 3] = x[x.len() - 3..].try_into().unwrap();
    let [a, b] = <[f64; 2]>::try_from(y).unwrap();
    let mut total = 0.0;
    for c in x.chunks_exact(3) {
        let p: [f64; 3] = c.try_into().expect("three");
        moved[1] *= p[0] + a;
        total += norm(c.try_into().unwrap()) * p[2] * first[1];
    }
    total + norm(moved) * b
});

agrees! {
    reversed_and_rotated: turned_around(6);
    reversed_and_rotated_rows: rows_turned_around(5, 2);
    slices_as_arrays: points(6, 2);
    firsts_and_lasts: first_and_last(5);
    halves: split_in_halves(6);
    halves_in_place: changed_in_halves(4);
    elements_are_swapped: swapped(5);
    slices_are_copied: copied_and_filled(3, 4);
    the_first_and_the_others: head_and_rest(6);
    empty_slices: empty_or_not(7, 1);
    assertions_that_hold: asserted(4, 4);
    let_else_on_integers: integers_with_else(6, 3);
    the_last_of_a_vector: last_is_changed(4);
}

#[test]
fn assertions_that_fail() {
    let mut d = [vec![0.0; 2], vec![0.0; 4]];
    let run = |x: [Vec<f64>; 2], d: &mut [Vec<f64>]| {
        let d = std::panic::AssertUnwindSafe(d);
        std::panic::catch_unwind(move || asserted::run(&x, { d }.0)).is_err()
    };
    assert!(run([random(1, 2), random(2, 4)], &mut d));
    assert!(run([vec![1.0, -1.0], vec![1.0, 1.0]], &mut d));
}

#[test]
fn slices_of_other_lengths_than_the_array() {
    let mut d = [vec![0.0; 6], vec![0.0; 3]];
    let run = |x: [Vec<f64>; 2], d: &mut [Vec<f64>]| {
        let d = std::panic::AssertUnwindSafe(d);
        std::panic::catch_unwind(move || points::run(&x, { d }.0)).is_err()
    };
    assert!(run([random(1, 6), random(2, 3)], &mut d));
}

/// Pairs that are left out, distances within a range, and slices put together.
#[differentiate]
pub fn pairs(x: &[f64], excluded: &[usize], start: &[usize], array: f64) -> f64 {
    let all = [x, &x[1..], &[array, 1.0]].concat();
    let rows = [[array, x[0]], [x[1], 2.0]];
    let mut total = rows.concat().iter().zip(&all).map(|(a, b)| a * b).sum();
    for i in 0..x.len() {
        for j in i + 1..x.len() {
            let r = (x[i] - x[j]).abs();
            if excluded[start[i]..start[i + 1]].contains(&j)
                || !(0.1..=1.5).contains(&r)
                || !(..9).contains(&j)
            {
                continue;
            }
            total += r.sqrt() * all[x.len() + i];
        }
    }
    total
}

#[test]
fn pairs_that_are_left_out() {
    let x = random(41, 6);
    let (excluded, start) = ([1, 3, 2, 5], [0, 2, 2, 3, 4, 4, 4]);
    let (y, g) = pairs::gradient(&x, &excluded, &start, 0.7);
    assert!((y - pairs(&x, &excluded, &start, 0.7)).abs() < 1e-14);
    check(|v| pairs(&v[0], &excluded, &start, v[1][0]), &[&x, &[0.7]], &[&g.x, &[g.array]]);
}

/// The first and the last element beside the others, to be written, and what chunks leave over.
#[differentiate]
pub fn ends(x: &[f64]) -> f64 {
    let mut v = x.to_vec();
    if let Some((first, others)) = v.split_first_mut() {
        *first += 1.0;
        for other in others {
            *other *= *first;
        }
    }
    if let Some((last, others)) = v.split_last_mut() {
        others.iter_mut().for_each(|other| *other += *last);
        *last = last.sin();
    }
    let chunks = v.chunks_exact(3);
    let rest: f64 = chunks.remainder().iter().map(|v| v * v).sum();
    chunks.map(|c| c[0] * c[2]).sum::<f64>() + rest
}

#[test]
fn ends_that_are_written() {
    for n in 0..6 {
        let x = random(51, n);
        let (y, g) = ends::gradient(&x);
        assert!((y - ends(&x)).abs() < 1e-14);
        check(|v| ends(&v[0]), &[&x], &[&g.x]);
    }
}
