//! Arrays that a closure makes, tables of constants, sorted tables that are searched, vectors that are moved.

use pardiff::differentiate;
use pardiff_programs::{assert_near, check, positive, random};

/// A table of constants in the body, and one of pairs: neither is kept for the reversal.
#[differentiate]
fn spread(x: &[f64], n: usize, steps: usize) -> f64 {
    const AROUND: [(i32, i32); 4] = [(1, 0), (0, 1), (-1, 0), (0, -1)];
    let mut now = x.to_vec();
    for _ in 0..steps {
        let mut next = vec![0.0; x.len()];
        for i in 0..n {
            for j in 0..n {
                let mut sum = 0.0;
                for (k, &(di, dj)) in AROUND.iter().enumerate() {
                    let weight = [0.5, 0.25, -0.125, 1.0];
                    let a = (i as i32 + di).rem_euclid(n as i32) as usize;
                    let b = (j as i32 + AROUND[k].1).rem_euclid(n as i32) as usize;
                    sum += weight[k] * now[a * n + b] * now[i * n + j] + dj as f64;
                }
                next[i * n + j] = sum;
            }
        }
        now = next;
    }
    now.iter().sum()
}

/// Three vectors that are moved in a circle.
#[differentiate]
fn moved(x: &[f64], k: f64, steps: usize) -> f64 {
    let mut before = x.to_vec();
    let mut now = x.to_vec();
    for t in 0..steps {
        let mut after = vec![0.0; x.len()];
        for i in 1..x.len() {
            after[i] = 2.0 * now[i] - before[i] + k * now[i - 1] * now[i];
        }
        after[t % x.len()] += k;
        before = now;
        now = after;
    }
    before.iter().zip(&now).map(|(a, b)| a * b).sum()
}

/// Of lengths that differ.
#[differentiate]
fn layers(x: &[f64], w: &[f64], sizes: &[usize]) -> f64 {
    let mut at = x.to_vec();
    let mut from = 0;
    for &m in sizes {
        let mut next = vec![0.0; m];
        for o in 0..m {
            for k in 0..at.len() {
                next[o] += w[from + o * at.len() + k] * at[k];
            }
            next[o] = next[o].tanh();
        }
        from += m * at.len();
        at = next;
    }
    at.iter().sum()
}

#[differentiate]
mod made {
    fn turned(a: [f64; 3], by: f64) -> [f64; 3] {
        let (s, c) = by.sin_cos();
        let rows: [[f64; 3]; 2] = std::array::from_fn(|i| std::array::from_fn(|k| a[k] * (i as f64 + c)));
        std::array::from_fn(|k| rows[0][k] - s * rows[1][(k + 1) % 3])
    }

    pub fn total(points: &[[f64; 3]], by: f64) -> f64 {
        let mut total = 0.0;
        for point in points {
            let squares = std::array::from_fn::<f64, 3, _>(|k| point[k] * point[k]);
            let moved = turned(*point, by);
            total += moved.iter().zip(squares).map(|(m, s)| m * s).sum::<f64>();
        }
        total
    }
}

/// Interpolation in a table that is searched.
#[differentiate(wrt(values, at))]
fn interpolated(grid: &[f64], values: &[f64], at: &[f64]) -> f64 {
    at.iter()
        .map(|&x| {
            let above = grid.partition_point(|&g| g <= x).clamp(1, grid.len() - 1);
            let t = (x - grid[above - 1]) / (grid[above] - grid[above - 1]);
            (values[above - 1] * (1.0 - t) + values[above] * t).powi(2)
        })
        .sum()
}

/// Where each is found.
#[differentiate]
fn places(grid: &[f64], at: &[f64], out: &mut [usize]) -> f64 {
    for (o, x) in out.iter_mut().zip(at) {
        *o = grid.partition_point(|g| g < x);
    }
    at.iter().sum()
}

/// A literal of tuples as a local.
#[differentiate]
fn laplacian(x: &[f64], n: usize) -> f64 {
    let around = [((0i32, 0i32), -4.0), ((1, 0), 1.0), ((0, 1), 1.0), ((-1, 0), 1.0), ((0, -1), 1.0)];
    let mut total = 0.0;
    for i in 1..n - 1 {
        for j in 1..n - 1 {
            let mut sum = 0.0;
            for ((di, dj), weight) in around {
                sum += weight * x[(i as i32 + di) as usize * n + (j as i32 + dj) as usize];
            }
            total += sum * sum;
        }
    }
    total
}

#[test]
fn tables_of_constants() {
    let x = positive(1, 16);
    let (value, gradient) = spread::gradient(&x, 4, 3);
    assert_near(&[value], &[spread(&x, 4, 3)]);
    check(|v| spread(&v[0], 4, 3), &[&x], &[&gradient.x]);
    let tapes = spread::DECISIONS.lines().filter(|line| line.trim_start().starts_with("tape"));
    assert!(!tapes.clone().any(|tape| tape.contains("i32")), "{}", spread::DECISIONS);
}

#[test]
fn vectors_that_are_moved() {
    let x = random(2, 7);
    for steps in [0, 1, 2, 5] {
        let (value, gradient) = moved::gradient(&x, 0.3, steps);
        assert_near(&[value], &[moved(&x, 0.3, steps)]);
        check(|v| moved(&v[0], v[1][0], steps), &[&x, &[0.3]], &[&gradient.x, &[gradient.k]]);
    }
    let w = random(3, 3 * 4 + 4 * 2 + 2);
    let (_, gradient) = layers::gradient(&x[..3], &w, &[4, 2, 1]);
    check(|v| layers(&v[0], &v[1], &[4, 2, 1]), &[&x[..3], &w], &[&gradient.x, &gradient.w]);
}

#[test]
fn arrays_that_a_closure_makes() {
    let x = random(4, 12);
    let points = |x: &[f64]| -> Vec<[f64; 3]> { x.chunks_exact(3).map(|x| [x[0], x[1], x[2]]).collect() };
    let (_, gradient) = made::total::gradient(&points(&x), 0.4);
    check(
        |v| made::total(&points(&v[0]), v[1][0]),
        &[&x, &[0.4]],
        &[gradient.points.as_flattened(), &[gradient.by]],
    );
}

#[test]
fn sorted_tables_are_searched() {
    let grid: Vec<f64> = (0..11).map(|i| i as f64 / 10.0 + 0.45).collect();
    let (values, at) = (random(5, 11), positive(6, 30));
    let (value, gradient) = interpolated::gradient(&grid, &values, &at);
    assert_near(&[value], &[interpolated(&grid, &values, &at)]);
    check(|v| interpolated(&grid, &v[0], &v[1]), &[&values, &at], &[&gradient.values, &gradient.at]);

    // every length, elements that are equal, and what is in front of all or behind
    for len in 0..20 {
        let grid: Vec<f64> = (0..len).map(|i| (i / 2) as f64).collect();
        let at: Vec<f64> = (-2..24).map(|i| i as f64 / 2.0).collect();
        let (mut found, mut expected) = (vec![0; at.len()], vec![0; at.len()]);
        places::value(&grid, &at, &mut found);
        places(&grid, &at, &mut expected);
        assert_eq!(found, expected, "of {len}");
    }
}

#[test]
fn literals_of_tuples() {
    let x = random(7, 36);
    let (value, gradient) = laplacian::gradient(&x, 6);
    assert_near(&[value], &[laplacian(&x, 6)]);
    check(|v| laplacian(&v[0], 6), &[&x], &[&gradient.x]);
}
