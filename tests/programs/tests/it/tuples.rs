//! Tuples: as parameters, in slices, in local arrays, in structs, as what is returned.

use pardiff::differentiate;
use pardiff_programs::{assert_near, check, positive, random};

/// Points and what was measured there, as users hold data.
#[differentiate(wrt(params, data))]
fn line_fit(params: &[f64; 2], data: &[(f64, f64)]) -> f64 {
    data.iter().map(|&(x, y)| (params[0] * x + params[1] - y).powi(2)).sum()
}

#[differentiate]
fn by_members(data: &[(f64, f64)], scale: f64) -> f64 {
    let mut total = 0.0;
    for point in data {
        total += (point.0 * scale).sin() * point.1;
    }
    for i in 1..data.len() {
        let (a, b) = data[i];
        total += a * data[i - 1].1 - b;
    }
    total
}

#[differentiate]
fn by_patterns(data: &[(f64, f64)]) -> f64 {
    let mut total = 0.0;
    for (i, (x, y)) in data.iter().enumerate() {
        total += x * y.exp() * i as f64;
    }
    for &(x, y) in data.iter().rev().skip(1) {
        total += (x - y).abs();
    }
    total + data.windows(2).map(|w| w[0].0 * w[1].1).sum::<f64>()
}

/// Members that are no floats.
#[differentiate(wrt(x, edges))]
fn springs(x: &[[f64; 2]], edges: &[(usize, usize, f64)]) -> f64 {
    let mut energy = 0.0;
    for &(i, j, rest) in edges {
        let d = [x[i][0] - x[j][0], x[i][1] - x[j][1]];
        let length = (d[0] * d[0] + d[1] * d[1]).sqrt();
        energy += 0.5 * (length - rest).powi(2);
    }
    energy
}

#[differentiate]
fn advance(state: &mut [(f64, f64)], force: &[f64], dt: f64) {
    for i in 0..state.len() {
        let (x, v) = state[i];
        let v = v + dt * (force[i] - x.sin());
        state[i] = (x + dt * v, v);
    }
}

#[differentiate]
fn by_value(p: (f64, [f64; 2]), q: &(f64, (f64, u32)), r: &mut (f64, f64)) -> f64 {
    let (a, [b, c]) = p;
    r.0 += a * q.0;
    r.1 = r.0 * q.1.0;
    (b * r.1 + c).sin() * q.1.1 as f64
}

#[differentiate]
fn arrays_of_them(pairs: [(f64, f64); 2], grid: &[[(f64, f64); 2]; 3]) -> [(f64, f64); 2] {
    let mut out = [(0.0, 1.0); 2];
    for row in grid {
        for k in 0..2 {
            out[k].0 += row[k].0 * pairs[k].1;
            out[k].1 *= row[1 - k].1 + pairs[k].0;
        }
    }
    out
}

#[differentiate]
fn nested_result(x: f64, y: f64) -> ((f64, f64), usize, f64) {
    ((x * y, x.sin()), 7, y.exp())
}

/// Local arrays: literals, repeated, collected.
#[differentiate]
fn tables(x: &[f64], k: f64) -> f64 {
    let ends = [(0, 1), (1, 2), (2, 0)];
    let mut total = 0.0;
    for (a, b) in ends {
        total += (x[a] - x[b]).powi(2);
    }
    let mut states = vec![(0.0, k); x.len()];
    for (state, x) in states.iter_mut().zip(x) {
        state.0 = x * k;
        state.1 += state.0;
    }
    let pairs: Vec<(f64, f64)> = states.iter().map(|&(a, b)| (b.sin(), a * b)).collect();
    for i in 1..pairs.len() {
        total += pairs[i].0 * pairs[i - 1].1;
    }
    let copied = pairs.clone();
    let mut sorted = [(0.0, 0.0); 2];
    sorted.fill((k, k * k));
    sorted[1] = copied[0];
    sorted.swap(0, 1);
    total + sorted[0].0 * sorted[1].1
}

