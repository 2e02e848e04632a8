//! Loops over rows that are left before their end: rays that are opaque, series that have converged.

use pardiff::differentiate;
use pardiff_programs::{check, random};

#[differentiate]
pub fn light(density: &[f64], colour: &[f64], rays: usize, samples: usize) -> f64 {
    let mut total = 0.0;
    for r in 0..rays {
        let mut transmittance = 1.0;
        let mut seen = 0.0;
        for s in 0..samples {
            let passes = (-density[r * samples + s].abs()).exp();
            seen += transmittance * (1.0 - passes) * colour[r * samples + s];
            transmittance *= passes;
            if transmittance < 0.2 {
                break;
            }
        }
        total += seen * seen;
    }
    total
}

/// From the second sample on, and with a bound that is a difference.
#[differentiate]
pub fn steepest(height: &[f64], rows: usize, columns: usize) -> f64 {
    let mut total = 0.0;
    for r in 0..rows {
        for c in 1..columns - 1 {
            let slope = height[r * columns + c + 1] - height[r * columns + c - 1];
            total += slope * slope * height[r * columns + c];
            if slope > 1.0 {
                break;
            }
        }
    }
    total
}

#[test]
fn rays() {
    let (density, colour) = (random(1, 30), random(2, 30));
    let (value, gradient) = light::gradient(&density, &colour, 5, 6);
    assert_eq!(value, light(&density, &colour, 5, 6));
    check(|v| light(&v[0], &v[1], 5, 6), &[&density, &colour], &[&gradient.density, &gradient.colour]);
}

/// Rows are not left by what runs them in reverse, so that each ray owns its part of both gradients.
#[test]
fn rows_have_one_owner() {
    let plan = light::DECISIONS;
    let updates: Vec<&str> = plan.lines().filter(|line| line.contains("[r * samples + s] +=")).collect();
    assert!(updates.iter().any(|line| line.contains("one owner")), "{plan}");
    assert!(!plan.contains("copies"), "{plan}");
}

#[test]
fn slopes() {
    let height = random(3, 28);
    let (value, gradient) = steepest::gradient(&height, 4, 7);
    assert_eq!(value, steepest(&height, 4, 7));
    check(|v| steepest(&v[0], 4, 7), &[&height], &[&gradient.height]);
}
