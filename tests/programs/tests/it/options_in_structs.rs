//! Options as members of structs; literals of structs with vectors in any order; lengths that follow from where a result goes.

use pardiff::differentiate;
use pardiff_programs::{check, random};

#[differentiate]
mod control {
    #[derive(Clone, Copy, Default)]
    struct Pid {
        gain: f64,
        slope: f64,
        last: Option<f64>,
        seen: Option<(usize, f64)>,
    }

    impl Pid {
        fn new(gain: f64) -> Self {
            Self { gain, slope: 0.3, ..Self::default() }
        }

        fn update(&mut self, error: f64, step: usize) -> f64 {
            let slope = match self.last {
                Some(last) => error - last,
                None => 0.0,
            };
            self.last = Some(error);
            if self.seen.is_none() || error.abs() > 0.5 {
                self.seen = Some((step, error * self.gain));
            }
            let bias = self.seen.map_or(0.0, |(k, e)| e / (1.0 + k as f64));
            self.gain * error + self.slope * slope + bias
        }
    }

    pub fn cost(gain: f64, target: &[f64]) -> f64 {
        let mut pid = Pid::new(gain);
        let mut x = 0.1;
        let mut sum = 0.0;
        for (step, t) in target.iter().enumerate() {
            let u = pid.update(t - x, step);
            x += 0.2 * u;
            sum += u * u;
            if let Some(last) = &mut pid.last {
                *last *= 0.9;
            }
        }
        sum + pid.last.unwrap_or(1.0)
    }
}

#[test]
fn options_of_a_controller() {
    for n in [0, 1, 6] {
        let target = random(1, n);
        let (value, g) = control::cost::gradient(0.8, &target);
        assert!((value - control::cost(0.8, &target)).abs() < 1e-14);
        check(|v| control::cost(v[0][0], &v[1]), &[&[0.8], &target], &[&[g.gain], &g.target]);
    }
}

#[differentiate]
mod simulation {
    #[derive(Clone, Copy, Default)]
    struct Body {
        x: f64,
        v: f64,
    }

    struct Simulation<'a> {
        bodies: Vec<Body>,
        forces: Vec<f64>,
        masses: &'a [f64],
        time: f64,
    }

    impl<'a> Simulation<'a> {
        fn new(start: &[f64], masses: &'a [f64]) -> Self {
            let bodies: Vec<Body> = start.iter().map(|&x| Body { x, ..Body::default() }).collect();
            // not in the order in which they are declared
            let mut made = Simulation { time: 0.0, forces: vec![0.0; bodies.len()], masses, bodies };
            made.accelerate();
            made
        }

        fn accelerate(&mut self) {
            for i in 0..self.bodies.len() {
                let x = self.bodies[i].x;
                self.forces[i] =
                    self.bodies.iter().zip(self.masses).map(|(other, m)| m * (other.x - x).tanh()).sum();
            }
        }

        fn step(&mut self, dt: f64) {
            for (body, force) in self.bodies.iter_mut().zip(&self.forces) {
                body.v += dt * force;
                body.x += dt * body.v;
            }
            self.time += dt;
            self.accelerate();
        }
    }

    pub fn spread(start: &[f64], masses: &[f64], dt: f64) -> f64 {
        let mut simulation = Simulation::new(start, masses);
        for _ in 0..4 {
            simulation.step(dt);
        }
        simulation.time * simulation.bodies.iter().map(|body| body.x * body.x).sum::<f64>()
    }
}

#[test]
fn a_simulation_that_owns_vectors() {
    for n in [0, 1, 5] {
        let (start, masses) = (random(2, n), random(3, n));
        let (value, g) = simulation::spread::gradient(&start, &masses, 0.2);
        assert!((value - simulation::spread(&start, &masses, 0.2)).abs() < 1e-14);
        check(
            |v| simulation::spread(&v[0], &v[1], v[2][0]),
            &[&start, &masses, &[0.2]],
            &[&g.start, &g.masses, &[g.dt]],
        );
    }
}

#[differentiate]
mod layers {
    const HIDDEN: usize = 3;

