//! Values that a condition on the iteration chooses: ends of grids, first and last neighbours, loops up to their bound.

use pardiff::differentiate;
use pardiff_programs::random;

/// Fluxes between cells; the cells at the ends stand for what is outside.
#[differentiate(wrt(u0), check)]
pub fn fluxes(u0: &[[f64; 2]], rate: f64, steps: usize) -> f64 {
    let n = u0.len();
    let mut u = u0.to_vec();
    let mut flux = vec![[0.0; 2]; n + 1];
    for _ in 0..steps {
        for i in 0..=n {
            let left = if i == 0 { u[0] } else { u[i - 1] };
            let right = if i == n { u[n - 1] } else { u[i] };
            let speed = (left[0] * left[0]).max(right[1].abs());
            for k in 0..2 {
                flux[i][k] = 0.5 * (left[k].sin() + right[k].sin()) - 0.5 * speed * (right[k] - left[k]);
            }
        }
        for i in 0..n {
            for k in 0..2 {
                u[i][k] -= rate * (flux[i + 1][k] - flux[i][k]);
            }
        }
    }
    u.iter().map(|c| c[0] * c[0] + c[1]).sum()
}

/// A chain between two walls: three kinds of springs in one loop.
#[differentiate(wrt(x0, spring), check)]
pub fn chain(x0: &[f64], spring: &[f64], dt: f64, steps: usize) -> f64 {
    let n = x0.len();
    let mut x = x0.to_vec();
    let mut v = vec![0.0; n];
    for _ in 0..steps {
        let mut tension = vec![0.0; n + 1];
        for i in 0..=n {
            let e = if i == 0 {
                x[0]
            } else if i == n {
                -x[n - 1]
            } else {
                x[i] - x[i - 1]
            };
            tension[i] = spring[i] * (e + 0.3 * e * e * e);
        }
        for i in 1..=n {
            v[i - 1] += dt * (tension[i] - tension[i - 1]);
        }
        for i in 0..n {
            x[i] += dt * v[i];
        }
    }
    x.iter().map(|x| x * x).sum()
}

/// Numbers up to a bound of the caller's.
#[differentiate(check)]
pub fn up_to(x: &[f64], n: usize) -> f64 {
    let mut total = 0.0;
    for i in 1..=n {
        let before = if i == 1 { x[n] } else { x[i - 1] };
        for j in 0..=i {
            total += before * x[j] * x[i] / (1.0 + j as f64);
        }
    }
    total
}

/// The last neighbours of a ring of a length that the caller says.
#[differentiate(check)]
pub fn ring(x: &[f64], last: usize, rounds: usize) -> f64 {
    let mut u = x.to_vec();
    let mut next = x.to_vec();
    for _ in 0..rounds {
        for i in 0..=last {
            let before = if i == 0 { u[last] } else { u[i - 1] };
            let after = if i == last { u[0] } else { u[i + 1] };
            next[i] = u[i] + 0.1 * (after - 2.0 * u[i] + before) * u[i].cos();
        }
        for i in 0..=last {
            u[i] = 0.5 * (next[i] + u[i]);
        }
    }
    u.iter().map(|u| u * u * u).sum()
}

#[test]
fn ends_of_grids() {
    for n in [1, 2, 3, 9, 40] {
        let u: Vec<[f64; 2]> = random(1, 2 * n).as_chunks().0.to_vec();
        fluxes::check(&u, 0.1, 4).unwrap();
    }
    // no cell is outside of its first face
    assert!(std::panic::catch_unwind(|| fluxes::value(&[], 0.1, 1)).is_err());
}

#[test]
fn three_kinds_of_springs() {
    for n in [1, 2, 5, 60] {
        chain::check(&random(2, n), &random(3, n + 1), 0.2, 5).unwrap();
    }
}

#[test]
fn loops_up_to_their_bound() {
    for n in [0, 1, 2, 7, 50] {
        up_to::check(&random(4, n + 1), n).unwrap();
        for rounds in [0, 1, 3] {
            ring::check(&random(5, n + 1), n, rounds).unwrap();
        }
    }
}

#[test]
fn a_bound_behind_the_last_element_is_a_panic() {
    let x = random(6, 8);
    for n in [8, 100, usize::MAX] {
        assert!(std::panic::catch_unwind(|| up_to(&x, n)).is_err());
        assert!(std::panic::catch_unwind(|| up_to::value(&x, n)).is_err(), "{n}");
        let gradient = || up_to::grad(&x, &mut random(7, 8), n);
        assert!(std::panic::catch_unwind(gradient).is_err(), "{n}");
    }
}

#[test]
fn no_values_of_conditions_are_stored() {
    for plan in [fluxes::PLAN, chain::PLAN, ring::PLAN] {
        for name in ["left", "right", "before", "after", " e"] {
            assert!(
                !plan.contains(&format!("{name}_tape")) && !plan.contains(&format!("{name}_0_tape")),
                "{plan}"
            );
        }
    }
}
