//! `f::forward` and `f::backward`: together they are `f::vjp`, for several seeds on one tape.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, ArrayViewMut2};
use pardiff::differentiate;
use pardiff_programs::random;

#[track_caller]
fn near(own: &[f64], expected: &[f64]) {
    assert_eq!(own.len(), expected.len());
    for (a, b) in own.iter().zip(expected) {
        assert!((a - b).abs() <= 1e-12 * (1.0 + b.abs()), "{own:?} instead of {expected:?}");
    }
}

/// Fused sweeps without `split`; scalars on the tape.
#[differentiate(split, batch(4))]
pub fn mixture(x: &[f64], weights: &[f64], scale: f64) -> f64 {
    let mut total = 0.0;
    for i in 0..x.len() {
        let mut largest = f64::NEG_INFINITY;
        for k in 0..weights.len() {
            largest = largest.max(weights[k] * x[i]);
        }
        let mut sum = 0.0;
        for k in 0..weights.len() {
            sum += (weights[k] * x[i] - largest).exp();
        }
        total += largest + sum.ln() * scale / (1.0 + x[i] * x[i]).sqrt();
    }
    total * total
}

#[test]
fn forward_and_backward_are_the_gradient() {
    let mut tape = mixture::Tape::default();
    for len in [37, 0, 1000, 5] {
        let (x, weights, scale) = (random(1, len), random(2, 5), 0.7);
        let value = mixture::forward(&x, &weights, scale, &mut tape);
        near(&[value], &[mixture(&x, &weights, scale)]);
        let mut of_batch = (vec![[0.0; 4]; len], vec![[0.0; 4]; 5], [0.0; 4]);
        let seeds = [1.0, -2.0, 0.0, 0.5];
        mixture::backward_batch(
            &x,
            &mut of_batch.0,
            &weights,
            &mut of_batch.1,
            scale,
            &mut of_batch.2,
            &tape,
            seeds,
        );
        for (at, seed) in seeds.into_iter().enumerate() {
            let (mut d_x, mut d_w, mut d_s) = (vec![1.0; len], vec![0.0; 5], 0.0);
            let mut own = (d_x.clone(), d_w.clone(), d_s);
            mixture::vjp(&x, &mut d_x, &weights, &mut d_w, scale, &mut d_s, seed);
            mixture::backward(&x, &mut own.0, &weights, &mut own.1, scale, &mut own.2, &tape, seed);
            near(&own.0, &d_x);
            near(&own.1, &d_w);
            near(&[own.2], &[d_s]);
            let mut again = (vec![7.0; len], vec![f64::NAN; 5], 3.0);
            mixture::backward_into(
                &x,
                &mut again.0,
                &weights,
                &mut again.1,
                scale,
                &mut again.2,
                &tape,
                seed,
            );
            near(&again.1, &own.1);
            near(&of_batch.1.iter().map(|it| it[at]).collect::<Vec<_>>(), &own.1);
            near(&again.0, &of_batch.0.iter().map(|it| it[at]).collect::<Vec<_>>());
        }
    }
}

/// A time loop whose states are stored; outputs are written, and one of them has no adjoint.
#[differentiate(split)]
pub fn oscillators(x: &mut [[f64; 2]], stiffness: &[f64], count: &mut [usize], steps: usize) -> (f64, usize) {
    let mut work = 0.0;
    for _ in 0..steps {
        for i in 0..x.len() {
            let force = -stiffness[i] * x[i][0].sin();
            x[i][1] += 0.1 * force;
            x[i][0] += 0.1 * x[i][1];
            work += force * x[i][1];
            if x[i][0] > 0.0 {
                count[i] += 1;
            }
        }
    }
    (work, count.len())
}

#[test]
fn outputs_are_left_to_the_caller() {
    let pairs = |flat: &[f64]| -> Vec<[f64; 2]> { flat.chunks(2).map(|it| [it[0], it[1]]).collect() };
    let (start, stiffness) = (pairs(&random(1, 14)), random(2, 7));
    let mut tape = oscillators::Tape::default();
    let (mut x, mut count) = (start.clone(), vec![0; 7]);
    let value = oscillators::forward(&mut x, &stiffness, &mut count, 9, &mut tape);
    let (mut y, mut count_y) = (start.clone(), vec![0; 7]);
    assert_eq!(value, oscillators(&mut y, &stiffness, &mut count_y, 9));
    assert_eq!((&x, &count), (&y, &count_y));
    // what becomes of the outputs meanwhile is no matter
    x.fill([f64::NAN; 2]);
    for seed in 0..3 {
        let after = pairs(&random(10 + seed, 14));
        let (mut d_x, mut d_k) = (after.clone(), vec![0.5; 7]);
        oscillators::backward(&mut d_x, &stiffness, &mut d_k, 9, &tape, seed as f64);
        let (mut y, mut e_x, mut e_k) = (start.clone(), after, vec![0.5; 7]);
        oscillators::vjp(&mut y, &mut e_x, &stiffness, &mut e_k, &mut vec![0; 7], 9, seed as f64);
        near(d_x.as_flattened(), e_x.as_flattened());
        near(&d_k, &e_k);
    }
}