    struct Layer<'a> {
        weights: &'a [f64],
    }

    impl Layer<'_> {
        /// As many outputs as the caller wants.
        fn apply<const I: usize, const O: usize>(&self, x: &[f64; I], act: impl Fn(f64) -> f64) -> [f64; O] {
            std::array::from_fn(|o| {
                let row = &self.weights[o * I..(o + 1) * I];
                act(row.iter().zip(x).map(|(w, x)| w * x).sum())
            })
        }
    }

    fn grid<const R: usize, const C: usize>(a: f64) -> ([[f64; C]; R], [f64; R]) {
        let mut all = [[a; C]; R];
        let mut sums = [0.0; R];
        for (i, row) in all.iter_mut().enumerate() {
            for (j, v) in row.iter_mut().enumerate() {
                *v = (a * (i * C + j) as f64).sin();
            }
            sums[i] = row.iter().sum();
        }
        (all, sums)
    }

    fn forward(w: &[f64], x: &[f64; 2]) -> [f64; 2] {
        let h: [f64; HIDDEN] = Layer { weights: w }.apply(x, f64::tanh);
        Layer { weights: &w[6..] }.apply(&h, |z| z * z)
    }

    pub fn loss(w: &[f64], x: &[f64; 2]) -> f64 {
        let [a, b] = forward(w, x);
        let (all, sums): ([[f64; 2]; 3], _) = grid(a);
        a * b + all[2][1] * sums[0]
    }
}

#[test]
fn lengths_of_results() {
    let (w, x) = (random(4, 12), [0.4, -0.7]);
    let (value, g) = layers::loss::gradient(&w, &x);
    assert!((value - layers::loss(&w, &x)).abs() < 1e-14);
    check(|v| layers::loss(&v[0], v[1][..].try_into().unwrap()), &[&w, &x], &[&g.w, &g.x]);
}

#[differentiate]
mod methods {
    #[derive(Clone, Copy, Default)]
    struct Held {
        one: Option<f64>,
        many: [Option<f64>; 3],
    }

    /// Written to behind `&mut`, in members and elements too.
    pub fn changed(x: &[f64], k: usize) -> f64 {
        let mut held = Held::default();
        let mut sum = 0.0;
        for (i, v) in x.iter().enumerate() {
            if let Some(one) = held.one.as_mut() {
                *one *= 0.9 * v;
            }
            if let Some(many) = &mut held.many[i % 3] {
                *many += v * v;
            }
            let old = held.many[(i + k) % 3].replace(v.sin());
            sum += old.unwrap_or(0.5) * v;
            if i == 1 {
                held.one.replace(2.0 * v);
            }
            match &mut held.one {
                Some(one) if i > 2 => *one += 0.3,
                Some(one) => sum += *one,
                None => sum += 1.0,
            }
        }
        sum + held.one.map_or(0.0, |v| v * v) + held.many.iter().filter_map(|v| *v).sum::<f64>()
    }

    pub fn both(x: &[f64], i: usize, j: usize) -> f64 {
        let (a, b) = (x.get(i).copied(), x.get(j).copied());
        let mut sum = 0.0;
        if let Some((p, q)) = a.zip(b) {
            sum += p * q;
        }
        sum += a.xor(b).map_or(1.0, |v| v * v);
        let Some(c) = a.or(b) else { return sum };
        let mut stack = x.to_vec();
        while let Some((p, q)) = stack.pop().zip(stack.pop()) {
            sum += p / (2.0 + q);
        }
        sum * c
    }
}

#[test]
fn options_that_are_changed_in_place() {
    for n in 0..7 {
        let x = random(5, n);
        for k in 0..3 {
            let (value, g) = methods::changed::gradient(&x, k);
            assert!((value - methods::changed(&x, k)).abs() < 1e-14);
            check(|v| methods::changed(&v[0], k), &[&x], &[&g.x]);
        }
    }
}

#[test]
fn two_options() {
    let x = random(6, 5);
    for (i, j) in [(0, 1), (0, 9), (9, 2), (8, 9)] {
        let (value, g) = methods::both::gradient(&x, i, j);
        assert!((value - methods::both(&x, i, j)).abs() < 1e-14);
        check(|v| methods::both(&v[0], i, j), &[&x], &[&g.x]);
    }
}
