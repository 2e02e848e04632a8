//! Operations between ranks, one in each function, by the names that the crate `mpi` has: the tests over that crate
//! run this file as it is.

#![allow(clippy::redundant_slicing, reason = "messages as users of the crate `mpi` write them")]

use crate::mpi::collective::SystemOperation;
use crate::mpi::point_to_point as p2p;
use crate::mpi::topology::SimpleCommunicator;
use crate::mpi::traits::*;
use pardiff::differentiate;

/// Messages of one line arrive in the order in which they are sent: even ranks send first.
#[differentiate(forward)]
pub fn pairs(world: &impl Communicator, x: &[f64], y: &mut [f64]) {
    let rank = world.rank();
    let half = x.len() / 2;
    if rank % 2 == 0 && rank + 1 < world.size() {
        let other = world.process_at_rank(rank + 1);
        other.send(&x[..half]);
        other.send_with_tag(&x[half..], 3);
        other.receive_into(&mut y[..half]);
    }
    if rank % 2 == 1 {
        let other = world.process_at_rank(rank - 1);
        other.receive_into(&mut y[..half]);
        other.receive_into_with_tag(&mut y[half..], 3);
        other.send(&x[1..=half]);
    }
}

#[differentiate(forward)]
pub fn ring(world: &impl Communicator, x: &[f64], y: &mut [f64]) {
    let (rank, size) = (world.rank(), world.size());
    let (next, before) =
        (world.process_at_rank((rank + 1) % size), world.process_at_rank((rank + size - 1) % size));
    p2p::send_receive_into(&x[..], &next, &mut y[..], &before);
}

/// Each rank adds half of what comes from the left, and passes it on.
#[differentiate(forward)]
pub fn chain(world: &dyn Communicator, x: &[f64], y: &mut [f64]) {
    let rank = world.rank();
    let left = if rank > 0 { Some(world.process_at_rank(rank - 1)) } else { None };
    let mut got = vec![0.0; x.len()];
    y.copy_from_slice(x);
    if let Some(left) = left {
        left.receive_into(&mut got[..]);
        for i in 0..x.len() {
            y[i] += 0.5 * got[i];
        }
    }
    if rank + 1 < world.size() {
        world.process_at_rank(rank + 1).send(&y[..]);
    }
}

#[differentiate(forward)]
pub fn sums(world: &SimpleCommunicator, x: &[f64], y: &mut [f64]) {
    world.all_reduce_into(&x[..], &mut y[..], SystemOperation::sum());
}

/// A number, and not the first rank.
#[differentiate(forward)]
pub fn one_sum(world: &impl Communicator, x: &[f64], y: &mut [f64]) {
    let root = world.process_at_rank(world.size() - 1);
    let mine = x[0] * 2.0;
    if world.rank() == root.rank() {
        let mut total = 0.0;
        root.reduce_into_root(&mine, &mut total, SystemOperation::sum());
        y[1] = total + x[2];
    } else {
        root.reduce_into(&mine, SystemOperation::sum());
    }
}

#[differentiate(forward)]
pub fn broadcast(world: &impl Communicator, x: &[f64], y: &mut [f64]) {
    y.copy_from_slice(x);
    world.process_at_rank(world.size() / 2).broadcast_into(&mut y[1..4]);
}

#[differentiate(forward)]
pub fn through_a_root(world: &impl Communicator, x: &[f64], y: &mut [f64]) {
    let (rank, size) = (world.rank(), world.size() as usize);
    let root = world.process_at_rank(0);
    if rank == 0 {
        let mut all = vec![0.0; 5 * size];
        root.gather_into_root(&x[..], &mut all[..]);
        for k in 0..all.len() {
            all[k] *= 1.0 + k as f64;
        }
        root.scatter_into_root(&all[..], &mut y[..]);
    } else {
        root.gather_into(&x[..]);
        root.scatter_into(&mut y[..]);
    }
}

