//! Steps over time that are as long as the fastest wave of all cells allows: the adjoint of the step goes to the cell
//! that attains the greatest speed, and the loops over the cells stay parallel.

use pardiff::differentiate;
use pardiff_programs::{check, random};

const GRAVITY: f64 = 9.81;

/// Shallow water on a grid; the step from both directions, and what happened until the end.
#[differentiate(wrt(h0, u0))]
pub fn waves(h0: &[f64], u0: &[f64], nx: usize, ny: usize, steps: usize) -> f64 {
    let speed = |height: f64, flux: f64| (flux / height).abs() + (GRAVITY * height).sqrt();
    let (mut h, mut u) = (h0.to_vec(), u0.to_vec());
    let mut time = 0.0;
    for _ in 0..steps {
        let mut fastest = 1e-12_f64;
        for j in 0..ny {
            for i in 0..nx {
                let c = j * nx + i;
                fastest = fastest.max(speed(h[c], u[c])).max(speed(h[c], 0.5 * u[c]));
            }
        }
        let dt = 0.2 / fastest;
        time += dt;
        let (ho, uo) = (h.clone(), u.clone());
        for j in 1..ny.max(1) - 1 {
            for i in 1..nx.max(1) - 1 {
                let c = j * nx + i;
                h[c] = ho[c] - dt * (uo[c + 1] - uo[c - 1] + ho[c + nx] - ho[c - nx]);
                u[c] = uo[c] - dt * (uo[c + 1] * uo[c + 1] / ho[c + 1] - GRAVITY * ho[c - nx]);
            }
        }
    }
    time + h.iter().zip(&u).map(|(h, u)| h * u).sum::<f64>()
}

/// A chain of cells with a greatest and a least value by comparison.
#[differentiate]
pub fn chain(x0: &[f64], steps: usize) -> f64 {
    let mut x = x0.to_vec();
    let mut total = 0.0;
    for _ in 0..steps {
        let (mut most, mut least) = (0.25, f64::INFINITY);
        for i in 0..x.len() {
            if x[i].abs() > most {
                most = x[i].abs();
            }
            let square = x[i] * x[i] + 1.0;
            if square < least {
                least = square;
            }
        }
        total += most * least.min(9.0);
        for i in 0..x.len() {
            x[i] -= 0.1 * x[i] / (most + least.min(9.0));
        }
    }
    total + x.iter().sum::<f64>()
}

fn gradient_of_waves(threads: usize, h: &[f64], u: &[f64], size: [usize; 3]) -> (f64, Vec<f64>, Vec<f64>) {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
    let (mut d_h, mut d_u) = (vec![0.0; h.len()], vec![0.0; u.len()]);
    let [nx, ny, steps] = size;
    let value = pool.install(|| waves::grad(h, &mut d_h, u, &mut d_u, nx, ny, steps));
    (value, d_h, d_u)
}

#[test]
fn the_adjoint_of_the_step_goes_to_the_fastest_cell() {
    for size @ [nx, ny, steps] in [[0, 0, 3], [1, 1, 2], [3, 3, 1], [4, 7, 3], [41, 23, 2], [9, 5, 0]] {
        let h: Vec<f64> = random(1, nx * ny).iter().map(|x| 2.0 + 0.3 * x).collect();
        let u: Vec<f64> = random(2, nx * ny).iter().map(|x| 0.4 * x).collect();
        let (value, d_h, d_u) = gradient_of_waves(2, &h, &u, size);
        assert!((value - waves(&h, &u, nx, ny, steps)).abs() <= 1e-12 * value.abs().max(1.0));
        check(|v: &[Vec<f64>]| waves(&v[0], &v[1], nx, ny, steps), &[&h, &u], &[&d_h, &d_u]);
        let (one, three) = (gradient_of_waves(1, &h, &u, size), gradient_of_waves(3, &h, &u, size));
        assert_eq!(one, three);
    }
}

#[test]
fn loops_over_cells_stay_parallel() {
    for plan in [waves::DECISIONS, chain::DECISIONS] {
        for variable in ["fastest", "most", "least"] {
            let in_order = format!("what another iteration wrote (the variable `{variable}");
            assert!(!plan.contains(&in_order), "{plan}");
        }
    }
}

#[test]
fn comparisons_make_extrema() {
    for (n, steps) in [(0, 2), (1, 3), (2, 1), (5, 4), (700, 3)] {
        // differences of elements are greater than the steps that derivatives are taken with
        let x: Vec<f64> = (0..n).map(|i| 0.02 * ((i * 37) % n) as f64 - 0.3).collect();
        let mut d_x = vec![0.0; n];
        let value = chain::grad(&x, &mut d_x, steps);
        assert!((value - chain(&x, steps)).abs() <= 1e-12 * value.abs());
        check(|v: &[Vec<f64>]| chain(&v[0], steps), &[&x], &[&d_x]);
    }
}

/// The spread of values in each step, of which none enters the result but the extrema.
#[differentiate]
pub fn spread(x: &[f64], steps: usize) -> f64 {
    let mut total = 0.0;
    for step in 1..=steps {
        let (mut most, mut least) = (0.25, f64::INFINITY);
        for v in x {
            let scaled = v * step as f64;
            if scaled > most {
                most = scaled;
            }
            if scaled < least {
                least = scaled;
            }
        }
        total += most - least;
    }
    total
}

#[test]
fn comparisons_pass_over_what_is_no_number() {
    let x = [0.5, f64::NAN, 0.75];
    let mut d_x = [0.0; 3];
    let value = spread::grad(&x, &mut d_x, 2);
    assert_eq!((value, d_x), (0.75, [-3.0, 0.0, 3.0]));
    assert_eq!(value, spread(&x, 2));
}

