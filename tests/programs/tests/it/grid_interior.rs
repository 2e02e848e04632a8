//! The inner elements of grids of three and four dimensions, by flat indices, and their neighbours.

use pardiff::differentiate;
use pardiff_programs::{assert_near, check, dot, random};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// One step of seven points; the index has a name.
#[differentiate]
fn seven(u: &[f64], k: &[f64], y: &mut [f64], nx: usize, ny: usize, nz: usize) {
    for i in 1..nx - 1 {
        for j in 1..ny - 1 {
            for l in 1..nz - 1 {
                let c = (i * ny + j) * nz + l;
                let around = u[((i - 1) * ny + j) * nz + l]
                    + u[((i + 1) * ny + j) * nz + l]
                    + u[(i * ny + j - 1) * nz + l]
                    + u[(i * ny + j + 1) * nz + l]
                    + u[c - 1]
                    + u[c + 1];
                y[c] = u[c] + k[c] * (around - 6.0 * u[c]);
            }
        }
    }
}

/// Steps over time, in local arrays, with the other way to write an index.
#[differentiate]
fn rounds(u0: &[f64], k: &[f64], nx: usize, ny: usize, nz: usize, steps: usize) -> f64 {
    let mut u = u0.to_vec();
    let mut next = vec![0.0; nx * ny * nz];
    for _ in 0..steps {
        for i in 1..nx - 1 {
            for j in 1..ny - 1 {
                for l in 1..nz - 1 {
                    let around = u[(i - 1) * ny * nz + j * nz + l] + u[(i + 1) * ny * nz + j * nz + l]
                        - u[i * ny * nz + (j - 1) * nz + l] * u[i * ny * nz + (j + 1) * nz + l]
                        + u[i * ny * nz + j * nz + l - 1]
                        + u[i * ny * nz + j * nz + l + 1];
                    next[i * ny * nz + j * nz + l] = 0.5 * around + k[i * ny * nz + j * nz + l];
                }
            }
        }
        std::mem::swap(&mut u, &mut next);
    }
    let mut total = 0.0;
    for x in &u {
        total += x * x;
    }
    total
}

/// Four dimensions, one neighbour in each.
#[differentiate]
fn four(u: &[f64], y: &mut [f64], na: usize, nb: usize, nc: usize, nd: usize) {
    for a in 1..na {
        for b in 0..nb - 1 {
            for c in 1..nc - 1 {
                for d in 1..nd - 1 {
                    y[((a * nb + b) * nc + c) * nd + d] = u[(((a - 1) * nb + b) * nc + c) * nd + d]
                        * u[((a * nb + b + 1) * nc + c) * nd + d]
                        - u[((a * nb + b) * nc + c + 1) * nd + d].sin()
                        + 2.0 * u[((a * nb + b) * nc + c) * nd + d - 1];
                }
            }
        }
    }
}

/// Arrays of arrays of the same shape.
#[differentiate]
fn nested<const NY: usize, const NZ: usize>(u: &[[[f64; NZ]; NY]], y: &mut [[[f64; NZ]; NY]]) {
    for i in 1..u.len() - 1 {
        for j in 1..NY - 1 {
            for l in 1..NZ - 1 {
                y[i][j][l] = u[i - 1][j][l] * u[i + 1][j][l] + u[i][j - 1][l] - u[i][j + 1][l].sin()
                    + u[i][j][l - 1] * u[i][j][l + 1];
            }
        }
    }
}

/// One step of each inner element; nothing is kept for the reverse sweep.
#[differentiate]
fn scaled(u: &[f64], k: &[f64], y: &mut [f64], nx: usize, ny: usize, nz: usize) {
    for i in 1..nx - 1 {
        for j in 1..ny - 1 {
            for l in 1..nz - 1 {
                y[(i * ny + j) * nz + l] = u[(i * ny + j) * nz + l] * k[(i * ny + j) * nz + l];
            }
        }
    }
}

