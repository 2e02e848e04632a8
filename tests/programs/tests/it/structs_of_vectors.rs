//! Structs that own vectors: behind references, as receivers of methods, handed to helpers; their adjoints are such
//! structs.

use pardiff::differentiate;
use pardiff_programs::{assert_near, check, random};

#[differentiate]
mod mesh {
    #[derive(Clone, Copy, Debug, PartialEq, Default)]
    pub struct Cell {
        pub corners: [f64; 2],
        pub mass: f64,
        pub material: usize,
    }

    #[derive(Clone, Debug, PartialEq, Default)]
    pub struct Nodes {
        pub x: Vec<f64>,
        pub v: Vec<[f64; 2]>,
    }

    #[derive(Clone, Debug, PartialEq, Default)]
    pub struct Domain {
        pub nodes: Nodes,
        pub e: Vec<f64>,
        pub cells: Vec<Cell>,
        pub end: Vec<usize>,
        pub weights: Box<[f64]>,
        pub gravity: [f64; 2],
        pub dt: f64,
        pub cycle: usize,
    }

    fn move_nodes(domain: &mut Domain, dt: f64) {
        for i in 0..domain.nodes.x.len() {
            domain.nodes.v[i][0] += dt * domain.gravity[0];
            domain.nodes.v[i][1] -= dt * domain.gravity[1] * domain.nodes.x[i];
            domain.nodes.x[i] += dt * domain.nodes.v[i][0] * domain.nodes.v[i][1];
        }
    }

    /// Reads the struct alone.
    #[differentiate(forward, hvp, split, check)]
    pub fn energy(domain: &Domain) -> f64 {
        let mut sum = domain.dt;
        for (i, cell) in domain.cells.iter().enumerate() {
            let k = domain.end[i];
            sum += cell.mass * domain.e[i] * domain.weights[cell.material];
            sum += cell.corners[0] * domain.nodes.x[k] + cell.corners[1].sin() * domain.nodes.v[k][1];
        }
        sum
    }

    /// Writes it, in helpers and methods too.
    #[differentiate(forward, check)]
    pub fn step(domain: &mut Domain, scale: f64) {
        let dt = domain.dt * scale;
        move_nodes(domain, dt);
        domain.heat(dt);
        domain.cycle += 1;
        domain.dt *= 1.1;
    }

    /// Moves one into the function, which changes it, and returns another one.
    #[differentiate(forward, check)]
    pub fn stretched(mut nodes: Nodes, by: f64) -> Nodes {
        nodes.x[0] *= by;
        let x = nodes.x.iter().map(|x| x * by).collect();
        Nodes { x, v: nodes.v }
    }

    /// Returns one beside a number, or nothing.
    #[differentiate(check)]
    pub fn longer(x: &[f64], times: usize) -> Option<(Nodes, f64)> {
        if times == 0 {
            return None;
        }
        let mut long = Vec::new();
        for _ in 0..times {
            long.extend(x.iter().map(|x| x * x));
        }
        let v = long.iter().map(|x| [*x, 1.0]).collect();
        Some((Nodes { x: long, v }, x[0]))
    }

    impl Domain {
        fn heat(&mut self, dt: f64) {
            let Domain { e, cells, .. } = self;
            for (e, cell) in e.iter_mut().zip(cells.iter()) {
                *e += dt * cell.mass * *e * *e;
            }
        }

        /// A method.
        #[differentiate(forward, check)]
        pub fn advance(&mut self, times: usize) -> f64 {
            for _ in 0..times {
                let dt = self.dt;
                move_nodes(self, dt);
                self.heat(dt);
            }
            self.total()
        }

        pub fn total(&self) -> f64 {
            self.e.iter().sum::<f64>() + self.nodes.x.iter().map(|x| x * x).sum::<f64>()
        }
    }
}

use mesh::{Cell, Domain, Nodes};

/// Of so many cells and nodes.
fn domain(n: usize) -> Domain {
    let (x, v) = (random(1, n + 1), random(2, 2 * (n + 1)));
    let corners = random(3, 3 * n);
    Domain {
        nodes: Nodes { x, v: v.chunks(2).map(|v| [v[0], v[1]]).collect() },
        e: random(4, n),
        cells: (0..n)
            .map(|i| Cell {
                corners: [corners[i], corners[n + i]],
                mass: corners[2 * n + i],
                material: i % 2,
            })
            .collect(),
        end: (0..n).map(|i| (3 * i + 1) % n).collect(),
        weights: vec![0.75, -1.25].into_boxed_slice(),
        gravity: [0.5, 2.0],
        dt: 0.25,
        cycle: 3,
    }
}

/// All floats, in one order.
fn floats(d: &Domain) -> Vec<f64> {
    let mut all = d.nodes.x.clone();
    all.extend(d.nodes.v.iter().flatten());
    all.extend(&d.e);
    all.extend(d.cells.iter().flat_map(|cell| [cell.corners[0], cell.corners[1], cell.mass]));
    all.extend(d.weights.iter());
    all.extend(d.gravity);
    all.push(d.dt);
    all
}

fn with_floats(mut d: Domain, all: &[f64]) -> Domain {
    let mut next = all.iter().copied();
    let mut take = || next.next().unwrap();
    d.nodes.x.iter_mut().for_each(|x| *x = take());
    d.nodes.v.iter_mut().flatten().for_each(|x| *x = take());
    d.e.iter_mut().for_each(|x| *x = take());
    for cell in &mut d.cells {
        cell.corners = [take(), take()];
        cell.mass = take();
    }
    d.weights.iter_mut().for_each(|x| *x = take());
    d.gravity = [take(), take()];
    d.dt = take();
    d
}