/// Vectors that grow, are exchanged, emptied and assigned.
#[differentiate]
fn grown(x: &[f64], k: f64) -> f64 {
    let mut found = Vec::new();
    for i in 0..x.len() {
        if x[i] > 0.0 {
            found.push((i, x[i] * k, [x[i], k]));
        }
    }
    let mut total = 0.0;
    for &(i, a, b) in &found {
        total += i as f64 * a.sin() * b[0];
    }
    let (mut old, mut new) = (vec![(0.0, k); 2], Vec::new());
    for step in 0..3 {
        new.clear();
        for &(a, b) in &old {
            new.push((a + b, a * b));
            if step < 2 {
                new.push((b, x[step] * a));
            }
        }
        std::mem::swap(&mut old, &mut new);
    }
    assert_eq!(old.len(), 8);
    for (n, (a, b)) in old.iter().enumerate() {
        total += (n as f64 + a) * b;
    }
    let kept: Vec<(f64, usize)> =
        x.iter().enumerate().filter(|(_, x)| **x < 0.0).map(|(i, x)| (*x, i)).collect();
    let mut last = kept.clone();
    last.push((k, 1));
    last = kept;
    total + last.iter().map(|&(x, i)| x * x * i as f64).sum::<f64>() + found.len() as f64
}

#[differentiate]
fn chosen(points: &[(f64, f64)]) -> f64 {
    let (x, y) = points.iter().copied().fold((0.0, 1.0), |(a, b), (x, y)| (a + x * y, b * y));
    let far = points.iter().map(|p| p.0 * p.0 + p.1 * p.1).fold(0.0, f64::max);
    let last = points.last().unwrap();
    x + y * far + last.0 * points.first().unwrap().1
}

#[differentiate]
mod members {
    pub type Point = (f64, f64);

    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct Atom {
        pub at: Point,
        pub kind: (u32, bool),
    }

    fn distance(a: Point, b: &Point) -> f64 {
        ((a.0 - b.0).powi(2) + (a.1 - b.1).powi(2) + 0.1).sqrt()
    }

    pub fn energy(atoms: &[(Atom, f64)], centre: Point) -> f64 {
        let mut total = 0.0;
        for (atom, weight) in atoms {
            if atom.kind.1 {
                total += weight * distance(atom.at, &centre);
            }
        }
        total
    }
}

fn pairs(x: &[f64]) -> Vec<(f64, f64)> {
    x.chunks_exact(2).map(|x| (x[0], x[1])).collect()
}

fn flat(pairs: &[(f64, f64)]) -> Vec<f64> {
    pairs.iter().flat_map(|&(a, b)| [a, b]).collect()
}

#[test]
fn slices_of_tuples() {
    let (x, p) = (random(1, 2 * 101), [0.7, -0.2]);
    let (value, gradient) = line_fit::gradient(&p, &pairs(&x));
    assert_near(&[value], &[line_fit(&p, &pairs(&x))]);
    check(
        |v| line_fit(&[v[0][0], v[0][1]], &pairs(&v[1])),
        &[&p, &x],
        &[&gradient.params, &flat(&gradient.data)],
    );
    assert!(line_fit::DECISIONS.contains("parallel"), "{}", line_fit::DECISIONS);
    assert_eq!(gradient.clone(), gradient);

    let (_, gradient) = by_members::gradient(&pairs(&x), 1.3);
    check(|v| by_members(&pairs(&v[0]), v[1][0]), &[&x, &[1.3]], &[&flat(&gradient.data), &[gradient.scale]]);
    let (_, gradient) = by_patterns::gradient(&pairs(&x));
    check(|v| by_patterns(&pairs(&v[0])), &[&x], &[&flat(&gradient.data)]);
    let x = positive(2, 10);
    let (_, gradient) = chosen::gradient(&pairs(&x));
    check(|v| chosen(&pairs(&v[0])), &[&x], &[&flat(&gradient.points)]);
}