/// Extrema of quotients, and of sums of products that are needed elsewhere as well: loops that compute them may round
/// otherwise.
#[differentiate]
pub fn quotients(x: &[f64], y: &[f64], h: f64, steps: usize) -> f64 {
    let mut u = y.to_vec();
    let mut z = vec![0.0; x.len()];
    let mut total = 0.0;
    for _ in 0..steps {
        let (mut most, mut least) = (-9.0_f64, 9.0_f64);
        for i in 0..x.len() {
            most = most.max(x[i] * u[i] / h.hypot(1.0));
            let product = x[i] * u[i];
            let quotient = u[i] / h;
            z[i] = product * quotient;
            least = least.min(product + (u[i] - quotient));
        }
        total += most * least;
        for i in 0..x.len() {
            u[i] = 0.5 * u[i] + 0.25 * z[i] / (most + 10.0) - 0.1 * least;
        }
    }
    total + u.iter().sum::<f64>()
}

#[test]
fn an_extremum_is_found_however_its_values_are_rounded() {
    for (n, steps) in [(0, 2), (1, 3), (2, 1), (5, 4), (40, 3), (1500, 2)] {
        for seed in 0..5 {
            let (x, y, h) = (random(seed, n), random(seed + 9, n), 0.3 + 0.1 * seed as f64);
            let (mut d_x, mut d_y, mut d_h) = (vec![0.0; n], vec![0.0; n], 0.0);
            let value = quotients::grad(&x, &mut d_x, &y, &mut d_y, h, &mut d_h, steps);
            let expected = quotients(&x, &y, h, steps);
            assert!((value - expected).abs() <= 1e-12 * expected.abs().max(1.0), "{value} {expected}");
            // among more there are some as close as the steps that derivatives are taken with
            if n <= 5 {
                let quotients = |v: &[Vec<f64>]| quotients(&v[0], &v[1], v[2][0], steps);
                check(quotients, &[&x, &y, &[h]], &[&d_x, &d_y, &[d_h]]);
            }
        }
    }
}

/// The fastest of cells whose speeds depend on what stays from step to step, and on what does not.
#[differentiate]
pub fn tired(x: &[f64], y: &[f64], rows: usize, columns: usize, steps: usize) -> f64 {
    let mut u = y.to_vec();
    let mut total = 0.0;
    for _ in 0..steps {
        let mut most = -9.0_f64;
        for j in 0..rows {
            for i in 0..columns {
                let c = j * columns + i;
                most = most.max(u[c] + (x[c] * x[c] + 1.0).sqrt().sin());
            }
        }
        total += most * most;
        for c in 0..rows * columns {
            u[c] *= 0.9 - 0.1 * u[c];
        }
    }
    total
}

#[test]
fn what_stays_from_step_to_step_is_stored_of_the_cell_of_each_step() {
    for (rows, columns, steps) in [(1, 1, 2), (3, 4, 5), (7, 5, 6)] {
        let n = rows * columns;
        let (x, y) = (random(3, n), random(4, n).iter().map(|y| 3.0 * y).collect::<Vec<f64>>());
        let (mut d_x, mut d_y) = (vec![0.0; n], vec![0.0; n]);
        let value = tired::grad(&x, &mut d_x, &y, &mut d_y, rows, columns, steps);
        assert!((value - tired(&x, &y, rows, columns, steps)).abs() <= 1e-12 * value.abs());
        check(|v: &[Vec<f64>]| tired(&v[0], &v[1], rows, columns, steps), &[&x, &y], &[&d_x, &d_y]);
    }
}

/// Quotients that say which element is read, and whether one changes.
#[differentiate]
pub fn decided(x: &[f64], y: &[f64], w: &[f64], h: f64, steps: usize) -> f64 {
    let mut u = y.to_vec();
    let least = x[0] / h;
    let mut total = 0.0;
    for _ in 0..steps {
        for i in 0..x.len() {
            let (quotient, scaled) = (x[i] / h, u[i] / h);
            total += quotient * scaled * w[quotient as usize];
            if quotient >= least {
                u[i] = (0.5 * u[i] + 1.0).sin();
            }
        }
    }
    total * total
}

/// `h * (1.0 / h)` is less than one for 49.
#[test]
fn both_sweeps_decide_alike() {
    for n in [1, 2, 40, 3000] {
        let h = 49.0;
        let x: Vec<f64> = (0..n).map(|i| if i % 2 == 0 { h } else { 0.3 + 0.001 * i as f64 }).collect();
        let (y, w) = (random(5, n), random(6, 2));
        let (mut d_x, mut d_y, mut d_w, mut d_h) = (vec![0.0; n], vec![0.0; n], [0.0; 2], 0.0);
        let value = decided::grad(&x, &mut d_x, &y, &mut d_y, &w, &mut d_w, h, &mut d_h, 3);
        let expected = decided(&x, &y, &w, h, 3);
        assert!((value - expected).abs() <= 1e-9 * expected.abs(), "{value} {expected}");
        let outer = |v: &[Vec<f64>]| {
            let mut y = y.clone();
            y[..v[0].len()].copy_from_slice(&v[0]);
            decided(&x, &y, &w, h, 3) / expected
        };
        let few = n.min(4);
        let relative: Vec<f64> = d_y[..few].iter().map(|d| d / expected).collect();
        check(outer, &[&y[..few]], &[&relative]);
        // an index of one element only is out of range in both
        assert!(std::panic::catch_unwind(|| decided::value(&x, &y, &w[..1], h, 3)).is_err());
    }
}
