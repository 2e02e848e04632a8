//! Programs of several ranks: each gradient against differences, or against the same program on one rank.

#![allow(clippy::manual_flatten, reason = "borders as users of the crate `mpi` write them")]

use pardiff::differentiate;
use pardiff::ranks::point_to_point as p2p;
use pardiff::ranks::traits::*;
use pardiff::ranks::{self, Count, Rank, SystemOperation, Tag};

/// The squared distance of a rod's temperatures from others, after some steps of a nonlinear heat equation. The rod
/// is cut into pieces; each has a cell more at each end, for that of its neighbour.
#[differentiate(wrt(start), result = "replicated")]
fn heat(world: &impl Communicator, start: &[f64], wanted: &[f64], k: f64, steps: usize) -> f64 {
    fn exchange(world: &impl Communicator, u: &mut [f64]) {
        let (rank, n) = (world.rank(), u.len());
        if rank > 0 {
            let left = world.process_at_rank(rank - 1);
            let mut got = [0.0];
            p2p::send_receive_into(&u[1..2], &left, &mut got[..], &left);
            u[0] = got[0];
        }
        if rank + 1 < world.size() {
            let right = world.process_at_rank(rank + 1);
            let last = u[n - 2];
            p2p::send_receive_into(&last, &right, &mut u[n - 1], &right);
        }
    }
    let n = start.len();
    let mut u = vec![0.0; n + 2];
    u[1..=n].copy_from_slice(start);
    let mut next = vec![0.0; n + 2];
    for _ in 0..steps {
        exchange(world, &mut u);
        for i in 1..=n {
            next[i] = u[i] + k * (u[i - 1] - 2.0 * u[i] + u[i + 1]) * (1.0 + 0.1 * u[i] * u[i]);
        }
        next[0] = 0.0;
        next[n + 1] = 0.0;
        std::mem::swap(&mut u, &mut next);
    }
    let mut mine = 0.0;
    for i in 0..n {
        mine += (u[i + 1] - wanted[i]) * (u[i + 1] - wanted[i]);
    }
    let mut total = 0.0;
    world.all_reduce_into(&mine, &mut total, SystemOperation::sum());
    total
}

#[test]
fn a_rod_in_pieces_has_the_gradient_of_the_whole_rod() {
    let n = 12;
    let start: Vec<f64> = (0..n).map(|i| (0.7 * i as f64).sin()).collect();
    let wanted: Vec<f64> = (0..n).map(|i| 0.1 * i as f64).collect();
    let whole = ranks::run(1, |world| heat::gradient(world, &start, &wanted, 0.2, 5)).remove(0);
    for size in [2, 3, 4] {
        let part = n / size;
        let all = ranks::run(size, |world| {
            let own = world.rank() as usize * part..(world.rank() as usize + 1) * part;
            heat::gradient(world, &start[own.clone()], &wanted[own], 0.2, 5)
        });
        for (rank, (value, gradient)) in all.iter().enumerate() {
            assert!((value - whole.0).abs() < 1e-14 * whole.0);
            for (a, b) in gradient.start.iter().zip(&whole.1.start[rank * part..]) {
                assert!((a - b).abs() < 1e-14, "{size} ranks, rank {rank}: {a} {b}");
            }
        }
        // the same bits again
        let again = ranks::run(size, |world| {
            let own = world.rank() as usize * part..(world.rank() as usize + 1) * part;
            heat::gradient(world, &start[own.clone()], &wanted[own], 0.2, 5)
        });
        assert!(again.iter().zip(&all).all(|(a, b)| a.0 == b.0 && a.1.start == b.1.start));
    }
}

/// Conjugate gradients until the residual is small, over pieces of a diagonal and a coupling of all: the number of
/// rounds is the same on all ranks, since they compare the same sum.
#[differentiate(wrt(diagonal, b), result = "partial")]
fn solved(world: &impl Communicator, diagonal: &[f64], b: &[f64]) -> f64 {
    fn over_all(world: &impl Communicator, a: &[f64], b: &[f64]) -> f64 {
        let mut mine = 0.0;
        for i in 0..a.len() {
            mine += a[i] * b[i];
        }
        let mut all = 0.0;
        world.all_reduce_into(&mine, &mut all, SystemOperation::sum());
        all
    }
    fn total(world: &impl Communicator, a: &[f64]) -> f64 {
        let mine: f64 = a.iter().sum();
        let mut all = 0.0;
        world.all_reduce_into(&mine, &mut all, SystemOperation::sum());
        all
    }
    let n = b.len();
    let mut x = vec![0.0; n];
    let mut r = b.to_vec();
    let mut p = b.to_vec();
    let mut q = vec![0.0; n];
    let mut rr = over_all(world, &r, &r);
    while rr > 1e-24 {
        let sum = total(world, &p);
        for i in 0..n {
            q[i] = diagonal[i] * p[i] + 0.1 * sum;
        }
        let alpha = rr / over_all(world, &p, &q);
        for i in 0..n {
            x[i] += alpha * p[i];
            r[i] -= alpha * q[i];
        }
        let next = over_all(world, &r, &r);
        let beta = next / rr;
        rr = next;
        for i in 0..n {
            p[i] = r[i] + beta * p[i];
        }
    }
    let mut mine = 0.0;
    for i in 0..n {
        mine += x[i] * x[i];
    }
    mine
}