#[test]
fn members_that_are_integers_stay() {
    let (x, rest) = (random(3, 20), positive(4, 15));
    let points = |x: &[f64]| -> Vec<[f64; 2]> { x.chunks_exact(2).map(|x| [x[0], x[1]]).collect() };
    let edges = |rest: &[f64]| -> Vec<(usize, usize, f64)> {
        rest.iter().enumerate().map(|(k, rest)| (k % 10, (3 * k + 1) % 10, *rest)).collect()
    };
    let (_, gradient) = springs::gradient(&points(&x), &edges(&rest));
    let d_rest: Vec<f64> = gradient.edges.iter().map(|edge| edge.2).collect();
    check(|v| springs(&points(&v[0]), &edges(&v[1])), &[&x, &rest], &[gradient.x.as_flattened(), &d_rest]);
    assert_eq!((gradient.edges[4].0, gradient.edges[4].1), (4, 3));
}

#[test]
fn tuples_that_are_written() {
    let (x, f, seed) = (random(5, 16), random(6, 8), random(7, 16));
    let value = |v: &[Vec<f64>]| {
        let mut state = pairs(&v[0]);
        advance(&mut state, &v[1], v[2][0]);
        pardiff_programs::dot(&flat(&state), &seed)
    };
    let (mut state, mut d_state) = (pairs(&x), pairs(&seed));
    let (mut d_force, mut d_dt) = (vec![0.0; 8], 0.0);
    advance::vjp(&mut state, &mut d_state, &f, &mut d_force, 0.1, &mut d_dt);
    check(value, &[&x, &f, &[0.1]], &[&flat(&d_state), &d_force, &[d_dt]]);

    let p = |v: &[f64]| (v[0], [v[1], v[2]]);
    let value = |v: &[Vec<f64>]| {
        let mut r = (v[2][0], v[2][1]);
        by_value(p(&v[0]), &(v[1][0], (v[1][1], 3)), &mut r) + 0.5 * r.0 - 2.0 * r.1
    };
    let inputs = [vec![0.3, -0.7, 1.1], vec![0.9, 1.4], vec![0.2, 0.6]];
    let (mut d_p, mut d_q, mut r, mut d_r) = ((0.0, [0.0; 2]), (0.0, (0.0, 9)), (0.2, 0.6), (0.5, -2.0));
    by_value::grad_into(p(&inputs[0]), &mut d_p, &(0.9, (1.4, 3)), &mut d_q, &mut r, &mut d_r);
    check(
        value,
        &[&inputs[0], &inputs[1], &inputs[2]],
        &[&[d_p.0, d_p.1[0], d_p.1[1]], &[d_q.0, d_q.1.0], &[d_r.0, d_r.1]],
    );
    assert_eq!(d_q.1.1, 9);
}

#[test]
fn tuples_that_are_returned() {
    let grid = |v: &[f64]| -> [[(f64, f64); 2]; 3] {
        std::array::from_fn(|i| std::array::from_fn(|k| (v[4 * i + 2 * k], v[4 * i + 2 * k + 1])))
    };
    let two = |v: &[f64]| [(v[0], v[1]), (v[2], v[3])];
    let (p, g, seed) = (random(8, 4), random(9, 12), [(1.0, -0.5), (0.25, 2.0)]);
    let value = |v: &[Vec<f64>]| {
        let out = arrays_of_them(two(&v[0]), &grid(&v[1]));
        pardiff_programs::dot(&flat(&out), &flat(&seed))
    };
    let (mut d_p, mut d_g) = (two(&[0.0; 4]), grid(&[0.0; 12]));
    let out = arrays_of_them::vjp(two(&p), &mut d_p, &grid(&g), &mut d_g, seed);
    assert_near(&flat(&out), &flat(&arrays_of_them(two(&p), &grid(&g))));
    check(value, &[&p, &g], &[&flat(&d_p), &flat(d_g.as_flattened())]);

    let (mut d_x, mut d_y) = (0.0, 0.0);
    let result = nested_result::vjp(0.4, &mut d_x, 1.2, &mut d_y, ((2.0, 3.0), 0.5));
    assert_eq!(result.1, 7);
    let value = |v: &[Vec<f64>]| {
        let ((a, b), _, c) = nested_result(v[0][0], v[1][0]);
        2.0 * a + 3.0 * b + 0.5 * c
    };
    check(value, &[&[0.4], &[1.2]], &[&[d_x], &[d_y]]);
}

