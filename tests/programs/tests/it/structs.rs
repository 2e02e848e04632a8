//! Structs of a module: fields, methods, operators, arrays of structs, structs that are returned.

use pardiff::differentiate;
use pardiff_programs::{assert_near, check, dot, positive, random};

#[differentiate]
mod kernels {
    use rayon::prelude::*;
    use std::ops::{Add, AddAssign, Mul, Neg, Sub};

    #[derive(Clone, Copy, Debug, PartialEq, Default)]
    pub struct V3(pub [f64; 3]);

    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct Atom {
        pub pos: V3,
        pub charge: f64,
        pub kind: usize,
        pub fixed: bool,
    }

    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct Bond {
        pub ends: [usize; 2],
        pub length: f64,
        pub stiffness: f32,
    }

    #[derive(Clone, Debug)]
    pub struct Model {
        pub atoms: [Atom; 2],
        pub scale: f64,
        pub weights: [f64; N],
        steps: usize,
    }

    #[derive(Clone, Copy)]
    pub struct State {
        pub x: f64,
        pub v: f64,
        pub hits: u32,
    }

    pub struct Pair(pub f64, pub State);

    const N: usize = 3;

    impl V3 {
        const ZERO: V3Zero = V3Zero;
        const SHIFT: f64 = 0.125;
        const HALF: f64 = 1.0 / 2.0;

        pub fn new(x: f64, y: f64, z: f64) -> Self {
            Self([x, y, z])
        }

        fn dot(&self, other: &V3) -> f64 {
            let V3([a, b, c]) = self;
            a * other.0[0] + b * other.0[1] + c * other.0[2]
        }

        fn norm(self) -> f64 {
            (self.dot(&self) + Self::SHIFT).sqrt() * Self::HALF * 2.0
        }

        fn scale(&mut self, by: f64) {
            for x in self.0.iter_mut() {
                *x *= by;
            }
        }
    }

    struct V3Zero;

    impl Add for V3 {
        type Output = V3;
        fn add(self, other: V3) -> Self::Output {
            V3::new(self.0[0] + other.0[0], self.0[1] + other.0[1], self.0[2] + other.0[2])
        }
    }

    impl Sub for V3 {
        type Output = V3;
        fn sub(self, other: V3) -> V3 {
            self + -other
        }
    }

    impl Neg for V3 {
        type Output = Self;
        fn neg(self) -> Self {
            V3([-self.0[0], -self.0[1], -self.0[2]])
        }
    }

    impl Mul<f64> for V3 {
        type Output = V3;
        fn mul(self, by: f64) -> V3 {
            let mut out = self;
            out.scale(by);
            out
        }
    }

    impl Mul<V3> for f64 {
        type Output = V3;
        fn mul(self, of: V3) -> V3 {
            of * self
        }
    }

    impl AddAssign for V3 {
        fn add_assign(&mut self, other: V3) {
            for k in 0..3 {
                self.0[k] += other.0[k];
            }
        }
    }

    fn coulomb(a: &Atom, b: &Atom) -> f64 {
        let Atom { pos, charge, .. } = a;
        let d = *pos - b.pos;
        charge * b.charge / d.norm()
    }

    /// All pairs.
    pub fn energy(atoms: &[Atom]) -> f64 {
        let mut total = 0.0;
        for i in 0..atoms.len() {
            if atoms[i].fixed {
                continue;
            }
            for j in 0..i {
                total += coulomb(&atoms[i], &atoms[j]);
            }
            total += atoms[i].pos.dot(&atoms[i].pos) * atoms[i].kind as f64;
        }
        total
    }

    /// Through an index.
    pub fn bonded(atoms: &[Atom], bonds: &[Bond]) -> f64 {
        bonds
            .iter()
            .map(|bond| {
                let [i, j] = bond.ends;
                let stretch = (atoms[i].pos - atoms[j].pos).norm() - bond.length;
                0.5 * bond.stiffness as f64 * stretch * stretch
            })
            .sum()
    }