#[test]
fn conjugate_gradients_run_until_they_have_converged() {
    let (n, size) = (6, 3);
    let diagonal: Vec<f64> = (0..n).map(|i| 1.0 + 0.3 * (i as f64).cos()).collect();
    let b: Vec<f64> = (0..n).map(|i| 0.5 + 0.2 * i as f64).collect();
    let value = |diagonal: &[f64], b: &[f64]| -> f64 {
        let part = n / size;
        let own = |rank: i32| rank as usize * part..(rank as usize + 1) * part;
        ranks::run(size, |world| solved(world, &diagonal[own(world.rank())], &b[own(world.rank())]))
            .iter()
            .sum()
    };
    let part = n / size;
    let all = ranks::run(size, |world| {
        let own = world.rank() as usize * part..(world.rank() as usize + 1) * part;
        solved::gradient(world, &diagonal[own.clone()], &b[own])
    });
    for i in 0..n {
        let h = 1e-6;
        let moved = |list: &[f64], by: f64| {
            let mut list = list.to_vec();
            list[i] += by;
            list
        };
        let slope = (value(&moved(&diagonal, h), &b) - value(&moved(&diagonal, -h), &b)) / (2.0 * h);
        let own = all[i / part].1.diagonal[i % part];
        assert!((slope - own).abs() < 1e-7, "diagonal[{i}]: {slope} {own}");
        let slope = (value(&diagonal, &moved(&b, h)) - value(&diagonal, &moved(&b, -h))) / (2.0 * h);
        let own = all[i / part].1.b[i % part];
        assert!((slope - own).abs() < 1e-7, "b[{i}]: {slope} {own}");
    }
}

/// The time step that all ranks take is the smallest that one of them can take.
#[differentiate]
fn courant(world: &impl Communicator, speed: &[f64], dt: &mut f64, most: &mut f64) {
    let mut mine = f64::INFINITY;
    for c in speed {
        mine = mine.min(0.5 / c);
    }
    world.all_reduce_into(&mine, dt, SystemOperation::min());
    let root = world.process_at_rank(0);
    let fastest = speed[0];
    if world.rank() == 0 {
        root.reduce_into_root(&fastest, most, SystemOperation::max());
    } else {
        root.reduce_into(&fastest, SystemOperation::max());
    }
}

#[test]
fn the_first_rank_with_the_smallest_number_gets_its_adjoint() {
    let speeds = [[1.0, 2.0], [4.0, 3.0], [3.0, 4.0]];
    let all = ranks::run(3, |world| {
        let (mut dt, mut d_dt, mut most, mut d_most) = (0.0, 1.0, 0.0, 10.0);
        let mut d_speed = [0.0; 2];
        courant::vjp(
            world,
            &speeds[world.rank() as usize],
            &mut d_speed,
            &mut dt,
            &mut d_dt,
            &mut most,
            &mut d_most,
        );
        (dt, most, d_speed)
    });
    let dt = 0.5 / 4.0;
    assert!(all.iter().all(|it| it.0 == dt));
    assert_eq!(all[0].1, 4.0);
    assert_eq!(all[0].2, [0.0; 2]);
    // three seeds of one, for the first of the two that tie; the seed of the root alone
    assert_eq!(all[1].2, [3.0 * -0.5 / 16.0 + 10.0, 0.0]);
    assert_eq!(all[2].2, [0.0; 2]);
}

