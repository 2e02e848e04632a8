//! Functions over arrays with rules by hand, for several directions and seeds, and in loops that run again from
//! checkpoints.

use pardiff::differentiate;
use pardiff_programs::{check, dot, random};

#[differentiate]
mod rules {
    /// Adds the squares of what is before, times `by`, and finds the greatest.
    #[differentiate(custom(vjp = sums_vjp, jvp = sums_jvp))]
    fn sums(x: &[f64], by: f64, y: &mut [f64], greatest: &mut [usize]) -> f64 {
        let mut total = 0.0;
        for (x, y) in x.iter().zip(y.iter_mut()) {
            total += x * x;
            *y = *y * 0.5 + by * total;
        }
        greatest[0] = (0..x.len()).max_by(|&a, &b| x[a].total_cmp(&x[b])).unwrap_or_default();
        total
    }

    #[allow(clippy::too_many_arguments)]
    fn sums_vjp(
        x: &[f64],
        d_x: &mut [f64],
        by: f64,
        d_by: &mut f64,
        y: &mut [f64],
        d_y: &mut [f64],
        greatest: &mut [usize],
        seed: f64,
    ) -> f64 {
        let (mut above, mut total) = (seed, x.iter().map(|x| x * x).sum::<f64>());
        for k in (0..x.len()).rev() {
            above += by * d_y[k];
            *d_by += d_y[k] * total;
            total -= x[k] * x[k];
            d_x[k] += 2.0 * x[k] * above;
            d_y[k] *= 0.5;
        }
        sums(x, by, y, greatest)
    }

    #[allow(clippy::too_many_arguments)]
    fn sums_jvp(
        x: &[f64],
        x_dot: &[f64],
        by: f64,
        by_dot: f64,
        y: &mut [f64],
        y_dot: &mut [f64],
        greatest: &mut [usize],
    ) -> (f64, f64) {
        let (mut total, mut slope) = (0.0, 0.0);
        for k in 0..x.len() {
            total += x[k] * x[k];
            slope += 2.0 * x[k] * x_dot[k];
            y_dot[k] = y_dot[k] * 0.5 + by_dot * total + by * slope;
        }
        (sums(x, by, y, greatest), slope)
    }

    /// What a call finds decides afterwards, and is read by the next call.
    #[differentiate(forward, split, batch(3))]
    pub fn outputs(x: &[f64], by: f64, y: &mut [f64], rounds: usize) {
        let n = x.len();
        let mut greatest = vec![0usize; 1];
        for round in 0..rounds {
            let mut own = vec![0.25; n];
            let total = sums(x, by * 0.5, &mut own, &mut greatest);
            for i in 0..n {
                if i == greatest[0] {
                    own[i] *= x[i];
                }
                y[i] += own[i] * (0.1 * total + round as f64);
            }
            sums(&own[..n / 2], 0.3, &mut y[..n / 2], &mut greatest);
        }
    }

    /// One float.
    #[differentiate(forward, batch(3))]
    pub fn summed(x: &[f64], by: f64) -> f64 {
        let mut y = vec![0.5; x.len()];
        let mut greatest = vec![0usize; 1];
        let total = sums(x, by, &mut y, &mut greatest);
        let mut all = total * x[greatest[0]];
        for i in 0..x.len() {
            all += y[i] * y[i];
        }
        all
    }

    /// Steps that call, in segments.
    #[differentiate(split)]
    pub fn steps(x: &mut [f64], by: f64, steps: usize) {
        let n = x.len();
        let mut y = vec![0.1; n];
        let mut greatest = vec![0usize; 1];
        #[checkpoint(every = 3)]
        for _ in 0..steps {
            sums(x, by, &mut y, &mut greatest);
            for i in 0..n {
                x[i] = (y[i] - x[i]).sin();
            }
            x[greatest[0]] *= 0.5;
        }
    }

    /// The same by the binomial schedule.
    pub fn binomial(x: &mut [f64], by: f64, steps: usize) {
        let n = x.len();
        let mut y = vec![0.1; n];
        let mut greatest = vec![0usize; 1];
        #[checkpoint(binomial = 2)]
        for _ in 0..steps {
            sums(x, by, &mut y, &mut greatest);
            for i in 0..n {
                x[i] = (y[i] - x[i]).sin();
            }
            x[greatest[0]] *= 0.5;
        }
    }

    /// Without a mark.
    pub fn plain(x: &mut [f64], by: f64, steps: usize) {
        let n = x.len();
        let mut y = vec![0.1; n];
        let mut greatest = vec![0usize; 1];
        for _ in 0..steps {
            sums(x, by, &mut y, &mut greatest);
            for i in 0..n {
                x[i] = (y[i] - x[i]).sin();
            }
            x[greatest[0]] *= 0.5;
        }
    }
}

/// The members of a batch, one after the other.
fn member<const W: usize>(all: &[[f64; W]], w: usize) -> Vec<f64> {
    all.iter().map(|of| of[w]).collect()
}

fn together<const W: usize>(members: &[Vec<f64>; W]) -> Vec<[f64; W]> {
    (0..members[0].len()).map(|i| std::array::from_fn(|w| members[w][i])).collect()
}

