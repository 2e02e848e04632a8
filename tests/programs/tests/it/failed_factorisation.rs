//! A factorisation that may fail, for each point: loops that are left early, around loops that end at their counters.

use pardiff::differentiate;
use pardiff_programs::{check, random};

#[differentiate]
mod kernels {
    fn cholesky(a: &[Vec<f64>], l: &mut [Vec<f64>]) -> bool {
        for i in 0..a.len() {
            for j in 0..=i {
                let s: f64 = l[i][..j].iter().zip(&l[j][..j]).map(|(x, y)| x * y).sum();
                l[i][j] = if i == j {
                    let d = a[i][i] - s;
                    if d <= 0.0 {
                        return false;
                    }
                    d.sqrt()
                } else {
                    (a[i][j] - s) / l[j][j]
                };
            }
        }
        true
    }

    pub fn log_determinants(x: &[f64], scales: &[f64], n: usize) -> f64 {
        let mut total = 0.0;
        for scale in scales {
            let mut k = vec![vec![0.0; n]; n];
            for i in 0..n {
                for j in 0..n {
                    k[i][j] = (-scale * (x[i] - x[j]).powi(2)).exp() + if i == j { 0.1 * scale } else { 0.0 };
                }
            }
            let mut l = vec![vec![0.0; n]; n];
            if !cholesky(&k, &mut l) {
                total += scale * scale;
                continue;
            }
            total += (0..n).map(|i| l[i][i].ln()).sum::<f64>();
        }
        total
    }
}

#[test]
fn factorisations_that_fail() {
    for (n, points) in [(0, 2), (1, 0), (5, 1), (4, 9)] {
        let x = random(1, n);
        let scales: Vec<f64> = random(2, points).iter().map(|v| v + 0.4).collect();
        let (value, g) = kernels::log_determinants::gradient(&x, &scales, n);
        assert!((value - kernels::log_determinants(&x, &scales, n)).abs() < 1e-12 * (1.0 + value.abs()));
        check(|v| kernels::log_determinants(&v[0], &v[1], n), &[&x, &scales], &[&g.x, &g.scales]);
    }
}
