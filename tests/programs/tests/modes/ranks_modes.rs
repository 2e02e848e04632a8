//! Other modes of programs with messages: products with the Hessian, and the sweeps apart.

use crate::ranks_kernels::{are_close, dot, numbers};
use pardiff::differentiate;
use pardiff::ranks::traits::*;
use pardiff::ranks::{self, SimpleCommunicator, SystemOperation, Traffic, point_to_point as p2p};

/// Neighbours in both directions, and a sum over all, in each step.
#[differentiate(forward, hvp, split, batch(3))]
pub fn steps(world: &impl Communicator, x: &[f64], y: &mut [f64]) {
    let (rank, n) = (world.rank(), x.len());
    let mut u = vec![0.0; n + 2];
    u[1..=n].copy_from_slice(x);
    for _ in 0..3 {
        for neighbour in [rank - 1, rank + 1] {
            if neighbour >= 0 && neighbour < world.size() {
                let other = world.process_at_rank(neighbour);
                let mut got = 0.0;
                let own = if neighbour < rank { u[1] } else { u[n] };
                p2p::send_receive_into(&own, &other, &mut got, &other);
                if neighbour < rank {
                    u[0] = got;
                } else {
                    u[n + 1] = got;
                }
            }
        }
        let mut mine = 0.0;
        for i in 1..=n {
            mine += u[i] * u[i];
        }
        let mut total = 0.0;
        world.all_reduce_into(&mine, &mut total, SystemOperation::sum());
        for i in 1..=n {
            y[i - 1] = u[i] + 0.1 * u[i] * (u[i - 1] - u[i + 1]) / (1.0 + total);
        }
        u[1..=n].copy_from_slice(y);
    }
}

/// Messages that do not wait, of one tag, waited for in another order on odd ranks.
#[differentiate(forward, hvp, split, batch(3))]
pub fn crossed(world: &impl Communicator, x: &[f64], y: &mut [f64]) {
    let (rank, size, n) = (world.rank(), world.size(), x.len());
    let (next, before) =
        (world.process_at_rank((rank + 1) % size), world.process_at_rank((rank + size - 1) % size));
    let squares: Vec<f64> = x.iter().map(|x| x * x).collect();
    let (mut first, mut second) = (vec![0.0; n], vec![0.0; n]);
    ranks::request::scope(|scope| {
        let a = before.immediate_receive_into(scope, &mut first[..]);
        let b = before.immediate_receive_into(scope, &mut second[..]);
        let c = next.immediate_send(scope, x);
        let d = next.immediate_send(scope, &squares[..]);
        if rank % 2 == 0 {
            a.wait();
            b.wait();
            c.wait();
            d.wait();
        } else {
            d.wait();
            c.wait();
            b.wait();
            a.wait();
        }
    });
    for i in 0..n {
        y[i] = first[i] * second[i] * x[i];
    }
}

/// All operations that have a root or blocks.
#[differentiate(forward, hvp, split, batch(3))]
pub fn blocks(world: &impl Communicator, x: &[f64], y: &mut [f64]) {
    let (rank, size, n) = (world.rank(), world.size() as usize, x.len());
    let root = world.process_at_rank(world.size() - 1);
    let mut all = vec![0.0; n * size];
    let mut part = vec![0.0; n];
    if rank == root.rank() {
        root.gather_into_root(x, &mut all[..]);
        for k in 0..all.len() {
            all[k] = all[k] * all[k] * (1 + k) as f64;
        }
        root.scatter_into_root(&all[..], &mut part[..]);
    } else {
        root.gather_into(x);
        root.scatter_into(&mut part[..]);
    }
    let mut shared = [x[0] * part[1], x[1]];
    root.broadcast_into(&mut shared);
    world.all_gather_into(&part[..], &mut all[..]);
    for k in 0..all.len() {
        all[k] = all[k] * all[k] * shared[k % 2];
    }
    world.reduce_scatter_block_into(&all[..], y, SystemOperation::sum());
}

/// Half the squared sum of squares of all, in shares.
#[differentiate(hvp, split, result = "partial")]
fn shares(world: &impl Communicator, x: &[f64]) -> f64 {
    let mine: f64 = x.iter().map(|x| x * x).sum();
    let mut total = 0.0;
    world.all_reduce_into(&mine, &mut total, SystemOperation::sum());
    0.5 * total * mine
}