#[track_caller]
fn close(a: &[f64], b: &[f64]) {
    assert_eq!(a.len(), b.len());
    a.iter()
        .zip(b)
        .for_each(|(a, b)| assert!((a - b).abs() <= 1e-11 * (1.0 + b.abs()), "{a} instead of {b}"));
}

#[test]
fn seeds_and_directions_at_once() {
    let (n, by) = (6, 0.7);
    let (x, y) = (random(1, n), random(2, n));
    for rounds in [0, 1, 3] {
        let seeds = [random(3, n), random(4, n), random(5, n)];
        let (mut d_x, mut d_by, mut d_y) = (vec![[0.0; 3]; n], [0.0; 3], together(&seeds));
        let mut out = y.clone();
        rules::outputs::vjp_batch(&x, &mut d_x, by, &mut d_by, &mut out, &mut d_y, rounds);
        let (by_dot, x_dots) = ([0.3, -1.0, 0.0], [random(6, n), random(7, n), random(8, n)]);
        let mut y_dots = together(&[random(9, n), random(10, n), random(11, n)]);
        let mut out_of_batch = y.clone();
        let before = y_dots.clone();
        rules::outputs::jvp_batch(&x, &together(&x_dots), by, by_dot, &mut out_of_batch, &mut y_dots, rounds);
        close(&out, &out_of_batch);
        for w in 0..3 {
            let (mut e_x, mut e_by, mut e_y, mut own) = (vec![0.0; n], 0.0, seeds[w].clone(), y.clone());
            rules::outputs::vjp(&x, &mut e_x, by, &mut e_by, &mut own, &mut e_y, rounds);
            close(&own, &out);
            close(&member(&d_x, w), &e_x);
            close(&member(&d_y, w), &e_y);
            close(&[d_by[w]], &[e_by]);
            let (mut own, mut y_dot) = (y.clone(), member(&before, w));
            rules::outputs::jvp(&x, &x_dots[w], by, by_dot[w], &mut own, &mut y_dot, rounds);
            close(&member(&y_dots, w), &y_dot);
        }
        let mut tape = rules::outputs::Tape::default();
        rules::outputs::forward(&x, by, &mut y.clone(), rounds, &mut tape);
        let (mut e_x, mut e_by, mut e_y) = (vec![[0.0; 3]; n], [0.0; 3], together(&seeds));
        rules::outputs::backward_batch(&x, &mut e_x, by, &mut e_by, &mut e_y, rounds, &tape);
        for w in 0..3 {
            close(&member(&d_x, w), &member(&e_x, w));
        }
        close(&d_by, &e_by);
    }
}

#[test]
fn of_one_float() {
    let (n, by) = (5, 0.4);
    let x = random(1, n);
    let x_dots = [random(2, n), random(3, n), random(4, n)];
    let (value, slopes) = rules::summed::jvp_batch(&x, &together(&x_dots), by, [1.0, 0.5, 0.0]);
    close(&[value], &[rules::summed(&x, by)]);
    let (mut d_x, mut d_by) = (vec![[0.0; 3]; n], [0.0; 3]);
    rules::summed::vjp_batch(&x, &mut d_x, by, &mut d_by, [1.0, -2.0, 0.0]);
    let (mut e_x, mut e_by) = (vec![0.0; n], 0.0);
    rules::summed::grad(&x, &mut e_x, by, &mut e_by);
    for (w, seed) in [1.0, -2.0, 0.0].into_iter().enumerate() {
        let scaled: Vec<f64> = e_x.iter().map(|d| d * seed).collect();
        close(&member(&d_x, w), &scaled);
        close(&[d_by[w]], &[e_by * seed]);
    }
    for (w, by_dot) in [1.0, 0.5, 0.0].into_iter().enumerate() {
        close(&[slopes[w]], &[dot(&x_dots[w], &e_x) + by_dot * e_by]);
    }
    check(|v| rules::summed(&v[0], v[1][0]), &[&x, &[by]], &[&e_x, &[e_by]]);
}

#[test]
fn steps_that_call_run_again() {
    let (n, by) = (4, 0.3);
    let (x, seed) = (random(1, n), random(2, n));
    for steps in [0, 1, 3, 10] {
        let run = |of: fn(&mut [f64], &mut [f64], f64, &mut f64, usize)| {
            let (mut x, mut d_x, mut d_by) = (x.clone(), seed.clone(), 0.0);
            of(&mut x, &mut d_x, by, &mut d_by, steps);
            [x, d_x, vec![d_by]].concat()
        };
        let plain = run(rules::plain::vjp);
        close(&run(rules::steps::vjp), &plain);
        close(&run(rules::binomial::vjp), &plain);
        let mut tape = rules::steps::Tape::default();
        let (mut own, mut d_x, mut d_by) = (x.clone(), seed.clone(), 0.0);
        rules::steps::forward(&mut own, by, steps, &mut tape);
        rules::steps::backward(&mut d_x, by, &mut d_by, steps, &tape);
        close(&[d_x, vec![d_by]].concat(), &plain[n..]);
    }
}
