//! Rows of structs whose length is a const parameter: tasks that take them have the parameter, too.

use pardiff::differentiate;
use pardiff_programs::{check, random};

#[differentiate]
mod lattice {
    #[derive(Clone, Copy)]
    pub struct Site {
        pub spin: [f64; 2],
        pub field: f64,
        pub kind: u8,
    }

    /// Energy of rows of sites.
    pub fn energy<const N: usize>(rows: &[[Site; N]], coupling: &[f64; N]) -> f64 {
        let mut total = 0.0;
        for row in rows {
            for j in 0..N {
                let s = row[j].spin;
                total += coupling[j] * (s[0] * s[0] - s[1]).sin() + row[j].field * s[1];
            }
        }
        total
    }

    /// One step of each site.
    pub fn relax<const N: usize>(rows: &mut [[Site; N]], rate: f64) {
        for row in rows.iter_mut() {
            for j in 1..N {
                row[j].spin[0] -= rate * (row[j - 1].spin[1] * row[j].field).tanh();
            }
        }
    }
}

use lattice::Site;

fn rows<const N: usize>(x: &[f64]) -> Vec<[Site; N]> {
    let site = |x: &[f64]| Site { spin: [x[0], x[1]], field: x[2], kind: 1 };
    x.chunks_exact(3 * N).map(|row| std::array::from_fn(|j| site(&row[3 * j..3 * j + 3]))).collect()
}

fn numbers<const N: usize>(rows: &[[Site; N]]) -> Vec<f64> {
    rows.iter().flatten().flat_map(|site| [site.spin[0], site.spin[1], site.field]).collect()
}

fn check_rows<const N: usize>(len: usize) {
    let (x, w) = (random(1, 3 * N * len), random(2, N));
    let weights = |w: &[f64]| -> [f64; N] { std::array::from_fn(|j| w[j]) };
    let (_, gradient) = lattice::energy::gradient(&rows::<N>(&x), &weights(&w));
    let value = |v: &[Vec<f64>]| lattice::energy(&rows::<N>(&v[0]), &weights(&v[1]));
    check(value, &[&x, &w], &[&numbers(&gradient.rows), &gradient.coupling]);

    let seed = random(3, 3 * N * len);
    let value = |v: &[Vec<f64>]| {
        let mut sites = rows::<N>(&v[0]);
        lattice::relax(&mut sites, v[1][0]);
        numbers(&sites).iter().zip(&seed).map(|(a, b)| a * b).sum()
    };
    let (mut sites, mut d_sites, mut d_rate) = (rows::<N>(&x), rows::<N>(&seed), 0.0);
    lattice::relax::vjp(&mut sites, &mut d_sites, 0.2, &mut d_rate);
    check(value, &[&x, &[0.2]], &[&numbers(&d_sites), &[d_rate]]);
}

#[test]
fn rows_of_structs_of_a_generic_length() {
    check_rows::<3>(5);
    check_rows::<1>(9);
    check_rows::<4>(0);
    // several tasks
    check_rows::<5>(40);
    assert!(lattice::energy::DECISIONS.contains("parallel"), "{}", lattice::energy::DECISIONS);
}