/// A sum along a binary tree, by messages.
#[differentiate(result = "partial")]
fn tree(world: &impl Communicator, x: f64) -> f64 {
    let (rank, size) = (world.rank(), world.size());
    let mut sum = x * x;
    let mut step = 1;
    while step < size {
        if rank % (2 * step) == 0 {
            if rank + step < size {
                let mut other = 0.0;
                world.process_at_rank(rank + step).receive_into(&mut other);
                sum += other;
            }
        } else if rank % step == 0 {
            world.process_at_rank(rank - step).send(&sum);
        }
        step *= 2;
    }
    if rank == 0 { sum * sum } else { 0.0 }
}

#[test]
fn a_tree_of_messages_sums() {
    for size in 1..6 {
        let all = ranks::run(size, |world| tree::gradient(world, f64::from(world.rank() + 1)));
        let sum: f64 = (1..=size).map(|k| (k * k) as f64).sum();
        assert_eq!(all[0].0, sum * sum);
        for (rank, (_, gradient)) in all.iter().enumerate() {
            assert_eq!(gradient.x, 2.0 * sum * 2.0 * (rank as f64 + 1.0), "{size} ranks, rank {rank}");
        }
    }
}

/// Generic code calls generated code as it is.
fn slope<C: Communicator>(world: &C, x: f64) -> f64 {
    tree::gradient(world, x).1.x
}

#[test]
fn code_that_is_generic_over_communicators_calls_gradients() {
    assert_eq!(ranks::run(2, |world| slope(world, 1.0)), [8.0, 8.0]);
    let unsized_too = |world: &dyn Communicator| tree::gradient(world, 1.0).0;
    assert_eq!(ranks::run(2, |world| unsized_too(world)), [4.0, 0.0]);
}

/// A type parameter stands for the communicator, and a struct of the module holds what belongs together.
#[differentiate]
mod strips {
    use pardiff::ranks::traits::*;

    pub struct Strip {
        pub heat: [f64; 4],
        pub loss: f64,
    }

    fn neighbours<C: Communicator>(world: &C, own: f64) -> f64 {
        let (rank, mut sum) = (world.rank(), 0.0);
        let left = (rank > 0).then(|| world.process_at_rank(rank - 1));
        let right = (rank + 1 < world.size()).then(|| world.process_at_rank(rank + 1));
        for other in [left, right] {
            if let Some(other) = other {
                let mut got = 0.0;
                pardiff::ranks::point_to_point::send_receive_into(&own, &other, &mut got, &other);
                sum += got;
            }
        }
        sum
    }

    #[differentiate(result = "partial")]
    pub fn lost<C>(world: &C, strip: &Strip) -> f64
    where
        C: Communicator + ?Sized,
    {
        let own = strip.heat[0] * strip.heat[3];
        let mut others = 0.0;
        let (rank, size) = (world.rank(), world.size());
        if rank > 0 {
            let left = world.process_at_rank(rank - 1);
            pardiff::ranks::point_to_point::send_receive_into(&own, &left, &mut others, &left);
        }
        let mut last = 0.0;
        if rank + 1 < size {
            let right = world.process_at_rank(rank + 1);
            pardiff::ranks::point_to_point::send_receive_into(&own, &right, &mut last, &right);
        }
        (others + last) * strip.loss * own
    }

    #[differentiate(result = "partial")]
    pub fn pairs(world: &impl Communicator, x: f64) -> f64 {
        x * neighbours(world, x * x)
    }
}

#[test]
fn structs_type_parameters_and_options_hold_ranks() {
    let strip = |rank: i32| strips::Strip { heat: [1.0 + f64::from(rank), 0.0, 0.0, 2.0], loss: 0.5 };
    let all = ranks::run(3, |world| strips::lost::gradient(world, &strip(world.rank())));
    // own = 2, 4, 6; each pair is there twice
    let slopes: Vec<f64> = all.iter().map(|(_, gradient)| gradient.strip.heat[0]).collect();
    assert_eq!(slopes, [2.0 * 0.5 * 2.0 * 4.0, 2.0 * 0.5 * 2.0 * 8.0, 2.0 * 0.5 * 2.0 * 4.0]);
    assert_eq!(all[1].1.strip.loss, 4.0 * 8.0);
    let all = ranks::run(3, |world| strips::pairs::gradient(world, f64::from(world.rank() + 1)).1.x);
    // Σ x_r Σ x_q² over neighbours
    let x = [1.0, 2.0, 3.0];
    let slope = |r: usize| {
        let near = |r: usize| (0..3).filter(move |q| r.abs_diff(*q) == 1);
        near(r).map(|q| x[q] * x[q] + 2.0 * x[r] * x[q]).sum::<f64>()
    };
    assert_eq!(all, [slope(0), slope(1), slope(2)]);
}

