//! Structs with state: filters, neurons, optimisers, their constants and methods.

use pardiff::differentiate;
use pardiff_programs::{check, positive, random};

#[differentiate]
mod kalman {
    /// A state with covariance.
    #[derive(Clone, Copy, Debug, Default)]
    pub struct State {
        pub x: [f64; 2],
        pub p: [[f64; 2]; 2],
    }
    #[derive(Clone, Copy, Debug)]
    pub struct Params {
        pub q: f64,
        pub r: f64,
        pub dt: f64,
    }
    impl State {
        pub const DIM: usize = 2;
        pub const PRIOR: State = State { x: [0.0, 0.0], p: [[1.0, 0.0], [0.0, 1.0]] };
        pub fn new(x0: f64) -> Self {
            State { x: [x0, 0.0], ..Self::PRIOR }
        }
        pub fn predict(&mut self, params: &Params) {
            let dt = params.dt;
            self.x[0] += dt * self.x[1];
            let p = self.p;
            self.p[0][0] = p[0][0] + dt * (p[0][1] + p[1][0]) + dt * dt * p[1][1] + params.q;
            self.p[0][1] = p[0][1] + dt * p[1][1];
            self.p[1][0] = p[1][0] + dt * p[1][1];
            self.p[1][1] = p[1][1] + params.q;
        }
        /// Returns the log-likelihood.
        pub fn update(&mut self, z: f64, r: f64) -> f64 {
            let s = self.p[0][0] + r;
            let k = [self.p[0][0] / s, self.p[1][0] / s];
            let y = z - self.x[0];
            let p0 = self.p[0];
            for i in 0..Self::DIM {
                self.x[i] += k[i] * y;
                for j in 0..Self::DIM {
                    self.p[i][j] -= k[i] * p0[j];
                }
            }
            -0.5 * (y * y / s + s.ln() + (2.0 * std::f64::consts::PI).ln())
        }
    }
    pub fn log_likelihood(z: &[f64], params: &Params) -> f64 {
        let mut state = State::new(z[0]);
        let mut ll = 0.0;
        for &obs in z {
            state.predict(params);
            ll += state.update(obs, params.r);
        }
        ll
    }
    pub fn from_prior(z: &[f64], params: Params) -> f64 {
        let mut s = State::PRIOR;
        let mut t = 0.0;
        for &z in z {
            s.predict(&params);
            t += s.update(z, params.r);
        }
        t
    }
}

#[test]
fn gradient_of_kalman() {
    let z = random(1, 6);
    let q = [0.1, 0.2, 0.5];
    let of = |v: &[f64]| kalman::Params { q: v[0], r: v[1], dt: v[2] };
    let (_, g) = kalman::from_prior::gradient(&z, of(&q));
    check(
        |v| kalman::from_prior(&v[0], of(&v[1])),
        &[&z, &q],
        &[&g.z, &[g.params.q, g.params.r, g.params.dt]],
    );
    let p = |v: &[f64]| kalman::Params { q: v[0], r: v[1], dt: v[2] };
    let (_, g) = kalman::log_likelihood::gradient(&z, &p(&[0.1, 0.2, 0.5]));
    check(
        |v| kalman::log_likelihood(&v[0], &p(&v[1])),
        &[&z, &[0.1, 0.2, 0.5]],
        &[&g.z, &[g.params.q, g.params.r, g.params.dt]],
    );
}

#[differentiate]
mod neuron {
    #[derive(Clone, Copy, Debug, Default)]
    pub struct Hh {
        pub v: f64,
        pub m: f64,
        pub h: f64,
        pub spikes: u32,
    }
    #[derive(Clone, Copy, Debug)]
    pub struct Params {
        pub g: [f64; 3],
        pub e: [f64; 3],
        pub dt: f64,
    }
    impl Params {
        pub const CHANNELS: usize = 3;
        const THRESHOLD: f64 = 0.35;
    }
    impl Hh {
        fn currents(&self, p: &Params) -> [f64; Params::CHANNELS] {
            let mut i = [0.0; Params::CHANNELS];
            for (k, c) in i.iter_mut().enumerate() {
                let gate = match k {
                    0 => self.m.powi(3) * self.h,
                    1 => self.h,
                    _ => 1.0,
                };
                *c = p.g[k] * gate * (self.v - p.e[k]);
            }
            i
        }
        fn step(&mut self, p: &Params, input: f64) -> bool {
            let total: f64 = self.currents(p).iter().sum();
            self.v += p.dt * (input - total);
            let rates = |v: f64| (1.0 / (1.0 + (-v).exp()), 1.0 / (1.0 + v.exp()));
            let (a, b) = rates(self.v);
            self.m += p.dt * (a - self.m);
            self.h += p.dt * (b - self.h);
            if self.v > Params::THRESHOLD {
                self.spikes += 1;
                self.v = 0.1 * self.m;
                return true;
            }
            false
        }
    }
    pub fn run(state: &mut Hh, p: &Params, input: &[f64]) -> (f64, u32) {
        let mut energy = 0.0;
        let mut since = 0;
        for &i in input {
            if state.step(p, i) {
                since = 0;
                continue;
            }
            since += 1;
            energy += state.v * state.v * since as f64;
        }
        (energy, state.spikes)
    }
}