    /// A struct behind a reference, structs in it, a struct by value.
    pub fn response(model: &Model, at: V3, shift: f64) -> f64 {
        let mut sum = 0.0;
        for (k, atom) in model.atoms.iter().enumerate() {
            for step in 0..model.steps {
                let d = atom.pos - at * (1.0 + step as f64);
                sum += model.weights[k] * (atom.charge * d.norm()).sin();
            }
        }
        sum * model.scale + model.weights[2] * shift
    }

    /// Written in place.
    pub fn advance(states: &mut [State], forces: &[f64], dt: f64) {
        for i in 0..states.len() {
            let s = &mut states[i];
            s.v += dt * (forces[i] - s.x.sin());
            s.x += dt * s.v;
            if s.x > 0.0 {
                s.hits += 1;
            }
        }
    }

    /// One struct, written; a local copy, structs made of others.
    pub fn bounce(state: &mut State, k: f64) -> f64 {
        let before = *state;
        let swapped = State { v: before.x * k, x: before.v, ..before };
        let pushed = State { x: before.x + swapped.x, ..*state };
        *state = State { v: state.x, x: state.v, ..pushed };
        state.hits += 1;
        state.x * swapped.v + pushed.x * state.v
    }

    /// Structs and tuples are returned.
    pub fn split(a: f64, b: &V3) -> (V3, State, usize, [f64; 2]) {
        let state = State { hits: 3, x: a * b.0[0], v: a.exp() };
        (*b * a, state, 7, [state.x, state.v * a])
    }

    pub fn pair(a: f64) -> Pair {
        let inner = State { x: a * a, v: a, hits: 1 };
        Pair(inner.x * inner.v, inner)
    }

    pub fn atoms_of(x: &[f64; 6]) -> [Atom; 2] {
        let mut atoms = [Atom { pos: V3::new(0.0, 0.0, 0.0), charge: 1.0, kind: 0, fixed: false }; 2];
        for i in 0..2 {
            atoms[i].pos = V3::new(x[3 * i] * x[0], x[3 * i + 1], x[3 * i + 2]);
            atoms[i].kind = i;
        }
        atoms.swap(0, 1);
        let first = atoms[0];
        atoms[1].charge = first.pos.0[0];
        atoms
    }

    /// Local arrays of structs of a length that is known at run time.
    pub fn smoothed(x: &[f64], k: f64) -> f64 {
        let mut states = vec![State { x: 0.0, v: k, hits: 0 }; x.len()];
        for (s, x) in states.iter_mut().zip(x) {
            s.x = *x;
        }
        for i in 1..states.len() {
            states[i] = State { v: states[i].v + states[i - 1].v * states[i].x, ..states[i] };
        }
        let mut total = V3::new(0.0, k, 0.0);
        for s in &states {
            total += V3([s.x, s.v, s.x * s.v]) * 0.5;
        }
        (2.0 * total).norm() + V3::ZERO_LENGTH
    }

    impl V3 {
        const ZERO_LENGTH: f64 = 0.0;
    }

    /// Each state by itself: the loop is parallel.
    pub fn relaxed(states: &[State], out: &mut [State], rate: f64) {
        for (s, o) in states.iter().zip(out.iter_mut()) {
            o.x = s.x - rate * s.v;
            o.v = (s.v * rate).exp();
            o.hits = s.hits + 1;
        }
    }

    /// With rayon, as users write it.
    pub fn relaxed_by_rayon(states: &mut [State], rate: f64) -> f64 {
        states.par_iter_mut().for_each(|s| {
            s.x -= rate * s.v;
            s.v = s.x * s.v;
            s.hits += 1;
        });
        states.par_iter().map(|s| s.x * s.v).sum()
    }

    /// A parameter by value that is changed, and arrays by value.
    pub fn changed(mut state: State, mut list: [State; 2], k: usize) -> f64 {
        state.x *= 2.0;
        list[k].v += state.x * list[1 - k].x;
        (list[0], list[1]) = (list[1], list[0]);
        state.x * state.v + list[0].v * list[1].v
    }