/// The same, and all ranks have it.
#[differentiate(hvp, split, result = "replicated")]
fn alike(world: &impl Communicator, x: &[f64]) -> f64 {
    let mine: f64 = x.iter().map(|x| x * x).sum();
    let mut total = 0.0;
    world.all_reduce_into(&mine, &mut total, SystemOperation::sum());
    0.5 * total * total
}

const N: usize = 5;

type Function<'a> = &'a (dyn Fn(&SimpleCommunicator, &[f64]) + Sync);
/// On each rank, of `x` along `x_dot` with weights: what is left, the gradient, and the product with the Hessian.
type Second<'a> = &'a (dyn Fn(&SimpleCommunicator, [&[f64]; 3]) -> [Vec<f64>; 2] + Sync);
type First<'a> = &'a (dyn Fn(&SimpleCommunicator, [&[f64]; 2]) -> [Vec<f64>; 2] + Sync);

/// The product of the Hessian against differences of gradients, and that it is symmetric, summed over ranks. The
/// comparison of results that ranks have alike is a message more.
fn check_second(
    name: &str,
    function: Function<'_>,
    vjp: First<'_>,
    hvp: Second<'_>,
    comparison: Function<'_>,
) {
    for size in 1..5 {
        for rendezvous in [false, true] {
            let world = if rendezvous { ranks::world(size).rendezvous() } else { ranks::world(size) };
            let (sums, _) = world.run(|world| {
                let [x, v, w, weights] = [1, 2, 3, 4].map(|seed| numbers(world.rank(), seed, N));
                let [y, h_v] = hvp(world, [&x, &v, &weights]);
                let [_, h_w] = hvp(world, [&x, &w, &weights]);
                let h = 1e-5;
                let moved = |by: f64| -> Vec<f64> { x.iter().zip(&v).map(|(x, v)| x + by * v).collect() };
                let [again, _] = vjp(world, [&x, &weights]);
                assert!(are_close(&y, &again), "{name}: {y:?} {again:?}");
                let [[_, above], [_, below]] = [h, -h].map(|by| vjp(world, [&moved(by), &weights]));
                for (k, product) in h_v.iter().enumerate() {
                    let slope = (above[k] - below[k]) / (2.0 * h);
                    assert!(
                        (product - slope).abs() < 1e-7 * (1.0 + slope.abs()),
                        "{name} on {size} ranks, rank {}, {k}: {product} {slope}",
                        world.rank()
                    );
                }
                (dot(&w, &h_v), dot(&v, &h_w))
            });
            let (a, b) = sums.iter().fold((0.0, 0.0), |sum, it| (sum.0 + it.0, sum.1 + it.1));
            assert!((a - b).abs() < 1e-12 * (1.0 + a.abs()), "{name} on {size} ranks: {a} {b}");
            assert!(a != 0.0, "{name} on {size} ranks has a Hessian of zeros");
            // values, tangents, adjoints, tangents of adjoints
            let of = |all: &(dyn Fn(&SimpleCommunicator, &[f64]) + Sync)| {
                world.run(|world| all(world, &numbers(world.rank(), 1, N))).1
            };
            let once = of(&|world, x| function(world, x));
            let second = of(&|world, x| {
                hvp(world, [x, &[1.0; N], &[1.0; N]]);
            });
            let compared = of(&|world, x| comparison(world, x));
            let four = Traffic {
                messages: 4 * once.messages + compared.messages,
                bytes: 4 * once.bytes + compared.bytes,
            };
            assert_eq!(second, four, "{name} on {size} ranks");
        }
    }
}

macro_rules! check_second {
    ($name:ident) => {
        check_second(
            stringify!($name),
            &|world, x| $name(world, x, &mut [0.0; N]),
            &|world, [x, weights]| {
                let (mut d_x, mut y, mut d_y) = (vec![0.0; N], vec![0.0; N], weights.to_vec());
                $name::vjp(world, x, &mut d_x, &mut y, &mut d_y);
                [y, d_x]
            },
            &|world, [x, x_dot, weights]| {
                let (mut h_x, mut y, mut d_y) = (vec![0.0; N], vec![0.0; N], weights.to_vec());
                let (mut y_dot, mut h_y) = (vec![0.0; N], vec![0.0; N]);
                $name::hvp(world, x, x_dot, &mut h_x, &mut y, &mut y_dot, &mut d_y, &mut h_y);
                [y, h_x]
            },
            &|_, _| {},
        )
    };
}