/// The inner elements between one element at each end of a row, and a row at each end of the grid.
#[differentiate]
fn padded(u: &[f64], k: &[f64], y: &mut [f64], rows: usize, columns: usize) {
    let width = columns + 2;
    for i in 1..=rows {
        for j in 1..=columns {
            let c = i * width + j;
            y[c] = u[c] * u[c - 1] + k[c] * u[(i + 1) * width + j] * u[(i - 1) * width + j] - u[c + 1];
        }
    }
}

/// What every loop that writes a grid must be.
fn is_parallel(plan: &str) {
    assert!(!plan.contains("may write"), "{plan}");
    assert!(!plan.contains("private copies"), "{plan}");
}

#[test]
fn seven_points() {
    is_parallel(seven::DECISIONS);
    assert!(seven::DECISIONS.contains("gathered"), "{}", seven::DECISIONS);
    for [nx, ny, nz] in [[1, 1, 1], [2, 3, 4], [3, 3, 3], [4, 5, 3], [3, 4, 6], [5, 5, 5], [3, 1, 2]] {
        let n = nx * ny * nz;
        let (u, k, y, seed) = (random(1, n), random(2, n), random(3, n), random(4, n));
        let value = |v: &[Vec<f64>]| {
            let mut y = v[2].clone();
            seven(&v[0], &v[1], &mut y, nx, ny, nz);
            dot(&y, &seed)
        };
        let (mut d_u, mut d_k, mut out, mut d_y) = (vec![0.0; n], vec![0.0; n], y.clone(), seed.clone());
        seven::vjp(&u, &mut d_u, &k, &mut d_k, &mut out, &mut d_y, nx, ny, nz);
        check(value, &[&u, &k, &y], &[&d_u, &d_k, &d_y]);
    }
}

/// A grid that is cut into many chunks, against the adjoint by hand.
#[test]
fn a_large_grid() {
    let [nx, ny, nz] = [40, 33, 50];
    let n = nx * ny * nz;
    let (u, k, y, seed) = (random(1, n), random(2, n), random(3, n), random(4, n));
    let (mut d_u, mut d_k, mut out, mut d_y) = (vec![0.0; n], vec![0.0; n], y.clone(), seed.clone());
    seven::vjp(&u, &mut d_u, &k, &mut d_k, &mut out, &mut d_y, nx, ny, nz);
    let mut plain = y.clone();
    seven(&u, &k, &mut plain, nx, ny, nz);
    assert_near(&out, &plain);
    let (mut e_u, mut e_k, mut e_y) = (vec![0.0; n], vec![0.0; n], seed.clone());
    for i in 1..nx - 1 {
        for j in 1..ny - 1 {
            for l in 1..nz - 1 {
                let c = (i * ny + j) * nz + l;
                let t = std::mem::take(&mut e_y[c]);
                e_u[c] += t;
                let mut around = 0.0;
                for at in [c - ny * nz, c + ny * nz, c - nz, c + nz, c - 1, c + 1] {
                    around += u[at];
                    e_u[at] += t * k[c];
                }
                e_u[c] -= 6.0 * t * k[c];
                e_k[c] += t * (around - 6.0 * u[c]);
            }
        }
    }
    assert_near(&d_u, &e_u);
    assert_near(&d_k, &e_k);
    assert_near(&d_y, &e_y);
}

#[test]
fn steps_over_time() {
    is_parallel(rounds::DECISIONS);
    for ([nx, ny, nz], steps) in
        [([4, 3, 5], 2), ([3, 4, 3], 3), ([5, 4, 4], 1), ([2, 2, 2], 2), ([3, 3, 3], 0)]
    {
        let n = nx * ny * nz;
        let (u, k) = (random(5, n), random(6, n));
        let (value, gradient) = rounds::gradient(&u, &k, nx, ny, nz, steps);
        assert_near(&[value], &[rounds(&u, &k, nx, ny, nz, steps)]);
        check(|v| rounds(&v[0], &v[1], nx, ny, nz, steps), &[&u, &k], &[&gradient.u0, &gradient.k]);
    }
}