#[differentiate(forward)]
pub fn blocks(world: &impl Communicator, x: &[f64], y: &mut [f64]) {
    let size = world.size() as usize;
    let mut all = vec![0.0; 5 * size];
    world.all_gather_into(&x[..], &mut all[..]);
    for k in 0..all.len() {
        all[k] *= 1.0 + k as f64 * f64::from(world.rank() + 1);
    }
    world.reduce_scatter_block_into(&all[..], &mut y[..], SystemOperation::sum());
    world.barrier();
}

/// What no rank uses has an adjoint all the same: both sides of a message decide alike.
#[differentiate(forward)]
pub fn unused_here(world: &impl Communicator, x: &[f64], y: &mut [f64]) {
    let (rank, size) = (world.rank(), world.size());
    let (next, before) =
        (world.process_at_rank((rank + 1) % size), world.process_at_rank((rank + size - 1) % size));
    let constants = [1.0, 2.0, 3.0, 4.0, 5.0];
    let mut got = [0.0; 5];
    p2p::send_receive_into(&constants, &next, &mut got, &before);
    let mut rest = [0.0; 5];
    p2p::send_receive_into(&x[..], &next, &mut rest, &before);
    for i in 0..5 {
        y[i] = x[i] * got[i];
    }
}

/// Singles, and whole numbers beside them.
#[differentiate(forward)]
pub fn singles(world: &impl Communicator, x: &[f64], y: &mut [f64]) {
    let (rank, size) = (world.rank(), world.size());
    let (next, before) =
        (world.process_at_rank((rank + 1) % size), world.process_at_rank((rank + size - 1) % size));
    let mut send = [0.0_f32; 6];
    let mut receive = [0.0_f32; 6];
    for k in 0..5 {
        send[k] = x[k] as f32;
    }
    let (mine, mut other) = ([rank, 7], [0; 2]);
    p2p::send_receive_into(&send[..4], &next, &mut receive[2..], &before);
    p2p::send_receive_into(&mine, &next, &mut other, &before);
    for k in 0..2 {
        y[k] = f64::from(receive[2 + 3 * k]) * f64::from(other[0]) * f64::from(other[1]);
    }
}

/// Some steps of a nonlinear equation on a rod that is cut into pieces.
#[differentiate(forward)]
pub fn rod(world: &impl Communicator, x: &[f64], y: &mut [f64]) {
    let (rank, n) = (world.rank(), x.len());
    let mut u = vec![0.0; n + 2];
    u[1..=n].copy_from_slice(x);
    for _ in 0..3 {
        if rank > 0 {
            let left = world.process_at_rank(rank - 1);
            let own = u[1];
            p2p::send_receive_into(&own, &left, &mut u[0], &left);
        }
        if rank + 1 < world.size() {
            let right = world.process_at_rank(rank + 1);
            let own = u[n];
            p2p::send_receive_into(&own, &right, &mut u[n + 1], &right);
        }
        for i in 1..=n {
            y[i - 1] = u[i] + 0.2 * (u[i - 1] - 2.0 * u[i] + u[i + 1]) * (1.0 + u[i] * u[i]);
        }
        u[1..=n].copy_from_slice(y);
    }
}

/// The smallest and the largest number of all ranks.
#[differentiate(forward)]
pub fn ends(world: &impl Communicator, x: &[f64], y: &mut [f64]) {
    world.all_reduce_into(&x[..3], &mut y[..3], SystemOperation::min());
    world.all_reduce_into(&x[3..], &mut y[3..], SystemOperation::max());
}

/// A pseudo-random number.
pub fn number(rank: i32, seed: u64, at: usize) -> f64 {
    let mut state = (rank as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (seed << 20) ^ at as u64;
    for _ in 0..3 {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
    }
    (state >> 11) as f64 / (1u64 << 53) as f64 - 0.5
}

pub fn numbers(rank: i32, seed: u64, n: usize) -> Vec<f64> {
    (0..n).map(|at| number(rank, seed, at)).collect()
}

pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Whether values agree to rounding: each mode may fuse products and sums of its own.
pub fn are_close(a: &[f64], b: &[f64]) -> bool {
    a.iter().zip(b).all(|(a, b)| (a - b).abs() <= 1e-15 * (1.0 + a.abs()))
}