#[test]
fn gradient_of_neuron() {
    use neuron::*;
    let p = |v: &[f64]| Params { g: [v[0], v[1], v[2]], e: [v[3], v[4], v[5]], dt: v[6] };
    let v: Vec<f64> = positive(1, 7).iter().map(|v| v * 0.2).collect();
    let input = positive(2, 9);
    let st = |v: &[f64]| Hh { v: v[0], m: v[1], h: v[2], spikes: 0 };
    let s0 = [0.1, 0.3, 0.5];
    let mut s = st(&s0);
    let mut d = st(&[0.3, -0.5, 0.2]);
    let mut dp = p(&[0.0; 7]);
    let mut di = vec![0.0; 9];
    let (_, n) = run::vjp(&mut s, &mut d, &p(&v), &mut dp, &input, &mut di, 0.7);
    assert!(n > 0);
    check(
        |q| {
            let mut s = st(&q[0]);
            let (e, _) = run(&mut s, &p(&q[1]), &q[2]);
            0.7 * e + 0.3 * s.v - 0.5 * s.m + 0.2 * s.h
        },
        &[&s0, &v, &input],
        &[&[d.v, d.m, d.h], &[dp.g[0], dp.g[1], dp.g[2], dp.e[0], dp.e[1], dp.e[2], dp.dt], &di],
    );
}

#[differentiate]
mod optimiser {
    /// Momentum
    #[derive(Clone, Copy)]
    pub struct Sgd {
        pub lr: f64,
        pub momentum: f64,
        velocity: [f64; 2],
        steps: usize,
    }
    #[derive(Clone, Copy, Default)]
    pub struct Batch {
        pub x: [f64; 2],
        pub y: f64,
        pub weight: f32,
    }
    impl Sgd {
        pub fn new(lr: f64, momentum: f64) -> Self {
            Self { lr, momentum, velocity: [0.0; 2], steps: 0 }
        }
        fn apply(&mut self, w: &mut [f64; 2], g: &[f64; 2]) {
            for ((w, g), v) in w.iter_mut().zip(g).zip(self.velocity.iter_mut()) {
                *v = self.momentum * *v - self.lr * g;
                *w += *v;
            }
            self.steps += 1;
        }
    }
    pub fn train(data: &[Batch], w0: [f64; 2], lr: f64, momentum: f64, epochs: usize) -> f64 {
        let mut opt = Sgd::new(lr, momentum);
        let mut w = w0;
        let mut loss = 0.0;
        for epoch in 0..epochs {
            loss = 0.0;
            for &Batch { x, y, weight } in data {
                if weight == 0.0 {
                    continue;
                }
                let r = x[0] * w[0] + x[1] * w[1] - y;
                loss += f64::from(weight) * r * r;
                let g = x.map(|v| 2.0 * r * v);
                opt.apply(&mut w, &g);
                if opt.steps > 100 {
                    return loss;
                }
            }
            if epoch > 0 && loss < 1e-8 {
                break;
            }
        }
        loss + w.iter().map(|v| v.abs()).sum::<f64>()
    }
}

#[test]
fn gradient_of_opt() {
    use optimiser::*;
    let mk =
        |v: &[f64]| v.chunks(3).map(|c| Batch { x: [c[0], c[1]], y: c[2], weight: 1.5 }).collect::<Vec<_>>();
    let (v, w) = (random(1, 12), [0.3, -0.4]);
    let (_, g) = train::gradient(&mk(&v), w, 0.05, 0.8, 3);
    let f: Vec<f64> = g.data.iter().flat_map(|b| [b.x[0], b.x[1], b.y]).collect();
    check(
        |v| train(&mk(&v[0]), [v[1][0], v[1][1]], v[2][0], v[2][1], 3),
        &[&v, &w, &[0.05, 0.8]],
        &[&f, &g.w0, &[g.lr, g.momentum]],
    );
}