/// Iterations until it has converged: the tape grows.
#[differentiate(split, strict)]
pub fn newton(a: &[f64], tolerance: f64) -> f64 {
    let mut total = 0.0;
    for i in 0..a.len() {
        let mut x = 1.0;
        while (x * x - a[i]).abs() > tolerance {
            x = 0.5 * (x + a[i] / x);
        }
        total += x.sin();
    }
    let mut x = 1.0;
    while (x - total.cos() * x * 0.1 - 2.0_f64).abs() > tolerance {
        x = 2.0 + total.cos() * x * 0.1;
    }
    total + x
}

#[test]
fn tapes_of_unknown_length_are_kept() {
    let mut tape = newton::Tape::default();
    for len in [3, 40] {
        let a: Vec<f64> = random(3, len).iter().map(|x| 2.0 + x).collect();
        newton::forward(&a, 1e-12, &mut tape);
        let (mut d_a, mut d_t, mut e_a, mut e_t) = (vec![0.0; len], 0.0, vec![0.0; len], 0.0);
        newton::backward(&a, &mut d_a, 1e-12, &mut d_t, &tape, 1.0);
        newton::vjp(&a, &mut e_a, 1e-12, &mut e_t, 1.0);
        near(&d_a, &e_a);
    }
}

#[differentiate(split)]
pub fn smoothed(a: ArrayView2<f64>, w: ArrayView1<f64>, mut out: ArrayViewMut2<f64>) {
    for i in 0..a.nrows() {
        for j in 1..a.ncols() {
            out[[i, j]] = (out[[i, j - 1]] * w[j] + a[[i, j]]).tanh();
        }
    }
}

#[test]
fn arrays_of_ndarray_may_be_views_in_any_layout() {
    let whole = Array2::from_shape_vec((8, 6), random(1, 48)).unwrap();
    let a = whole.t();
    let w = Array1::from_vec(random(2, 8));
    let start = Array2::from_shape_vec((6, 8), random(3, 48)).unwrap();
    let seed = Array2::from_shape_vec((6, 8), random(4, 48)).unwrap();
    let mut tape = smoothed::Tape::default();
    let mut out = start.clone();
    smoothed::forward(a, w.view(), out.view_mut(), &mut tape);
    let (mut d_a, mut d_w, mut d_out) = (Array2::zeros((6, 8)), Array1::zeros(8), seed.clone());
    smoothed::backward(a, d_a.view_mut(), w.view(), d_w.view_mut(), d_out.view_mut(), &tape);
    let (mut e_a, mut e_w, mut e_out, mut out) =
        (Array2::zeros((6, 8)), Array1::zeros(8), seed.clone(), start.clone());
    smoothed::vjp(a, e_a.view_mut(), w.view(), e_w.view_mut(), out.view_mut(), e_out.view_mut());
    near(d_a.as_slice().unwrap(), e_a.as_slice().unwrap());
    near(d_w.as_slice().unwrap(), e_w.as_slice().unwrap());
    near(d_out.as_slice().unwrap(), e_out.as_slice().unwrap());
}

#[differentiate(split)]
mod springs {
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct Node {
        pub place: [f64; 2],
        pub mass: f64,
    }

    pub fn energy<const N: usize>(nodes: &[Node; N], stiffness: &f64, periodic: bool) -> (f64, [f64; 2]) {
        let (mut sum, mut momentum) = (0.0, [0.0; 2]);
        for k in 0..N {
            if k == 0 && !periodic {
                continue;
            }
            let before = if k == 0 { N - 1 } else { k - 1 };
            let mut square = 0.0;
            for c in 0..2 {
                let d = nodes[k].place[c] - nodes[before].place[c];
                square += d * d;
                momentum[c] += nodes[k].mass * d;
            }
            sum += stiffness * square.sqrt() * nodes[k].mass;
        }
        (sum, momentum)
    }
}