    /// Out of range where a task reads.
    pub fn far(states: &[State], at: &[usize]) -> f64 {
        let mut sum = 0.0;
        for i in 0..at.len() {
            sum += states[at[i]].v * states[at[i]].x;
        }
        sum
    }

    /// Rows of structs.
    pub fn rows(grid: &[[State; 2]], k: usize) -> f64 {
        let mut sum = 0.0;
        for row in grid {
            sum += row[k % 2].x * row[(k + 1) % 2].v;
        }
        sum
    }

    /// A field is private to the module.
    pub fn model(atoms: [Atom; 2], scale: f64, weights: [f64; N]) -> Model {
        Model { atoms, scale, weights, steps: 2 }
    }

    #[expect(dead_code, reason = "a function that no other needs stays in the module as it is")]
    fn unused() -> V3Zero {
        V3::ZERO
    }
}

use kernels::{Atom, Bond, Model, State, V3};

fn atoms(x: &[f64]) -> Vec<Atom> {
    let of = |(i, x): (usize, &[f64])| Atom {
        pos: V3([x[0], x[1], x[2]]),
        charge: x[3],
        kind: i % 3,
        fixed: i % 5 == 4,
    };
    x.chunks_exact(4).enumerate().map(of).collect()
}

fn numbers(atoms: &[Atom]) -> Vec<f64> {
    atoms.iter().flat_map(|a| [a.pos.0[0], a.pos.0[1], a.pos.0[2], a.charge]).collect()
}

fn states(x: &[f64]) -> Vec<State> {
    x.chunks_exact(2).map(|x| State { x: x[0], v: x[1], hits: 5 }).collect()
}

fn of_states(states: &[State]) -> Vec<f64> {
    states.iter().flat_map(|s| [s.x, s.v]).collect()
}

#[test]
fn a_slice_of_structs() {
    let x = random(1, 4 * 12);
    let (value, gradient) = kernels::energy::gradient(&atoms(&x));
    assert_near(&[value], &[kernels::energy(&atoms(&x))]);
    check(|v| kernels::energy(&atoms(&v[0])), &[&x], &[&numbers(&gradient.atoms)]);
    assert_eq!(gradient.atoms[4].kind, 1);
    assert!(gradient.atoms[4].fixed);
    assert!(kernels::energy::DECISIONS.contains("parallel"), "{}", kernels::energy::DECISIONS);
    let mut d = atoms(&x);
    kernels::energy::grad_into(&atoms(&x), &mut d);
    assert_near(&numbers(&d), &numbers(&gradient.atoms));
}

#[test]
fn structs_behind_an_index() {
    let (x, l) = (random(2, 4 * 8), positive(3, 20));
    let bonds = |l: &[f64]| -> Vec<Bond> {
        let of = |(k, l): (usize, &f64)| Bond { ends: [k % 8, (3 * k + 1) % 8], length: *l, stiffness: 2.0 };
        l.iter().enumerate().map(of).collect()
    };
    let (_, gradient) = kernels::bonded::gradient(&atoms(&x), &bonds(&l));
    let lengths: Vec<f64> = gradient.bonds.iter().map(|bond| bond.length).collect();
    check(
        |v| kernels::bonded(&atoms(&v[0]), &bonds(&v[1])),
        &[&x, &l],
        &[&numbers(&gradient.atoms), &lengths],
    );
}

#[test]
fn a_struct_of_structs() {
    let (x, w, at) = (random(4, 8), random(5, 4), random(6, 3));
    let model = |x: &[f64], w: &[f64]| -> Model {
        let atoms = atoms(x);
        kernels_model([atoms[0], atoms[1]], w)
    };
    let at_of = |v: &[f64]| V3([v[0], v[1], v[2]]);
    let (_, gradient) = kernels::response::gradient(&model(&x, &w), at_of(&at), 0.3);
    let mut d_w = vec![gradient.model.scale];
    d_w.extend(gradient.model.weights);
    check(
        |v| kernels::response(&model(&v[0], &v[1]), at_of(&v[2]), v[3][0]),
        &[&x, &w, &at, &[0.3]],
        &[&numbers(&gradient.model.atoms), &d_w, &gradient.at.0, &[gradient.shift]],
    );
}