/// The integers of `mpi` by their names, which an attribute on a function does not see.
#[differentiate]
fn passed_on(world: &impl Communicator, x: &[f64], y: &mut [f64], last: Rank) {
    fn after(rank: Rank, size: Rank) -> Rank {
        (rank + 1) % size
    }
    const TAG: Tag = 3;
    let counts: Vec<Count> = (1..=world.size()).collect();
    let (rank, next) = (world.rank(), after(world.rank(), world.size()));
    if rank != last {
        world.process_at_rank(next).send_with_tag(&x[..counts[rank as usize] as usize], TAG);
    }
    if rank != after(last, world.size()) {
        let before: Rank = rank - 1;
        world.process_at_rank(before).receive_into_with_tag(&mut y[..rank as usize], TAG);
    }
}

#[test]
fn integers_of_mpi_are_known_by_their_names() {
    let all = ranks::run(3, |world| {
        let (mut d_x, mut y, mut d_y) =
            ([0.0; 3], [0.0; 3], [1.0, 2.0, 3.0].map(|w| w * f64::from(world.rank())));
        passed_on::vjp(world, &[1.0, 2.0, 3.0], &mut d_x, &mut y, &mut d_y, 2);
        (d_x, y)
    });
    let expected =
        [([1.0, 0.0, 0.0], [0.0; 3]), ([2.0, 4.0, 0.0], [1.0, 0.0, 0.0]), ([0.0; 3], [1.0, 2.0, 0.0])];
    assert_eq!(all, expected);
}

#[differentiate]
fn twice(world: &impl Communicator, x: &[f64], y: &mut [f64]) {
    if world.rank() == 0 {
        world.process_at_rank(1).send(&x[..2]);
    } else {
        world.process_at_rank(0).receive_into(&mut y[..3]);
    }
}

#[test]
fn a_short_message_is_a_panic_that_names_function_and_call() {
    let panic = std::panic::catch_unwind(|| {
        ranks::run(2, |world| {
            twice::vjp(world, &[1.0; 4], &mut [0.0; 4], &mut [0.0; 4], &mut [0.0; 4]);
        })
    });
    let panic = panic.expect_err("the lengths differ");
    let text = panic.downcast_ref::<String>().expect("a text");
    assert!(
        text.starts_with("twice: `world.process_at_rank(0).receive_into(&mut y[..3])` on rank 1"),
        "{text}"
    );
    assert!(text.ends_with("has 2 numbers of `f64`, and 3 numbers of `f64` are received"), "{text}");
}

/// What a module says of results is said of its functions with communicators.
#[differentiate(result = "replicated")]
mod of_a_module {
    use super::*;

    pub fn total(world: &impl Communicator, x: f64) -> f64 {
        let mut sum = 0.0;
        world.all_reduce_into(&square(x), &mut sum, SystemOperation::sum());
        square(sum)
    }

    pub fn square(x: f64) -> f64 {
        x * x
    }
}

#[test]
fn a_module_says_whose_the_results_of_its_functions_are() {
    let all = ranks::run(3, |world| of_a_module::total::gradient(world, f64::from(world.rank() + 1)));
    let all: Vec<f64> = all.into_iter().map(|(_, gradient)| gradient.x).collect();
    assert_eq!(all, [56.0, 112.0, 168.0]);
    assert_eq!(of_a_module::square::gradient(3.0).1.x, 6.0);
}

/// Which is not what its attribute says.
#[differentiate(hvp, result = "replicated")]
fn share_of_a_sum(world: &impl Communicator, x: f64) -> f64 {
    let mut before = 0.0;
    world.exclusive_scan_into(&x, &mut before, SystemOperation::sum());
    before * x
}

#[test]
#[cfg(debug_assertions)]
fn a_result_that_ranks_do_not_have_alike_is_a_panic() {
    let panics = [
        std::panic::catch_unwind(|| drop(ranks::run(2, |world| share_of_a_sum::gradient(world, 3.0)))),
        std::panic::catch_unwind(|| {
            drop(ranks::run(2, |world| share_of_a_sum::hvp(world, 3.0, 1.0, &mut 0.0)))
        }),
    ];
    for panic in panics {
        let panic = panic.expect_err("the ranks return different numbers");
        let text = panic.downcast_ref::<String>().expect("a text");
        assert!(text.starts_with("share_of_a_sum: the attribute says `result = \"replicated\"`"), "{text}");
        assert!(text.contains("rank 0 0.0, rank 1 9.0"), "{text}");
    }
}