#[test]
fn structs_and_const_parameters() {
    use springs::{Node, energy};
    let flat = random(1, 18);
    let nodes: [Node; 6] =
        std::array::from_fn(|k| Node { place: [flat[3 * k], flat[3 * k + 1]], mass: flat[3 * k + 2] });
    let mut tape = energy::Tape::default();
    for periodic in [false, true] {
        let value = energy::forward(&nodes, &1.5, periodic, &mut tape);
        assert_eq!(value, energy(&nodes, &1.5, periodic));
        for seed in [(1.0, [0.0, 0.0]), (0.0, [2.0, -1.0])] {
            let zero = [Node { place: [0.0; 2], mass: 0.0 }; 6];
            let (mut d_nodes, mut d_k, mut e_nodes, mut e_k) = (zero, 0.0, zero, 0.0);
            energy::backward(&nodes, &mut d_nodes, &1.5, &mut d_k, periodic, &tape, seed);
            energy::vjp(&nodes, &mut e_nodes, &1.5, &mut e_k, periodic, seed);
            let all = |nodes: &[Node; 6]| -> Vec<f64> {
                nodes.iter().flat_map(|n| [n.place[0], n.place[1], n.mass]).collect()
            };
            near(&all(&d_nodes), &all(&e_nodes));
            near(&[d_k], &[e_k]);
        }
    }
}

#[test]
fn a_tape_serves_other_threads() {
    let (x, weights) = (random(1, 500), random(2, 5));
    let mut tape = mixture::Tape::default();
    mixture::forward(&x, &weights, 0.7, &mut tape);
    let of = |seed: f64| {
        let (mut d_x, mut d_w, mut d_s) = (vec![0.0; 500], vec![0.0; 5], 0.0);
        mixture::backward(&x, &mut d_x, &weights, &mut d_w, 0.7, &mut d_s, &tape, seed);
        d_x
    };
    let [one, two] = std::thread::scope(|scope| {
        [1.0, 2.0].map(|seed| scope.spawn(move || of(seed))).map(|thread| thread.join().unwrap())
    });
    near(&one.iter().map(|x| 2.0 * x).collect::<Vec<_>>(), &two);
}

#[test]
#[should_panic = "oscillators::backward: the tape is of a call where `steps` is 9, not 8"]
fn a_tape_of_another_number_of_steps_is_refused() {
    let mut tape = oscillators::Tape::default();
    oscillators::forward(&mut [[0.5; 2]; 3], &[1.0; 3], &mut [0; 3], 9, &mut tape);
    oscillators::backward(&mut [[0.0; 2]; 3], &[1.0; 3], &mut [0.0; 3], 8, &tape, 1.0);
}

#[test]
#[should_panic = "oscillators::backward: the tape is of a call where the length of `x` is 3, not 4"]
fn a_tape_of_other_lengths_is_refused() {
    let mut tape = oscillators::Tape::default();
    oscillators::forward(&mut [[0.5; 2]; 3], &[1.0; 3], &mut [0; 3], 9, &mut tape);
    oscillators::backward(&mut [[0.0; 2]; 4], &[1.0; 3], &mut [0.0; 3], 9, &tape, 1.0);
}

#[test]
fn a_panic_leaves_an_empty_tape() {
    let mut tape = oscillators::Tape::default();
    let call = |tape: &mut oscillators::Tape, nodes: usize| {
        oscillators::forward(&mut vec![[0.5; 2]; nodes], &[1.0; 3], &mut [0; 3], 9, tape)
    };
    call(&mut tape, 3);
    let failed = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| call(&mut tape, 4)));
    assert!(failed.is_err());
    let read = std::panic::catch_unwind(|| {
        oscillators::backward(&mut [[0.0; 2]; 4], &[1.0; 3], &mut [0.0; 3], 9, &tape, 1.0);
    });
    let text = read.unwrap_err();
    assert!(text.downcast_ref::<String>().unwrap().contains("the tape is empty"), "{text:?}");
}

/// A tape of variables that tasks assign.
#[differentiate(split)]
pub fn two_tasks(x: &[f64], y: &mut [f64]) -> f64 {
    let (p, q) =
        rayon::join(|| x.iter().map(|v| v * v).sum::<f64>(), || x.iter().map(|v| v.cos()).sum::<f64>());
    for v in y.iter_mut() {
        *v *= p / q;
    }
    p * q
}

#[test]
fn what_tasks_assign_is_kept() {
    let (x, start, seeds) = (random(1, 9), random(2, 4), random(3, 4));
    let (mut y, mut d_x, mut d_y) = (start.clone(), vec![0.0; 9], seeds.clone());
    let value = two_tasks::vjp(&x, &mut d_x, &mut y, &mut d_y, 0.7);
    let (mut own_y, mut own_d_x, mut own_d_y) = (start, vec![0.0; 9], seeds);
    let mut tape = two_tasks::Tape::default();
    let own = two_tasks::forward(&x, &mut own_y, &mut tape);
    two_tasks::backward(&x, &mut own_d_x, &mut own_d_y, &tape, 0.7);
    near(&[&[own][..], &own_y, &own_d_x, &own_d_y].concat(), &[&[value][..], &y, &d_x, &d_y].concat());
}