#[test]
fn hessians_of_programs_with_messages_are_symmetric() {
    check_second!(steps);
    check_second!(crossed);
    check_second!(blocks);
    let first: First<'_> = &|world, [x, _]| {
        let (value, gradient) = shares::gradient(world, x);
        [vec![value], gradient.x]
    };
    let second: Second<'_> = &|world, [x, x_dot, _]| {
        let mut h_x = vec![0.0; N];
        let (value, _) = shares::hvp(world, x, x_dot, &mut h_x);
        [vec![value], h_x]
    };
    check_second(
        "shares",
        &|world, x| {
            shares(world, x);
        },
        first,
        second,
        &|_, _| {},
    );
    let first: First<'_> = &|world, [x, _]| {
        let (value, gradient) = alike::gradient(world, x);
        [vec![value], gradient.x]
    };
    let second: Second<'_> = &|world, [x, x_dot, _]| {
        let mut h_x = vec![0.0; N];
        let (value, _) = alike::hvp(world, x, x_dot, &mut h_x);
        [vec![value], h_x]
    };
    check_second(
        "alike",
        &|world, x| {
            alike(world, x);
        },
        first,
        second,
        &|world, _| {
            ranks::replicated(world, 0.0, "alike");
        },
    );
    // the slope is that of all, on every rank
    ranks::run(3, |world| {
        let [x, x_dot] = [1, 2].map(|seed| numbers(world.rank(), seed, N));
        let (_, slope) = alike::hvp(world, &x, &x_dot, &mut [0.0; N]);
        let (mine, mut along) = (dot(&alike::gradient(world, &x).1.x, &x_dot), 0.0);
        world.all_reduce_into(&mine, &mut along, SystemOperation::sum());
        assert!((slope - along).abs() < 1e-12 * (1.0 + along.abs()), "{slope} {along}");
    });
}

/// Values and gradient by `vjp`, and by a tape that two seeds read.
type Apart<'a> = &'a (dyn Fn(&SimpleCommunicator, &[f64], &[f64]) -> [Vec<f64>; 4] + Sync);

fn check_apart(
    name: &str,
    together: Apart<'_>,
    apart: Apart<'_>,
    function: impl Fn(&SimpleCommunicator) + Sync,
) {
    for size in 1..5 {
        let of = |of: Apart<'_>| {
            ranks::world(size)
                .run(|world| of(world, &numbers(world.rank(), 1, N), &numbers(world.rank(), 2, N)))
        };
        let ((expected, _), (left, traffic)) = (of(together), of(apart));
        for (expected, left) in expected.iter().zip(&left) {
            for (expected, left) in expected.iter().zip(left) {
                assert!(are_close(expected, left), "{name} on {size} ranks: {expected:?} {left:?}");
            }
        }
        // the function once, and each message back for each seed
        let (_, once) = ranks::world(size).run(|world| function(world));
        let thrice = Traffic { messages: 3 * once.messages, bytes: 3 * once.bytes };
        assert_eq!(traffic, thrice, "{name} on {size} ranks");
    }
}

macro_rules! check_apart {
    ($name:ident) => {
        check_apart(
            stringify!($name),
            &|world, x, weights| {
                let mut all = Vec::new();
                for scale in [1.0, 2.0] {
                    let mut d_y: Vec<f64> = weights.iter().map(|w| scale * w).collect();
                    let (mut d_x, mut y) = (vec![0.0; N], vec![0.0; N]);
                    $name::vjp(world, x, &mut d_x, &mut y, &mut d_y);
                    all.extend([y, d_x]);
                }
                all.try_into().expect("four")
            },
            &|world, x, weights| {
                let mut tape = $name::Tape::default();
                let mut y = vec![0.0; N];
                $name::forward(world, x, &mut y, &mut tape);
                let mut all = Vec::new();
                for scale in [1.0, 2.0] {
                    let mut d_y: Vec<f64> = weights.iter().map(|w| scale * w).collect();
                    let mut d_x = vec![0.0; N];
                    $name::backward(world, x, &mut d_x, &mut d_y, &tape);
                    all.extend([y.clone(), d_x]);
                }
                all.try_into().expect("four")
            },
            |world| $name(world, &numbers(world.rank(), 1, N), &mut [0.0; N]),
        )
    };
}