fn kernels_model(atoms: [Atom; 2], w: &[f64]) -> Model {
    kernels::model(atoms, w[0], [w[1], w[2], w[3]])
}

#[test]
fn structs_that_are_written() {
    let (x, f, seed) = (random(7, 20), random(8, 10), random(9, 20));
    let value = |v: &[Vec<f64>]| {
        let mut states = states(&v[0]);
        kernels::advance(&mut states, &v[1], v[2][0]);
        dot(&of_states(&states), &seed)
    };
    let (mut s, mut d_s, mut d_f, mut d_dt) = (states(&x), states(&seed), vec![0.0; 10], 0.0);
    kernels::advance::vjp(&mut s, &mut d_s, &f, &mut d_f, 0.1, &mut d_dt);
    check(value, &[&x, &f, &[0.1]], &[&of_states(&d_s), &d_f, &[d_dt]]);
    assert_eq!(s.iter().map(|s| s.hits).max(), Some(6));
    assert_eq!(d_s[0].hits, 5);

    let x = [0.3, 0.7];
    let value = |v: &[Vec<f64>]| {
        let mut state = State { x: v[0][0], v: v[0][1], hits: 0 };
        let value = kernels::bounce(&mut state, v[1][0]);
        value + dot(&[state.x, state.v], &[2.0, 3.0])
    };
    let (mut s, mut d_s, mut d_k) = (states(&x)[0], State { x: 2.0, v: 3.0, hits: 9 }, 0.0);
    kernels::bounce::grad(&mut s, &mut d_s, 1.7, &mut d_k);
    check(value, &[&x, &[1.7]], &[&[d_s.x, d_s.v], &[d_k]]);
    assert_eq!((s.hits, d_s.hits), (6, 9));
}

#[test]
fn structs_and_tuples_that_are_returned() {
    let x = [0.4, 0.3, -0.2, 0.9];
    let value = |v: &[Vec<f64>]| {
        let (b, s, _, l) = kernels::split(v[0][0], &V3([v[0][1], v[0][2], v[0][3]]));
        dot(&[b.0[0], b.0[1], b.0[2], s.x, s.v, l[0], l[1]], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0])
    };
    let seed = (V3([1.0, 2.0, 3.0]), State { x: 4.0, v: 5.0, hits: 0 }, [6.0, 7.0]);
    let (mut d_a, mut d_b) = (0.0, V3([0.0; 3]));
    let found = kernels::split::vjp(x[0], &mut d_a, &V3([x[1], x[2], x[3]]), &mut d_b, seed);
    assert_eq!((found.1.hits, found.2), (3, 7));
    check(value, &[&x], &[&[d_a, d_b.0[0], d_b.0[1], d_b.0[2]]]);

    let mut d_a = 0.0;
    let seed = kernels::Pair(2.0, State { x: 3.0, v: 4.0, hits: 0 });
    let found = kernels::pair::vjp(1.5, &mut d_a, seed);
    assert_near(&[found.0, found.1.x], &[3.375, 2.25]);
    assert_near(&[d_a], &[2.0 * 3.0 * 2.25 + 3.0 * 3.0 + 4.0]);
}