#[test]
fn local_arrays_of_tuples() {
    let x = random(10, 9);
    let (value, gradient) = tables::gradient(&x, 0.8);
    assert_near(&[value], &[tables(&x, 0.8)]);
    check(|v| tables(&v[0], v[1][0]), &[&x, &[0.8]], &[&gradient.x, &[gradient.k]]);
    let (value, gradient) = grown::gradient(&x, 0.8);
    assert_near(&[value], &[grown(&x, 0.8)]);
    check(|v| grown(&v[0], v[1][0]), &[&x, &[0.8]], &[&gradient.x, &[gradient.k]]);
}

#[test]
fn tuples_and_structs_in_each_other() {
    use members::Atom;
    let x = random(11, 3 * 8);
    let atoms = |x: &[f64]| -> Vec<(Atom, f64)> {
        let of = |(i, x): (usize, &[f64])| (Atom { at: (x[0], x[1]), kind: (4, i % 3 != 0) }, x[2]);
        x.chunks_exact(3).enumerate().map(of).collect()
    };
    let (_, gradient) = members::energy::gradient(&atoms(&x), (0.1, 0.2));
    let d: Vec<f64> = gradient.atoms.iter().flat_map(|(atom, w)| [atom.at.0, atom.at.1, *w]).collect();
    check(
        |v| members::energy(&atoms(&v[0]), (v[1][0], v[1][1])),
        &[&x, &[0.1, 0.2]],
        &[&d, &[gradient.centre.0, gradient.centre.1]],
    );
    assert_eq!(gradient.atoms[1].0.kind, (4, true));
    assert_eq!(gradient.clone(), gradient);
}

/// The members of a tuple behind a `&mut` are references to it, in every pattern.
#[differentiate]
pub fn members_behind_mut(r: &[f64], lambda: f64) -> f64 {
    fn step((a, b): &mut (f64, f64), v: f64) {
        *a += *b * v;
        *b *= 1.0 + 0.1 * *a;
    }
    let again = |(a, b): &mut (f64, f64), v: f64| {
        (*a, *b) = (*b + v, *a * 0.5);
    };
    let mut t = (lambda, 2.0);
    for &v in r {
        step(&mut t, v);
        again(&mut t, v);
        let (a, b) = &mut t;
        *a -= *b * v;
    }
    let mut many = vec![(lambda, 2.0); r.len()];
    for ((a, b), v) in many.iter_mut().zip(r) {
        *a += *b * v;
        *b *= *a;
    }
    for (a, b) in &mut many {
        (*a, *b) = (*b, *a * *b);
    }
    t.0 + t.1 + many.iter().map(|(a, b)| a * b).sum::<f64>()
}

#[test]
fn members_of_a_tuple_that_is_changed() {
    let r = random(1, 6);
    let (value, g) = members_behind_mut::gradient(&r, 0.9);
    let expected = members_behind_mut(&r, 0.9);
    assert!((value - expected).abs() < 1e-13 * (1.0 + expected.abs()), "{value} {expected}");
    check(|v| members_behind_mut(&v[0], v[1][0]), &[&r, &[0.9]], &[&g.r, &[g.lambda]]);
}