/// Enum-free option pricing w/ match on struct pattern and int codes.
#[differentiate]
mod payoff {
    #[derive(Clone, Copy, PartialEq)]
    pub struct Contract {
        pub kind: u8,
        pub strike: f64,
        pub barrier: f64,
    }
    fn pay(c: &Contract, s: f64) -> f64 {
        match *c {
            Contract { kind: 0, strike, .. } => (s - strike).max(0.0),
            Contract { kind: 1, strike, .. } => (strike - s).max(0.0),
            Contract { kind: _, strike, barrier } if s < barrier => s / strike,
            _ => s * s,
        }
    }
    fn pay2(c: &Contract, s: f64) -> f64 {
        match c.kind {
            0 => (s - c.strike).max(0.0),
            1 | 2 => (c.strike - s).max(0.0),
            _ if s > c.barrier => 0.0,
            _ => s * s,
        }
    }
    pub fn total(book: &[Contract], spots: &[f64]) -> f64 {
        let mut sum = 0.0;
        for c in book {
            for &s in spots {
                sum += pay(c, s) + 0.5 * pay2(c, s);
            }
        }
        sum / (book.len() * spots.len()) as f64
    }
}

#[test]
fn gradient_of_payoff() {
    use payoff::*;
    let (k, b, s) = (positive(1, 5), positive(2, 5), positive(3, 4));
    let book = |k: &[f64], b: &[f64]| {
        (0..5).map(|i| Contract { kind: i as u8, strike: k[i], barrier: b[i] }).collect::<Vec<_>>()
    };
    let (_, g) = total::gradient(&book(&k, &b), &s);
    check(
        |v| total(&book(&v[0], &v[1]), &v[2]),
        &[&k, &b, &s],
        &[
            &g.book.iter().map(|c| c.strike).collect::<Vec<_>>(),
            &g.book.iter().map(|c| c.barrier).collect::<Vec<_>>(),
            &g.spots,
        ],
    );
}

/// Neural network struct with arrays, fn returning array, forward method; activation const table.
#[differentiate]
mod nn {
    pub const IN: usize = 2;
    pub const HID: usize = 3;
    #[derive(Clone, Debug)]
    pub struct Net {
        pub w1: [[f64; IN]; HID],
        pub b1: [f64; HID],
        pub w2: [f64; HID],
        pub b2: f64,
    }
    fn relu_leaky(x: f64) -> f64 {
        if x > 0.0 { x } else { 0.01 * x }
    }
    fn map<const N: usize>(x: [f64; N]) -> [f64; N] {
        let mut y = x;
        for v in y.iter_mut() {
            *v = relu_leaky(*v);
        }
        y
    }
    impl Net {
        fn hidden(&self, x: &[f64; IN]) -> [f64; HID] {
            let mut h = self.b1;
            for (h, row) in h.iter_mut().zip(&self.w1) {
                *h += row.iter().zip(x).map(|(w, x)| w * x).sum::<f64>();
            }
            map(h)
        }
        pub fn predict(&self, x: &[f64; IN]) -> f64 {
            let h = self.hidden(x);
            let z: f64 = h.iter().zip(self.w2.iter()).map(|(a, b)| a * b).sum();
            1.0 / (1.0 + (-(z + self.b2)).exp())
        }
    }
    #[differentiate(wrt(net))]
    pub fn loss(net: &Net, xs: &[[f64; IN]], ys: &[f64]) -> f64 {
        xs.iter()
            .zip(ys)
            .map(|(x, &y)| {
                let p = net.predict(x);
                -(y * p.ln() + (1.0 - y) * (1.0 - p).ln())
            })
            .sum::<f64>()
            / ys.len() as f64
    }
}

#[test]
fn gradient_of_nn() {
    use nn::*;
    let v = random(1, 13);
    let mk = |v: &[f64]| Net {
        w1: [[v[0], v[1]], [v[2], v[3]], [v[4], v[5]]],
        b1: [v[6], v[7], v[8]],
        w2: [v[9], v[10], v[11]],
        b2: v[12],
    };
    let xs = [[0.1, 0.7], [-0.4, 0.2], [0.9, -0.8]];
    let ys = [1.0, 0.0, 1.0];
    let (_, g) = loss::gradient(&mk(&v), &xs, &ys);
    let g = g.net;
    let f = [g.w1.as_flattened(), &g.b1, &g.w2, &[g.b2]].concat();
    check(|v| loss(&mk(&v[0]), &xs, &ys), &[&v], &[&f]);
}