#[test]
fn local_arrays_of_structs() {
    let (x, seed) = (random(10, 6), random(11, 8));
    let x: [f64; 6] = x.try_into().expect("six");
    let value = |v: &[Vec<f64>]| {
        let x: &[f64; 6] = v[0][..].try_into().expect("six");
        dot(&numbers(&kernels::atoms_of(x)), &seed)
    };
    let mut d_x = [0.0; 6];
    let seeds = atoms(&seed);
    let found = kernels::atoms_of::vjp(&x, &mut d_x, [seeds[0], seeds[1]]);
    assert_eq!((found[0].kind, found[1].kind), (1, 0));
    check(value, &[&x], &[&d_x]);

    let x = random(12, 7);
    let (value, gradient) = kernels::smoothed::gradient(&x, 0.8);
    assert_near(&[value], &[kernels::smoothed(&x, 0.8)]);
    check(|v| kernels::smoothed(&v[0], v[1][0]), &[&x, &[0.8]], &[&gradient.x, &[gradient.k]]);
}

#[test]
fn parameters_that_are_changed() {
    let x = random(17, 6);
    let value = |v: &[f64]| {
        let s = states(v);
        kernels::changed(s[0], [s[1], s[2]], 1)
    };
    let s = states(&x);
    let (found, gradient) = kernels::changed::gradient(s[0], [s[1], s[2]], 1);
    assert_near(&[found], &[value(&x)]);
    let found = of_states(&[gradient.state, gradient.list[0], gradient.list[1]]);
    check(|v| value(&v[0]), &[&x], &[&found]);
}

#[test]
#[should_panic(expected = "far: index out of range in `states[at[i]]`")]
fn an_index_out_of_range_names_the_access() {
    let (x, mut at) = (random(18, 20), vec![3; 100]);
    at[50] = 10;
    let _ = kernels::far::gradient(&states(&x), &at);
}

#[test]
fn parallel_loops_over_structs() {
    let (x, seed) = (random(13, 4000), random(14, 4000));
    let (mut out, mut d_out) = (states(&seed), states(&seed));
    let (mut d_s, mut d_rate) = (states(&vec![0.0; 4000]), 0.0);
    kernels::relaxed::vjp(&states(&x), &mut d_s, &mut out, &mut d_out, 0.6, &mut d_rate);
    assert_eq!((out[1].hits, d_out[1].hits, d_out[1].x), (6, 5, 0.0));
    for i in [0, 1, 1777, 1999] {
        let (v, s) = (x[2 * i + 1], [seed[2 * i], seed[2 * i + 1]]);
        assert_near(&[out[i].x, d_s[i].x], &[x[2 * i] - 0.6 * v, s[0]]);
        assert_near(&[d_s[i].v], &[-0.6 * s[0] + 0.6 * (0.6 * v).exp() * s[1]]);
    }
    assert!(kernels::relaxed::DECISIONS.contains("parallel"), "{}", kernels::relaxed::DECISIONS);

    let x = random(16, 3000);
    let (mut s, mut d_s, mut d_rate) = (states(&x), states(&vec![0.0; 3000]), 0.0);
    let value = kernels::relaxed_by_rayon::grad(&mut s, &mut d_s, 0.3, &mut d_rate);
    let mut own = states(&x);
    assert_near(&[value], &[kernels::relaxed_by_rayon(&mut own, 0.3)]);
    assert_near(&of_states(&s), &of_states(&own));
    for i in [0, 7, 1499] {
        let (y, v) = (x[2 * i] - 0.3 * x[2 * i + 1], x[2 * i + 1]);
        assert_near(&[d_s[i].x, d_s[i].v], &[2.0 * y * v, y * y - 0.6 * y * v]);
    }
    assert!(
        kernels::relaxed_by_rayon::DECISIONS.contains("parallel"),
        "{}",
        kernels::relaxed_by_rayon::DECISIONS
    );

    let x = random(15, 24);
    let grid = |x: &[f64]| -> Vec<[State; 2]> { states(x).as_chunks::<2>().0.to_vec() };
    let mut d = grid(&[0.0; 24]);
    kernels::rows::grad(&grid(&x), &mut d, 1);
    check(|v| kernels::rows(&grid(&v[0]), 1), &[&x], &[&of_states(d.as_flattened())]);
    kernels::rows::grad_into(&grid(&x), &mut d, 1);
    check(|v| kernels::rows(&grid(&v[0]), 1), &[&x], &[&of_states(d.as_flattened())]);
}