#[test]
fn sweeps_apart_send_each_message_once() {
    check_apart!(steps);
    check_apart!(crossed);
    check_apart!(blocks);
    for size in 1..4 {
        ranks::run(size, |world| {
            let x = numbers(world.rank(), 1, N);
            let mut tape = alike::Tape::default();
            let value = alike::forward(world, &x, &mut tape);
            let mut d_x = vec![0.0; N];
            let seed = if world.rank() == 0 { 1.0 } else { 0.0 };
            alike::backward(world, &x, &mut d_x, &tape, seed);
            let (expected, gradient) = alike::gradient(world, &x);
            assert_eq!(value, expected);
            assert!(are_close(&d_x, &gradient.x), "{d_x:?} {:?}", gradient.x);
        });
    }
}

/// Steps with messages of three kinds: to neighbours, in a loop; of all ranks; and some that do not wait.
macro_rules! simulation {
    ($name:ident, $(#[$mark:meta])?) => {
        #[differentiate(forward, hvp, split, batch(3))]
        pub fn $name(world: &impl Communicator, x: &[f64], y: &mut [f64], steps: usize) {
            let (rank, size, n) = (world.rank(), world.size(), x.len());
            let (next, before) =
                (world.process_at_rank((rank + 1) % size), world.process_at_rank((rank + size - 1) % size));
            let mut u = x.to_vec();
            let mut ghost = vec![0.0; n];
            $(#[$mark])?
            for t in 0..steps {
                for side in 0..2 {
                    if (rank + side as i32) % 2 == 0 {
                        if rank + 1 < size {
                            let mut got = 0.0;
                            let other = world.process_at_rank(rank + 1);
                            p2p::send_receive_into(&u[n - 1], &other, &mut got, &other);
                            u[n - 1] += 0.1 * got * u[side];
                        }
                    } else if rank > 0 {
                        let mut got = 0.0;
                        let other = world.process_at_rank(rank - 1);
                        p2p::send_receive_into(&u[0], &other, &mut got, &other);
                        u[0] -= 0.1 * got * u[side];
                    }
                }
                ranks::request::scope(|scope| {
                    let arrives = before.immediate_receive_into(scope, &mut ghost[..]);
                    let leaves = next.immediate_send(scope, &u[..]);
                    leaves.wait();
                    arrives.wait();
                });
                let (mine, mut total, mut count) = (u[0] * u[1], 0.0, 0);
                world.all_reduce_into(&mine, &mut total, SystemOperation::sum());
                world.all_reduce_into(&(rank + t as i32), &mut count, SystemOperation::sum());
                for i in 0..n {
                    u[i] = (u[i] + 0.1 * ghost[i] * ghost[i] * total).sin() + 0.01 * f64::from(count);
                }
            }
            y.copy_from_slice(&u);
        }
    };
}

simulation!(whole,);
simulation!(in_thirds, #[checkpoint(every = 3)]);
simulation!(in_segments, #[checkpoint]);

macro_rules! derivatives {
    ($name:ident, $size:expr, $steps:expr) => {
        ranks::world($size).run(|world| {
            let [x, x_dot, weights] = [1, 2, 3].map(|seed| numbers(world.rank(), seed, N));
            let (mut d_x, mut y, mut d_y) = (vec![0.0; N], vec![0.0; N], weights.clone());
            $name::vjp(world, &x, &mut d_x, &mut y, &mut d_y, $steps);
            let (mut h_x, mut d_y) = (vec![0.0; N], weights.clone());
            let (mut y_dot, mut h_y) = (vec![0.0; N], vec![0.0; N]);
            $name::hvp(world, &x, &x_dot, &mut h_x, &mut y, &mut y_dot, &mut d_y, &mut h_y, $steps);
            let (mut tape, mut d_apart, mut d_y) = ($name::Tape::default(), vec![0.0; N], weights);
            $name::forward(world, &x, &mut y, $steps, &mut tape);
            $name::backward(world, &x, &mut d_apart, &mut d_y, $steps, &tape);
            [y, d_x, h_x, d_apart]
        })
    };
}

#[test]
fn steps_that_run_again_send_nothing() {
    for size in 1..5 {
        for steps in [0, 1, 7, 9] {
            let (expected, sent) = derivatives!(whole, size, steps);
            for (found, again) in
                [derivatives!(in_thirds, size, steps), derivatives!(in_segments, size, steps)]
            {
                assert_eq!(again, sent, "{size} ranks, {steps} steps");
                for (expected, found) in expected.iter().zip(&found) {
                    for (expected, found) in expected.iter().zip(found) {
                        assert!(
                            are_close(expected, found),
                            "{size} ranks, {steps} steps: {expected:?} {found:?}"
                        );
                    }
                }
            }
        }
    }
}
