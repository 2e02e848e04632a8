//! Sums over short rows with functions in them, whose lanes have a row each, and whose branches differ between lanes.

use pardiff::differentiate;
use pardiff_programs::check;

/// Sum over visits of rows of peaks, as a spectrum has them: near a peak a series, far from it its first term.
#[differentiate(wrt(centre, height, weight, width))]
fn spectrum(
    centre: &[f64],
    height: &[[f64; 2]],
    weight: &[f64],
    width: f64,
    first: &[u32],
    visited: &[u32],
    at: &[f64],
) -> f64 {
    let mut total = 0.0;
    for &x in at {
        let mut sum = 0.0;
        let mut other = 0.0;
        for k in 0..visited.len() {
            let row = visited[k] as usize;
            let mut seen = 0.0;
            for p in first[row] as usize..first[row + 1] as usize {
                let u = (x - centre[p]) / width;
                let value = if u * u > 1.7 {
                    1.0 / (1.0 + u * u)
                } else {
                    let mut terms = [0.0; 3];
                    for n in 0..3 {
                        terms[n] = (-(n as f64 + 1.0) * u * u).exp() / (n as f64 + 2.0);
                    }
                    let mut series = 0.0;
                    for n in 0..3 {
                        series += terms[n] * terms[n] * u.sin();
                    }
                    series
                };
                seen += height[p][0] * value;
                other += height[p][1] * value * value;
            }
            sum += weight[k] * seen;
        }
        total += sum * sum + other;
    }
    total
}

#[test]
fn spectra_agree_with_differences() {
    let number = |k: usize| ((k * 37 + 11) % 64) as f64 / 32.0 - 1.0;
    for visits in [0, 1, 7, 8, 21] {
        let rows = 9;
        let mut first = vec![0u32];
        for row in 0..rows {
            first.push(first[row] + (row as u32 * 5) % 4);
        }
        let peaks = first[rows] as usize;
        let visited: Vec<u32> = (0..visits).map(|k| ((k * 4 + 1) % rows) as u32).collect();
        let centre: Vec<f64> = (0..peaks).map(number).collect();
        let heights: Vec<f64> = (0..2 * peaks).map(|k| number(k + 5)).collect();
        let weight: Vec<f64> = (0..visits).map(|k| number(k + 3)).collect();
        let at = [0.3, -0.7, 0.115];
        let (mut d_centre, mut d_weight) = (vec![0.0; peaks], vec![0.0; visits]);
        let mut d_height = vec![[0.0; 2]; peaks];
        let mut d_width = 0.0;
        let value = spectrum::grad(
            &centre,
            &mut d_centre,
            heights.as_chunks().0,
            &mut d_height,
            &weight,
            &mut d_weight,
            0.6,
            &mut d_width,
            &first,
            &visited,
            &at,
        );
        let of = |at_: &[Vec<f64>]| {
            spectrum(&at_[0], at_[1].as_chunks().0, &at_[2], at_[3][0], &first, &visited, &at)
        };
        let expected = of(&[centre.clone(), heights.clone(), weight.clone(), vec![0.6]]);
        assert!((value - expected).abs() <= 1e-10 * expected.abs().max(1.0), "{value} and {expected}");
        check(
            of,
            &[&centre, &heights, &weight, &[0.6]],
            &[&d_centre, d_height.as_flattened(), &d_weight, &[d_width]],
        );
    }
}
