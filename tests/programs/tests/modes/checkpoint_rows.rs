//! Marked loops whose iterations keep different amounts: rows of a sparse matrix, triangles, and loops inside that end
//! when they say so. The gradient is that of the loop without a mark.

use pardiff::differentiate;
use pardiff_programs::{check, dot, random};

/// Steps in every kind of segments, as one function each, and their values, gradients and second derivatives.
macro_rules! marked {
    ($all:ident, $([$($option:tt)*] $name:ident: $($mark:meta)?;)* |$x:ident, $y:ident, $s:ident, $rows:ident, $t:ident| $step:block) => {
        $(
            #[differentiate(wrt(x, y), hvp, $($option)*)]
            fn $name(x: &[f64], y: &mut [f64], rows: &[usize], steps: usize) -> f64 {
                let ($x, $y, $rows) = (x, y, rows);
                let mut $s = 0.1;
                $(#[$mark])?
                for $t in 0..steps $step
                $s
            }
        )*

        fn $all(x: &[f64], y: &[f64], rows: &[usize], steps: usize) -> Vec<Vec<f64>> {
            let (n, m) = (x.len(), y.len());
            let (x_dot, d) = (random(11, n), random(12, m));
            vec![$({
                let (mut out, mut d_x, mut d_y) = (y.to_vec(), vec![0.0; n], d.clone());
                let value = $name::vjp(x, &mut d_x, &mut out, &mut d_y, rows, steps, 0.7);
                let (mut again, mut y_dot, mut e_y) = (y.to_vec(), random(13, m), d.clone());
                let (mut h_x, mut h_y) = (vec![0.0; n], random(14, m));
                let (_, slope) = $name::hvp(
                    x, &x_dot, &mut h_x, &mut again, &mut y_dot, &mut e_y, &mut h_y, rows, steps,
                );
                [vec![value, slope], out, d_x, d_y, h_x, h_y, y_dot, e_y].concat()
            }),*]
        }
    };
}

marked! {
    sparse_products,
    [split] plain:;
    [split] least: checkpoint;
    [split] threes: checkpoint(every = 3);
    [split] levels: checkpoint(states = 2, levels = 2);
    [] binomial: checkpoint(binomial = 2);
    |x, y, s, rows, t| {
        for i in 0..y.len() {
            let mut sum = y[i];
            for k in rows[i]..rows[i + 1] {
                sum += 0.1 * (x[k] * y[(k + t) % y.len()]).sin();
            }
            y[i] = sum;
            s += sum * sum;
        }
    }
}

marked! {
    triangles,
    [split] triangle:;
    [split] triangle_least: checkpoint;
    [split] triangle_memory: checkpoint(memory = "600 B");
    [split] triangle_levels: checkpoint(every = 4, levels = 3);
    [] triangle_binomial: checkpoint(binomial = 3);
    |x, y, s, _rows, _t| {
        for i in 0..y.len() {
            for j in 0..i {
                y[i] += 0.1 / ((y[i] * y[j]).sin() + 1.5 + x[j] * x[j]).sqrt();
            }
            s = (s + y[i]).sin();
        }
    }
}

marked! {
    roots,
    [split] root:;
    [split] root_least: checkpoint;
    [split] root_states: checkpoint(states = 2);
    [split] root_levels: checkpoint(levels = 2);
    [] root_binomial: checkpoint(binomial = 2);
    |x, y, s, rows, t| {
        // as many values as an iteration has rounds, in as many loops as `rows` says
        for i in 0..rows[t % rows.len()].min(y.len()) {
            let square = 1.0 + y[i] * y[i] + x[i % x.len()];
            let mut root = square;
            while (root * root - square).abs() > 1e-13 {
                root = 0.5 * (root + square / root);
            }
            y[i] = (root + s).sin();
        }
        let mut at = 0;
        loop {
            if at == y.len() || y[at] < 0.2 {
                break;
            }
            s += y[at] * y[at];
            y[at] *= x[0];
            at += 1;
        }
    }
}

#[track_caller]
fn alike(all: &[Vec<f64>], steps: usize) {
    for (at, found) in all.iter().enumerate() {
        for (a, b) in all[0].iter().zip(found) {
            assert!((a - b).abs() <= 1e-10 * (1.0 + a.abs()), "number {at}, {steps} steps: {b} is not {a}");
        }
    }
}

#[test]
fn every_length_in_every_way() {
    let rows = [0, 2, 2, 3, 6];
    for steps in [0, 1, 2, 3, 4, 7, 13, 40] {
        for m in [0, 1, 4] {
            let (x, y) = (random(1, 6), random(2, m));
            alike(&sparse_products(&x, &y, &rows, steps), steps);
            alike(&triangles(&x, &y, &rows, steps), steps);
            let x: Vec<f64> = x.iter().map(|x| 0.4 + 0.3 * x).collect();
            alike(&roots(&x, &y, &rows[1..], steps), steps);
        }
    }
}

/// Against differences, and with the sweeps apart.
macro_rules! against_differences {
    ($($name:ident)*) => {
        $({
            let rows = [0, 2, 2, 3, 6];
            let (x, y, d) = (random(1, 6), random(2, 4), random(3, 4));
            let x: Vec<f64> = x.iter().map(|x| 0.4 + 0.3 * x).collect();
            let (mut d_x, mut d_y) = (vec![0.0; 6], d.clone());
            $name::vjp(&x, &mut d_x, &mut y.clone(), &mut d_y, &rows, 9, 0.7);
            let value = |v: &[Vec<f64>]| {
                let mut y = v[1].clone();
                0.7 * $name(&v[0], &mut y, &rows, 9) + dot(&y, &d)
            };
            check(value, &[&x, &y], &[&d_x, &d_y]);
            let mut tape = $name::Tape::default();
            $name::forward(&x, &mut y.clone(), &rows, 9, &mut tape);
            for seed in [0.7, 1.4] {
                let (mut e_x, mut e_y) = (vec![0.0; 6], d.iter().map(|d| d * seed / 0.7).collect::<Vec<_>>());
                $name::backward(&x, &mut e_x, &mut e_y, &rows, 9, &tape, seed);
                for (a, b) in d_x.iter().chain(&d_y).zip(e_x.iter().chain(&e_y)) {
                    assert!((a * seed / 0.7 - b).abs() <= 1e-11 * (1.0 + b.abs()), "{}: {a}, {b}", stringify!($name));
                }
            }
        })*
    };
}

#[test]
fn against_differences_and_apart() {
    against_differences!(threes levels triangle_memory triangle_levels root_states root_levels);
}

/// Counted loops that are left early, rounds inside of steps inside of epochs, and loops inside that become shorter.
#[differentiate]
mod left {
    #[differentiate(wrt(x), forward, hvp, split, batch(2), check)]
    pub fn shorter(x: &[f64], most: f64, steps: usize) -> f64 {
        let (mut u, mut from) = (x.to_vec(), 0);
        #[checkpoint(states = 2)]
        for _ in 0..steps {
            for i in from..u.len() {
                u[i] = (1.1 * u[i]).sin() + 0.1 * u[i / 2];
            }
            if u[0] < most && from < u.len() {
                from += 1;
            }
        }
        u.iter().map(|u| u * u).sum()
    }

    #[differentiate(wrt(x), forward, hvp, split, batch(2), check)]
    pub fn early(x: &[f64], most: f64, steps: usize) -> f64 {
        let (mut u, mut s) = (x.to_vec(), 0.0);
        #[checkpoint(states = 3)]
        for t in 0..steps {
            for i in 1..u.len() {
                u[i] = (u[i] * u[i - 1] + x[t % x.len()]).sin();
            }
            s += u[u.len() - 1] * u[0];
            if s > most {
                return s * s;
            }
        }
        s + u[0]
    }

    #[differentiate(wrt(x), forward, hvp, split, batch(2), check)]
    pub fn epochs(x: &[f64], epochs: usize) -> f64 {
        let mut w = [x[0], x[1]];
        #[checkpoint(states = 3)]
        for epoch in 0..epochs {
            #[checkpoint]
            for _ in 0..epoch + 1 {
                let mut round = 0;
                while round < 4 && w[0] > 0.05 {
                    w[0] -= 0.1 * (w[0] * w[1]).sin();
                    round += 1;
                }
                w[1] = w[1] * 0.9 + w[0] * w[0];
            }
        }
        w[0] + w[1] * w[1]
    }

    /// Nothing but one loop, of which the time is no variable.
    #[differentiate(wrt(x), forward, hvp, split, batch(2), check)]
    pub fn adaptive(x: &[f64], end: f64, tolerance: f64) -> f64 {
        let (rate, mut y) = (x[0], x[1]);
        let (mut t, mut h) = (0.0, 0.1);
        #[checkpoint(states = 4)]
        while t < end {
            if t + h > end {
                h = end - t;
            }
            let before = -rate * y + (t * rate).sin();
            let behind = -rate * (y + h * before) + ((t + h) * rate).sin();
            let error = 0.5 * h * (behind - before).abs();
            if error > tolerance {
                h *= 0.5;
                continue;
            }
            y += 0.5 * h * (before + behind);
            t += h;
            if error < 0.1 * tolerance {
                h *= 1.5;
            }
        }
        y * y
    }
}

#[test]
fn loops_that_are_left() {
    for steps in [0, 1, 9, 30] {
        left::early::check(&[0.4, 0.9, 0.7], 1.0, steps).unwrap();
        left::epochs::check(&[0.7, 0.9], steps.min(6)).unwrap();
        left::shorter::check(&[0.9, 0.4, 0.7, 0.2], 0.8, steps).unwrap();
    }
    for end in [0.0, 0.05, 3.0] {
        left::adaptive::check(&[1.3, 0.7], end, 1e-3).unwrap();
    }
}
