//! Vectors of vectors that are pushed to: rows have lengths of their own.

use pardiff::differentiate;

#[differentiate(check, forward, hvp, split)]
mod rows {
    pub fn cholesky(a: &[f64], n: usize) -> f64 {
        let mut l: Vec<Vec<f64>> = Vec::with_capacity(n);
        for i in 0..n {
            let mut row = vec![0.0; i + 1];
            for j in 0..=i {
                let mut s = a[i * n + j];
                for k in 0..j {
                    s -= row[k] * if i == j { row[k] } else { l[j][k] };
                }
                row[j] = if i == j { s.sqrt() } else { s / l[j][j] };
            }
            l.push(row);
        }
        (0..n).map(|i| l[i][i].ln()).sum()
    }

    fn activations(x: &[f64], w: &[f64], widths: &[usize]) -> Vec<Vec<f64>> {
        let mut all = vec![x.to_vec()];
        let mut at = 0;
        for &width in widths {
            let last = &all[all.len() - 1];
            let mut next = Vec::with_capacity(width);
            for _ in 0..width {
                let mut s = 0.0;
                for v in last {
                    s += w[at] * v;
                    at += 1;
                }
                next.push(s.tanh());
            }
            all.push(next);
        }
        all
    }

    pub fn network(x: &[f64], w: &[f64], widths: &[usize]) -> f64 {
        let all = activations(x, w, widths);
        let sums = all.iter().enumerate().map(|(k, a)| a.iter().sum::<f64>() * (k + 1) as f64);
        sums.sum::<f64>() * all.last().unwrap()[0] + all.iter().map(|a| a.len()).sum::<usize>() as f64
    }

    pub fn collected(x: &[f64], n: usize) -> f64 {
        let rows: Vec<Vec<f64>> = (0..n).map(|i| (0..=i).map(|j| x[j] * x[i]).collect()).collect();
        rows.iter().map(|row| row.iter().sum::<f64>().sin()).sum()
    }

    pub fn changed(x: &[f64]) -> f64 {
        let (mut a, mut b) = (Vec::new(), Vec::new());
        for i in 0..4 {
            a.push(x[..i].to_vec());
            b.push(vec![x[i]; 2]);
        }
        a.pop();
        b.truncate(3);
        std::mem::swap(&mut a, &mut b);
        let c = a.clone();
        a.push(vec![x[0] * x[1]; 3]);
        a = b.clone();
        a.push(vec![x[2]; 5]);
        a.clear();
        a.push(x[1..].to_vec());
        a[0][1] *= x[0];
        let all = a.iter().chain(&b).chain(&c);
        all.enumerate().map(|(k, row)| (k + 1) as f64 * row.iter().map(|v| v * v).sum::<f64>()).sum()
    }

    pub fn pairs(x: &[f64]) -> f64 {
        let mut all: Vec<Vec<(usize, f64)>> = vec![];
        for i in 0..x.len() {
            let mut row = Vec::new();
            for j in (0..i).step_by(2) {
                row.push((j, x[i]));
            }
            all.push(row);
        }
        all.iter().flatten().map(|(j, v)| x[*j] * v * v).sum()
    }

    pub fn in_loop(x: &[f64], steps: usize) -> f64 {
        let mut t = x[0];
        for k in 0..steps {
            let mut rows = Vec::new();
            for i in 0..=k {
                rows.push(vec![t * x[i]; i + 1]);
            }
            for v in rows.iter().flatten() {
                t += 0.1 * v.sin();
            }
        }
        t
    }
}

fn numbers(n: usize, seed: f64) -> Vec<f64> {
    (0..n).map(|i| ((i as f64 + 1.3) * seed).sin() * 0.7 + 0.05).collect()
}

#[test]
fn rows_are_pushed() {
    let x = numbers(5, 0.4);
    rows::cholesky::check(&[4.0, 0.3, 0.2, 0.3, 3.0, 0.1, 0.2, 0.1, 2.0], 3).expect("right derivatives");
    rows::network::check(&numbers(3, 0.4), &numbers(22, 0.7), &[4, 2, 1]).expect("right derivatives");
    rows::collected::check(&x, 5).expect("right derivatives");
    rows::pairs::check(&x).expect("right derivatives");
    rows::in_loop::check(&x, 4).expect("right derivatives");
}

#[test]
fn rows_are_changed() {
    let x = numbers(4, 0.4);
    rows::changed::check(&x).expect("right derivatives");
    let square = |row: &[f64]| row.iter().map(|v| v * v).sum::<f64>();
    let all = [vec![x[1], x[2] * x[0], x[3]], vec![], x[..1].to_vec(), x[..2].to_vec()].into_iter();
    let all = all.chain((0..3).map(|i| vec![x[i]; 2])).enumerate();
    let sum: f64 = all.map(|(k, row)| (k + 1) as f64 * square(&row)).sum();
    assert!((rows::changed::gradient(&x).0 - sum).abs() <= 1e-12);
}

#[test]
fn sweeps_apart_agree() {
    let x = numbers(5, 0.4);
    let mut tape = rows::in_loop::Tape::default();
    rows::in_loop::forward(&x, 4, &mut tape);
    let mut d_x = [0.0; 5];
    rows::in_loop::backward(&x, &mut d_x, 4, &tape, 1.0);
    for (one, other) in d_x.iter().zip(&rows::in_loop::gradient(&x, 4).1.x) {
        assert!((one - other).abs() <= 1e-13, "{one} {other}");
    }
}
