//! Steps over time that are as long as the fastest wave of all cells allows: the adjoint of the step goes to the cell that
//! attains the greatest speed, and the loops over the cells stay parallel.

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
    for plan in [waves::PLAN, chain::PLAN] {
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
