//! Marked loops over time whose steps choose what they do: a scheme for all of them, or something more in each tenth.

use pardiff::differentiate;

/// An argument chooses between two loops.
#[differentiate(check)]
pub fn chosen(u0: &[f64], implicit: bool, n: usize) -> f64 {
    let mut u = u0.to_vec();
    #[checkpoint]
    for _ in 0..n {
        if implicit {
            for u in u.iter_mut() {
                *u = u.sin();
            }
        } else {
            for u in u.iter_mut() {
                *u += 0.1 * u.cos();
            }
        }
    }
    u.iter().sum()
}

/// Some steps have a second loop.
#[differentiate(check)]
pub fn some_more(u0: &[f64], n: usize) -> f64 {
    let m = u0.len();
    let mut u = u0.to_vec();
    #[checkpoint]
    for i in 0..n {
        for k in 0..m {
            u[k] += 0.1 * u[k].cos();
        }
        if i % 3 == 0 {
            let mean = u.iter().sum::<f64>() / m as f64;
            for k in 0..m {
                u[k] = u[k] * (1.0 + 0.1 * mean) - mean * mean * u[k].sin();
            }
        }
    }
    u.iter().map(|u| u * u).sum()
}

#[test]
fn steps_choose_what_they_do() {
    for n in [0, 1, 5, 40] {
        for implicit in [true, false] {
            chosen::check(&[0.3, 0.7, -0.2], implicit, n).unwrap();
        }
        some_more::check(&[0.3, 0.7, -0.2, 0.9], n).unwrap();
    }
    for plan in [chosen::PLAN, some_more::PLAN] {
        assert!(plan.contains("in segments: an iteration runs again once"), "{plan}");
    }
}
