//! Places and slices that are written out in an array and iterated over; arrays in patterns; what patterns bind behind `&mut`.

use pardiff::differentiate;
use pardiff_programs::{check, positive, random};

#[differentiate]
mod neuron {
    #[derive(Clone, Copy)]
    struct Gates {
        m: f64,
        h: f64,
        n: f64,
    }

    impl Gates {
        fn advance(&mut self, v: f64, dt: f64) {
            let rates = [(0.1 * v, 1.0), (0.2, v * v), (v.exp(), 0.5)];
            for (gate, (a, b)) in [&mut self.m, &mut self.h, &mut self.n].into_iter().zip(rates) {
                let steady = a / (a + b);
                *gate = steady + (*gate - steady) * (-dt * (a + b)).exp();
            }
        }

        fn scaled(&mut self, by: f64) -> f64 {
            match self {
                Gates { m, h, .. } if *h > *m => {
                    *m *= by;
                    *m
                }
                Gates { n, .. } => {
                    *n += by;
                    *n * *n
                }
            }
        }
    }

    pub fn currents(v: &[f64], dt: f64) -> f64 {
        let mut all = vec![Gates { m: 0.1, h: 0.2, n: 0.3 }; v.len()];
        for _ in 0..3 {
            for (gates, v) in all.iter_mut().zip(v) {
                gates.advance(*v, dt);
            }
        }
        let mut sum = 0.0;
        let mut leak = 0.5;
        for g in &mut all {
            for (k, (x, f)) in [(&mut g.m, 1.0), (&mut g.h, leak), (&mut leak, 3.0)].into_iter().enumerate() {
                *x += f * k as f64;
                sum += *x * f;
            }
            sum += g.scaled(dt);
            let Gates { m, h, n } = g;
            [m, h, n].into_iter().for_each(|x| *x *= dt);
            sum += g.m * g.h * g.n;
        }
        sum
    }
}

#[test]
fn places_in_an_array() {
    let v = positive(1, 4);
    let (value, g) = neuron::currents::gradient(&v, 0.3);
    assert!((value - neuron::currents(&v, 0.3)).abs() < 1e-13);
    check(|x| neuron::currents(&x[0], x[1][0]), &[&v, &[0.3]], &[&g.v, &[g.dt]]);
}

#[differentiate]
fn slices(a: &[f64], b: &[f64], c: &[f64]) -> f64 {
    let mut sum = 0.0;
    for (weight, x) in [(1.0, a), (2.0, b), (-1.0, c)] {
        sum += weight * x.iter().map(|v| v * v).sum::<f64>();
    }
    for x in [a, &b[1..], c] {
        for v in x {
            sum += v.sin();
        }
    }
    sum += [a, c].iter().map(|x| x.iter().sum::<f64>().powi(2)).sum::<f64>();
    let product: f64 = [a, b].into_iter().flatten().copied().fold(1.0, |p, v| p * v);
    let first = [a, b].map(|x| x[0]);
    sum + product + first[0] * first[1]
}

#[test]
fn slices_in_an_array() {
    let (a, b, c) = (random(1, 3), random(2, 4), random(3, 2));
    let (value, g) = slices::gradient(&a, &b, &c);
    assert!((value - slices(&a, &b, &c)).abs() < 1e-13);
    check(|x| slices(&x[0], &x[1], &x[2]), &[&a, &b, &c], &[&g.a, &g.b, &g.c]);
}

#[differentiate]
mod cases {
    #[derive(Clone, Copy)]
    struct State {
        a: [f64; 2],
        k: f64,
    }

    /// What a pattern binds is what was there in front of the arms.
    pub fn changed_meanwhile(x: [f64; 2], k: usize) -> f64 {
        let mut v = x;
        let first = match (v, k) {
            (w, 0) => {
                v[0] = 9.0 * w[1];
                w[0]
            }
            (w, _) => {
                v[1] *= w[0];
                w[1] * w[1]
            }
        };
        let mut state = State { a: v, k: 2.0 };
        let second = match state {
            State { a: [p, q], k } if k > 1.0 => {
                state.a[0] *= q;
                state.k = 5.0;
                p * k
            }
            other => {
                state.k = 3.0;
                other.a[1]
            }
        };
        let mut held = Some(v);
        let third = match held {
            Some(w) => {
                if let Some(inside) = &mut held {
                    inside[0] = 3.0;
                }
                w[0]
            }
            None => 0.0,
        };
        first * second + third * v[1] + state.a[0] * state.k + held.unwrap()[0] * v[0]
    }

    pub fn arrays(x: &[f64; 3], k: [usize; 2], rest: &[f64]) -> f64 {
        let first = match k {
            [0, 0] => x[0],
            [0, j] if j > 2 => x[1] * j as f64,
            [i @ 1..=2, ..] => x[i] * x[i],
            _ => 1.0,
        };
        let second = match (x, k) {
            ([a, .., c], [i, _]) if *a < *c => a * c * i as f64,
            ([a, b, ..], _) => a - b * b,
        };
        let third = match rest {
            [] => x[2],
            [a] if *a > 0.0 => a.ln(),
            [a, .., b] if a > b => a * b,
            [_, tail @ ..] if tail.len() > 2 => tail[0] * tail[1],
            [a, ..] => a * a,
        };
        let fourth = match *x {
            [a, tail @ ..] => a * tail[1],
        };
        first * second + third * x[0] + fourth
    }
}

#[test]
fn values_that_change_behind_a_pattern() {
    for k in 0..2 {
        let x = [0.7, 1.3];
        let (value, g) = cases::changed_meanwhile::gradient(x, k);
        assert!((value - cases::changed_meanwhile(x, k)).abs() < 1e-13);
        check(|v| cases::changed_meanwhile(v[0][..].try_into().unwrap(), k), &[&x], &[&g.x]);
    }
}

#[test]
fn patterns_of_arrays_with_guards() {
    for x in [[0.7, 1.3, -0.4], [0.2, 0.9, 1.4]] {
        for k in [[0, 0], [0, 1], [0, 4], [1, 9], [2, 0], [3, 3]] {
            for rest in [&[][..], &[0.8], &[-0.8], &[0.9, 0.4], &[0.3, 0.5, 0.6], &[0.1, 0.5, 0.6, 0.7]] {
                let (value, g) = cases::arrays::gradient(&x, k, rest);
                assert!((value - cases::arrays(&x, k, rest)).abs() < 1e-13);
                check(
                    |v| cases::arrays(v[0][..].try_into().unwrap(), k, &v[1]),
                    &[&x, rest],
                    &[&g.x, &g.rest],
                );
            }
        }
    }
}