#[test]
fn four_dimensions() {
    is_parallel(four::DECISIONS);
    for [a, b, c, d] in [[3, 3, 4, 3], [2, 2, 3, 4], [1, 2, 2, 2], [3, 1, 3, 3]] {
        let n = a * b * c * d;
        let (u, y, seed) = (random(7, n), random(8, n), random(9, n));
        let value = |v: &[Vec<f64>]| {
            let mut y = v[1].clone();
            four(&v[0], &mut y, a, b, c, d);
            dot(&y, &seed)
        };
        let (mut d_u, mut out, mut d_y) = (vec![0.0; n], y.clone(), seed.clone());
        four::vjp(&u, &mut d_u, &mut out, &mut d_y, a, b, c, d);
        check(value, &[&u, &y], &[&d_u, &d_y]);
    }
}

#[test]
fn arrays_of_arrays() {
    is_parallel(nested::DECISIONS);
    let flat = random(1, 4 * 3 * 4);
    let shaped = |flat: &[f64]| -> Vec<[[f64; 4]; 3]> {
        flat.chunks_exact(12)
            .map(|plane| std::array::from_fn(|j| std::array::from_fn(|l| plane[j * 4 + l])))
            .collect()
    };
    let numbers = |grid: &[[[f64; 4]; 3]]| grid.iter().flatten().flatten().copied().collect::<Vec<f64>>();
    let seed = random(2, flat.len());
    let value = |v: &[Vec<f64>]| {
        let mut y = shaped(&v[1]);
        nested(&shaped(&v[0]), &mut y);
        dot(&numbers(&y), &seed)
    };
    let zero = vec![0.0; flat.len()];
    let (mut d_u, mut out, mut d_y) = (shaped(&zero), shaped(&zero), shaped(&seed));
    nested::vjp(&shaped(&flat), &mut d_u, &mut out, &mut d_y);
    check(value, &[&flat, &zero], &[&numbers(&d_u), &numbers(&d_y)]);
}

#[test]
fn rows_with_a_border() {
    let (rows, columns) = (5, 9);
    let len = (rows + 2) * (columns + 2);
    let (u, k, seed) = (random(1, len), random(2, len), random(3, len));
    let (mut y, mut d_y) = (vec![0.0; len], seed.clone());
    let (mut d_u, mut d_k) = (vec![0.0; len], vec![0.0; len]);
    padded::vjp(&u, &mut d_u, &k, &mut d_k, &mut y, &mut d_y, rows, columns);
    let run = |v: &[Vec<f64>]| {
        let mut y = vec![0.0; len];
        padded(&v[0], &v[1], &mut y, rows, columns);
        dot(&seed, &y)
    };
    check(run, &[&u, &k], &[&d_u, &d_k]);
    is_parallel(padded::DECISIONS);
    assert!(padded::DECISIONS.contains("gathered"), "{}", padded::DECISIONS);
}

#[test]
fn sizes_for_which_an_index_wraps_fail_as_the_function_does() {
    assert!(scaled::DECISIONS.contains("no index wraps"), "{}", scaled::DECISIONS);
    let (u, k, seed) = (random(1, 27), random(2, 27), random(3, 27));
    let large = [3, 0, 4, 1 << 21, 1 << 31, 1 << 62, 1 << 63, (1 << 63) + 1, usize::MAX];
    for (nx, ny, nz) in large.iter().flat_map(|&a| large.iter().map(move |&b| (3, a, b))) {
        let plain = catch_unwind(|| scaled(&u, &k, &mut seed.clone(), nx, ny, nz)).is_err();
        let mut d = [vec![0.0; 27], vec![0.0; 27]];
        let [d_u, d_k] = &mut d;
        let gradient = catch_unwind(AssertUnwindSafe(|| {
            scaled::vjp(&u, d_u, &k, d_k, &mut seed.clone(), &mut seed.clone(), nx, ny, nz);
        }));
        assert_eq!(plain, gradient.is_err(), "{ny} {nz}");
    }
}
