//! Every derivative mode of every kernel: against numbers of another tool, in `references/modes/`, to 1e-8.

use crate::{assert_close, references};
use pardiff_workloads::cases::{REFERENCED, WIDTH, WORKLOADS, Workload};
use pardiff_workloads::data::Lcg;

/// The direction of `jvp` and `hvp`, then those that the product with the Hessian is multiplied with: the generators of
/// `benches/peers/references.py`.
const DIRECTION: u64 = 71;
const PROBES: [u64; 2] = [72, 73];
/// Entries of the product that are compared one by one, equally spaced.
const ENTRIES: usize = 5;

/// What another tool says of a case.
struct Expected {
    value: f64,
    gradient: Vec<f64>,
    slope: f64,
    /// The norm of the product with the Hessian, its products with the probes, some entries.
    second: Vec<f64>,
}

/// Runs a comparison for each kernel.
fn compared(compare: impl Fn(&str, &dyn Workload, &Expected)) {
    for entry in WORKLOADS.iter().chain(&REFERENCED) {
        let mut compared = 0;
        for case in entry.small {
            let Some(second) = references::numbers(&format!("modes/{}.{case}.txt", entry.workload)) else {
                continue;
            };
            let name = format!("{} {case}", entry.workload);
            let Some(first) = references::numbers(&format!("{}.{case}.txt", entry.workload)) else {
                panic!("{name}: no gradient")
            };
            let Some(workload) = (entry.load)(case) else { panic!("{name}: not a case") };
            let expected = Expected {
                value: first[0],
                gradient: first[1..].to_vec(),
                slope: second[0],
                second: second[1..].to_vec(),
            };
            compare(&name, &*workload, &expected);
            compared += 1;
        }
        assert!(compared > 0, "{} has no reference", entry.workload);
    }
}

fn direction(generator: u64, workload: &dyn Workload) -> Vec<f64> {
    Lcg(generator).floats(workload.parameters().len(), -1.0, 1.0)
}

fn product(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Panics unless `a` is `b` up to an error relative to `scale`: a sum over a direction may cancel.
fn assert_near(what: &str, a: f64, b: f64, scale: f64) {
    assert!((a - b).abs() <= 1e-8 * scale.max(b.abs()), "{what}: {a} is not {b}");
}

#[test]
fn tangents_are_those_of_another_tool() {
    compared(|name, workload, expected| {
        let (p, p_dot) = (workload.parameters(), direction(DIRECTION, workload));
        let (value, slope) = workload.jvp(&p, &p_dot);
        assert_close(&format!("{name}: value"), &[value], &[expected.value], 1e-12);
        let scale = product(&expected.gradient, &expected.gradient).sqrt();
        assert_near(&format!("{name}: slope"), slope, expected.slope, scale);
    });
}

#[test]
fn products_with_hessians_are_those_of_another_tool() {
    compared(|name, workload, expected| {
        let (p, p_dot) = (workload.parameters(), direction(DIRECTION, workload));
        let mut h = vec![0.0; p.len()];
        let (value, slope) = workload.hvp(&p, &p_dot, &mut h);
        assert_close(&format!("{name}: value"), &[value], &[expected.value], 1e-12);
        let scale = product(&expected.gradient, &expected.gradient).sqrt();
        assert_near(&format!("{name}: slope"), slope, expected.slope, scale);

        let norm = product(&h, &h).sqrt();
        let mut found = vec![norm];
        found.extend(PROBES.map(|probe| product(&h, &direction(probe, workload))));
        found.extend((0..ENTRIES).map(|k| h[k * (p.len() - 1) / (ENTRIES - 1)]));
        assert_eq!(found.len(), expected.second.len(), "{name}");
        for (k, (found, expected_one)) in found.iter().zip(&expected.second).enumerate() {
            let what = format!("{name}: number {k} of the product with the Hessian");
            assert_near(&what, *found, *expected_one, expected.second[0]);
        }

        // added to what is there
        let mut twice = h.clone();
        workload.hvp(&p, &p_dot, &mut twice);
        let expected: Vec<f64> = h.iter().map(|h| 2.0 * h).collect();
        assert_close(&format!("{name}: a second product"), &twice, &expected, 1e-12);
    });
}

#[test]
fn tangents_of_batches_are_those_of_another_tool() {
    compared(|name, workload, expected| {
        let p = workload.parameters();
        let directions: [Vec<f64>; WIDTH] = std::array::from_fn(|w| direction(80 + w as u64, workload));
        let mut p_dot = vec![f64::NAN; WIDTH * p.len()];
        for (w, direction) in directions.iter().enumerate() {
            for (k, &x) in direction.iter().enumerate() {
                p_dot[workload.place(k, w)] = x;
            }
        }
        let (value, slopes) = workload.jvp_batch(&p, &p_dot);
        assert_close(&format!("{name}: value"), &[value], &[expected.value], 1e-12);
        let scale = product(&expected.gradient, &expected.gradient).sqrt();
        for (w, direction) in directions.iter().enumerate() {
            let slope = product(&expected.gradient, direction);
            assert_near(&format!("{name}: slope {w}"), slopes[w], slope, scale);
        }
    });
}

#[test]
fn gradients_of_batches_are_those_of_another_tool() {
    compared(|name, workload, expected| {
        let p = workload.parameters();
        let seed: [f64; WIDTH] = std::array::from_fn(|w| 1.0 - 0.3 * w as f64);
        // added to what is there
        let mut g = vec![0.0; WIDTH * p.len()];
        for w in 0..WIDTH {
            for (k, x) in expected.gradient.iter().enumerate() {
                g[workload.place(k, w)] = x * (w % 3) as f64;
            }
        }
        let value = workload.vjp_batch(&p, &mut g, seed);
        assert_close(&format!("{name}: value"), &[value], &[expected.value], 1e-12);
        for w in 0..WIDTH {
            let found: Vec<f64> = (0..p.len()).map(|k| g[workload.place(k, w)]).collect();
            let factor = (w % 3) as f64 + seed[w];
            let gradient: Vec<f64> = expected.gradient.iter().map(|x| factor * x).collect();
            assert_close(&format!("{name}: gradient {w}"), &found, &gradient, 1e-8);
        }
    });
}

#[test]
fn sweeps_apart_are_those_of_another_tool() {
    compared(|name, workload, expected| {
        let p = workload.parameters();
        let mut sweeps = workload.sweeps();
        let moved: Vec<f64> = p.iter().map(|x| 1.001 * x).collect();
        // a tape that was used before
        for p in [&p, &moved, &p] {
            let mut g = vec![0.0; p.len()];
            let value = sweeps(p, &mut g);
            let at_reference = *p == workload.parameters();
            if at_reference {
                assert_close(&format!("{name}: value"), &[value], &[expected.value], 1e-12);
                assert_close(&format!("{name}: gradient"), &g, &expected.gradient, 1e-8);
            }
        }
    });
}