fn zeros(like: &Domain) -> Domain {
    with_floats(like.clone(), &vec![0.0; floats(like).len()])
}

#[test]
fn the_gradient_of_a_struct_is_such_a_struct() {
    let at = domain(4);
    mesh::energy::check(&at).unwrap_or_else(|mismatch| panic!("{mismatch}"));
    let (value, gradient) = mesh::energy::gradient(&at);
    assert_eq!(value, mesh::energy(&at));
    let of = |p: &[Vec<f64>]| mesh::energy(&with_floats(at.clone(), &p[0]));
    check(of, &[&floats(&at)], &[&floats(&gradient.domain)]);
    assert_eq!(gradient.domain.end, at.end);

    // added to, and overwritten
    let mut twice = gradient.domain.clone();
    mesh::energy::grad(&at, &mut twice);
    let doubled: Vec<f64> = floats(&gradient.domain).iter().map(|v| 2.0 * v).collect();
    assert_near(&floats(&twice), &doubled);
    mesh::energy::grad_into(&at, &mut twice);
    assert_near(&floats(&twice), &floats(&gradient.domain));

    // the sweeps apart
    let mut tape = mesh::energy::Tape::default();
    let mut apart = zeros(&at);
    assert_near(&[mesh::energy::forward(&at, &mut tape)], &[value]);
    mesh::energy::backward(&at, &mut apart, &tape, 1.0);
    assert_near(&floats(&apart), &floats(&gradient.domain));
}

#[test]
fn what_is_behind_a_mut_is_written_and_reversed() {
    let at = domain(5);
    mesh::step::check(&mut at.clone(), 0.5).unwrap_or_else(|mismatch| panic!("{mismatch}"));
    mesh::domain::advance::check(&mut at.clone(), 3).unwrap_or_else(|mismatch| panic!("{mismatch}"));

    let seeds = random(9, floats(&at).len());
    let (mut after, mut d_domain, mut d_scale) = (at.clone(), with_floats(at.clone(), &seeds), 0.0);
    mesh::step::vjp(&mut after, &mut d_domain, 0.5, &mut d_scale);
    let mut own = at.clone();
    mesh::step(&mut own, 0.5);
    assert_eq!(after, own);
    assert_eq!(after.cycle, 4);
    let of = |p: &[Vec<f64>]| {
        let mut d = with_floats(at.clone(), &p[0]);
        mesh::step(&mut d, p[1][0]);
        floats(&d).iter().zip(&seeds).map(|(a, b)| a * b).sum()
    };
    check(of, &[&floats(&at), &[0.5]], &[&floats(&d_domain), &[d_scale]]);

    let (mut after, mut d) = (at.clone(), zeros(&at));
    let value = mesh::domain::advance::grad(&mut after, &mut d, 3);
    assert_near(&[value], &[at.clone().advance(3)]);
    let of = |p: &[Vec<f64>]| with_floats(at.clone(), &p[0]).advance(3);
    check(of, &[&floats(&at)], &[&floats(&d)]);
}

#[test]
#[should_panic(
    expected = "energy: the length of the adjoint `d_domain.nodes.v` is 4 but the length of `domain.nodes.v` is 5"
)]
fn an_adjoint_has_the_lengths_of_its_struct() {
    let at = domain(4);
    let mut d = zeros(&at);
    d.nodes.v.pop();
    mesh::energy::grad(&at, &mut d);
}

#[test]
fn vectors_of_integers_in_an_adjoint_are_not_looked_at() {
    let at = domain(4);
    let mut d = Domain { end: Vec::new(), ..zeros(&at) };
    mesh::energy::grad(&at, &mut d);
    let (_, gradient) = mesh::energy::gradient(&at);
    assert_near(&floats(&d), &floats(&gradient.domain));
}

#[test]
fn an_empty_struct_has_an_empty_gradient() {
    let at = Domain { dt: 2.0, ..Domain::default() };
    let (value, gradient) = mesh::energy::gradient(&at);
    assert_eq!((value, gradient.domain.dt), (2.0, 1.0));
}

#[test]
fn structs_that_own_vectors_are_moved_and_returned() {
    let nodes = domain(3).nodes;
    mesh::stretched::check(&nodes, 1.5).unwrap_or_else(|mismatch| panic!("{mismatch}"));
    mesh::longer::check(&[0.5, 2.0], 2).unwrap_or_else(|mismatch| panic!("{mismatch}"));
    assert_eq!(mesh::stretched::value(&nodes, 1.5), mesh::stretched(nodes.clone(), 1.5));
    assert_eq!(mesh::longer::value(&[0.5], 0), None);

    let (mut d_nodes, mut d_by) = (Nodes { x: vec![0.0; 4], v: vec![[0.0; 2]; 4] }, 0.0);
    mesh::stretched::vjp(&nodes, &mut d_nodes, 1.5, &mut d_by, &nodes);
    assert_near(&d_nodes.v.concat(), &nodes.v.concat());
    assert_near(&[d_nodes.x[0], d_nodes.x[1]], &[nodes.x[0] * 2.25, nodes.x[1] * 1.5]);
}

#[test]
#[should_panic(
    expected = "the length of the adjoint `seed.x` is 3 but the length of `what is returned.x` is 4"
)]
fn a_seed_is_as_long_as_what_is_returned() {
    let nodes = domain(3).nodes;
    let (mut d_nodes, mut d_by) = (nodes.clone(), 0.0);
    let seed = Nodes { x: vec![0.0; 3], v: vec![[0.0; 2]; 4] };
    mesh::stretched::vjp(&nodes, &mut d_nodes, 1.5, &mut d_by, &seed);
}
