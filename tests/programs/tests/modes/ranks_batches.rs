//! Batches over ranks: a member of a batch is the member of that number on every rank, and one message carries all of
//! them.

use crate::ranks_kernels::numbers;
use crate::ranks_modes::{blocks, crossed, in_segments, in_thirds, steps};
use pardiff::ranks::{self, SimpleCommunicator, Traffic, traits::*};

const N: usize = 5;
const W: usize = 3;

/// Of each member on a rank, from its direction and its weights: the tangents, the adjoints, and the tangents of the
/// adjoints.
type Members = [[Vec<f64>; 3]; W];

fn batch_of(rank: i32, seed: u64) -> Vec<[f64; W]> {
    let members: [Vec<f64>; W] = std::array::from_fn(|w| numbers(rank, seed + 10 * w as u64, N));
    (0..N).map(|i| std::array::from_fn(|w| members[w][i])).collect()
}

fn member(batch: &[[f64; W]], w: usize) -> Vec<f64> {
    batch.iter().map(|all| all[w]).collect()
}

fn agree(name: &str, size: usize, all: &[(Members, Members)]) {
    for (rank, (batch, single)) in all.iter().enumerate() {
        for (batch, single) in batch.iter().flatten().zip(single.iter().flatten()) {
            for (a, b) in batch.iter().zip(single) {
                assert!(
                    (a - b).abs() < 1e-13 * (1.0 + b.abs()),
                    "{name} on {size} ranks, rank {rank}: {a} {b}"
                );
            }
        }
    }
}

macro_rules! members {
    ($name:ident $(, $steps:expr)?) => {
        |world: &SimpleCommunicator| {
            let rank = world.rank();
            let x = numbers(rank, 1, N);
            let (x_dots, all_weights, weights) = (batch_of(rank, 2), batch_of(rank, 3), numbers(rank, 4, N));
            let (mut y, zeros) = (vec![0.0; N], vec![[0.0; W]; N]);
            let (mut y_dots, mut d_xs, mut d_ys) = (zeros.clone(), zeros.clone(), all_weights.clone());
            $name::jvp_batch(world, &x, &x_dots, &mut y, &mut y_dots $(, $steps)?);
            y.fill(0.0);
            $name::vjp_batch(world, &x, &mut d_xs, &mut y, &mut d_ys $(, $steps)?);
            let (mut h_xs, mut h_ys, mut d_y, mut again) = (zeros.clone(), zeros.clone(), weights.clone(), zeros);
            y.fill(0.0);
            $name::hvp_batch(world, &x, &x_dots, &mut h_xs, &mut y, &mut again, &mut d_y, &mut h_ys $(, $steps)?);
            let batch: Members = std::array::from_fn(|w| [&y_dots, &d_xs, &h_xs].map(|all| member(all, w)));
            let single: Members = std::array::from_fn(|w| {
                let x_dot = member(&x_dots, w);
                let zeros = vec![0.0; N];
                let (mut y, mut y_dot) = (zeros.clone(), zeros.clone());
                $name::jvp(world, &x, &x_dot, &mut y, &mut y_dot $(, $steps)?);
                let (mut d_x, mut d_y) = (zeros.clone(), member(&all_weights, w));
                y.fill(0.0);
                $name::vjp(world, &x, &mut d_x, &mut y, &mut d_y $(, $steps)?);
                let (mut h_x, mut h_y, mut again, mut d_y) = (zeros.clone(), zeros.clone(), zeros, weights.clone());
                y.fill(0.0);
                $name::hvp(world, &x, &x_dot, &mut h_x, &mut y, &mut again, &mut d_y, &mut h_y $(, $steps)?);
                [y_dot, d_x, h_x]
            });
            (batch, single)
        }
    };
}

#[test]
fn members_of_a_batch_are_what_they_are_alone() {
    for size in 1..5 {
        for rendezvous in [false, true] {
            let world = if rendezvous { ranks::world(size).rendezvous() } else { ranks::world(size) };
            agree("steps", size, &world.run(members!(steps)).0);
            agree("crossed", size, &world.run(members!(crossed)).0);
            agree("blocks", size, &world.run(members!(blocks)).0);
            agree("in_thirds", size, &world.run(members!(in_thirds, 7)).0);
            agree("in_segments", size, &world.run(members!(in_segments, 4)).0);
        }
    }
}

#[test]
fn a_batch_sends_as_many_messages_as_one() {
    let traffic = |run: &(dyn Fn(&SimpleCommunicator, &[f64]) + Sync)| {
        ranks::world(3).run(|world| run(world, &numbers(world.rank(), 1, N))).1
    };
    let value = traffic(&|world, x| blocks(world, x, &mut [0.0; N]));
    let reverse = traffic(&|world, x| {
        blocks::vjp_batch(world, x, &mut [[0.0; W]; N], &mut [0.0; N], &mut [[1.0; W]; N]);
    });
    let forward = traffic(&|world, x| {
        blocks::jvp_batch(world, x, &[[1.0; W]; N], &mut [0.0; N], &mut [[0.0; W]; N]);
    });
    let expected = Traffic { messages: 2 * value.messages, bytes: (1 + W) * value.bytes };
    assert_eq!([reverse, forward], [expected; 2]);
}
